"""Whether the type checker refuses a mutant: `.ci/test` asks it as well, so what it refuses reaches no table.

Asked only of what no test noticed, and told apart from what a test did. Nothing is written beside the results: mypy is
given the changed text in the file's place.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.mutation.mutants import Mutant

STRICT = (
    "--config-file",
    "",
    "--strict",
    "--enable-error-code",
    "exhaustive-match",
    "--ignore-missing-imports",
)
"""As the project has it, but for what is told of conditions that are always true: such a mutant is an error to be
noticed, and not because of how it is written."""


class Types:
    """Runs mypy on files below `root`; in `room` it keeps what it found out about all others for the next time."""

    def __init__(self, root: Path, room: Path) -> None:
        self._root = root
        self._room = room
        self._sound: set[Path] = set()
        self._asked = 0

    def refuse(self, mutant: Mutant) -> bool:
        """Whether mypy finds an error in the mutant. A file that it blames as it is proves nothing: that raises."""
        path = mutant.path
        if path not in self._sound:
            if not self._accepts(path, path.read_text(encoding="utf-8")):
                raise AssertionError(f"mypy refuses {path} as it is, so it can prove nothing")
            self._sound.add(path)
        return not self._accepts(path, mutant.source)

    def _accepts(self, path: Path, source: str) -> bool:
        name = str(path.relative_to(self._root))
        changed = self._room / "changed.py"
        # mypy takes a file of the same size and second for the same file; of the same size alone, it looks into the
        # file in whose place this is: without one more line it would never see `path` become `None`.
        changed.write_text(f"{source}\n", encoding="utf-8")
        self._asked += 1
        os.utime(changed, (self._asked, self._asked))
        options = ["--cache-dir", str(self._room), "--shadow-file", name, str(changed)]
        mypy = [sys.executable, "-m", "mypy", *STRICT, *options, name]
        done = subprocess.run(mypy, cwd=self._root, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise AssertionError(f"mypy did not say whether {name} is right: {done.stdout}{done.stderr}")
        return done.returncode == 0
