"""A table with wagers, awards and perhaps a pot: rounds as its people play them."""

from controller.soak.play.player import Lines, Player, Scene

LATE = ("no_ante", "player_left", "wrong_card_count", "exposed_cards", "other", "machine_fault")

RACES = (("3ms", "3ms"), ("3ms", "3ms"), ("3ms", "4ms"), ("4ms", "3ms"), ("3ms", "3001us"), ("0us", "2ms"))
"""When the chip falls and when COIN IN does."""


class Poker(Player):
    """Poker with or without a progressive."""

    def next_scene(self) -> Lines:
        """What the table's people do next, by its phase."""
        match self.seen.phase:
            case "closed":
                return self.stand_up()
            case "test":
                return self.in_test()
            case "award_pending":
                return self.pending()
            case "locked":
                return self.locked()
            case _:
                return self.open()

    def open(self) -> Lines:
        """Bets are open."""
        return self.scene(
            (80, self.bets),
            (120 if self.seen.stuck else 4 if self.seen.faults else 0.3, self.put_right),
            (2, self.claim_afterwards),
            (2.5, self.shut),
            (1, self.wild),
            (0.2, self.menu),
            (0.3, self.keypad),
            (1, self.seat_by_hand),
            (0.7, lambda: self.with_keys(["late_lock"], "supervisor")),
            (0.7, self.hurry_to_test),
            (0.5, lambda: iter([f"void {self.seat()} no_ante"])),
            (0.3, lambda: iter(["wait 1.2s"])),
        )

    def bets(self) -> Lines:
        """Chips, and COIN IN; sometimes both at once."""
        if self.happens(12):
            yield from self.chips(3)
        yield from self.chips(7)
        if self.happens(8):
            yield from self.race()
        else:
            yield from self.press("coin_in")

    def race(self) -> Lines:
        """A chip and COIN IN within three milliseconds."""
        seat = self.seat()
        if not self.seen.active(f"seat_{seat}") and not self.seen.active("coin_in"):
            chip, press = self.one_of(
                (("3ms", "3ms"), ("3ms", "4ms"), ("4ms", "3ms"), ("3ms", "3001us"), ("0us", "2ms"))
            )
            yield (
                f"together\n  wave seat_{seat} H {chip} L 40ms H 60ms\n"
                f"  wave coin_in H {press} L 60ms H 60ms\nend"
            )

    def locked(self) -> Lines:
        """The cards are dealt."""
        return self.scene(
            (60, self.game_over),
            (9, self.claims),
            (3, lambda: self.chips(2)),
            (3, self.count),
            (2, lambda: iter([f"{self.one_of(('fold', 'buy'))} {self.taking()}"])),
            (2, lambda: self.with_keys([f"void {self.taking()} {self.one_of(LATE)}"], "supervisor")),
            (0.7, lambda: self.with_keys(["void round exposed_cards"], "supervisor")),
            (1, lambda: iter([f"dispute {self.taking()}"])),
            (1, lambda: self.press("coin_in")),
            (1, lambda: iter(["bank_not_opened"])),
            (1, self.wild),
            (0.2, self.menu),
            (0.3, self.keypad),
            (0.4, lambda: iter(["wait 1.2s"])),
            (2 if self.seen.faults else 0, self.put_right),
        )

    def taking(self) -> int:
        """A seat with an accepted wager, if there is one."""
        return self.one_of(self.seen.wagers("accepted") or [self.seat()])

    def count(self) -> Lines:
        """The chips in the bucket are counted."""
        if self.happens(60):
            yield "count_right"
            return
        yield f"discrepancy {self.chance.randint(0, 7)}"
        if self.happens(70):
            yield from self.with_keys(["accept_discrepancy"], "supervisor")

    def claims(self) -> Lines:
        """Hands that win are shown; what is claimed waits for the supervisor."""
        seats = self.seen.may_win
        if not seats or not self.seen.hands:
            yield "wait 60ms"
            return
        for seat in self.chance.sample(seats, min(len(seats), self.one_of((1, 1, 1, 2, 3)))):
            hand = self.one_of(self.seen.hands if self.happens(40) else [*self.seen.hands[2:], "flush"])
            yield f"claim {seat} {hand}"

    def claim_afterwards(self) -> Lines:
        """GAME OVER was pressed too early: the supervisor lets the round just ended be claimed."""
        yield from self.key("supervisor", on=True)
        yield from self.claims()

    def pending(self) -> Lines:
        """Claims wait."""
        seat = self.one_of(self.seen.claims or [1])
        return self.scene(
            (50, self.approve),
            (6, lambda: iter([f"withdraw {seat}"])),
            (
                6,
                lambda: self.with_keys(
                    [f"reject {seat} {self.one_of(('wrong', 'none of it'))}"], "supervisor"
                ),
            ),
            (6, self.claims),
            (5, lambda: iter([f"cards {seat} {self.cards(self.seen.rules.get('dealt') or 5)}"])),
            (3, self.game_over),
            (2, lambda: self.press("coin_in")),
            (2, lambda: self.chips(2)),
            (10, self.wild),
            (2, lambda: iter([f"dispute {seat}"])),
            (1, self.menu),
            (1, lambda: iter(["wait 700ms"])),
            (0.3, lambda: iter(["wait 61s"])),
            (12 if self.seen.shares else 0, self.refused_meanwhile),
            (12 if self.seen.shares else 0, self.closed_meanwhile),
        )

    def refused_meanwhile(self) -> Lines:
        """The floor refuses an approved win of a linked pot while another hand is being looked at."""
        yield from self._refused_after(self.claims)
        if self.happens(30):
            yield "give_up_claim 1 lost"
        if self.happens(70):
            yield "link answers"

    def closed_meanwhile(self) -> Lines:
        """The table is closed for the night while the floor keeps its answer, which is no."""
        yield from self._refused_after(self.game_over, lambda: self.with_keys(["close"], "supervisor"))
        if self.happens(70):
            yield "link answers"

    def _refused_after(self, *meanwhile: Scene) -> Lines:
        yield "link holds"
        yield from self.approve()
        for scene in meanwhile:
            yield from scene()
        yield from ("link refuses", "wait 1.1s")

    def approve(self) -> Lines:
        """Approved, and usually paid at once; a second payment is tried now and then."""
        if self.happens(8):
            yield "approve"
        lines = ["approve"]
        if self.happens(20):
            lines.append("again")
        yield from self.with_keys(lines, "supervisor")
        for seat in self.seen.unpaid:
            if self.happens(85):
                yield f"paid {seat}"
                if self.happens(15):
                    yield self.one_of((f"paid {seat}", "again"))

    def seat_by_hand(self) -> Lines:
        """A seat is closed, or opened again."""
        if self.happens(50):
            yield f"seat {self.seat()} closed"
        else:
            seat = self.one_of(self.seen.closed_seats or [self.seat()])
            yield from self.with_keys([f"seat {seat} open"], "supervisor")

    def hurry_to_test(self) -> Lines:
        """A round, closed and into TEST, before the release pulse is over."""
        yield from self.key("supervisor", on=True)
        yield from ("press coin_in 30ms", "press game_over 30ms", "close")
        if self.happens(70):
            yield from ("key supervisor off", "key technician on")
        yield "wait 400ms"
