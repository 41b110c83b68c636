"""Command line."""

import argparse

from tests.storm.plan import Plan
from tests.storm.storm import storm


def main() -> None:
    parser = argparse.ArgumentParser(description="A storm of a length of your choice.")
    for name, value in Plan()._asdict().items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=value)
    plan = Plan(**vars(parser.parse_args()))
    tally = storm(plan, lambda line: print(line, flush=True))  # noqa: T201, a command
    print(*tally.lines(), sep="\n")  # noqa: T201, a command
    print(f"{plan.tables} tables x {plan.rounds} rounds: exact")  # noqa: T201, a command


if __name__ == "__main__":
    main()
