-- What tables report, and what is known of each: the journals' rows exactly as they are, one chain a table.
--
-- Every function that a login may call is SECURITY DEFINER with a search_path of its own, and says all names in
-- full. Functions with a body in standard SQL are bound when they are made; they look nothing up, and without a
-- search_path PostgreSQL can put them into the query that calls them. Refusals that must leave a trace are returned, not raised: what is raised is rolled back, its alarm too.

CREATE DOMAIN pozo.whole AS numeric
  CONSTRAINT whole_number CHECK (VALUE = trunc(VALUE) AND abs(VALUE) < 1e30);
COMMENT ON DOMAIN pozo.whole IS 'Minor units, or millionths of one. A fraction is refused, never rounded.';

CREATE TABLE pozo.house (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  name text NOT NULL,
  timezone text NOT NULL,
  day_starts_at time NOT NULL
);
COMMENT ON TABLE pozo.house IS 'One row: whose floor this is, and when its gaming day begins.';

CREATE TABLE pozo.tables (
  table_id text PRIMARY KEY CHECK (table_id <> ''),
  login name NOT NULL UNIQUE,
  added_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE pozo.tables IS 'The tables of the floor, each bound to one login (the CN of its certificate).';

CREATE TABLE pozo.heads (
  table_id text PRIMARY KEY REFERENCES pozo.tables,
  seq bigint NOT NULL DEFAULT 0,
  digest text NOT NULL DEFAULT repeat('0', 64),
  reported_at timestamptz
) WITH (fillfactor = 50);
COMMENT ON TABLE pozo.heads IS 'The last record of each table that is durable here: the third witness of its journal.';

CREATE TABLE pozo.records (
  table_id text NOT NULL REFERENCES pozo.tables,
  seq bigint NOT NULL CHECK (seq > 0),
  boot bigint NOT NULL,
  at_ns bigint NOT NULL,
  wall_ns bigint NOT NULL,
  wall_trusted smallint NOT NULL CHECK (wall_trusted IN (0, 1)),
  kind text NOT NULL,
  event text NOT NULL,
  results text NOT NULL,
  state text NOT NULL,
  digest text NOT NULL,
  reported_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (table_id, seq)
);
CREATE INDEX records_by_time ON pozo.records (table_id, wall_ns);
COMMENT ON TABLE pozo.records IS 'The journals, row by row; the JSON columns are the very texts their digests cover.';

CREATE TABLE pozo.alarms (
  kind text NOT NULL,
  table_id text NOT NULL,
  login name NOT NULL,
  seq bigint NOT NULL,
  detail text NOT NULL,
  times bigint NOT NULL DEFAULT 1,
  first_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (kind, table_id, login, seq)
);
COMMENT ON TABLE pozo.alarms IS
  'What was refused and must be looked at; the same thing said again only counts up. table_id as it was said.';

CREATE TABLE pozo.hellos (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  table_id text NOT NULL REFERENCES pozo.tables,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  program text NOT NULL,
  wall_ns bigint NOT NULL,
  offset_ns bigint NOT NULL,
  address inet
);
CREATE INDEX hellos_of_table ON pozo.hellos (table_id, id);
COMMENT ON TABLE pozo.hellos IS
  'Each time a table connected. offset_ns: its clock minus the floor''s, the way of the message included.';

CREATE TABLE pozo.acts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  login name NOT NULL DEFAULT session_user,
  what text NOT NULL,
  detail jsonb NOT NULL
);
COMMENT ON TABLE pozo.acts IS 'The floor''s own access log: who added, admitted, changed, corrected or entered what.';

CREATE FUNCTION pozo.alarm(p_kind text, p_table text, p_seq bigint, p_detail text) RETURNS void
LANGUAGE sql
BEGIN ATOMIC
  INSERT INTO pozo.alarms AS known (kind, table_id, login, seq, detail)
  VALUES (p_kind, left(p_table, 200), session_user, coalesce(p_seq, 0), left(p_detail, 2000))
  ON CONFLICT (kind, table_id, login, seq)
  DO UPDATE SET times = known.times + 1, last_at = clock_timestamp(), detail = excluded.detail;
END;

CREATE FUNCTION pozo.is_mine(p_table text, p_what text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Whether the table is the one this login speaks for; if not, that is an alarm.
BEGIN
  IF EXISTS (SELECT FROM pozo.tables t WHERE t.table_id = p_table AND t.login = session_user) THEN
    RETURN true;
  END IF;
  PERFORM pozo.alarm('not_yours', coalesce(p_table, '?'), 0, format('login %s called %s', session_user, p_what));
  RETURN false;
END $$;

CREATE FUNCTION pozo.be_durable() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- An answer means that it is stored, whatever the session was told to be content with.
BEGIN
  IF current_setting('synchronous_commit') IN ('off', 'local') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $$;

CREATE FUNCTION pozo.readable(p_json text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
-- A journal's JSON as jsonb, which cannot hold the character NUL; the stored text keeps it.
RETURN replace(p_json, '\u0000', '\ufffd')::jsonb;
