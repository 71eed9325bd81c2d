"""Random bounds that are true or false by a hair: a sharp constant, known by hand and attained by a
law on two atoms or in the limit of such, is moved by a hundredth to a ten-thousandth; and strict
bounds, which are false if the constant is attained.
"""

import random

import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.lemmas import (
    E,
    Iid,
    P,
    Quantile,
    SampleMax,
    SampleMean,
    SampleMin,
    SampleSum,
    SampleVar,
    Var,
    lemma,
)
from numerics.lemmas.laws.judge import for_every_law
from numerics.provers import Closed, Integers

R, half = sp.Rational, sp.Rational(1, 2)
x = sp.Symbol("X", real=True)
t = sp.Symbol("t", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
mu, var = E(x), Var(x)


def bounds(rng, c):
    """Bounds that hold exactly if c >= 1, each with the domain and hypotheses."""
    a = R(rng.randint(-3, 3), rng.randint(1, 3))
    b = a + R(rng.randint(1, 6), rng.randint(1, 3))
    one, many, least = Iid(1, on=Closed(a, b)), Iid(n, on=Closed(a, b)), rng.choice((1, 2, 3))
    line, above, tail = Iid(1), Iid(1, on=Closed(0, sp.oo)), {t: (0, sp.oo)}
    sizes, centred = {n: Integers(least, least + 1)}, [(mu, "==", 0)]
    return [
        (var, c * (b - a) ** 2 / 4, {x: one}),
        (var, c * (b - mu) * (mu - a), {x: one}),
        (P(x - mu >= t) / c, var / (var + t**2), {x: line, **tail}),
        (P(abs(x - mu) >= t), c * var / t**2, {x: rng.choice((line, one)), **tail}),
        (P(abs(x - mu) >= t * sp.sqrt(var)), c / t**2, {x: line, **tail}, [(var, ">", 0)]),
        (P(x >= t), c * mu / t, {x: above, **tail}),
        (abs(Quantile(x, half) - mu), c * sp.sqrt(var), {x: rng.choice((line, one))}),
        (E(SampleVar(x)), c * (n - 1) * var / n, {x: many, n: Integers(least + 1, least + 2)}),
        (Var(SampleMean(x)), c * var / n, {x: many, **sizes}),
        (E(SampleSum(x) ** 4), c * (n + 3 * n * (n - 1)) * E(x**4), {x: Iid(n), **sizes}, centred),
        (E(abs(x - mu)), c * sp.sqrt(var), {x: line}),
        (E(sp.exp(t * (x - mu))), sp.exp(c * (b - a) ** 2 * t**2 / 8), {x: one, **tail}),
        (E(x**3) ** 2 + E(x**2) ** 3, c * E(x**4) * E(x**2), {x: line}, centred),
        (P(SampleMax(x) >= t), c * n * P(x >= t), {x: Iid(n), **sizes, **tail}),
        (E((SampleMax(x) - SampleMean(x)) ** 2), c * (n - 1) * E(SampleVar(x)), {x: many, n: Integers(2, 2)}),
        ((1 - t) ** 2 * mu**2, c * P(x > t * mu) * E(x**2), {x: above, t: (0, 1)}, [(mu, ">", 0)]),
        (E(sp.sqrt(x)), c * sp.sqrt(mu), {x: above}),
        (E(abs(x)) ** 3, c * E(abs(x) ** 3), {x: line}),
        (P(x >= t), c / (1 + t**2), {x: line, **tail}, [(mu, "==", 0), (E(x**2), "<=", 1)]),
        (E(SampleMax(x) - SampleMin(x)), c * (b - a) * (1 - 2 * half**n), {x: many, n: Integers(2, 3)}),
    ]


@pytest.mark.parametrize("seed", range(40))
def test_a_moved_constant_is_told_from_the_sharp_one(seed):
    rng = random.Random(seed)
    moved = R(rng.choice((-1, 1, 0)), 10 ** rng.choice((2, 3, 4)))
    small, big, domain, *where = rng.choice(bounds(rng, 1 + moved))
    turned = rng.random() < 0.5
    lhs, op, rhs = (big, ">=", small) if turned else (small, "<=", big)
    ev = for_every_law(lhs, op, rhs, domain, where=where[0] if where else [], effort=10**6)
    assert ev.verdict is (Verdict.REFUTED if moved < 0 else Verdict.SUPPORTED), (lhs, op, rhs, domain, ev)


@pytest.mark.parametrize("place", ["1/2", "7/20", "2/11"])
def test_an_event_of_a_hypothesis_has_atoms_where_it_begins(place):
    at_most = f"(1 + {place})/2"
    stated = f"for X iid 1 in [0, 1] given P(X > {place}) <= 1/2"
    assert lemma(f"E(X) < {at_most} {stated}").verdict == "REFUTED"
    reached = lemma(f"E(X) <= {at_most} {stated}")
    assert (reached.verdict, reached.slack) == ("SUPPORTED", 1.0)


def test_a_strict_bound_that_only_laws_without_atoms_reach_is_open():
    said = "P(X < Quantile(X, p)) {} p for 0 < p < 1, X iid 1 in [0, 1]"
    assert lemma(said.format("<=")).verdict == "SUPPORTED"
    strict = lemma(said.format("<"))
    assert strict.verdict == "OPEN"
    assert "without atoms" in strict.reason
    assert lemma("E(X) < 1 for X iid 1 in [0, 1)").verdict == "SUPPORTED"
