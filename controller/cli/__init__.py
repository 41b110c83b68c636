"""The command line: one small file a command, loaded only when it is called.

This room alone names concrete hardware (`controller.cli.hardware`).
"""

from importlib import import_module

import click

COMMANDS = {
    "access": "controller.cli.access",
    "appliance": "controller.cli.appliance",
    "backup": "controller.cli.backup",
    "check": "controller.cli.check",
    "commission": "controller.cli.commission",
    "console": "controller.cli.console",
    "drill": "controller.cli.drill",
    "errand": "controller.cli.errand",
    "evening": "controller.cli.evening",
    "floor": "controller.cli.floor",
    "games": "controller.cli.games",
    "journal": "controller.cli.journal",
    "link": "controller.cli.link",
    "manifest": "controller.cli.manifest",
    "meters": "controller.cli.meters",
    "odds": "controller.cli.odds",
    "print": "controller.cli.print",
    "recover": "controller.cli.recover",
    "report": "controller.cli.report",
    "restore": "controller.cli.restore",
    "run": "controller.cli.run",
    "selftest": "controller.cli.selftest",
    "sim": "controller.cli.sim",
    "slip": "controller.cli.slip",
    "soak": "controller.cli.soak",
    "transfer": "controller.cli.transfer",
    "update": "controller.cli.update",
    "users": "controller.cli.users",
    "wiring": "controller.cli.wiring",
}
"""Command to module; a module keeps its command under the command's own name."""


class Commands(click.Group):
    """Finds a command without importing the others: a table starts on what it needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002, click's signature
        """All commands, in the order help shows them."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002, the same
        """One command, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name]}.{cmd_name} is {command!r}, not a command")
        return command


@click.command(cls=Commands)
@click.version_option(package_name="pozo")
def pozo() -> None:
    """Pozo: the controller inside a poker table with a progressive jackpot.

    Exit codes: 0 good, 1 the thing asked about is not right, 2 wrong use.
    """
