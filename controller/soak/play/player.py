"""The player all games share: chances from one seed, keys, buttons, power, and acts that belong to no moment.

Each method is a scene: it yields lines of a drill, and may look at the table again after each.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from controller.soak.play.seen import Seen

T = TypeVar("T")
Lines = Iterator[str]
Scene = Callable[[], Lines]

WORDS = ("because", "of", "this", "and", "that")
CODES = (
    *("sign_lost", "host_lost", "screen_lost", "keypad_lost", "common_mode", "line_noisy", "coin_in_stuck"),
    *("storage_low", "journal_held", "seat_jammed", "lamp_dead", "storage_failed", "button_overflow"),
)
BY_THEMSELVES = frozenset(
    {
        "sign_lost",
        "host_lost",
        "screen_lost",
        "keypad_lost",
        "coin_in_stuck",
        "game_over_stuck",
        "witness_lost",
        *("link_unknown", "link_disagrees", "claim_refused"),
    }
)
"""Faults that go with their cause."""
PEOPLE = {"supervisor": ("7", "2580"), "technician": ("9", "9731")}
"""Who stands behind each key where PINs are asked for: number and PIN."""
HANDS = (
    *("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush", "straight"),
    *("three_of_a_kind", "two_pair", "pair", "high_card"),
)
VOIDS = (
    "no_ante",
    "wrong_card_count",
    "exposed_cards",
    "player_left",
    "machine_fault",
    "other",
    "cards_seen",
)
RANKS, SUITS = "23456789TJQKA", "shdc"


class Player:
    """Plays for ever; `rounds` are counted elsewhere."""

    def __init__(self, seed: int, seen: Seen) -> None:
        self.chance = random.Random(seed)  # noqa: S311, a run that can be played again, not a secret
        self.seen = seen
        self._transfers = 0

    def happens(self, percent: float) -> bool:
        """A chance of so many in a hundred."""
        return self.chance.random() * 100 < percent

    def one_of(self, choices: Sequence[T]) -> T:
        """Any of them."""
        return self.chance.choice(choices)

    def scene(self, *weighted: tuple[float, Scene]) -> Lines:
        """One of these scenes, by weight."""
        weights = [weight for weight, _ in weighted]
        return self.chance.choices([scene for _, scene in weighted], weights)[0]()

    def seat(self) -> int:
        """Any seat with a slot."""
        return self.one_of(self.seen.slots)

    def some_seats(self, most: int) -> list[int]:
        """Some seats with a slot, in any order, none twice."""
        slots = list(self.seen.slots)
        return self.chance.sample(slots, self.chance.randint(0, min(most, len(slots))))

    def amount(self, most: int) -> str:
        """An amount of money as this currency writes it; `most` in whole units."""
        whole = self.chance.randint(0, most)
        return (
            str(whole)
            if self.seen.rules.get("currency") == "CLP"
            else f"{whole}.{self.chance.randint(0, 99):02d}"
        )

    def money(self, whole: int) -> str:
        """So many whole units of money as this currency writes them."""
        return str(whole) if self.seen.rules.get("currency") == "CLP" else f"{whole}.00"

    # Keys and buttons.

    def key(self, key: str, *, on: bool) -> Lines:
        """Turn a key, if it is not there already."""
        if self.seen.active(key) is on:
            return
        yield f"key {key} {'on' if on else 'off'}"
        if on and key in self.seen.pins:
            yield from self.identify(key)

    def identify(self, key: str) -> Lines:
        """The person behind a key enters his number and PIN, seldom a wrong one or none."""
        if self.happens(10):
            return
        number, pin = PEOPLE[key]
        digits = pin if not self.happens(6) else "1357"
        leave = " CLEAR" if digits == pin and self.happens(85) else ""
        yield f"pad {number} ENTER {' '.join(digits)} ENTER{leave}"
        if digits != pin and self.happens(70):
            if self.happens(50):
                yield "wait 2.1s"
            yield f"pad {number} ENTER {' '.join(pin)} ENTER"

    def with_keys(self, lines: Sequence[str], *keys: str) -> Lines:
        """Do this with these keys turned; most people turn them back."""
        for key in keys:
            yield from self.key(key, on=True)
        yield from lines
        if self.happens(90):
            for key in reversed(keys):
                yield from self.key(key, on=False)

    def press(self, button: str) -> Lines:
        """A press as a finger makes it, seldom a very short or a very long one."""
        if self.seen.active(button):
            yield f"wave {button} H 40ms"
        yield f"press {button} {self.one_of(('30ms', '60ms', '60ms', '120ms', '15ms' if self.happens(5) else '40ms'))}"

    def game_over(self) -> Lines:
        """GAME OVER."""
        return self.press("game_over")

    # Power and order.

    def come_back(self) -> Lines:
        """The power was gone. Sometimes the files were damaged meanwhile, or something is administered first."""
        if not self.seen.empty and not self.seen.broken:
            yield from self._meanwhile()
        if self.happens(5):
            yield from self.loose()
        yield "power back"

    def _meanwhile(self) -> Lines:
        if self.happens(8):
            yield f"rot {self.chance.randrange(10**6)}"
        if self.happens(14):
            yield f"turn_back {self.chance.randint(1, 30)}"
        if self.happens(4) and self.seen.has_slots:
            yield f"spoil {self.one_of(('slot-a', 'slot-b', 'both'))} {self.chance.randrange(10**6)}"
        if self.happens(4):
            yield "self_test"
        if self.happens(5):
            yield "unlock Ana supervisor"
        if self.happens(5):
            yield "rekey lost"
        if self.happens(12):
            yield f"{self.one_of(('accept', 'edit'))} {self.other_value()}"

    def other_value(self) -> str:
        """Another value for the file."""
        rules = self.seen.rules
        clp = rules.get("currency") == "CLP"
        options = [f"policies.require_sign {self.one_of(('true', 'false'))}"]
        if not self.seen.shares:  # there the policy is that of the link
            options.append(f"policies.require_host {self.one_of(('true', 'false', 'false'))}")
        if rules.get("wager"):
            options.append(
                f"wager.amount {self.one_of((5, 10, 20)) * (100 if clp else 1)}{'' if clp else '.00'}"
            )
        for level in rules.get("levels", ()):
            name = level["name"]
            options.append(f"pot.{name}.increment_rate_ppm {self.one_of((333_333, 500_000, 700_001))}")
            options.append(f"pot.{name}.reserve_rate_ppm {self.one_of((0, 77_777, 50_000))}")
        return self.one_of(options)

    def loose(self) -> Lines:
        """A plug that will go at some step soon."""
        step = self.one_of(
            ("", " levels", " write", " written", " lamp", " slots", " release", " screen", " sign")
        )
        yield f"{self.one_of(('cut_at', 'cut_at', 'kill_at'))} {self.chance.randrange(12 if not step else 4)}{step}"

    def put_right(self) -> Lines:
        """Both key holders clear every fault and open what is closed."""
        yield from self.free_lines()
        for device in self.seen.lost_devices:
            if self.happens(90):
                yield f"mend {device}"
        if "witness_lost" in self.seen.faults:
            yield from ("mend witness", "wait 1.1s")
        if "floor_disagrees" in self.seen.faults:
            yield "floor agrees"
        if self.seen.shares:
            yield from ("link back", "link answers", "link agrees", "wait 2.1s")
        if self.seen.phase == "test":
            yield from self.key("technician", on=False)
        yield from self.key("supervisor", on=True)
        left = [
            code for code in dict.fromkeys(self.seen.faults) if code not in BY_THEMSELVES or self.happens(5)
        ]
        if left:
            yield from self.key("technician", on=True)
        for code in left:
            yield f"clear_fault {code}"
        if self.seen.phase == "closed":
            yield self.one_of(("open", "open", "open", f"open dead {self.seat()}"))
        if self.seen.phase == "open":
            for seat in self.seen.closed_seats:
                yield f"seat {seat} open"
        yield from self.key("technician", on=False)
        yield from self.key("supervisor", on=False)

    def free_lines(self) -> Lines:
        """Whatever sticks comes loose."""
        for line in self.seen.lines_down:
            yield f"wave {line} H 60ms"

    def shut(self) -> Lines:
        """The supervisor closes the table."""
        return self.with_keys(["close"], "supervisor")

    def stand_up(self) -> Lines:
        """A closed table: opened, tried, corrected, or left for a while."""
        return self.scene(
            (60, self.put_right),
            (14, self.test),
            (40, self.correct),
            (25, self.wild),
            (4, self.off_and_on),
            (2, lambda: iter(["wait 61s"])),
            (20 if self.seen.shares else 0, self.the_floor_speaks),
        )

    def off_and_on(self) -> Lines:
        """Switched off in order."""
        yield self.one_of(("power off", "power off", "thread_dies"))

    def test(self) -> Lines:
        """The technician's key alone: TEST; what belongs in it is played by `in_test`."""
        yield from self.key("supervisor", on=False)
        yield from self.key("technician", on=True)

    def in_test(self) -> Lines:
        """Chips and buttons that count on the test counters only."""
        return self.scene(
            (20, lambda: self.chips(4)),
            (8, self.game_over),
            (8, lambda: self.press("coin_in")),
            (40, self.wild),
            (2, lambda: iter(["wait 61s"])),
            (3, lambda: iter(["press game_over 1.1s"])),
            (20 if "witness_lost" in self.seen.faults else 0, lambda: iter(["mend witness", "wait 1.1s"])),
            (20 if "floor_disagrees" in self.seen.faults else 0, lambda: iter(["floor agrees"])),
            (30 if self.seen.shares else 0, self.the_floor_speaks),
            (12, lambda: self.key("technician", on=False)),
        )

    def the_floor_speaks(self) -> Lines:
        """What the floor may have to say of linked pots where nobody plays."""
        words = ("answers", "answers", "refuses", "differs", "agrees")
        yield from (f"link {self.one_of(words)}", "wait 1.1s", "give_up_claim 1 lost")

    def chips(self, most: int) -> Lines:
        """Some chips; seldom one twice."""
        seats = self.some_seats(most)
        if seats and self.happens(6):
            seats.append(self.one_of(seats))
        free = [seat for seat in seats if not self.seen.active(f"seat_{seat}")]
        if free:
            yield f"chip {' '.join(map(str, free))}"

    def correct(self) -> Lines:
        """What needs both keys: corrections and transfers."""
        levels = self.seen.levels or ["main"]
        level = self.one_of([*levels, *levels, "mini"])
        lines = [self._both_keys(level)]
        if self.happens(50):
            lines.append("again")
        if self.happens(50):
            lines.append(self._both_keys(level))
        return self.with_keys(lines, "supervisor", "technician")

    def _both_keys(self, level: str) -> str:
        self._transfers += 1
        name = f"T{self._transfers}"
        amount = self.amount(200_000)
        return self.one_of(
            (
                f"correct {level} {amount} counted again",
                f"send {name} {level} {self.amount(300)} mvd-08 moved",
                f"receive {name} {level} {self.amount(300)} mvd-08",
                f"receive {self.one_of(('T1', 'T2', name))} {level} {self.amount(300)} mvd-08",
                f"move {level} {self.one_of(('main', 'mini'))} {self.amount(300)} moved",
                self.one_of(("ask_update", "ask_backup")),
            )
        )

    # Acts at the wrong moment.

    def wild(self) -> Lines:
        """Some act, whether it belongs here or not; sometimes told twice."""
        yield self.wild_line()
        if self.happens(15):
            yield "again"

    def wild_line(self) -> str:
        """An act of any role."""
        seat = self.chance.randint(0, self.seen.seats + 1) if self.happens(20) else self.seat()
        return self.one_of((*self._of_the_table(seat), *self._of_a_seat(seat), *self._of_the_bank(seat)))

    def _of_the_table(self, seat: int) -> tuple[str, ...]:
        return (
            "open",
            "close",
            f"dealer {self.chance.randint(1, 99)}",
            "late_lock",
            "count_right",
            f"discrepancy {self.chance.randint(0, 7)}",
            "accept_discrepancy",
            f"void round {self.one_of(VOIDS)}",
            "bank_not_opened",
            "approve",
            f"clear_fault {self.one_of(CODES)}",
            f"notice {self.one_of(('storage_low', 'journal_held'))}",
            self._both_keys("main"),
            f"seat {seat} {self.one_of(('open', 'closed'))}",
            *(("give_up_claim 1 lost",) if self.seen.shares else ()),
        )

    def _of_a_seat(self, seat: int) -> tuple[str, ...]:
        return (
            f"void {seat} {self.one_of(VOIDS)}",
            f"fold {seat}",
            f"buy {seat}",
            f"claim {seat} {self.one_of(HANDS)}",
            f"cards {seat} {self.cards(5)}",
            f"withdraw {seat}",
            f"reject {seat} {self.one_of(WORDS)}",
            f"paid {seat}",
            f"dispute {seat}",
        )

    def _of_the_bank(self, seat: int) -> tuple[str, ...]:
        side = self.one_of(("punto", "banca"))
        return (
            f"seated {self.chance.randint(0, 9)}",
            f"shoe {self.chance.randint(0, 20)}",
            "red_card",
            "burn",
            f"cards_left {self.chance.randint(0, 300)}",
            f"hands {self.ranks()} - {self.ranks()}",
            f"result {side}",
            "doubt",
            f"bank {seat} {self.money(self.one_of((1000, 1500, 2000, 150)))}",
            f"raise {self.money(self.one_of((100, 150, 1000)))}",
            f"take_out {self.money(self.one_of((100, 150, 1000)))}",
            "suite",
            "give_up",
            f"leave {seat} {side} {self.money(self.chance.randint(0, 300))}",
            f"take_back {seat} {side}",
        )

    def cards(self, count: int) -> str:
        """So many cards of one deck."""
        deck = [rank + suit for rank in RANKS for suit in SUITS]
        return " ".join(self.chance.sample(deck, count))

    def ranks(self) -> str:
        """A hand of Punto y Banca."""
        return " ".join(
            self.chance.choices(("A", *map(str, range(2, 11)), "V", "D", "R"), k=self.one_of((2, 2, 3)))
        )

    # The dealer's menu.

    def menu(self) -> Lines:
        """Two buttons: held to open and to choose, short to go on."""
        yield "press game_over 1.1s"
        for _ in range(self.chance.randint(0, 5)):
            yield self.one_of(("press game_over 60ms", "press game_over 60ms", "press game_over 1.1s"))
        if self.happens(80):
            yield from ("press coin_in 60ms", "press coin_in 60ms")

    def keypad(self) -> Lines:
        """Keys of the keypad, some of them in an order that means something."""
        first = self.one_of(
            ("ENTER", "CLEAR", "3", "CLAIM", "APPROVE", "PAID", "VOID_SEAT", "DISPUTE", "METERS")
        )
        more = self.chance.choices(
            ("1", "2", "3", "ENTER", "ENTER", "CLEAR", "0", "9"), k=self.chance.randint(0, 5)
        )
        leave = ("CLEAR",) * 3 if self.happens(80) else ()
        yield f"pad {' '.join((first, *more, *leave))}"
