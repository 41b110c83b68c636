"""The rules sheet of a game: its profile in the words of the table, each line with its article."""

from controller.sheet.rows import Row, rows
from controller.sheet.write import Writer

__all__ = ["Row", "Writer", "rows"]
