"""Limits: shown with a rate, refuted along a curve that keeps away, or left open with words."""

import pytest
import sympy as sp

from numerics.counterexamples.drawn.dispatch import of_statements
from numerics.counterexamples.drawn.holds import holds
from numerics.evidence import Verdict
from numerics.lemmas.asymptotics.limits import limit
from numerics.provers import Closed, Integers

x, y = sp.symbols("x y", positive=True)
z = sp.Symbol("z", real=True)
n = sp.Symbol("n", integer=True, positive=True)
WHOLE = {"domain": {n: Integers(1)}}
MILLS = sp.exp(x**2 / 2) * sp.sqrt(sp.pi / 2) * sp.erfc(x / sp.sqrt(2))

TRUE = {
    "Mills": (x * MILLS, x, sp.oo, 1, {}),
    "Euler": ((1 + 1 / n) ** n, n, sp.oo, sp.E, WHOLE),
    "logarithm": (n * sp.log(1 + 1 / n), n, sp.oo, 1, WHOLE),
    "sine": (sp.sin(z) / z, z, 0, 1, {}),
    "a sine that is not analytic": (z * sp.sin(1 / z), z, 0, 0, {}),
    "roots": (sp.sqrt(n + 1) - sp.sqrt(n), n, sp.oo, 0, WHOLE),
    "harmonic": (sp.harmonic(n) - sp.log(n), n, sp.oo, sp.EulerGamma, WHOLE),
    "from above": (x * sp.log(x), x, 0, 0, {"side": "+"}),
    "a sign from above": (sp.Abs(z) / z, z, 0, 1, {"side": "+"}),
    "to infinity": (x**2 / (1 + x), x, sp.oo, sp.oo, {}),
    "to minus infinity": (sp.log(x), x, 0, -sp.oo, {}),
    "a pole": (1 / z**2, z, 0, sp.oo, {}),
    "alternating": ((-1) ** n / n, n, sp.oo, 0, WHOLE),
    "a constant": (sp.S(5), x, sp.oo, 5, {}),
    "a value": (x**2, x, sp.Rational(1, 2), sp.Rational(1, 4), {}),
    "uniformly": (y / x, x, sp.oo, 0, {"domain": {y: (0, 1)}}),
    "a value of the others": (x / (1 + x * y), x, sp.oo, 1 / y, {"domain": {y: Closed(1, 2)}}),
    "a hypothesis": (x * y**2, x, sp.oo, 0, {"domain": {y: (0, 1)}, "where": [(x * y, "<=", 1)]}),
    "late": (1 / (1 + 10**12 / x), x, sp.oo, 1, {}),
}
FALSE = {
    "Mills": (x * MILLS, x, sp.oo, 2, {}),
    "sine": (sp.sin(x), x, sp.oo, 0, {}),
    "a sine near 0": (sp.sin(1 / z), z, 0, 0, {}),
    "alternating": ((-1) ** n, n, sp.oo, 1, WHOLE),
    "harmonic": (sp.harmonic(n) - sp.log(n), n, sp.oo, sp.Rational(57, 100), WHOLE),
    "another side": (sp.Abs(z) / z, z, 0, 1, {}),
    "a pole with two signs": (1 / z, z, 0, sp.oo, {}),
    "bounded": (x / (1 + x), x, sp.oo, sp.oo, {}),
    "not uniformly": (y / x, x, sp.oo, 0, {"domain": {y: (0, sp.oo)}}),
    "not uniformly near 0": (x * y / (1 + x * y), x, sp.oo, 1, {"domain": {y: (0, 1)}}),
    "a hypothesis": (x * y, x, sp.oo, 0, {"domain": {y: (0, 1)}, "where": [(x * y, "<=", 1)]}),
    "by little": (n / (n + 1), n, sp.oo, 1 - sp.Rational(1, 10**9), WHOLE),
    "cancelling": ((sp.sqrt(1 + x) - 1) / x, x, 0, sp.Rational(1, 3), {}),
}


@pytest.mark.parametrize("case", TRUE)
def test_limits_are_shown_with_a_rate(case):
    *args, more = TRUE[case]
    found = limit(*args, **more)
    assert found.verdict.executed
    assert any(r"\le" in s or r"\ge" in s for s in found.steps)


@pytest.mark.parametrize("case", FALSE)
def test_wrong_values_are_refuted_along_a_curve(case):
    *args, more = FALSE[case]
    found = limit(*args, **more)
    assert found.verdict is Verdict.REFUTED
    assert "every" in found.witness["keeps away"]


def test_the_distance_of_a_witness_is_kept():
    """A second route: floats far along the curve."""
    found = limit(n / (n + 1), n, sp.oo, sp.Rational(1, 2), **WHOLE)
    assert found.witness["keeps away"] == "f - 1/2 >= 1/4 for n = k and every k >= 10"
    assert all(k / (k + 1) - 0.5 >= 0.25 for k in range(10, 1000))


def test_property_tests_agree_with_the_verdict():
    assert holds(*of_statements(limit(*TRUE["roots"][:4], **WHOLE).sides)).verdict is Verdict.SUPPORTED
    assert holds(*of_statements(limit(*FALSE["by little"][:4], **WHOLE).sides)).verdict is Verdict.REFUTED


def test_hypotheses_that_nothing_meets_near_the_limit_prove_nothing():
    for where in ([(x, "<=", 50)], [(x, "<=", y)]):
        found = limit(x * y, x, sp.oo, 0, domain={y: (0, 1)}, where=where)
        assert found.verdict is Verdict.OPEN
        assert "vacuous" in found.reason


def test_what_is_not_decided_says_why_and_what_may_help():
    found = limit(sp.sin(n), n, sp.oo, 0, **WHOLE)
    assert found.verdict is Verdict.OPEN
    assert "What may help" in found.reason


def test_the_statement_is_shown_as_a_limit():
    found = limit(x * sp.log(x), x, 0, 0, side="+")
    assert found.checked == r"\lim_{x \to 0^{+}} x \log{\left(x \right)} = 0"
    uniform = limit(y / x, x, sp.oo, 0, domain={y: (0, 1)})
    assert r"\text{uniformly in } y \in (0, 1)" in uniform.checked


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: limit(x, x, sp.oo, x + 1), ValueError, "compare the two by"),
        (lambda: limit(x, x, sp.oo, 0.5), TypeError, "float"),
        (lambda: limit(x, x, sp.oo, "1"), TypeError, "text"),
        (lambda: limit(x, x, -sp.oo, 1), ValueError, "does not come near"),
        (lambda: limit(x, x, 0, 0, side="-"), ValueError, "does not come near"),
        (lambda: limit(x, x, 0, 0, side="left"), ValueError, "neither"),
        (lambda: limit(n, n, sp.oo, 1), ValueError, "whole number"),
        (lambda: limit(x * y, x, sp.oo, 0), ValueError, "no range"),
        (lambda: limit(n, n, 3, 3, **WHOLE), ValueError, "does not come near"),
        (lambda: limit(x, x, 0.5, 0), TypeError, "rational"),
    ],
)
def test_bad_input_is_refused_with_words(ask, error, words):
    with pytest.raises(error, match=words):
        ask()


def test_the_value_may_be_a_power_of_e_that_is_not_evaluated():
    n, y = sp.Symbol("n", integer=True, positive=True), sp.Symbol("y", positive=True)
    domain = {n: Integers(1), y: (0, 1)}
    for value in (sp.exp(y), sp.Pow(sp.E, y, evaluate=False)):
        assert limit((1 + y / n) ** n, n, sp.oo, value, domain=domain).verdict.executed


def test_logarithms_need_a_bound_of_the_limit():
    """log f - log v is uniformly small for f = y (1+1/x)^(1/x) and v = y, and f - v is not; and the
    other way round for (1 + y/x)^(-x) and exp(-y), of which it is no small multiple.
    """
    x, y = sp.symbols("x y", positive=True)
    far = {x: (2, sp.oo)}
    false = limit(y * (1 + 1 / x) ** (1 / x), x, sp.oo, y, domain={y: (1, sp.oo), **far}, effort=20_000)
    assert not false.verdict.executed
    true = limit((1 + y / x) ** (-x), x, sp.oo, sp.exp(-y), domain={y: (0, sp.oo), **far})
    assert true.verdict is Verdict.CERTIFIED
    bounded = limit((1 + y / x) ** x, x, sp.oo, sp.exp(y), domain={y: (0, 1), **far})
    assert bounded.verdict is Verdict.CERTIFIED
