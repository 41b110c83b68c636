"""The console's reports, each read from the journal at the moment it is asked for and laid out as HTML.

They show what is stored and add nothing to it; a report may read a long journal and belongs in a thread of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from controller.console.markup import Markup, bars, fold, heading, joined, link, paragraph, table, text
from controller.console.phrases import Phrases, for_people
from controller.core import events as ev
from controller.core.money import percent
from controller.core.state import Table
from controller.inputs.pulses import Pulse
from controller.journal import Record, ends_of, recent
from controller.meters import is_money, meters
from controller.proof import Movement, proof
from controller.pulse_file import read as read_pulses
from controller.users.log import access_records

AWARDS: Final = 25
ROUNDS: Final = 20
FAULTS: Final = 50
ACCESS: Final = 200
PULSES: Final = 20
MS: Final = 1_000_000
MOVEMENTS: Final = 200
"""Movements of a proof that are shown one by one; the earlier ones are counted together."""

ROUND_RECORDS: Final = 2000
"""Where the last rounds are looked for."""


def meters_report(phrases: Phrases, journal: Path) -> Markup:
    """Every meter by the regulators' names, and the seats' counts."""
    state = ends_of(journal).last.state
    values = meters(state)
    rows = [
        (
            text(name),
            text(phrases.say(f"meter.{name.rpartition('.')[2]}")),
            text(_figure(phrases, name, value)),
        )
        for name, value in values.items()
        if not name.startswith("seat_")
    ]
    heads = (phrases.say("ui.meter"), phrases.say("ui.meaning"), phrases.say("ui.value"))
    return joined([table(phrases.say("ui.meters"), heads, rows, words=2), _seats(phrases, state, values)])


def awards_report(phrases: Phrases, journal: Path) -> Markup:
    """The last awards, newest first, each with its proof."""
    settled = {
        result.number
        for record in recent(journal, 10 * AWARDS, "award_settled")
        for result in record.results
        if isinstance(result, ev.AwardSettled)
    }
    rows = [
        _award(phrases, record, award, paid=award.number in settled)
        for record in reversed(recent(journal, AWARDS, "award_approved"))
        for award in reversed(record.results)
        if isinstance(award, ev.AwardApproved)
    ][:AWARDS]
    if not rows:
        return paragraph(phrases.say("ui.no_awards"))
    heads = ["number", "when", "seat_head", "hand", "state", "amount", "pot_before", "pot_after", "proof"]
    return table(phrases.say("ui.awards"), [phrases.say(f"ui.{head}") for head in heads], rows, words=5)


def proof_report(phrases: Phrases, journal: Path, number: int) -> Markup:
    """How an award's amount came about. Raises `ProofError` for a number nobody has won."""
    found = proof(journal, number)
    award = found.award
    shown, before = found.movements[-MOVEMENTS:], found.movements[:-MOVEMENTS]
    rows = [_movement(phrases, movement) for movement in reversed(shown)]
    if before:
        words = phrases.say("ui.earlier", count=len(before))
        rows.append((text("…"), text(words), text(""), text(phrases.money(before[-1].current))))
    heads = [phrases.say(f"ui.{head}") for head in ("record", "what", "change", "pot")]
    verdict = "ui.explained" if not found.unexplained else "ui.unexplained"
    return joined(
        [
            paragraph(phrases.say("result.award_approved", **_approved(phrases, award))),
            paragraph(_arithmetic(phrases, award)),
            paragraph(phrases.say(verdict, amount=phrases.money(found.unexplained)), "verdict"),
            table(phrases.say("ui.movements"), heads, rows, words=2),
        ]
    )


def rounds_report(phrases: Phrases, journal: Path) -> Markup:
    """The last rounds, newest first, each with all its records."""
    rounds: dict[int, list[Record]] = {}
    for record in for_people(recent(journal, ROUND_RECORDS)):
        rounds.setdefault(_round(record), []).append(record)
    newest = sorted(rounds.items(), reverse=True)[:ROUNDS]
    return joined(_one_round(phrases, number, records) for number, records in newest)


def faults_report(phrases: Phrases, journal: Path) -> Markup:
    """The faults that stand, and those that came and went."""
    state = ends_of(journal).last.state
    standing = [
        paragraph(phrases.result(ev.FaultRaised(fault.code, fault.seat)), "alarm") for fault in state.faults
    ] or [paragraph(phrases.say("ui.no_faults"))]
    records = sorted(
        {
            record.seq: record
            for kind in ("fault_raised", "fault_cleared")
            for record in recent(journal, FAULTS, kind)
        }.values(),
        key=lambda record: record.seq,
        reverse=True,
    )[:FAULTS]
    return joined(
        [
            *standing,
            heading(phrases.say("ui.came_and_went")),
            _records(phrases, phrases.say("ui.faults_head"), records),
        ]
    )


def access_report(phrases: Phrases, journal: Path) -> Markup:
    """Who was there: keys, PINs, locks, changes of the list; newest first."""
    return _records(phrases, phrases.say("ui.access"), access_records(journal, ACCESS))


def inputs_report(phrases: Phrases, journal: Path, slots: int) -> Markup:
    """What the journal knows of the lines: the filter's settings, each seat's chips and the time between them."""
    state = ends_of(journal).last.state
    started = recent(journal, 1, "started")
    settings = [
        paragraph(phrases.say("ui.filter", settings=record.event.settings))
        for record in started
        if isinstance(record.event, ev.Started)
    ]
    drops: dict[int, list[Record]] = {}
    for record in recent(journal, PULSES * slots * 2, "chip_dropped"):
        if isinstance(record.event, ev.ChipDropped):
            drops.setdefault(record.event.seat, []).append(record)
    rows = [_line(phrases, state, seat, drops.get(seat, [])[-PULSES:]) for seat in range(1, slots + 1)]
    heads = ("seat_head", "gaps", "last_chip", "least_gap", "noise", "late", "excess")
    noise = recent(journal, PULSES, "noise_seen")
    return joined(
        [
            *settings,
            table(phrases.say("ui.inputs"), [phrases.say(f"ui.{head}") for head in heads], rows, words=2),
            heading(phrases.say("ui.pulses_head")),
            _pulses(phrases, read_pulses(journal)),
            heading(phrases.say("ui.noise_head")),
            _records(phrases, phrases.say("ui.noise_head"), tuple(reversed(noise))),
        ]
    )


def _pulses(phrases: Phrases, kept: Mapping[str, tuple[Pulse, ...]]) -> Markup:
    """Width and gap of every line's last pulses, oldest left, as the running program saw them."""
    if not kept:
        return paragraph(phrases.say("ui.pulses_none"))
    rows = [
        (
            text(line),
            bars(
                [pulse.width_ns // MS for pulse in reversed(pulses)], phrases.say("ui.widths_of", line=line)
            ),
            bars([pulse.gap_ns // MS for pulse in reversed(pulses)], phrases.say("ui.pauses_of", line=line)),
            text(_span([pulse.width_ns for pulse in pulses])),
        )
        for line, pulses in sorted(kept.items())
    ]
    heads = [phrases.say(f"ui.{head}") for head in ("line", "widths", "pauses", "width_span")]
    return table(phrases.say("ui.pulses_head"), heads, rows, words=3)


def _span(widths_ns: list[int]) -> str:
    """The shortest and the longest width, in milliseconds with two decimals."""
    shortest, longest = (
        f"{each // MS}.{each % MS // 10_000:02d}" for each in (min(widths_ns), max(widths_ns))
    )
    return f"{shortest} - {longest} ms"


def _seats(phrases: Phrases, state: Table, values: dict[str, int]) -> Markup:
    counts = ("dropped", "accepted", "excess", "late", "voided", "noise", "tested")
    rows = [
        (text(str(seat)), *(text(str(values[f"seat_{seat}.{count}"])) for count in counts))
        for seat in range(1, len(state.seats) + 1)
    ]
    heads = [phrases.say("ui.seat_head"), *(phrases.say(f"meter.{count}") for count in counts)]
    return table(phrases.say("ui.per_seat"), heads, rows)


def _award(phrases: Phrases, record: Record, award: ev.AwardApproved, *, paid: bool) -> Sequence[Markup]:
    return (
        text(str(award.number)),
        text(_when(phrases, record)),
        text(str(award.seat)),
        text(phrases.word("hand", award.hand)),
        text(phrases.say("ui.paid" if paid else "ui.unpaid")),
        text(phrases.money(award.amount)),
        text(phrases.money(award.pot_before) if award.level else "–"),
        text(phrases.money(award.pot_after) if award.level else "–"),
        link(f"/awards/{award.number}?lang={phrases.language}", phrases.say("ui.proof")),
    )


def _movement(phrases: Phrases, movement: Movement) -> Sequence[Markup]:
    kind, _, number = movement.kind.partition(" ")
    what = phrases.say(f"movement.{kind.lower()}", number=number)
    return (
        text(f"#{movement.seq}"),
        text(f"{phrases.day(movement.wall_ns)} {phrases.time(movement.wall_ns, trusted=True)} · {what}"),
        text(phrases.money(movement.by)),
        text(phrases.money(movement.current)),
    )


def _approved(phrases: Phrases, award: ev.AwardApproved) -> dict[str, object]:
    return {
        "number": award.number,
        "seat": award.seat,
        "amount": phrases.money(award.amount),
        "hand": phrases.word("hand", award.hand),
    }


def _arithmetic(phrases: Phrases, award: ev.AwardApproved) -> str:
    if not award.share_ppm:
        return phrases.say("ui.by_table", source=award.source)
    key = "ui.by_cap" if award.capped else "ui.by_part" if award.parts > 1 else "ui.by_share"
    return phrases.say(
        key,
        share=percent(award.share_ppm),
        before=phrases.money(award.pot_before),
        parts=award.parts,
        source=award.source,
    )


def _one_round(phrases: Phrases, number: int, records: list[Record]) -> Markup:
    locked = next(
        (each for record in records for each in record.results if isinstance(each, ev.RoundLocked)), None
    )
    summary = phrases.say(
        "ui.round_summary",
        round=number,
        begin=_when(phrases, records[0]),
        end=phrases.time(records[-1].wall_ns, trusted=records[-1].wall_trusted),
        wagers=0 if locked is None else len(locked.seats),
    )
    return fold(summary, _records(phrases, summary, records))


def _records(phrases: Phrases, caption: str, records: Sequence[Record]) -> Markup:
    if not records:
        return paragraph("–")
    heads = [phrases.say(f"ui.{head}") for head in ("record", "when", "what")]
    return table(caption, heads, list(_record_rows(phrases, records)), words=3)


def _record_rows(phrases: Phrases, records: Sequence[Record]) -> Iterator[Sequence[Markup]]:
    for record in records:
        said = phrases.record(record)
        words = "; ".join([said.what, *said.became])
        yield text(f"#{said.seq}"), text(_when(phrases, record)), text(words)


def _line(phrases: Phrases, state: Table, seat: int, drops: list[Record]) -> Sequence[Markup]:
    gaps = [
        (after.at_ns - before.at_ns) // 1_000_000
        for before, after in pairwise(drops)
        if before.boot == after.boot
    ]
    counts = state.seats[seat - 1]
    label = phrases.say("ui.gaps_of", seat=seat, count=len(gaps))
    return (
        text(str(seat)),
        bars(gaps, label) if gaps else text("–"),
        text(_when(phrases, drops[-1]) if drops else "–"),
        text(f"{min(gaps)} ms" if gaps else "–"),
        text(str(counts.noise)),
        text(str(counts.late)),
        text(str(counts.excess)),
    )


def _round(record: Record) -> int:
    """The round a record belongs to: GAME OVER's state has begun the next one already."""
    ended = next((each.round for each in record.results if isinstance(each, ev.RoundEnded)), None)
    return record.state.round if ended is None else ended


def _figure(phrases: Phrases, name: str, value: int) -> str:
    return phrases.money(value) if is_money(name) else str(value)


def _when(phrases: Phrases, record: Record) -> str:
    return f"{phrases.day(record.wall_ns)} {phrases.time(record.wall_ns, trusted=record.wall_trusted)}"
