"""True statements are proved, false ones refuted however close; each proof has a control."""

import mpmath
import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.provers.doors import FAULT
from numerics.provers.exact import exact_points as points
from numerics.provers.exact.normal_form import Letters, Undefined
from numerics.provers.identities import identity

R = sp.Rational
x, y, a = sp.symbols("x y a", positive=True)
r, t = sp.symbols("r t", real=True)
p, q = sp.symbols("p q", real=True)
z = sp.Symbol("z")
n = sp.Symbol("n", integer=True, positive=True)
f = sp.Function("f")

TRUE = {
    "exponents add": (sp.exp(r - t) * sp.exp(t), sp.exp(r)),
    "complex exponents": (sp.exp(z + 1) ** 2, sp.exp(2 * z) * sp.E**2),
    "a square": (sp.exp(-((r - t) ** 2) / 2), sp.exp(-(r**2) / 2) * sp.exp(r * t) * sp.exp(-(t**2) / 2)),
    "exponents over one denominator": (sp.exp(x / (x + 1)), sp.E * sp.exp(-1 / (x + 1))),
    "nested exponentials": (sp.exp(sp.exp(2 * r) + r), sp.exp(sp.exp(r) ** 2) * sp.exp(r)),
    "logarithm of a product": (sp.log(6 * x * sp.sqrt(y)), sp.log(2) + sp.log(3) + sp.log(x) + sp.log(y) / 2),
    "softplus": (sp.log(1 + sp.exp(r)) - r, sp.log(1 + sp.exp(-r))),
    "log cosh": (sp.log(sp.cosh(r)), r - sp.log(2) + sp.log(1 + sp.exp(-2 * r))),
    "log of a square": (sp.log(r**2), 2 * sp.log(sp.Abs(r))),
    "symbolic powers": ((x * y) ** a * x ** (1 - a), x * y**a),
    "square roots of integers": (sp.sqrt(6) * sp.sqrt(x) / sp.sqrt(2), sp.sqrt(3 * x)),
    "rationalised denominator": (1 / (1 + sp.sqrt(2)) + x, sp.sqrt(2) - 1 + x),
    "perfect square under a root": (sp.sqrt(x**2 + 2 * x * y + y**2), x + y),
    "Max and Min": (sp.Max(r, t) * sp.Min(r, t), r * t),
    "|ab|": (sp.Abs(r * t), sp.Abs(r) * sp.Abs(t)),
    "Pythagoras": (sp.sin(r) ** 2 + sp.cos(r) ** 2, sp.S.One),
    "addition theorem": (sp.sin(r + t), sp.sin(r) * sp.cos(t) + sp.cos(r) * sp.sin(t)),
    "tanh of twice": (sp.tanh(2 * r), 2 * sp.tanh(r) / (1 + sp.tanh(r) ** 2)),
    "coth minus tanh": (sp.coth(x) - sp.tanh(x), 2 / sp.sinh(2 * x)),
    "heptagon": (sp.cos(sp.pi / 7) - sp.cos(2 * sp.pi / 7) + sp.cos(3 * sp.pi / 7), R(1, 2)),
    "Gamma quotient": (sp.gamma(x + 3) / sp.gamma(x + 1), (x + 1) * (x + 2)),
    "Pascal": (sp.binomial(x + 1, 3), sp.binomial(x, 3) + sp.binomial(x, 2)),
    "Bessel recurrence": (sp.besselk(R(7, 2), x), sp.besselk(R(3, 2), x) + 5 / x * sp.besselk(R(5, 2), x)),
    "Bessel I of symbolic order": (sp.besseli(a - 1, x) - sp.besseli(a + 1, x), 2 * a / x * sp.besseli(a, x)),
    "half-integer Bessel": (sp.besseli(R(3, 2), x), sp.sqrt(2 / (sp.pi * x)) * (sp.cosh(x) - sp.sinh(x) / x)),
    "incomplete Gamma": (sp.uppergamma(a + 1, x), a * sp.uppergamma(a, x) + x**a * sp.exp(-x)),
    "complementary error function": (sp.erfc(x) + sp.erf(x), sp.S.One),
    "undefined functions": ((f(r + t) + f(x)) ** 2, f(t + r) ** 2 + 2 * f(x) * f(t + r) + f(x) ** 2),
    "derivatives of undefined functions": (sp.diff(f(r) ** 2, r), 2 * f(r) * sp.Derivative(f(r), r)),
    "indexed": (sp.IndexedBase("w")[1] * (x + 1), sp.IndexedBase("w")[1] * x + sp.IndexedBase("w")[1]),
    "a difference of cube roots": (sp.cbrt(2 + sp.sqrt(5)) - sp.cbrt(sp.sqrt(5) - 2), sp.S.One),
    "a nested root": (sp.sqrt(2) + sp.sqrt(3), sp.sqrt(5 + 2 * sp.sqrt(6))),
    "angles of a triangle": (sp.acos(R(3, 5)) + sp.acos(R(4, 5)), sp.pi / 2),
    "a floor": (sp.floor(1 / (sp.sqrt(10**18 + 1) - 10**9), evaluate=False), sp.Integer(2 * 10**9)),
    "rational functions": (1 / (x * (x + y)) + 1 / (y * (x + y)), 1 / (x * y)),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_identities_are_proved_with_a_refuted_control(name):
    e = identity(*TRUE[name])
    assert e.verdict is Verdict.PROVED
    assert e.control.verdict is Verdict.REFUTED
    assert e.control.checked != e.checked


@pytest.mark.parametrize("name", TRUE)
def test_the_same_with_one_term_disturbed_is_refuted_everywhere(name):
    lhs, rhs = TRUE[name]
    assert identity(lhs, rhs + rhs / 10**6).verdict is Verdict.REFUTED
    assert identity(lhs + R(1, 10**12), rhs).verdict is Verdict.REFUTED


# Almost equal: the number of digits that agree stands beside each.
NEAR = [
    (sp.exp(sp.pi * sp.sqrt(163)), sp.Integer(640320) ** 3 + 744),  # 30 significant digits
    (sp.exp(sp.pi * sp.sqrt(67)), sp.Integer(5280) ** 3 + 744),  # 17
    (sp.exp(sp.pi) - sp.pi, sp.Integer(20)),  # 4
    (sp.sin(11), sp.Integer(-1)),  # 4
    (sp.log(640320**3 + 744) / sp.sqrt(163), sp.pi),  # 30
    (sp.sqrt(2143) / sp.sqrt(22), sp.pi**2 * sp.sqrt(1) * 1),  # 8, pi^4 = 2143/22
    (sp.pi, R(355, 113)),  # 6
    (sp.sqrt(R(10**40 + 1, 10**40)), 1 + R(1, 2 * 10**40)),  # 80
    (sp.tanh(40), sp.Integer(1)),  # 34
    (sp.erf(7), sp.Integer(1)),  # 22
    (sp.cos(sp.pi / 17) * R(10**25 + 1, 10**25), sp.cos(sp.pi / 17)),  # 25
]


@pytest.mark.parametrize("sides", NEAR, ids=lambda s: str(s[0])[:30])
def test_near_identities_are_refuted(sides):
    with mpmath.workdps(120):  # the table itself: different, but hardly
        gap = abs(sp.lambdify((), sides[0] - sides[1], "mpmath")())
        assert 0 < gap < 1e-2
    e = identity(*sides)
    assert e.verdict is Verdict.REFUTED
    assert e.witness["lhs"] != e.witness["rhs"]


@pytest.mark.parametrize(
    ("lhs", "rhs"),
    [
        (sp.sqrt(z**2), z),  # false for Re z < 0
        (sp.log(z**2), 2 * sp.log(z)),
        (sp.sqrt(r**2), r),
        (sp.sqrt(r) * sp.sqrt(t), sp.sqrt(r * t)),  # false for r, t < 0
        (sp.log(r) + sp.log(t), sp.log(r * t)),
        (sp.log(sp.exp(z)), z),  # false for |Im z| > pi
        ((z**2) ** a, z ** (2 * a)),
        (sp.sqrt(1 / z), 1 / sp.sqrt(z)),  # false on the negative axis
        (sp.Abs(r - t), r - t),
        (sp.Max(r, t), (r + t) / 2),
        (sp.acos(sp.cos(r)), r),
        (sp.exp(z) ** a, sp.exp(a * z)),
        ((r**r) ** R(2, 3), r ** (2 * r / 3)),  # false for r < 0
        (sp.sqrt(sp.exp(a * sp.log(r))), r ** (a / 2)),
        (sp.sqrt(sp.exp(2 * z)), sp.exp(z)),
        (f(r) * f(t), f(r * t)),
        (f(r), f(-r)),
    ],
    ids=str,
)
def test_what_needs_an_assumption_is_not_proved_without_it(lhs, rhs):
    assert identity(lhs, rhs).verdict is not Verdict.PROVED


def test_the_same_with_the_assumption_is_proved_and_says_so():
    e = identity(sp.log(x) + sp.log(y), sp.log(x * y))
    assert e.verdict is Verdict.PROVED
    assert "x > 0" in e.assumes
    assert "y > 0" in e.assumes


def test_complex_points_refute_what_holds_for_real_ones():
    e = identity(sp.log(sp.exp(z / 2) ** 2), z)
    assert e.verdict is not Verdict.PROVED
    assert identity(sp.sqrt(z**4), z**2).verdict is Verdict.REFUTED  # true for real z


def test_side_conditions_are_used_and_named():
    e = identity(p * (1 - p), p * q, given=[sp.Eq(p + q, 1)])
    assert e.verdict is Verdict.PROVED
    assert "p + q - 1 = 0" in e.assumes
    assert identity(p * (1 - p), p * q).verdict is Verdict.REFUTED


def test_refutation_under_side_conditions_meets_them():
    e = identity(p**3 + q**3, 1, given=[sp.Eq(p**2 + q**2, 1)])
    assert e.verdict is Verdict.REFUTED
    values = {s: sp.sympify(e.witness[str(s)]) for s in (p, q)}
    assert sp.simplify((p**2 + q**2 - 1).subs(values)) == 0
    assert (p**3 + q**3).subs(values).evalf(30) != 1


def test_side_conditions_on_more_symbols_and_of_higher_degree():
    u = sp.symbols("u1:4", real=True)
    newton = [sum(u), u[0] * u[1] + u[0] * u[2] + u[1] * u[2] - p, u[0] * u[1] * u[2] - q]
    assert identity(u[0] ** 3 + u[1] ** 3 + u[2] ** 3, 3 * q, given=newton).verdict is Verdict.PROVED
    # it is -2 p
    assert identity(u[0] ** 2 + u[1] ** 2 + u[2] ** 2, 2 * p, given=newton).verdict is Verdict.REFUTED


def test_cancelling_needs_a_nonzero_factor():
    assert identity(y, z, given=[(x * y, x * z)]).verdict is Verdict.PROVED  # x > 0
    assert identity(y, z, given=[(r * y, r * z)]).verdict is Verdict.REFUTED  # r may vanish


def test_contradicting_conditions_prove_nothing():
    with pytest.raises(Undefined, match="contradict"):
        identity(p, q, given=[sp.Eq(p, 1), sp.Eq(p, 2)])


def test_a_denominator_that_vanishes_identically_is_an_error():
    with pytest.raises(Undefined, match="identically zero"):
        identity(1 / (sp.sin(r) ** 2 + sp.cos(r) ** 2 - 1), 1 / (sp.cosh(r) ** 2 - sp.sinh(r) ** 2 - 1))


def test_matrices_entry_by_entry():
    m = sp.Matrix([[x, 1], [1, y]])
    assert identity(m * m.inv(), sp.eye(2)).verdict is Verdict.PROVED
    wrong = identity(m * m, sp.Matrix([[x**2 + 1, x + y], [x + y, y**2 + 2]]))
    assert wrong.verdict is Verdict.REFUTED
    assert wrong.witness["place"] == "entry (1, 1)"


def test_lists_of_pairs():
    assert identity([sp.exp(x) ** 2, x + x], [sp.exp(2 * x), 2 * x]).verdict is Verdict.PROVED
    assert identity([sp.exp(x) ** 2, x + x], [sp.exp(2 * x), 3 * x]).verdict is Verdict.REFUTED


def test_general_matrix_identities_in_explicit_entries():
    """Sherman-Morrison and det(AB) = det A det B, both for d = 3: fractions and many symbols."""
    s = [sp.Symbol(f"s{i}", positive=True) for i in range(3)]
    u = [sp.Symbol(f"u{i}", real=True) for i in range(3)]
    S, v = sp.diag(*s), sp.Matrix(u)
    inverse = S.inv() - S.inv() * v * v.T * S.inv() / (1 + (v.T * S.inv() * v)[0])
    assert identity((S + v * v.T) * inverse, sp.eye(3)).verdict is Verdict.PROVED
    A = sp.Matrix(3, 3, sp.symbols("a:9"))
    B = sp.Matrix(3, 3, sp.symbols("b:9"))
    assert identity((A * B).det(), A.det() * B.det()).verdict is Verdict.PROVED


def test_nothing_is_proved_of_a_statement_that_sympy_has_emptied():
    e = identity(x - x, 0)
    assert e.verdict is Verdict.OPEN
    assert "nothing left" in e.reason


def test_unknown_relations_leave_it_open():
    """True, but no root bound reaches Gamma: the engine must not guess from digits that agree."""
    third = sp.Rational(1, 3)
    assert identity(sp.gamma(third) * sp.gamma(2 * third), 2 * sp.pi / sp.sqrt(3)).verdict is Verdict.OPEN
    assert identity(x * sp.sqrt(3 + 2 * sp.sqrt(2)), x * (1 + sp.sqrt(2))).verdict is Verdict.OPEN
    assert identity(sp.gamma(x) * sp.gamma(1 - x), sp.pi / sp.sin(sp.pi * x)).verdict is Verdict.OPEN


def test_evidence_says_what_was_checked():
    e = identity(sp.sin(r) ** 2 + sp.cos(r) ** 2, 1)
    assert e.checked == sp.latex(sp.sin(r) ** 2 + sp.cos(r) ** 2) + " = 1"
    assert "r real" in e.assumes
    assert "both sides are defined" in e.assumes
    assert identity(sp.gamma(r + 2), (r + 1) * r * sp.gamma(r)).assumes[-1].startswith("gamma(r + 2)")


def test_a_wrong_normal_form_is_caught_by_values(monkeypatch):
    monkeypatch.setattr(Letters, "vanish", lambda self, exprs, given=(): [True] * len(exprs))
    monkeypatch.setattr(points, "_all_zero", lambda values: True)
    e = identity(sp.sin(x), sp.cos(x))
    assert e.verdict is Verdict.OPEN
    assert e.reason.startswith(f"{FAULT}: Contradiction")
    assert "differ" in e.reason


def test_an_undefined_derivative_has_one_value_at_one_point():
    slopes = [sp.Derivative(f(s), s) for s in (p, q)]
    assert identity(*slopes, given=[p - q]).verdict is not Verdict.REFUTED
    assert identity(*slopes).verdict is Verdict.REFUTED


def test_a_function_has_one_value_at_one_point_however_that_is_written():
    """sqrt(3 + 2 sqrt(2)) is 1 + sqrt(2), but no engine here knows it."""
    a, b = sp.sqrt(3 + 2 * sp.sqrt(2)), 1 + sp.sqrt(2)
    assert identity(f(a * x), f(b * x)).verdict is Verdict.OPEN
    assert identity(f(a * x), f(sp.sqrt(2) * x)).verdict is Verdict.REFUTED


def test_zero_to_the_power_of_zero_refutes_nothing():
    assert identity(p**q, 0, given=[p, q]).verdict is Verdict.OPEN


def test_a_root_that_vanishes_identically_is_an_error():
    with pytest.raises(Undefined, match="not defined"):
        identity(1 / sp.sqrt(sp.sin(r) ** 2 + sp.cos(r) ** 2 - 1), x)


def test_an_index_is_a_number_or_a_symbol():
    w, i, j = sp.IndexedBase("w"), sp.Symbol("i", integer=True), sp.Symbol("j", integer=True)
    assert identity(w[i], w[j]).verdict is Verdict.REFUTED
    with pytest.raises(ValueError, match="index"):
        identity(w[(i + 1) ** 2], w[i**2 + 2 * i + 1])


@pytest.mark.parametrize(
    "kind", ["imaginary", "odd", "even", "prime", "noninteger", "irrational", "infinite", "hermitian"]
)
def test_assumptions_that_no_point_respects_are_refused_by_name(kind):
    s = sp.Symbol("s", **{kind: True})
    with pytest.raises(ValueError, match="s is assumed to be "):
        identity(s * x, x * s + x)


def test_what_is_zero_stays_zero():
    s = sp.Symbol("s", zero=True)
    assert identity(s * x, s).verdict is not Verdict.REFUTED
    assert identity(s, 1).verdict is Verdict.REFUTED


def test_nothing_that_does_not_commute_is_reordered():
    A, B = sp.symbols("A B", commutative=False)
    F = sp.Function("F", commutative=False)
    for lhs, rhs in ((A * B, B * A), (F(x) * F(y), F(y) * F(x)), (A * B - B * A, 0)):
        with pytest.raises(TypeError, match="commute"):
            identity(lhs, rhs)


def test_two_symbols_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two different symbols are called x"):
        identity(sp.Symbol("x") ** 2, x**2)


def test_the_sign_of_a_complex_number_is_not_that_of_its_real_part():
    assert identity(sp.sign(z) * sp.Abs(z), z).verdict is not Verdict.REFUTED


A = sp.MatrixSymbol("A", 2, 2)


@pytest.mark.parametrize(
    ("side", "error", "words"),
    [
        (0.5 * x, TypeError, "binary float"),
        (sp.Float("0.5") + x, TypeError, "binary float"),
        ("x", TypeError, "is text"),
        (sp.Integral(sp.exp(-(x**2)), x), TypeError, "Integral"),
        (A, TypeError, "trace_identity"),
        (sp.oo, ValueError, "not finite"),
        (x < y, TypeError, "not a scalar"),
        (sp.eye(2), ValueError, "shapes"),
        ([x, y], ValueError, "shapes"),
        (sp.Piecewise((r, r > 0), (0, True)), TypeError, "Piecewise"),
        (sp.Order(r), TypeError, "Order"),
        (sp.DiracDelta(r), TypeError, "DiracDelta"),
        (sp.Heaviside(r), TypeError, "Heaviside"),
        (A[0, 0], TypeError, "MatrixElement"),
        (sp.Trace(A), TypeError, "Trace"),
        (sp.Mod(r, 2), TypeError, "Mod"),
        (sp.log(r, 2, evaluate=False), TypeError, "base"),
        (sp.LambertW(r, -1), TypeError, "LambertW"),
        (sp.hyper((1,), (2,), r), TypeError, "hyper"),
        (sp.zeta(3) * r, TypeError, "zeta"),
        (sp.Lambda(r, r), TypeError, "Lambda"),
        (sp.AccumBounds(0, 1), TypeError, "AccumulationBounds"),
        (sp.Limit(sp.sin(r) / r, r, 0), TypeError, "Limit"),
        (sp.RootOf(r**3 - r - 1, 0) * x, TypeError, "ComplexRootOf"),
        (sp.Derivative(sp.uppergamma(r, x), r), TypeError, "meijerg"),
    ],
    ids=lambda v: str(v)[:20],
)
def test_bad_input_and_heads_without_a_normal_form_are_refused_by_name(side, error, words):
    with pytest.raises(error, match=words):
        identity(side, x)


def test_text_is_never_evaluated():
    for call in (
        lambda: identity(x, "x"),
        lambda: identity([x], ["x"]),
        lambda: identity(p, p, given=[("p", 1)]),
    ):
        with pytest.raises(TypeError, match="text"):
            call()
    with pytest.raises(TypeError, match="text"):
        identity(p, p, given=["p - 1"])


def test_binomials_of_negative_whole_numbers_are_not_written_by_gamma():
    n, m, free = sp.symbols("n m free", integer=True)
    low = sp.Symbol("low", integer=True, nonnegative=True)
    # binomial(-1, 1) is not binomial(-1, -2)
    assert identity(sp.binomial(n, m), sp.binomial(n, n - m)).verdict is Verdict.REFUTED
    assert not identity(free * sp.binomial(n, m), free * sp.binomial(n, n - m)).verdict.accepted
    pascal = sp.binomial(n, low) + sp.binomial(n, low + 1)
    assert identity(pascal, sp.binomial(n + 1, low + 1)).verdict is Verdict.PROVED
