"""There is a constant: found and shown, or defeated along a curve, or left open with words."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from numerics.counterexamples.drawn.dispatch import of_statements
from numerics.counterexamples.drawn.holds import holds
from numerics.evidence import Verdict
from numerics.lemmas.asymptotics.constant_statement import quantified
from numerics.lemmas.asymptotics.constants import exists
from numerics.lemmas.asymptotics.orders import order
from numerics.lemmas.asymptotics.regimes import regime_of
from numerics.provers import Closed, Integers, forall
from tests.numerics.lemmas.by_orders import contradicts, drawn

x, y, d, C, c = sp.symbols("x y d C c", positive=True)
a, b = sp.symbols("a b", real=True)
n = sp.Symbol("n", integer=True, positive=True)
RAY, LINE = (0, sp.oo), (-sp.oo, sp.oo)
WHOLE = {n: Integers(1)}

TRUE = {
    "Cauchy": ((C, a + b, "<=", C * sp.sqrt(a**2 + b**2), {a: LINE, b: LINE}), {}),
    "logarithm": ((C, sp.log(1 + x), "<=", C * x, {x: RAY}), {}),
    "gamma": ((C, sp.gamma(x + 1), "<=", C * x**x, {x: Closed(1, sp.oo)}), {}),
    "a lower bound": ((C, x + 1 / x, ">=", C, {x: RAY}), {}),
    "two constants": (((C, c), x * sp.exp(-x), "<=", C * sp.exp(-c * x), {x: RAY}), {}),
    "a hypothesis": ((C, x, "<=", C * y, {x: RAY, y: RAY}), {"where": [(x, "<=", 3 * y)]}),
    "only near the limit": ((C, n, "<=", C * (n - 5), WHOLE), {"regime": {n: sp.oo}}),
    "two limits": (
        (C, n + 1 / d, "<=", C * n / d, {**WHOLE, d: (0, 1)}),
        {"regime": {n: sp.oo, d: 0}},
    ),
    "no variables": ((C, sp.S(5), "<=", C, {}), {}),
}
FALSE = {
    "logarithm": ((C, x, "<=", C * sp.log(1 + x), {x: RAY}), {}),
    "quotient": ((C, (x + y) ** 2, "<=", C * x * y, {x: RAY, y: RAY}), {}),
    "exponential": ((C, sp.exp(x), "<=", C * (1 + x**2), {x: RAY}), {}),
    "two constants": (((C, c), sp.exp(-sp.sqrt(x)), "<=", C * sp.exp(-c * x), {x: RAY}), {}),
    "a point": ((C, sp.S(1), "<=", C * a, {a: LINE}), {}),
    "a touching point": ((C, sp.S(1), "<=", C * (1 + sp.sin(x)), {x: RAY}), {}),
    "a hypothesis": ((C, x, "<=", C * y, {x: RAY, y: RAY}), {"where": [(x, ">=", y)]}),
    "an equation": (
        (C, x + y, "<=", C * a, {x: RAY, y: RAY, a: LINE}),
        {"where": [(x * y, "==", a**2), (a, ">", 0)]},
    ),
    "a lower bound": ((C, sp.exp(-x), ">=", C, {x: RAY}), {}),
    "what floats lose far out": ((C, sp.log(1 + x), "<=", C * x**2, {x: RAY}), {}),
    "near the limit": ((C, 1 / d, "<=", C * n, {**WHOLE, d: (0, 1)}), {"regime": {n: sp.oo, d: 0}}),
}


@pytest.mark.parametrize("case", TRUE)
def test_a_constant_is_found_and_shown(case):
    args, more = TRUE[case]
    found = exists(*args, **more)
    assert found.verdict.executed
    assert found.steps[0].startswith("$C = ")
    assert found.checked.startswith(r"\exists\, C")


@pytest.mark.parametrize("case", FALSE)
def test_every_constant_is_defeated_and_the_witness_says_how(case):
    args, more = FALSE[case]
    found = exists(*args, **more)
    assert found.verdict is Verdict.REFUTED
    assert found.witness_by in ("exact", "Arb")
    assert "fails" in found.witness["every other choice"]
    assert found.witness["C"] == 1


def test_the_constant_that_is_named_is_enough_and_a_little_less_than_the_sharp_one_is_not():
    found = exists(C, a * b, "<=", C * (a**2 + b**2), {a: LINE, b: LINE})
    assert found.steps[0] == r"$C = \frac{1}{2}$"
    less = forall(a * b, "<=", sp.Rational(499, 1000) * (a**2 + b**2), {a: LINE, b: LINE})
    assert less.verdict is Verdict.REFUTED


@pytest.mark.parametrize("case", ["logarithm", "quotient", "exponential", "two constants", "a hypothesis"])
def test_the_point_of_a_witness_refutes_the_statement_with_the_constant_1(case):
    """A second route: the witness is put into the two sides."""
    (constants, lhs, _, rhs, domain), _ = FALSE[case]
    found = exists(constants, lhs, "<=", rhs, domain, **FALSE[case][1])
    at = {v: sp.Rational(str(found.witness[str(v)])) for v in domain} | {C: 1, c: 1}
    assert sp.N((lhs - rhs).subs(at), 30) > 0


@pytest.mark.parametrize("size", [10, 10**4, 10**8])
def test_the_curve_of_a_witness_defeats_large_constants(size):
    """n log n exceeds C n from n = exp(4 C) on, by log(k)/4 in the witness."""
    found = exists(C, n * sp.log(n), "<=", C * n, WHOLE)
    assert found.witness["every other choice"] == "C = log(k)/4 fails for n = k and every k >= 3"
    log_of_n = 4 * size + 1  # n log n / n
    assert log_of_n / 4 > size
    assert log_of_n > size


def test_property_tests_agree_with_the_verdict():
    fine = exists(C, sp.log(1 + x), "<=", C * x, {x: RAY})
    assert holds(*of_statements(fine.sides)).verdict is Verdict.SUPPORTED
    false = exists(C, x, "<=", C * sp.log(1 + x), {x: RAY})
    assert holds(*of_statements(false.sides)).verdict is Verdict.REFUTED


def test_hypotheses_that_nothing_meets_prove_nothing():
    with pytest.raises(ValueError, match="no point meets"):
        exists(C, x, "<=", C * y, {x: (2, 3), y: (0, 1)}, where=[(x, "<=", y)])
    near = exists(C, x, "<=", C, {x: RAY}, where=[(x, "<=", 50)], regime={x: sp.oo})
    assert near.verdict is Verdict.OPEN
    assert "vacuous" in near.reason
    assert exists(C, x, "<=", C, {x: RAY}, where=[(x, "<=", 50)]).verdict.executed


def test_a_statement_without_monotony_is_not_refuted_by_its_curves():
    """C - 2 <= x <= C + 2 on (0, 3) holds for C = 1, and fails for small and for large C."""
    found = exists(C, (x - C) ** 2, "<=", 4, {x: (0, 3)})
    assert found.verdict is not Verdict.REFUTED
    bent = exists(C, sp.Abs(x - C), "<=", sp.S(2), {x: (0, 3)})
    assert bent.verdict is not Verdict.REFUTED


def test_a_planted_growth_is_caught():
    """A curve is believed only where `forall` shows that the constants on it are too small."""
    from numerics.lemmas.asymptotics import defeated_constants as diverging

    q = quantified(C, x, "<=", C * (1 + x), {x: RAY}, (), regime_of(None, {x: RAY}))
    wrong = [diverging.Growing(0, 1, q.table.n, (1,))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diverging, "_growing", lambda q: wrong)
        assert diverging.defeating(q, 100_000)[0] is None


def test_the_steps_of_one_proof_are_one_statement():
    """Claims demand a control of every conjunct, and a reader knows none of a step."""
    one = order(sp.sin(a), "O", a, {a: 0})
    two = order(n + 1, "Theta", n, {n: sp.oo}, domain=WHOLE)
    assert (len(one.parts), len(two.parts)) == (0, 2)
    assert all((one.steps, two.steps))


def test_an_answer_that_is_open_says_what_was_tried():
    found = exists(C, sp.sin(n), "<=", C * sp.sin(n) ** 2, WHOLE, effort=4000)
    assert found.verdict is Verdict.OPEN
    assert "curves were looked at" in found.reason
    assert "What may help" in found.reason


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: exists(C, x, "<=", 2 * x, {x: RAY}), ValueError, "does not occur"),
        (lambda: exists(x, x, "<=", C * x, {x: RAY}), ValueError, "has a range"),
        (lambda: exists("C", x, "<=", C * x, {x: RAY}), TypeError, "no SymPy symbols"),
        (lambda: exists(C, x, "<=", C * 0.5, {x: RAY}), TypeError, "float"),
        (lambda: exists(C, x, "<=", C * y, {x: RAY}), ValueError, "no range"),
        (lambda: exists(C, x, "<=", C, {x: RAY}, where=[(x, "<=", C)]), ValueError, "depend on nothing"),
        (lambda: exists(C, x, "<=", C, {x: (0, 1)}, regime={x: sp.oo}), ValueError, "does not come near"),
        (lambda: exists(C, x, "<=", C, {x: RAY}, regime={y: sp.oo}), ValueError, "no range"),
        (lambda: exists(C, x, "<=", C, {x: RAY}, regime={x: "oo"}), TypeError, "write oo"),
        (lambda: exists(C, x, "<=", C, {x: RAY}, regime={x: sp.sqrt(2)}), ValueError, "rational"),
        (lambda: exists(sp.Symbol("k", integer=True), x, "<=", x, {x: RAY}), ValueError, "declared"),
        (lambda: order(x, "o", x, {x: sp.oo}), ValueError, "none of"),
        (lambda: order(x, "O", x, {}), ValueError, "near a limit"),
        (lambda: order(n, "O", n, {n: sp.oo}), ValueError, "whole number"),
    ],
)
def test_bad_input_is_refused_with_words(ask, error, words):
    with pytest.raises(error, match=words):
        ask()


ORDERS = [
    (n * sp.log(n), "O", n, {n: sp.oo}, WHOLE, "REFUTED"),
    (n**2 + 3 * n, "Theta", n**2, {n: sp.oo}, WHOLE, "PROVED"),
    (sp.log(n) ** 5, "O", sp.sqrt(n), {n: sp.oo}, WHOLE, "CERTIFIED"),
    (2**n, "O", 3**n, {n: sp.oo}, WHOLE, "CERTIFIED"),
    (-(n**2), "O", n, {n: sp.oo}, WHOLE, "REFUTED"),
    (1 - sp.cos(a), "Theta", a**2, {a: 0}, {}, "CERTIFIED"),
    (a, "O", a**2, {a: 0}, {}, "REFUTED"),
    (x * sp.sin(x), "O", x, {x: sp.oo}, {}, "CERTIFIED"),
    (x * sp.sin(x), "Omega", x, {x: sp.oo}, {}, "REFUTED"),
    (y / x, "O", 1 / x, {x: sp.oo}, {y: RAY}, "REFUTED"),
    (y / x, "O", 1 / x, {x: sp.oo}, {y: (0, 1)}, "PROVED"),
]


@pytest.mark.parametrize(("f", "kind", "g", "regime", "domain", "verdict"), ORDERS)
def test_orders(f, kind, g, regime, domain, verdict):
    assert order(f, kind, g, regime, domain=domain).verdict.value == verdict


def test_random_statements_are_never_judged_wrongly():
    rng = np.random.default_rng(5)
    decided = 0
    for _ in range(20):
        ask, true = drawn(rng)
        found = ask()
        assert not contradicts(found, true), found
        decided += found.verdict is not Verdict.OPEN
    assert decided >= 12


def test_a_constant_is_a_simple_number():
    from numerics.lemmas.asymptotics.chosen_constants import _simple

    for value in (1e-7, 0.3, 1.0, 1.41421, 6.99, 123.4, 98765.0):
        up = _simple(value)
        assert value * (1 - 1e-6) <= up <= Fraction(11, 10) * Fraction(value) or up <= 2 * value
