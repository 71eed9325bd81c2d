"""Bounds on samples of the standard normal law."""

import itertools
import math

import numpy as np
import pytest
import sympy as sp
from scipy import integrate, stats

from numerics.evidence import Verdict
from numerics.lemmas.laws.judge import for_every_law
from numerics.lemmas.laws.normal import _Normal
from numerics.lemmas.laws.words import E, Iid, P, SampleMax, SampleMean, SampleMin, SampleSum, Var
from numerics.provers import Integers

x = sp.Symbol("X", real=True)
t, u = sp.Symbol("t", positive=True), sp.Symbol("u", real=True)
n = sp.Symbol("n", integer=True, positive=True)
normal, every = Iid(n, law="normal"), {n: Integers(1, sp.oo)}
some, above = {n: Integers(2, 6)}, {t: (0, sp.oo)}
ln = sp.log

BOUNDS = {
    "squares": ("REFUTED", E(SampleMax(x**2)), "<=", 2 * ln(n), some),
    "squares, larger": ("CERTIFIED", E(SampleMax(x**2)), "<=", 2 * ln(n) + 1, some),
    "maximum": ("CERTIFIED", E(SampleMax(x)), "<=", sp.sqrt(2 * ln(n)), {n: Integers(1, 6)}),
    "for every size": ("SUPPORTED", E(SampleMax(x)), "<=", sp.sqrt(2 * ln(n)), every),
    "minimum": ("CERTIFIED", E(SampleMin(x)), ">=", -sp.sqrt(2 * ln(n)), some),
    "maximum, smaller": ("REFUTED", E(SampleMax(x)), "<=", sp.sqrt(ln(n)), {n: Integers(2, 20)}),
    "strictly": ("REFUTED", E(SampleMax(x)), "<", sp.sqrt(2 * ln(n)), {n: Integers(1, 3)}),
    "a tie": ("OPEN", E(SampleMax(x**2)), "<=", 2 * ln(n) + 1, {n: Integers(1, 2)}),
    "undefined at 1": ("OPEN", E(SampleMax(x)), "<=", 2 + 1 / (n - 1), {n: Integers(1, 2)}),
    "tail": ("CERTIFIED", P(SampleMax(x) >= t), "<=", n * sp.exp(-(t**2) / 2) / 2, {**every, **above}),
    "tail, smaller": ("REFUTED", P(SampleMax(x) >= t), "<=", n * sp.exp(-(t**2) / 2) / 3, {**every, **above}),
    "tail of squares": ("CERTIFIED", P(SampleMax(x**2) >= t), "<=", n * sp.exp(-t / 2), {**some, **above}),
    "tail of the mean": ("REFUTED", P(SampleMean(x) >= t), "<=", sp.exp(-n * t**2) / 2, {**every, **above}),
    "variance": ("PROVED", Var(SampleMean(x**2)) * t, "<=", 2 * t / n, {**every, **above}),
    "moments": ("PROVED", (E(x**4) + Var(x)) * t, "<=", 4 * t, {**every, **above}),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_on_normal_samples(name):
    word, lhs, op, rhs, domain = BOUNDS[name]
    ev = for_every_law(lhs, op, rhs, {x: normal, **domain}, where=[], effort=10**6)
    assert ev.verdict is Verdict(word), ev
    assert r"\sim N(0, 1)" in ev.checked


def test_the_bound_on_squares_fails_at_two():
    ev = for_every_law(*BOUNDS["squares"][1:4], {x: normal, **some}, where=[], effort=10**6)
    assert ev.witness["n"] == 2
    assert float(ev.witness["left"]) == pytest.approx(1 + 2 / math.pi)


EVENTS = {
    "max": (SampleMax(x) >= u, lambda g, u: g.max(1) >= u),
    "min": (SampleMin(x) >= u, lambda g, u: g.min(1) >= u),
    "max below": (SampleMax(x) < u, lambda g, u: g.max(1) < u),
    "negative": (-2 * SampleMax(x) >= u, lambda g, u: -2 * g.max(1) >= u),
    "square": (SampleMax(x**2) - E(x**2) > u, lambda g, u: (g**2).max(1) - 1 > u),
    "modulus": (SampleMin(abs(x)) <= u, lambda g, u: abs(g).min(1) <= u),
    "mean": (SampleMean(x) <= u, lambda g, u: g.mean(1) <= u),
    "sum": (abs(SampleSum(x)) >= u, lambda g, u: abs(g.sum(1)) >= u),
    "one": (x >= u, lambda g, u: g[:, 0] >= u),
}


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("size", [1, 3])
def test_closed_forms_agree_with_simulation(name, size):
    event, happens = EVENTS[name]
    g = np.random.default_rng(5).standard_normal((200_000, size))
    form = _Normal(x, sp.Integer(size)).read(P(event))
    for at in (-1.0, 0.0, 0.5, 1.5):
        assert float(form.subs(u, at)) == pytest.approx(happens(g, at).mean(), abs=0.006)


@pytest.mark.parametrize(("head", "f"), [(h, f) for h in (SampleMax, SampleMin) for f in (x, abs(x), x**2)])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_means_of_extremes_agree_with_quadrature_of_the_density(head, f, size):
    """A second route: x times the density of the extreme value, by SciPy."""
    law = {x: stats.norm, abs(x): stats.halfnorm, x**2: stats.chi2(1)}[f]
    share = law.cdf if head is SampleMax else law.sf
    weight = lambda y: y * size * law.pdf(y) * share(y) ** (size - 1)
    pieces = [-12, 0, 1e-6, 1, 5, 12, 100]
    by_hand = sum(integrate.quad(weight, a, b)[0] for a, b in itertools.pairwise(pieces))
    reader = _Normal(x, sp.Integer(size))
    word = reader.read(E(head(f)))
    ball = reader.enclosed(reader.means[word], size)
    assert float(ball.mid()) == pytest.approx(by_hand, abs=1e-6)
    assert float(ball.rad()) < 1e-9


REFUSED = {
    "no closed form": (E(sp.exp(x)), {}, []),
    "two statistics": (P(SampleMax(x) + SampleMin(x) >= t), above, []),
    "a hypothesis on moments": (P(x >= t), above, [(Var(x), "<=", 2)]),
    "a parameter beside a mean": (E(SampleMax(x)) * t, above, []),
    "bare": (x, {}, []),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_closed_form_is_refused_in_words(name):
    lhs, domain, where = REFUSED[name]
    with pytest.raises(ValueError, match=r"closed form|says nothing|put numbers|is random"):
        for_every_law(lhs, "<=", 1, {x: normal, **some, **domain}, where=where, effort=10**6)


def test_a_sample_size_may_be_called_as_the_variable_of_the_integrals() -> None:
    domain = {x: Iid(t, law="normal"), t: Integers(1, 2)}
    for q, verdict in ((sp.Rational(11, 20), Verdict.REFUTED), (sp.Rational(57, 100), Verdict.CERTIFIED)):
        e = for_every_law(E(SampleMax(x)), "<=", q, domain, where=(), effort=10**5)
        assert e.verdict is verdict


def test_what_cancels_in_a_word_must_be_defined() -> None:
    with sp.evaluate(False):
        one = u * (1 / u)
        words = P(x >= one), E(x**2 * one) - 1
    for word in words:
        for lo, verdict in ((0, ("PROVED", "CERTIFIED")), (-1, ("OPEN",))):
            domain = {x: Iid(1, law="normal"), u: (lo, 1)}
            assert for_every_law(word, "<=", 1, domain, where=(), effort=10**5).verdict.value in verdict
