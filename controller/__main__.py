"""The entry: `pozo …` or `python -m controller …`."""

import sys


def main() -> None:
    """Run a command. Refuses to run without assertions: the table's own checks must stand."""
    if sys.flags.optimize:
        sys.exit(
            "pozo does not run under python -O: it would play without its own checks. Start it without -O."
        )
    from controller.cli import pozo  # noqa: PLC0415, nothing is imported for a refused start

    pozo()


if __name__ == "__main__":
    main()
