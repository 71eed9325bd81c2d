"""How many tokens of each class a prompt of N iid tokens holds: the exact probability that every
number lies in its range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import ceil, factorial, floor

from flint import fmpq, fmpq_poly

__all__ = ["all_within", "balanced", "within"]


def within(
    probabilities: Sequence[Fraction], N: int, ranges: Sequence[tuple[Fraction, Fraction]]
) -> Fraction:
    """Return the probability that the count of each class lies in its range, ends included. It is
    N! times the coefficient of x^N in the product, over the classes, of the sums of (p_k x)^j/j!
    over the range: K products of polynomials, and no list of prompts. Of the product of the last
    two, which are halves of the classes, no other coefficient is computed.
    """
    halves, free = [fmpq_poly([1]), fmpq_poly([1])], N  # the least counts are taken off beforehand
    for (p, (low, high)), classes in Counter(zip(probabilities, ranges, strict=True)).items():
        least, most = max(0, ceil(low)), min(N, floor(high))
        terms = [fmpq(1)]
        for j in range(1, most + 1):
            terms.append(terms[-1] * fmpq(p.numerator, p.denominator * j))
        sums = fmpq_poly(terms[least : most + 1])
        for half, number in enumerate((classes // 2, classes - classes // 2)):
            halves[half] *= sums**number
        free -= least * classes
    first, last = (half.numer().coeffs() for half in halves)
    found = (
        sum(x * y for x, y in zip(first[max(0, free + 1 - len(last)) :], last[free::-1])) if free >= 0 else 0
    )
    return Fraction(int(found) * factorial(N), int(halves[0].denom() * halves[1].denom()))


@cache
def all_within(probabilities: tuple[Fraction, ...], N: int, delta: Fraction) -> Fraction:
    """Return the probability that the share of each class is within delta of its probability."""
    return within(probabilities, N, [((p - delta) * N, (p + delta) * N) for p in probabilities])


@cache
def balanced(K: int, N: int) -> Fraction:
    """Return the probability that each of K equally likely classes has N/2K to 3N/2K tokens."""
    return within([Fraction(1, K)] * K, N, [(Fraction(N, 2 * K), Fraction(3 * N, 2 * K))] * K)
