"""The second generator, the cheap families more often; and the third, of ties and numbers."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.numerics.provers.soundness import edges, further, identities, inequalities, integrals, ties, whole
from tests.numerics.provers.soundness.case import Case

__all__ = ["FAMILIES", "TIES", "near_ties", "statements"]

#: What every statement attacks, and how it is drawn.
FAMILIES: dict[str, Callable[[random.Random], Any]] = {
    **inequalities.FAMILIES,
    **edges.FAMILIES,
    **identities.FAMILIES,
    **integrals.FAMILIES,
}
#: The same for the third generator.
TIES: dict[str, Callable[[random.Random], Any]] = {**ties.FAMILIES, **whole.FAMILIES, **further.FAMILIES}
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
    """Statements of the third generator without end; every hundred hold all families."""
    rng = random.Random(seed)
    while True:
        for name in rng.sample(list(TIES), len(TIES)):
            yield name, TIES[name](random.Random(rng.getrandbits(64)))


def statements(seed: int) -> Iterator[tuple[str, Case]]:
    """Statements without end, each with the name of its family; every hundred hold all families."""
    rng = random.Random(seed)
    while True:
        for name in rng.sample(_ROUND, len(_ROUND)):
            yield name, FAMILIES[name](random.Random(rng.getrandbits(64)))
