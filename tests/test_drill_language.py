"""The drill language of the design's section 7: every statement, its times, quotes and blocks, and every refusal."""

import pytest

from controller.core import events as ev
from controller.core.events import Button, Key, Reason, Trusted
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.core.state import Phase
from controller.drill import copies as cp
from controller.drill import statements as st
from controller.drill.parse import DrillError, parse
from controller.outputs import Lamp
from controller.witness.verdict import Plight

MS, SECOND, DAY = 1_000_000, 1_000_000_000, 86_400_000_000_000


def one(line: str) -> st.Statement:
    """The only statement of this line."""
    (statement,) = parse(line)
    assert (statement.line, statement.text) == (1, line)
    return statement


def operated(line: str) -> tuple[ev.AnyEvent, ...]:
    """What the operator's menu would have produced."""
    statement = one(line)
    assert isinstance(statement, st.Operate)
    return statement.events


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("table simulated", st.UseTable(1, "table simulated", "simulated")),
        ("set wager.amount 10.00", st.SetValue(1, "set wager.amount 10.00", "wager.amount", "10.00")),
        ("power on", st.Power(1, "power on", st.PowerKind.ON)),
        ("power on closed", st.Power(1, "power on closed", st.PowerKind.ON_CLOSED)),
        ("power off", st.Power(1, "power off", st.PowerKind.OFF)),
        ("power cut", st.Power(1, "power cut", st.PowerKind.CUT)),
        ("wait 250ms", st.Wait(1, "wait 250ms", 250 * MS)),
        ("chip 1 3 5", st.Chip(1, "chip 1 3 5", (1, 3, 5))),
        ("chip 4 4", st.Chip(1, "chip 4 4", (4, 4))),
        (
            "wave seat_2 L 4ms H 5s L 40ms H",
            st.Wave(
                1,
                "wave seat_2 L 4ms H 5s L 40ms H",
                "seat_2",
                ((True, 4 * MS), (False, 5 * SECOND), (True, 40 * MS), (False, 0)),
            ),
        ),
        ("press coin_in", st.Press(1, "press coin_in", Button.COIN_IN, 120 * MS)),
        ("press game_over 2s", st.Press(1, "press game_over 2s", Button.GAME_OVER, 2 * SECOND)),
        ("key supervisor on", st.TurnKey(1, "key supervisor on", Key.SUPERVISOR, on=True)),
        ("key technician off", st.TurnKey(1, "key technician off", Key.TECHNICIAN, on=False)),
        ("paid 3", st.PayAward(1, "paid 3", 3)),
        ("correct main 5.00 two words", st.Correct(1, "correct main 5.00 two words", "main", "5.00", "two words")),
        ("fail disk_full", st.Fail(1, "fail disk_full", st.Part.DISK_FULL, broken=True)),
        ("mend sign", st.Fail(1, "mend sign", st.Part.SIGN, broken=False)),
        ("keep journal", cp.Keep(1, "keep journal", cp.Copy.JOURNAL)),
        ("old witness", cp.Old(1, "old witness", cp.Copy.WITNESS)),
        ("lose journal", cp.Lose(1, "lose journal", cp.Copy.JOURNAL)),
        ("damage witness", cp.Damage(1, "damage witness", cp.Copy.WITNESS)),
        ("recover", cp.Recover(1, "recover", None)),
        ("recover witness", cp.Recover(1, "recover witness", Trusted.WITNESS)),
        (
            "recover paper 17 5 main 83412.50",
            cp.Recover(
                1, "recover paper 17 5 main 83412.50", Trusted.PAPER, 17, 5, (("main", "83412.50"),)
            ),
        ),
        ("expect stranded forked", cp.ExpectStranded(1, "expect stranded forked", Plight.FORKED)),
        ("clock +1d", st.StepClock(1, "clock +1d", DAY)),
        ("clock -13d", st.StepClock(1, "clock -13d", -13 * DAY)),
        ("drop_edge seat_6 rise", st.DropEdge(1, "drop_edge seat_6 rise", "seat_6", active=False)),
        ("drop_edge coin_in fall", st.DropEdge(1, "drop_edge coin_in fall", "coin_in", active=True)),
        ("freeze 3s", st.Freeze(1, "freeze 3s", 3 * SECOND)),
        ("expect phase award_pending", st.ExpectPhase(1, "expect phase award_pending", Phase.AWARD_PENDING)),
        ("expect fault sign_lost", st.ExpectFault(1, "expect fault sign_lost", FaultCode.SIGN_LOST)),
        ("expect fault none", st.ExpectFault(1, "expect fault none", None)),
        ("expect lamp 1 3 winner", st.ExpectLamp(1, "expect lamp 1 3 winner", (1, 3), Lamp.WINNER)),
        ("expect slots open", st.ExpectSlots(1, "expect slots open", open=True)),
        ("expect slots locked", st.ExpectSlots(1, "expect slots locked", open=False)),
        ("expect bets 3", st.ExpectBets(1, "expect bets 3", 3)),
        ("expect pot main 100003.50", st.ExpectPot(1, "expect pot main 100003.50", "main", "100003.50")),
        ("expect meter seat_3.late 1", st.ExpectMeter(1, "expect meter seat_3.late 1", "seat_3.late", "1")),
        ("expect award 3 5000.00", st.ExpectAward(1, "expect award 3 5000.00", 3, "5000.00")),
        ("expect refused", st.ExpectRefused(1, "expect refused", None)),
        (
            "expect refused award_pending",
            st.ExpectRefused(1, "expect refused award_pending", ev.Refusal.AWARD_PENDING),
        ),
        ('expect screen "3 APUESTAS"', st.ExpectScreen(1, 'expect screen "3 APUESTAS"', "3 APUESTAS")),
        ('expect sign "100.003,50"', st.ExpectSign(1, 'expect sign "100.003,50"', "100.003,50")),
        ("expect journal chip_late 1", st.ExpectJournal(1, "expect journal chip_late 1", "chip_late", 1)),
        ("expect journal noted 2", st.ExpectJournal(1, "expect journal noted 2", "noted", 2)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_statement_becomes_what_it_says(line: str, expected: st.Statement) -> None:
    assert one(line) == expected


@pytest.mark.parametrize(
    ("line", "events"),
    [
        ("claim 3 flush", (ev.AwardClaimed(0, 3, Hand.FLUSH),)),
        ("approve", (ev.AwardsApproved(0),)),
        ("reject 3 four cards only", (ev.AwardRejected(0, 3, "four cards only"),)),
        ("withdraw 3", (ev.AwardWithdrawn(0, 3),)),
        ("fold 3", (ev.HandFolded(0, 3),)),
        ("buy 3", (ev.CardBought(0, 3),)),
        ("void 3 no_ante", (ev.SeatVoided(0, 3, Reason.NO_ANTE),)),
        ("void round exposed_cards", (ev.RoundVoided(0, Reason.EXPOSED_CARDS),)),
        ("discrepancy 2", (ev.DiscrepancyFound(0, 2),)),
        ("accept_discrepancy", (ev.DiscrepancyAccepted(0),)),
        ("count_right", (ev.CountConfirmed(0),)),
        ("dispute 3", (ev.DisputeRaised(0, 3),)),
        ("dealer Rosa", (ev.DealerChanged(0, "Rosa"),)),
        ("late_lock", (ev.LateLocked(0),)),
        ("open", (ev.LampTestStarted(0), ev.TableOpened(0))),
        ("open dead 3 5", (ev.LampTestStarted(0), ev.TableOpened(0, (3, 5)))),
        ("close", (ev.TableClosed(0),)),
        ("seat 3 open", (ev.SeatOpened(0, 3),)),
        ("seat 3 closed", (ev.SeatClosed(0, 3),)),
        ("clear_fault common_mode", (ev.FaultClearAsked(0, FaultCode.COMMON_MODE),)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_act_is_the_event_the_menu_would_have_made(line: str, events: tuple[ev.AnyEvent, ...]) -> None:
    assert operated(line) == events


HANDS = "royal_flush straight_flush four_of_a_kind full_house flush straight three_of_a_kind two_pair pair high_card"
REASONS = (
    "wrong_card_count exposed_cards dealer_card_seen no_ante player_left discrepancy machine_fault other"
)


@pytest.mark.parametrize("hand", HANDS.split())
def test_every_hand_of_the_design_can_be_claimed(hand: str) -> None:
    assert operated(f"claim 1 {hand}") == (ev.AwardClaimed(0, 1, Hand(hand)),)


@pytest.mark.parametrize("reason", REASONS.split())
def test_every_void_reason_of_the_design_is_known(reason: str) -> None:
    assert operated(f"void 1 {reason}") == (ev.SeatVoided(0, 1, Reason(reason)),)


@pytest.mark.parametrize("lamp", ["off", "attract", "placed", "accepted", "winner", "problem"])
def test_every_lamp_of_the_design_can_be_expected(lamp: str) -> None:
    assert one(f"expect lamp 1 {lamp}") == st.ExpectLamp(1, f"expect lamp 1 {lamp}", (1,), Lamp(lamp))


@pytest.mark.parametrize("part", ["sign", "screen", "keypad", "journal", "disk_full", "host", "witness"])
def test_every_part_of_the_design_can_fail(part: str) -> None:
    assert one(f"fail {part}") == st.Fail(1, f"fail {part}", st.Part(part), broken=True)


@pytest.mark.parametrize(
    ("word", "ns"),
    [
        ("200us", 200_000),
        ("0ms", 0),
        ("1.5ms", 1_500_000),
        ("0.5us", 500),
        ("5s", 5 * SECOND),
        ("2h", 7_200 * SECOND),
        ("400d", 400 * DAY),
    ],
)
def test_a_time_is_exact_in_nanoseconds(word: str, ns: int) -> None:
    assert one(f"wait {word}") == st.Wait(1, f"wait {word}", ns)


NO_TIMES = ["5", "ms", "5 ms", "-5ms", "5min", "1e3ms", "1.ms.5", "\u0663ms", "401d", "5,5ms"]


@pytest.mark.parametrize("word", NO_TIMES)
def test_what_is_no_time_is_refused(word: str) -> None:
    with pytest.raises(DrillError, match=r"^line 1: wait "):
        parse(f"wait {word}")


def test_comments_and_empty_lines_are_no_statements_but_count_as_lines() -> None:
    first, second = parse("# what it covers\n\npower on   # with a remark\n   # more\n  chip 1\n")
    assert (first.line, second.line) == (3, 5)
    assert second == st.Chip(5, "chip 1", (1,))


def test_quotes_hold_words_and_number_signs_together() -> None:
    assert one('expect screen "ASIENTO # 3"') == st.ExpectScreen(
        1, 'expect screen "ASIENTO # 3"', "ASIENTO # 3"
    )
    assert one("expect screen 'CIERRE \"TARDÍO\"'") == st.ExpectScreen(
        1, "expect screen 'CIERRE \"TARDÍO\"'", 'CIERRE "TARDÍO"'
    )


def test_blocks_nest() -> None:
    (outer,) = parse("repeat 2\n  together\n    chip 1\n    repeat 3\n      chip 2\n    end\n  end\nend\n")
    assert isinstance(outer, st.Repeat)
    assert outer.times == 2
    (inner,) = outer.body
    assert isinstance(inner, st.Together)
    chip, again = inner.body
    assert chip == st.Chip(3, "chip 1", (1,))
    assert again == st.Repeat(4, "repeat 3", times=3, body=(st.Chip(5, "chip 2", (2,)),))


@pytest.mark.parametrize(
    ("text", "where", "allowed"),
    [
        ("pour 1", "line 1: pour 1", "together"),
        ("power in", "line 1", "on, on closed, off, cut"),
        ("press coin_out", "line 1", "coin_in, game_over"),
        ("key manager on", "line 1", "supervisor, technician"),
        ("key supervisor", "line 1", "key supervisor on|off"),
        ("key supervisor up", "line 1", "on, off"),
        ("claim 1 four_aces", "line 1", "four_of_a_kind"),
        ("claim x flush", "line 1", "whole number"),
        ("claim 1", "line 1", "claim 3 flush"),
        ("chip", "line 1", "chip 1 3 5"),
        ("chip -1", "line 1", "whole number"),
        ("void 3 because", "line 1", "no_ante"),
        ("void 3", "line 1", "void 3 REASON"),
        ("seat 3 ajar", "line 1", "open, closed"),
        ("open 3", "line 1", "dead"),
        ("fail luck", "line 1", "sign, screen"),
        ("clock 1d", "line 1", "+1d or -13d"),
        ("drop_edge seat_6 up", "line 1", "fall, rise"),
        ("wave seat_1", "line 1", "wave seat_2 L 4ms"),
        ("wave seat_1 4ms L", "line 1", "L or H"),
        ("wave seat_1 L 4ms 5ms", "line 1", "L or H"),
        ("clear_fault rain", "line 1", "common_mode"),
        ("reject 3", "line 1", "reject 3 REASON"),
        ("correct main 5.00", "line 1", "correct main 100000.00 REASON"),
        ("expect", "line 1", "expect phase open"),
        ("expect rain", "line 1", "phase"),
        ("expect phase dealt", "line 1", "award_pending"),
        ("expect lamp 1 bright", "line 1", "accepted"),
        ("expect lamp accepted", "line 1", "expect lamp 1 3 accepted"),
        ("expect slots ajar", "line 1", "open, locked"),
        ("expect refused nicely", "line 1", "wrong_phase"),
        ("expect journal chip_lost 1", "line 1", "chip_late"),
        ("expect journal chip_late", "line 1", "expect journal chip_late 1"),
        ('expect screen "open', "line 1", "quotation mark"),
        ("expect screen two words", "line 1", "3 APUESTAS"),
        ("keep slips", "line 1", "journal, witness"),
        ("old", "line 1", "old journal|witness"),
        ("recover moon", "line 1", "journal, witness, paper"),
        ("recover witness 1", "line 1", "recover paper ROUND LAST_SLIP LEVEL AMOUNT"),
        ("recover paper", "line 1", "recover paper ROUND LAST_SLIP LEVEL AMOUNT"),
        ("recover paper 1 0 main", "line 1", "recover paper ROUND LAST_SLIP LEVEL AMOUNT"),
        ("recover paper x 0 main 1.00", "line 1", "whole number"),
        ("expect stranded dry", "line 1", "journal_behind"),
        ("repeat many\nend", "line 1", "whole number"),
        ("repeat 1000001\nend", "line 1", "1000000"),
        ("chip 1\nend", "line 2: end", "no `together` or `repeat`"),
        ("together\nrepeat 2\nchip 1\nend", "line 1: together", "`end` is missing"),
        ("together now\nend", "line 1", "together … end"),
        ("together\nexpect bets 0\nend", "line 2: expect bets 0", "line 1"),
        ("together\nrepeat 2\nexpect bets 0\nend\nend", "line 3: expect bets 0", "line 1"),
        ("together\nset wager.amount 1.00\nend", "line 2", "before"),
    ],
)
def test_a_refusal_names_the_line_and_what_is_allowed(text: str, where: str, allowed: str) -> None:
    with pytest.raises(DrillError) as caught:
        parse(text)
    assert str(caught.value).startswith(where)
    assert allowed in str(caught.value)
