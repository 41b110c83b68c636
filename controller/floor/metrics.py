"""How the floor stands, for Prometheus: a text that its node exporter, or anything of its kind, reads from a file.

Numbers of this kind are floats. They watch; nothing is decided or paid by them, and up to 2^53 minor units are exact.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest, write_to_textfile
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from controller.floor.office import Office
from controller.floor.whole import whole
from controller.slips.document import printable

_TABLES: Final = """
SELECT t.table_id, h.seq, coalesce(extract(epoch FROM h.reported_at), 0), coalesce(c.offset_ns, 0) / 1000000000.0,
  (SELECT count(*) FROM pozo.standing_faults AS f WHERE f.table_id = t.table_id),
  CASE WHEN p.seq IS NULL THEN h.seq ELSE greatest(h.seq - p.seq - 1, 0) END,
  (SELECT count(*) FROM pozo.doubts AS d WHERE d.table_id = t.table_id AND d.upto IS NULL)
FROM pozo.tables AS t
JOIN pozo.heads AS h ON h.table_id = t.table_id
LEFT JOIN pozo.proofs AS p ON p.table_id = t.table_id
LEFT JOIN LATERAL (SELECT e.offset_ns FROM pozo.hellos AS e WHERE e.table_id = t.table_id ORDER BY e.id DESC LIMIT 1)
  AS c ON true
ORDER BY t.table_id
"""


def text(office: Office) -> str:
    """The metrics as they stand now, in Prometheus' text format. Raises `FloorError`."""
    return generate_latest(_registry(office)).decode()


def write(office: Office, path: Path) -> None:
    """Put the metrics into a file, whole or not at all. Raises `FloorError` and `OSError`; then the old one stays."""
    write_to_textfile(str(path), _registry(office))


def _registry(office: Office) -> CollectorRegistry:
    found = tuple(_metrics(office))
    registry = CollectorRegistry()
    registry.register(_Found(found))
    return registry


class _Found(Collector):
    """Metrics that were read already, so that what goes wrong with the floor is the floor's error."""

    def __init__(self, found: tuple[Metric, ...]) -> None:
        self._found = found

    def collect(self) -> tuple[Metric, ...]:
        return self._found


def _metrics(office: Office) -> Iterator[Metric]:
    yield from _of_tables(office)
    yield from _of_links(office)
    alarms = CounterMetricFamily(
        "pozo_alarms", "What the floor refused and somebody must look at.", labels=("kind",)
    )
    for kind, times in office.rows("SELECT kind, sum(times) FROM pozo.alarms GROUP BY kind ORDER BY kind"):
        alarms.add_metric((printable(str(kind)),), whole(times))
    yield alarms
    read = GaugeMetricFamily(
        "pozo_floor_read_timestamp_seconds", "When these figures were read, by the floor's clock."
    )
    ((now,),) = office.rows("SELECT extract(epoch FROM clock_timestamp())")
    read.add_metric((), float(str(now)))
    yield read


def _of_tables(office: Office) -> Iterator[Metric]:
    records = CounterMetricFamily(
        "pozo_table_records", "Records of the table that the floor has.", labels=("table",)
    )
    gauges = [
        GaugeMetricFamily(f"pozo_table_{name}", text, labels=("table",))
        for name, text in (
            ("reported_timestamp_seconds", "When the table's last report came; 0 before the first."),
            ("clock_offset_seconds", "The table's clock minus the floor's at its last greeting."),
            ("standing_faults", "Faults of the table that stand, by its last report."),
            ("unproven_records", "Records behind the newest signature that was checked."),
            ("doubted", "1 where records of the table are not believed and nobody settled it."),
        )
    ]
    for table, seq, *values in office.rows(_TABLES):
        of = (printable(str(table)),)
        records.add_metric(of, whole(seq))
        for gauge, value in zip(gauges, values, strict=True):
            gauge.add_metric(of, float(str(value)))
    yield records
    yield from gauges


def _of_links(office: Office) -> Iterator[Metric]:
    labels = ("link", "currency")
    wins = CounterMetricFamily("pozo_link_wins", "Claims that the link has served.", labels=labels)
    gauges = [
        GaugeMetricFamily(f"pozo_link_{name}", text, labels=labels)
        for name, text in (
            ("pot_minor_units", "The linked pot as it is now."),
            ("reserve_minor_units", "The link's reserve."),
            ("overflow_minor_units", "The link's money over its limit."),
            ("tables", "Tables that are or were members of the link."),
            ("imbalance_millionths", "Millionths of a minor unit that the law of money misses; 0 always."),
        )
    ]
    for each in office.links():
        of = (printable(each.link), printable(each.currency))
        wins.add_metric(of, each.claims)
        values = (each.current, each.reserve_pool, each.overflow_meter, each.tables, each.imbalance)
        for gauge, value in zip(gauges, values, strict=True):
            gauge.add_metric(of, value)
    yield wins
    yield from gauges
