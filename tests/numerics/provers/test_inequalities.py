"""Statements whose truth, sharp constant or counterexample is known by hand."""

import time
from fractions import Fraction
from math import exp, log

import pytest
import sympy as sp
from flint import ctx, fmpq

from numerics.evidence import Verdict
from numerics.provers import Closed, Integers, forall
from numerics.provers.enclosures.boxes import Side
from numerics.provers.exact.rational_functions import one_variable

R = sp.Rational

oo, half = sp.oo, R(1, 2)
x, y, t, s, d, p, m = sp.symbols("x y t s d p m", positive=True)
u, v = sp.symbols("u v", real=True)
L, a, r = sp.symbols("L a r")

#: Equality at a point, on a face, at an end that is left out, at infinity, or nowhere; the constant
#: is sharp where there is one.
TRUE = {
    "power against exponential": (sp.exp(-x), "<=", 5 * x**-4, {x: (0, oo)}),
    "the sharp constant is 8/e": (3 / d, ">=", 8 * sp.log(1 / d), {d: (0, 1)}),
    "contact inside": (sp.log(sp.cosh(u)), "<=", u**2 / 2, {u: (-oo, oo)}),
    "contact of order 5 at a pole": (sp.coth(t), "<", t / 3 + 1 / t, {t: (0, oo)}),
    "at infinity": ((1 + 1 / sp.sqrt(d)) ** d * sp.exp(-sp.sqrt(d)), ">=", sp.exp(-half), {d: Closed(1, oo)}),
    "a square": ((u - v) ** 2, ">=", u**2 / 2 - v**2, {u: (-oo, oo), v: (-oo, oo)}),
    "equality on a face": (2 * (1 + t) ** s, ">=", 1 + t**s, {t: (0, 1), s: (0, 1)}),
    "incomplete Gamma": (sp.uppergamma(2, x), "<=", (1 + x) * sp.exp(-x), {x: (0, oo)}),
    "logarithms cancel": (1 + 2 * sp.log(L) - 6 * sp.log(2), "<=", 2 * sp.log(L), {L: Integers(1, oo)}),
    "whole numbers only": ((L - 1) * (L - 2), ">=", 0, {L: Integers(-oo, oo)}),
    "Max": (sp.Max(u, v), "<=", sp.Abs(u) + sp.Abs(v), {u: (-oo, oo), v: (-oo, oo)}),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_are_shown(name):
    evidence = forall(*TRUE[name])
    assert evidence.verdict in (Verdict.PROVED, Verdict.CERTIFIED), evidence


@pytest.mark.parametrize(("factor", "holds"), [(R(999, 1000), True), (R(1001, 1000), False)])
def test_the_verdict_turns_at_the_sharp_constant(factor, holds):
    # x^4 e^-x is largest at 4, so c = (4/e)^4 is the least constant; 8/e is the largest multiple of
    # d ln(1/d) below 3
    least = R(Fraction((4 / exp(1)) ** 4).limit_denominator(10**6))
    assert forall(sp.exp(-x), "<=", least / factor * x**-4, {x: (0, oo)}).verdict.accepted is holds
    largest = R(Fraction(3 * exp(1)).limit_denominator(10**6))
    assert forall(3 / d, ">=", largest * factor * sp.log(1 / d), {d: (0, 1)}).verdict.accepted is holds


delta_0 = lambda c: c * sp.exp(4 * a) / L**2
DELTA_MIN = sp.exp(-(L / 8) * sp.exp(-2 * a))


@pytest.mark.parametrize("c", [139, 150])
def test_a_substitution_reduces_two_variables_to_one(c):
    domain = {L: Integers(1, oo), a: Closed(0, oo)}
    evidence = forall(
        delta_0(c) / 4, ">=", DELTA_MIN, domain, where=[(delta_0(c), "<", 1)], via={r: L * sp.exp(-2 * a) / 8}
    )
    assert evidence.verdict is Verdict.CERTIFIED


@pytest.mark.parametrize("c", [64, 138])
def test_a_witness_lies_in_the_original_variables(c):
    domain = {L: Integers(1, oo), a: Closed(0, oo)}
    evidence = forall(
        delta_0(c) / 4, ">=", DELTA_MIN, domain, where=[(delta_0(c), "<", 1)], via={r: L * sp.exp(-2 * a) / 8}
    )
    assert evidence.verdict is Verdict.REFUTED
    n, at = int(evidence.witness["L"]), float(Fraction(evidence.witness["a"]))
    assert at >= 0
    assert c * exp(4 * at) / n**2 < 1
    assert log(c / 4) + 4 * at - 2 * log(n) < -n / 8 * exp(-2 * at)


def test_hypotheses_are_used_and_met():
    domain, between = {u: (-1, oo), p: (0, oo), m: (0, 1)}, [(-m, "<=", u), (u, "<=", p)]
    found = forall(sp.Abs(1 / (1 + u) - 1), "<=", sp.Max(p, m / (1 - m)), domain, where=between)
    assert found.verdict is Verdict.PROVED
    spoiled = forall(sp.Abs(1 / (1 + u) - 1), "<=", sp.Max(p, m), domain, where=between)
    assert spoiled.verdict is Verdict.REFUTED
    w = {k: Fraction(q) for k, q in spoiled.witness.items()}
    assert -w["m"] <= w["u"] <= w["p"]
    assert abs(1 / (1 + w["u"]) - 1) > max(w["p"], w["m"])


def test_ends_count_only_where_they_belong_to_the_domain():
    assert forall(u, ">", 0, {u: (0, 1)}).verdict is Verdict.PROVED
    assert dict(forall(u, ">", 0, {u: Closed(0, 1)}).witness) == {"u": 0}


def test_nothing_is_shown_where_a_side_is_undefined():
    assert forall(sp.tanh(1 / u), "<=", 1, {u: (-1, 1)}).verdict is Verdict.OPEN
    assert forall(sp.log(u), "<=", u, {u: (-1, 1)}).verdict is Verdict.OPEN


def test_an_inequality_with_an_equality_at_an_irrational_point_stays_open():
    assert forall((u**2 - 2) ** 2, ">=", 0, {u: (-oo, oo)}).verdict is Verdict.PROVED
    close = forall(u**2 + sp.exp(-u), ">=", R(8271840261, 10**10), {u: (-oo, oo)}, effort=120_000)
    assert close.verdict is not Verdict.REFUTED


def test_precision_is_given_back():
    before = ctx.prec
    forall(sp.exp(x), ">", 1 + x, {x: (0, oo)})
    with pytest.raises(ValueError, match="no range"):
        forall(x, "<", y, {x: (0, 1)})
    assert ctx.prec == before


def test_slopes_of_a_maximum():
    """exp(Max(1 - u - u^2/100, 3u + u^2/50 - 1)) is least where the two meet, at 1.6476988..."""
    f = sp.exp(sp.Max(1 - u - u**2 / 100, 3 * u + u**2 / 50 - 1))
    assert forall(f, ">=", R(16477, 10000), {u: (0, 1)}).verdict is Verdict.REFUTED
    assert forall(f, ">=", R(16476, 10000), {u: (0, 1)}).verdict is Verdict.CERTIFIED
    g = sp.log(sp.Min(2 - u, u + 1) + 1)
    assert forall(g, "<=", sp.log(R(5, 2)), {u: (0, 2)}).verdict.accepted
    assert forall(g, "<=", R(9, 10), {u: (0, 2)}).verdict is Verdict.REFUTED


def test_steps_take_their_first_argument():
    assert forall(sp.Heaviside(u), ">=", R(3, 4), {u: (-1, 1)}).verdict is Verdict.REFUTED
    assert forall(sp.Heaviside(u), ">=", 0, {u: (-1, 1)}).verdict is Verdict.CERTIFIED
    assert forall(sp.Heaviside(u), ">=", 1, {u: (0, 1)}).verdict.accepted
    with pytest.raises(TypeError, match="Heaviside"):
        forall(sp.Heaviside(u, 3), "<=", 1, {u: (-1, 1)})


def test_a_hypothesis_is_met_only_where_it_is_defined():
    """SymPy turns u/(u + 1/u) into 0 at 0, where it has no value."""
    expected = Verdict.REFUTED
    assert forall(u, ">", 0, {u: Closed(0, 1)}, where=[(u / (u + 1 / u), ">=", 0)]).verdict is not expected
    assert forall(u, ">", 0, {u: Closed(0, 1)}, where=[(u / (u + 1), ">=", 0)]).witness == {"u": 0}
    assert forall(u, ">", 1, {u: (-2, 2)}, where=[(sp.log(u), "<=", 5)]).witness == {"u": 1}
    ratio = sp.Mul(u, 1 / u, evaluate=False)
    assert forall(u**2, ">", 0, {u: (-1, 1)}, where=[(ratio, "<=", 1)]).verdict is not Verdict.REFUTED


def test_an_end_that_is_attained_is_tried_even_if_its_root_is_found_in_an_interval():
    end = R(15, 7)
    gap = end - u + (u - end) ** 2  # zero at the upper end
    assert forall(gap, ">=", 0, {u: Closed(end - 2, end)}).verdict is Verdict.PROVED
    assert forall(gap, ">", 0, {u: (end - 2, end)}).verdict is Verdict.PROVED
    assert forall(gap, ">", 0, {u: Closed(end - 2, end)}).verdict is Verdict.REFUTED
    side = Side(fmpq(1, 7), fmpq(15, 7))
    assert one_variable(gap, u, side, strict=True) == Fraction(15, 7)
    assert one_variable(gap, u, Side(fmpq(1, 7), fmpq(15, 7), False, True), strict=True) is True


@pytest.mark.parametrize(
    ("f", "least", "where"),
    [
        # settled near the minimum by slopes alone, and elsewhere by values
        (R(2, 3) * sp.sin(u) - sp.cos(u), -1.2018504251546631, (-1, 2)),
        (-sp.sin(u + R(1, 3)) + sp.cos(u) / 3 - R(5, 3) * sp.cos(u + R(1, 3)), -1.6189903883694, (-1, 2)),
    ],
    ids=str,
)
def test_the_margin_is_below_the_least_difference(f, least, where):
    bound = R(Fraction(least).limit_denominator(10**6)) - R(1, 1000)
    e = forall(f, ">=", bound, {u: Closed(*where)})
    assert e.verdict is Verdict.CERTIFIED
    assert e.margin is None or 0 < e.margin <= least - float(bound) + 1e-6


def test_values_of_roots_and_maxima_are_exact_at_rational_points():
    """An equality that only exact arithmetic sees refutes a strict inequality."""
    f = sp.Max(-(u**2) / 50 + 52 * u / 25 - R(152, 25), u**2 / 50 - 22 * u / 25 - R(8, 25)) ** 3
    assert forall(-8, "<", f, {u: (1, 3)}).witness == {"u": 2}
    sides = (-5 * u / 3 + (u + R(15, 7)) ** 2 - R(25, 7), sp.Abs(u + R(15, 7)) / 100)
    e = forall(sides[0], ">", sides[1], {u: Closed(-4, -R(15, 7))})
    assert e.verdict is Verdict.REFUTED
    assert (e.witness, e.witness_by) == ({"u": "-15/7"}, "exact")


def test_a_number_that_is_evaluated_is_no_exact_proof():
    near = sp.exp(sp.pi * sp.sqrt(163)), 262537412640768744
    assert forall(near[0], "<", near[1], {}).verdict is Verdict.CERTIFIED
    assert forall((sp.pi - 3) * u, ">=", 0, {u: (0, 1)}).verdict is Verdict.CERTIFIED
    assert forall((3 - sp.pi) * sp.Max(u, 1), "<=", 0, {u: (0, 1)}).verdict is Verdict.CERTIFIED
    assert forall(sp.sqrt(2) * sp.pi * u, ">=", 0, {u: (0, 1)}).verdict is Verdict.PROVED


def test_a_false_statement_without_variables_is_refuted():
    assert forall(2, "<=", 1, {}).witness == {"smaller": "2", "larger": "1"}
    assert forall(sp.pi, "<", 3, {}).verdict is Verdict.REFUTED


def test_what_sympy_would_need_minutes_for_is_left_out():
    power = u**4 / 3 - 11 * u**3 / 3 + R(1831, 120) * u**2 - R(2277, 80) * u + R(180273, 8960)
    assert forall(sp.erfc(power), "<=", 2, {u: (-oo, oo)}, effort=12_000).verdict is not Verdict.REFUTED
    tower = 1 + (u - 2) ** 2 / 5 + (u - 2) ** 4
    assert forall(tower**tower, ">", 1, {u: (R(9, 5), oo)}, effort=12_000).witness == {"u": 2}
    digits = R(219722457733621938279, 2 * 10**20)  # log(3) and some
    assert forall(digits, "<=", sp.log(x), {x: Closed(3, 4)}, effort=12_000).verdict is not Verdict.REFUTED
    n = sp.Integer(10) ** 400
    bent = sp.Min(6 - 2 * n * u, 3 * n * u - (n * u - 3) ** 2 / 40 - 9)
    assert forall(bent + R(1, 10), "<=", 0, {u: Closed(-2 / n, 3 / n)}).verdict is not Verdict.PROVED


def test_ranges_beyond_and_below_every_float():
    huge, tiny = sp.Integer(10) ** 400, R(1, 10**400)
    assert forall(u, ">", 0, {u: (0, huge)}).verdict is Verdict.PROVED
    assert forall(u, ">", 1, {u: (-huge, huge)}).verdict is Verdict.REFUTED
    assert forall(u, ">=", huge, {u: Closed(huge, 2 * huge)}).verdict is Verdict.PROVED
    assert forall(u, ">", tiny, {u: Closed(tiny, 2 * tiny)}).verdict is Verdict.REFUTED
    assert forall(sp.exp(u), ">", 1, {u: (tiny, 1)}).verdict is Verdict.CERTIFIED
    for call in (
        lambda: forall(u, "<", sp.Integer(10) ** 5000, {u: (0, 1)}),
        lambda: forall(u, "<", 1, {u: (0, 10**5000)}),
    ):
        with pytest.raises(ValueError, match="10000 bits"):
            call()


def test_a_substitution_covers_every_point():
    """With u = 1/t the point u = 0 would be lost, and with u = t/v every point with v = 0."""
    new = sp.Symbol("new")
    with pytest.raises(ValueError, match="shown to be defined"):
        forall(u**2, ">=", 0, {u: (-1, 1)}, via={new: 1 / u})
    with pytest.raises(ValueError, match="cannot be solved"):
        forall(u**2 + v, ">=", 0, {u: (-1, 1), v: Closed(0, 1)}, via={new: u * v})
    assert forall(u**2 + v, ">=", 0, {u: (-1, 1), v: (0, 1)}, via={new: u * v}).verdict.accepted


A = sp.MatrixSymbol("A", 2, 2)


@pytest.mark.parametrize(
    ("side", "error", "words"),
    [
        (sp.Piecewise((u, u > 0), (0, True)), TypeError, "Piecewise"),
        (sp.Integral(u, (u, 0, 1)), TypeError, "Integral"),
        (sp.Order(u), TypeError, "Order"),
        (sp.DiracDelta(u), TypeError, "DiracDelta"),
        (sp.floor(u), TypeError, "floor"),
        (sp.ceiling(u), TypeError, "ceiling"),
        (sp.Mod(u, 2), TypeError, "Mod"),
        (sp.atan2(u, v), TypeError, "atan2"),
        (sp.log(u, 2, evaluate=False), TypeError, "base"),
        (sp.LambertW(u, -1), TypeError, "LambertW"),
        (sp.Function("f")(u), TypeError, "f"),
        (sp.Derivative(sp.Function("f")(u), u), TypeError, "Derivative"),
        (sp.uppergamma(u, u), TypeError, "uppergamma"),
        (sp.polygamma(half, u), TypeError, "polygamma"),
        (sp.arg(u), TypeError, "arg"),
        (sp.zeta(3) * u, TypeError, "zeta"),
        (sp.AccumBounds(0, 1), TypeError, "AccumulationBounds"),
        (sp.Matrix([[u]]), TypeError, "Matrix"),
        (A, TypeError, "Matrix"),
        (A[0, 0], ValueError, "A has no range"),
        (sp.Trace(A), ValueError, "A has no range"),
        (sp.Lambda(u, u), TypeError, "Lambda"),
        (sp.oo * u, ValueError, "finite"),
        ("u", TypeError, "text"),
        (True, TypeError, "BooleanTrue"),
        (None, TypeError, "NoneType"),
    ],
    ids=str,
)
def test_heads_that_no_enclosure_knows_are_refused_by_name(side, error, words):
    domain = {u: (R(1, 2), 1), v: (0, 1)}
    with pytest.raises(error, match=words):
        forall(side, "<=", 1, domain)
    with pytest.raises(error, match=words):
        forall(u, "<=", 1, domain, where=[(side, "<=", 1)])


@pytest.mark.parametrize(
    "assumed", ["infinite", "integer", "even", "prime", "zero", "imaginary", "noninteger", "rational"]
)
def test_assumptions_that_the_range_does_not_imply_are_refused(assumed):
    q = sp.Symbol("q", **{assumed: True})
    with pytest.raises(ValueError, match="q is declared"):
        forall(q**2, ">=", 0, {q: (-1, 1)})


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (dict(op="=="), ValueError, "relation"),
        (dict(rhs=y), ValueError, "y has no range"),
        (dict(lhs=0.5 * u), TypeError, "float"),
        (dict(lhs=sp.Max(u, 0) + sp.I), ValueError, "not a real"),
        (dict(lhs=L, domain={L: Integers(half, R(3, 4))}), ValueError, "empty"),
        (dict(lhs=x, domain={x: (-1, 1)}), ValueError, "declared"),
        (dict(domain={u: (0, 0.5)}), TypeError, "float"),
        (dict(domain={u: (1, 0)}), ValueError, "empty"),
        (dict(domain={u: (1, 1)}), ValueError, "empty"),
        (dict(domain={u: (0, sp.sqrt(2))}), ValueError, "not a rational number"),
        (dict(domain={u: ("0", "1")}), TypeError, "no number"),
        (dict(domain={u: (0, True)}), TypeError, "no number"),
        (dict(domain={u: (None, 1)}), TypeError, "no number"),
        (dict(domain={u: (sp.nan, 1)}), ValueError, "not a rational"),
        (dict(domain=[(u, 0, 1)]), TypeError, "not a mapping"),
        (dict(domain={u: (0, 1), sp.Symbol("u"): (0, 1)}), ValueError, "two different symbols are called u"),
        (dict(where=["u < 1"]), ValueError, "neither a triple"),
        (dict(where=[("u", "<", 1)]), TypeError, "text"),
        (dict(where=[1]), ValueError, "neither a triple"),
        (dict(where=[0]), ValueError, "neither a triple"),
        (dict(where=5), TypeError, "not a list"),
        (dict(where=[sp.Or(u > 1, u < 0)]), ValueError, "neither a triple"),
        (dict(where=[(u, "<", sp.oo)]), ValueError, "finite"),
        (dict(via={sp.Symbol("t"): "u"}), TypeError, "text"),
        (dict(via={"t": u}), TypeError, "no mapping"),
        (dict(via=[u]), TypeError, "not a mapping"),
        (dict(op=["<"]), TypeError, "not a text"),
    ],
    ids=str,
)
def test_malformed_arguments_are_named(change, error, words):
    with pytest.raises(error, match=words):
        forall(**{**dict(lhs=u, op="<=", rhs=1, domain={u: (0, 1)}), **change})


def test_text_makes_no_range():
    with pytest.raises(TypeError, match="text"):
        Closed("0", 1)
    with pytest.raises(TypeError, match="no whole number"):
        forall(L, "<=", 1, {L: Integers("0", 1)})


def test_a_vacuous_statement_is_an_error():
    with pytest.raises(ValueError, match="no point meets"):
        forall(u, "<", 0, {u: (0, 1)}, where=[(u**2, ">", 1)])
    with pytest.raises(ValueError, match="no point meets"):
        forall(u, "<", 0, {u: (-oo, oo)}, where=[(sp.exp(u), "<", u)])


def test_effort_is_counted_and_never_timed(monkeypatch):
    n, x = sp.Symbol("n", positive=True), sp.Symbol("x", positive=True)
    hard = (n * x * (1 - x) ** n, "<=", R(37, 100), {n: (1, oo), x: (0, 1)})  # left open today
    before = forall(*hard, effort=20_000)
    for clock in ("thread_time", "process_time"):
        monkeypatch.setattr(time, clock, lambda: pytest.fail("a verdict asked for the time"))
    # a machine so busy that the call takes thirty years
    monkeypatch.setattr(time, "monotonic", iter([0.0, 1e9]).__next__)
    again = forall(*hard, effort=20_000)
    assert before.verdict is again.verdict is Verdict.OPEN
    assert before.reason == again.reason
    monkeypatch.undo()
    # less effort ends elsewhere: the count decides
    assert forall(*hard, effort=2_000).reason != before.reason


def test_effort_of_nothing_is_open():
    x = sp.Symbol("x", positive=True)
    assert forall(sp.exp(-x), "<=", 5 * x**-4, {x: (0, oo)}, effort=0).verdict is Verdict.OPEN


@pytest.mark.parametrize(
    ("effort", "error"), [(4.0, TypeError), (True, TypeError), ("4", TypeError), (-1, ValueError)]
)
def test_effort_is_a_number_of_steps(effort, error):
    with pytest.raises(error, match="it counts steps, not seconds"):
        forall(u**2, ">=", 0, {u: (-oo, oo)}, effort=effort)


def test_a_new_variable_may_vanish_where_the_old_one_cannot_be_recovered():
    v, w, t = sp.symbols("v w t", nonnegative=True)
    square = {v: Closed(0, 1), w: Closed(0, 1)}
    # v = t/w is undefined at w = 0, but nothing beside the product v*w is left of v and w.
    assert forall(sp.exp(v * w), "<=", 1 + 2 * v * w, square, via={t: v * w}).verdict.accepted
    assert forall(sp.exp(v * w), "<=", 1 + v * w, square, via={t: v * w}).verdict is Verdict.REFUTED
    with pytest.raises(ValueError, match="cannot be solved"):  # what is left of w would be lost at w = 0
        forall(v * w, "<=", 1 - w / 2, square, via={t: v * w})


@pytest.mark.parametrize("end", [True, None, 1j, sp.I, [1], {}, "0"])
def test_an_interval_ends_in_real_numbers(end):
    for ends in ((end, 5), (-5, end)):
        with pytest.raises(TypeError, match="write rational numbers"):
            Closed(*ends)


def test_a_proof_whose_numbers_are_longer_than_python_prints_is_shown():
    y = sp.Symbol("y", real=True)
    quadratic = sp.sqrt(y**2 - 2 * y + sp.Rational(5, 4)) + sp.sqrt(y**2 - 2 * y + 3) + 1
    found = forall(sp.Rational(57088039, 33461000), "<=", sp.sqrt(quadratic), {y: sp.S.Reals})
    assert found.verdict.executed
    assert "approx" in found.steps[0]
    assert max(map(len, found.steps)) < 2000
