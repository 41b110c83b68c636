"""A table's file with a drill's `set` statements laid over it, and where each value comes from."""

from collections.abc import Mapping

from controller.config.board_schema import BoardFile
from controller.config.conform import Where, from_text
from controller.config.document import Document
from controller.config.problems import Report
from controller.config.schema import TableFile


class Given:
    """The values of a table's file: for all games, over them those for its game, over them what a drill set.

    Raises `ConfigError` for a `set` of a key that does not exist or whose text is not of the key's type.
    """

    def __init__(self, document: Document, overrides: Mapping[str, str], report: Report) -> None:
        self._document = document
        self._table: dict[str, object] = {}
        self._board: dict[str, object] = {}
        self.overridden = frozenset(overrides)
        for key, text in overrides.items():
            self._set(key, text, report)
        report.settle()
        game = self._table.get("game", document.values.get("game"))
        self._game = game if isinstance(game, str) else ""

    def table_values(self) -> dict[str, object]:
        """What the table's file comes to."""
        values = dict(self._document.values)
        special = values.get("for")
        if isinstance(special, dict) and isinstance(special.get(self._game), dict):
            values["for"] = {name: inner for name, inner in special.items() if name != self._game}
            values = _merged(values, special[self._game])
        return _merged(values, self._table)

    def board_values(self, board: Document) -> dict[str, object]:
        """What the board's file comes to: a drill may set `timings`."""
        return _merged(board.values, self._board)

    def where(self, key: str) -> str:
        """The place of a dotted key of the table's file, or the `set` that gave it."""
        special = self._document.layout.lines.get(("for", self._game, *key.split(".")))
        if special and key not in self.overridden:
            return f"{self._document.path}, line {special[0]}"
        return self.or_set(self._document.where)(key)

    def or_set(self, where: Where) -> Where:
        """`where`, but the `set` statement for the keys a drill gave and the tables made only of them."""
        return lambda key: "drill, set" if self._is_set(key) else where(key)

    def _is_set(self, key: str) -> bool:
        if key in self.overridden:
            return True
        return any(name.startswith(f"{key}.") for name in self.overridden) and not self._document.has(key)

    def _set(self, key: str, text: str, report: Report) -> None:
        on_board = key.split(".", maxsplit=1)[0] == "timings"
        try:
            if on_board:
                self._board = _merged(self._board, _nested(key, from_text(text, BoardFile, key)))
            else:
                self._table = _merged(self._table, _nested(key, from_text(text, TableFile, key)))
        except (LookupError, ValueError) as error:
            report.refuse(f"drill, set {key}: {error.args[0]}")


def _nested(key: str, value: object) -> dict[str, object]:
    first, _, rest = key.partition(".")
    return {first: _nested(rest, value) if rest else value}


def _merged(under: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    values = dict(under)
    for name, value in over.items():
        below = values.get(name)
        if isinstance(below, dict) and isinstance(value, dict):
            values[name] = _merged(below, value)
        else:
            values[name] = value
    return values
