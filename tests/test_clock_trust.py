"""The machine's clock: when its date is to be trusted."""

from pathlib import Path

import pytest

from controller import clock

SECOND = 1_000_000_000


def test_the_date_is_trusted_once_the_mark_is_there_and_stays_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "synchronized"
    now_ns = 100 * SECOND
    monkeypatch.setattr(clock, "SYNCHRONISED", mark)
    monkeypatch.setattr("time.monotonic_ns", lambda: now_ns)
    machine = clock.SystemClock()
    assert not machine.wall_trusted()
    mark.touch()
    now_ns = 109 * SECOND
    assert not machine.wall_trusted(), "within ten seconds nobody looks again"
    now_ns = 110 * SECOND
    assert machine.wall_trusted()
    mark.unlink()
    now_ns = 999 * SECOND
    assert machine.wall_trusted(), "what was set stays set until the next boot"
