"""Second routes to repairs and derivations of the lemmas, and what their claims declare."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from proofs_check.collins.signal import lemma_c8
from proofs_check.core.judging import load_claims
from theory.attention.window.caps import mean_kernel, truncated_gamma

COL = {id: claim for id, claim in load_claims().items() if id.startswith("COL:")}


def test_a_missing_hypothesis_is_a_gap():
    """As the page on trust has it: what is false fails in its own regime."""
    assert [id for id, claim in COL.items() if claim.false == "false" and claim.costs == "a hypothesis"] == []
    followed = {claim.follows for claim in COL.values() if claim.follows}
    assert [id for id in followed if not COL[id].false] == []


@pytest.mark.parametrize("w", [(3 + math.sqrt(3)) / 2, 10.0, 300.0])
def test_windows_with_enough_tokens_have_likely_small_distances(w):
    """The Chernoff bound of the repair of Lemma C.8's step by another quadrature."""
    n = next(n for n in range(2, 10**7, 1000) if n >= 45 * math.sqrt(3) * w**1.5 * math.log(n))
    gap = lambda u: -math.expm1((math.sqrt(u) - 1) * math.exp(-u))
    missed = (quad(gap, 0, 9)[0] + quad(gap, 9, 4 * w, limit=200)[0]) / (4 * w)
    assert n * math.log1p(-missed) < -math.log(n)
    assert lemma_c8.distances_are_likely_small(enough=True).verdict.accepted


def test_tokens_drawn_with_enough_of_them_have_small_distances():
    w, rng = 3.0, np.random.default_rng(7)
    n = next(n for n in range(2, 10**6) if n >= 45 * math.sqrt(3) * w**1.5 * math.log(n))
    s = 2 - 2 * rng.uniform(-1, 1, size=(300, n))
    weights = np.exp(-w * s)
    quotients = (np.sqrt(s) * weights).sum(axis=1) / weights.sum(axis=1)
    assert quotients.max() < w**-0.5
    assert quotients.min() > 0.8 * w**-0.5


def test_the_derivative_41_of_any_number_of_tokens_by_differences():
    """H_signal of given tokens for n = 6, k = 4, and the double sum of (41)."""
    rng = np.random.default_rng(11)
    u = rng.normal(size=(7, 4))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    query, tokens, alpha = u[0], u[1:], rng.uniform(0.2, 2, size=6)
    powers, off = np.exp(1.3 * tokens @ query), tokens - query

    def signal(first):
        weights = powers * np.array([first, *alpha[1:]])
        return float((((weights / weights.sum()) @ off) ** 2).sum())

    weights = powers * alpha
    sums = np.einsum("i,j,ik,jk->", weights, weights, tokens[0] - tokens, off)
    terms = sums * powers[0] / weights.sum() ** 3
    step = 1e-5
    slope = (signal(alpha[0] + step) - signal(alpha[0] - step)) / (2 * step)
    assert slope == pytest.approx(2 * terms, rel=1e-8)


@pytest.mark.parametrize("d", [2, 3, 5, 20, 100])
@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 2.0])
def test_the_mean_of_the_kernel_sums_is_far_above_the_lower_bound_of_lemma_g4(d, p):
    """What is argued for p > 0, with the larger of the readings of the damaged root."""
    for r in (1, 2, 3, 5, 12, 40):
        sums = truncated_gamma((d + p) / 2, 2.0, r)
        bound = (1 - math.exp(-2)) * 2 ** (p / 2) / math.sqrt(8 * math.pi * d) * r ** (-(d + p) / 2) * sums
        assert mean_kernel(p, float(r), d) > 4 * bound
