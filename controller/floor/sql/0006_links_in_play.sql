-- What a table does with a link beside winning it: join, look, fold now and then; and what its owner does: make it,
-- admit tables, change its rules, correct it.

CREATE FUNCTION pozo.join_link(p_table text, p_link text, p_digest text, p_from_seq bigint)
RETURNS TABLE (outcome text, digest text, detail text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- From record p_from_seq on, the one that holds the rules it plays by, the table's stakes count for the link. Asked
-- again at every start of the table's link: it is the check that table and link still play by the same rules.
--   joined        now or before; stakes already reported after p_from_seq are counted
--   report_first  record p_from_seq is not here yet
--   mismatch      the link's rules (digest) are others (alarm): do not play
--   stale         p_from_seq is not the newest record that holds the table's rules (alarm)
--   not_yours, not_admitted (alarms)
DECLARE
  head bigint;
  newest bigint;
  known integer;
  l record;
BEGIN
  IF NOT pozo.is_mine(p_table, 'join_link') THEN
    RETURN QUERY SELECT 'not_yours', '', format('login %s does not speak for table %s', session_user, p_table);
    RETURN;
  END IF;
  PERFORM pozo.be_durable();
  head := (SELECT h.seq FROM pozo.heads AS h WHERE h.table_id = p_table FOR UPDATE);
  newest := (SELECT max(c.seq) FROM pozo.parameters AS c WHERE c.table_id = p_table);
  SELECT r.version, r.digest INTO l
  FROM pozo.links AS k JOIN pozo.link_rules AS r ON r.link = k.link AND r.version = k.version
  JOIN pozo.admissions AS a ON a.link = k.link AND a.table_id = p_table
  WHERE k.link = p_link FOR SHARE OF k;
  known := (SELECT m.version FROM pozo.members AS m
    WHERE m.link = p_link AND m.table_id = p_table AND m.from_seq = p_from_seq);
  SELECT
    CASE WHEN l.version IS NULL THEN 'not_admitted' WHEN p_from_seq > head THEN 'report_first'
      WHEN p_digest IS DISTINCT FROM l.digest OR known <> l.version THEN 'mismatch'
      WHEN p_from_seq IS DISTINCT FROM newest THEN 'stale' ELSE 'joined' END,
    coalesce(l.digest, '')
  INTO outcome, digest;
  detail := CASE outcome
    WHEN 'not_admitted' THEN format('table %s is not admitted to a link %s', p_table, p_link)
    WHEN 'report_first' THEN format('record %s must be reported before; the floor has %s', p_from_seq, head)
    WHEN 'mismatch' THEN format('link %s plays by rules %s, table %s by %s', p_link, l.digest, p_table, p_digest)
    WHEN 'stale' THEN format('the rules of table %s are in record %s, not in %s', p_table, newest, p_from_seq)
    ELSE '' END;
  IF outcome = 'joined' AND known IS NULL THEN
    INSERT INTO pozo.members (link, table_id, from_seq, version) VALUES (p_link, p_table, p_from_seq, l.version);
    PERFORM pozo.contribute(p_table, p_from_seq, head, p_link);
  ELSIF outcome NOT IN ('joined', 'report_first') THEN
    PERFORM pozo.alarm(outcome, p_table, p_from_seq, detail);
  END IF;
  RETURN NEXT;
END $$;

CREATE FUNCTION pozo.level(p_link text)
RETURNS TABLE (digest text, current numeric, reserve_pool numeric, overflow_meter numeric, claims bigint,
  last_claim text, last_table text, last_amount numeric)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- A level as it is now, with what no fold has brought in yet, and its newest win; no row for a link that is none.
BEGIN
  RETURN QUERY
  SELECT r.digest, (p.level).current::numeric, (p.level).reserve_pool::numeric, (p.level).overflow_meter::numeric,
    k.claims, c.claim_id, c.table_id, c.amount::numeric
  FROM pozo.links AS k
  JOIN pozo.link_rules AS r ON r.link = k.link AND r.version = k.version
  CROSS JOIN LATERAL pozo.peek(k) AS p
  LEFT JOIN pozo.claims AS c ON c.link = k.link AND c.claim_no = k.claims
  WHERE k.link = p_link;
END $$;

CREATE FUNCTION pozo.tick(p_link text, p_every_ms integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- Fold, unless somebody did within the last p_every_ms (100 at least) or is at it; true if the pot moved, and then
-- everybody is told. Any number of tables may call it as often as they like: one of them does the work.
DECLARE
  l pozo.links;
  f pozo.folding;
BEGIN
  SELECT k.* INTO l FROM pozo.links AS k
  WHERE k.link = p_link AND k.folded_at <= clock_timestamp() - make_interval(secs => greatest(p_every_ms, 100) / 1000.0)
  FOR UPDATE SKIP LOCKED;
  IF l.link IS NULL THEN
    RETURN false;
  END IF;
  f := pozo.folded(l);
  IF f.moved THEN
    PERFORM pozo.keep(f.level);
    PERFORM pozo.announce(f.level, NULL);
  END IF;
  RETURN f.moved;
END $$;

GRANT EXECUTE ON FUNCTION pozo.join_link(text, text, text, bigint), pozo.level(text), pozo.tick(text, integer)
  TO pozo_table;

CREATE FUNCTION pozo.add_table(p_table text, p_login name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Make a table known; p_login is the only login that will speak for it.
BEGIN
  INSERT INTO pozo.tables (table_id, login) VALUES (p_table, p_login);
  INSERT INTO pozo.heads (table_id) VALUES (p_table);
  INSERT INTO pozo.acts (what, detail) VALUES ('add_table', jsonb_build_object('table', p_table, 'login', p_login));
END $$;

CREATE FUNCTION pozo.create_link(p_link text, p_rules text, p_digest text, p_supervisor text, p_technician text)
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- A new pot at its base amount, which is house funding.
DECLARE
  base numeric := (p_rules::jsonb -> 'level' ->> 'base_amount')::numeric;
BEGIN
  INSERT INTO pozo.links (link, version, current, house_funding) VALUES (p_link, 1, base, base);
  INSERT INTO pozo.link_rules (link, version, digest, rules, supervisor, technician)
  VALUES (p_link, 1, p_digest, p_rules, p_supervisor, p_technician);
  INSERT INTO pozo.acts (what, detail) VALUES ('create_link', jsonb_build_object('link', p_link, 'digest', p_digest,
    'supervisor', p_supervisor, 'technician', p_technician));
END $$;

CREATE FUNCTION pozo.admit(p_link text, p_table text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO pozo.admissions (link, table_id) VALUES (p_link, p_table);
  INSERT INTO pozo.acts (what, detail) VALUES ('admit', jsonb_build_object('link', p_link, 'table', p_table));
END $$;

CREATE FUNCTION pozo.tables_in_play(p_link text) RETURNS text[]
LANGUAGE sql STABLE
-- Members whose last reported record does not say that the table is closed.
RETURN ARRAY(
  SELECT DISTINCT m.table_id FROM pozo.members AS m
  JOIN pozo.heads AS h ON h.table_id = m.table_id
  JOIN pozo.records AS r ON r.table_id = h.table_id AND r.seq = h.seq
  WHERE m.link = p_link AND m.until_seq IS NULL AND pozo.readable(r.state) ->> 'phase' <> 'closed'
  ORDER BY m.table_id);

CREATE FUNCTION pozo.change_link(p_link text, p_rules text, p_digest text, p_supervisor text, p_technician text)
RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Other rules for a link, when all its tables are closed; the pot stays. Returns the new version. Each table accepts
-- the same rules with both its keys and joins again; until then it is refused.
DECLARE
  l pozo.links;
  f pozo.folding;
  before jsonb;
  level jsonb := p_rules::jsonb -> 'level';
BEGIN
  SELECT k.* INTO l FROM pozo.links AS k WHERE k.link = p_link FOR UPDATE;
  IF l.link IS NULL THEN
    RAISE EXCEPTION 'there is no link %', p_link USING ERRCODE = 'no_data_found';
  END IF;
  IF cardinality(pozo.tables_in_play(p_link)) > 0 THEN
    RAISE EXCEPTION 'tables % of link % are not closed: close them, and let them report it', pozo.tables_in_play(p_link),
      p_link USING ERRCODE = 'object_in_use';
  END IF;
  f := pozo.folded(l);
  l := f.level;
  before := pozo.rules_of(p_link, l.version);
  IF level ->> 'name' <> before -> 'level' ->> 'name' OR p_rules::jsonb ->> 'currency' <> before ->> 'currency' THEN
    RAISE EXCEPTION 'a link keeps its level''s name and its currency for life: make another link'
      USING ERRCODE = 'check_violation';
  END IF;
  IF (level ->> 'limit')::numeric < l.current THEN
    RAISE EXCEPTION 'the new limit % is below the pot of link %, %', level ->> 'limit', p_link, l.current
      USING ERRCODE = 'check_violation';
  END IF;
  l.version := l.version + 1;
  INSERT INTO pozo.link_rules (link, version, digest, rules, supervisor, technician)
  VALUES (p_link, l.version, p_digest, p_rules, p_supervisor, p_technician);
  PERFORM pozo.keep(l);
  INSERT INTO pozo.acts (what, detail) VALUES ('change_link', jsonb_build_object('link', p_link, 'old', before, 'new',
    p_rules::jsonb, 'supervisor', p_supervisor, 'technician', p_technician));
  RETURN l.version;
END $$;

CREATE FUNCTION pozo.correct_link(p_link text, p_amount numeric, p_reason text, p_supervisor text, p_technician text)
RETURNS numeric
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Set a pot to p_amount by two persons, with a reason; returns what it was.
DECLARE
  l pozo.links;
  f pozo.folding;
  before numeric;
BEGIN
  SELECT k.* INTO l FROM pozo.links AS k WHERE k.link = p_link FOR UPDATE;
  IF l.link IS NULL OR NOT p_amount BETWEEN 0 AND (pozo.rules_of(p_link, l.version) -> 'level' ->> 'limit')::numeric THEN
    RAISE EXCEPTION 'there is no link %, or % is not between 0 and its limit', p_link, p_amount
      USING ERRCODE = 'check_violation';
  END IF;
  f := pozo.folded(l);
  l := f.level;
  before := l.current;
  l.corrections := l.corrections + p_amount - before;
  l.current := p_amount;
  PERFORM pozo.keep(l);
  INSERT INTO pozo.corrections (link, after_claim, cut, before, after, reason, supervisor, technician)
  VALUES (p_link, l.claims, f.cut, before, p_amount, p_reason, p_supervisor, p_technician);
  PERFORM pozo.announce(l, NULL);
  RETURN before;
END $$;
