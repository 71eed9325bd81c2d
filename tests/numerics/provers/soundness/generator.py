"""The second generator, the cheap families more often; the third, of ties and numbers; and the
fourth, of what follows from hypotheses or misses it by a hair.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.numerics.provers.soundness import (
    edges,
    further,
    identities,
    inequalities,
    integrals,
    misses,
    ties,
    whole,
)
from tests.numerics.provers.soundness.case import Case

__all__ = ["FAMILIES", "MISSES", "TIES", "near_misses", "near_ties", "statements"]

#: What every statement attacks, and how it is drawn.
FAMILIES: dict[str, Callable[[random.Random], Any]] = {
    **inequalities.FAMILIES,
    **edges.FAMILIES,
    **identities.FAMILIES,
    **integrals.FAMILIES,
}
#: The same for the third generator.
TIES: dict[str, Callable[[random.Random], Any]] = {**ties.FAMILIES, **whole.FAMILIES, **further.FAMILIES}
#: The same for the fourth generator.
MISSES: dict[str, Callable[[random.Random], Any]] = misses.FAMILIES
_SLOW = (
    "slopes of Max and Min", "Max and Min inside functions", "new variables", "infinite ends", "eigenbasis",
)  # fmt: skip
_REFUSED = (
    "matrices as letters", "declared variables", "denied assumptions", "constants beside integrals",
    "undefined integrands",
)  # fmt: skip
_CHEAP = {**dict.fromkeys(identities.FAMILIES, 4), **dict.fromkeys(integrals.FAMILIES, 4)}
#: One round: every family once or more.
_ROUND = [name for name in FAMILIES for _ in range(1 if name in (*_SLOW, *_REFUSED) else _CHEAP.get(name, 2))]


def near_ties(seed: int) -> Iterator[tuple[str, Case]]:
    """Statements of the third generator."""
    return _drawn(seed, TIES, list(TIES))


def near_misses(seed: int) -> Iterator[tuple[str, Case]]:
    """Statements of the fourth generator."""
    return _drawn(seed, MISSES, list(MISSES))


def statements(seed: int) -> Iterator[tuple[str, Case]]:
    """Statements of the second generator."""
    return _drawn(seed, FAMILIES, _ROUND)


def _drawn(
    seed: int, families: dict[str, Callable[[random.Random], Any]], names: list[str]
) -> Iterator[tuple[str, Case]]:
    """Statements without end, each with the name of its family; every hundred hold all families."""
    rng = random.Random(seed)
    while True:
        for name in rng.sample(names, len(names)):
            yield name, families[name](random.Random(rng.getrandbits(64)))
