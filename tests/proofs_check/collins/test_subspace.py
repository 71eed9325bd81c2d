"""Section 4 and Appendix H: second routes to what the claims say."""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import dblquad

from numerics.attention.window.free_matrix import loss_and_gradient, low_rank_prompts
from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.statements import proved
from proofs_check.collins.subspace import lemma_h1, lemma_h2, lemma_h4, theorem_h5
from proofs_check.derivations.proofs import PROOFS
from proofs_check.instances.window.free_minima import (
    circle_prompts,
    exponential_kernel,
    least_general,
    least_low_rank,
)
from proofs_check.ours.window.subspace import r8_low_rank


def noise_slope(c, alpha, density):
    """N of Lemma H.4 for a constant density, by quadrature."""

    def h(a, b):
        p, q = np.exp(c * a), np.exp(c * b)
        return float(p * q * (p - q * alpha) / (p + q * alpha) ** 3)

    return float(dblquad(h, -1, 1, -1, 1)[0]) * density**2


def test_the_closed_form_without_the_diagonal_is_the_integral():
    witness = lemma_h4.diagonal_is_a_null_set().witness
    assert witness["N"] == pytest.approx(noise_slope(1.0, 0.5, 0.5), rel=1e-8)


@pytest.mark.parametrize("c", [0.5, 1.0, 3.0, 8.0])
def test_noise_of_two_tokens_grows_for_k_3_at_every_c(c):
    assert noise_slope(c, 0.7, 0.5) > 0


@pytest.mark.parametrize(("c", "alpha"), [(0.4, 0.9), (2.5, 0.2)])
def test_the_derivative_on_the_sphere_is_the_integral(c, alpha):
    """For alpha_1 = 1 the derivative in r of H_noise is that in alpha_1, 2 alpha_2 N."""
    r = -np.log(alpha)
    closed = (2 * np.tanh(r / 2) - np.tanh(r / 2 - c) - np.tanh(r / 2 + c)) / (4 * c**2)
    assert closed == pytest.approx(2 * alpha * noise_slope(c, alpha, 0.5), rel=1e-7)
    assert r8_low_rank.noise_of_two_tokens_on_the_sphere().verdict.accepted


def test_noise_on_signs_turns_where_the_claim_says():
    """The smallest derivative of H_noise over the ratio of the weights, on a grid."""

    def least(c):
        r = np.linspace(1e-3, 12, 40_001)
        sech2 = lambda x: 1 / np.cosh(x / 2) ** 2
        noise = 1 - (sech2(r) / 2 + sech2(r + 2 * c) / 4 + sech2(r - 2 * c) / 4) / 2
        return float(np.diff(noise).min())

    assert least(1.91) > 0 > least(1.93)
    assert not r8_low_rank.noise_of_two_tokens_on_signs(c_max=2).verdict.accepted


def test_54_fails_just_beyond_two():
    """Where the control of the claim is refuted: COL:H.3c judges both."""
    c, a, b = 2.1, -0.05, 0.05
    assert np.exp(c * a) * (1 + b) * (1 - a) < np.exp(c * b) * (1 + a) * (1 - b)


def test_the_derivative_at_zero_agrees_with_simulation():
    """Lemma H.1 for k = 2, three tokens of unequal weights, by points of the circle."""
    angle = 2 * np.pi * np.arange(9) / 9
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    alpha, u, step = np.array([1.0, 2.0, 0.5]), np.array([1.0, 0.0]), 1e-4
    tokens = points[np.array(list(np.ndindex(9, 9, 9)))]

    def J(c):
        w = alpha * np.exp(c * tokens @ u)
        w /= w.sum(axis=1, keepdims=True)
        return float(((np.einsum("si,sid->sd", w, tokens) - u) ** 2).sum(axis=1).mean())

    slope, _, names = lemma_h1.slopes(3)
    at = {**dict(zip(names, alpha)), lemma_h1.k: 2, lemma_h1.c_a: 1, lemma_h1.c_u: 1}
    assert float(slope.subs(at)) == pytest.approx((J(step) - J(-step)) / (2 * step), rel=1e-6)


@pytest.mark.parametrize(("alpha", "c", "sigma"), [((1.0, 3.0), 0.5, 0.7), ((1.0, 0.2, 2.0), 1.5, 2.0)])
def test_the_opposite_direction_is_worse_by_what_the_derivation_says(alpha, c, sigma):
    """For k = 2, by points of the circle that have all the reflections that are used."""
    angle, alpha, u = 2 * np.pi * np.arange(8) / 8, np.array(alpha), np.array([1.0, 0.0])
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    tokens = points[np.array(list(np.ndindex(*[8] * len(alpha))))]

    def loss(c):
        w = alpha * np.exp(c * tokens @ u)
        w /= w.sum(axis=1, keepdims=True)
        off = np.einsum("si,sid->sd", w, tokens) - u
        return float(((off**2).sum(axis=1) + sigma**2 * (w**2).sum(axis=1)).mean())

    others = alpha.sum() - alpha
    overlap = (2 * c * alpha * others).sum() * np.exp(-3 * c) / alpha.sum() ** 2 / (2 * 2)
    assert loss(-c) - loss(c) > 4 * overlap > 0


def test_for_one_token_the_opposite_direction_is_as_good():
    assert lemma_h1.opposite_direction_is_worse().verdict.accepted
    assert not lemma_h1.opposite_direction_is_worse(least=1).verdict.accepted
    assert not lemma_h1.opposite_direction_is_worse(sign=-1).verdict.accepted


def test_the_free_minimiser_of_case_1_is_at_the_bound_and_that_of_noise_inside():
    assert least_low_rank(2, 1, 2, 0.0, 2.0).M[0, 0] == pytest.approx(2)
    assert 0 < least_low_rank(2, 1, 2, 3.0, 1.0).M[0, 0] < 1


def test_the_theorem_is_refuted_inside_its_formal_statement():
    """Theorem H.5 asks n > 1 and has the bounds 1 and 2, Section 4 the bound 1; c_v may be 0."""
    rule = theorem_h5
    for check in (rule.minimiser_ignores_spurious_directions, rule.minimiser_is_diagonal_in_the_blocks):
        witness = check().witness
        assert witness["n"] == 2
        assert witness["c_v"] == 0
        assert "C = 1 and 2" in witness["M"]
        assert not check(least_n=1, c_v=1).verdict.accepted


@pytest.mark.parametrize("d", [2, 3])
def test_no_part_across_the_blocks_makes_two_signs_lose_less(d):
    prompts, rng = low_rank_prompts(2, 1, d, nodes=8), np.random.default_rng(d)
    loss = lambda M: loss_and_gradient(M, prompts, 0.0)[0]
    alone, free = [], []
    for size in (0.3, 1.0, 3.0, 10.0) * 10:
        M = size * rng.standard_normal((d, d))
        M = M + M.T
        for gaps, a in ((alone, max(M[0, 0], 0.0)), (free, M[0, 0])):
            gaps.append(loss(M) - loss(np.diag([a, *[0.0] * (d - 1)])))
    assert min(alone) > -1e-12
    assert min(free) < -1e-3 < 1e-3 < max(alone)
    assert lemma_h2.constraint_does_not_bound_Fx(signs=True).verdict.accepted


def test_rotated_attention_is_worse_on_the_circle():
    """Lemma B.5 from its own step: the same scale, turned by half a radian."""
    found = least_general(2, exponential_kernel, 0.3)
    turn = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    loss = theorem_h5.loss_and_gradient(turn @ found.M, circle_prompts(2, exponential_kernel), 0.3)[0]
    assert loss > found.loss + 1e-3
    assert found.off_identity() < 1e-6


def test_a_planted_error_is_caught():
    assert not lemma_h4.polynomial_in_one_ratio(middle=35).verdict.accepted
    assert not r8_low_rank.certificate_of_66(sign=-1).verdict.accepted


@pytest.mark.parametrize(
    ("id", "needed"),
    [
        ("COL:H.1/derivative", "third moments"),
        ("COL:H.1/sign", "n >= 2"),
        ("COL:H.3", "u_1 and u_i may be exchanged"),
        ("COL:H.3", "some alpha_i < alpha_1"),
        ("COL:H.3", "c <= 2"),
        ("COL:H.3a/46", "the flip keeps the law of u_1"),
        ("COL:H.3a/46", "u_1 and u_i may be exchanged"),
        ("COL:H.4", "alpha_2 < alpha_1"),
        ("COL:H.4", "k >= 2"),
        ("COL:H.5.noise/positive", "n >= 2"),
        ("COL:H.5.noise/positive", "the flip of token i"),
        ("COL:H.5.noise/positive", "u_i and -u_i have one law"),
        ("COL:H.5.noise/positive", "E (v.u_i)^2"),
        ("COL:T4.4/direction", "E (u'Au)^2"),
    ],
)
def test_a_derivation_needs_its_hypotheses(id, needed):
    statement, theorem = PROOFS[id].statements()[0], PROOFS[id].theorems[0]
    fewer = frozenset(a for a in statement.assumptions if needed not in a.name)
    assert len(fewer) < len(statement.assumptions)
    proved(statement, theorem())
    with pytest.raises(ProofError, match="assumes more than the statement"):
        proved(dataclasses.replace(statement, assumptions=fewer), theorem())


@pytest.mark.parametrize(
    ("part", "needed"),
    [
        (0, "n >= 2"),
        (0, "c_v is not 0"),
        (0, "D_ig^2 is 0 for the same token"),
        (0, "the reflection of one token"),
        (1, "M is a minimiser"),
        (2, "u_i and -u_i have one law"),
        (3, "|B'Mx| <= C/c_u"),
        (4, "u_1 and u_2 are independent"),
        (6, "k >= 2 with noise"),
        (6, "for the fixed direction"),
    ],
)
def test_the_form_of_a_minimiser_needs_its_hypotheses(part, needed):
    statement, theorem = PROOFS["COL:T4.4"].statements()[part], PROOFS["COL:T4.4"].theorems[part]
    fewer = frozenset(a for a in statement.assumptions if needed not in a.name)
    assert len(fewer) < len(statement.assumptions)
    proved(statement, theorem())
    with pytest.raises(ProofError, match="assumes more than the statement"):
        proved(dataclasses.replace(statement, assumptions=fewer), theorem())


def signal_slope(weights, c, k, rng):
    """The derivative of the signal of Lemma H.3 in the first weight, by differences."""
    u = rng.normal(size=(200_000, len(weights), k))
    u /= np.linalg.norm(u, axis=2, keepdims=True)

    def signal(first):
        gamma = np.array([first, *weights[1:]]) * np.exp(c * u[:, :, 0])
        gamma /= gamma.sum(axis=1, keepdims=True)
        off = np.einsum("si,sij->sj", gamma, u) - np.eye(k)[0]
        return (off**2).sum(axis=1)

    step = 1e-4
    slopes = (signal(weights[0] + step) - signal(weights[0] - step)) / (2 * step)
    return slopes.mean(), slopes.std() / np.sqrt(len(slopes))


@pytest.mark.parametrize(("weights", "c", "k"), [((2, 1, 1), 2.0, 2), ((1.5, 1, 0.2, 1.4), 1.0, 3)])
def test_the_signal_grows_at_least_as_the_derivation_says(weights, c, k):
    slope, error = signal_slope(weights, c, k, np.random.default_rng(5))
    others = np.array(weights[1:])
    least = np.exp(-6 * c) * (others * (weights[0] - others)).sum() / sum(weights) ** 3
    assert slope - 5 * error > least


@pytest.mark.parametrize("c", [0.3, 1.0])
def test_over_both_orders_the_noise_is_what_the_cosines_say(c):
    a, b, x, y = 0.7, -0.4, 1.9, 0.6
    h = lambda p, q: p * q * (p * x - q * y) / (p * x + q * y) ** 3
    p, q = np.exp(c * a), np.exp(c * b)
    A, B, sine = np.cosh(np.log(x / y)), np.cosh(c * (a - b)), np.sinh(np.log(x / y))
    assert h(p, q) + h(q, p) == pytest.approx(sine / (x * y) * (2 + A * B - B**2) / (A + B) ** 3)
    assert (2 + A * B - B**2) / (A + B) ** 3 >= 3 * (2 - B) / (A + 2) ** 3


@pytest.mark.parametrize("seed", range(20))
def test_a_matrix_costs_what_the_theorem_says(seed):
    """k = d - k = 1, c_u = c_v = 1 and no noise: u and v are signs."""
    rng = np.random.default_rng(seed)
    A, N, Q = rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-3, 3)
    prompts = low_rank_prompts(2, 1, 2)
    loss = lambda M: loss_and_gradient(np.array(M), prompts, 0.0)[0]
    least = min(loss([[c, 0.0], [0.0, 0.0]]) for c in np.linspace(0, 2, 401))
    rho = 2 * (abs(N) + abs(Q))
    most = np.exp(rho) + np.exp(4)
    off = np.mean([abs(A * u + N * v) - u * (A * u + N * v) for u in (1, -1) for v in (1, -1)])
    cost = (N**2 + Q**2) / most**2 + 2 * off / most
    assert loss([[A, N], [N, Q]]) >= least + cost - 1e-5
