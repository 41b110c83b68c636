-- What a table that plays for a link needs beside claiming: to see what differs, and that its claims are waited for.

CREATE OR REPLACE FUNCTION pozo.tables_in_play(p_link text) RETURNS text[]
LANGUAGE sql STABLE
-- Members whose last reported record does not say that the table is closed, or says that a claim of it waits.
RETURN ARRAY(
  SELECT DISTINCT m.table_id FROM pozo.members AS m
  JOIN pozo.heads AS h ON h.table_id = m.table_id
  JOIN pozo.records AS r ON r.table_id = h.table_id AND r.seq = h.seq
  WHERE m.link = p_link AND m.until_seq IS NULL
    AND (pozo.readable(r.state) ->> 'phase' <> 'closed' OR pozo.readable(r.state) ? 'link_claims')
  ORDER BY m.table_id);

CREATE FUNCTION pozo.link_rules_of(p_table text, p_link text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- The rules in force of a link that this table is admitted to, as JSON; NULL for any other.
BEGIN
  RETURN (
    SELECT r.rules FROM pozo.admissions AS a
    JOIN pozo.tables AS t ON t.table_id = a.table_id AND t.login = session_user
    JOIN pozo.links AS k ON k.link = a.link
    JOIN pozo.link_rules AS r ON r.link = k.link AND r.version = k.version
    WHERE a.table_id = p_table AND a.link = p_link);
END $$;

GRANT EXECUTE ON FUNCTION pozo.link_rules_of(text, text) TO pozo_table;
