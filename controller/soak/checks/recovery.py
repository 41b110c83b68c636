"""What a start may change: nothing but what belongs to the session that ended.

It compares the record of a start with the one before it, as JSON.
"""

from controller.soak.checks.words import Checker, Findings, Json, Rec

DEVICE_FAULTS = frozenset(
    {
        *("sign_lost", "host_lost", "screen_lost", "keypad_lost", "coin_in_stuck", "game_over_stuck"),
        *("witness_lost", "floor_disagrees"),
    }
)
"""They are told anew if they still stand."""
OF_A_SESSION = frozenset({"lamp_test", "recovered", "supervisor_person", "technician_person", "doing"})
OF_A_SEAT = frozenset({"placed_ns", "line_active"})
MS = 1_000_000
FIRST_WAIT_NS = 2_000 * MS
LONGEST_WAIT_NS = 60_000 * MS
LONGEST_PERSON_WAIT_NS = 3_600_000 * MS
"""After a wrong PIN one waits 2 s, after each further one twice as long, a minute at most; after a start anew."""


def check_recovery(before: Json, record: Rec, rules: Json, findings: Findings) -> None:
    """After a start the table is the last stored one, but for what belongs to the boot that ended."""
    event, where = record.event, f"record {record.seq} (started)"
    was, after = _bare(before), _bare(record.state)

    def unless(good: object, what: str) -> None:
        findings.unless(good, Checker.RECOVERY, f"{where}: {what}")

    unless("lamp_test" not in record.state, "a lamp test goes on")
    unless("doing" not in record.state, "an errand of another boot goes on")
    for number, seat in enumerate(record.state["seats"], start=1):
        covered = number in event.get("active", []) and seat.get("closed") == "fault"
        unless("placed_ns" not in seat, f"seat {number} keeps a stamp of another boot")
        unless(seat.get("line_active", False) is covered, f"seat {number}'s line is kept wrongly")
    for key in ("supervisor", "technician"):
        unless(after.pop(key, False) == event[key], f"the {key}'s key is kept wrongly")
        was.pop(key, None)
    for each in was.get("tries", ()):
        wait_ns = min(FIRST_WAIT_NS * 2 ** (each["wrong"] - 1), LONGEST_WAIT_NS)
        each["until_ns"] = event["at_ns"] + wait_ns
    for each in was.get("tried", ()):
        wait_ns = min(FIRST_WAIT_NS * 2 ** (each["wrong"] - 1), LONGEST_PERSON_WAIT_NS)
        if "until_ns" in each:
            each["until_ns"] = event["at_ns"] + wait_ns
    if was["phase"] == "test" and (not event["technician"] or "technician" in rules.get("pin", ())):
        was["phase"] = "closed"
    if was.pop("release_until_ns", None) is not None:
        until = after.pop("release_until_ns", None)
        unless(until == event["at_ns"] + rules["release_ms"] * MS, "the release pulse is not made again")
    if after != was:
        names = sorted(name for name in {*was, *after} if was.get(name) != after.get(name))
        told = "; ".join(f"{name} was {was.get(name)}, is {after.get(name)}" for name in names)
        unless(good=False, what=f"another table came back: {told}")


def _bare(state: Json) -> Json:
    bare = {name: value for name, value in state.items() if name not in OF_A_SESSION}
    for counts in ("tries", "tried"):
        bare[counts] = [dict(each) for each in state.get(counts, ())]
    bare["seats"] = [
        {name: value for name, value in seat.items() if name not in OF_A_SEAT} for seat in state["seats"]
    ]
    bare["faults"] = [fault for fault in state.get("faults", []) if fault["code"] not in DEVICE_FAULTS]
    return bare
