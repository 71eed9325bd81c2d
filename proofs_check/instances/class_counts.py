"""How many tokens of each class a prompt of N iid tokens holds: the exact probability that every
number lies in its range.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, comb, floor, lcm

__all__ = ["all_within", "balanced", "within"]


def within(probabilities: Sequence[Fraction], N: int, ranges: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """Return the probability that the count of each class lies in its range, ends included.

    Examples
    --------
    >>> within([Fraction(1, 2)] * 2, 2, [(Fraction(1), Fraction(1))] * 2)
    Fraction(1, 2)
    """
    common = lcm(*(p.denominator for p in probabilities))
    ways = [1] + [0] * N  # of so many tokens, by the classes up to now, in units of common**-tokens
    for k, (p, (low, high)) in enumerate(zip(probabilities, ranges)):
        least, most, a = max(0, ceil(low)), min(N, floor(high)), int(p * common)
        power = [a**j for j in range(most + 1)]
        last = k == len(probabilities) - 1
        totals = [N] if last else range(N + 1)
        new = [0] * (N + 1)
        for t in totals:
            new[t] = sum(comb(t, j) * power[j] * ways[t - j] for j in range(least, min(most, t) + 1) if ways[t - j])
        ways = new
    return Fraction(ways[N], common**N)


def all_within(probabilities: Sequence[Fraction], N: int, delta: Fraction) -> Fraction:
    """Return the probability that the share of each class is within delta of its probability."""
    return within(probabilities, N, [((p - delta) * N, (p + delta) * N) for p in probabilities])


def balanced(K: int, N: int) -> Fraction:
    """Return the probability that each of K equally likely classes has N/2K to 3N/2K tokens.

    Examples
    --------
    >>> balanced(2, 8)
    Fraction(119, 128)
    """
    return within([Fraction(1, K)] * K, N, [(Fraction(N, 2 * K), Fraction(3 * N, 2 * K))] * K)
