"""A statement that fails in a finite world is refuted there, and only where its hypotheses hold."""

from fractions import Fraction

import pytest
from flint import ctx

from numerics.derivations.derived import sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Variable
from numerics.derivations.statements import Statement, derived
from numerics.derivations.worlds import breaking
from numerics.evidence import Evidence, Verdict
from proofs_check.derivations.proofs import PROOFS

k, x, y = Variable("k", Sort.TOKEN), Variable("x", range=REALS), Variable("y", range=NONNEGATIVE)
now = Variable("now", Sort.TIME)
f, g = (Function(name, (Sort.TOKEN,), None) for name in "fg")
path = Function("path", (Sort.TIME,))
PART = Evidence(verdict=Verdict.PROVED, engine="identity", checked="a part")
mean = lambda body: bind("mean", (k,), body)
SCHWARZ = mean(f(k) * g(k)), sqrt(mean(f(k) ** 2)) * sqrt(mean(g(k) ** 2))


def test_a_false_factor_is_found_and_a_true_one_is_not():
    left, right = SCHWARZ
    world = breaking(Statement(left, "<=", right / 2))
    assert float(world["left"].split("/")[0]) > 0
    assert breaking(Statement(left, "<=", right)) is None


def test_a_hypothesis_that_is_dropped_breaks_the_statement():
    below = assume("f <= g", f(k), "<=", g(k), every=(k,))
    assert breaking(Statement(mean(f(k)), "<=", mean(g(k)), below.assumptions)) is None
    assert breaking(Statement(mean(f(k)), "<=", mean(g(k)))) is not None


def test_what_a_world_cannot_try_is_left_open():
    """A hypothesis on every time, or on every number, is not known to hold at those not tried."""
    always = assume("always", path(now), "<=", y, every=(now,))
    numbers = assume("numbers", x, "<=", y, every=(x,))
    for given in (always, numbers):
        assert breaking(Statement(y, "<=", y / 2, given.assumptions)) is None


def test_a_part_that_is_proved_does_not_hide_a_false_statement():
    less = lambda: arithmetic(-(x**2), "<=", x**2)
    assert derived(Statement(-(x**2), "<=", x**2), less, PART).verdict is Verdict.PROVED
    false = derived(Statement(x**2, "<=", -(x**2)), less, PART)
    assert (false.verdict, false.witness_by) == (Verdict.REFUTED, "Arb")
    assert derived(Statement(x**4, "<=", x**4 + y), less, PART).verdict is Verdict.OPEN


@pytest.mark.parametrize("id", ["BB:P3.4.U/limit", "BB:2.fin", "BB:LC.2/variance"])
def test_the_precision_of_others_is_kept(id):
    """And a derived statement is broken by none of the worlds, in each of which it holds."""
    before, ctx.prec = ctx.prec, 53
    try:
        assert all(breaking(statement) is None for statement in PROOFS[id].statements())
        assert ctx.prec == 53
    finally:
        ctx.prec = before


@pytest.mark.parametrize(
    ("id", "numbers"),
    [
        ("BB:P3.4.U/limit", {"factor": 2}),
        ("BB:LE.2.prod/holder", {"power": 3}),
        ("BB:LE.4.split/schwarz", {"power": 3}),
        ("BB:2.fin", {"factor": 2}),
        ("BB:LC.2/variance", {"one": 2}),
        ("BB:LC.4.union/max", {"c": Fraction(9, 10)}),
    ],
)
def test_controls_break_the_statement_that_is_judged(id, numbers):
    assert any(breaking(statement) is not None for statement in PROOFS[id].statements(**numbers))
