"""Where the flow ends: closed forms, symmetries, limits, and the flow itself."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

from numerics.regression.flow.infinite_prompt import integrate_flow
from theory.regression.any_parameters import full_risk_gradient
from theory.regression.limit import SaddleError, limit_parameters
from theory.regression.risk import vector_field

RNG = np.random.default_rng(20240607)


@pytest.fixture(autouse=True)
def _same_stream_for_every_test():
    RNG.bit_generator.state = np.random.default_rng(20240607).bit_generator.state


def as_floats(M, values=None):
    return np.array(M.subs(values or {}).evalf(), dtype=float)


def random_covariance(d, rank, scale=1.0):
    basis = np.linalg.qr(RNG.normal(size=(d, d)))[0][:, :rank]
    return scale * (basis * RNG.uniform(0.4, 1.0, rank)) @ basis.T


def block(p):
    return np.asarray(p.U[:-1, :-1], dtype=float)


def scalar(p):
    return float(p.V[-1, -1])


STARTS = {
    "semi-definite": lambda d: ((lambda B: B @ B.T)(RNG.normal(size=(d, d))), 0.3),
    "zero block": lambda d: (np.zeros((d, d)), 0.7),
    "zero scalar": lambda d: (np.eye(d) + 0.3 * RNG.normal(size=(d, d)), 0.0),
    "any signs": lambda d: (2 * RNG.normal(size=(d, d)), 0.2 * RNG.normal()),
    "negative": lambda d: (-np.eye(d), -0.5),
    "against each other": lambda d: (-2 * np.eye(d) + 0.1 * RNG.normal(size=(d, d)), 0.4),
}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("d", "rank"), [(1, 1), (3, 2), (4, 1), (4, 4)])
@pytest.mark.parametrize(("L", "noise"), [(None, None), (1, None), (7, 0.8)])
def test_the_flow_ends_where_the_formula_says(start, d, rank, L, noise):
    Sigma = random_covariance(d, rank, scale=float(RNG.uniform(0.3, 3)))
    U0, u0 = STARTS[start](d)
    p = limit_parameters(Sigma, U0=U0, u0=u0, prompt_length=L, noise=noise)
    flow = integrate_flow(Sigma, U0, u0, prompt_length=L, noise=noise or 0.0)
    assert flow.converged
    np.testing.assert_allclose(flow.U[-1], block(p), atol=2e-7 * np.linalg.norm(p.U))
    assert flow.u[-1] == pytest.approx(scalar(p), rel=2e-7)


def test_all_parameters_flow_to_the_block_limit():
    """The integration assumes no block structure: it moves all (d + 1)^2 + d + 1 parameters."""
    Sigma = random_covariance(3, 2)
    start = np.concatenate([np.diag([1.0, 1.0, 1.0, 0.0]).ravel(), [0, 0, 0, 0.5]])

    def motion(_, y):
        to_U, to_v = full_risk_gradient(Sigma, y[:16].reshape(4, 4), y[16:], noise=0.3)
        return -np.append(to_U.ravel(), to_v)

    end = solve_ivp(motion, (0, 1e4), start, method="LSODA", rtol=1e-11, atol=1e-14).y[:, -1]
    p = limit_parameters(Sigma, U0=np.eye(3), u0=0.5)
    np.testing.assert_allclose(end[:16].reshape(4, 4), p.U, atol=1e-6)
    np.testing.assert_allclose(end[16:], p.V[-1], atol=1e-6)


@pytest.mark.parametrize("L", [None, 5])
def test_the_limit_is_stationary_and_keeps_both_invariants(L):
    Sigma, U0, u0 = random_covariance(5, 3), RNG.normal(size=(5, 5)), 0.4
    p = limit_parameters(Sigma, U0=U0, u0=u0, prompt_length=L)
    motion, speed = vector_field(Sigma, block(p), scalar(p), prompt_length=L)
    assert np.abs(motion).max() < 1e-12
    assert abs(speed) < 1e-12
    assert (p.U**2).sum() - scalar(p) ** 2 == pytest.approx((U0**2).sum() - u0**2, rel=1e-12)
    onto = Sigma @ np.linalg.pinv(Sigma, hermitian=True, rcond=1e-10)
    np.testing.assert_allclose(block(p) - onto @ block(p) @ onto, U0 - onto @ U0 @ onto, atol=1e-12)


@pytest.mark.parametrize("k", [1e-200, 1e-3, 7.0, 1e150])
def test_scaling_sigma_scales_gamma_by_the_root(k):
    Sigma = random_covariance(3, 3)
    p, q = limit_parameters(Sigma), limit_parameters(k * Sigma)
    assert q.gamma == pytest.approx(p.gamma * math.sqrt(k), rel=1e-12)
    np.testing.assert_allclose(block(q) * math.sqrt(k), block(p), rtol=1e-11)


@pytest.mark.parametrize("L", [None, 3])
def test_rotation_goes_along(L):
    Sigma, U0 = random_covariance(4, 3), RNG.normal(size=(4, 4))
    R = np.linalg.qr(RNG.normal(size=(4, 4)))[0]
    p = limit_parameters(Sigma, U0=U0, u0=0.3, prompt_length=L)
    q = limit_parameters(R @ Sigma @ R.T, U0=R @ U0 @ R.T, u0=0.3, prompt_length=L)
    np.testing.assert_allclose(block(q), R @ block(p) @ R.T, atol=1e-11)
    assert q.gamma == pytest.approx(p.gamma, rel=1e-11)


def test_changing_both_signs_changes_both_limits_but_not_the_rest():
    Sigma, U0 = random_covariance(3, 2), RNG.normal(size=(3, 3))
    p, q = limit_parameters(Sigma, U0=U0, u0=0.3), limit_parameters(Sigma, U0=-U0, u0=-0.3)
    np.testing.assert_allclose(q.U, -p.U, atol=1e-13)
    assert (q.gamma, scalar(q)) == pytest.approx((-p.gamma, -scalar(p)))


@pytest.mark.parametrize(
    ("s", "a", "u"), [(2.0, 0.5, 0.1), (0.3, 0.0, 1.0), (5.0, -0.2, 1.0), (1.0, -3.0, 0.2)]
)
def test_one_dimension_in_closed_form(s, a, u):
    """s U u = 1 on U^2 - u^2 = a^2 - u0^2, on the branch of the larger of the two."""
    p, c = limit_parameters([[s]], U0=[[a]], u0=u), a * a - u * u
    square = (c + math.sqrt(c * c + 4 / s**2)) / 2
    assert p.U[0, 0] == pytest.approx(math.copysign(math.sqrt(square), a + u), rel=1e-13)
    assert scalar(p) * p.U[0, 0] * s == pytest.approx(1)


def test_remark_5_3_for_every_balanced_start():
    Sigma, Theta = random_covariance(4, 4), RNG.normal(size=(4, 4))
    start = 0.1 * Theta @ Theta.T / np.linalg.norm(Theta @ Theta.T)
    p, q = limit_parameters(Sigma), limit_parameters(Sigma, U0=start, u0=0.1)
    inverse = np.linalg.inv(Sigma)
    np.testing.assert_allclose(block(p), np.trace(inverse @ inverse) ** -0.25 * inverse, rtol=1e-11)
    np.testing.assert_allclose(p.U, q.U, rtol=1e-11, atol=1e-12)


def test_the_infinite_prompt_is_the_limit_of_long_ones_at_rate_one_over_L():
    Sigma, start = random_covariance(3, 2), {"U0": np.diag([1.0, 0.2, 0.5]), "u0": 0.4}
    far = limit_parameters(Sigma, **start)
    gap = lambda L: np.linalg.norm(limit_parameters(Sigma, prompt_length=L, noise=2.0, **start).U - far.U)
    gaps = gap(10**4), gap(10**6)
    assert gaps[0] / gaps[1] == pytest.approx(100, rel=0.02)
    np.testing.assert_allclose(limit_parameters(Sigma, prompt_length=10**400, **start).U, far.U, rtol=1e-13)


# Exact matrices


def test_symbols_agree_with_numbers():
    a, b, x, u, t = sp.symbols("a b x u t", positive=True)
    L = sp.Symbol("L", integer=True, positive=True)
    U0 = sp.Matrix([[x, 0, 1], [0, 0, 2], [0, 3, x]])
    exact = limit_parameters(sp.diag(a, b, 0), U0=U0, u0=u, prompt_length=L, noise=t)
    values = {a: Fraction(1, 2), b: 3, x: Fraction(1, 3), u: 2, L: 6, t: Fraction(1, 4)}
    U0 = np.array([[1 / 3, 0, 1], [0, 0, 2], [0, 3, 1 / 3]])
    numeric = limit_parameters(np.diag([0.5, 3, 0]), U0=U0, u0=2.0, prompt_length=6, noise=0.25)
    assert exact.assumptions == ()
    for left, right in ((exact.U, numeric.U), (exact.V, numeric.V)):
        np.testing.assert_allclose(as_floats(left, values), right, rtol=1e-13, atol=1e-15)


def test_rational_matrices_give_algebraic_answers():
    p = limit_parameters(sp.Matrix([[2, 1], [1, 2]]), U0=sp.eye(2), u0=1)
    q = limit_parameters(np.array([[2.0, 1.0], [1.0, 2.0]]), U0=np.eye(2), u0=1.0)
    assert p.U.free_symbols == set()
    assert not p.U.has(sp.Float)
    np.testing.assert_allclose(as_floats(p.U), q.U, rtol=1e-13, atol=1e-15)
    inside = p.U[:2, :2] * p.V[2, 2] * sp.Matrix([[2, 1], [1, 2]])
    assert inside.applyfunc(sp.radsimp) == sp.eye(2)


def test_six_symbols_are_no_burden():
    """Common denominators of many symbols take minutes; the answer does not need them."""
    p = sp.symbols("p0:6", positive=True)
    exact = limit_parameters(sp.diag(*p), prompt_length=3).gamma
    values = dict(zip(p, range(1, 7)))
    numeric = limit_parameters(np.diag(np.arange(1.0, 7.0)), prompt_length=3).gamma
    assert float(exact.subs(values)) == pytest.approx(numeric)


def test_a_symbolic_rank_is_found_and_its_pseudo_inverse_is_one():
    a = sp.Symbol("a", positive=True)
    p = limit_parameters(sp.Matrix([[a, 2 * a], [2 * a, 4 * a]]))
    assert "rank 1 of 2" in p.regime
    numeric = limit_parameters(np.array([[3.0, 6.0], [6.0, 12.0]]))
    np.testing.assert_allclose(as_floats(p.U, {a: 3}), numeric.U, rtol=1e-12, atol=1e-14)


def test_what_cannot_be_checked_is_assumed_aloud():
    x, y, L, t = sp.symbols("x y L t")
    p = limit_parameters(sp.Matrix([[x, y], [y, x]]), prompt_length=L, noise=t)
    text = {str(a) for a in p.assumptions}
    assert {"2*x > 0", "x**2 - y**2 > 0", "t >= 0"} <= text
    assert any("L" in a and "Naturals" in a for a in text)
    assert any(str(a) in str(p) or "ℝ" in str(p) for a in p.assumptions)
    assert limit_parameters(sp.diag(*sp.symbols("p q", positive=True))).assumptions == ()


def test_exact_starts_use_the_same_criteria_and_the_flow_as_last_resort():
    half, tenth = sp.Rational(1, 2), sp.Rational(1, 10)
    for U0, u0 in ((-2 * sp.eye(2), half), (sp.diag(-2, 1), tenth), (-sp.eye(2), sp.Integer(3))):
        p = limit_parameters(sp.diag(1, 2), U0=U0, u0=u0)
        q = limit_parameters(np.diag([1.0, 2.0]), U0=as_floats(U0), u0=float(u0))
        assert float(p.gamma) == pytest.approx(q.gamma, rel=1e-13)
        assert p.regime == q.regime
    assert "integrating" in limit_parameters(sp.diag(1, 2), U0=-2 * sp.eye(2), u0=half).regime


# Any size of covariance and start

OF_ANY_SIZE = [
    ([[-2.0, 3.0], [1.0, 1.0]], 0.5),  # integrated, to the positive sign
    ([[-2.0, 0.0], [0.0, -2.0]], 0.5),  # integrated, to the negative sign
    ([[-2.0, 0.0], [0.0, 1.0]], 0.0),
    ([[1.0, 2.0], [3.0, -1.0]], 1.0),
    ([[-1.0, 7.0], [0.0, 2.0]], -0.3),
]


@pytest.mark.parametrize(("U0", "u0"), OF_ANY_SIZE)
@pytest.mark.parametrize("power", [-1000, -500, 0, 500, 1000])
@pytest.mark.parametrize("length", [None, 7])
def test_the_limit_goes_with_the_unit_of_the_covariates(U0, u0, power, length):
    """With c Sigma and a start over sqrt(c) the flow is the same; 2^1000 is 1e301."""
    Sigma, unit = np.array([[1.0, 0.5], [0.5, 2.0]]), 2.0 ** (power / 2)
    here = limit_parameters(Sigma, U0=U0, u0=u0, prompt_length=length)
    there = limit_parameters(2.0**power * Sigma, U0=np.array(U0) / unit, u0=u0 / unit, prompt_length=length)
    assert np.asarray(there.U) * unit == pytest.approx(here.U, rel=1e-12)
    assert np.asarray(there.V) * unit == pytest.approx(here.V, rel=1e-12)


@pytest.mark.parametrize(("U0", "u0"), OF_ANY_SIZE)
def test_large_starts_lose_u_and_keep_the_balance(U0, u0):
    Sigma, balance = np.diag([1.0, 2.0]), float(np.sum(np.square(U0))) - u0**2
    found = {r: limit_parameters(Sigma, U0=r * np.array(U0), u0=r * u0) for r in (1e3, 1e20, 1e150, 1e300)}
    assert len({math.copysign(1, p.gamma) for p in found.values()}) == 1
    for r, p in found.items():
        assert float(np.sum(np.square(p.U / r)) - (p.V[-1, -1] / r) ** 2) == pytest.approx(balance, rel=1e-5)


def test_the_start_of_mixed_sizes_has_a_limit():
    p = limit_parameters(np.eye(2), U0=[[1e300, 2e307], [3, -1]], u0=1.0)
    assert np.linalg.norm(p.U / 1e307) == pytest.approx(2, rel=1e-12)
    exact = limit_parameters(sp.diag(1, 2) * 10**400, U0=-2 * sp.eye(2), u0=sp.Rational(1, 2))
    assert exact.gamma.is_negative


def test_a_u0_too_small_for_the_units_of_the_start_still_counts():
    """At u0 = 0 this start would stand still: tr(Sigma U0 Sigma) = 0."""
    for sign in (1, -1):
        p = limit_parameters(np.eye(2), U0=1e290 * np.diag([1.0, -1.0]), u0=sign * 1e-100)
        assert math.copysign(1, p.gamma) == sign


# Starts without a minimum


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("Sigma", "U0", "u0"),
    [
        ([[1, 0], [0, 1]], [[0, 0], [0, 0]], 0),  # nothing at all
        ([[1, 0], [0, 1]], [[1, 5], [0, -1]], 0),  # tr(S U S) = 0
        ([[1, 0], [0, 0]], [[0, 0], [0, 1]], 0),  # moves nothing inside the range
        ([[3]], [[-2]], 2),  # into the origin along U = -u
        ([[1, 0], [0, 0]], [[-1, 7], [7, 7]], 1),  # the same, seen in the range only
        ([[1, 1], [1, 1]], [[-1, -1], [-1, -1]], 2),  # rank one, not along an axis
    ],
)
def test_starts_that_end_in_a_saddle_are_errors(exact, Sigma, U0, u0):
    convert = sp.Matrix if exact else lambda m: np.array(m, dtype=float)
    with pytest.raises(SaddleError, match="saddle"):
        limit_parameters(convert(Sigma), U0=convert(U0), u0=u0)


def test_a_saddle_in_two_dimensions_is_met_only_on_its_stable_manifold():
    """U = -a I, u = a sqrt 2: the flow stays on that line and ends in the origin."""
    with pytest.raises(SaddleError, match="1e-09"):
        limit_parameters(np.eye(2), U0=-np.eye(2), u0=math.sqrt(2))
    nudged = [limit_parameters(np.eye(2), U0=-np.eye(2), u0=math.sqrt(2) + h).gamma for h in (-1e-4, 1e-4)]
    assert nudged[0] < 0 < nudged[1]


def test_a_saddle_off_the_origin_is_found_by_bisection():
    Sigma, low, high = np.diag([1.0, 0.5]), 0.0, 3.0

    def sign(u0):
        return math.copysign(1, limit_parameters(Sigma, U0=np.diag([-2.0, 1.0]), u0=u0).gamma)

    assert sign(low) < 0 < sign(high)
    for _ in range(25):
        middle = (low + high) / 2
        low, high = (middle, high) if sign(middle) < 0 else (low, middle)
    for u0, expected in ((low, -1), (high, 1)):
        assert np.sign(integrate_flow(Sigma, np.diag([-2.0, 1.0]), u0).u[-1]) == expected
    for _ in range(30):
        middle = (low + high) / 2
        try:
            low, high = (middle, high) if sign(middle) < 0 else (low, middle)
        except SaddleError:
            return
    pytest.fail("bisection reached the stable manifold without an error")


# What the user sees


def test_numbers_in_numbers_out_and_symbols_in_symbols_out():
    U = limit_parameters([[1, 0], [0, 2]]).U
    assert isinstance(U, np.ndarray)
    assert U.shape == (3, 3)
    assert isinstance(limit_parameters([[sp.Integer(1), 0], [0, 2]]).U, sp.MatrixBase)
    assert limit_parameters([[Fraction(1, 2)]]).gamma == pytest.approx(math.sqrt(0.5))


def test_regime_says_rank_prompt_and_sign():
    p = limit_parameters(np.diag([1.0, 0.0]), U0=np.diag([-2.0, 1.0]), u0=0.1, prompt_length=9, noise=0.5)
    for words in ("rank 1 of 2;", "prompts of 9 tokens", "noise of variance 0.5", "sign -", "rank one"):
        assert words in p.regime
    q = limit_parameters(np.diag([1.0, 2.0]), U0=np.diag([-2.0, 0.1]), u0=0.1)
    assert "integrating the flow" in q.regime
    assert "balanced start" in limit_parameters(np.eye(2)).regime


def test_shown_in_a_terminal_and_as_latex():
    a, b = sp.symbols("a b", positive=True)
    for p in (limit_parameters(np.diag([1.0, 2e-7])), limit_parameters(sp.diag(a, b))):
        text, latex = str(p), p._repr_latex_()
        assert text == repr(p)
        assert all(word in text for word in ("U =", "V =", "gamma =", "infinite prompt"))
        assert latex.startswith("$$") and latex.endswith("$$")  # noqa: PT018
        assert latex.count(r"\begin{") == latex.count(r"\end{") > 2
        assert latex.count("{") == latex.count("}")
    assert r"\cdot 10^{9}" in limit_parameters(np.diag([1e-20, 3e-20]))._repr_latex_()
    wide = limit_parameters(np.eye(40))
    assert r"\mathbb{R}^{41\times41}" in wide._repr_latex_()


def test_roundoff_asymmetry_is_tolerated_and_does_not_matter():
    Sigma = random_covariance(3, 3)
    rough = Sigma + 1e-13 * RNG.normal(size=(3, 3))
    np.testing.assert_allclose(limit_parameters(rough).U, limit_parameters(Sigma).U, rtol=1e-10, atol=1e-12)
    single = limit_parameters(Sigma.astype(np.float32))
    np.testing.assert_allclose(single.U, limit_parameters(Sigma).U, rtol=1e-5, atol=1e-6)


def test_symbols_are_shown_whole_and_with_what_is_assumed_of_them():
    a, b, c = sp.symbols("a b c")
    text = str(limit_parameters(sp.diag(a, b)))
    assert all(f"if    {x} > 0" in text for x in "ab")
    text = str(limit_parameters(sp.Matrix([[a, b], [b, c]])))
    assert "↪" not in text
    assert max(map(len, text.splitlines())) <= 120
    condition = text.splitlines()[-2:]  # the square stands above its base
    assert condition[0].index("2") == condition[1].index("b") + 1
    assert "c⋅γ" in text  # in units of gamma, which is shown below
    named = str(limit_parameters(sp.Matrix([[a, b], [b, sp.Symbol("gamma")]])))
    assert "↪" not in named
    assert "(1, 1): " in named
