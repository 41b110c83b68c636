"""Words the self-test in one language, parts by their name and their pin: `asiento 3 (GPIO6 = pin 31)`."""

import gettext
from collections.abc import Sequence

from controller.selftest.plan import Kind, Step
from controller.selftest.texts import Part, Say
from controller.selftest.walk import Said
from controller.words import CATALOGUES


class Phrases:
    """The catalogue `selftest` of one language. `steps` are the parts that can be named."""

    def __init__(self, language: str, steps: Sequence[Step]) -> None:
        self._catalogue = gettext.translation("selftest", CATALOGUES, [language])
        self._steps = {step.name: step for step in steps}

    def tell(self, text: Say, **values: object) -> str:
        """A sentence with its values as they are given."""
        return self._catalogue.gettext(text).format(**values)

    def say(self, said: Said) -> str:
        """A sentence about a part."""
        other = self.named(said.other) if said.other else ""
        return self.tell(said.text, what=self.part(said.step), other=other, note=said.note).rstrip()

    def short(self, step: Step) -> str:
        """A part without its place, for the small screen's first line."""
        return self._catalogue.gettext(_called(step)).format(seat=step.seat, key=step.name)

    def part(self, step: Step) -> str:
        """A part, and where it is connected."""
        return f"{self.short(step)} ({step.where})" if step.where else self.short(step)

    def named(self, name: str) -> str:
        """The same by the line's name; a key the board file does not name stands for itself."""
        step = self._steps.get(name)
        return name if step is None else self.part(step)


def _called(step: Step) -> Part:
    match step.kind:
        case Kind.BUTTON | Kind.KEY:
            return Part[step.name.upper()]
        case _:
            return Part[step.kind.name]
