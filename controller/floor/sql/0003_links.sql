-- Linked pots: who shares them, what came in, and the arithmetic, the same to the unit as controller.core's.
--
-- No row is written by two tables. A table's contributions add up in its own row of pozo.members, so that the commits
-- of many tables share flushes, and what a pot has gained is a sum over its tables, not over their wagers. "Fold" is
-- to bring that sum into the level's row; only who holds that row's lock does it.

CREATE TABLE pozo.links (
  link text PRIMARY KEY CHECK (link <> ''),
  version integer NOT NULL,
  current pozo.whole NOT NULL,
  carry pozo.whole NOT NULL DEFAULT 0,
  reserve_pool pozo.whole NOT NULL DEFAULT 0,
  reserve_carry pozo.whole NOT NULL DEFAULT 0,
  overflow_meter pozo.whole NOT NULL DEFAULT 0,
  hits_meter pozo.whole NOT NULL DEFAULT 0,
  wins_meter pozo.whole NOT NULL DEFAULT 0,
  house_prizes pozo.whole NOT NULL DEFAULT 0,
  house_funding pozo.whole NOT NULL DEFAULT 0,
  corrections pozo.whole NOT NULL DEFAULT 0,
  in_meter pozo.whole NOT NULL DEFAULT 0,
  contributed pozo.whole NOT NULL DEFAULT 0,
  claims bigint NOT NULL DEFAULT 0,
  folded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (least(current, carry, reserve_pool, reserve_carry, overflow_meter, wins_meter, house_funding) >= 0)
) WITH (fillfactor = 50);
COMMENT ON TABLE pozo.links IS
  'One progressive level shared by tables, as of its last fold. carry, reserve_carry, contributed: millionths.';

CREATE TABLE pozo.link_rules (
  link text NOT NULL REFERENCES pozo.links DEFERRABLE INITIALLY DEFERRED,
  version integer NOT NULL CHECK (version > 0),
  digest text NOT NULL,
  rules text NOT NULL CHECK (encode(sha256(convert_to(rules, 'UTF8')), 'hex') = digest),
  folded pozo.whole NOT NULL DEFAULT 0,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  supervisor text NOT NULL CHECK (supervisor <> ''),
  technician text NOT NULL CHECK (technician <> '' AND technician <> supervisor),
  PRIMARY KEY (link, version)
) WITH (fillfactor = 50);
COMMENT ON TABLE pozo.link_rules IS
  'The rules of a link, version by version; folded: the stakes under each that the level has taken in.';

CREATE TABLE pozo.admissions (
  link text NOT NULL REFERENCES pozo.links,
  table_id text NOT NULL REFERENCES pozo.tables,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (link, table_id)
);
COMMENT ON TABLE pozo.admissions IS 'Which tables may join a link.';

CREATE TABLE pozo.members (
  link text NOT NULL,
  table_id text NOT NULL,
  from_seq bigint NOT NULL,
  until_seq bigint,
  version integer NOT NULL,
  staked pozo.whole NOT NULL DEFAULT 0,
  rounds bigint NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (link, table_id, from_seq),
  FOREIGN KEY (link, table_id) REFERENCES pozo.admissions,
  FOREIGN KEY (link, version) REFERENCES pozo.link_rules
) WITH (fillfactor = 20);
COMMENT ON TABLE pozo.members IS
  'What each table contributed by records after from_seq, up to until_seq, in all. Written by its own reports only.';

CREATE TABLE pozo.contributions (
  link text NOT NULL,
  table_id text NOT NULL,
  seq bigint NOT NULL,
  version integer NOT NULL,
  staked pozo.whole NOT NULL CHECK (staked > 0),
  PRIMARY KEY (table_id, seq, link)
);
COMMENT ON TABLE pozo.contributions IS 'Append-only: the stakes of each COIN IN that count for a link, by its record.';

CREATE TABLE pozo.claims (
  claim_id text PRIMARY KEY CHECK (claim_id <> ''),
  link text NOT NULL REFERENCES pozo.links,
  claim_no bigint NOT NULL,
  table_id text NOT NULL REFERENCES pozo.tables,
  round bigint NOT NULL,
  seq bigint NOT NULL,
  made bigint NOT NULL,
  seats integer[] NOT NULL,
  hands text[] NOT NULL,
  version integer NOT NULL,
  told text NOT NULL,
  amount pozo.whole NOT NULL,
  cut jsonb NOT NULL,
  level_after jsonb NOT NULL,
  served_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (link, claim_no)
);
COMMENT ON TABLE pozo.claims IS
  'Wins in the order in which they were served. cut: each table''s last record whose stakes were in the pot by then.';

CREATE TABLE pozo.claim_seats (
  link text NOT NULL,
  table_id text NOT NULL,
  round bigint NOT NULL,
  seat integer NOT NULL,
  claim_id text NOT NULL REFERENCES pozo.claims,
  PRIMARY KEY (link, table_id, round, seat)
);
COMMENT ON TABLE pozo.claim_seats IS 'A seat wins a level once a round, under whatever claim id.';

CREATE TABLE pozo.corrections (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  link text NOT NULL REFERENCES pozo.links,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  after_claim bigint NOT NULL,
  cut jsonb NOT NULL,
  before pozo.whole NOT NULL,
  after pozo.whole NOT NULL,
  reason text NOT NULL CHECK (reason <> ''),
  supervisor text NOT NULL CHECK (supervisor <> ''),
  technician text NOT NULL CHECK (technician <> '' AND technician <> supervisor)
);
COMMENT ON TABLE pozo.corrections IS 'A pot set by two persons, with the reason.';

-- Types that carry a level through the arithmetic.
CREATE TYPE pozo.draw AS (level pozo.links, from_pot numeric, from_reserve numeric, from_house numeric);
CREATE TYPE pozo.serving AS (level pozo.links, told jsonb);
CREATE TYPE pozo.folding AS (level pozo.links, cut jsonb, sums jsonb, moved boolean);

CREATE FUNCTION pozo.imbalance_of(l pozo.links) RETURNS numeric
LANGUAGE sql IMMUTABLE
-- The law (controller.core.pot.imbalance), for one level: millionths that are missing (+) or too much (-).
RETURN l.contributed
  + (l.house_funding + l.corrections - l.current - l.reserve_pool - l.overflow_meter
     - (l.wins_meter - l.house_prizes)) * 1000000
  - l.carry - l.reserve_carry;

CREATE FUNCTION pozo.raised(l pozo.links, p_limit numeric, p_staked numeric, p_pot numeric, p_reserve numeric)
RETURNS pozo.links
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
-- Take in stakes of which p_pot and p_reserve millionths are the level's: once for their sum or one by one, the same.
DECLARE
  full_pot numeric := l.current + div(l.carry + p_pot, 1000000);
BEGIN
  l.in_meter := l.in_meter + p_staked;
  l.contributed := l.contributed + p_pot + p_reserve;
  l.carry := mod(l.carry + p_pot, 1000000);
  l.reserve_pool := l.reserve_pool + div(l.reserve_carry + p_reserve, 1000000);
  l.reserve_carry := mod(l.reserve_carry + p_reserve, 1000000);
  IF full_pot > p_limit THEN
    l.overflow_meter := l.overflow_meter + full_pot - greatest(p_limit, l.current);
    l.current := greatest(p_limit, l.current);
  ELSE
    l.current := full_pot;
  END IF;
  RETURN l;
END $$;

CREATE FUNCTION pozo.drawn(l pozo.links, p_amount numeric, p_fund text) RETURNS pozo.draw
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
-- Take a prize from its fund; what pot or reserve lacks the house pays.
DECLARE
  d pozo.draw;
BEGIN
  d.from_pot := CASE p_fund WHEN 'pot' THEN least(l.current, p_amount) ELSE 0 END;
  d.from_reserve := CASE p_fund WHEN 'reserve' THEN least(l.reserve_pool, p_amount) ELSE 0 END;
  d.from_house := p_amount - d.from_pot - d.from_reserve;
  l.current := l.current - d.from_pot;
  l.reserve_pool := l.reserve_pool - d.from_reserve;
  l.hits_meter := l.hits_meter + 1;
  l.wins_meter := l.wins_meter + p_amount;
  IF p_fund = 'house' THEN
    l.house_prizes := l.house_prizes + p_amount;
  ELSE
    l.house_funding := l.house_funding + d.from_house;
  END IF;
  d.level := l;
  RETURN d;
END $$;

CREATE FUNCTION pozo.restarted(l pozo.links, p_level jsonb) RETURNS pozo.serving
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
-- After a 100 % award: what is left plus the reset amount, from overflow where the policy says so, reserve, house.
DECLARE
  wanted numeric := (p_level ->> 'reset_amount')::numeric;
  rest numeric := l.current;
  from_overflow numeric := CASE p_level ->> 'overflow_use' WHEN 'next_reset' THEN least(l.overflow_meter, wanted) ELSE 0 END;
  from_reserve numeric := least(l.reserve_pool, wanted - from_overflow);
  from_house numeric := wanted - from_overflow - from_reserve;
  over numeric := greatest(rest + wanted - (p_level ->> 'limit')::numeric, 0);
  s pozo.serving;
BEGIN
  l.current := rest + wanted - over;
  l.overflow_meter := l.overflow_meter - from_overflow + over;
  l.reserve_pool := l.reserve_pool - from_reserve;
  l.house_funding := l.house_funding + from_house;
  s.level := l;
  s.told := jsonb_build_object('kind', 'pot_reset', 'level', p_level ->> 'name', 'current', l.current, 'left', rest,
    'from_overflow', from_overflow, 'from_reserve', from_reserve, 'from_house', from_house);
  RETURN s;
END $$;

CREATE FUNCTION pozo.rank(p_hand text) RETURNS integer
LANGUAGE sql IMMUTABLE
-- Strongest hand first; NULL for a word that is no hand.
RETURN array_position(ARRAY['royal_flush', 'straight_flush', 'four_of_a_kind', 'full_house', 'flush', 'straight',
  'three_of_a_kind', 'two_pair', 'pair', 'high_card'], p_hand);

CREATE FUNCTION pozo.prize(p_rules jsonb, p_hand text) RETURNS jsonb
LANGUAGE sql IMMUTABLE
RETURN (SELECT p FROM jsonb_array_elements(p_rules -> 'prizes') AS p WHERE p ->> 'hand' = p_hand LIMIT 1);

CREATE FUNCTION pozo.each_part(p_rules jsonb, p_pays jsonb, p_current numeric, p_parts integer)
RETURNS TABLE (amount numeric, capped boolean)
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
-- What each of p_parts winners is paid: a fixed prize, or a share rounded down to the payable unit and to its cap.
DECLARE
  cap numeric := (p_pays ->> 'cap')::numeric;
  unit numeric := (p_rules ->> 'payable_unit')::numeric;
BEGIN
  capped := false;
  IF p_pays ->> 'kind' = 'fixed' THEN
    amount := (p_pays ->> 'amount')::numeric;
  ELSE
    amount := div(div(p_current * (p_pays ->> 'share_ppm')::numeric, 1000000), p_parts * unit) * unit;
    capped := cap IS NOT NULL AND amount > cap;
    amount := CASE WHEN capped THEN cap ELSE amount END;
  END IF;
  RETURN NEXT;
END $$;
