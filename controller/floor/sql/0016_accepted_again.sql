-- A journal that was accepted and lost before anything of it was reported: two persons accept the next one in its place.

CREATE OR REPLACE FUNCTION pozo.accept_history(p_table text, p_after bigint, p_expected text, p_set_aside boolean,
  p_reason text, p_supervisor text, p_technician text)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- From now on the table's journal is one that has record p_after in common with the one known here (0: none) and goes
-- on with a record of digest p_expected. What was stored stays; with p_set_aside the old records after p_after are
-- not believed. Stakes count for links once the table has joined again. Returns the history's number.
DECLARE
  h pozo.heads;
  common bigint;
  since bigint;
  made integer;
BEGIN
  SELECT k.* INTO h FROM pozo.heads AS k WHERE k.table_id = p_table FOR UPDATE;
  common := CASE p_after WHEN 0 THEN 0 ELSE pozo.stored(p_table, p_after) END;
  since := CASE p_after WHEN 0 THEN h.base ELSE common END + 1;
  IF h.table_id IS NULL OR h.seq = 0
    OR p_after NOT BETWEEN 0 AND h.seq - h.base - (h.expected IS NULL)::integer THEN
    RAISE EXCEPTION 'table % has no journal here that parts after record %', p_table, p_after
      USING ERRCODE = 'no_data_found';
  END IF;
  made := (SELECT max(k.history) + 1 FROM pozo.histories AS k WHERE k.table_id = p_table);
  INSERT INTO pozo.histories (table_id, history, from_seq, base, supervisor, technician, reason)
  VALUES (p_table, made, p_after + 1, h.seq - p_after, p_supervisor, p_technician, p_reason);
  IF p_set_aside AND since <= h.seq THEN
    INSERT INTO pozo.doubts AS d (table_id, seq, upto, flaw, detail)
    VALUES (p_table, since, h.seq, 'set_aside', p_reason)
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
