-- Texts that a login made up: what is none of its kind is recorded, and stops neither an update, nor a change of rules,
-- nor a view. And what floors from before lack: the rules of journals that begin with a recovery, and clock steps.

CREATE FUNCTION pozo.json_of(p_text text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
-- A reported text as jsonb; NULL for one that is no JSON.
BEGIN
  RETURN pozo.readable(p_text);
EXCEPTION WHEN data_exception OR program_limit_exceeded OR statement_too_complex THEN
  RETURN NULL;
END $$;

ALTER FUNCTION pozo.unsound(text, bigint, boolean, jsonb) RENAME TO unsound_row;
CREATE FUNCTION pozo.unsound(p_table text, p_head bigint, p_again boolean, p_rows jsonb, OUT at_seq bigint,
  OUT detail text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
-- The first new row of a batch that cannot be true whoever signed it, and why; where it cannot even be read as what it
-- claims to be, the first new row of all. NULL for a batch that may be true.
BEGIN
  SELECT u.at_seq, u.detail INTO at_seq, detail FROM pozo.unsound_row(p_table, p_head, p_again, p_rows) AS u;
EXCEPTION WHEN data_exception OR program_limit_exceeded OR statement_too_complex THEN
  at_seq := p_head + 1;
  detail := format('it, or one behind it, is not what it claims to be (%s)', SQLERRM);
END $$;

CREATE OR REPLACE FUNCTION pozo.tables_in_play(p_link text) RETURNS text[]
LANGUAGE sql STABLE
-- Members whose last reported record does not say that the table is closed, or says that a claim of it waits.
RETURN ARRAY(
  SELECT DISTINCT m.table_id FROM pozo.members AS m
  JOIN pozo.heads AS h ON h.table_id = m.table_id
  JOIN pozo.records AS r ON r.table_id = h.table_id AND r.seq = h.seq
  WHERE m.link = p_link AND m.until_seq IS NULL
    AND (pozo.json_of(r.state) ->> 'phase' IS DISTINCT FROM 'closed' OR pozo.json_of(r.state) ? 'link_claims')
  ORDER BY m.table_id);

CREATE FUNCTION pozo.amount_of(p_level jsonb, p_name text) RETURNS numeric
LANGUAGE sql IMMUTABLE
-- A meter of a level, 0 where it is left out; NULL for what is no amount.
RETURN CASE WHEN coalesce(p_level ->> p_name, '0') ~ '^-?[0-9]{1,30}$'
  THEN coalesce(p_level ->> p_name, '0')::numeric END;

CREATE OR REPLACE VIEW pozo.table_levels AS
  SELECT h.table_id, h.seq, l ->> 'name' AS level, pozo.amount_of(l, 'current') AS current,
    pozo.amount_of(l, 'reserve_pool') AS reserve_pool, pozo.amount_of(l, 'overflow_meter') AS overflow_meter
  FROM pozo.heads AS h
  JOIN pozo.records AS r ON r.table_id = h.table_id AND r.seq = h.seq
  CROSS JOIN LATERAL jsonb_path_query(pozo.json_of(r.state), 'lax $.pot.levels[*]') AS l;
GRANT EXECUTE ON FUNCTION pozo.json_of(text), pozo.amount_of(jsonb, text) TO pozo_reader;

CREATE OR REPLACE FUNCTION pozo.access_kinds() RETURNS text[]
LANGUAGE sql IMMUTABLE
-- Records that say who was at the table and when, or moved what only persons may move.
RETURN ARRAY['started', 'stopped', 'key_turned', 'dealer_changed', 'table_opened', 'table_closed', 'self_tested',
  'fault_clear_asked', 'pot_corrected', 'pot_transferred', 'transfer_sent', 'transfer_received', 'person_identified',
  'pin_refused', 'pin_not_tried', 'user_changed', 'parameters_changed', 'device_key_changed', 'journal_recovered',
  'clock_stepped', 'claim_given_up'];

INSERT INTO pozo.accesses (table_id, seq, wall_ns, kind, event)
SELECT r.table_id, r.seq, r.wall_ns, r.kind, e.event - 'rules'
FROM pozo.records AS r CROSS JOIN LATERAL (SELECT pozo.json_of(r.event)) AS e(event)
WHERE r.kind = ANY (pozo.access_kinds()) AND jsonb_typeof(e.event) = 'object'
ON CONFLICT DO NOTHING;

-- A journal that began with a recovery before the floor knew such: its rules are in its first record.
CREATE TEMPORARY TABLE begun ON COMMIT DROP AS
SELECT r.table_id, r.seq, r.wall_ns, e.event,
  coalesce(encode(sha256(convert_to(e.event ->> 'rules', 'UTF8')), 'hex') = e.event ->> 'game'
    AND jsonb_typeof(pozo.json_of(e.event ->> 'rules')) = 'object', false) AS genuine
FROM pozo.records AS r
JOIN pozo.histories AS h ON h.table_id = r.table_id AND h.from_seq = 1 AND h.base + 1 = r.seq
CROSS JOIN LATERAL (SELECT pozo.json_of(r.event)) AS e(event)
WHERE r.kind = 'journal_recovered'
  AND NOT EXISTS (SELECT FROM pozo.parameters AS p WHERE p.table_id = r.table_id AND p.seq = r.seq);

INSERT INTO pozo.parameters (table_id, seq, wall_ns, game, rules, changes, supervisor, technician)
SELECT b.table_id, b.seq, b.wall_ns, b.event ->> 'game', b.event ->> 'rules', coalesce(b.event -> 'changes', '[]'),
  coalesce(b.event ->> 'supervisor', ''), coalesce(b.event ->> 'technician', '')
FROM begun AS b WHERE b.genuine;

INSERT INTO pozo.alarms AS known (kind, table_id, login, seq, detail)
SELECT 'unsound', t.table_id, t.login, found.seq, format('record %s: its rules are not those that its digest names, or '
  'none at all; it came before this floor asked', found.seq)
FROM (
  SELECT b.table_id, b.seq FROM begun AS b WHERE NOT b.genuine
  UNION
  SELECT p.table_id, p.seq FROM pozo.parameters AS p
  WHERE encode(sha256(convert_to(p.rules, 'UTF8')), 'hex') IS DISTINCT FROM p.game
    OR jsonb_typeof(pozo.json_of(p.rules)) IS DISTINCT FROM 'object'
) AS found JOIN pozo.tables AS t ON t.table_id = found.table_id
ON CONFLICT (kind, table_id, login, seq) DO UPDATE SET times = known.times + 1, detail = excluded.detail;
