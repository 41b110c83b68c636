-- Wins of linked pots: served one after the other under the level's lock, each claim id answered the same for ever.

CREATE FUNCTION pozo.served(l pozo.links, p_rules jsonb, p_seats integer[], p_hands text[], p_made bigint)
RETURNS pozo.serving
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
-- controller.core.awards.serve for one level: by the order, equal royals together at the first one's turn.
DECLARE
  s pozo.serving;
  again pozo.serving;
  d pozo.draw;
  turn record;
  waiting integer[] := p_seats;
  together integer[];
  seat integer;
  prize jsonb;
  royal boolean;
  pot_before numeric;
  part record;
BEGIN
  s.told := '[]';
  FOR turn IN
    SELECT w.seat, w.hand FROM unnest(p_seats, p_hands) AS w(seat, hand)
    ORDER BY CASE p_rules ->> 'order' WHEN 'rank' THEN pozo.rank(w.hand) ELSE 0 END, w.seat
  LOOP
    CONTINUE WHEN turn.seat <> ALL (waiting);
    prize := pozo.prize(p_rules, turn.hand);
    royal := coalesce((prize -> 'pays' ->> 'share_ppm')::numeric = 1000000, false);
    together := ARRAY[turn.seat];
    IF royal AND p_rules ->> 'royal_split' = 'equal' THEN
      together := ARRAY(SELECT w.seat FROM unnest(p_seats, p_hands) AS w(seat, hand)
        WHERE w.hand = turn.hand ORDER BY w.seat);
    END IF;
    pot_before := l.current;
    SELECT e.amount, e.capped INTO part
    FROM pozo.each_part(p_rules, prize -> 'pays', l.current, cardinality(together)) AS e;
    FOREACH seat IN ARRAY together LOOP
      d := pozo.drawn(l, part.amount, prize ->> 'fund');
      l := d.level;
      p_made := p_made + 1;
      waiting := array_remove(waiting, seat);
      s.told := s.told || pozo.told_award(p_made, seat, prize, part.amount, part.capped, cardinality(together),
        pot_before, d);
    END LOOP;
    IF royal AND prize ->> 'fund' = 'pot' THEN
      again := pozo.restarted(l, p_rules -> 'level');
      l := again.level;
      s.told := s.told || again.told;
    END IF;
  END LOOP;
  s.level := l;
  RETURN s;
END $$;

CREATE FUNCTION pozo.told_award(p_number bigint, p_seat integer, p_prize jsonb, p_amount numeric, p_capped boolean,
  p_parts integer, p_pot_before numeric, d pozo.draw)
RETURNS jsonb
LANGUAGE sql IMMUTABLE
-- The table's own result AwardApproved, word for word.
RETURN jsonb_build_object('kind', 'award_approved', 'number', p_number, 'seat', p_seat, 'hand', p_prize -> 'hand',
  'level', p_prize -> 'level', 'amount', p_amount, 'pot_before', p_pot_before, 'pot_after', (d.level).current,
  'share_ppm', coalesce((p_prize -> 'pays' ->> 'share_ppm')::numeric, 0), 'fund', p_prize -> 'fund',
  'from_pot', d.from_pot, 'from_reserve', d.from_reserve, 'from_house', d.from_house, 'source', p_prize -> 'source',
  'parts', p_parts, 'capped', p_capped);

CREATE FUNCTION pozo.rules_of(p_link text, p_version integer) RETURNS jsonb
LANGUAGE sql STABLE
RETURN (SELECT r.rules::jsonb FROM pozo.link_rules AS r WHERE r.link = p_link AND r.version = p_version);

CREATE FUNCTION pozo.peek(l pozo.links) RETURNS pozo.folding
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
-- A level with all that its tables have staked, as of the caller's snapshot: sums by version of the rules, and the cut,
-- each table's last record that is in them. It costs the number of tables, whatever they played.
DECLARE
  f pozo.folding;
  fresh record;
  level_limit numeric := (pozo.rules_of(l.link, l.version) -> 'level' ->> 'limit')::numeric;
BEGIN
  WITH m AS MATERIALIZED (
    SELECT n.table_id, n.version, n.staked, n.last_seq FROM pozo.members AS n WHERE n.link = l.link AND n.last_seq > 0
  )
  SELECT
    (SELECT coalesce(jsonb_object_agg(v.version, v.staked), '{}')
      FROM (SELECT m.version, sum(m.staked) AS staked FROM m GROUP BY m.version) AS v),
    (SELECT coalesce(jsonb_object_agg(t.table_id, t.last_seq), '{}')
      FROM (SELECT m.table_id, max(m.last_seq) AS last_seq FROM m GROUP BY m.table_id) AS t)
  INTO f.sums, f.cut;
  f.moved := false;
  FOR fresh IN
    SELECT r.rules::jsonb -> 'level' AS level, (f.sums ->> r.version::text)::numeric - r.folded AS staked
    FROM pozo.link_rules AS r WHERE r.link = l.link AND (f.sums ->> r.version::text)::numeric > r.folded
  LOOP
    l := pozo.raised(l, level_limit, fresh.staked,
      fresh.staked * (fresh.level ->> 'increment_rate_ppm')::numeric,
      fresh.staked * (fresh.level ->> 'reserve_rate_ppm')::numeric);
    f.moved := true;
  END LOOP;
  f.level := l;
  RETURN f;
END $$;

CREATE FUNCTION pozo.folded(l pozo.links) RETURNS pozo.folding
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Bring what the tables staked since the last fold into the level; the caller holds its row's lock and keeps it.
DECLARE
  f pozo.folding;
BEGIN
  SELECT p.* INTO f FROM pozo.peek(l) AS p;
  IF f.moved THEN
    UPDATE pozo.link_rules AS r SET folded = (f.sums ->> r.version::text)::numeric
    WHERE r.link = l.link AND (f.sums ->> r.version::text)::numeric > r.folded;
  END IF;
  f.level.folded_at := clock_timestamp();
  RETURN f;
END $$;

CREATE FUNCTION pozo.keep(l pozo.links) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- Write a level back. What breaks the law of money is not written: the transaction fails.
DECLARE
  missing numeric := pozo.imbalance_of(l);
BEGIN
  IF missing <> 0 THEN
    RAISE EXCEPTION 'link %: % millionths of a minor unit are missing; nothing was stored, call the maker', l.link, missing
      USING ERRCODE = 'data_corrupted';
  END IF;
  UPDATE pozo.links SET (version, current, carry, reserve_pool, reserve_carry, overflow_meter, hits_meter, wins_meter,
      house_prizes, house_funding, corrections, in_meter, contributed, claims, folded_at)
    = (l.version, l.current, l.carry, l.reserve_pool, l.reserve_carry, l.overflow_meter, l.hits_meter, l.wins_meter,
      l.house_prizes, l.house_funding, l.corrections, l.in_meter, l.contributed, l.claims, l.folded_at)
  WHERE link = l.link;
END $$;

CREATE FUNCTION pozo.announce(l pozo.links, p_claim text) RETURNS void
LANGUAGE sql
-- Tell whoever listens on pozo_link. A commit with a notice waits for all others with one: never in pozo.report.
RETURN pg_notify('pozo_link',
  jsonb_build_object('link', l.link, 'current', l.current, 'claims', l.claims, 'claim', p_claim)::text);

CREATE FUNCTION pozo.claim_refusal(p_table text, p_link text, p_digest text, p_round bigint, p_seq bigint,
  p_seats integer[], p_hands text[], OUT outcome text, OUT detail text, OUT version integer)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
-- Why a claim cannot be served, and by which version of the rules it can. The round's own record must be here first:
-- then its stakes are in the pot, and only who wagered can win.
DECLARE
  locked record;
  rules record;
  wrong integer;
BEGIN
  SELECT r.seq, r.seats INTO locked FROM pozo.rounds AS r WHERE r.table_id = p_table AND r.round = p_round;
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

CREATE FUNCTION pozo.serve_claim(l pozo.links, p_version integer, p_claim text, p_table text, p_round bigint,
  p_seq bigint, p_made bigint, p_seats integer[], p_hands text[], OUT claim_no bigint, OUT told text)
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
    level_after)
  SELECT p_claim, l.link, l.claims, p_table, p_round, p_seq, p_made, p_seats, p_hands, p_version, s.told::text,
    (SELECT sum((t ->> 'amount')::numeric) FROM jsonb_array_elements(s.told) AS t WHERE t ->> 'kind' = 'award_approved'),
    f.cut, to_jsonb(l);
  INSERT INTO pozo.claim_seats (link, table_id, round, seat, claim_id)
  SELECT l.link, p_table, p_round, seat, p_claim FROM unnest(p_seats) AS seat;
  PERFORM pozo.announce(l, p_claim);
END $$;

CREATE FUNCTION pozo.claim(p_claim text, p_table text, p_link text, p_digest text, p_round bigint, p_seq bigint,
  p_made bigint, p_seats integer[], p_hands text[])
RETURNS TABLE (outcome text, claim_no bigint, told text, detail text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- Serve all winners of a round at a table on one level. p_claim names it for ever and was journaled, in record p_seq,
-- before the first try; p_made is the number of the table's last award before them.
--   served        told: the table's results AwardApproved and PotReset, in order; the same however often it is asked
--   conflict      that claim id was served for something else (alarm)
--   not_yours     this login does not speak for that table (alarm)
--   report_first  the floor does not have the round or record p_seq yet: report, then ask again
--   not_member, mismatch, no_wager, already_won, no_prize, no_link: refused, with the reason (alarm)
DECLARE
  l pozo.links;
  known pozo.claims;
  bad record;
BEGIN
  IF NOT pozo.is_mine(p_table, 'claim') THEN
    RETURN QUERY SELECT 'not_yours', 0::bigint, '', format('login %s does not speak for table %s', session_user, p_table);
    RETURN;
  END IF;
  PERFORM pozo.be_durable();
  SELECT k.* INTO l FROM pozo.links AS k WHERE k.link = p_link FOR UPDATE;
  SELECT c.* INTO known FROM pozo.claims AS c WHERE c.claim_id = p_claim;
  IF known.claim_id IS NOT NULL THEN
    IF (known.table_id, known.link, known.round, known.seq, known.made, known.seats, known.hands)
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
    bad := pozo.claim_refusal(p_table, p_link, p_digest, p_round, p_seq, p_seats, p_hands);
  END IF;
  IF bad.outcome IS NOT NULL THEN
    IF bad.outcome <> 'report_first' THEN
      PERFORM pozo.alarm(bad.outcome, p_table, p_seq, bad.detail);
    END IF;
    RETURN QUERY SELECT bad.outcome, 0::bigint, '', bad.detail;
    RETURN;
  END IF;
  RETURN QUERY SELECT 'served', s.claim_no, s.told, ''
  FROM pozo.serve_claim(l, bad.version, p_claim, p_table, p_round, p_seq, p_made, p_seats, p_hands) AS s;
END $$;

GRANT EXECUTE ON FUNCTION pozo.claim(text, text, text, text, bigint, bigint, bigint, integer[], text[]) TO pozo_table;
