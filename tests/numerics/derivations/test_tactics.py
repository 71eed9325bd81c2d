"""Tactics show what the rules of the kernel allow, and say of the rest what was left to show."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from numerics.derivations import tactics
from numerics.derivations.derived import exp, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, ProofError, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, positivity, show

x, y, z = (Variable(name, range=REALS) for name in "xyz")
p, q = (Variable(name, range=POSITIVE) for name in "pq")
n = Variable("n", range=NONNEGATIVE)
k, i, d = Variable("k", Sort.TOKEN), Variable("i", Sort.INDEX), Variable("d", range=whole(1))
f, g = (Function(name, (Sort.TOKEN,), Fraction(4)) for name in "fg")
v, w = (Function(name, (Sort.INDEX,)) for name in "vw")
mean = lambda body: bind("mean", (k,), body)
total = lambda body: bind("coordinates", (i,), body, (d,))
given = lambda lhs, op, rhs, *every: assume(f"{lhs} {op} {rhs}", lhs, op, rhs, every=every)
small, near, each = given(x, "<=", p), given(mean(f(k) ** 2), "<=", q), given(f(k) ** 2, "<=", g(k) ** 2, k)

#: A goal with its facts, and what is false instead of its right side.
GOALS: dict[str, tuple[Term, str, Term, tuple[Theorem, ...], Term]] = {
    "normal form": ((x + y) ** 2, "==", x**2 + 2 * x * y + y**2, (), x**2 + y**2),
    "a known sign": (0 * x, "<=", mean(f(k) ** 2), (), -mean(f(k) ** 2)),
    "more is added": (x, "<=", x + mean(f(k) ** 2), (), x - p),
    "a prover": (2 * x * y, "<=", x**2 + y**2, (), x**2),
    "a strict one": (x, "<", x + p, (), x),
    "letters": (2 * exp(x) * sqrt(p), "<=", exp(x) ** 2 + p, (), exp(x) * sqrt(p) - p),
    "the fact": (x, "<=", p, (small,), p / 2),
    "one after the other": (x, "<=", q, (small, given(p, "<=", q)), q / 2),
    "a strict fact": (x, "<", q, (given(x, "<", q),), q / 2),
    "put in": (exp(x) / q, "<=", exp(p) / q, (small,), exp(p / 2) / q),
    "an equation put in": (exp(x), "<=", exp(2 * p), (given(x, "==", 2 * p),), exp(p)),
    "put in below": (mean(exp(x) * f(k) ** 2), "<=", exp(p) * mean(f(k) ** 2), (small,), mean(f(k) ** 2)),
    "put in, then simpler": (
        p / (p + 1),
        "<=",
        Fraction(1, 2) + 0 * p,
        (given(p, "<=", 1),),
        Fraction(1, 3) + 0 * p,
    ),
    "a term isolated": (x, "<=", (p - y) / 3, (given(3 * x + y, "<=", p),), (p - y) / 4),
    "a multiple": (p * x + z, "<=", p**2 + z, (small,), p + z),
    "two facts": (x + y, "<=", p + q, (small, given(y, "<=", q)), p),
    "two facts in the other order": (x + y, "<=", p + q, (given(y, "<=", q), small), q),
    "facts and a prover": (x * y, "<=", p * q, (small, given(0, "<=", y), given(y, "<=", q)), p),
    "squares": (x, "<=", 2 * p, (given(x**2, "<=", 4 * p**2),), p),
    "integrated": (mean(f(k) ** 2), "<=", mean(g(k) ** 2), (each,), mean(g(k) ** 2) / 2),
    "integrated, then multiplied": (3 * mean(f(k) ** 2), "<=", 3 * mean(g(k) ** 2), (each,), mean(g(k) ** 2)),
    "below a mean": (mean(2 * f(k)), "<=", mean(f(k) ** 2 + 1), (), mean(f(k) ** 2)),
    "below a mean, with a fact": (
        mean(f(k) ** 2 * p),
        "<=",
        mean(p * (g(k) ** 2 + 1)),
        (each,),
        mean(p * g(k)),
    ),
    "a sum of nothing": (total(v(i) ** 2), "==", term(0), (given(v(i), "==", 0, i),), term(1)),
    "an equation below a root": (
        sqrt(total((v(i) + w(i)) ** 2)),
        "==",
        sqrt(total(4 * v(i) ** 2)),
        (given(w(i), "==", v(i), i),),
        sqrt(total(v(i) ** 2)),
    ),
    "one place in an exponent": (exp(-(x**2) / 2), "<=", exp(-p / 2), (given(p, "<=", x**2),), exp(-p)),
    "an integral in other words": (
        1 / (1 + mean((f(k) ** 2 + 1) * g(k) ** 2)) / p,
        "<=",
        1 / (1 + mean(g(k) ** 2 * (1 + f(k) ** 2))) / p + n,
        (),
        1 / (2 + mean(g(k) ** 2 * (1 + f(k) ** 2))) / p,
    ),
}


@pytest.mark.parametrize("goal", GOALS)
def test_a_goal_is_shown(goal: str) -> None:
    lhs, op, rhs, facts, _ = GOALS[goal]
    shown = show(lhs, op, rhs, *facts)
    assert (shown.lhs, shown.rhs) == (lhs, rhs)
    assert shown.op in tactics.STRENGTH[op]
    assert shown.assumptions <= frozenset().union(*(fact.assumptions for fact in facts))


@pytest.mark.parametrize("goal", GOALS)
def test_a_false_goal_is_refused(goal: str) -> None:
    lhs, op, _, facts, false = GOALS[goal]
    with pytest.raises(ProofError, match="is not shown"):
        show(lhs, op, false, *facts)


@pytest.mark.parametrize("goal", [goal for goal, parts in GOALS.items() if parts[3]])
def test_no_fact_is_idle(goal: str) -> None:
    lhs, op, rhs, facts, _ = GOALS[goal]
    for fact in facts:
        with pytest.raises(ProofError, match="is not shown"):
            show(lhs, op, rhs, *(other for other in facts if other is not fact))


def test_letters_are_taken_as_they_are_given() -> None:
    """Of a letter no more is known than its sign."""
    square = mean(f(k) ** 2)
    assert show(square * x, "<=", square * p, small, square).op == "<="
    with pytest.raises(ProofError, match="is not shown"):
        show(x, "<=", exp(x), exp(x))
    assert show(x, "<=", exp(x)).op == "<="


def test_a_chain_reads_from_one_end_to_the_other() -> None:
    shown = calc(x, ("<=", p, small), ("==", (2 * p) / 2), ("<", p + q))
    assert (shown.lhs, shown.op, shown.rhs) == (x, "<", p + q)
    assert calc(small, ("<=", p + n)).lhs == x
    with pytest.raises(ProofError, match="is not shown"):
        calc(x, ("<=", p, small), ("<=", p / 2), ("<", p + q))


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            lambda: show(exp(x) / q, "<=", p / q, small),
            ["eˣ/q ≤ p/q is not shown", "left to show: eᵖ/q ≤ p/q"],
        ),
        (lambda: show(x + z, "<=", p, small), ["x + z ≤ p is not shown", "left to show: p + z ≤ p"]),
        (lambda: show(mean(f(k)), "<=", mean(g(k)), each), ["left to show: f(zₖ) ≤ g(zₖ)"]),
        (lambda: show(x, "<", p, small), ["x < p is not shown"]),
        (lambda: show(x, "==", p, small), ["x = p is not shown"]),
    ],
)
def test_a_refusal_says_what_was_left(step: Callable[[], Theorem], said: list[str]) -> None:
    with pytest.raises(ProofError) as stop:
        step()
    for line in said:
        assert line in str(stop.value)


def test_what_is_positive() -> None:
    assert positivity(p * mean(f(k) ** 2) + n).op == "<="
    assert positivity(p + n, op="<").op == "<"
    assert positivity(q - x, small, given(p, "<=", q)).op == "<="
    with pytest.raises(ProofError):
        positivity(q - x, small)
    with pytest.raises(ProofError):
        positivity(n, op="<")


def test_a_strict_fact_is_not_integrated() -> None:
    with pytest.raises(ProofError):
        show(mean(f(k)), "<", mean(g(k)), given(f(k), "<", g(k), k))


def test_the_same_steps_are_made_each_time() -> None:
    for lhs, op, rhs, facts, _ in GOALS.values():
        first, second = (show(lhs, op, rhs, *facts) for _ in range(2))
        assert [(t.rule, str(t)) for t in first.steps()] == [(t.rule, str(t)) for t in second.steps()]


def test_a_case_of_an_indicator() -> None:
    here = Op("ind", (x,))
    assert show(here * exp(-x), "<=", here).op == "<="
    with pytest.raises(ProofError):
        show(here * exp(x), "<=", here)
