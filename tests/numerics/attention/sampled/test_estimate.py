import itertools
import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from numerics.attention.quadrature.softmax_weights import softmax_moments
from numerics.attention.sampled import estimate
from numerics.attention.sampled.estimate import AttentionErrors, Estimate, as_errors
from numerics.attention.sampled.joined_moments import joined
from numerics.attention.sampled.sampler import PIECE, error_sampler
from numerics.attention.setting import AttentionSetting
from numerics.seeds import seed_of, seeded
from numerics.token_laws import atoms, uniform
from tests.numerics.compiled.plain_philox import plain_normals, plain_tokens

QUERY = 2**31
# what is under test here is the kernel that draws every token, also where there is a better one
attention_errors = partial(estimate.attention_errors, method="tokens")
token_sampler = partial(error_sampler, method="tokens")
NAMES = ("output", "grad_V", "grad_U")


def problem(d=4, d_out=3, seed=0):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((d, d))
    U, V = rng.standard_normal((d, d)) / d, rng.standard_normal((d_out, d))
    return 0.6 * np.eye(d) + 0.4 * B @ B.T / d, U, V, rng.standard_normal(d)


def columns(covariance: np.ndarray) -> np.ndarray:
    """A with A Aᵀ = covariance and orthogonal columns of increasing length, none of length 0."""
    values, vectors = np.linalg.eigh(covariance)
    return (vectors * np.sqrt(np.maximum(values, 0)))[:, values > 1e-12]


def plain_errors(Gamma, U, V, z, g):
    """Of output, grad_V, grad_U for one prompt with white tokens g, by the definitions alone."""
    tokens = g @ columns(Gamma).T
    scores = tokens @ U @ z
    p = np.exp(scores - scores.max())
    p /= p.sum()
    m = p @ tokens
    C = np.einsum("l,li,lj->ij", p, tokens - m, tokens - m)
    # ∂T_v/∂V_{v'j} = 1{v = v'} m_j and ∂T_v/∂U_ij = (C Vᵀ)_{iv} z_j, and likewise with Γ U z and Γ
    # in the limit
    h = Gamma @ U @ z
    grad_V = np.einsum("vw,j->vwj", np.eye(V.shape[0]), m - h)
    grad_U = np.einsum("vi,j->vij", V @ (C - Gamma), z)
    return np.array([np.sum((V @ (m - h)) ** 2), np.sum(grad_V**2), np.sum(grad_U**2)])


means = lambda e: np.stack([getattr(e, name).mean for name in NAMES])


def assert_near(estimate: Estimate, exact: np.ndarray) -> None:
    """Within 5.2 standard errors: 2e-7 an entry, under 5e-6 over all entries of this file."""
    assert np.all(estimate.largest_share < 0.02)
    assert np.all(np.abs(estimate.mean - exact) < 5.2 * estimate.standard_error)


def assert_no_bit_differs(one: AttentionErrors, other: AttentionErrors) -> None:
    for name, field in itertools.product(NAMES, Estimate.__dataclass_fields__):
        assert np.array_equal(getattr(getattr(one, name), field), getattr(getattr(other, name), field))


def exact_errors(Gamma, U, V, z, L):
    """By the moments of the weights: V (z̄ − h) has second moment P2 Γ + (P2 − 6P3 + 6Q) h hᵀ."""
    h = Gamma @ U @ z
    m = softmax_moments(float(h @ U @ z), L)
    c = m.P2 - 6 * m.P3 + 6 * m.Q
    output = m.P2 * np.trace(V @ Gamma @ V.T) + c * np.sum((V @ h) ** 2)
    return output, V.shape[0] * (m.P2 * np.trace(Gamma) + c * (h @ h))


@pytest.mark.parametrize("L", [1, 2, 15, 16, 17, 53])
@pytest.mark.parametrize("case", ["fixed", "singular", "random query"])
def test_the_same_tokens_in_numpy(L, case):
    Gamma, U, V, z = problem()
    if case == "singular":
        B = np.random.default_rng(5).standard_normal((4, 2))
        Gamma = B @ B.T
    S = np.diag([0.0, 0.5, 1.0, 2.0]) if case == "random query" else None
    R, seed = 3, 2**33 + 11
    e = attention_errors(Gamma, U, V, z, L, query_cov=S, replicates=R, seed=seed)
    sample = []
    for r in range(R):
        rank = columns(Gamma).shape[1]
        g = plain_tokens(seed, r, L, rank)
        query = z if S is None else z + columns(S) @ plain_normals(seed, r, QUERY + L, 3)
        # the sign of an eigenvector is arbitrary, but both programs ask the same LAPACK for it
        sample.append(plain_errors(Gamma, U, V, query, g))
    field = lambda name: np.array([getattr(getattr(e, q), name)[0] for q in NAMES])
    mean = np.mean(sample, axis=0)
    assert np.allclose(field("mean"), mean, rtol=3e-5)
    known = np.std(sample, axis=0, ddof=1) / math.sqrt(R)
    assert np.allclose(field("standard_error"), known, rtol=3e-5, atol=1e-6 * mean.max())
    assert np.allclose(field("largest_share"), np.max(sample, axis=0) / np.sum(sample, axis=0), rtol=3e-5)


@pytest.mark.parametrize("scale", [0.0, 1.0, 2.5])
def test_against_quadrature(scale):
    Gamma, U, V, z = problem()
    L = np.array([2, 5, 40, 300])
    e = attention_errors(Gamma, scale * U, V, z, L, replicates=20_000, seed=4)
    output, grad_V = exact_errors(Gamma, scale * U, V, z, L)
    assert_near(e.output, output)
    assert_near(e.grad_V, grad_V)


def test_the_quadrature_of_another_law_is_told_apart():
    Gamma, U, V, z = problem()
    e = attention_errors(Gamma, 2.5 * U, V, z, [40], replicates=20_000, seed=4)
    output, _ = exact_errors(1.03 * Gamma, 2.5 * U, V / math.sqrt(1.03), z, np.array([40]))
    with pytest.raises(AssertionError):
        assert_near(e.output, output)


def test_random_queries_against_quadrature():
    gamma, u, v, S, L = 1.3, 0.6, 2.0, 0.8, np.array([3, 30])
    e = attention_errors([[gamma]], [[u]], [[v]], None, L, query_cov=[[S]], replicates=40_000, seed=8)
    x, w = np.polynomial.hermite_e.hermegauss(60)
    one = [np.array([[number]]) for number in (gamma, u, v)]
    values = [exact_errors(*one, np.array([math.sqrt(S) * t]), L)[0] for t in x]
    assert_near(e.output, w @ np.array(values) / w.sum())


@pytest.mark.parametrize("L", [1, 2, 9, 100])
def test_gradient_in_U_at_U_zero(L):
    """At U = 0, L C is Wishart with L − 1 degrees of freedom."""
    Gamma, U, V, z = problem()
    e = attention_errors(Gamma, 0 * U, V, z, L, replicates=20_000, seed=6)
    VG = V @ Gamma
    spread = np.trace(V @ Gamma @ V.T) * np.trace(Gamma) + np.sum(VG**2)
    exact = (z @ z) * ((L - 1) / L**2 * spread + np.sum(VG**2) / L**2)
    if L == 1:  # C = 0: nothing is random
        assert e.grad_U.mean[0] == pytest.approx(exact, rel=1e-6)
    else:
        assert_near(e.grad_U, np.array([exact]))


def test_gradient_in_U_for_long_prompts():
    """L E|∇_U row v|² -> |z|² eˢ [((v·h)² + vᵀΓv)(|h|² + tr Γ) + |Γv|² + 2 (v·h) hᵀΓv]"""
    Gamma, U, V, z = problem()
    L, h = 4000, Gamma @ U @ z
    e = attention_errors(Gamma, U, V, z, L, replicates=4000, seed=7)
    VG, Vh, size = V @ Gamma, V @ h, h @ h + np.trace(Gamma)
    limit = (Vh @ Vh + np.sum(VG * V)) * size + np.sum(VG**2) + 2 * Vh @ VG @ h
    limit *= z @ z * math.exp(h @ U @ z)
    assert abs(L * e.grad_U.mean[0] / limit - 1) < 5.2 * e.grad_U.standard_error[0] / e.grad_U.mean[0] + 0.02


def test_scaling():
    """Γ → 4Γ, U → U/2, V → 8V leaves the scores alone: exactly, since powers of 2 round nothing."""
    Gamma, U, V, z = problem()
    a = attention_errors(Gamma, U, V, z, [7, 60], replicates=100, seed=1)
    b = attention_errors(4 * Gamma, U / 2, 8 * V, z, [7, 60], replicates=100, seed=1)
    assert np.allclose(means(b), means(a) * np.array([[64 * 4], [4], [64 * 16]]), rtol=1e-12)


@pytest.mark.parametrize("size", [1e3, 1e10, 1e25])
def test_steep_scores_do_not_overflow(size):
    Gamma, U, V, z = problem()
    u = size * U / np.linalg.norm(U @ z)
    L = [1, 2, 100]
    e = attention_errors(Gamma, u, V, z, L, replicates=500, seed=2)
    # dominated by h ~ size, so its standard error is tiny
    output, grad_V = exact_errors(Gamma, u, V, z, np.array(L))
    assert np.allclose(e.output.mean, output, rtol=1e-2)
    assert np.allclose(e.grad_V.mean, grad_V, rtol=1e-2)
    # one token has all the weight: C = 0, but for the few prompts with two scores within 1/size
    assert np.allclose(e.grad_U.mean, z @ z * np.sum((V @ Gamma) ** 2), rtol=30 / size + 1e-6)


def test_no_variance_no_error():
    _, U, V, z = problem()
    e = attention_errors(np.zeros((4, 4)), U, V, z, [1, 20], replicates=10, seed=0)
    assert np.all(means(e) == 0)
    assert np.all(e.output.standard_error == 0)
    assert np.all(e.output.effective_samples == 10)


@pytest.mark.parametrize(
    ("law", "method"),
    [
        (None, "tokens"),
        (None, "scores"),
        (uniform(3), "tokens"),
        (atoms([[1.0], [-0.5]], [1 / 3, 2 / 3]), "tokens"),
    ],
    ids=["normal", "scores", "uniform", "drawn by NumPy"],
)
def test_threads_change_no_bit(law, method):
    d = 4 if law is None else law.d
    Gamma, U, V, z = problem(d)
    tokens = Gamma if law is None else law
    rest = {"query_cov": np.eye(d), "replicates": 5000, "seed": 9, "method": method}
    one, *others = (
        estimate.attention_errors(tokens, U, V, z, [1, 30, 200], threads=t, **rest) for t in (1, 2, 5)
    )
    assert one.method == method
    for other in others:
        assert_no_bit_differs(other, one)


def test_more_lengths_or_replicates_leave_the_others_alone():
    Gamma, U, V, z = problem()
    run = lambda L, R: attention_errors(Gamma, U, V, z, L, replicates=R, seed=9)
    assert np.array_equal(means(run([3, 40, 7], 150))[:, [1, 2]], means(run([40, 7], 150)))
    # across the 128 lanes and the 1024 replicates of a task: what one more replicate adds is what
    # it is by itself
    for r in (127, 128, 1023, 1024):
        added = (r + 1) * means(run([40], r + 1))[:, 0] - r * means(run([40], r))[:, 0]
        g = plain_tokens(9, r, 40, 4)
        assert np.allclose(added, plain_errors(Gamma, U, V, z, g), rtol=1e-4)


def test_integers_of_every_kind_are_lengths():
    Gamma, U, V, z = problem()
    run = lambda L: means(attention_errors(Gamma, U, V, z, L, replicates=20, seed=1))
    expected = run([3, 7])
    for lengths in ((3, 7), np.array([3, 7], np.uint8), [np.int64(3), np.int32(7)], range(3, 8, 4)):
        assert np.array_equal(run(lengths), expected)
    assert np.array_equal(run(np.int64(7)), expected[:, 1:])


def test_the_last_replicates_that_can_be_asked_for():
    sampler, end = token_sampler(AttentionSetting(*problem(), query_cov=np.eye(4)), seed=1), 2**63
    last = sampler.values(5, end - PIECE, PIECE)
    assert np.array_equal(sampler.values(5, end - 300, 300), last[:, -300:])
    assert len(np.unique(last[0])) == PIECE
    assert np.all(np.isfinite(sampler.sums(5, end - PIECE, PIECE)))


def test_lengths_are_independent():
    """L and 2L share no prompt: over 400 seeds, |correlation| < 5.2/√400 (error 2e-7)."""
    Gamma, U, V, z = problem(d=2, d_out=1)
    x = np.array(
        [means(attention_errors(Gamma, U, V, z, [8, 16], replicates=1, seed=s))[0] for s in range(400)]
    )
    assert abs(np.corrcoef(np.log(x).T)[0, 1]) < 5.2 / 20


def test_seeds():
    Gamma, U, V, z = problem()
    run = lambda seed: attention_errors(Gamma, U, V, z, [10], replicates=50, seed=seed)
    assert np.array_equal(means(run(5)), means(run(5)))
    assert not np.any(means(run(5)) == means(run(6)))
    assert not np.any(means(run(5)) == means(run(5 + 2**32)))
    assert run(None).seed == 0
    with seeded("a claim"):
        assert run(None).seed == seed_of("a claim")
        assert np.array_equal(means(run(None)), means(run(seed_of("a claim"))))


def test_one_replicate_has_no_standard_error():
    Gamma, U, V, z = problem()
    e = attention_errors(Gamma, U, V, z, 5, replicates=1, seed=0)
    assert np.isnan(e.output.standard_error[0])
    assert e.output.effective_samples[0] == 1
    assert e.output.largest_share[0] == 1


def test_blocks_of_a_sampler_are_the_whole_run():
    Gamma, U, V, z = problem()
    run = attention_errors(Gamma, U, V, z, [5, 90], query_cov=np.eye(4), replicates=2 * PIECE + 100, seed=7)
    sums = {}
    for L, first in [(90, 2 * PIECE), (5, PIECE), (90, 0), (5, 0), (90, PIECE), (5, 2 * PIECE)]:
        sampler = token_sampler(AttentionSetting(Gamma, U, V, z, query_cov=np.eye(4)), seed=7)
        sums[L, first] = sampler.sums(L, first, min(PIECE, 2 * PIECE + 100 - first))
    again = as_errors(
        [5, 90], [joined([sums[L, k * PIECE] for k in range(3)]) for L in (5, 90)], 2 * PIECE + 100, 7
    )
    assert_no_bit_differs(run, again)


def test_skewness_and_kurtosis_of_the_replicates():
    Gamma, U, V, z = problem()
    e = attention_errors(Gamma, U, V, z, 12, replicates=PIECE, seed=7)
    x = token_sampler(AttentionSetting(Gamma, U, V, z), seed=7).values(12, 0, PIECE)
    for name, sample in zip(NAMES, x, strict=True):
        assert getattr(e, name).skewness[0] == pytest.approx(stats.skew(sample), rel=1e-10)
        assert getattr(e, name).kurtosis[0] == pytest.approx(stats.kurtosis(sample, fisher=False), rel=1e-10)


GOOD = dict(zip(("Gamma", "U", "V", "query"), problem(), strict=True))


def test_bad_blocks():
    sampler = token_sampler(AttentionSetting(*problem()), seed=1)
    for block, says in (
        ((0, 0, 9), "L = 0"),
        ((2**31, 0, 9), "outside 1"),
        ((3, -1, 9), "first = -1"),
        ((3, 2**63, 9), "outside 0"),  # a signed 64-bit number in the kernel
        ((3, 0, PIECE + 1), "outside 1"),
    ):
        with pytest.raises(ValueError, match=says):
            sampler.sums(*block)
    with pytest.raises(TypeError, match=r"L = .* is no whole number"):
        sampler.sums(3.0, 0, 9)
    with pytest.raises(ValueError, match=r"\(2, 3, 6\) is needed"):
        as_errors([3, 4], np.ones((1, 3, 6)), 9, 1)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"U": np.full((4, 4), 1e200)}, ValueError, "rescale"),
        ({"U": np.full((4, 4), 1e308)}, ValueError, "rescale"),
        ({"V": np.full((2, 4), 1e200)}, ValueError, "fourth powers"),
        ({"lengths": []}, TypeError, "at least one"),
        ({"lengths": [1.5]}, TypeError, "integers"),
        ({"lengths": [4, 0]}, ValueError, "0 to 4"),
        ({"lengths": 2**31}, ValueError, "counters"),
        ({"lengths": [3, 10**30]}, ValueError, "counters"),
        ({"lengths": [True]}, TypeError, "integers"),
        ({"lengths": [[3]]}, TypeError, "one"),
        ({"replicates": 0}, ValueError, "replicates = 0"),
        ({"replicates": 1e3}, TypeError, "replicates = 1000.0 is no whole number"),
        ({"replicates": 10**21}, ValueError, "replicates = 1000000000000000000000 is outside 1 ... 1000"),
        ({"replicates": 10**5000}, ValueError, r"replicates = 2\^16609 or beyond is outside"),
        ({"seed": -1}, ValueError, "64-bit key"),
        ({"seed": 1.0}, TypeError, "no integer"),
        ({"lengths": [[1, 2], [3]]}, TypeError, "integers"),
        ({"lengths": "3"}, TypeError, "integers"),
        ({"lengths": None}, TypeError, "integers"),
        ({"lengths": np.array([True])}, TypeError, "integers"),
        ({"threads": 0}, ValueError, "threads = 0"),
        ({"threads": 10**30}, ValueError, "outside 1 ... 1024"),
        ({"method": "exact"}, ValueError, "tokens"),
        ({"method": np.array(["tokens", "scores"])}, ValueError, "unknown"),
    ],
)
def test_bad_input(change, error, says):
    arguments = {**GOOD, "lengths": [3], "replicates": 2, "seed": 1, **change}
    with pytest.raises(error, match=says):
        attention_errors(**arguments)


def test_errors_whose_powers_are_zero_are_refused_and_a_larger_unit_is_not():
    """With tokens c z and U/c all scores are the same; the output is c times as large."""
    one, c = np.eye(1), 1e60
    with pytest.raises(ValueError, match="in a larger unit"):
        attention_errors(one / c**2, one * c, one, [1.0], [5], replicates=200, seed=1)
    assert attention_errors(one, one, one, [1.0], [5], replicates=200, seed=1).output.standard_error > 0
