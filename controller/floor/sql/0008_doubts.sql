-- What the floor believes of a table: its filed keys, how far its records are proven, and records that are not believed.
--
-- PostgreSQL knows no Ed25519: signatures are checked by `pozo floor check` at the office, with the public halves that
-- are kept here. What needs no signature is checked on arrival.

CREATE TABLE pozo.keys (
  table_id text NOT NULL REFERENCES pozo.tables,
  key text NOT NULL CHECK (key ~ '^[0-9a-f]{64}$'),
  how text NOT NULL CHECK (how IN ('reported', 'endorsed', 'filed')),
  supervisor text NOT NULL DEFAULT '',
  technician text NOT NULL DEFAULT '',
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (table_id, key),
  CHECK (how <> 'filed' OR supervisor <> '' AND technician <> '' AND technician <> supervisor)
);
COMMENT ON TABLE pozo.keys IS
  'Public halves of each table''s keys. reported: from its first record; endorsed: by the key before; filed: by two persons.';

CREATE TABLE pozo.proofs (
  table_id text PRIMARY KEY REFERENCES pozo.tables,
  seq bigint NOT NULL,
  digest text NOT NULL,
  key text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  login name NOT NULL DEFAULT session_user
);
COMMENT ON TABLE pozo.proofs IS
  'The newest record of each table that is proven: under a good signature, and every record before it worked out anew.';

CREATE TABLE pozo.doubts (
  table_id text NOT NULL REFERENCES pozo.tables,
  seq bigint NOT NULL,
  upto bigint CHECK (upto >= seq),
  flaw text NOT NULL,
  detail text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  login name NOT NULL DEFAULT session_user,
  PRIMARY KEY (table_id, seq)
);
COMMENT ON TABLE pozo.doubts IS
  'Records that are not believed and left out of reports: from seq on, up to upto once two persons have settled it.';

INSERT INTO pozo.keys (table_id, key, how)
SELECT r.table_id, pozo.readable(r.event) ->> 'device_key', 'reported' FROM pozo.records AS r
WHERE r.seq = 1 AND pozo.readable(r.event) ->> 'device_key' ~ '^[0-9a-f]{64}$';

CREATE FUNCTION pozo.beginning_flaw(p_table text, p_kind text, p_event text, p_again boolean) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
-- What is wrong with a journal's record 1, or NULL; p_again: the table has had another journal before.
DECLARE
  event jsonb := pozo.readable(p_event);
BEGIN
  IF p_kind <> 'journal_recovered' AND (p_again OR p_kind <> 'commissioned') THEN
    RETURN format('record 1 is %s; a journal begins with %s', p_kind,
      CASE WHEN p_again THEN 'a recovery here' ELSE 'a commissioning or a recovery' END);
  END IF;
  IF event ->> 'table' IS DISTINCT FROM p_table THEN
    RETURN format('record 1 is of table %s', event ->> 'table');
  END IF;
  IF EXISTS (SELECT FROM pozo.keys AS k WHERE k.table_id = p_table) AND NOT EXISTS (
    SELECT FROM pozo.keys AS k WHERE k.table_id = p_table AND k.key = coalesce(event ->> 'device_key', '')) THEN
    RETURN format('record 1 names the key %s, which is not filed for this table', event ->> 'device_key');
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION pozo.are_wagers(p_locked jsonb, p_rules jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
-- Whether what a COIN IN took in is a wager at each of some of the table's seats, each seat once. NULL without rules.
RETURN (p_locked ->> 'amount')::numeric = (p_rules ->> 'wager')::numeric * jsonb_array_length(p_locked -> 'seats')
  AND (SELECT count(DISTINCT s.seat) = count(*) AND coalesce(min(s.seat), 1) >= 1
      AND coalesce(max(s.seat), 1) <= (p_rules ->> 'seats')::integer
    FROM (SELECT e::integer AS seat FROM jsonb_array_elements_text(p_locked -> 'seats') AS e) AS s);

CREATE FUNCTION pozo.unsound(p_table text, p_head bigint, p_again boolean, p_rows jsonb,
  OUT at_seq bigint, OUT detail text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
-- The first new row of a batch that cannot be true whoever signed it, and why: a false beginning, rules that their
-- digest does not name, and stakes that are not seats times the wager. NULL for a batch that may be true.
BEGIN
  WITH telling AS MATERIALIZED (
    SELECT r.seq, r.kind, r.event, r.results FROM pozo.rows_of(p_rows) AS r
    WHERE r.seq > p_head AND (r.results LIKE '%"round_locked"%' OR r.results LIKE '%"parameters_accepted"%'
      OR r.seq = 1 OR r.kind IN ('commissioned', 'journal_recovered'))
  ), ruled AS MATERIALIZED (
    SELECT t.seq, (e.event ->> 'rules')::jsonb AS rules,
      encode(sha256(convert_to(e.event ->> 'rules', 'UTF8')), 'hex') = e.event ->> 'game' AS genuine
    FROM telling AS t CROSS JOIN LATERAL (SELECT t.event::jsonb) AS e(event)
    WHERE t.kind IN ('commissioned', 'journal_recovered')
      OR t.kind = 'parameters_changed' AND t.results LIKE '%"parameters_accepted"%'
  )
  SELECT judged.seq, judged.detail INTO at_seq, detail
  FROM (
    SELECT t.seq, pozo.beginning_flaw(p_table, t.kind, t.event, p_again) AS detail
    FROM telling AS t WHERE t.seq = 1
    UNION ALL
    SELECT n.seq, 'its rules are not those that its digest names' FROM ruled AS n WHERE n.genuine IS NOT TRUE
    UNION ALL
    SELECT t.seq, format('%s staked at seats %s: these are not that many wagers of %s',
      e.told ->> 'amount', e.told ->> 'seats', coalesce(w.rules ->> 'wager', 'rules that are not here'))
    FROM telling AS t
    CROSS JOIN LATERAL jsonb_array_elements(pozo.readable(t.results)) AS e(told)
    LEFT JOIN LATERAL (
      SELECT known.rules FROM (
        SELECT n.seq, n.rules FROM ruled AS n WHERE n.seq < t.seq
        UNION ALL (SELECT 0, c.rules::jsonb FROM pozo.parameters AS c WHERE c.table_id = p_table
          ORDER BY c.seq DESC LIMIT 1)
      ) AS known ORDER BY known.seq DESC LIMIT 1
    ) AS w ON true
    WHERE e.told ->> 'kind' = 'round_locked' AND pozo.are_wagers(e.told, w.rules) IS NOT TRUE
  ) AS judged
  WHERE judged.detail IS NOT NULL ORDER BY judged.seq LIMIT 1;
END $$;
