-- Claims of a table whose journal began anew: a recovery may forget a claim that was served, number another one the
-- same, and play a round of the same number again. What was won is therefore known by the record that locked its round:
-- a seat wins a level once by each wager. And who cannot win does not reach for the level's lock.

ALTER TABLE pozo.claims ADD COLUMN locked bigint NOT NULL DEFAULT 0;
UPDATE pozo.claims AS c SET locked = coalesce((SELECT max(r.seq) FROM pozo.rounds AS r
  WHERE r.table_id = c.table_id AND r.round = c.round AND r.seq <= c.seq), 0);
ALTER TABLE pozo.claims ALTER COLUMN locked DROP DEFAULT;
COMMENT ON COLUMN pozo.claims.locked IS 'The record that locked the round, whose wagers won.';
CREATE INDEX claims_of_round ON pozo.claims (table_id, locked);

ALTER TABLE pozo.claim_seats ADD COLUMN locked bigint NOT NULL DEFAULT 0;
UPDATE pozo.claim_seats AS s SET locked = c.locked FROM pozo.claims AS c WHERE c.claim_id = s.claim_id;
ALTER TABLE pozo.claim_seats ALTER COLUMN locked DROP DEFAULT, DROP CONSTRAINT claim_seats_pkey,
  DROP CONSTRAINT claim_seats_claim_id_fkey, ADD PRIMARY KEY (link, table_id, locked, seat);
COMMENT ON TABLE pozo.claim_seats IS 'A wager wins a level once, under whatever claim id.';

-- No table can use up a claim id of another one's.
ALTER TABLE pozo.claims DROP CONSTRAINT claims_pkey, ADD PRIMARY KEY (table_id, claim_id);
ALTER TABLE pozo.claim_seats ADD FOREIGN KEY (table_id, claim_id) REFERENCES pozo.claims;

CREATE TYPE pozo.judged AS (outcome text, claim_no bigint, told text, detail text, version integer, locked bigint);

DROP FUNCTION pozo.claim_refusal(text, text, text, bigint, bigint, integer[], text[]);
CREATE FUNCTION pozo.claim_refusal(p_table text, p_link text, p_digest text, p_round bigint, p_seq bigint,
  p_seats integer[], p_hands text[], p_locked bigint)
RETURNS pozo.judged
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
-- Why a claim cannot be served, or no outcome and the version of the rules by which it can. The round's own record must
-- be here first: then its stakes are in the pot, and only who wagered can win. p_seq is the floor's number.
DECLARE
  j pozo.judged;
  rules record;
  played CONSTANT integer[] := (SELECT r.seats FROM pozo.rounds AS r WHERE r.table_id = p_table AND r.seq = p_locked);
  wrong integer;
BEGIN
  j.locked := p_locked;
  IF EXISTS (SELECT FROM pozo.doubts AS d WHERE d.table_id = p_table AND d.upto IS NULL) THEN
    j.outcome := 'doubted';
    j.detail := format('records of table %s are not believed: two persons must settle that first', p_table);
    RETURN j;
  END IF;
  IF p_locked IS NULL OR p_seq > (SELECT h.seq FROM pozo.heads AS h WHERE h.table_id = p_table) THEN
    j.outcome := 'report_first';
    j.detail := format('round %s of table %s and record %s must be reported before its claim', p_round, p_table, p_seq);
    RETURN j;
  END IF;
  SELECT v.version, v.digest, v.rules::jsonb AS rules INTO rules
  FROM pozo.members AS m JOIN pozo.link_rules AS v ON v.link = m.link AND v.version = m.version
  WHERE m.link = p_link AND m.table_id = p_table AND p_locked > m.from_seq
    AND p_locked <= coalesce(m.until_seq, p_locked);
  IF rules.version IS NULL THEN
    j.outcome := 'not_member';
    j.detail := format('table %s was no member of link %s in round %s', p_table, p_link, p_round);
    RETURN j;
  END IF;
  IF rules.digest IS DISTINCT FROM p_digest THEN
    j.outcome := 'mismatch';
    j.detail := format('round %s was played by rules %s, the claim says %s', p_round, rules.digest, p_digest);
    RETURN j;
  END IF;
  wrong := (SELECT s FROM unnest(p_seats) AS s WHERE s <> ALL (played) OR EXISTS (
    SELECT FROM pozo.seats AS e WHERE e.table_id = p_table AND e.seat = s AND e.seq > p_locked AND e.seq < p_seq
      AND (e.what = 'forfeited' OR e.what = 'voided' AND e.amount > 0)) LIMIT 1);
  IF wrong IS NOT NULL THEN
    j.outcome := 'no_wager';
    j.detail := format('seat %s has no valid wager in round %s of table %s', wrong, p_round, p_table);
    RETURN j;
  END IF;
  wrong := (SELECT c.seat FROM pozo.claim_seats AS c WHERE c.link = p_link AND c.table_id = p_table
    AND c.locked = p_locked AND c.seat = ANY (p_seats) LIMIT 1);
  IF wrong IS NOT NULL THEN
    j.outcome := 'already_won';
    j.detail := format('seat %s has won link %s in round %s of table %s already', wrong, p_link, p_round, p_table);
    RETURN j;
  END IF;
  IF EXISTS (SELECT FROM unnest(p_hands) AS h WHERE pozo.prize(rules.rules, h) IS NULL) THEN
    j.outcome := 'no_prize';
    j.detail := format('link %s has no prize for one of %s', p_link, p_hands);
    RETURN j;
  END IF;
  j.version := rules.version;
  RETURN j;
END $$;

CREATE FUNCTION pozo.claim_judged(p_claim text, p_table text, p_link text, p_digest text, p_round bigint, p_seq bigint,
  p_made bigint, p_seats integer[], p_hands text[])
RETURNS pozo.judged
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- What is answered to a claim, or no outcome: it is to be served. Needs no lock; asked again with it, before serving.
-- A claim under another id for the same wagers is one that a recovery brought back or made again: the same answer.
DECLARE
  stored CONSTANT bigint := coalesce(pozo.stored(p_table, p_seq), p_seq);
  known pozo.claims;
  j pozo.judged;
BEGIN
  SELECT r.seq INTO j.locked FROM pozo.rounds AS r
  WHERE r.table_id = p_table AND r.round = p_round AND NOT pozo.is_doubted(p_table, r.seq) ORDER BY r.seq DESC LIMIT 1;
  SELECT c.* INTO known FROM pozo.claims AS c
  WHERE c.table_id = p_table AND (c.claim_id = p_claim OR c.locked = j.locked
    AND (c.link, c.made, c.seats, c.hands) IS NOT DISTINCT FROM (p_link, p_made, p_seats, p_hands))
  ORDER BY c.claim_id = p_claim DESC LIMIT 1;
  IF known.claim_id IS NOT NULL THEN
    IF known.claim_id = p_claim
      AND (known.link, known.round, known.seq - known.base, known.made, known.seats, known.hands)
      IS DISTINCT FROM (p_link, p_round, p_seq, p_made, p_seats, p_hands) THEN
      j.outcome := 'conflict';
      j.detail := format('claim %s was served for round %s of table %s, seats %s', p_claim, known.round, p_table,
        known.seats);
    ELSE
      j.outcome := 'served';
      j.claim_no := known.claim_no;
      j.told := known.told;
    END IF;
  ELSIF NOT EXISTS (SELECT FROM pozo.links AS k WHERE k.link = p_link) THEN
    j.outcome := 'no_link';
    j.detail := format('there is no link %s', p_link);
  ELSIF cardinality(p_seats) = 0 OR cardinality(p_seats) <> cardinality(p_hands)
    OR cardinality(p_seats) <> (SELECT count(DISTINCT s) FROM unnest(p_seats) AS s) THEN
    j.outcome := 'no_wager';
    j.detail := format('seats %s and hands %s do not go together', p_seats, p_hands);
  ELSE
    RETURN pozo.claim_refusal(p_table, p_link, p_digest, p_round, stored, p_seats, p_hands, j.locked);
  END IF;
  RETURN j;
END $$;

DROP FUNCTION pozo.serve_claim(pozo.links, integer, text, text, bigint, bigint, bigint, integer[], text[], bigint);
CREATE FUNCTION pozo.serve_claim(l pozo.links, p_version integer, p_claim text, p_table text, p_round bigint,
  p_seq bigint, p_made bigint, p_seats integer[], p_hands text[], p_asked bigint, p_locked bigint, OUT claim_no bigint,
  OUT told text)
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
    level_after, base, locked)
  SELECT p_claim, l.link, l.claims, p_table, p_round, p_seq, p_made, p_seats, p_hands, p_version, s.told::text,
    (SELECT sum((t ->> 'amount')::numeric) FROM jsonb_array_elements(s.told) AS t WHERE t ->> 'kind' = 'award_approved'),
    f.cut, to_jsonb(l), p_seq - p_asked, p_locked;
  INSERT INTO pozo.claim_seats (link, table_id, round, seat, claim_id, locked)
  SELECT l.link, p_table, p_round, seat, p_claim, p_locked FROM unnest(p_seats) AS seat;
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
--   busy          the level is in use for longer than a claim may wait: ask again
--   not_member, mismatch, no_wager, already_won, no_prize, no_link: refused, with the reason (alarm)
DECLARE
  l pozo.links;
  j pozo.judged;
BEGIN
  IF NOT pozo.is_mine(p_table, 'claim') THEN
    RETURN QUERY SELECT 'not_yours', 0::bigint, '', format('login %s does not speak for table %s', session_user, p_table);
    RETURN;
  END IF;
  PERFORM pozo.be_durable();
  j := pozo.claim_judged(p_claim, p_table, p_link, p_digest, p_round, p_seq, p_made, p_seats, p_hands);
  IF j.outcome IS NULL THEN
    l := pozo.taken(p_link);
    IF l.link IS NULL THEN
      j.outcome := 'busy';
      j.detail := format('link %s is in use', p_link);
    ELSE
      j := pozo.claim_judged(p_claim, p_table, p_link, p_digest, p_round, p_seq, p_made, p_seats, p_hands);
    END IF;
  END IF;
  IF j.outcome IS NULL THEN
    SELECT 'served', s.claim_no, s.told INTO j.outcome, j.claim_no, j.told
    FROM pozo.serve_claim(l, j.version, p_claim, p_table, p_round, coalesce(pozo.stored(p_table, p_seq), p_seq), p_made,
      p_seats, p_hands, p_seq, j.locked) AS s;
  ELSIF j.outcome NOT IN ('served', 'report_first', 'doubted', 'busy') THEN
    PERFORM pozo.alarm(j.outcome, p_table, p_seq, j.detail);
  END IF;
  RETURN QUERY SELECT j.outcome, coalesce(j.claim_no, 0), coalesce(j.told, ''), coalesce(j.detail, '');
END $$;
