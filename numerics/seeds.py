"""Random streams for claims: the seed of each stream is derived from the claim's id, so that a run
can be repeated exactly, and ``--reseed N`` replaces all streams at once by those of family N.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

__all__ = [
    "EXAMPLES",
    "current_examples",
    "current_reseed",
    "current_seed",
    "generator",
    "seed_of",
    "seeded",
    "shared_generator",
]

_SEED: ContextVar[int] = ContextVar("largeprompt_seed", default=0)
_RESEED: ContextVar[int] = ContextVar("largeprompt_reseed", default=0)
#: How many examples a property test draws by default.
EXAMPLES = 100
_EXAMPLES: ContextVar[int] = ContextVar("largeprompt_examples", default=EXAMPLES)


def seed_of(name: str, reseed: int = 0) -> int:
    """The 63-bit seed that belongs to a name, a claim's id for example: the same on every machine
    and in every version of Python. `reseed` is the family of streams; every published number comes
    from 0.
    """
    return int.from_bytes(hashlib.sha256(f"{name}#{reseed}".encode()).digest()[:8], "big") >> 1


@contextmanager
def seeded(name: str, reseed: int = 0, examples: int = EXAMPLES) -> Iterator[int]:
    """Make every engine inside the block draw from the streams of ``name``."""
    token, family, number = _SEED.set(seed_of(name, reseed)), _RESEED.set(reseed), _EXAMPLES.set(examples)
    try:
        yield _SEED.get()
    finally:
        _SEED.reset(token)
        _RESEED.reset(family)
        _EXAMPLES.reset(number)


def current_seed() -> int:
    """The seed of the claim that is being judged (0 outside of one)."""
    return _SEED.get()


def current_examples() -> int:
    """How many examples a property test draws: 100, and more in a thorough run.

    >>> with seeded("BB:LC.1", examples=2000):
    ...     current_examples()
    2000
    """
    return _EXAMPLES.get()


def current_reseed() -> int:
    """The family of streams in which claims are being judged.

    >>> with seeded("BB:LC.1", 7):
    ...     current_reseed()
    7
    """
    return _RESEED.get()


def shared_generator(name: str, stream: int = 0) -> np.random.Generator:
    """A generator for a search that several claims share: it depends on the family, not on the
    claim.

    >>> with seeded("BB:LC.1"):
    ...     one = shared_generator("search").random()
    >>> with seeded("BB:LC.2"):
    ...     one == shared_generator("search").random()
    True
    """
    return np.random.Generator(
        np.random.Philox(key=np.array([seed_of(name, current_reseed()), stream % 2**63], dtype=np.uint64))
    )


def generator(stream: int = 0) -> np.random.Generator:
    """A counter-based generator, Philox with the key ``(current_seed(), stream)``, of the claim
    that is being judged; different ``stream`` numbers never overlap.

    >>> generator().random() == generator().random()
    True
    """
    return np.random.Generator(np.random.Philox(key=np.array([current_seed(), stream], dtype=np.uint64)))
