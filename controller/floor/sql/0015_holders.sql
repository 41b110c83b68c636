-- What one table's login can take from all others is bounded: the lock of a level, connections, room for alarms.
--
-- A session sets its own time-outs, so that those of its role bind an honest program only. Whoever waits for a level
-- ends the sessions that stand in the way for longer than any call takes.

CREATE FUNCTION pozo.longest_call() RETURNS interval
LANGUAGE sql IMMUTABLE
-- A table's program gives a call up after five seconds; each call is one transaction.
RETURN interval '6 seconds';

CREATE FUNCTION pozo.longest_wait() RETURNS text
LANGUAGE sql IMMUTABLE
-- For a level's lock, as lock_timeout takes it: shorter than a table's program waits for its answer.
RETURN '3s';

CREATE FUNCTION pozo.end_holders() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- End the sessions of tables' logins whose transaction is older than any call takes; each is an alarm. One that waits
-- for a standby is stored already, and its lock ends with the wait.
BEGIN
  WITH ended AS (
    SELECT a.usename, pg_terminate_backend(a.pid) AS done
    FROM pg_stat_activity AS a JOIN pozo.tables AS t ON t.login = a.usename
    WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
      AND a.xact_start < clock_timestamp() - pozo.longest_call() AND a.wait_event IS DISTINCT FROM 'SyncRep'
  )
  INSERT INTO pozo.alarms AS known (kind, table_id, login, seq, detail)
  SELECT 'held', t.table_id, e.usename, 0, format('login %s kept a transaction open; its session was ended', e.usename)
  FROM (SELECT DISTINCT usename FROM ended WHERE done) AS e JOIN pozo.tables AS t ON t.login = e.usename
  ON CONFLICT (kind, table_id, login, seq) DO UPDATE SET times = known.times + 1, last_at = clock_timestamp();
END $$;

CREATE FUNCTION pozo.taken(p_link text) RETURNS pozo.links
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- A level under its lock; NULL where others keep it for longer than a claim may wait.
DECLARE
  l pozo.links;
BEGIN
  SELECT k.* INTO l FROM pozo.links AS k WHERE k.link = p_link FOR UPDATE SKIP LOCKED;
  IF l.link IS NOT NULL THEN
    RETURN l;
  END IF;
  PERFORM pozo.end_holders();
  PERFORM set_config('lock_timeout', pozo.longest_wait(), true);
  BEGIN
    SELECT k.* INTO l FROM pozo.links AS k WHERE k.link = p_link FOR UPDATE;
  EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
  END;
  RETURN l;
END $$;

CREATE INDEX alarms_of_login ON pozo.alarms (login);

CREATE OR REPLACE FUNCTION pozo.alarm(p_kind text, p_table text, p_seq bigint, p_detail text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Keep what was refused. Two hundred different things of one login are kept one by one; what is more is counted in one
-- alarm `flood`: the disk does not fill, and the others' alarms stay to be seen.
DECLARE
  shown CONSTANT text := left(p_table, 200);
BEGIN
  UPDATE pozo.alarms AS known SET times = known.times + 1, last_at = clock_timestamp(), detail = left(p_detail, 2000)
  WHERE known.kind = p_kind AND known.table_id = shown AND known.login = session_user
    AND known.seq = coalesce(p_seq, 0);
  IF FOUND THEN
    RETURN;
  END IF;
  IF (SELECT count(*) FROM pozo.alarms AS a WHERE a.login = session_user) >= 200 THEN
    p_kind := 'flood';
    p_table := coalesce((SELECT t.table_id FROM pozo.tables AS t WHERE t.login = session_user), '?');
    p_seq := 0;
    p_detail := format('more than 200 different refusals: take the certificate of login %s back', session_user);
  END IF;
  INSERT INTO pozo.alarms AS known (kind, table_id, login, seq, detail)
  VALUES (p_kind, left(p_table, 200), session_user, coalesce(p_seq, 0), left(p_detail, 2000))
  ON CONFLICT (kind, table_id, login, seq)
  DO UPDATE SET times = known.times + 1, last_at = clock_timestamp(), detail = excluded.detail;
END $$;

CREATE OR REPLACE FUNCTION pozo.join_link(p_table text, p_link text, p_digest text, p_from_seq bigint)
RETURNS TABLE (outcome text, digest text, detail text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- From record p_from_seq on, the one that holds the rules it plays by, the table's stakes count for the link. Asked
-- again at every start of the table's link: it is the check that table and link still play by the same rules. Only who
-- joins anew takes a lock that claims wait for.
--   joined        now or before; stakes already reported after p_from_seq are counted
--   report_first  record p_from_seq is not here yet
--   mismatch      the link's rules (digest) are others (alarm): do not play
--   stale         p_from_seq is not the newest record that holds the table's rules (alarm)
--   not_yours, not_admitted (alarms)
DECLARE
  h pozo.heads;
  since bigint := coalesce(pozo.stored(p_table, p_from_seq), 0);
  newest bigint;
  known integer;
  l record;
BEGIN
  IF NOT pozo.is_mine(p_table, 'join_link') THEN
    RETURN QUERY SELECT 'not_yours', '', format('login %s does not speak for table %s', session_user, p_table);
    RETURN;
  END IF;
  PERFORM pozo.be_durable();
  SELECT k.* INTO h FROM pozo.heads AS k WHERE k.table_id = p_table FOR UPDATE;
  newest := (SELECT max(c.seq) FROM pozo.parameters AS c WHERE c.table_id = p_table);
  known := (SELECT m.version FROM pozo.members AS m
    WHERE m.link = p_link AND m.table_id = p_table AND m.from_seq = since);
  IF known IS NULL AND since = newest
    AND EXISTS (SELECT FROM pozo.admissions AS a WHERE a.link = p_link AND a.table_id = p_table) THEN
    PERFORM FROM pozo.links AS k WHERE k.link = p_link FOR SHARE;
  END IF;
  SELECT r.version, r.digest INTO l
  FROM pozo.links AS k JOIN pozo.link_rules AS r ON r.link = k.link AND r.version = k.version
  JOIN pozo.admissions AS a ON a.link = k.link AND a.table_id = p_table
  WHERE k.link = p_link;
  SELECT
    CASE WHEN l.version IS NULL THEN 'not_admitted' WHEN since > h.seq THEN 'report_first'
      WHEN p_digest IS DISTINCT FROM l.digest OR known <> l.version THEN 'mismatch'
      WHEN since IS DISTINCT FROM newest THEN 'stale' ELSE 'joined' END,
    coalesce(l.digest, '')
  INTO outcome, digest;
  detail := CASE outcome
    WHEN 'not_admitted' THEN format('table %s is not admitted to a link %s', p_table, p_link)
    WHEN 'report_first' THEN format('record %s must be reported before; the floor has %s', p_from_seq, h.seq - h.base)
    WHEN 'mismatch' THEN format('link %s plays by rules %s, table %s by %s', p_link, l.digest, p_table, p_digest)
    WHEN 'stale' THEN format('the rules of table %s are in record %s, not in %s', p_table, newest - h.base, p_from_seq)
    ELSE '' END;
  IF outcome = 'joined' AND known IS NULL THEN
    INSERT INTO pozo.members (link, table_id, from_seq, version) VALUES (p_link, p_table, since, l.version);
    PERFORM pozo.contribute(p_table, since, h.seq, p_link);
  ELSIF outcome NOT IN ('joined', 'report_first') THEN
    PERFORM pozo.alarm(outcome, p_table, p_from_seq, detail);
  END IF;
  RETURN NEXT;
END $$;
