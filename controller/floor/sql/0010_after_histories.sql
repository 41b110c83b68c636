-- What follows from records, and which claims are served, when a table has had several journals.

CREATE FUNCTION pozo.access_kinds() RETURNS text[]
LANGUAGE sql IMMUTABLE
-- Records that say who was at the table, or moved what only persons may move.
RETURN ARRAY['started', 'stopped', 'key_turned', 'dealer_changed', 'table_opened', 'table_closed', 'self_tested',
  'fault_clear_asked', 'pot_corrected', 'pot_transferred', 'transfer_sent', 'transfer_received', 'person_identified',
  'pin_refused', 'pin_not_tried', 'user_changed', 'parameters_changed', 'device_key_changed', 'journal_recovered'];

INSERT INTO pozo.accesses (table_id, seq, wall_ns, kind, event)
SELECT r.table_id, r.seq, r.wall_ns, r.kind, pozo.readable(r.event) - 'rules' FROM pozo.records AS r
WHERE r.kind = ANY (pozo.access_kinds()) ON CONFLICT DO NOTHING;

CREATE FUNCTION pozo.is_doubted(p_table text, p_seq bigint) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM pozo.doubts AS d
  WHERE d.table_id = p_table AND p_seq >= d.seq AND p_seq <= coalesce(d.upto, p_seq));

CREATE OR REPLACE FUNCTION pozo.derive_events(p_table text, p_after bigint, p_head bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- What events say, and what later results say about rows that are there by now.
BEGIN
  INSERT INTO pozo.parameters (table_id, seq, wall_ns, game, rules, changes, supervisor, technician)
  SELECT p_table, r.seq, r.wall_ns, e.event ->> 'game', e.event ->> 'rules', coalesce(e.event -> 'changes', '[]'),
    coalesce(e.event ->> 'supervisor', ''), coalesce(e.event ->> 'technician', '')
  FROM pozo.records AS r CROSS JOIN LATERAL (SELECT pozo.readable(r.event)) AS e(event)
  WHERE r.table_id = p_table AND r.seq > p_after AND r.seq <= p_head
    AND (r.kind = 'commissioned'
      OR r.kind = 'journal_recovered' AND EXISTS (SELECT FROM pozo.histories AS h
        WHERE h.table_id = p_table AND h.from_seq = 1 AND h.base + 1 = r.seq)
      OR r.kind = 'parameters_changed' AND pozo.readable(r.results) @> '[{"kind": "parameters_accepted"}]');

  INSERT INTO pozo.accesses (table_id, seq, wall_ns, kind, event)
  SELECT p_table, r.seq, r.wall_ns, r.kind, pozo.readable(r.event) - 'rules'
  FROM pozo.records AS r
  WHERE r.table_id = p_table AND r.seq > p_after AND r.seq <= p_head
    AND r.kind = ANY (pozo.access_kinds());

  UPDATE pozo.rounds AS round SET ended_seq = told.seq, discrepancy = told.chips
  FROM (
    SELECT r.seq, max((e ->> 'round')::bigint) AS number, max((e ->> 'chips')::bigint) AS chips
    FROM pozo.records AS r CROSS JOIN LATERAL jsonb_array_elements(pozo.readable(r.results)) AS e
    WHERE r.table_id = p_table AND r.seq > p_after AND r.seq <= p_head AND r.kind = 'game_over_pressed'
      AND e ->> 'kind' IN ('round_ended', 'discrepancy_left_open')
    GROUP BY r.seq
  ) AS told
  WHERE round.table_id = p_table AND round.round = told.number AND round.ended_seq IS NULL;

  UPDATE pozo.awards AS award
  SET paid_seq = told.seq, paid_how = told.event ->> 'how', signed = (told.event ->> 'signed')::boolean
  FROM (
    SELECT r.seq, pozo.readable(r.event) AS event
    FROM pozo.records AS r
    WHERE r.table_id = p_table AND r.seq > p_after AND r.seq <= p_head AND r.kind = 'award_paid'
      AND pozo.readable(r.results) @> '[{"kind": "award_settled"}]'
  ) AS told
  WHERE award.table_id = p_table AND award.number = (told.event ->> 'number')::bigint AND award.paid_seq IS NULL
    AND award.seq = (SELECT max(same.seq) FROM pozo.awards AS same WHERE same.table_id = p_table
      AND same.number = award.number AND same.seq <= told.seq);
END $$;

CREATE FUNCTION pozo.keep_first_key() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- A table without a filed key gives its own in its first record: it is shown to be compared with the paper.
BEGIN
  INSERT INTO pozo.keys (table_id, key, how)
  SELECT NEW.table_id, r.key, 'reported'
  FROM (SELECT pozo.readable(e.event) ->> 'device_key' AS key FROM pozo.records AS e
    WHERE e.table_id = NEW.table_id AND e.seq = NEW.seq) AS r
  WHERE r.key ~ '^[0-9a-f]{64}$' AND NOT EXISTS (SELECT FROM pozo.keys AS k WHERE k.table_id = NEW.table_id)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER first_key AFTER INSERT ON pozo.parameters FOR EACH ROW WHEN (NEW.seq = 1)
EXECUTE FUNCTION pozo.keep_first_key();

ALTER TABLE pozo.claims ADD COLUMN base bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN pozo.claims.base IS 'What seq, the floor''s number, is more than the number that the table named.';

CREATE OR REPLACE FUNCTION pozo.claim_refusal(p_table text, p_link text, p_digest text, p_round bigint, p_seq bigint,
  p_seats integer[], p_hands text[], OUT outcome text, OUT detail text, OUT version integer)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
-- Why a claim cannot be served, and by which version of the rules it can. The round's own record must be here first:
-- then its stakes are in the pot, and only who wagered can win. p_seq is the floor's number.
DECLARE
  locked record;
  rules record;
  wrong integer;
BEGIN
  SELECT r.seq, r.seats INTO locked FROM pozo.rounds AS r
  WHERE r.table_id = p_table AND r.round = p_round AND NOT pozo.is_doubted(p_table, r.seq) ORDER BY r.seq DESC LIMIT 1;
  IF EXISTS (SELECT FROM pozo.doubts AS d WHERE d.table_id = p_table AND d.upto IS NULL) THEN
    outcome := 'doubted';
    detail := format('records of table %s are not believed: two persons must settle that first', p_table);
    RETURN;
  END IF;
  IF locked.seq IS NULL OR p_seq > (SELECT h.seq FROM pozo.heads AS h WHERE h.table_id = p_table) THEN
    outcome := 'report_first';
    detail := format('round %s of table %s and record %s must be reported before its claim', p_round, p_table, p_seq);
    RETURN;
  END IF;
  SELECT v.version, v.digest, v.rules::jsonb AS rules INTO rules
  FROM pozo.members AS m JOIN pozo.link_rules AS v ON v.link = m.link AND v.version = m.version
  WHERE m.link = p_link AND m.table_id = p_table AND locked.seq > m.from_seq
    AND locked.seq <= coalesce(m.until_seq, locked.seq);
  IF rules.version IS NULL THEN
    outcome := 'not_member';
    detail := format('table %s was no member of link %s in round %s', p_table, p_link, p_round);
    RETURN;
  END IF;
  IF rules.digest IS DISTINCT FROM p_digest THEN
    outcome := 'mismatch';
    detail := format('round %s was played by rules %s, the claim says %s', p_round, rules.digest, p_digest);
    RETURN;
  END IF;
  wrong := (SELECT s FROM unnest(p_seats) AS s WHERE s <> ALL (locked.seats) OR EXISTS (
    SELECT FROM pozo.seats AS e WHERE e.table_id = p_table AND e.seat = s AND e.seq > locked.seq AND e.seq < p_seq
      AND (e.what = 'forfeited' OR e.what = 'voided' AND e.amount > 0)) LIMIT 1);
  IF wrong IS NOT NULL THEN
    outcome := 'no_wager';
    detail := format('seat %s has no valid wager in round %s of table %s', wrong, p_round, p_table);
    RETURN;
  END IF;
  wrong := (SELECT c.seat FROM pozo.claim_seats AS c WHERE c.link = p_link AND c.table_id = p_table
    AND c.round = p_round AND c.seat = ANY (p_seats) LIMIT 1);
  IF wrong IS NOT NULL THEN
    outcome := 'already_won';
    detail := format('seat %s has won link %s in round %s of table %s already', wrong, p_link, p_round, p_table);
    RETURN;
  END IF;
  IF EXISTS (SELECT FROM unnest(p_hands) AS h WHERE pozo.prize(rules.rules, h) IS NULL) THEN
    outcome := 'no_prize';
    detail := format('link %s has no prize for one of %s', p_link, p_hands);
    RETURN;
  END IF;
  version := rules.version;
END $$;

DROP FUNCTION pozo.serve_claim(pozo.links, integer, text, text, bigint, bigint, bigint, integer[], text[]);
CREATE FUNCTION pozo.serve_claim(l pozo.links, p_version integer, p_claim text, p_table text, p_round bigint,
  p_seq bigint, p_made bigint, p_seats integer[], p_hands text[], p_asked bigint DEFAULT NULL, OUT claim_no bigint, OUT told text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Fold, serve, store, announce; the caller holds the level's lock and has refused what cannot be served. Prizes are
-- those of the rules the round was played by, limit and reset those now in force.
DECLARE
  f pozo.folding := pozo.folded(l);
  rules jsonb := jsonb_set(pozo.rules_of(l.link, p_version), '{level}', pozo.rules_of(l.link, l.version) -> 'level');
  s pozo.serving := pozo.served(f.level, rules, p_seats, p_hands, p_made);
BEGIN
  l := s.level;
  l.claims := l.claims + 1;
  claim_no := l.claims;
  told := s.told::text;
  PERFORM pozo.keep(l);
  INSERT INTO pozo.claims (claim_id, link, claim_no, table_id, round, seq, made, seats, hands, version, told, amount, cut,
    level_after, base)
  SELECT p_claim, l.link, l.claims, p_table, p_round, p_seq, p_made, p_seats, p_hands, p_version, s.told::text,
    (SELECT sum((t ->> 'amount')::numeric) FROM jsonb_array_elements(s.told) AS t WHERE t ->> 'kind' = 'award_approved'),
    f.cut, to_jsonb(l), p_seq - coalesce(p_asked, p_seq);
  INSERT INTO pozo.claim_seats (link, table_id, round, seat, claim_id)
  SELECT l.link, p_table, p_round, seat, p_claim FROM unnest(p_seats) AS seat;
  PERFORM pozo.announce(l, p_claim);
END $$;

CREATE OR REPLACE FUNCTION pozo.claim(p_claim text, p_table text, p_link text, p_digest text, p_round bigint, p_seq bigint,
  p_made bigint, p_seats integer[], p_hands text[])
RETURNS TABLE (outcome text, claim_no bigint, told text, detail text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- Serve all winners of a round at a table on one level. p_claim names it for ever and was journaled, in record p_seq,
-- before the first try; p_made is the number of the table's last award before them.
--   served        told: the table's results AwardApproved and PotReset, in order; the same however often it is asked
--   conflict      that claim id was served for something else (alarm)
--   not_yours     this login does not speak for that table (alarm)
--   report_first  the floor does not have the round or record p_seq yet: report, then ask again
--   doubted       records of this table are not believed and nobody has settled that: ask again when two persons did
--   not_member, mismatch, no_wager, already_won, no_prize, no_link: refused, with the reason (alarm)
DECLARE
  l pozo.links;
  known pozo.claims;
  bad record;
  stored bigint;
BEGIN
  IF NOT pozo.is_mine(p_table, 'claim') THEN
    RETURN QUERY SELECT 'not_yours', 0::bigint, '', format('login %s does not speak for table %s', session_user, p_table);
    RETURN;
  END IF;
  PERFORM pozo.be_durable();
  stored := coalesce(pozo.stored(p_table, p_seq), p_seq);
  SELECT k.* INTO l FROM pozo.links AS k WHERE k.link = p_link FOR UPDATE;
  SELECT c.* INTO known FROM pozo.claims AS c WHERE c.claim_id = p_claim;
  IF known.claim_id IS NOT NULL THEN
    IF (known.table_id, known.link, known.round, known.seq - known.base, known.made, known.seats, known.hands)
      IS NOT DISTINCT FROM (p_table, p_link, p_round, p_seq, p_made, p_seats, p_hands) THEN
      RETURN QUERY SELECT 'served', known.claim_no, known.told, '';
      RETURN;
    END IF;
    SELECT 'conflict' AS outcome, format('claim %s was served for round %s of table %s, seats %s', p_claim, known.round,
      known.table_id, known.seats) AS detail INTO bad;
  ELSIF l.link IS NULL THEN
    SELECT 'no_link' AS outcome, format('there is no link %s', p_link) AS detail INTO bad;
  ELSIF cardinality(p_seats) = 0 OR cardinality(p_seats) <> cardinality(p_hands)
    OR cardinality(p_seats) <> (SELECT count(DISTINCT s) FROM unnest(p_seats) AS s) THEN
    SELECT 'no_wager' AS outcome, format('seats %s and hands %s do not go together', p_seats, p_hands) AS detail INTO bad;
  ELSE
    bad := pozo.claim_refusal(p_table, p_link, p_digest, p_round, stored, p_seats, p_hands);
  END IF;
  IF bad.outcome IS NOT NULL THEN
    IF bad.outcome NOT IN ('report_first', 'doubted') THEN
      PERFORM pozo.alarm(bad.outcome, p_table, p_seq, bad.detail);
    END IF;
    RETURN QUERY SELECT bad.outcome, 0::bigint, '', bad.detail;
    RETURN;
  END IF;
  RETURN QUERY SELECT 'served', s.claim_no, s.told, ''
  FROM pozo.serve_claim(l, bad.version, p_claim, p_table, p_round, stored, p_made, p_seats, p_hands,
    p_seq) AS s;
END $$;
