"""Every state that a disk may legally be in, after each thing that was done to it.

Few uncertain sectors are tried in every way; many are tried one by one, each lost alone and each kept alone, all
lost, all kept, and for the rest at random.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from controller.soak.disk import random_choice
from controller.soak.disk_model import Atom, Tree, Volume
from controller.soak.disk_ops import Op, apply


def legal_states(base: Tree, log: Sequence[Op], rng: random.Random, each: int) -> Iterator[tuple[int, Tree]]:
    """States after a power cut, with the number of things that were done by then, 0 to all.

    `base` is what the disk held safely at first, `log` what was done to it; at most `each` states are given for one
    moment, no choice among them twice.
    """
    volume = Volume(base)
    for done in range(len(log) + 1):
        if done:
            apply(volume, log[done - 1])
        atoms = volume.atoms()
        for choice in choices(atoms, rng, each):
            yield done, volume.tree(atoms, choice)


def choices(atoms: Sequence[Atom], rng: random.Random, most: int) -> Iterator[tuple[int, ...]]:
    """Ways in which these atoms may come out: all of them if they are `most` or fewer, else `most` of them."""
    if prod(atom.options for atom in atoms) <= most:
        yield from product(*(range(atom.options) for atom in atoms))
        return
    given: set[tuple[int, ...]] = set()
    for choice in _tried(atoms, rng):
        if choice not in given:
            given.add(choice)
            yield choice
        if len(given) == most:
            return


def _tried(atoms: Sequence[Atom], rng: random.Random) -> Iterator[tuple[int, ...]]:
    newest = tuple(atom.options - 1 for atom in atoms)
    oldest = (0,) * len(atoms)
    yield oldest
    yield newest
    numbers = rng.sample(range(len(atoms)), len(atoms))
    while True:
        if numbers:
            one = numbers.pop()
            yield (*newest[:one], 0, *newest[one + 1 :])
            yield (*oldest[:one], newest[one], *oldest[one + 1 :])
        yield tuple(random_choice(atoms, rng))
