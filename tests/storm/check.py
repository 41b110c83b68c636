"""The floor against the journals, to the unit, by the account that is made of these alone."""

import json
from fractions import Fraction

from controller.floor import Answer
from controller.floor.figures import figures
from controller.floor.office import Office
from controller.floor.whole import whole
from tests.helpers_floor import Hall
from tests.storm.account import ROYAL, Account, Book
from tests.storm.files import LINK, MAIN, money
from tests.storm.house import House
from tests.storm.plan import Tally
from tests.storm.table import StormTable

SIGN_S = 120.0
FOREVER_NS = 2**62


def spoken(units: int) -> str:
    """As a sign in Montevideo says it."""
    return f"{units // 100:,}.{units % 100:02}".translate(str.maketrans(",.", ".,"))


def every_sign_shows_the_pot(hall: Hall, tables: list[StormTable]) -> None:
    """All rounds are played: each sign comes to show the floor's amount, and none says it might be another."""
    for table in tables:
        shown = lambda: f"$ {spoken(_pot(hall))}" in table.sign() and "ÚLTIMO" not in table.sign().upper()  # noqa: E731, B023
        assert table.wait(shown, SIGN_S), (
            f"{table.name} shows {table.sign()}, the pot is {spoken(_pot(hall))}"
        )


def _pot(hall: Hall) -> int:
    return whole(hall.one("SELECT current FROM pozo.levels WHERE link = %s", LINK))


def check(house: House, books: list[Book], replayed: dict[str, dict[int, Answer]], tally: Tally) -> None:
    """All of it; raises at the first difference."""
    pot = _wins(house.hall, books, tally)
    _link(house.hall, books, pot)
    for book in books:
        _table(house.hall, book)
        _said_again(book, replayed[book.name])
        house.office("reconcile", "--journal", house.folder / f"{book.name}.db", "--table", book.name)
    _report(house.hall, books, pot)
    house.office("check")
    assert house.hall.rows("SELECT kind, table_id, detail FROM pozo.alarms") == []
    tally.add("records", sum(book.last for book in books))
    tally.add("rounds", sum(len(book.stakes) + book.empty for book in books))
    tally.add("wagers", sum(book.staked for book in books) // 1_000)
    tally.add("starts of tables", sum(book.starts for book in books))
    tally.add("times a table lost the floor", sum(book.hosts_lost for book in books))
    tally.add("awards", sum(len(book.awards) for book in books))


def _wins(hall: Hall, books: list[Book], tally: Tally) -> Account:
    """Every win of the link in its order: from the stakes up to its cut, each amount; the pot after them all."""
    by_name = {book.name: book for book in books}
    pot, before = Account(MAIN), dict.fromkeys(by_name, 0)
    claims = hall.rows(
        "SELECT claim_no, claim_id, table_id, round, seq, amount, cut, told FROM pozo.claims WHERE link = %s"
        " ORDER BY claim_no",
        LINK,
    )
    for place, (number, claim, name, round_, seq, amount, cut, told) in enumerate(claims, start=1):
        book = by_name[str(name)]
        made = int(str(claim).removeprefix(f"{name}/").partition("/")[0])
        asked, answered = book.asked[made], book.answered[made]
        assert (place, asked.seq, asked.round) == (whole(number), whole(seq), whole(round_))
        assert (answered.order, answered.told) == (place, json.loads(str(told)))
        upto = before | {table: whole(last) for table, last in dict(cut).items()}  # type: ignore[call-overload]
        assert all(upto[table] >= before[table] for table in upto), "a stake never leaves the pot"
        assert book.staked_upto(upto[book.name]) == book.staked_upto(asked.seq), "its own, and none after it"
        before = upto
        pot.staked = sum(each.staked_upto(upto[each.name]) for each in books)
        won = pot.serve(asked.hands)
        awards = [each for each in answered.told if each["kind"] == "award_approved"]
        assert [(each["seat"], each["hand"], each["amount"], each["pot_before"]) for each in awards] == won
        assert [each["number"] for each in awards] == list(range(made, made + len(awards)))
        assert sum(each.amount for each in won) == whole(amount)
        assert sum(each["kind"] == "pot_reset" for each in answered.told) == (ROYAL in asked.hands.values())
        tally.add("claims answered once")
        tally.add("winners of the linked pot", len(won))
    assert len(claims) == sum(len(book.answered) for book in books)
    pot.staked = sum(book.staked for book in books)
    return pot


def _link(hall: Hall, books: list[Book], pot: Account) -> None:
    """The level's own row."""
    (row,) = hall.rows(
        "SELECT current, reserve_pool, overflow_meter, in_meter, contributed, wins_meter, hits_meter, house_funding,"
        " imbalance, carry, reserve_carry FROM pozo.levels WHERE link = %s",
        LINK,
    )
    rest = (
        Fraction(pot.staked * MAIN.increment_ppm, 10**6) % 1,
        Fraction(pot.staked * MAIN.reserve_ppm, 10**6) % 1,
    )
    assert [whole(value) for value in row] == [
        pot.current,
        pot.reserve,
        0,
        pot.staked,
        pot.staked * (MAIN.increment_ppm + MAIN.reserve_ppm),
        pot.prizes,
        pot.wins,
        MAIN.base + pot.house,
        0,
        *(int(each * 10**6) for each in rest),
    ]
    assert whole(hall.one("SELECT count(*) FROM pozo.members WHERE link = %s", LINK)) == len(books)


def _table(hall: Hall, book: Book) -> None:
    """Each contribution and each award of a table."""
    contributions = hall.rows(
        "SELECT seq, staked FROM pozo.contributions WHERE table_id = %s AND link = %s ORDER BY seq",
        book.name,
        LINK,
    )
    assert [(whole(seq), whole(staked)) for seq, staked in contributions] == [
        (stake.seq, stake.amount) for stake in book.stakes
    ]
    awards = hall.rows(
        "SELECT number, seat, hand, amount, paid_seq IS NOT NULL FROM pozo.awards WHERE table_id = %s ORDER BY number",
        book.name,
    )
    assert [(whole(number), *rest) for number, *rest in awards] == [
        (number, award["seat"], award["hand"], award["amount"], True)
        for number, award in sorted(book.awards.items())
    ]


def _said_again(book: Book, replayed: dict[int, Answer]) -> None:
    """Whoever asked again was told what the table was told."""
    for made, answer in replayed.items():
        known = book.answered[made]
        amounts = [each["amount"] for each in known.told if each["kind"] == "award_approved"]
        assert (
            answer.number,
            [getattr(each, "amount", None) for each in answer.told if hasattr(each, "seat")],
        ) == (
            known.order,
            amounts,
        )


def _report(hall: Hall, books: list[Book], pot: Account) -> None:
    """The floor's report over all time."""
    found = figures(Office(hall.owner), 0, FOREVER_NS)
    assert found.sound
    for told, book in zip(found.tables, sorted(books, key=lambda each: each.name), strict=True):
        won = sum(award["amount"] for award in book.awards.values())
        assert (told.table_id, told.last) == (book.name, book.last)
        assert (told.rounds, told.wagered, told.to_links) == (
            len(book.stakes) + book.empty,
            book.staked,
            book.staked,
        )
        assert (told.awards, told.awarded, told.paid, told.unpaid) == (len(book.awards), won, won, 0)
        assert told.liability == book.own.current, money(told.liability)
        assert [told.late, told.excess] == list(book.counted.values())
        # A report of any span begins where the table first knew the date: after the bench has opened it.
        assert told.faults == sum(seq >= told.first for seq in book.faults)
    (link,) = found.links
    claims = sum(len(book.answered) for book in books)
    assert (link.staked, link.claims, link.won) == (pot.staked, claims, pot.prizes)
    assert (link.current, link.reserve_pool, link.liability) == (
        pot.current,
        pot.reserve,
        pot.current + pot.reserve,
    )
