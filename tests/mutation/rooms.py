"""The rooms that are mutated, and the tests each has to be caught by: quick ones, in one process."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

SOURCES = {
    "money": (
        "core/money.py",
        "core/pot.py",
        "core/awards.py",
        "core/settlement.py",
        "core/invariants.py",
        "core/state.py",
    ),
    "journal": ("journal",),
    "witness": ("witness",),
    "inputs": ("inputs",),
    "table": ("core/table", "core/events", "core/faults.py", "core/game.py"),
    "cards": ("core/cards",),
    "punto": ("core/punto",),
}
"""Folders and files below `controller/`; together they are core, inputs, journal and witness."""

TESTS = {
    "money": (
        "stored_names",
        "invariants",
        "pot_arithmetic",
        "linked*",
        "awards",
        "money",
        "field_law",
        "no_pot",
        "parameters",
        "phases",
        "meters",
        "settlement",
        "field_money",
    ),
    "journal": (
        "journal_edges",
        "journal_limits",
        "journal_spots",
        "group_reader",
        "journal",
        "journal_errors",
        "journal_verify",
        "field_journal",
        "journal_*",
        "field_journal_*",
        "fuzz_found",
        "keeper",
        "administer",
        "signing_audit",
        "signing_heads",
        "signing_keys",
        "signing_recovery",
    ),
    "witness": (
        "witness_edges",
        "witness_spots",
        "witness_verdict",
        "witness_leftover",
        "witness_examine",
        "witness_slot",
        "witness_store",
        "witness_table",
        "witness_forged",
        "journal_spots",
    ),
    "inputs": (
        "inputs_switch",
        "inputs_edges",
        "inputs_spans",
        "inputs_common",
        "inputs_order",
        "inputs_properties",
        "inputs_repair",
        "inputs_seat",
        "field_inputs",
        "pulse_file",
    ),
    "table": (
        "stored_names",
        "exact_*",
        "linked*",
        "phases",
        "punto_phases",
        "parameters",
        "pins",
        "invariants",
        "awards",
        "field_law",
        "no_pot",
        "punto_table",
        "punto_frozen",
        "punto_leaving",
        "punto_shoe_end",
    ),
    "cards": ("stored_names", "cards", "field_cards", "settlement"),
    "punto": (
        "stored_names",
        "exact_ledger",
        "exact_punto",
        "exact_banker",
        "exact_round_end",
        "punto_draw",
        "punto_ledger",
        "punto_shoe",
        "punto_shoe_end",
        "punto_table",
        "punto_frozen",
        "punto_leaving",
        "punto_phases",
    ),
}
"""By room, the names of test files without `test_` and `.py`."""


def sources(room: str) -> list[Path]:
    """The Python files of a room that can be mutated, in the order they are taken."""
    found: list[Path] = []
    for name in SOURCES[room]:
        path = ROOT / "controller" / name
        found += [path] if path.is_file() else sorted(path.rglob("*.py"))
    return found


def tests(room: str) -> list[str]:
    """The test files of a room, as pytest takes them."""
    paths = [path for name in TESTS[room] for path in sorted((ROOT / "tests").glob(f"test_{name}.py"))]
    return [str(path.relative_to(ROOT)) for path in dict.fromkeys(paths)]
