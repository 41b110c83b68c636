-- A table's journals, one after the other. A journal that began anew after a recovery counts its records from 1 again;
-- here they go on behind the last one: the floor's number of a record is the journal's plus the history's base.
-- Nothing of an older history is changed or removed.

CREATE TABLE pozo.histories (
  table_id text NOT NULL REFERENCES pozo.tables,
  history integer NOT NULL CHECK (history > 0),
  from_seq bigint NOT NULL CHECK (from_seq > 0),
  base bigint NOT NULL CHECK (base >= 0),
  begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  supervisor text NOT NULL DEFAULT '',
  technician text NOT NULL DEFAULT '',
  reason text NOT NULL DEFAULT '',
  PRIMARY KEY (table_id, history),
  CHECK (history = 1 OR supervisor <> '' AND technician <> '' AND technician <> supervisor AND reason <> '')
);
COMMENT ON TABLE pozo.histories IS
  'Each journal of a table. from_seq: its first record that no earlier one has; its number here is base + from_seq.';
INSERT INTO pozo.histories (table_id, history, from_seq, base) SELECT t.table_id, 1, 1, 0 FROM pozo.tables AS t;

ALTER TABLE pozo.heads ADD COLUMN base bigint NOT NULL DEFAULT 0;
ALTER TABLE pozo.heads ADD COLUMN expected text;
COMMENT ON COLUMN pozo.heads.expected IS 'Digest that the next record must have: of the history that two persons accepted.';

-- A number given to an award in records that a recovery lost may be given again.
ALTER TABLE pozo.awards DROP CONSTRAINT awards_pkey;
ALTER TABLE pozo.awards ADD PRIMARY KEY (table_id, number, seq);

CREATE OR REPLACE FUNCTION pozo.add_table(p_table text, p_login name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Make a table known; p_login is the only login that will speak for it.
BEGIN
  INSERT INTO pozo.tables (table_id, login) VALUES (p_table, p_login);
  INSERT INTO pozo.heads (table_id) VALUES (p_table);
  INSERT INTO pozo.histories (table_id, history, from_seq, base) VALUES (p_table, 1, 1, 0);
  INSERT INTO pozo.acts (what, detail) VALUES ('add_table', jsonb_build_object('table', p_table, 'login', p_login));
END $$;

CREATE FUNCTION pozo.stored(p_table text, p_seq bigint) RETURNS bigint
LANGUAGE sql STABLE
-- The floor's number of record p_seq of the table's journal as it is now.
RETURN (SELECT p_seq + h.base FROM pozo.histories AS h
  WHERE h.table_id = p_table AND h.from_seq <= p_seq ORDER BY h.history DESC LIMIT 1);

CREATE OR REPLACE FUNCTION pozo.flaw(p_table text, p_head_seq bigint, p_head_digest text, p_rows jsonb,
  OUT outcome text, OUT at_seq bigint, OUT detail text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
-- The first row of a batch that cannot be stored, and why; NULL for a good batch. All numbers are the journal's.
BEGIN
  SELECT judged.outcome, judged.seq, judged.detail INTO outcome, at_seq, detail
  FROM (
    SELECT r.ord, r.seq,
      CASE
        WHEN r.seq <= p_head_seq THEN CASE WHEN known.digest IS DISTINCT FROM r.digest THEN 'forked' END
        WHEN r.seq <> r.after + 1 THEN 'gap'
        WHEN r.digest IS DISTINCT FROM pozo.digest_of(r.previous, r.seq, r.boot, r.at_ns, r.wall_ns, r.wall_trusted,
          r.kind, r.event, r.results, r.state) THEN 'broken'
      END AS outcome,
      CASE
        WHEN r.seq <= p_head_seq THEN format('record %s is stored with digest %s, not %s', r.seq, known.digest, r.digest)
        WHEN r.seq <> r.after + 1 THEN format('record %s came where %s is expected', r.seq, r.after + 1)
        ELSE format('record %s does not give its digest after %s', r.seq, r.previous)
      END AS detail
    FROM (
      SELECT b.*, greatest(p_head_seq, lag(b.seq) OVER w) AS after,
        CASE WHEN lag(b.seq) OVER w > p_head_seq THEN lag(b.digest) OVER w ELSE p_head_digest END AS previous
      FROM pozo.rows_of(p_rows) AS b WINDOW w AS (ORDER BY b.ord)
    ) AS r
    LEFT JOIN pozo.records AS known ON known.table_id = p_table
      AND known.seq = CASE WHEN r.seq <= p_head_seq THEN pozo.stored(p_table, r.seq) END
  ) AS judged
  WHERE judged.outcome IS NOT NULL ORDER BY judged.ord LIMIT 1;
END $$;

CREATE FUNCTION pozo.unexpected(p_head_seq bigint, p_expected text, p_rows jsonb, OUT at_seq bigint, OUT detail text)
LANGUAGE sql STABLE
-- The first new row where it is not the one that two persons accepted; NULL where nothing is expected or it is.
BEGIN ATOMIC
  SELECT r.seq, format('record %s has digest %s; two persons accepted a journal that goes on with %s', r.seq, r.digest,
    p_expected)
  FROM pozo.rows_of(p_rows) AS r
  WHERE p_expected IS NOT NULL AND r.seq = p_head_seq + 1 AND r.digest <> p_expected;
END;

DROP FUNCTION pozo.report(text, jsonb);
DROP FUNCTION pozo.store(text, bigint, text, jsonb);

CREATE FUNCTION pozo.store(p_table text, h pozo.heads, p_rows jsonb) RETURNS pozo.heads
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Store what is new in a checked batch, and all that follows from it; the new head.
DECLARE
  before CONSTANT bigint := h.seq;
BEGIN
  INSERT INTO pozo.records (table_id, seq, boot, at_ns, wall_ns, wall_trusted, kind, event, results, state, digest)
  SELECT p_table, r.seq + h.base, r.boot, r.at_ns, r.wall_ns, r.wall_trusted, r.kind, r.event, r.results, r.state, r.digest
  FROM pozo.rows_of(p_rows) AS r WHERE r.seq + h.base > before
  ON CONFLICT DO NOTHING;
  SELECT r.seq, r.digest INTO h.seq, h.digest
  FROM pozo.records AS r WHERE r.table_id = p_table AND r.seq > before ORDER BY r.seq DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT k.* INTO h FROM pozo.heads AS k WHERE k.table_id = p_table;
    RETURN h;
  END IF;
  PERFORM pozo.derive(p_table, before, h.seq);
  -- Other rules may mean another link or none: what comes after them counts only once the table has joined again.
  UPDATE pozo.members AS m SET until_seq = p.seq
  FROM (SELECT min(c.seq) AS seq FROM pozo.parameters AS c WHERE c.table_id = p_table AND c.seq > before) AS p
  WHERE m.table_id = p_table AND m.until_seq IS NULL AND m.from_seq < p.seq;
  PERFORM pozo.contribute(p_table, before, h.seq, NULL);
  h.expected := NULL;
  h.reported_at := clock_timestamp();
  UPDATE pozo.heads AS k SET seq = h.seq, digest = h.digest, reported_at = h.reported_at, expected = NULL
  WHERE k.table_id = p_table;
  RETURN h;
END $$;

CREATE FUNCTION pozo.report(p_table text, p_rows jsonb)
RETURNS TABLE (outcome text, head_seq bigint, head_digest text, detail text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- Store a batch of a table's records, 1,000 at most, all or none. The head returned is durable once this is committed.
--   stored     all rows are stored, now or before
--   not_yours  this login does not speak for that table (alarm)
--   gap        send the records from head_seq + 1 on
--   forked     another record is stored under that number (alarm): the journal there is not the one reported before
--   broken     a row does not give its digest (alarm)
--   unsound    a row cannot be true: stakes that are no wagers, rules or a beginning that are false (alarm)
DECLARE
  telling CONSTANT text := 'round_locked|parameters_accepted|commissioned|journal_recovered';
  h pozo.heads;
  bad record;
BEGIN
  IF NOT pozo.is_mine(p_table, 'report') THEN
    RETURN QUERY SELECT 'not_yours', 0::bigint, '', format('login %s does not speak for table %s', session_user, p_table);
    RETURN;
  END IF;
  IF jsonb_array_length(p_rows) > 1000 THEN
    RAISE EXCEPTION '% rows in one report; 1,000 are allowed: send smaller batches', jsonb_array_length(p_rows)
      USING ERRCODE = 'program_limit_exceeded';
  END IF;
  PERFORM pozo.be_durable();
  SELECT k.* INTO h FROM pozo.heads AS k WHERE k.table_id = p_table FOR UPDATE;
  bad := pozo.flaw(p_table, h.seq - h.base, h.digest, p_rows);
  IF bad.outcome IS NULL AND h.expected IS NOT NULL THEN
    SELECT 'unsound' AS outcome, u.at_seq, u.detail INTO bad
    FROM pozo.unexpected(h.seq - h.base, h.expected, p_rows) AS u WHERE u.at_seq IS NOT NULL;
  END IF;
  -- Most batches hold nothing of what is looked at: their text tells cheaply.
  IF bad.outcome IS NULL AND (h.seq = h.base OR p_rows::text ~ telling) THEN
    SELECT 'unsound' AS outcome, u.at_seq, format('record %s: %s', u.at_seq, u.detail) AS detail INTO bad
    FROM pozo.unsound(p_table, h.seq - h.base, h.base > 0, p_rows) AS u WHERE u.at_seq IS NOT NULL;
  END IF;
  IF bad.outcome IS NOT NULL THEN
    IF bad.outcome <> 'gap' THEN
      PERFORM pozo.alarm(bad.outcome, p_table, bad.at_seq, bad.detail);
    END IF;
    RETURN QUERY SELECT bad.outcome, h.seq - h.base, h.digest, bad.detail;
    RETURN;
  END IF;
  h := pozo.store(p_table, h, p_rows);
  RETURN QUERY SELECT 'stored', h.seq - h.base, h.digest, '';
END $$;

CREATE OR REPLACE FUNCTION pozo.head(p_table text) RETURNS TABLE (outcome text, head_seq bigint, head_digest text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- The last record of this table's journal that is durable here: known, or not_yours (alarm).
BEGIN
  IF pozo.is_mine(p_table, 'head') THEN
    RETURN QUERY SELECT 'known', h.seq - h.base, h.digest FROM pozo.heads AS h WHERE h.table_id = p_table;
  ELSE
    RETURN QUERY SELECT 'not_yours', 0::bigint, '';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION pozo.hello(p_table text, p_program text, p_protocol integer, p_wall_ns bigint)
RETURNS TABLE (outcome text, head_seq bigint, head_digest text, offset_ns bigint, detail text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- A table's first call on a connection; its clock's offset is recorded. known, not_yours (alarm), or protocol: this
-- floor speaks another version of these functions than the table's program.
DECLARE
  now_ns bigint := (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint;
BEGIN
  IF NOT pozo.is_mine(p_table, 'hello') THEN
    RETURN QUERY SELECT 'not_yours', 0::bigint, '', 0::bigint,
      format('login %s does not speak for table %s', session_user, p_table);
    RETURN;
  END IF;
  INSERT INTO pozo.hellos (table_id, program, wall_ns, offset_ns, address)
  VALUES (p_table, left(p_program, 100), p_wall_ns, p_wall_ns - now_ns, inet_client_addr());
  RETURN QUERY
  SELECT CASE p_protocol WHEN 1 THEN 'known' ELSE 'protocol' END, h.seq - h.base, h.digest, p_wall_ns - now_ns,
    CASE p_protocol WHEN 1 THEN '' ELSE format('this floor speaks protocol 1, the program %s', p_protocol) END
  FROM pozo.heads AS h WHERE h.table_id = p_table;
END $$;

GRANT EXECUTE ON FUNCTION pozo.report(text, jsonb) TO pozo_table;
