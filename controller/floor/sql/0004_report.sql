-- How records arrive: in order, once, each digest checked against its predecessor's, with all that follows from them
-- in the same transaction. What arrives twice is free; what differs from what is stored is refused and an alarm.

CREATE INDEX members_of_table ON pozo.members (table_id);

CREATE FUNCTION pozo.rows_of(p_rows jsonb)
RETURNS TABLE (ord bigint, seq bigint, boot bigint, at_ns bigint, wall_ns bigint, wall_trusted smallint, kind text,
  event text, results text, state text, digest text)
LANGUAGE sql IMMUTABLE
-- A batch as it travels: an array of journal rows, each an array of the ten columns.
BEGIN ATOMIC
  SELECT e.ord, (e.r ->> 0)::bigint, (e.r ->> 1)::bigint, (e.r ->> 2)::bigint, (e.r ->> 3)::bigint,
    (e.r ->> 4)::smallint, e.r ->> 5, e.r ->> 6, e.r ->> 7, e.r ->> 8, e.r ->> 9
  FROM jsonb_array_elements(p_rows) WITH ORDINALITY AS e(r, ord);
END;

CREATE FUNCTION pozo.digest_of(p_previous text, p_seq bigint, p_boot bigint, p_at_ns bigint, p_wall_ns bigint,
  p_wall_trusted smallint, p_kind text, p_event text, p_results text, p_state text)
RETURNS text
LANGUAGE sql STABLE
-- controller.journal.chain.digest: SHA-256 of one JSON array without blanks.
RETURN encode(sha256(convert_to(
  '[' || to_json(p_previous)::text || ',' || p_seq || ',' || p_boot || ',' || p_at_ns || ',' || p_wall_ns || ','
  || p_wall_trusted || ',' || to_json(p_kind)::text || ',' || to_json(p_event)::text || ','
  || to_json(p_results)::text || ',' || to_json(p_state)::text || ']', 'UTF8')), 'hex');

CREATE FUNCTION pozo.flaw(p_table text, p_head_seq bigint, p_head_digest text, p_rows jsonb,
  OUT outcome text, OUT at_seq bigint, OUT detail text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
-- The first row of a batch that cannot be stored, and why; NULL for a good batch.
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
    LEFT JOIN pozo.records AS known ON known.table_id = p_table AND known.seq = r.seq
  ) AS judged
  WHERE judged.outcome IS NOT NULL ORDER BY judged.ord LIMIT 1;
END $$;

CREATE FUNCTION pozo.contribute(p_table text, p_after bigint, p_head bigint, p_link text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- The stakes of records p_after+1 … p_head, for each link they count for (p_link: for that one only).
DECLARE
  m record;
  fresh record;
BEGIN
  FOR m IN
    SELECT n.link, n.from_seq, n.version, greatest(p_after, n.from_seq) AS after,
      least(p_head, coalesce(n.until_seq, p_head)) AS upto
    FROM pozo.members AS n
    WHERE n.table_id = p_table AND n.from_seq < p_head AND coalesce(n.until_seq, p_head) > p_after
      AND (p_link IS NULL OR n.link = p_link)
  LOOP
    WITH appended AS (
      INSERT INTO pozo.contributions (link, table_id, seq, version, staked)
      SELECT m.link, r.table_id, r.seq, m.version, r.staked
      FROM pozo.rounds AS r
      WHERE r.table_id = p_table AND r.seq > m.after AND r.seq <= m.upto AND r.staked > 0
      RETURNING seq, staked
    )
    SELECT sum(a.staked) AS staked, count(*) AS rounds, max(a.seq) AS last_seq INTO fresh FROM appended AS a;
    IF fresh.rounds > 0 THEN
      UPDATE pozo.members AS n
      SET staked = n.staked + fresh.staked, rounds = n.rounds + fresh.rounds, last_seq = fresh.last_seq
      WHERE n.link = m.link AND n.table_id = p_table AND n.from_seq = m.from_seq;
    END IF;
  END LOOP;
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
DECLARE
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
  SELECT h.seq, h.digest INTO head_seq, head_digest FROM pozo.heads AS h WHERE h.table_id = p_table FOR UPDATE;
  bad := pozo.flaw(p_table, head_seq, head_digest, p_rows);
  IF bad.outcome IS NOT NULL THEN
    IF bad.outcome <> 'gap' THEN
      PERFORM pozo.alarm(bad.outcome, p_table, bad.at_seq, bad.detail);
    END IF;
    RETURN QUERY SELECT bad.outcome, head_seq, head_digest, bad.detail;
    RETURN;
  END IF;
  SELECT stored.seq, stored.digest INTO head_seq, head_digest
  FROM pozo.store(p_table, head_seq, head_digest, p_rows) AS stored;
  RETURN QUERY SELECT 'stored', head_seq, head_digest, '';
END $$;

CREATE FUNCTION pozo.store(p_table text, p_head bigint, p_digest text, p_rows jsonb, OUT seq bigint, OUT digest text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Store what is new in a checked batch, and all that follows from it; the new head.
BEGIN
  INSERT INTO pozo.records (table_id, seq, boot, at_ns, wall_ns, wall_trusted, kind, event, results, state, digest)
  SELECT p_table, r.seq, r.boot, r.at_ns, r.wall_ns, r.wall_trusted, r.kind, r.event, r.results, r.state, r.digest
  FROM pozo.rows_of(p_rows) AS r WHERE r.seq > p_head
  ON CONFLICT DO NOTHING;
  SELECT r.seq, r.digest INTO seq, digest
  FROM pozo.records AS r WHERE r.table_id = p_table AND r.seq >= p_head ORDER BY r.seq DESC LIMIT 1;
  IF seq IS NULL OR seq = p_head THEN
    seq := p_head;
    digest := p_digest;
    RETURN;
  END IF;
  PERFORM pozo.derive(p_table, p_head, seq);
  -- Other rules may mean another link or none: what comes after them counts only once the table has joined again.
  UPDATE pozo.members AS m SET until_seq = p.seq
  FROM (SELECT min(c.seq) AS seq FROM pozo.parameters AS c WHERE c.table_id = p_table AND c.seq > p_head) AS p
  WHERE m.table_id = p_table AND m.until_seq IS NULL AND m.from_seq < p.seq;
  PERFORM pozo.contribute(p_table, p_head, seq, NULL);
  UPDATE pozo.heads AS h SET seq = store.seq, digest = store.digest, reported_at = clock_timestamp()
  WHERE h.table_id = p_table;
END $$;

CREATE FUNCTION pozo.head(p_table text) RETURNS TABLE (outcome text, head_seq bigint, head_digest text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- The last record of this table that is durable here: known, or not_yours (alarm).
BEGIN
  IF pozo.is_mine(p_table, 'head') THEN
    RETURN QUERY SELECT 'known', h.seq, h.digest FROM pozo.heads AS h WHERE h.table_id = p_table;
  ELSE
    RETURN QUERY SELECT 'not_yours', 0::bigint, '';
  END IF;
END $$;

CREATE FUNCTION pozo.hello(p_table text, p_program text, p_protocol integer, p_wall_ns bigint)
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
  SELECT CASE p_protocol WHEN 1 THEN 'known' ELSE 'protocol' END, h.seq, h.digest, p_wall_ns - now_ns,
    CASE p_protocol WHEN 1 THEN '' ELSE format('this floor speaks protocol 1, the program %s', p_protocol) END
  FROM pozo.heads AS h WHERE h.table_id = p_table;
END $$;

GRANT EXECUTE ON FUNCTION pozo.report(text, jsonb), pozo.head(text), pozo.hello(text, text, integer, bigint)
  TO pozo_table;
