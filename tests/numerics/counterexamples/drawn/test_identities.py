"""Equations are tried as written: true however they cancel, false ones refuted exactly."""

import random
from typing import Any

import numpy as np
import pytest
import sympy as sp

from numerics.counterexamples.drawn.dispatch import of_statements
from numerics.counterexamples.drawn.equations.drawn_numbers import number_of
from numerics.counterexamples.drawn.equations.running_error import Program, Unknown
from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.drawn.identities import ScalarIdentity
from numerics.counterexamples.drawn.scalars import MOST
from numerics.evidence import Contradiction, Evidence, Verdict, confirmed
from numerics.provers.as_written import _Reader, computed
from numerics.provers.exact.normal_form import Letters
from numerics.provers.identities import Equations, identity
from numerics.seeds import seeded

R = sp.Rational
x, y, m = sp.symbols("x y m", positive=True)
r, t, u = sp.symbols("r t u", real=True)
p, q = sp.symbols("p q", real=True)
z = sp.Symbol("z")
n = sp.Symbol("n", integer=True, positive=True)
k = sp.Symbol("k", integer=True)
f, g = sp.Function("f"), sp.Function("g", positive=True)
w = sp.IndexedBase("w", real=True)


def tried(statement: Evidence, **options: Any) -> Evidence:
    with seeded("a statement"):
        return holds(*of_statements(statement.sides), **options)


def slope(e: sp.Expr, *by: Any) -> sp.Expr:
    return sp.Derivative(e, *by, evaluate=False)


TRUE = {
    "cancels to a small number": ((x + 1) ** 6 - (x - 1) ** 6, 12 * x**5 + 40 * x**3 + 12 * x),
    "cancels to nothing": ((r + t) ** 3 - r**3 - 3 * r * t * (r + t) - t**3, sp.S.Zero),
    "softplus": (sp.log(1 + sp.exp(r)) - r, sp.log(1 + sp.exp(-r))),
    "conjugate root": ((sp.sqrt(4 * x + y**2) - y) * (sp.sqrt(4 * x + y**2) + y), 4 * x),
    "underflow": (sp.exp(-x) * sp.exp(-y) / sp.exp(-x - y), sp.S.One),
    "powers": ((x * y) ** m * x ** (1 - m), x * y**m),
    "whole numbers": (sp.gamma(n + 1), n * sp.gamma(n)),
    "complex": ((z + 1) ** 2 - (z - 1) ** 2, 4 * z),
    "imaginary unit": (sp.exp(sp.I * r) + sp.exp(-sp.I * r), 2 * sp.cos(r)),
    "derivative": (slope(sp.log(x / y) * y, x), y / x),
    "second derivative": (slope(sp.exp(-(r**2) / 2), (r, 2)), (r**2 - 1) * sp.exp(-(r**2) / 2)),
    "mixed derivative": (slope(x**2 * sp.exp(r * t), r, t), x**2 * (1 + r * t) * sp.exp(r * t)),
    "derivative of a derivative": (slope(slope(r**5, r) * t, r), 20 * t * r**3),
    "derivative at a point": (sp.Subs(slope(sp.log(x + r * y + r * t), r), r, 0), (y + t) / x),
    "near a pole": (sp.Subs(slope((p + r * q) / (x + r * y), r), r, 0), q / x - y * p / x**2),
    "substitution": (sp.Subs(p * t + q / t, t, R(1, 2)), p / 2 + 2 * q),
    "sum": (sp.Sum(x**k, (k, 0, 4)) * (x - 1), x**5 - 1),
    "double sum": (sp.Sum(k * n * x, (n, 1, k), (k, 1, 3)), 25 * x),
    "product of indexed": (sp.Product(w[k], (k, 1, 3)), w[1] * w[2] * w[3]),
    "computed": (computed("half", x / 2) + 1, 1 + x / 2),
    "undefined function": ((f(r) + g(t)) ** 2 - f(r) ** 2, g(t) * (2 * f(r) + g(t))),
    "undefined derivative": (slope(f(r) ** 2, r), 2 * f(r) * slope(f(r), r)),
}
FALSE = {
    "only far away": (sp.Abs(1000 - x), 1000 - x),
    "only where it is negative": (sp.sqrt(r**2), r),
    "only at 0": (r * sp.Abs(sp.sign(r)) + sp.Abs(sp.sign(r)), r + 1),
    "a part in a million": (x + y + R(1, 10**6) * y, x + y),
    "a factor of the derivative": (slope(sp.exp(2 * r), r), sp.exp(2 * r)),
    "a sign of the second derivative": (slope(sp.cos(r), (r, 2)), sp.cos(r)),
    "one term of a sum": (sp.Sum(x**k, (k, 0, 4)), x**4 + x**3 + x**2 + x),
    "an argument": (f(r) + f(t), 2 * f(r)),
    "a branch": (sp.log(z**2), 2 * sp.log(z)),
    "one whole number": ((n - 7) * (n - 7), sp.Abs(n - 7) * sp.Abs(n - 8)),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_holds_however_badly_it_cancels_and_its_control_is_refuted_by_examples_alone(name):
    proof = identity(*TRUE[name])
    found = tried(proof)
    assert (found.verdict, found.slack) == (Verdict.SUPPORTED, None), found
    assert proof.control is not None
    control = tried(proof.control)
    assert control.verdict is Verdict.REFUTED, control
    assert control.witness_by in ("exact", "Arb")


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_refuted_by_examples_alone(name):
    found = tried(identity(*FALSE[name]))
    assert found.verdict is Verdict.REFUTED, found
    assert found.witness_by in ("exact", "Arb")


def test_a_counterexample_is_shrunk_to_simple_numbers():
    found = tried(identity((x + y) ** 2, x**2 + y**2))
    assert dict(found.witness) == {"x": "1", "y": "1", "lhs": "4", "rhs": "2"}


def test_side_conditions_are_met():
    given = [sp.Eq(p + q, 1), sp.Eq(t - p * q, 0)]
    holding = identity(p**2 + q**2, 1 - 2 * t, given=given)
    found = tried(holding)
    assert found.verdict is Verdict.SUPPORTED
    assert "side conditions" in found.covered
    # Without the second condition the same equation fails.
    loose = tried(identity(p**2 + q**2, 1 - 2 * t, given=given[:1]))
    assert loose.verdict is Verdict.REFUTED
    assert sp.Rational(loose.witness["p"]) + sp.Rational(loose.witness["q"]) == 1
    assert holding.control is not None
    assert tried(holding.control).verdict is Verdict.REFUTED


def test_entries_of_matrices_are_tried_one_by_one():
    A, B = sp.Matrix([[x, 0], [r, y]]), sp.Matrix([[x, 0], [r, y + 1]])
    assert tried(identity(A, B)).witness["place"] == "entry (1, 1)"


root, bessel = sp.Symbol("root", real=True), sp.besselj(2, x)
UNTRIED = {
    # At points that are drawn without regard to them a true statement would be refuted.
    "side conditions that no known point meets": ((root**5 + root, 3), [root**5 + root - 3]),
    "no variables": ((sp.sqrt(6), sp.sqrt(2) * sp.sqrt(3)), ()),
    "a function without values": ((bessel * 2, bessel + bessel), ()),
}


@pytest.mark.parametrize("name", UNTRIED)
def test_what_brings_no_property(name):
    sides, given = UNTRIED[name]
    assert of_statements(identity(*sides, given=given).sides) == []


def test_a_function_without_values_is_unknown():
    with pytest.raises(Unknown, match="no value in floating point"):
        Program([bessel])


def test_an_entry_without_values_leaves_the_others_undecided():
    """No real r gives sqrt(-1 - r^2) a real value; the other entry alone is not the statement."""
    r = sp.Symbol("r", real=True)
    root = sp.sqrt(-1 - r**2)
    proved = identity([r + r, root * r], [2 * r, r * root])
    assert proved.verdict is Verdict.PROVED
    found = holds(*of_statements(proved.sides))
    assert (found.verdict, "meets the hypotheses" in found.reason) == (Verdict.OPEN, True)


# Wrong rules: the engine compares its proof at a few points near 1, examples go further.


@pytest.mark.parametrize(
    ("head", "taken_for", "lhs"),
    [(sp.Abs, 100 - x, sp.Abs(x - 100)), (sp.Max, y + 50, sp.Max(x, y + 50))],
    ids=["|x|", "Max"],
)
def test_a_wrong_proof_is_contradicted(head, taken_for, lhs, monkeypatch):
    assert identity(lhs, taken_for).verdict is not Verdict.PROVED
    right = Letters._convert_new
    rule = lambda self, e: self._convert(taken_for) if isinstance(e, head) else right(self, e)
    monkeypatch.setattr(Letters, "_convert_new", rule)
    wrong = identity(lhs, taken_for)
    assert wrong.verdict is Verdict.PROVED
    assert wrong.control is not None
    found = tried(wrong)
    assert (found.verdict, found.witness_by) == (Verdict.REFUTED, "exact")
    with pytest.raises(Contradiction, match="identity accepts what property test refutes"):
        confirmed(wrong, found)


def test_a_wrong_derivative_leaves_nothing_settled(monkeypatch):
    # Proof and exact evaluation both use the derivative of the reader: examples take differences.
    right = _Reader._derivative
    monkeypatch.setattr(_Reader, "_derivative", lambda self, e: -right(self, e))
    wrong = identity(slope(sp.exp(2 * r), r), -2 * sp.exp(2 * r))
    assert wrong.verdict is Verdict.PROVED
    found = tried(wrong)
    assert found.verdict is Verdict.OPEN
    assert "not confirmed" in found.reason


# Values


def test_rounding_errors_stay_below_their_bound():
    draw = random.Random(1)
    leaves = [x, y, r, sp.Integer(3), R(1, 3)]

    def grown(depth: int) -> sp.Expr:
        if depth == 0:
            return draw.choice(leaves)
        a, b = grown(depth - 1), grown(depth - 1)
        with sp.evaluate(False):
            made = [a + b, a - b, a * b, a / (b**2 + 1), sp.exp(-(a**2)), sp.sqrt(a**2 + b), sp.sin(a), a**3]
        return draw.choice(made)

    compared = 0
    for _ in range(60):
        e = grown(4)
        ranges = {x: (1, 999, 64), y: (1, 99, 512), r: (-999, 999, 128)}
        point = {s: R(draw.randint(low, high), unit) for s, (low, high, unit) in ranges.items()}
        columns = {s: np.array([float(v)]) for s, v in point.items()}
        ((v, error),) = Program([e]).bounded(columns)
        exact = sp.N(e.subs(point).doit(), 40)
        if np.isfinite(error).all() and exact.is_real:
            compared += 1
            assert abs(exact - sp.Float(float(np.ravel(v)[0]), 40)) <= sp.Float(float(np.ravel(error)[0])), e
    assert compared > 30


def test_differences_come_with_a_bound_that_holds_and_is_small():
    at = np.array([1e-4, 0.3, 2.0, 700.0])
    for e, exact in (
        (sp.log(x), 1 / at),
        (sp.sin(x) * sp.exp(-x), (np.cos(at) - np.sin(at)) * np.exp(-at)),
        (x**8, 8 * at**7),
    ):
        ((v, error),) = Program([slope(e, x)]).bounded({x: at})
        assert (abs(v - exact) <= error).all()
        assert (error <= 1e-6 * (abs(exact) + 1e-12)).all() or e.has(sp.exp)


def test_codes_stand_for_numbers_of_every_kind():
    inf = np.inf
    kinds = {"positive": (0, inf), "whole negative": (-inf, 0), "real": (-inf, inf), "nonnegative": (-1, inf)}
    for kind, (above, below) in kinds.items():
        values = [number_of(kind, c) for c in range(-MOST, MOST + 1, 7)]
        assert all(above < v < below for v in values)
        assert max(map(abs, values)) > 10**5
        assert "whole" in kind or min(abs(v) for v in values if v) < 1e-5
    expected = [1, 0, 0, 1, 0]
    assert [number_of(kind, 0) for kind in ("positive", "real", "nonnegative", "nonzero", "zero")] == expected


def test_two_statements_share_their_examples():
    one, two = identity(x + y - y, x + 0 * y, given=()), identity((r + t) - t, sp.UnevaluatedExpr(r))
    properties = of_statements((*one.sides, *two.sides))
    assert len(properties) == 2
    assert len({p.drawn for p in properties}) == 1
    assert all(isinstance(p, ScalarIdentity) and isinstance(p.statement, Equations) for p in properties)
