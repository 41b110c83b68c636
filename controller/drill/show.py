"""Draws a drilled table as one line of text: time, phase, lamps, slots, pot, and what the screen says."""

from controller.drill.play import Played
from controller.drill.statements import Expect
from controller.outputs import Lamp

GLYPHS = {
    Lamp.OFF: "·",
    Lamp.ATTRACT: "○",
    Lamp.PLACED: "◐",
    Lamp.ACCEPTED: "●",
    Lamp.WINNER: "★",
    Lamp.PROBLEM: "✗",
    Lamp.TEST: "□",
    Lamp.CHOSEN: "◎",
}


def picture(played: Played) -> str:
    """The statement and the table after it."""
    world, loop = played.world, played.world.loop
    text = played.statement.text
    if isinstance(played.statement, Expect):
        return f"    met: {text}"
    if loop is None:
        return f"{text:24s} without power"
    lamps = " ".join(GLYPHS[lamp] for lamp in loop.lamps)
    slots = "open  " if world.hal.outputs["slots"] else "LOCKED"
    seconds = world.clock.monotonic_ns() / 1_000_000_000
    state = f"{seconds:9.3f}s  {loop.table.phase:13s} [{lamps}] slots {slots} {world.hal.signs:>16s}"
    return "\n".join([f"{text:24s} {state}", *(f"{'':38s}{line}" for line in world.hal.screen)])
