"""Sides are shown as written and evaluated; the engine says where a check says nothing."""

from typing import Any

import pytest
import sympy as sp

from numerics.counterexamples.worst_case.statement import evaluate
from numerics.evidence import Evidence, Verdict
from numerics.provers import Closed, computed, forall, identity, trace_identity
from numerics.provers.as_written import evaluated
from numerics.provers.eigenbasis import entrywise, l_i, p_i
from numerics.provers.exact.leading import limit
from theory.symbolic.algebra import Algebra

x, y = sp.symbols("x y", positive=True)
r, k, j = sp.symbols("r k j", real=True)
n = sp.Symbol("n", integer=True, positive=True)
f = sp.Function("f")
D, S = sp.Derivative, sp.Sum

with sp.evaluate(False):
    TWICE = x + x
    ONE = r / r
    PIECES = sp.Piecewise((x, x > 0), (0, True)) ** 2  # SymPy cannot even print it

WRITTEN = {
    "an unevaluated sum": (TWICE, 2 * x, "x + x = 2 x"),
    "an unevaluated part": (sp.UnevaluatedExpr(x) + x, 2 * x, "x + x = 2 x"),
    "a derivative": (D(x**2, x), 2 * x, r"\frac{d}{d x} x^{2} = 2 x"),
    "a second derivative": (D(sp.exp(-x * y), x, x), y**2 * sp.exp(-x * y),
        r"\frac{\partial^{2}}{\partial x^{2}} e^{- x y}"),
    "a derivative at a point": (sp.Subs(D(r**3, r), r, x), 3 * x**2, r"\left. \frac{d}{d r} r^{3} \right|"),
    "the product rule": (D(f(r) * sp.exp(r), r), sp.exp(r) * (D(f(r), r) + f(r)),
        r"\frac{d}{d r} f{\left(r \right)} e^{r}"),
    "a finite sum": (S(k * x, (k, 1, 4)), 10 * x, r"\sum_{k=1}^{4} k x = 10 x"),
    "two sums": (S(x, (k, 1, j), (j, 1, 3)), 6 * x, r"\sum_{\substack{1 \leq k \leq j\\1 \leq j \leq 3}}"),
    "a finite product": (sp.Product(k * x, (k, 1, 3)), 6 * x**3, r"\prod_{k=1}^{3} k x = 6 x^{3}"),
    "a computation": (computed(r"\nabla_x", 2 * x * y), 2 * x * y, r"\underbrace{2 x y}_{\nabla_x}"),
    "computed": (sp.exp(computed("a", sp.log(x))), x, r"e^{\underbrace{\log{\left(x \right)}}_{a}} = x"),
    "of a computation": (D(computed("a", x**2), x), 2 * x, r"\frac{d}{d x} \underbrace{x^{2}}_{a} = 2 x"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_a_side_is_shown_as_it_is_written_and_then_evaluated(name):
    lhs, rhs, shown = WRITTEN[name]
    e = identity(lhs, rhs)
    assert e.verdict is Verdict.PROVED
    assert e.checked.startswith(shown)
    assert not e.vacuous
    assert e.control.verdict is Verdict.REFUTED
    assert identity(lhs, rhs + y).verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", [n for n in WRITTEN if n != "the product rule"])
def test_inequalities_take_the_same_sides(name):
    lhs, rhs, shown = WRITTEN[name]
    domain = dict.fromkeys((x, y), (0, sp.oo))
    e = forall(lhs, "<=", rhs, domain)
    assert e.verdict is Verdict.PROVED
    assert e.checked.split(r":\; ")[1].startswith(shown.split(" = ")[0])
    assert forall(lhs, "<", rhs, domain).verdict is Verdict.REFUTED


def test_a_maximum_of_a_computation():
    assert forall(sp.Max(computed("a", x), 1), "<=", x + 1, {x: (0, sp.oo)}).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("side", "error", "words"),
    [
        (PIECES, TypeError, "Piecewise"),
        (D(sp.Abs(r), r), TypeError, "bends"),
        (D(sp.Max(r, 0) ** 2, r), TypeError, "bends"),
        (D(sp.Abs(sp.sin(r)), r), TypeError, "bends"),
        (D(sp.floor(r), r), TypeError, "bends"),
        (D(f(2 * r), r), TypeError, "undefined function"),
        (sp.Subs(D(f(r), r), r, 0), TypeError, "undefined derivative"),
        (D(n**2, n), TypeError, "takes all numbers"),
        (S(x, (k, 1, n)), TypeError, "whole numbers as limits"),
        (S(x**k, (k, 1, sp.oo)), (TypeError, ValueError), "limits|finite"),
        (S(x, (k, 1, 10**9)), ValueError, "terms"),
        (S(x, (k, 3, 1)), ValueError, "terms"),
        (sp.Integral(r, (r, 0, 1)), TypeError, "Integral"),
        (S(1 / k, (k, 0, 1)), ValueError, "not finite"),
        (sp.Subs(1 / r, r, 0), ValueError, "not finite"),
    ],
    ids=str,
)
def test_what_has_no_sure_value_is_refused(side, error, words):
    with pytest.raises(error, match=words):
        identity(side, r)


@pytest.mark.parametrize(
    "side",
    [
        sp.Subs(ONE, r, 0),
        sp.Pow(0, 0, evaluate=False),
        sp.Mul(0, sp.Pow(0, -1, evaluate=False), evaluate=False),
    ],
    ids=str,
)
def test_what_is_undefined_as_written_is_refused(side):
    with pytest.raises(ValueError, match=r"undefined"):
        identity(side, 1)


@pytest.mark.parametrize(
    "number",
    [
        sp.loggamma(1 + sp.Rational(1, 2**60)),
        sp.acosh(1 + sp.Rational(1, 2**60)),
        sp.LambertW(sp.Rational(1, 2**60) - sp.exp(-1)),
    ],
    ids=str,
)
def test_a_number_whose_sign_sympy_misjudges_is_refused(number):
    """LambertW(-1/e + 2^-60) is about -1; SymPy takes it for positive and splits a logarithm."""
    z = sp.Symbol("z")
    with pytest.raises(ValueError, match="another sign"):
        identity(sp.log(number * x * z + x), sp.log(number * z + 1) + sp.log(x))
    assert identity(sp.exp(sp.pi * sp.sqrt(163)) - 262537412640768744 + x, x + y).verdict is Verdict.REFUTED


def test_a_number_that_sympy_cannot_evaluate_is_refused():
    """SymPy's logarithm of such a number calls itself until Python gives up."""
    number, z = sp.atanh(1 - sp.Rational(1, 10**20)), sp.Symbol("z")
    with pytest.raises(ValueError, match="another sign"):
        identity(sp.log(number * x * z + x), sp.log(number * z + 1))


def test_engines_evaluate_although_their_caller_does_not():
    with sp.evaluate(False):
        found = identity(x + x, 2 * x), forall(x + x, "<=", x * 2 + 0 * y, {x: (0, 1), y: (0, 1)})
    assert [e.verdict for e in found] == [Verdict.PROVED] * 2
    assert found[0].checked == "x + x = 2 x"


def test_the_control_shows_the_side_that_it_leaves_alone():
    e = identity(D(x**2, x), 2 * x)
    assert e.control.checked == r"\frac{d}{d x} x^{2} = 4 x"


def test_what_cancels_must_still_be_defined():
    assert (r, "!=") in evaluated(ONE)[1]
    assert forall(ONE, "<=", 1, {r: (-1, 1)}).verdict is Verdict.OPEN
    assert forall(ONE, "<=", 1, {r: (0, 1)}).verdict is Verdict.PROVED
    assert forall(sp.Subs(1 / (r - x), r, 2), ">", 0, {x: (0, 3)}).verdict is Verdict.REFUTED
    assert forall(sp.Subs(x / (r - x) ** 2, r, 2), ">", 0, {x: (0, 3)}).verdict is Verdict.OPEN


def test_computed_takes_a_name_and_a_scalar():
    with pytest.raises(TypeError, match="LaTeX name"):
        computed(x, x)
    with pytest.raises(TypeError, match="LaTeX name"):
        computed("a", "x")
    with pytest.raises(TypeError, match="not a scalar"):
        computed("a", sp.eye(2))


A = Algebra(general=["M", "N"])["M"]
VACUOUS = {
    "identity": lambda: identity(x * y, y * x),
    "one pair of two": lambda: identity([TWICE, x], [2 * x, x]),
    "zero among pairs": lambda: identity([TWICE, 0], [2 * x, 0]),
    "one entry of a matrix": lambda: identity(sp.Matrix([[TWICE, x]]), sp.Matrix([[2 * x, x]])),
    "zeros and ones only": lambda: identity(sp.eye(2), sp.eye(2)),
    "forall": lambda: forall(x, "<=", x, {x: (0, 1)}),
    "words": lambda: trace_identity(A, A),
    "entries": lambda: entrywise(l_i, l_i),
}


@pytest.mark.parametrize("name", VACUOUS)
def test_sides_that_are_the_same_as_written_are_vacuous(name):
    assert VACUOUS[name]().vacuous == "the two sides are the same as written"


def ordered(lhs: Any, op: str, rhs: Any, *where: Any) -> Evidence:
    return forall(lhs, op, rhs, {x: (0, 1), y: Closed(0, 1).intersect(sp.Interval.Lopen(0, 1))}, where=where)


@pytest.mark.parametrize(
    ("hypothesis", "vacuous"),
    [
        ((x, "<=", y), True),
        ((y, ">=", x), True),
        (x <= y, True),
        ((x, "<", y), True),  # it says even more
        ((2 * x, "<=", y), False),
        ((x**2, "<=", x * y), False),
    ],
    ids=str,
)
def test_a_conclusion_among_the_hypotheses_is_vacuous(hypothesis, vacuous):
    e = ordered(x, "<=", y, (x * y, "<", 1), hypothesis)
    assert e.verdict.accepted
    assert bool(e.vacuous) is vacuous
    assert not vacuous or e.vacuous == "the conclusion is one of the hypotheses"


def test_a_strict_conclusion_is_more_than_the_hypothesis():
    assert not ordered(x, "<", y, (x, "<=", y)).vacuous


@pytest.mark.parametrize(
    "check",
    [
        lambda: identity(
            sp.Matrix([[TWICE, 0], [1, x * y]]), sp.Matrix([[2 * x, 0], [1, computed("a", x * y)]])
        ),
        lambda: identity(sp.sin(r) ** 2 + sp.cos(r) ** 2, 1),
        lambda: entrywise(l_i * p_i * l_i, l_i),
        lambda: forall(x, "<=", 1, {x: (0, 1)}),
    ],
)
def test_what_says_something_is_not_vacuous(check):
    e = check()
    assert e.verdict.accepted
    assert not e.vacuous
    assert not any(p.vacuous for p in e.parts)


with sp.evaluate(False):
    MODULUS = sp.Subs(sp.sqrt(x**2), x, r)
    CANCELLED = S(k * r / r, (k, 1, 2))
    COTANGENTS = sp.cot(r) - sp.cot(r)


def test_what_is_assumed_of_a_variable_is_not_assumed_of_the_point_that_is_put_for_it():
    assert identity(MODULUS, r).verdict is Verdict.REFUTED
    assert identity(MODULUS, sp.Abs(r)).verdict is Verdict.PROVED
    assert forall(MODULUS, "<=", r, {r: (-1, 1)}).verdict is Verdict.REFUTED


def test_terms_of_a_sum_are_defined_as_they_are_written():
    assert forall(CANCELLED, "<=", 3, {r: Closed(-1, 1)}).verdict is Verdict.OPEN
    assert forall(CANCELLED, "<=", 3, {r: (0, 1)}).verdict is Verdict.PROVED
    assert forall(S(r ** (k - 1) / k, (k, 1, 3)), "<=", 2, {r: Closed(-1, 1)}).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "side", [COTANGENTS, sp.Mul(0, sp.cot(r), evaluate=False), sp.Subs(COTANGENTS, r, j)], ids=str
)
def test_a_function_that_cancels_must_be_known_as_well(side):
    with pytest.raises(TypeError, match="no enclosure is known for cot"):
        forall(side, "<=", 1, {r: (-10, 10), j: (-10, 10)})


def test_a_power_of_e_that_is_not_evaluated_is_an_exponential_for_everybody():
    """SymPy calls both an exp, and only one of them has its exponent as its first argument."""
    x = sp.Symbol("x", positive=True)
    written = sp.Pow(sp.E, -x, evaluate=False)
    assert written.args[0] == sp.E
    assert isinstance(written, sp.exp)
    assert limit(x + written, x) == limit(x + sp.exp(-x), x) == sp.oo
    assert limit(written, x) == 0
    for verdict, scale in ((Verdict.CERTIFIED, 5), (Verdict.REFUTED, 4)):
        assert forall(written, "<=", scale * x**-4, {x: (0, sp.oo)}).verdict is verdict
    assert evaluate(written, {"x": 2.0}) == evaluate(sp.exp(-x), {"x": 2.0})
