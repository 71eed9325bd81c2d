"""Sums up to a variable and sequences: what is proved, what is refuted, and what is left open."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp
from sympy import Product, Rational, Sum, log, sqrt

from numerics.counterexamples.drawn.holds import holds
from numerics.evidence import Evidence
from numerics.lemmas import forall
from numerics.lemmas.sequences.constant import exists_for_sequences
from numerics.provers.statements.statement import Integers

n, k, j = sp.symbols("n k j", integer=True, positive=True)
m = sp.Symbol("m", integer=True, nonnegative=True)
x, c, G, r = sp.symbols("x c G r", positive=True)
a, b, g, t, u = map(sp.Function, "abgtu")
FROM_1, FROM_0 = {n: Integers(1, sp.oo)}, {m: Integers(0, sp.oo)}
HARMONIC = Sum(1 / k, (k, 1, n))
SGD = [(a(n + 1), "<=", (1 - 2 / (n + 1)) * a(n) + 4 / (n + 1) ** 2), (a(1), "<=", 4)]
NESTEROV = [(t(m + 1), "==", (1 + sqrt(1 + 4 * t(m) ** 2)) / 2), (t(0), "==", 1)]
EXACT = ("PROVED",)
SHOWN = ("PROVED", "CERTIFIED")

TRUE = {
    "roots": (Sum(1 / sqrt(k), (k, 1, n)), "<=", 2 * sqrt(n), FROM_1, []),
    "roots, below": (Sum(1 / sqrt(k), (k, 1, n)), ">=", 2 * sqrt(n + 1) - 2, FROM_1, []),
    "harmonic": (HARMONIC, "<=", 1 + log(n), FROM_1, []),
    "harmonic, below": (HARMONIC, ">=", log(n + 1), FROM_1, []),
    "Gauss": (Sum(k, (k, 1, n)), "<=", n * (n + 1) / 2, FROM_1, []),
    "Gauss, below": (Sum(k, (k, 1, n)), ">=", n * (n + 1) / 2, FROM_1, []),
    "both limits": (Sum(1 / k, (k, n + 1, 2 * n)), "<=", log(2), FROM_1, []),
    "product": (Product(1 + 1 / k**2, (k, 1, n)), "<=", 4, FROM_1, []),
    "squares": (Sum(1 / k**2, (k, 1, n)), "<=", 2, FROM_1, []),
    "squares, sharper": (Sum(1 / k**2, (k, 1, n)), "<", Rational(1645, 1000), FROM_1, []),
    "geometric": (Sum(r**k, (k, 1, n)), "<=", r / (1 - r), {**FROM_1, r: (0, 1)}, []),
    "nested": (Sum(Sum(1 / j, (j, 1, k)), (k, 1, n)), "<=", (n + 1) * HARMONIC - n, FROM_1, []),
    "Cauchy-Schwarz": (Sum(a(k), (k, 1, n)) ** 2, "<=", n * Sum(a(k) ** 2, (k, 1, n)), FROM_1, []),
    "SGD": (a(n), "<=", 4 / n, FROM_1, SGD),
    "Nesterov": (t(m), ">=", (m + 2) / 2, FROM_0, NESTEROV),
    "sum to spare": (a(n), "<=", 3, FROM_1, [(a(n + 1), "<=", a(n) + 1 / n**2), (a(1), "<=", 1)]),
    "Fibonacci": (
        *(a(n), ">=", n, FROM_1),
        [(a(n + 2), "==", a(n + 1) + a(n)), (a(1), "==", 1), (a(2), "==", 2)],
    ),
    "Gronwall": (
        *(u(n), "<=", u(1) * sp.exp(Sum(b(k), (k, 1, n - 1))), FROM_1),
        [(u(n + 1), "<=", (1 + b(n)) * u(n)), (u(n), ">=", 0), (b(n), ">=", 0)],
    ),
    "finite": (Sum(sp.binomial(n, m), (m, 0, n)), "<=", 2**n, {n: Integers(1, 6)}, []),
}

FALSE = {
    "roots": (Sum(1 / sqrt(k), (k, 1, n)), "<=", 2 * sqrt(n) - Rational(11, 10), FROM_1, [], 1),
    "Gauss": (Sum(k, (k, 1, n)), "<", n * (n + 1) / 2, FROM_1, [], 1),
    "Gauss by a hair": (Sum(k, (k, 1, n)), ">=", n * (n + 1) / 2 + Rational(1, 10**9), FROM_1, [], 1),
    "harmonic": (HARMONIC, "<=", 5, FROM_1, [], 83),
    "squares": (Sum(1 / k**2, (k, 1, n)), "<=", Rational(164, 100), FROM_1, [], 203),
    "SGD": (
        *(a(n), "<=", 4 / n, FROM_1),
        [(a(n + 1), "<=", (1 - 1 / (n + 1)) * a(n) + 4 / (n + 1) ** 2), (a(1), "<=", 4)],
        2,
    ),
    "Nesterov": (t(m), "<=", (m + 2) / 2 + Rational(1, 10), FROM_0, NESTEROV, 1),
    "Kingma and Ba": (
        *(Sum(sqrt(g(k) ** 2 / k), (k, 1, n)), "<=", 2 * G * sqrt(Sum(g(k) ** 2, (k, 1, n)))),
        *({**FROM_1, G: (0, sp.oo)}, [(sp.Abs(g(n)), "<=", G)], 1),
    ),
    "Gronwall without a sign": (
        *(u(n), "<=", u(1) * sp.exp(Sum(b(k), (k, 1, n - 1))), FROM_1),
        *([(u(n + 1), "<=", (1 + b(n)) * u(n))], 2),
    ),
}


def ask(lhs: Any, op: str, rhs: Any, domain: Any, where: Any) -> Evidence:
    return forall(lhs, op, rhs, domain, where=where)


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_are_proved(name: str) -> None:
    e = ask(*TRUE[name])
    assert e.verdict.value in SHOWN, e
    assert e.steps
    assert not e.witness


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_are_refuted_at_the_first_index(name: str) -> None:
    *statement, first = FALSE[name]
    e = ask(*statement)
    assert e.verdict.value == "REFUTED", e
    assert next(iter(e.witness.values())) == first


def test_what_is_exact_is_called_proved() -> None:
    assert ask(*TRUE["SGD"]).word == "PROVED"
    assert ask(*TRUE["Gauss"]).engine == "induction"


@pytest.mark.parametrize("name", ["SGD", "harmonic", "squares"])
def test_property_tests_agree(name: str) -> None:
    assert holds(*ask(*TRUE[name]).sides, examples=60).verdict.value == "SUPPORTED"
    refuted = holds(*ask(*FALSE[name][:-1]).sides, examples=200)
    assert refuted.verdict.value == "REFUTED", refuted


def test_a_lower_bound_is_refuted_as_a_control() -> None:
    (side,) = ask(*TRUE["SGD"]).sides
    assert holds(side.scaled(Fraction(1, 2)), examples=100).verdict.value == "REFUTED"


EMPTY = [(a(n + 1), "<=", a(n) / 2), (a(1), "<=", 1), (a(n), ">=", 2)]
DEAD_END = [(a(n + 1), ">=", a(n) + 1), (a(n), "<=", 30), (a(1), ">=", 0)]
#: The first sum is empty at m = 0; a sum bounds what is at least 1; at n = 20 a(20) would be 0.
EMPTY_SUM = [(Sum(a(k), (k, 1, m)), ">=", 1)]
SHORT_SUM = [(a(n), ">=", 1), (Sum(a(k), (k, 1, n)), "<=", 30)]
NO_SLOPE = [((n - 20) * a(n + 1), "==", a(n)), (a(1), "==", 10)]


@pytest.mark.parametrize("where", [EMPTY, DEAD_END, SHORT_SUM, NO_SLOPE])
def test_nothing_is_said_of_sequences_that_do_not_exist(where: list[object]) -> None:
    for op in ("<=", ">"):
        assert ask(a(n), op, 7, FROM_1, where).verdict.value == "OPEN"


def test_a_sum_that_is_empty_at_the_first_index_counts() -> None:
    for op in ("<=", ">"):
        assert ask(a(m + 1), op, 7, FROM_0, EMPTY_SUM).verdict.value == "OPEN"


def test_sums_of_a_sequence_may_be_bounded() -> None:
    where = [(a(n), ">=", 0), (Sum(a(k), (k, 1, n)), "<=", 30)]
    assert ask(a(n), "<=", 30, FROM_1, where).verdict.value in SHOWN
    where = [(a(n + 1), "==", Sum(a(k), (k, 1, n))), (a(1), "==", 1)]
    assert ask(a(n), "<=", 5, FROM_1, where).witness["n"] == 5


def test_sums_that_run_backwards_at_some_index_have_no_value() -> None:
    nested = Sum(Sum(1, (j, k, n)), (k, 1, 2 * n))
    for total in (nested, Sum(k, (k, 1, n**2 - 3))):
        assert ask(total, ">=", 0, {n: Integers(1, 5)}, []).verdict.value == "OPEN"


def test_terms_of_a_high_degree_do_not_take_minutes() -> None:
    i = sp.Symbol("i", integer=True)
    harmonic = lambda lo, hi: Sum(1 - 1 / (i + 4), (i, lo, hi))
    e = ask(m * harmonic(m, 2 * m), ">", (m - 3) * harmonic(1, m + 1) + 1, FROM_0, [])
    assert e.verdict.value in (*SHOWN, "OPEN")


def test_a_start_that_cannot_be_continued_refutes_nothing() -> None:
    where = [(a(n + 1), ">=", 2 * a(n)), (a(n), "<=", 1)]
    e = ask(a(n), "<=", Rational(1, 2), FROM_1, where)  # true: only a <= 0 goes on for ever
    assert e.verdict.value == "OPEN"
    assert "continued" in e.reason


def test_the_hypothesis_is_used_only_in_its_range() -> None:
    # a(0) is free, and the recurrence starts at n = 1
    where = [(a(n + 1), "<=", a(n)), (a(n), "<=", 1)]
    assert ask(Sum(a(k - 1), (k, 1, n)), "<=", n, FROM_1, where).verdict.value == "REFUTED"
    assert ask(Sum(a(k), (k, 1, n)), "<=", n, FROM_1, where).verdict.value in SHOWN


def test_terms_that_are_undefined_prove_nothing() -> None:
    i = sp.Symbol("i", integer=True)
    e = ask(Sum(1 / (i - 3), (i, 1, n)), "<=", 10, FROM_1, [])
    assert e.verdict.value == "OPEN"
    e = ask(Sum(1 / sqrt(a(k)), (k, 1, n)), ">=", 0, FROM_1, [(a(n), ">=", 0)])
    assert e.verdict.value == "OPEN"


def test_a_product_may_lose_a_factor_only_if_that_is_not_0() -> None:
    i = sp.Symbol("i", integer=True)
    shifted = Product(i - 5, (i, n, n + 2))
    assert ask(shifted, "<=", 10**6, FROM_1, []).verdict.value == "REFUTED"
    assert ask(shifted, ">=", -(10**6), FROM_1, []).verdict.value in (*SHOWN, "OPEN")


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ((HARMONIC, "<=", "2", FROM_1, []), TypeError),
        ((Sum(0.5 / k, (k, 1, n)), "<=", n, FROM_1, []), TypeError),
        ((HARMONIC, "<<", 2, FROM_1, []), ValueError),
        ((a(n), "<=", x, FROM_1, []), ValueError),
        ((a(n, n), "<=", 1, FROM_1, []), ValueError),
        ((a(n**2), "<=", 1, FROM_1, []), ValueError),
        ((sp.Function("p", positive=True)(n), ">=", 0, FROM_1, []), ValueError),
        ((Sum(k, (k, n, 5)), "<=", 9, FROM_1, []), ValueError),
        ((Sum(1 / k**2, (k, n, sp.oo)), "<=", 2, FROM_1, []), ValueError),
        ((Sum(k, (k, 0, n)), "<=", n**2, FROM_1, []), ValueError),
        ((a(n), "<=", 1, {n: (0, 1)}, []), ValueError),
        ((a(n), "<=", 1, FROM_1, [(n, ">=", 2)]), ValueError),
        ((a(n), "<=", 1, FROM_1, [(a(n), "~", 2)]), ValueError),
        ((a(n), "<=", 1, FROM_1, [(a(2 * n), "<=", 2)]), ValueError),
    ],
)
def test_bad_questions_are_refused(statement: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        ask(*statement)


def test_one_constant_serves_or_every_constant_fails() -> None:
    C = sp.Symbol("C", positive=True)
    slow = [(a(n + 1), "<=", (1 - 1 / (2 * n)) * a(n) + 1 / n**2), (a(1), "<=", 1)]
    e = exists_for_sequences(C, a(n), "<=", C / n, FROM_1, slow)
    assert e.verdict.value == "REFUTED", e
    fast = [(a(n + 1), "<=", (1 - 2 / n) * a(n) + 1 / n**2), (a(2), "<=", 1)]
    e = exists_for_sequences(C, a(n), "<=", C / n, {n: Integers(2, sp.oo)}, fast)
    assert e.verdict.value in SHOWN, e
    assert exists_for_sequences(C, HARMONIC, "<=", C, FROM_1, []).verdict.value == "REFUTED"
    with pytest.raises(ValueError, match="start"):
        exists_for_sequences(C, a(n), "<=", C / n, FROM_1, slow[:1])


def test_sequences_that_stay_at_0_show_that_there_are_some() -> None:
    where = [(a(n + 1), "<=", a(n) - a(n) ** 2), (a(n), ">=", 0), (a(1), "<=", 1)]
    for hypotheses in (where, where[::-1]):
        assert ask(a(n), "<=", 1 / n, FROM_1, hypotheses).verdict.value in SHOWN


def test_hypotheses_on_parameters_must_be_met_somewhere() -> None:
    e = ask(Sum(k, (k, 1, n)), "<=", n * (n + 1) / 2, {**FROM_1, x: (0, 1)}, [(x, ">=", 2)])
    assert e.verdict.value == "OPEN"


@pytest.mark.parametrize("seed", range(6))
def test_random_recurrences_agree_with_a_second_route(seed: int) -> None:
    """The largest sequence is run in fractions, and the bound lies a hair above or below it."""
    random.seed(seed)
    p, q = random.choice([(1 - 1 / n, 1 / n**2), (1 - 2 / (n + 1), 4 / (n + 1) ** 2), (sp.S.Half, 1 / n)])
    start, shape = Fraction(random.randrange(3)), random.choice([sp.S.One, 1 / n, n])
    at = lambda e, i: Fraction(str(sp.sympify(e).subs(n, i)))
    values = [start]
    for i in range(1, 40):
        values.append(at(p, i) * values[-1] + at(q, i))
    worst = max(v / at(shape, i) for i, v in enumerate(values, 1))
    hair = random.choice([-1, 1]) * Fraction(1, 50)
    bound = worst.limit_denominator(1000) + hair
    where = [(a(n + 1), "<=", p * a(n) + q), (a(1), "<=", sp.Rational(str(start)))]
    e = ask(a(n), "<=", sp.Rational(str(bound)) * shape, FROM_1, where)
    if hair > 0 and e.verdict.value == "REFUTED":  # later than the run went
        assert int(e.witness["n"]) > len(values)
    if hair < 0:
        assert e.verdict.value == "REFUTED", e
        first = int(e.witness["n"])
        assert values[first - 1] > bound * at(shape, first)


def _value(kind: int, p: Fraction, s: int, length: int) -> float:
    """A second route to the sums below, in floating point."""
    terms = [(i + s) ** -float(p) if kind == 0 else float(p) ** i for i in range(1, length + 1)]
    return math.fsum(terms)


@pytest.mark.parametrize("seed", range(12))
def test_random_bounds_of_sums_agree_with_a_second_route(seed: int) -> None:
    """Bounds beside the true supremum: by a hair above or below."""
    random.seed(seed)
    kind, s = random.randrange(2), random.randrange(3)
    p = Fraction(random.choice([2, 3, 4]) if kind == 0 else Fraction(random.randrange(1, 4), 5))
    power = sp.Rational(p.numerator, p.denominator)
    term = (k + s) ** -power if kind == 0 else power**k
    far = 3000 if kind == 0 else 60
    limit = _value(kind, p, s, far) + (far ** (1 - float(p)) / (float(p) - 1) if kind == 0 else 0)
    hair = random.choice([-1, 1]) * random.choice([0.1, 0.03, 0.01])
    bound = Fraction(limit + hair).limit_denominator(1000)
    if bound <= 0 or abs(bound - limit) < 0.004:
        return
    e = ask(Sum(term, (k, 1, n)), "<=", sp.Rational(bound.numerator, bound.denominator), FROM_1, [])
    assert e.verdict.value in (SHOWN if bound > limit else ("REFUTED",)), (term, bound, limit, e)
    if bound < limit:
        first = int(e.witness["n"])
        assert _value(kind, p, s, first) > bound >= _value(kind, p, s, first - 1) - 1e-9
