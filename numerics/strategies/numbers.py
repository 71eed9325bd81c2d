"""Numbers over several decades from whole numbers, which Hypothesis draws and shrinks fast. A size
of code c is ``2^(c/8)`` up to a few percent, exactly so for multiples of 8. The code 0 is the
simplest number, and larger codes are larger numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import TypeVar

try:
    from hypothesis import Phase, find, settings
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ImportError as missing:
    raise ImportError(
        'numerics.strategies draws by Hypothesis, which is missing; pip install "largeprompt[test]"'
    ) from missing

__all__ = ["SearchStrategy", "checked", "coded", "shares", "signed", "simplest", "sizes", "st"]

Drawn = TypeVar("Drawn")


@cache
def coded(code: int) -> Fraction:
    """The size with this code.

    >>> [str(coded(c)) for c in (-8, 0, 1, 8, 80)]
    ['1/2', '1', '9/8', '2', '1024']
    """
    octave, eighth = divmod(code, 8)
    return Fraction(8 + eighth, 8) * Fraction(2) ** octave


def checked(name: str, value: int, least: int, most: int) -> int:
    """A whole number of a range, or a ValueError.

    >>> checked("d", 4, 1, 3)
    Traceback (most recent call last):
    ValueError: d = 4 is no whole number from 1 to 3; choose one of these
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{name} = {value!r} is no whole number from {least} to {most}; choose one of these")
    return value


def simplest(
    strategy: SearchStrategy[Drawn], condition: Callable[[Drawn], bool] = lambda drawn: True
) -> Drawn:
    """What examples of a strategy that meet a condition shrink to. `hypothesis.find` would also
    explain which parts of the example matter, and then returns one of the examples that it tried
    for this.
    """
    once = settings(
        database=None,
        derandomize=True,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        max_examples=1000,
    )
    return find(strategy, condition, settings=once)


def sizes(octaves: int) -> SearchStrategy[Fraction]:
    """Positive numbers from ``2^-octaves`` to ``2^octaves``; the simplest is 1.

    >>> from numerics.strategies.numbers import simplest
    >>> str(simplest(sizes(10), lambda x: x > 2))
    '9/4'
    """
    checked("octaves", octaves, 0, 1000)
    return st.integers(-8 * octaves, 8 * octaves).map(coded)


def signed(octaves: int) -> SearchStrategy[Fraction]:
    """Zero, and numbers of both signs whose sizes are those of `sizes`; the simplest is 0.

    >>> from numerics.strategies.numbers import simplest
    >>> str(simplest(signed(10), lambda x: x != 0))
    '1'
    """
    return st.tuples(st.sampled_from((0, 1, -1)), sizes(octaves)).map(lambda drawn: drawn[0] * drawn[1])


def shares(octaves: int) -> SearchStrategy[Fraction]:
    """Numbers between 0 and 1, from ``2^-octaves`` to ``1 - 2^-octaves``; the simplest is 1/2.

    >>> from numerics.strategies.numbers import simplest
    >>> str(simplest(shares(10), lambda q: q < 0.1))
    '3/32'
    """

    checked("octaves", octaves, 1, 1000)

    def share(code: int) -> Fraction:
        small = coded(-abs(code)) / 2
        return small if code >= 0 else 1 - small

    return st.integers(-8 * (octaves - 1), 8 * (octaves - 1)).map(share)
