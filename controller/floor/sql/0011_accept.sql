-- How two persons let a table go on with another journal, and file its keys; how it joins a link then.

CREATE OR REPLACE FUNCTION pozo.join_link(p_table text, p_link text, p_digest text, p_from_seq bigint)
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
  SELECT r.version, r.digest INTO l
  FROM pozo.links AS k JOIN pozo.link_rules AS r ON r.link = k.link AND r.version = k.version
  JOIN pozo.admissions AS a ON a.link = k.link AND a.table_id = p_table
  WHERE k.link = p_link FOR SHARE OF k;
  known := (SELECT m.version FROM pozo.members AS m
    WHERE m.link = p_link AND m.table_id = p_table AND m.from_seq = since);
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

CREATE FUNCTION pozo.file_key(p_table text, p_key text, p_supervisor text, p_technician text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Two persons name a public half of the table's key, as it is on paper.
BEGIN
  INSERT INTO pozo.keys (table_id, key, how, supervisor, technician)
  VALUES (p_table, p_key, 'filed', p_supervisor, p_technician)
  ON CONFLICT (table_id, key) DO UPDATE SET how = 'filed', supervisor = excluded.supervisor,
    technician = excluded.technician, at = clock_timestamp();
  INSERT INTO pozo.acts (what, detail) VALUES ('file_key', jsonb_build_object('table', p_table, 'key', p_key,
    'supervisor', p_supervisor, 'technician', p_technician));
END $$;

CREATE FUNCTION pozo.accept_history(p_table text, p_after bigint, p_expected text, p_set_aside boolean, p_reason text,
  p_supervisor text, p_technician text)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- From now on the table's journal is one that has record p_after in common with the one known here (0: none) and goes
-- on with a record of digest p_expected. What was stored stays; with p_set_aside the old records after p_after are
-- not believed. Stakes count for links once the table has joined again. Returns the history's number.
DECLARE
  h pozo.heads;
  common bigint;
  made integer;
BEGIN
  SELECT k.* INTO h FROM pozo.heads AS k WHERE k.table_id = p_table FOR UPDATE;
  common := CASE p_after WHEN 0 THEN 0 ELSE pozo.stored(p_table, p_after) END;
  IF h.table_id IS NULL OR h.seq = h.base OR p_after NOT BETWEEN 0 AND h.seq - h.base - 1 THEN
    RAISE EXCEPTION 'table % has no journal here that parts after record %', p_table, p_after
      USING ERRCODE = 'no_data_found';
  END IF;
  made := (SELECT max(k.history) + 1 FROM pozo.histories AS k WHERE k.table_id = p_table);
  INSERT INTO pozo.histories (table_id, history, from_seq, base, supervisor, technician, reason)
  VALUES (p_table, made, p_after + 1, h.seq - p_after, p_supervisor, p_technician, p_reason);
  IF p_set_aside THEN
    INSERT INTO pozo.doubts AS d (table_id, seq, upto, flaw, detail)
    VALUES (p_table, CASE p_after WHEN 0 THEN h.base ELSE common END + 1, h.seq, 'set_aside', p_reason)
    ON CONFLICT (table_id, seq) DO UPDATE SET upto = excluded.upto, detail = d.detail || '; ' || excluded.detail;
  END IF;
  UPDATE pozo.doubts AS d SET upto = h.seq WHERE d.table_id = p_table AND d.upto IS NULL;
  IF p_after = 0 THEN
    UPDATE pozo.members AS m SET until_seq = h.seq WHERE m.table_id = p_table AND m.until_seq IS NULL;
  END IF;
  UPDATE pozo.heads AS k SET base = h.seq - p_after, expected = p_expected, digest = CASE p_after
    WHEN 0 THEN repeat('0', 64)
    ELSE (SELECT r.digest FROM pozo.records AS r WHERE r.table_id = p_table AND r.seq = common) END
  WHERE k.table_id = p_table;
  DELETE FROM pozo.proofs AS p WHERE p.table_id = p_table AND (p_after = 0 OR p.seq > common);
  INSERT INTO pozo.acts (what, detail) VALUES ('accept_history', jsonb_build_object('table', p_table, 'history', made,
    'after', p_after, 'expected', p_expected, 'set_aside', p_set_aside, 'reason', p_reason, 'supervisor', p_supervisor,
    'technician', p_technician));
  RETURN made;
END $$;

GRANT SELECT ON pozo.keys, pozo.proofs, pozo.doubts, pozo.histories TO pozo_reader;
GRANT EXECUTE ON FUNCTION pozo.is_doubted(text, bigint), pozo.stored(text, bigint) TO pozo_reader;
