-- What people enter at the floor, what reports read, and the floor's own proof of its pots.

CREATE TABLE pozo.readings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  link text REFERENCES pozo.links,
  table_id text REFERENCES pozo.tables,
  level text NOT NULL,
  shown pozo.whole NOT NULL,
  current pozo.whole NOT NULL,
  person text NOT NULL CHECK (person <> ''),
  login name NOT NULL DEFAULT session_user,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (num_nonnulls(link, table_id) = 1)
);
COMMENT ON TABLE pozo.readings IS 'What somebody read from a sign, beside what the floor knew at that moment.';

CREATE TABLE pozo.chip_counts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  table_id text NOT NULL REFERENCES pozo.tables,
  day date NOT NULL,
  chips bigint NOT NULL CHECK (chips >= 0),
  person text NOT NULL CHECK (person <> ''),
  login name NOT NULL DEFAULT session_user,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE pozo.chip_counts IS 'Chips counted from a table''s box for a gaming day; of several the newest counts.';

CREATE VIEW pozo.table_levels AS
  SELECT h.table_id, h.seq, l ->> 'name' AS level, (l ->> 'current')::numeric AS current,
    coalesce((l ->> 'reserve_pool')::numeric, 0) AS reserve_pool,
    coalesce((l ->> 'overflow_meter')::numeric, 0) AS overflow_meter
  FROM pozo.heads AS h
  JOIN pozo.records AS r ON r.table_id = h.table_id AND r.seq = h.seq
  CROSS JOIN LATERAL jsonb_array_elements(pozo.readable(r.state) -> 'pot' -> 'levels') AS l;
COMMENT ON VIEW pozo.table_levels IS 'Each table''s own levels, as of its last report.';

CREATE VIEW pozo.levels AS
  SELECT k.link, k.version, r.digest, r.rules::jsonb -> 'level' ->> 'name' AS level, r.rules::jsonb ->> 'currency' AS currency,
    (p.level).current, (p.level).carry, (p.level).reserve_pool, (p.level).reserve_carry, (p.level).overflow_meter,
    (p.level).hits_meter, (p.level).wins_meter, (p.level).house_prizes, (p.level).house_funding,
    (p.level).corrections, (p.level).in_meter, (p.level).contributed, k.claims, k.folded_at,
    pozo.imbalance_of(p.level) AS imbalance
  FROM pozo.links AS k
  JOIN pozo.link_rules AS r ON r.link = k.link AND r.version = k.version
  CROSS JOIN LATERAL pozo.peek(k) AS p;
COMMENT ON VIEW pozo.levels IS 'Each link as it is now, with what no fold has brought in yet.';

CREATE VIEW pozo.standing_faults AS
  SELECT f.table_id, f.code, f.seat, f.seq, f.wall_ns
  FROM (SELECT DISTINCT ON (table_id, code, seat) * FROM pozo.faults
    ORDER BY table_id, code, seat, seq DESC, ord DESC) AS f
  WHERE f.raised;

CREATE FUNCTION pozo.imbalance(p_link text) RETURNS numeric
LANGUAGE sql STABLE
-- Millionths of a minor unit that are missing (+) or too much (-): 0 always. NULL for a link that is none.
RETURN (SELECT v.imbalance FROM pozo.levels AS v WHERE v.link = p_link);

CREATE FUNCTION pozo.audit(p_link text) RETURNS TABLE (what text, expected numeric, found numeric)
LANGUAGE sql STABLE
-- A level against every row it came from, read anew: each line's two figures are equal in an honest floor.
BEGIN ATOMIC
  WITH l AS (SELECT k.* FROM pozo.links AS k WHERE k.link = p_link),
  rules AS (
    SELECT r.version, r.folded, (r.rules::jsonb -> 'level' ->> 'base_amount')::numeric AS base,
      (r.rules::jsonb -> 'level' ->> 'increment_rate_ppm')::numeric
        + (r.rules::jsonb -> 'level' ->> 'reserve_rate_ppm')::numeric AS ppm,
      (SELECT coalesce(sum(m.staked), 0) FROM pozo.members AS m WHERE m.link = r.link AND m.version = r.version) AS staked,
      (SELECT coalesce(sum(c.staked), 0) FROM pozo.contributions AS c
        WHERE c.link = r.link AND c.version = r.version) AS rows_staked
    FROM pozo.link_rules AS r WHERE r.link = p_link
  ),
  told AS (
    SELECT t, t ->> 'kind' = 'award_approved' AS won
    FROM pozo.claims AS c CROSS JOIN LATERAL jsonb_array_elements(c.told::jsonb) AS t WHERE c.link = p_link
  )
  SELECT 'the law of money, millionths', 0, pozo.imbalance_of(k) FROM pozo.links AS k WHERE k.link = p_link
  UNION ALL SELECT format('stakes under rules %s, row by row', version), rows_staked, staked FROM rules
  UNION ALL SELECT format('stakes under rules %s folded beyond what came in', version), 0, greatest(folded - staked, 0)
    FROM rules
  UNION ALL SELECT 'stakes folded', (SELECT coalesce(sum(folded), 0) FROM rules), in_meter FROM l
  UNION ALL SELECT 'contributed, millionths', (SELECT coalesce(sum(folded * ppm), 0) FROM rules), contributed FROM l
  UNION ALL SELECT 'contributions that are not their round''s stakes', 0, (
    SELECT count(*) FROM pozo.contributions AS c
    LEFT JOIN pozo.rounds AS r ON r.table_id = c.table_id AND r.seq = c.seq AND r.staked = c.staked
    WHERE c.link = p_link AND r.seq IS NULL)
  UNION ALL SELECT 'wins', (SELECT count(*) FROM told WHERE won), hits_meter FROM l
  UNION ALL SELECT 'won', (SELECT coalesce(sum((t ->> 'amount')::numeric), 0) FROM told WHERE won), wins_meter FROM l
  UNION ALL SELECT 'claims', (SELECT count(*) FROM pozo.claims AS c WHERE c.link = p_link), claims FROM l
  UNION ALL SELECT 'house funding',
    (SELECT base FROM rules WHERE version = 1) + (SELECT coalesce(sum((t ->> 'from_house')::numeric), 0) FROM told
      WHERE NOT won OR t ->> 'fund' <> 'house'), house_funding FROM l
  UNION ALL SELECT 'corrections',
    (SELECT coalesce(sum(c.after - c.before), 0) FROM pozo.corrections AS c WHERE c.link = p_link), corrections FROM l;
END;

CREATE FUNCTION pozo.enter_reading(p_link text, p_table text, p_level text, p_shown numeric, p_person text)
RETURNS numeric
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- Keep what the sign of a link, or of a table's own level, shows now; returns what it should show.
DECLARE
  known numeric;
BEGIN
  known := CASE WHEN p_link IS NOT NULL
    THEN (SELECT v.current FROM pozo.levels AS v WHERE v.link = p_link AND v.level = p_level)
    ELSE (SELECT v.current FROM pozo.table_levels AS v WHERE v.table_id = p_table AND v.level = p_level) END;
  IF known IS NULL THEN
    RAISE EXCEPTION 'there is no level % of %', p_level, coalesce(p_link, p_table) USING ERRCODE = 'no_data_found';
  END IF;
  INSERT INTO pozo.readings (link, table_id, level, shown, current, person)
  VALUES (p_link, p_table, p_level, p_shown, known, p_person);
  RETURN known;
END $$;

CREATE FUNCTION pozo.enter_chips(p_table text, p_day date, p_chips bigint, p_person text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO pozo.chip_counts (table_id, day, chips, person) VALUES (p_table, p_day, p_chips, p_person);
END $$;

GRANT EXECUTE ON FUNCTION pozo.enter_reading(text, text, text, numeric, text), pozo.enter_chips(text, date, bigint, text)
  TO pozo_clerk;
GRANT SELECT ON ALL TABLES IN SCHEMA pozo TO pozo_reader;
GRANT EXECUTE ON FUNCTION pozo.readable(text), pozo.rules_of(text, integer), pozo.peek(pozo.links),
  pozo.raised(pozo.links, numeric, numeric, numeric, numeric), pozo.imbalance_of(pozo.links), pozo.imbalance(text),
  pozo.audit(text), pozo.level(text), pozo.tables_in_play(text) TO pozo_reader;
