"""`integral`: the ball holds the true value, or there is no ball."""

import mpmath
import pytest
import sympy as sp
from flint import arb, ctx

from numerics.evidence import Verdict
from numerics.provers.enclosures.balls import NoBall, precision, value
from numerics.provers.integrals import integral, integral_evidence

R, oo = sp.Rational, sp.oo
x, y = sp.symbols("x y", real=True)

CLOSED = {
    "polynomial": (x**3, (R(1, 3), R(2, 3)), R(5, 108), {}),
    "reversed ends": (sp.sin(x), (3, 0), sp.cos(3) - 1, {}),
    "empty": (sp.exp(x), (2, 2), sp.S.Zero, {}),
    "semicircle": (sp.sqrt(1 - x**2), (-1, 1), sp.pi / 2, {}),
    "irrational ends": (sp.atan(x), (0, sp.sqrt(3)), sp.sqrt(3) * sp.pi / 3 - sp.log(2), {}),
    "kink of |x|": (sp.Abs(x - R(1, 3)), (0, 1), R(5, 18), {}),
    "kink of Max": (sp.Max(sp.sin(x), sp.cos(x)), (0, sp.pi), 1 + sp.sqrt(2), {}),
    "jump": (sp.sign(x - R(1, 3)), (0, 1), R(1, 3), {}),
    "cube root at 0": (sp.cbrt(x), (0, 1), R(3, 4), {}),
    "power 3/2 at 0": (x ** R(3, 2), (0, 1), R(2, 5), {}),
    "branch cut beside the path": (sp.log(x), (R(1, 10**6), 1), -1 + R(1, 10**6) * (1 + 6 * sp.log(10)), {}),
    "Gauss": (sp.exp(-(x**2) / 2), (-oo, oo), sp.sqrt(2 * sp.pi), {"tail": 2 * sp.exp(-x)}),
    "Gauss x^2": (
        sp.exp(-(x**2) / 2) * x**2,
        (-oo, oo),
        sp.sqrt(2 * sp.pi),
        {"tail": 4 * sp.exp(-(x**2) / 4)},
    ),
    "Gamma(4)": (x**3 * sp.exp(-x), (0, oo), sp.Integer(6), {"tail": 100 * sp.exp(-x / 2)}),
    "Cauchy": (1 / (1 + x**2), (-oo, 0), sp.pi / 2, {"tail": x**-2}),
    "Gamma": (sp.sqrt(x) * sp.exp(-x), (2, oo), sp.uppergamma(R(3, 2), 2), {"tail": 2 * sp.exp(-x / 2)}),
    "error function": (sp.erf(x) * sp.exp(-(x**2)), (0, oo), sp.sqrt(sp.pi) / 4, {"tail": sp.exp(-(x**2))}),
    "lgamma (Raabe)": (sp.loggamma(x), (1, 2), sp.log(2 * sp.pi) / 2 - 1, {}),
    "Bessel": (x * sp.besselk(0, x), (1, 2), sp.besselk(1, 1) - 2 * sp.besselk(1, 2), {}),
}


@pytest.mark.parametrize("name", CLOSED)
def test_the_ball_holds_the_closed_form(name):
    f, interval, closed, kwargs = CLOSED[name]
    ball, exact = integral(f, x, interval, **kwargs), value(closed, 256).real
    assert ball.overlaps(exact)
    assert float((ball - exact).abs_upper()) < 1e-14
    assert not ball.overlaps(exact + value(R(1, 10**13)).real)


# arcs whose integrand leaves the principal branch somewhere near the path; without the flag
# `analytic` acb.integral misses these
CUTS = [
    sp.sqrt(x**2),
    sp.log(x**2 + R(1, 100)),
    sp.sqrt(x**2 + R(1, 10**4)),
    sp.Abs(x) ** 3,
    sp.atan(10 * x),
    sp.asinh(20 * x),
    (x**2 + R(1, 50)) ** R(1, 3),
]


@pytest.mark.parametrize("f", CUTS, ids=str)
def test_branch_cuts_against_high_precision_quadrature(f):
    g = sp.lambdify(x, f, "mpmath")
    with mpmath.workdps(30):
        reference = mpmath.quad(g, [-1, -0.5, -0.1, -0.01, 0, 0.01, 0.1, 0.5, 1.5])
    ball = integral(f, x, (-1, R(3, 2)))
    assert abs(mpmath.mpf(str(ball.mid().str(25, radius=False))) - reference) < mpmath.mpf(10) ** -14


@pytest.mark.parametrize(("f", "interval", "kwargs", "error", "words"), [
    (1 / x, (-1, 1), {}, ArithmeticError, "pole"),
    (1 / sp.sqrt(x), (0, 1), {}, ArithmeticError, "singular end"),
    (sp.tan(x), (1, 2), {}, ArithmeticError, "pole"),
    (sp.sqrt(1 - x**2), (2, 3), {}, ArithmeticError, "shown to be real"),
    (sp.exp(-x), (0, oo), {}, ValueError, "tail="),
    (sp.exp(-x), (0, oo), {"tail": sp.exp(-2 * x)}, ValueError, "not certified"),  # too small
    # too small in the middle only
    (x**3 * sp.exp(-x), (0, oo), {"tail": 10 * sp.exp(-x / 2)}, ValueError, "not certified"),
    # too small in absolute value
    (-sp.exp(-x), (0, oo), {"tail": sp.exp(-x) / 2}, ValueError, "not certified"),
    (1 / x, (1, oo), {"tail": 2 / x}, ValueError, "none of"),  # not integrable
    (sp.exp(-x), (0, oo), {"tail": sp.exp(-x) * sp.log(x)}, ValueError, "none of"),
    (0.5 * x, (0, 1), {}, TypeError, "float"),
    (x * sp.Symbol("y"), (0, 1), {}, NoBall, "no value"),
    (x, (0, sp.Symbol("y")), {}, ValueError, "not a real constant"),
    (sp.zeta(x), (2, 3), {}, NoBall, "no enclosure"),
    (sp.Piecewise((x, x > 0), (0, True)), (0, 1), {}, TypeError, "Piecewise"),
    (sp.polygamma(R(1, 2), x), (2, 3), {}, NoBall, "polygamma"),
    (sp.LambertW(x, -1), (R(-1, 3), R(-1, 4)), {}, NoBall, "LambertW with 2"),
    ("x", (0, 1), {}, TypeError, "text"),
    (x, ("0", 1), {}, TypeError, "text"),
    (x, (0, 1, 2), {}, TypeError, "no pair"),
    (x, (0, sp.I), {}, ValueError, "not a real constant"),
    (x, (0, 1), {"rel": 1e-10}, ValueError, "Fraction"),
    (sp.Abs(1 + sp.I * y), (-1, 1), {}, NoBall, "no value"),
    (x + sp.I, (0, 1), {}, ValueError, "not a real"),
    (sp.Abs(sp.log(x)), (-2, -1), {}, ArithmeticError, "real on .* needs x > 0"),
    (sp.Max(x, sp.log(x)), (-2, -1), {}, ArithmeticError, "needs x > 0"),
    (sp.sign(sp.sqrt(x)), (-2, -1), {}, ArithmeticError, "needs x >= 0"),
    (x ** R(1, 4), (-1, 7), {}, ArithmeticError, "needs x >= 0"),
    (sp.asin(x), (0, 2), {}, ArithmeticError, "needs 1 - x >= 0"),
    (sp.LambertW(x), (-1, 1), {}, ArithmeticError, r"needs x \+ exp"),
    (sp.cbrt(-2) * x, (0, 1), {}, ArithmeticError, "needs -2 >= 0"),
    (1 / x, (0, 0), {}, ArithmeticError, "empty integral"),
    (sp.log(x), (-1, -1), {}, ArithmeticError, "empty integral"),
])  # fmt: skip
def test_what_cannot_be_enclosed_raises(f, interval, kwargs, error, words):
    with pytest.raises(error, match=words):
        integral(f, x, interval, **kwargs)


@pytest.mark.parametrize(
    "assumed", ["positive", "nonnegative", "negative", "integer", "even", "imaginary", "zero", "infinite"]
)
def test_what_is_assumed_of_the_variable_must_hold_on_the_interval(assumed):
    p = sp.Symbol("p", **{assumed: True})
    with pytest.raises(ValueError, match=r"declared .*which the interval"):
        integral_evidence(p, p, (-1, 1), "<", R(1, 10))


def test_signs_that_the_interval_implies_may_be_assumed():
    p, n = sp.Symbol("p", positive=True), sp.Symbol("n", negative=True)
    assert integral_evidence(sp.sqrt(p**2), p, (0, 1), "==", R(1, 2)).verdict is Verdict.SUPPORTED
    assert integral_evidence(sp.sqrt(n**2), n, (-1, 0), "==", R(1, 2)).verdict is Verdict.SUPPORTED
    # the half line is mirrored: what was negative is positive then, and |n - 1| is not n - 1
    ball = integral(sp.Abs(n + 1) * sp.exp(n), n, (-oo, 0), tail=8 * sp.exp(-n / 2))
    assert ball.overlaps(value(2 * sp.exp(-1), 200).real)
    assert not ball.overlaps(value(2 * sp.exp(-1) + R(1, 10**9), 200).real)


@pytest.mark.parametrize(
    ("constant", "words"),
    [
        (sp.pi / 4 + sp.I, "a real number"),
        (1 + sp.I, "a real number"),
        (sp.sqrt(-3), "a real number"),
        (sp.Pow(-2, R(1, 3), evaluate=False), "defined"),
        (1 / (sp.sqrt(2) + sp.sqrt(3) - sp.sqrt(5 + 2 * sp.sqrt(6))), "defined"),
        (sp.acosh(R(1, 2)), "a real number"),
    ],
    ids=str,
)
@pytest.mark.parametrize("op", ["<", "=="])
def test_a_constant_that_is_undefined_or_complex_is_refused(constant, words, op):
    with pytest.raises(ValueError, match=f"was not shown to be {words}"):
        integral_evidence(1 / (1 + x**2), x, (0, 1), op, constant)


def test_text_is_no_constant():
    with pytest.raises(TypeError, match="text"):
        integral_evidence(x, x, (0, 1), "<", "1")


def test_touching_the_boundary_of_the_domain_is_no_fault():
    """The ends may be irrational, and the integrand undefined beyond them."""
    expected = Verdict.SUPPORTED
    assert integral_evidence(sp.sqrt(3 - x**2), x, (0, sp.sqrt(3)), "==", 3 * sp.pi / 4).verdict is expected
    assert integral_evidence(sp.asin(x), x, (-1, 1), "==", 0).verdict is Verdict.SUPPORTED


def test_evidence_of_a_comparison():
    f, ends = 1 / (1 + x**2), (0, 1)
    assert integral_evidence(f, x, ends, "<", R(7855, 10000)).verdict is Verdict.CERTIFIED
    assert integral_evidence(f, x, ends, "<", R(7853, 10000)).verdict is Verdict.REFUTED
    assert integral_evidence(f, x, ends, ">=", R(7853, 10000)).verdict is Verdict.CERTIFIED
    assert integral_evidence(f, x, ends, "<=", sp.pi / 4).verdict is Verdict.OPEN  # equal: balls cannot tell
    with pytest.raises(ValueError, match="none of"):
        integral_evidence(f, x, ends, "=", sp.pi / 4)


def test_an_equality_is_supported_at_most_and_controlled():
    e = integral_evidence(1 / (1 + x**2), x, (0, 1), "==", sp.pi / 4)
    assert e.verdict is Verdict.SUPPORTED
    assert e.control.verdict is Verdict.REFUTED
    near = sp.pi / 4 + R(1, 10**15)
    assert integral_evidence(1 / (1 + x**2), x, (0, 1), "==", near).verdict is Verdict.REFUTED


def test_flints_precision_is_given_back():
    before = ctx.prec
    integral(sp.exp(x), x, (0, 1))
    with pytest.raises(ArithmeticError):
        integral(1 / x, x, (-1, 1))
    assert ctx.prec == before


def test_what_cancels_in_the_integrand_may_be_undefined():
    with sp.evaluate(False):
        f = sp.tan(x) - sp.tan(x) + 1
    with pytest.raises(ValueError, match="cancels in the integrand"):  # it has a pole at pi/2
        integral(f, x, (0, 3))


def _sophomore() -> arb:
    """The integral of x^x over the unit interval is the sum of -(-1/k)^k."""
    return sum((-((-arb(1) / k) ** k) for k in range(1, 40)), arb(0, "1e-50"))


def _exponential() -> arb:
    """The integral of exp(-1/x) over the unit interval, e^-1 - E_1(1)."""
    return (-arb(1)).exp() - arb(1).gamma_upper(arb(0))


@pytest.mark.parametrize(
    ("f", "exact"),
    [
        (sp.exp(-1 / x), _exponential),
        (sp.exp(-1 / (1 - x)), _exponential),
        (x**x, _sophomore),
        (x * sp.log(x) + x**x, lambda: _sophomore() - arb(1) / 4),
    ],
    ids=["exp(-1/x)", "exp(-1/(1 - x))", "x^x", "x log(x) + x^x"],
)
def test_what_is_bounded_and_not_analytic_at_an_end(f, exact):
    found = integral(f, x, (0, 1))
    with precision(128):
        assert found.overlaps(exact())
    assert found.rad() < 1e-12


def test_the_sign_of_an_infinite_range_that_is_turned_round():
    for f, tail, ends in (
        (sp.exp(-x), sp.exp(-x), (0, sp.oo)),
        (sp.exp(-(x**2)), sp.exp(-(x**2)), (-sp.oo, sp.oo)),
    ):
        there, back = integral(f, x, ends, tail=tail), integral(f, x, ends[::-1], tail=tail)
        assert there > 0
        assert (there + back).contains(0)
        assert back < 0


def test_the_floor_of_a_number_next_to_a_whole_one():
    number = sp.floor(1 / (sp.sqrt(10**18 + 1) - 10**9), evaluate=False)
    assert integral(number + 0 * x, x, (0, 1)) == 2 * 10**9
