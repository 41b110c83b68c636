"""Mishaps at every seam, as lines of a drill: power, medium, lines, devices, clock, threads."""

from controller.soak.play.player import Lines, Player
from hal.interface import Device


class Trouble:
    """What goes wrong at a player's table."""

    def __init__(self, player: Player, *, lossy: bool) -> None:
        self._player = player
        self._chance = player.chance
        self._lossy = lossy

    def scene(self) -> Lines:
        """One mishap."""
        player = self._player
        return player.scene(
            (10, player.loose),
            (25 if self._lossy else 0, self.cut_in_a_write),
            (4, lambda: iter(["power cut"])),
            (2, lambda: iter(["power kill"])),
            (2, player.off_and_on),
            (4, self.full),
            (3, self.failing_flush),
            (4, self.lost_witness),
            (4, self.floor),
            (14 if player.seen.shares else 0, self.link),
            (2, self.slow),
            (6, self.lost_edge),
            (5, self.double_edge),
            (6, self.bounce),
            (5, self.noise),
            (5, self.common_mode),
            (4, self.stuck_seat),
            (1.5, self.stuck_button),
            (2, self.chatter),
            (2, self.flood),
            (5, self.stall),
            (10, self.device),
            (3, self.clock),
            (4, self.freeze),
            (3, player.wild),
        )

    def cut_in_a_write(self) -> Lines:
        """Power goes at a write or flush of the disk itself."""
        yield f"cut_at {self._chance.randrange(8)} disk"

    def full(self) -> Lines:
        """Nothing can be stored for a while, and things happen."""
        part = self._player.one_of(("disk_full", "journal"))
        yield f"fail {part}"
        yield from self._things_happen()
        if self._player.happens(10):
            yield "power cut"
        yield f"mend {part}"
        yield "wait 1.1s"

    def failing_flush(self) -> Lines:
        """The next flush fails: the program must end, and is started again."""
        yield "fail fsync"
        yield from self._things_happen()

    def lost_witness(self) -> Lines:
        """The second copy cannot be written for a while."""
        yield "fail witness"
        yield from self._things_happen()
        yield from self._things_happen()
        if self._player.happens(60):
            yield "mend witness"
            yield "wait 1.1s"

    def floor(self) -> Lines:
        """The floor has what the journal lacks, for a while, or the link talks nonsense."""
        if self._player.happens(40):
            yield "floor garbles"
            return
        yield "floor ahead"
        yield from self._things_happen()
        if self._player.happens(60):
            yield "floor agrees"

    def link(self) -> Lines:
        """Other tables play and win; the line is lost, claims wait or are refused, the rules differ, for a while."""
        player = self._player
        way = self._chance.randrange(9)
        if way < 3:
            yield f"elsewhere {self._chance.randrange(200)}"
        elif way < 5:
            yield f"elsewhere wins {player.one_of(('royal_flush', 'straight_flush'))}"
        else:
            bad, good = player.one_of(
                (
                    *(("lost", "back"), ("holds", "answers"), ("holds", "answers")),
                    *(
                        ("refuses", "answers"),
                        ("refuses", "answers"),
                        ("differs", "agrees"),
                        ("differs", "agrees"),
                    ),
                )
            )
            yield f"link {bad}"
            yield player.one_of(("wait 1.1s", "wait 6s", "wait 60ms"))
            yield from self._things_happen()
            if player.happens(40):
                yield f"link {good}"
        if player.happens(50):
            yield "wait 1.1s"

    def slow(self) -> Lines:
        """A medium of a quarter of a second."""
        yield "slow 250ms"
        yield from self._things_happen()
        yield from self._things_happen()
        yield "slow 0ms"

    def _things_happen(self) -> Lines:
        player = self._player
        yield from player.chips(3)
        yield from player.press(player.one_of(("coin_in", "game_over")))
        if player.happens(30):
            yield player.wild_line()

    def _idle_seat(self) -> int:
        free = [seat for seat in self._player.seen.slots if not self._player.seen.active(f"seat_{seat}")]
        return self._player.one_of(free or [1])

    def lost_edge(self) -> Lines:
        """An edge is lost: the chip is found later, or not at all."""
        player = self._player
        line = player.one_of(
            (f"seat_{self._idle_seat()}", f"seat_{self._idle_seat()}", "coin_in", "game_over")
        )
        yield f"drop_edge {line} {player.one_of(('fall', 'rise'))}"
        yield f"wave {line} L {player.one_of(('40ms', '80ms'))} H 120ms"

    def double_edge(self) -> Lines:
        """An edge is told twice."""
        line = self._player.one_of((f"seat_{self._idle_seat()}", "coin_in", "game_over"))
        yield f"double_edge {line} {self._player.one_of(('fall', 'rise'))}"
        yield f"wave {line} L 60ms H 60ms"

    def bounce(self) -> Lines:
        """A chip that bounces."""
        yield f"wave seat_{self._idle_seat()} L 2ms H 1ms L 3ms H 500us L 40ms H 2ms L 1ms H 80ms"

    def noise(self) -> Lines:
        """Pulses too short to mean anything."""
        line = self._player.one_of(
            (f"seat_{self._idle_seat()}", "coin_in", "game_over", f"seat_{self._idle_seat()}")
        )
        yield f"wave {line} L {self._player.one_of(('1ms', '4ms', '9ms'))} H 20ms"

    def common_mode(self) -> Lines:
        """All lines together."""
        player = self._player
        seats = [seat for seat in player.seen.slots if not player.seen.active(f"seat_{seat}")]
        if len(seats) < 3:
            yield from player.free_lines()
            return
        some = self._chance.sample(seats, self._chance.randint(3, len(seats)))
        length = player.one_of(("3ms", "15ms", "30ms"))
        waves = "\n".join(f"  wave seat_{seat} H 1ms L {length} H 60ms" for seat in some)
        extra = "\n  wave coin_in H 8ms L 60ms H 60ms" if player.happens(25) else ""
        yield f"together\n{waves}{extra}\nend"

    def stuck_seat(self) -> Lines:
        """Something sticks in a slot."""
        seat = self._idle_seat()
        yield f"wave seat_{seat} L 1.1s"
        if self._player.happens(60):
            yield f"wave seat_{seat} H 60ms"
            yield from self._player.with_keys([f"seat {seat} open"], "supervisor")

    def stuck_button(self) -> Lines:
        """Something leans on a button."""
        button = self._player.one_of(("coin_in", "game_over"))
        yield f"wave {button} L 6.1s"
        if self._player.happens(70):
            yield f"wave {button} H 60ms"

    def chatter(self) -> Lines:
        """More pulses than chips can fall."""
        yield f"repeat 25\n  wave seat_{self._idle_seat()} L 11ms H 11ms\nend"

    def flood(self) -> Lines:
        """A line floods the inbox."""
        line = self._player.one_of((f"seat_{self._idle_seat()}",) * 3 + ("game_over",))
        yield f"flood {line} 1200"
        yield "wait 60ms"

    def stall(self) -> Lines:
        """A device takes what it is told and shows nothing, for a while; then it may be told to be lost."""
        device = self._player.one_of(("sign", "screen"))
        yield f"stall {device} {self._player.one_of(('500ms', '2s'))}"
        yield from self._things_happen()
        if self._player.happens(20):
            yield f"fail {device}"

    def device(self) -> Lines:
        """A device is lost, or found again."""
        device = self._player.one_of(
            (Device.SIGN, Device.SIGN, Device.SCREEN, Device.KEYPAD, Device.HOST, Device.HOST)
        )
        if self._player.seen.lost(device):
            yield f"mend {device}"
            return
        yield f"fail {device}"
        if self._player.happens(60):
            yield from self._things_happen()
            yield f"mend {device}"

    def clock(self) -> Lines:
        """The wall clock steps."""
        yield f"clock {self._player.one_of(('+1h', '-13d', '-3s', '+400d'))}"
        yield "wait 60ms"

    def freeze(self) -> Lines:
        """The loop stands still while chips and presses go on."""
        player = self._player
        seat = self._idle_seat()
        length = player.one_of(("30ms", "300ms", "700ms", "2500ms"))
        waves = f"  wave seat_{seat} H 5ms L 40ms H 60ms\n  wave coin_in H 20ms L 60ms H 60ms"
        yield f"together\n  freeze {length}\n{waves}\nend"
        yield "wait 60ms"
