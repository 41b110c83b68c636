-- What 64 tables cost at once. Plans are made once a connection, not once a call: every statement under a report finds
-- its rows by one table's key, so a plan for the values at hand is never better, and planning took half of the time.

ALTER FUNCTION pozo.report(text, jsonb) SET plan_cache_mode = force_generic_plan;

CREATE OR REPLACE FUNCTION pozo.contribute(p_table text, p_after bigint, p_head bigint, p_link text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- The stakes of records p_after+1 … p_head, for each link they count for (p_link: for that one only). Row by row: a
-- report has one COIN IN as a rule, and two plain statements are half the work of one that also sums up.
DECLARE
  paid record;
BEGIN
  FOR paid IN
    SELECT m.link, m.from_seq, m.version, r.seq, r.staked
    FROM pozo.rounds AS r
    JOIN pozo.members AS m ON m.table_id = p_table AND r.seq > m.from_seq
      AND (m.until_seq IS NULL OR r.seq <= m.until_seq) AND (p_link IS NULL OR m.link = p_link)
    WHERE r.table_id = p_table AND r.seq > p_after AND r.seq <= p_head AND r.staked > 0
    ORDER BY r.seq
  LOOP
    INSERT INTO pozo.contributions (link, table_id, seq, version, staked)
    VALUES (paid.link, p_table, paid.seq, paid.version, paid.staked);
    UPDATE pozo.members AS m
    SET staked = m.staked + paid.staked, rounds = m.rounds + 1, last_seq = paid.seq
    WHERE m.link = paid.link AND m.table_id = p_table AND m.from_seq = paid.from_seq;
  END LOOP;
END $$;
