"""A table of Punto y Banca: the shoe, the bank, hands and results, as seed 001 has them."""

from controller.soak.play.player import Lines, Player


class Bank(Player):
    """Punto y Banca."""

    def next_scene(self) -> Lines:
        """What the table's people do next, by its phase."""
        match self.seen.phase:
            case "closed":
                return self.stand_up()
            case "test":
                return self.in_test()
            case "locked":
                return self.locked()
            case _:
                return self.open()

    def open(self) -> Lines:
        """Bets are open."""
        punto = self.seen.state.get("punto", {})
        shoe = punto.get("shoe")
        fresh = shoe is None or shoe.get("over") or shoe.get("most", 99) < 20
        return self.scene(
            (70, lambda: self.press("coin_in")),
            (60 if fresh else 0.3, self.shoe),
            (
                60 if not punto.get("begun") and punto.get("seated", 0) < 5 else 0.3,
                lambda: iter(["seated 6"]),
            ),
            (20 if not punto.get("bank") else 0.5, self.take_bank),
            (3, self.bankers_act),
            (3, self.left_bets),
            (1, lambda: iter([self.one_of(("burn", "red_card", "cards_left 40"))])),
            (120 if self.seen.stuck else 4 if self.seen.faults else 0.3, self.put_right),
            (3, self.shut),
            (2, self.wild),
            (0.2, self.menu),
            (0.3, self.keypad),
            (1, self.hurry_to_test),
            (0.4, lambda: iter(["wait 1.2s"])),
        )

    def shoe(self) -> Lines:
        """The table chief makes a shoe."""
        return self.with_keys([f"shoe {self.one_of((7, 7, 10, 14))}"], "supervisor")

    def take_bank(self) -> Lines:
        """Somebody holds the bank."""
        free = " free" if self.happens(10) else ""
        yield f"bank {self.chance.randint(1, max(self.seen.seats, 1))} {self.one_of((1000, 2000, 60_000))}.00{free}"

    def bankers_act(self) -> Lines:
        """The banker raises, takes out, passes on or leaves."""
        yield self.one_of(
            ("raise 100.00", "raise 1000.00", "take_out 100.00", "take_out 500.00", "suite", "give_up")
        )

    def left_bets(self) -> Lines:
        """Bets that stay, and some that are taken back."""
        seat, side = self.seat(), self.seen.state.get("punto", {}).get("last", "banca")
        yield f"leave {seat} {side} {self.chance.randint(1, 300)}.00"
        if self.happens(30):
            yield f"take_back {seat} {side}"

    def locked(self) -> Lines:
        """The deal."""
        if not self.seen.state.get("punto", {}).get("result") and not self.seen.state["punto"].get("void"):
            return self.scene(
                (60, self.result),
                (20, self.hands),
                (3, lambda: self.with_keys(["void round cards_seen"], "supervisor")),
                (2, lambda: iter(["doubt"])),
                (1, lambda: iter(["give_up"])),
                (2, lambda: iter([f"bank {self.seat()} 1000.00"])),
                (1, lambda: iter([self.one_of(("burn", "red_card", "cards_left 40", "suite"))])),
                (2, self.wild),
                (1, self.game_over),
                (0.3, self.keypad),
                (0.2, self.menu),
            )
        return self.scene(
            (70, self.game_over),
            (2, self.wild),
            (1, self.result),
            (1, lambda: self.with_keys(["void round not_face_up"], "supervisor")),
            (1, lambda: self.press("coin_in")),
            (1, lambda: iter(["wait 1.2s"])),
        )

    def result(self) -> Lines:
        """What was announced, with the amount where a bank has it entered."""
        result = self.one_of(("punto", "banca", "banca", "encart"))
        bank = self.seen.state["punto"].get("bank")
        amount = ""
        if bank and result != "encart":
            whole = bank["stake"] // 100
            amount = f" {self.chance.randint(0, whole)}.{self.one_of(('00', '37'))}" if whole else " 0.00"
        yield f"result {result}{amount}"

    def hands(self) -> Lines:
        """The cards as they lie there."""
        yield f"hands {self.one_of(('', '', '', 'dealer '))}{self.ranks()} - {self.ranks()}"

    def hurry_to_test(self) -> Lines:
        """A void round, closed and into TEST, before the release pulse is over."""
        yield from self.key("supervisor", on=True)
        yield from ("press coin_in 30ms", "void round other", "press game_over 30ms", "close")
        if self.happens(70):
            yield from ("key supervisor off", "key technician on")
        yield "wait 400ms"
