-- What reports read: rounds, seats, awards, faults, parameters and accesses, taken from the records in the very
-- transaction that stores these. Nothing here is entered by hand; `pozo floor reconcile` compares it with a journal.

CREATE TABLE pozo.rounds (
  table_id text NOT NULL REFERENCES pozo.tables,
  seq bigint NOT NULL,
  round bigint NOT NULL,
  wall_ns bigint NOT NULL,
  seats integer[] NOT NULL,
  staked pozo.whole NOT NULL,
  late boolean NOT NULL,
  ended_seq bigint,
  discrepancy bigint,
  PRIMARY KEY (table_id, seq)
);
CREATE INDEX rounds_by_number ON pozo.rounds (table_id, round);
COMMENT ON TABLE pozo.rounds IS
  'Each COIN IN: the seats accepted and their money. discrepancy: chips counted, where the round ended with that open.';

CREATE TABLE pozo.seats (
  table_id text NOT NULL REFERENCES pozo.tables,
  seq bigint NOT NULL,
  ord integer NOT NULL,
  seat integer NOT NULL,
  what text NOT NULL CHECK (what IN ('accepted', 'voided', 'forfeited', 'late', 'excess')),
  amount pozo.whole NOT NULL,
  PRIMARY KEY (table_id, seq, ord, seat)
);
COMMENT ON TABLE pozo.seats IS 'What became of the chips of a seat. amount: the wager accepted, or its refund.';

CREATE TABLE pozo.awards (
  table_id text NOT NULL REFERENCES pozo.tables,
  number bigint NOT NULL,
  seq bigint NOT NULL,
  digest text NOT NULL,
  wall_ns bigint NOT NULL,
  round bigint NOT NULL,
  seat integer NOT NULL,
  hand text NOT NULL,
  level text,
  amount pozo.whole NOT NULL,
  pot_before pozo.whole NOT NULL,
  pot_after pozo.whole NOT NULL,
  share_ppm pozo.whole NOT NULL,
  fund text NOT NULL,
  from_pot pozo.whole NOT NULL,
  from_reserve pozo.whole NOT NULL,
  from_house pozo.whole NOT NULL,
  source text NOT NULL,
  parts integer NOT NULL,
  capped boolean NOT NULL,
  paid_seq bigint,
  paid_how text,
  signed boolean,
  PRIMARY KEY (table_id, number)
);
CREATE INDEX awards_by_record ON pozo.awards (table_id, seq);
COMMENT ON TABLE pozo.awards IS 'Approved awards with their arithmetic; seq and digest are the record that proves each.';

CREATE TABLE pozo.movements (
  table_id text NOT NULL REFERENCES pozo.tables,
  seq bigint NOT NULL,
  ord integer NOT NULL,
  level text NOT NULL,
  what text NOT NULL CHECK (what IN ('reset', 'correction', 'transfer')),
  by pozo.whole NOT NULL,
  current pozo.whole NOT NULL,
  from_house pozo.whole NOT NULL,
  PRIMARY KEY (table_id, seq, ord)
);
COMMENT ON TABLE pozo.movements IS 'Changes of a table''s own level that are neither wagers nor awards.';

CREATE TABLE pozo.faults (
  table_id text NOT NULL REFERENCES pozo.tables,
  seq bigint NOT NULL,
  ord integer NOT NULL,
  wall_ns bigint NOT NULL,
  code text NOT NULL,
  seat integer NOT NULL,
  raised boolean NOT NULL,
  PRIMARY KEY (table_id, seq, ord)
);
COMMENT ON TABLE pozo.faults IS 'Faults as they were raised and cleared; seat 0 is the table.';

CREATE TABLE pozo.parameters (
  table_id text NOT NULL REFERENCES pozo.tables,
  seq bigint NOT NULL,
  wall_ns bigint NOT NULL,
  game text NOT NULL,
  rules text NOT NULL,
  changes jsonb NOT NULL,
  supervisor text NOT NULL,
  technician text NOT NULL,
  PRIMARY KEY (table_id, seq)
);
COMMENT ON TABLE pozo.parameters IS
  'The rules each table plays by, from which record on: old and new value of each change, and who turned the keys.';

CREATE TABLE pozo.accesses (
  table_id text NOT NULL REFERENCES pozo.tables,
  seq bigint NOT NULL,
  wall_ns bigint NOT NULL,
  kind text NOT NULL,
  event jsonb NOT NULL,
  PRIMARY KEY (table_id, seq)
);
COMMENT ON TABLE pozo.accesses IS 'Keys, starts, openings and whatever else says who was at the table.';

CREATE FUNCTION pozo.round_of_award(p_state text, p_number jsonb) RETURNS bigint
LANGUAGE sql IMMUTABLE
-- An award may be of the round just ended: only the table's state says which.
RETURN (
  SELECT (a ->> 'round')::bigint
  FROM jsonb_array_elements(pozo.readable(p_state) -> 'awards') AS a
  WHERE a -> 'number' = p_number
);

CREATE FUNCTION pozo.derive_results(p_table text, p_after bigint, p_head bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- One statement over all new records, planned once a session: each result goes where it is read from.
BEGIN
  WITH told AS MATERIALIZED (
    SELECT r.seq, r.wall_ns, r.digest, r.state, e.ord::integer AS ord, e.told, e.told ->> 'kind' AS kind
    FROM pozo.records AS r
    CROSS JOIN LATERAL jsonb_array_elements(pozo.readable(r.results)) WITH ORDINALITY AS e(told, ord)
    WHERE r.table_id = p_table AND r.seq > p_after AND r.seq <= p_head
  ), into_rounds AS (
    INSERT INTO pozo.rounds (table_id, seq, round, wall_ns, seats, staked, late)
    SELECT p_table, seq, (told ->> 'round')::bigint, wall_ns,
      ARRAY(SELECT s::integer FROM jsonb_array_elements_text(told -> 'seats') AS s),
      (told ->> 'amount')::numeric, (told ->> 'late')::boolean
    FROM told WHERE kind = 'round_locked'
  ), into_accepted AS (
    INSERT INTO pozo.seats (table_id, seq, ord, seat, what, amount)
    SELECT p_table, seq, ord, s.seat::integer, 'accepted',
      div((told ->> 'amount')::numeric, jsonb_array_length(told -> 'seats'))
    FROM told CROSS JOIN LATERAL jsonb_array_elements_text(told -> 'seats') AS s(seat)
    WHERE kind = 'round_locked'
  ), into_seats AS (
    INSERT INTO pozo.seats (table_id, seq, ord, seat, what, amount)
    SELECT p_table, seq, ord, (told ->> 'seat')::integer,
      CASE kind WHEN 'wager_voided' THEN 'voided' WHEN 'wager_forfeited' THEN 'forfeited'
        WHEN 'chip_late' THEN 'late' ELSE 'excess' END,
      coalesce((told ->> 'refund')::numeric, 0)
    FROM told WHERE kind IN ('wager_voided', 'wager_forfeited', 'chip_late', 'chip_excess')
  ), into_awards AS (
    INSERT INTO pozo.awards (table_id, number, seq, digest, wall_ns, round, seat, hand, level, amount, pot_before,
      pot_after, share_ppm, fund, from_pot, from_reserve, from_house, source, parts, capped)
    SELECT p_table, (told ->> 'number')::bigint, seq, digest, wall_ns, pozo.round_of_award(state, told -> 'number'),
      (told ->> 'seat')::integer, told ->> 'hand', told ->> 'level', (told ->> 'amount')::numeric,
      (told ->> 'pot_before')::numeric, (told ->> 'pot_after')::numeric, (told ->> 'share_ppm')::numeric,
      told ->> 'fund', (told ->> 'from_pot')::numeric, (told ->> 'from_reserve')::numeric,
      (told ->> 'from_house')::numeric, told ->> 'source', (told ->> 'parts')::integer, (told ->> 'capped')::boolean
    FROM told WHERE kind = 'award_approved'
  ), into_movements AS (
    INSERT INTO pozo.movements (table_id, seq, ord, level, what, by, current, from_house)
    SELECT p_table, seq, ord, told ->> 'level',
      CASE kind WHEN 'pot_reset' THEN 'reset' WHEN 'correction_made' THEN 'correction' ELSE 'transfer' END,
      CASE kind WHEN 'pot_reset' THEN (told ->> 'current')::numeric - (told ->> 'left')::numeric
        WHEN 'correction_made' THEN (told ->> 'after')::numeric - (told ->> 'before')::numeric
        ELSE (told ->> 'by')::numeric END,
      coalesce(told ->> 'current', told ->> 'after')::numeric, coalesce((told ->> 'from_house')::numeric, 0)
    FROM told WHERE kind IN ('pot_reset', 'correction_made', 'transfer_made')
  )
  INSERT INTO pozo.faults (table_id, seq, ord, wall_ns, code, seat, raised)
  SELECT p_table, seq, ord, wall_ns, told ->> 'code', (told ->> 'seat')::integer, kind = 'fault_raised'
  FROM told WHERE kind IN ('fault_raised', 'fault_cleared');
END $$;

CREATE FUNCTION pozo.derive_events(p_table text, p_after bigint, p_head bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- What events say, and what later results say about rows that are there by now.
BEGIN
  INSERT INTO pozo.parameters (table_id, seq, wall_ns, game, rules, changes, supervisor, technician)
  SELECT p_table, r.seq, r.wall_ns, e.event ->> 'game', e.event ->> 'rules', coalesce(e.event -> 'changes', '[]'),
    coalesce(e.event ->> 'supervisor', ''), coalesce(e.event ->> 'technician', '')
  FROM pozo.records AS r CROSS JOIN LATERAL (SELECT pozo.readable(r.event)) AS e(event)
  WHERE r.table_id = p_table AND r.seq > p_after AND r.seq <= p_head
    AND (r.kind = 'commissioned'
      OR r.kind = 'parameters_changed' AND pozo.readable(r.results) @> '[{"kind": "parameters_accepted"}]');

  INSERT INTO pozo.accesses (table_id, seq, wall_ns, kind, event)
  SELECT p_table, r.seq, r.wall_ns, r.kind, pozo.readable(r.event)
  FROM pozo.records AS r
  WHERE r.table_id = p_table AND r.seq > p_after AND r.seq <= p_head
    AND r.kind IN ('started', 'stopped', 'key_turned', 'dealer_changed', 'table_opened', 'table_closed', 'self_tested',
      'fault_clear_asked', 'pot_corrected', 'pot_transferred', 'transfer_sent', 'transfer_received');

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
  WHERE award.table_id = p_table AND award.number = (told.event ->> 'number')::bigint AND award.paid_seq IS NULL;
END $$;

CREATE FUNCTION pozo.derive(p_table text, p_after bigint, p_head bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- All that follows from new records. Most are chips, from which nothing does: the results' text tells cheaply.
DECLARE
  telling CONSTANT text := '"kind":"(round_locked|wager_voided|wager_forfeited|chip_late|chip_excess|award_approved'
    '|pot_reset|correction_made|transfer_made|fault_raised|fault_cleared)"';
BEGIN
  IF EXISTS (SELECT FROM pozo.records AS r WHERE r.table_id = p_table AND r.seq > p_after AND r.seq <= p_head
    AND r.results ~ telling) THEN
    PERFORM pozo.derive_results(p_table, p_after, p_head);
  END IF;
  IF EXISTS (SELECT FROM pozo.records AS r WHERE r.table_id = p_table AND r.seq > p_after AND r.seq <= p_head
    AND r.kind NOT IN ('chip_dropped', 'coin_in_pressed', 'release_ended', 'head_signed', 'noise_seen')) THEN
    PERFORM pozo.derive_events(p_table, p_after, p_head);
  END IF;
END $$;
