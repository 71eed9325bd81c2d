"""The probability of the numbers of tokens of each class, by prompts and binomial sums."""

from fractions import Fraction
from itertools import product
from math import ceil, floor, prod

import numpy as np
import pytest
from scipy.stats import binom, multinomial

from proofs_check.instances.features.class_counts import all_within, balanced, within
from theory.regression.features.prompts import enumerate_prompts

LAWS = ((Fraction(1, 2),) * 2, (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)))


@pytest.mark.parametrize("p", LAWS, ids=len)
@pytest.mark.parametrize("delta", [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)])
def test_every_prompt_is_counted(p, delta):
    N, found = 6, Fraction(0)
    for prompt in product(range(len(p)), repeat=N):
        if all(abs(Fraction(prompt.count(k), N) - p[k]) <= delta for k in range(len(p))):
            found += prod(p[k] for k in prompt)
    assert all_within(p, N, delta) == found


def test_balance_is_likely_in_long_prompts_only():
    assert balanced(3, 2) == 0
    assert balanced(3, 100) > Fraction(99, 100) > balanced(3, 20)


@pytest.mark.parametrize(("K", "N"), [(3, 67), (3, 68), (4, 40), (5, 20), (6, 12)])
def test_balance_sums_every_composition(K, N):
    counts, _ = enumerate_prompts(np.full(K, 1 / K), N)
    inside = counts[((2 * K * counts >= N) & (2 * K * counts <= 3 * N)).all(axis=1)]
    assert float(balanced(K, N)) == pytest.approx(multinomial.pmf(inside, N, [1 / K] * K).sum(), rel=1e-12)


@pytest.mark.parametrize("N", [1, 25, 26, 143, 200])
@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(1, 4)])
def test_two_classes_are_a_binomial_sum(p, N):
    low, high = ceil((p - Fraction(1, 10)) * N), floor((p + Fraction(1, 10)) * N)
    expected = binom.cdf(high, N, float(p)) - binom.cdf(low - 1, N, float(p))
    assert float(all_within((p, 1 - p), N, Fraction(1, 10))) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("K", "N"), [(6, 200), (8, 299), (16, 736), (32, 1707)])
def test_many_classes_lie_between_the_bounds_of_bonferroni(K, N):
    low, high, j = ceil(N / (2 * K)), floor(3 * N / (2 * K)), np.arange(N + 1)

    def outside(n, p):
        return binom.cdf(low - 1, n, p) + binom.sf(high, n, p)

    misses = (j < low) | (j > high)
    pair = (binom.pmf(j, N, 1 / K) * outside(N - j, 1 / (K - 1)))[misses].sum()  # of two classes at once
    union, missed = K * outside(N, 1 / K), float(1 - balanced(K, N))
    assert union - K * (K - 1) / 2 * pair <= missed <= union


def test_impossible_and_certain_ranges():
    half = [Fraction(1, 2)] * 2
    assert within(half, 3, [(Fraction(2), Fraction(3))] * 2) == 0  # four tokens at least
    assert within(half, 3, [(Fraction(-2), Fraction(-1))] * 2) == 0
    assert within(half, 3, [(Fraction(0), Fraction(9))] * 2) == 1
    with pytest.raises(ValueError, match="shorter"):
        within(half, 3, [(Fraction(0), Fraction(9))])
