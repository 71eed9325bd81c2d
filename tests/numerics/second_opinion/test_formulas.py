"""Formulas of z3 say what the expressions say: both have the same value at random points."""

import random
from fractions import Fraction

import pytest
import sympy as sp

from numerics.second_opinion.goals import Goal, Span
from numerics.second_opinion.values import Undefined, Unknown, ball, value

z3 = pytest.importorskip("z3")
x, y = sp.symbols("x y")


def drawn(rng: random.Random, depth: int) -> sp.Expr:
    if depth == 0:
        return rng.choice([x, y, sp.Rational(rng.randint(-5, 5), rng.randint(1, 4))])
    a, b = drawn(rng, depth - 1), drawn(rng, depth - 1)
    root = sp.Rational(rng.choice([1, -1, 3]), rng.choice([2, 3]))
    return rng.choice(
        [
            *(a + b, a - b, a * b, a / b if b != 0 else a, sp.Max(a, b), sp.Min(a, b)),
            *(a**2, a**3, sp.Abs(a), (1 + a**2) ** root),
        ]
    )


@pytest.mark.parametrize("seed", range(25))
def test_formulas_and_exact_arithmetic_agree_at_random_points(seed):
    """At a point the formula has one value only, and it is that of exact arithmetic."""
    from numerics.second_opinion.formulas import Reader, rational

    rng = random.Random(seed)
    e = drawn(rng, 3)
    ctx = z3.Context()
    reader = Reader(Goal(((x, Span()), (y, Span())), (), e, "==", sp.S.Zero), ctx)
    term = reader.read(e)
    needs = list(reader.needs)
    for _ in range(3):
        point = {s: Fraction(rng.randint(-6, 6), rng.randint(1, 3)) for s in (x, y)}
        at = [reader.variables[s] == rational(q, ctx) for s, q in point.items()]
        solver = z3.SolverFor("QF_NRA", ctx=ctx)
        solver.add(*reader.facts, *at)
        try:
            v = ball(value(e, point))
        except Undefined:
            solver.add(*needs)
            assert solver.check() == z3.unsat
            continue
        except Unknown:
            continue
        low, high = (Fraction(int(q.p), int(q.q)) for q in _around(v))
        assert solver.check(z3.Not(z3.And([*needs, z3.BoolVal(True, ctx)]))) == z3.unsat
        assert solver.check(z3.Or(term < rational(low, ctx), term > rational(high, ctx))) == z3.unsat


def _around(v: object) -> tuple[sp.Rational, sp.Rational]:
    middle = sp.Rational(str(v.mid().str(30, radius=False)))
    return middle - sp.Rational(1, 10**12), middle + sp.Rational(1, 10**12)


@pytest.mark.parametrize("y", ["-50", "-3", "-1/2", "0", "1/3", "1", "7", "60"])
@pytest.mark.parametrize("centre", ["-2", "0", "1/2", "5"])
def test_the_bounds_of_exp_hold(y, centre):
    """All facts that are added around a centre are true of numbers that belong together."""
    from numerics.second_opinion.asking import _Call
    from numerics.second_opinion.formulas import Reader, rational

    goal = Goal(((x, Span()),), (), sp.exp(x), ">", sp.S.Zero)
    call = _Call(goal, 10**6)
    call.ctx = z3.Context()
    call.reader = Reader(goal, call.ctx)
    exact = value(sp.exp(sp.Rational(y)), {})
    E = z3.Real("E", call.ctx)
    low, high = (Fraction(str(q.str(40, radius=False))) for q in (ball(exact).lower(), ball(exact).upper()))
    inside = [
        rational(low * (1 - Fraction(1, 10**30)), call.ctx) <= E,
        rational(high * (1 + Fraction(1, 10**30)), call.ctx) >= E,
    ]
    for _ in range(4):
        for fact in call._bounds(0, rational(Fraction(y), call.ctx), E, Fraction(centre)):
            solver = z3.SolverFor("QF_NRA", ctx=call.ctx)
            solver.add(*inside, fact)
            assert solver.check() == z3.sat
