"""The prompts of a problem with finitely many features: how many tokens of each class a prompt of
N iid tokens holds, and with which probability.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

__all__ = ["MOST_PROMPTS", "count_prompts", "enumerate_prompts", "own_class_prompts"]

#: The most prompts that are listed: with K = 6 classes their attention takes 60 MB.
MOST_PROMPTS = 200_000


def count_prompts(classes: int, prompt_length: int) -> int:
    """The number of ways in which N tokens fall into K classes.

    >>> count_prompts(3, 6)
    28
    """
    return comb(prompt_length + classes - 1, classes - 1)


def enumerate_prompts(probabilities: Any, prompt_length: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Every prompt of N iid tokens, up to their order, as counts of each class (n, K), with their
    multinomial probabilities (n,): floats, or expressions if the probabilities of the classes are.
    More than `MOST_PROMPTS` are refused.
    """
    K, N = len(probabilities), prompt_length
    found = count_prompts(K, N)
    if found > MOST_PROMPTS:
        raise ValueError(
            f"{K} classes and prompts of {N} tokens make {found:.3g} prompts, and at most {MOST_PROMPTS} "
            "are listed; pass a smaller prompt_length, leave it out for the population prompt, or use "
            "theory.ReducedAttention, which sums over one class"
        )
    counts = _compositions(N, K)
    if probabilities.dtype == object:
        terms = [
            sp.factorial(N) * sp.prod(p**n / sp.factorial(n) for p, n in zip(probabilities, map(int, row)))
            for row in counts
        ]
        return counts, np.array(terms, dtype=object)
    from scipy.special import gammaln, xlogy

    logs = gammaln(N + 1) + (xlogy(counts, probabilities) - gammaln(counts + 1.0)).sum(axis=1)
    weights = np.exp(logs)
    return counts, weights / weights.sum()


# Typed, as the 3 of SymPy is answered in expressions and the 3 of Python in floats.
@lru_cache(maxsize=16, typed=True)
def own_class_prompts(K: Any, prompt_length: int | None) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Prompts of equally likely classes by how many tokens they hold of one class, the query's own;
    those that hold none of it, or nothing else, are left out. Without a length it is the population
    prompt.

    For each number: its probability, how many times as many tokens are of other classes, and 1 plus
    the mean of the sum of squares of the shares of the others among themselves. Expressions if K is
    one.

    >>> own_class_prompts(sp.Integer(3), 2)
    (array([4/9], dtype=object), array([1], dtype=object), array([2], dtype=object))
    """
    exact, N = isinstance(K, sp.Basic), prompt_length
    K = K if exact else float(K)
    if N is None:
        one, odds, b = (np.array([x], dtype=object if exact else float) for x in (K**0, K - 1, K / (K - 1)))
        return _kept(one, odds, b)
    if exact:
        j = np.array([sp.Integer(j) for j in range(1, N)], dtype=object)
        probability = np.array([sp.binomial(N, n) * (K - 1) ** (N - n) / K**N for n in j], dtype=object)
    else:
        from scipy.stats import binom

        j = np.arange(1.0, N)
        probability = binom.pmf(j, N, 1 / K)
        # No term of a sum is more than N^3 times another of equal probability.
        there = probability > 1e-60 * probability.max()
        j, probability = j[there], probability[there]
    return _kept(probability, (N - j) / j, 1 + (N - j + K - 2) / ((K - 1) * (N - j)))


def _kept(*arrays: NDArray[Any]) -> Any:
    """Arrays that are handed out more than once, and so can be read only."""
    for array in arrays:
        array.setflags(write=False)
    return arrays


def _compositions(total: int, parts: int) -> NDArray[np.int64]:
    """Every row of ``parts`` whole numbers from 0 on that sum to ``total``, in their order."""
    if parts == 1:
        return np.array([[total]])
    rows = [_compositions(total - first, parts - 1) for first in range(total + 1)]
    return np.concatenate(
        [np.column_stack([np.full(len(tail), first), tail]) for first, tail in enumerate(rows)]
    )
