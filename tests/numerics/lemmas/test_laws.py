"""Bounds on samples of every law, whose truth and sharp constants are known by hand."""

import random
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from statistics import median

import numpy as np
import pytest
import sympy as sp

from numerics.counterexamples.drawn.holds import Property, Scalable, holds
from numerics.evidence import Verdict
from numerics.lemmas import CdfGap, E, Iid, P, Quantile, Var
from numerics.lemmas.laws.batch import Batch
from numerics.lemmas.laws.counts import Law, Values
from numerics.lemmas.laws.judge import for_every_law
from numerics.lemmas.laws.search import judged, searched
from numerics.lemmas.laws.space import Space, spaces
from numerics.lemmas.laws.statement import read_statement
from numerics.lemmas.laws.words import SampleMax, SampleMean, SampleMedian, SampleMin, SampleSum, SampleVar
from numerics.provers import Closed, Integers

R, oo = sp.Rational, sp.oo
x, v = sp.symbols("X v", real=True)
s, t = sp.symbols("s t", positive=True)
d = sp.Symbol("delta", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
mu, var, sigma = E(x), Var(x), sp.sqrt(Var(x))
N, POSITIVE = {n: Integers(1, 20)}, (0, oo)
FEW = {n: Integers(1, 3)}
unit, every, one = Iid(n, on=Closed(0, 1)), Iid(n), Iid(1)
above = Iid(1, on=Closed(0, oo))
centred, scaled = [(mu, "==", 0)], [(mu, "==", 0), (var, "==", 1)]


def forall(lhs, op, rhs, domain, where=(), effort=1_000_000):
    return for_every_law(lhs, op, rhs, domain, where=where, effort=effort)


TRUE = {
    "Hoeffding": (P(SampleMean(x) - mu >= s), "<=", sp.exp(-2 * n * s**2), {x: unit, **FEW, s: POSITIVE}),
    "DKW": (P(CdfGap(x) > s), "<=", 2 * sp.exp(-2 * n * s**2), {x: every, **FEW, s: POSITIVE}),
    "Cantelli": (P(x - mu >= t), "<=", var / (var + t**2), {x: one, t: POSITIVE}),
    "Chebyshev": (P(abs(x - mu) >= t), "<=", var / t**2, {x: one, t: POSITIVE}),
    "Markov": (P(x >= t), "<=", mu / t, {x: above, t: POSITIVE}),
    "Bernstein": (
        *(P(SampleSum(x) >= t), "<=", sp.exp(-(t**2) / 2 / (n * var + t / 3))),
        *({x: Iid(n, on=Closed(-1, 1)), **FEW, t: POSITIVE}, centred),
    ),
    "Popoviciu": (var, "<=", R(1, 4), {x: unit, **N}),
    "Bhatia and Davis": (var, "<=", (1 - mu) * mu, {x: unit, **N}),
    "the mean of the maximum": (
        *(E(SampleMax(x)), "<=", mu + (n - 1) / sp.sqrt(2 * n - 1) * sigma),
        {x: unit, **FEW},
    ),
    "median and mean": (abs(Quantile(x, R(1, 2)) - mu), "<=", sigma, {x: one}),
    "variance of the mean": (Var(SampleMean(x)), "<=", var / n, {x: every, **FEW}),
    "the same from below": (Var(SampleMean(x)), ">=", var / n, {x: every, **FEW}),
    "bias of the variance": (E(SampleVar(x)), "<=", var * (n - 1) / n, {x: every, **FEW}),
    "fourth moment": (E(SampleSum(x) ** 4), "<=", 3 * n**2 * E(x**4), {x: every, **FEW}, centred),
    "two moments": (E(x**4), ">=", 1, {x: one}, scaled),
    "Hoeffding's lemma": (E(sp.exp(t * (x - mu))), "<=", sp.exp(t**2 / 8), {x: unit, **N, t: POSITIVE}),
    "by a level": (
        *(P(SampleMean(x) - mu >= sp.sqrt(sp.log(1 / d) / (2 * n))), "<=", d),
        {x: unit, n: Integers(1, 2), d: (0, 1)},
    ),
    "whole exponent": (P(SampleMax(x) <= v), "<=", P(x <= v) ** n, {x: every, **FEW, v: (-oo, oo)}),
}
FALSE = {
    "Hoeffding, two-sided": (
        *(P(abs(SampleMean(x) - v) >= t), "<=", sp.exp(-2 * n * t**2)),
        *({x: Iid(n, on=Integers(0, 1)), **N, t: POSITIVE, v: Closed(0, 1)}, [(mu, "==", v)]),
    ),
    "Hoeffding": (P(SampleMean(x) - mu >= s), "<=", sp.exp(-R(5, 2) * n * s**2), {x: unit, **N, s: POSITIVE}),
    "DKW": (P(CdfGap(x) > s), "<=", sp.exp(-2 * n * s**2), {x: every, **N, s: POSITIVE}),
    "Cantelli": (P(x - mu >= t), "<=", var / (var + 2 * t**2), {x: one, t: POSITIVE}),
    "Cantelli by a hair": (P(x - mu >= t), "<=", var / (var + R(1001, 1000) * t**2), {x: one, t: POSITIVE}),
    "Markov": (P(x >= t), "<=", mu / t * R(999, 1000), {x: above, t: POSITIVE}),
    "Bernstein": (
        *(P(SampleSum(x) >= t), "<=", sp.exp(-(t**2) / (n * var + t / 3))),
        *({x: Iid(n, on=Closed(-1, 1)), **N, t: POSITIVE}, centred),
    ),
    "Popoviciu": (var, "<=", R(1, 6), {x: unit, **N}),
    "Popoviciu, strictly": (var, "<", R(1, 4), {x: unit, **N}),
    "median and mean": (abs(Quantile(x, R(1, 2)) - mu), "<=", sigma / 2, {x: one}),
    "mean distance": (E(abs(x - mu)), ">=", sigma / 2, {x: one}),
    "bias of the variance": (E(SampleVar(x)), ">=", var, {x: every, **N}),
    "third moment": (E(x**3), "<=", 1, {x: one}, scaled),
    "by a level": (
        *(P(abs(SampleMean(x) - mu) >= sp.sqrt(sp.log(1 / d) / (2 * n))), "<=", d),
        {x: unit, **N, d: (0, 1)},
    ),
    "a parameter of the law": (v, "<=", mu, {x: one, v: (-oo, oo)}, [(E(x**2), "==", v)]),
    "either": (
        P(sp.Or(SampleMax(x) > t, SampleMin(x) < -t)),
        "<=",
        1 / (2 * t**2),
        {x: Iid(2), t: POSITIVE},
        scaled,
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_bounds_are_supported(name):
    ev = forall(*TRUE[name])
    assert ev.verdict is Verdict.SUPPORTED, ev
    assert ev.engine == "enumeration"
    assert "no proof" in ev.covered
    assert ev.slack is None or ev.slack >= 1


@pytest.mark.parametrize("name", FALSE)
def test_false_bounds_are_refuted_by_a_short_law(name):
    ev = forall(*FALSE[name])
    assert ev.verdict is Verdict.REFUTED, ev
    assert len(ev.witness["atoms"]) < 20
    assert len(ev.witness["weights"]) < 30


def test_the_witness_is_the_least_sample():
    # E max - mean <= sigma holds for n up to 3: the sharp constant is (n - 1)/sqrt(2n - 1).
    ev = forall(E(SampleMax(x)), "<=", mu + sigma, {x: unit, **N})
    assert ev.witness["n"] == 4
    assert ev.witness_by == "Arb"
    assert forall(*FALSE["Popoviciu"]).witness_by == "exact"


def test_the_witness_tells_a_parameter_that_a_hypothesis_names():
    ev = forall(v, "<=", mu, {x: one, v: (-oo, oo)}, [(E(x**2), "==", v)])
    assert ev.witness["v"] == ev.witness["left"]


def of_tuples(law, statistic):
    """The values of a statistic over all samples in order, one by one, with their probabilities."""
    for places in product(range(len(law.atoms)), repeat=law.size):
        yield statistic([law.atoms[i] for i in places]), prod(law.weights[i] for i in places)


def gap(law, sample):
    below = lambda xs, x: sum(a <= x for a in xs)
    return max(
        abs(Fraction(below(sample, a), law.size) - sum(w for b, w in zip(law.atoms, law.weights) if b <= a))
        for a in law.atoms
    )


MEAN = lambda xs: sum(xs) / Fraction(len(xs))
BY_HAND = {
    SampleMean: lambda law: MEAN,
    SampleSum: lambda law: sum,
    SampleMax: lambda law: max,
    SampleMin: lambda law: min,
    SampleVar: lambda law: lambda xs: MEAN([a**2 for a in xs]) - MEAN(xs) ** 2,
    SampleMedian: lambda law: lambda xs: median(xs),
    CdfGap: lambda law: partial(gap, law),
}


def random_law(rng, kinds, size):
    atoms = rng.sample([Fraction(p, q) for p in range(-6, 7) for q in (1, 2, 3) if p % q or q == 1], kinds)
    parts = [rng.randint(1, 5) for _ in range(kinds)]
    return Law.of(size, atoms, [Fraction(p, sum(parts)) for p in parts], {v: Fraction(rng.randint(-4, 4), 2)})


@pytest.mark.parametrize("head", BY_HAND)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_counts_agree_with_all_samples_one_by_one(head, size):
    rng = random.Random(f"{head.__name__} {size}")
    word = head(x)
    sides = P(word >= v) + 2 * P(word < v), E(word**2) + 3 * Quantile(word, R(1, 3)) + Var(word)
    st = read_statement(sides[0], "<=", sides[1], {x: Iid(size), v: (-oo, oo)}, ())
    for _ in range(4):
        law = random_law(rng, rng.choice((2, 3)), size)
        values = list(of_tuples(law, BY_HAND[head](law)))
        threshold = law.parameters[v]
        mean = sum(p * a for a, p in values)
        quantile = min(a for a, _ in values if sum(p for b, p in values if b <= a) >= Fraction(1, 3))
        left = sum(p * (1 if a >= threshold else 2) for a, p in values)
        right = sum(p * a**2 for a, p in values) + 3 * quantile + sum(p * (a - mean) ** 2 for a, p in values)
        assert tuple(map(Fraction, map(str, Values(st, law).sides()))) == (left, right)


def test_floating_point_agrees_with_the_exact_values():
    rng = random.Random(3)
    words = [head(f) for head in BY_HAND for f in ((x,) if head is CdfGap else (x, x**2, abs(x - mu)))]
    for size, kinds in ((1, 2), (3, 3), (4, 2), (5, 3)):
        for w in words:
            big = E(w) + Var(w) + Quantile(w, R(2, 7)) + P(w >= v + R(1, 97))
            st = read_statement(mu + E(x**2), "<=", big, {x: Iid(size), v: (-oo, oo)}, ())
            law = random_law(rng, kinds, size)
            batch = Batch(
                *(st, size, np.array([law.atoms], dtype=float), np.array([law.weights], dtype=float)),
                {v: np.array([float(law.parameters[v])])},
            )
            exact = [float(e) for e in Values(st, law).sides()]
            rough = [batch.number(f)[0] for f in (st.small, st.big)]
            assert rough == pytest.approx(exact, rel=1e-9, abs=1e-9), (w, law)


def test_what_exact_arithmetic_refuses_is_no_witness():
    """Laws that the search may hand over: with another mean, outside the range, or undefined."""
    st = read_statement(P(x >= t), "<=", 1 / (2 + mu**-2), {x: Iid(1, on=Closed(-1, 1)), t: POSITIVE}, [])
    half = Fraction(1, 2)
    law = lambda *atoms: Law.of(1, atoms, [half, half], {t: half})
    space = Space(st, 1, 2)
    assert judged(space, law(Fraction(-1), Fraction(1))) is None  # 1/mu has no value
    assert judged(space, law(Fraction(0), Fraction(3, 2))) is None  # outside
    assert judged(space, law(Fraction(0), Fraction(1))).fails
    centred_st = read_statement(var, "<=", R(1, 2), {x: one}, centred)
    assert judged(Space(centred_st, 1, 2), Law.of(1, [Fraction(0), Fraction(2)], [half, half], {})) is None
    assert judged(Space(centred_st, 1, 2), Law.of(1, [Fraction(-1), Fraction(1)], [half, half], {})).fails
    assert Law.of(1, [Fraction(0), Fraction(1)], [half, half + 1], {}) is None


def test_planted_errors_are_caught():
    """A word with a planted error: a sample variance by n - 1 would make the bias bound false."""
    assert forall(E(SampleVar(x)) * n / (n - 1), "<=", var, {x: every, n: Integers(2, 4)}).verdict.accepted
    ev = forall(E(SampleVar(x)) * n / (n - 1), "<=", var * (n - 1) / n, {x: every, n: Integers(2, 4)})
    assert ev.verdict is Verdict.REFUTED
    assert ev.witness["n"] == 2


def test_nothing_is_concluded_of_the_empty_set():
    for where in ([(var, ">", 2)], [(mu, "==", 3)], [(E(x**2), "==", 0), (var, "==", 1)]):
        ev = forall(var, "<=", R(1, 100), {x: Iid(1, on=Closed(0, 1))}, where)
        assert ev.verdict is Verdict.OPEN
        assert "vacuous" in ev.reason


def test_a_side_without_a_value_refutes_nothing():
    # At a point mass 1/var has no value; wherever it has one the bound holds.
    assert forall(var**-1, ">=", 4, {x: Iid(1, on=Closed(0, 1))}).verdict is Verdict.SUPPORTED


with sp.evaluate(False):
    below_one = {x: Iid(1, on=sp.Interval(0, 1))}
    named = {**below_one, v: (-oo, oo)}
    #: True wherever all has a value, which is not so where X is 0.
    CANCELS = {
        "a quotient": (mu * E(x / x), 0, below_one),
        "a quotient of words": (mu * (mu / mu), 0, below_one),
        "a difference": (mu + E(1 / x) - E(1 / x), 0, below_one),
        "in an event": (mu + P(sp.Ge(E(1 / x) + x, E(1 / x))), 1, below_one),
        "in a hypothesis": (mu, 0, below_one, [(E(1 / x), "<=", E(1 / x) + 1)]),
        "a parameter of no use": (mu, 0, named, [(v, "==", E(1 / x))]),
        "behind a parameter": (E(v * (x / x)), 0, named, [(v, "==", mu)]),
    }


@pytest.mark.parametrize("name", CANCELS)
def test_what_cancels_must_have_a_value_all_the_same(name):
    lhs, least, domain, *where = CANCELS[name]
    ev = forall(lhs, ">", least, domain, *where)
    assert ev.verdict in (Verdict.SUPPORTED, Verdict.OPEN), ev
    assert forall(mu, ">", 0, below_one).verdict is Verdict.REFUTED


def test_the_variable_of_a_sum_is_no_parameter():
    k = sp.Symbol("k", integer=True)
    moments = sp.Sum(E(x**k), (k, 1, 3))
    assert forall(moments, "<=", 3, below_one).verdict is Verdict.SUPPORTED
    assert forall(moments, "<=", 2, below_one).verdict is Verdict.REFUTED


def test_a_second_moment_around_the_mean_is_the_variance():
    for spread in (var, E((x - mu) ** 2)):
        ev = forall(
            P(x >= mu + t), "<=", 1 / (1 + 4 * t**2), {x: one, t: POSITIVE}, [(spread, "==", R(1, 4))]
        )
        assert ev.verdict is Verdict.SUPPORTED
        ev = forall(
            P(x >= mu + t), "<=", 1 / (1 + 5 * t**2), {x: one, t: POSITIVE}, [(spread, "==", R(1, 4))]
        )
        assert ev.verdict is Verdict.REFUTED


def test_a_sample_that_matters_not_may_be_large():
    assert forall(var, "<=", R(1, 4), {x: Iid(30, on=Closed(0, 1))}).verdict is Verdict.SUPPORTED
    assert forall(var, "<=", R(1, 5), {x: Iid(30, on=Closed(0, 1))}).verdict is Verdict.REFUTED
    equations = [(mu, "==", 0), (var, "==", R(1, 2)), (E(x**3), "==", 0)]
    ev = forall(E(SampleMax(x)), "<=", 1, {x: Iid(12, on=Closed(-1, 1))}, equations)
    assert ev.verdict is Verdict.OPEN
    assert not ev.sides


def test_large_samples_are_not_enumerated():
    assert "20" in forall(var, "<=", Var(SampleMean(x)) * 30, {x: Iid(30)}).reason
    ev = forall(Var(SampleMean(x)), "<=", var / n, {x: every, n: Integers(15, oo)})
    assert ev.verdict is Verdict.SUPPORTED
    assert "n = 15, 20," in ev.covered
    few = forall(*TRUE["variance of the mean"], effort=0)
    assert "at n = 1," in few.covered


def test_hypotheses_on_parameters_and_in_other_words():
    where = [(mu, "==", 0), (E((x - mu) ** 2), "==", v), sp.Le(v, 4)]
    ev = forall(P(x >= t), "<=", v / (v + t**2), {x: one, t: POSITIVE, v: POSITIVE_V}, where)
    assert ev.verdict is Verdict.SUPPORTED
    ev = forall(P(x >= t), "<=", v / (v + 2 * t**2), {x: one, t: POSITIVE, v: POSITIVE_V}, where)
    assert ev.verdict is Verdict.REFUTED


POSITIVE_V = Closed(R(1, 4), 9)


def test_the_same_answer_twice():
    one_, two = (forall(*TRUE["Cantelli"]) for _ in range(2))
    assert one_.replace(seconds=0) == two.replace(seconds=0)


def test_the_statement_is_shown_as_written():
    ev = forall(*TRUE["Bernstein"])
    assert r"\mathbb{P}\left(\operatorname{sum}\left(X\right) \geq t\right)" in ev.checked
    assert ev.assumes[0].startswith("$X_1, \\ldots, X_{n}")
    assert r"\mathbb{E}\left(X\right) = 0" in ev.assumes[-1]
    assert "the same as written" in forall(var, "<=", var, {x: one}).vacuous


@pytest.mark.parametrize("name", ["Hoeffding, two-sided", "Cantelli by a hair", "Popoviciu", "mean distance"])
def test_examples_refute_what_is_false(name):
    (side,) = forall(*FALSE[name]).sides
    assert isinstance(side, Property)
    ev = holds(side)
    assert ev.verdict is Verdict.REFUTED
    assert ev.engine == "property test"


@pytest.mark.parametrize("name", ["Cantelli", "Markov", "variance of the mean", "Popoviciu"])
def test_examples_support_what_is_true_and_refute_its_copy_with_a_lower_bound(name):
    (side,) = forall(*TRUE[name]).sides
    assert isinstance(side, Scalable)
    assert holds(side, examples=40).verdict is Verdict.SUPPORTED
    assert holds(side.scaled(Fraction(9, 10))).verdict is Verdict.REFUTED


#: What is refused, and a word of the error.
REFUSED = {
    "no sample": (ValueError, "0 samples", lambda: forall(var, "<=", 1, {t: POSITIVE})),
    "two samples": (ValueError, "2 samples", lambda: forall(var, "<=", 1, {x: one, v: one})),
    "no range": (ValueError, "Integers(1, 20)", lambda: forall(var, "<=", 1, {x: every})),
    "size 0": (ValueError, "begin at 1", lambda: forall(var, "<=", 1, {x: every, n: Integers(0, 3)})),
    "empty sample": (ValueError, "at least 1", lambda: Iid(0)),
    "float size": (TypeError, "no whole number", lambda: Iid(2.0)),
    "unknown law": (ValueError, "normal", lambda: Iid(2, law="cauchy")),
    "law with range": (ValueError, "leave `on` out", lambda: Iid(2, on=Closed(0, 1), law="normal")),
    "bare variable": (ValueError, "is random", lambda: forall(x, "<=", 1, {x: one})),
    "bare statistic": (ValueError, "is random", lambda: forall(SampleMax(x), "<=", 1, {x: one})),
    "mixed": (ValueError, "which variable", lambda: forall(E(x * SampleMax(x)), "<=", 1, {x: one})),
    "event of a number": (TypeError, "relation", lambda: P(SampleMax(x))),
    "text": (TypeError, "text", lambda: E("X")),
    "float": (TypeError, "float", lambda: forall(E(0.5 * x), "<=", 1, {x: one})),
    "no such relation": (ValueError, "two inequalities", lambda: forall(var, "==", 1, {x: one})),
    "unbound": (ValueError, "has no range", lambda: forall(var, "<=", t, {x: one})),
    "unbound inside": (ValueError, "has no range", lambda: forall(E(t * x), "<=", 1, {x: one})),
    "gap of a function": (ValueError, "CdfGap(X)", lambda: forall(E(CdfGap(x**2)), "<=", 1, {x: one})),
    "bilinear": (ValueError, "linear", lambda: forall(var, "<=", 1, {x: one}, [(mu * E(x**2), "==", 1)])),
    "quantile": (
        ValueError,
        "construction",
        lambda: forall(var, "<=", 1, {x: one}, [(Quantile(x, R(1, 2)), "==", 0)]),
    ),
    "negative variable": (
        *(ValueError, "does not imply"),
        lambda: forall(E(sp.Symbol("Y", positive=True)), "<=", 1, {sp.Symbol("Y", positive=True): one}),
    ),
    "effort": (TypeError, "effort", lambda: forall(var, "<=", 1, {x: one}, effort=1.5)),
    "arguments": (TypeError, "argument", lambda: Quantile(x)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_in_words(name):
    kind, word, ask = REFUSED[name]
    with pytest.raises(kind) as error:
        ask()
    assert word in str(error.value)


def test_the_search_stays_in_its_spaces():
    st = read_statement(*TRUE["Bernstein"][:4], centred)
    sizes = [(space.size, space.kinds) for space in spaces(st)]
    assert sizes == [(1, 2), (1, 3), (2, 2), (2, 3), (3, 2), (3, 3)]
    found = searched(Space(st, 1, 2), 0)
    assert found.worst is not None
    assert not found.worst.fails
    assert not found.unconfirmed
