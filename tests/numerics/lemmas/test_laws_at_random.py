"""Random bounds on samples, judged by a second route that shares nothing with the first: all
samples of a law one after another, in rational numbers. A witness must fail there, and random laws
must not break what was supported.
"""

import random
from fractions import Fraction
from itertools import product
from math import prod
from statistics import median

import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.lemmas import E, Iid, P, Var
from numerics.lemmas.laws.judge import for_every_law
from numerics.lemmas.laws.words import SampleMax, SampleMean, SampleMedian, SampleMin, SampleSum, SampleVar
from numerics.provers import Closed

x = sp.Symbol("X", real=True)
t = sp.Symbol("t", positive=True)
MEAN = lambda xs: sum(xs) / Fraction(len(xs))
OF_SAMPLE = {
    SampleMean: MEAN,
    SampleSum: sum,
    SampleMax: max,
    SampleMin: min,
    SampleVar: lambda xs: MEAN([a**2 for a in xs]) - MEAN(xs) ** 2,
    SampleMedian: median,
}


def number(e, law, at, sample=None, one=None):
    """An expression under a law, by recursion over what the caller wrote."""
    if isinstance(e, (E, Var, P)):
        inside = e.args[0]
        if inside.has(*OF_SAMPLE):
            places = list(product(range(len(law[0])), repeat=law[2]))
            drawn = [([law[0][i] for i in p], None, prod(law[1][i] for i in p)) for p in places]
        else:
            drawn = [(None, a, w) for a, w in zip(law[0], law[1])]
        values = [(number(inside, law, at, xs, a), w) for xs, a, w in drawn]
        mean = sum(v * w for v, w in values)
        return mean if not isinstance(e, Var) else sum((v - mean) ** 2 * w for v, w in values)
    if type(e) in OF_SAMPLE:
        return Fraction(OF_SAMPLE[type(e)]([number(e.args[0], law, at, None, a) for a in sample]))
    if e == x:
        return one
    if e == t:
        return at
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    args = [number(a, law, at, sample, one) for a in e.args]
    if e.is_Add:
        return sum(args)
    if e.is_Mul:
        return prod(args)
    if e.is_Pow:
        return args[0] ** int(args[1])
    if isinstance(e, sp.Abs):
        return abs(args[0])
    if isinstance(e, (sp.Max, sp.Min)):
        return (max if isinstance(e, sp.Max) else min)(args)
    if isinstance(e, (sp.And, sp.Or)):
        return (min if isinstance(e, sp.And) else max)(args)
    compare = {
        sp.Ge: lambda a, b: a >= b,
        sp.Gt: lambda a, b: a > b,
        sp.Le: lambda a, b: a <= b,
        sp.Lt: lambda a, b: a < b,
    }
    return int(compare[type(e)](*args))


def statement(rng):
    """Random words, combined at random."""
    head = lambda: rng.choice(list(OF_SAMPLE))
    function = lambda: rng.choice([x, x, x**2, abs(x), x - E(x), sp.Max(x, 0), (x - E(x)) ** 2])
    statistic = lambda: head()(function())
    law_number = lambda: rng.choice(
        [E(x), Var(x), E(x**2), E(abs(x)), E(abs(x - E(x))), Var(x**2), sp.Integer(1)]
    )
    relation = lambda: rng.choice([sp.Ge, sp.Gt, sp.Le, sp.Lt])(
        statistic() - law_number(), rng.choice([t, -t, t * law_number()])
    )
    event = lambda: rng.choice(
        [lambda: relation(), lambda: sp.And(relation(), relation()), lambda: sp.Or(relation(), relation())]
    )()
    word = lambda: rng.choice(
        [
            lambda: P(event()),
            lambda: E(statistic() ** rng.choice((1, 2))),
            lambda: Var(statistic()),
            law_number,
        ]
    )()
    size = rng.choice((1, 2, 3))
    r = lambda: sp.Rational(rng.randint(1, 6), rng.randint(1, 6))
    left = r() * word()
    right = r() * word() + rng.choice([sp.S.Zero, r() * word(), r(), r() * law_number() / t**2])
    where = rng.choice([[], [], [(E(x), "==", 0)], [(Var(x), "<=", 1)], [(E(x), ">=", sp.Rational(1, 4))]])
    on = rng.choice(
        [Closed(-1, 2), sp.S.Reals, Closed(0, 1) if where != [(E(x), "==", 0)] else Closed(-1, 1)]
    )
    return left, rng.choice(["<=", "<=", "<", ">=", ">"]), right, size, on, where


HOLDS = {
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
}


def meets(where, law, at):
    compare = {**HOLDS, "==": lambda a, b: a == b}
    return all(compare[op](number(a, law, at), number(sp.sympify(b), law, at)) for a, op, b in where)


def broken_by_chance(rng, lhs, op, rhs, size, on, where):
    """A random law that breaks the statement."""
    low, high = (-3, 3) if on == sp.S.Reals else (int(on.start), int(on.end))
    for _ in range(60):
        atoms = [low + Fraction(rng.randint(0, 6), 6) * (high - low) for _ in range(2)]
        w = Fraction(rng.randint(0, 6), 6)
        if where == [(E(x), "==", 0)]:
            if not atoms[0] < 0 < atoms[1]:
                continue
            w = atoms[1] / (atoms[1] - atoms[0])
        law, at = (atoms, [w, 1 - w], size), Fraction(rng.randint(1, 12), 6)
        if meets(where, law, at) and not HOLDS[op](number(lhs, law, at), number(rhs, law, at)):
            return law, at
    return None


@pytest.mark.parametrize("seed", range(30))
def test_verdicts_agree_with_all_samples_one_by_one(seed):
    rng = random.Random(seed)
    lhs, op, rhs, size, on, where = statement(rng)
    ev = for_every_law(lhs, op, rhs, {x: Iid(size, on=on), t: (0, sp.oo)}, where=where, effort=10**6)
    if ev.verdict is Verdict.REFUTED:
        read = lambda name: [Fraction(q) for q in str(ev.witness[name]).split(", ")]
        law, (at,) = (read("atoms"), read("weights"), size), read("t")
        assert sum(law[1]) == 1
        assert min(law[1]) > 0
        assert at > 0
        assert all(on.contains(sp.Rational(a.numerator, a.denominator)) for a in law[0])
        assert meets(where, law, at)
        assert not HOLDS[op](number(lhs, law, at), number(rhs, law, at)), (lhs, op, rhs, ev)
    else:
        assert ev.verdict is Verdict.SUPPORTED, ev
        assert broken_by_chance(rng, lhs, op, rhs, size, on, where) is None, (lhs, op, rhs, ev)
