"""Inequalities from the signs of derivatives: what touches along a curve, at an end or at infinity
is proved, and what misses the truth by a hair, or jumps, is not, though no counterexample is looked
for.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
import sympy as sp

from numerics import Closed, Integers, forall
from numerics.provers.statements import derivative, strategy
from numerics.provers.statements.branch import Task
from numerics.provers.statements.sample import Sample
from numerics.provers.statements.statement import statement
from tests.numerics.provers.soundness.running import blind

x, p, q, a, c = sp.symbols("x p q a c", positive=True)
t = sp.Symbol("t", nonnegative=True)
b, u, v = sp.symbols("b u v", real=True)
half = sp.Rational(1, 2)
KL = p * sp.log(p / q) + (1 - p) * sp.log((1 - p) / (1 - q))
UNIT = {p: (0, 1), q: (0, 1)}
POSITIVE = {x: (0, sp.oo)}
#: Steps in which the true ones of their kind are proved.
ENOUGH = 200_000
MILLS = sp.sqrt(sp.pi / 2) * sp.erfc(x / sp.sqrt(2)) * sp.exp(x**2 / 2)

#: True, each with a factor of the larger side that makes it false.
TRUE: dict[str, tuple[Any, ...]] = {
    "Pinsker": (2 * (p - q) ** 2, KL, UNIT),
    "the chi-square divergence is larger": (KL, (p - q) ** 2 / (q * (1 - q)), UNIT),
    "Mills, above": (MILLS, 1 / x, POSITIVE),
    "Mills, below": (x / (1 + x**2), MILLS, POSITIVE),
    "log det": (
        sp.log(a * c - b**2),
        a + c - 2,
        {a: (0, sp.oo), c: (0, sp.oo), b: sp.S.Reals},
        [(a * c, ">", b**2)],
    ),
    "rises, then falls": (sp.atan(t), sp.pi / 2 * t / sp.sqrt(1 + t**2), {t: Closed(0, sp.oo)}),
    "logarithms far out": (1 / (x + half), sp.log(1 + 1 / x), POSITIVE),
    "Bernoulli": (1 + 3 * u, (1 + u) ** 3, {u: Closed(-1, sp.oo)}),
    "a root that touches": (sp.sqrt(1 + t), 1 + t / 2, {t: Closed(0, sp.oo)}),
}


@pytest.mark.parametrize(("small", "big", "domain", "where"), [(*r, [])[:4] for r in TRUE.values()], ids=TRUE)
def test_what_touches_is_proved_and_with_a_hair_less_is_not(small, big, domain, where) -> None:
    assert forall(small, "<=", big, domain, where=where).verdict.value in ("PROVED", "CERTIFIED")
    less = sp.Rational(999, 1000)
    with blind():
        ev = forall(small, "<=", less * big, domain, where=where, effort=ENOUGH)
    assert not ev.verdict.accepted


def test_the_proof_is_told() -> None:
    """Pinsker's divergence is 0 where q = p, and its slope in q is a multiple of q - p."""
    ev = forall(KL, ">=", 2 * (p - q) ** 2, UNIT)
    assert (ev.verdict.value, ev.engine) == ("PROVED", "derivatives")
    (step,) = ev.steps
    assert "$q = p$" in step


#: False, each because of a trap: what is not continuous, not covered, or not strict.
FALSE: dict[str, tuple[Any, ...]] = {
    "a jump at a pole inside": (sp.atan(1 / u), "<=", 2 - u - 3 * half, {u: (-1, 1)}, [(u, "!=", 0)]),
    "a pole": (1 / u, "<=", 1 / u**2 - 1, {u: (-4, 4)}, [(u, "!=", 0)]),
    "equality at the base itself": (sp.log(x), "<", x - 1, POSITIVE),
    "equality at an attained end": (sp.sin(t), "<", t, {t: Closed(0, 1)}),
    "a limit that is not reached, minus a hair": (
        sp.atan(x),
        "<",
        sp.pi / 2 - sp.Rational(1, 10**9),
        POSITIVE,
    ),
    "constant before a kink": (0, "<", u - 2 + sp.sqrt(u**2 - 4 * u + 4), {u: (0, 9)}, [(u, "<=", 2)]),
    "only beyond a hypothesis": (sp.log(x), "<=", x - 1 - (x - 2) ** 2, POSITIVE, [(x, "<=", 3)]),
    "one value of a parameter": (0, "<", (u - 1) ** 2 * x + x**2 * (u - 1) ** 2, {u: (0, 2), x: (0, 1)}),
    "a base beyond the range": (1, "<=", sp.sqrt(x**2) + sp.Rational(9, 10), {x: (0, 1)}, [(x, ">", -1)]),
    "two minima": (0, "<=", (u**2 - 1) ** 2 - sp.Rational(1, 10**6), {u: sp.S.Reals}),
}


@pytest.mark.parametrize("asked", FALSE.values(), ids=FALSE)
def test_what_a_trap_makes_false_is_not_proved(asked: tuple[Any, ...]) -> None:
    lhs, op, rhs, domain, *where = asked
    with blind():
        assert not forall(
            lhs, op, rhs, domain, where=where[0] if where else (), effort=ENOUGH
        ).verdict.accepted


def _bases(shift: sp.Rational) -> list[sp.Expr]:
    """Functions of `u` that are least, and 0, where `u` is the shift."""
    w = u - shift
    bent = [w * sp.atan(w), w * sp.tanh(w), sp.log(1 + w**2)]
    return [w**2, sp.exp(w) - 1 - w, sp.sqrt(1 + w**2) - 1, *bent]


@pytest.mark.parametrize("seed", range(12))
def test_sums_that_touch_are_proved_and_what_falls_below_never(seed: int) -> None:
    """A sum of functions with one minimum between them is not negative; with the minima apart, and
    less than what is left there, it is negative somewhere.
    """
    draw = random.Random(seed)
    shift = sp.Rational(draw.randint(-4, 4), 2)
    f = sum(draw.randint(1, 3) * g for g in draw.sample(_bases(shift), 2))
    low = sp.Rational(1, draw.choice([10**3, 10**6, 10**9]))
    with blind():
        assert not forall(low, "<=", f, {u: (-9, 9)}, effort=ENOUGH).verdict.accepted
        assert not forall(f, ">", 0, {u: (-9, 9)}, effort=ENOUGH).verdict.accepted


def test_whole_numbers_are_not_made_real_where_that_is_false() -> None:
    """(n - 1)(n - 2) >= 0 holds for whole numbers, and log 2 > 1/2 decides a strict one."""
    n = sp.Symbol("n", integer=True)
    assert forall((n - 1) * (n - 2), ">=", 0, {n: Integers(0, sp.oo)}).verdict.accepted
    m = sp.Symbol("m", positive=True, integer=True)
    assert forall(sp.log(m), "<=", m - 1, {m: Integers(1, sp.oo)}).verdict.accepted


def test_every_argument_says_that_its_function_is_smooth() -> None:
    """The logarithms set conditions, which stand among the parts of every argument."""
    st = statement(sp.log(u - 1), "<=", u - 1 - sp.log(3 - u), {u: (0, 4)}, [(u, ">", 1), (u, "<", 3)])
    (w,) = st.symbols
    task = Task(st.symbols, st.box, [st.difference], False, st.where)
    found = list(derivative.arguments(task, lambda _: True))
    assert found
    for argument in found:
        needed = {e for part in argument.tasks for e in part.alternatives if part.strict}
        assert {w - 1, 3 - w} <= needed, argument.words


def test_what_keeps_a_hypothesis_on_a_segment_is_a_part_of_the_argument() -> None:
    """It may need an enclosure: then what rests on it is CERTIFIED, for not all steps are exact."""
    away = sp.sin(v) / 2 + 1
    st = statement(
        sp.log(1 + u**2), "<=", 2 * away * sp.atan(u), {u: Closed(0, 1), v: sp.S.Reals}, [(u, "<=", away)]
    )
    task = Task(st.symbols, st.box, [st.difference], False, st.where)
    asked: list[Task] = []
    found = list(derivative.arguments(task, lambda t: asked.append(t) or True))
    keeps = [
        a for a in found if any(g.has(st.symbols[0]) for t in a.tasks for g, _ in t.where if t.box != st.box)
    ]
    assert keeps
    assert all({t.key for t in asked} & {t.key for t in a.tasks} for a in keeps)
    ends = [a for a in keeps if "rises before" in a.words[0]]
    assert ends
    half = sp.sin(v) / 2
    ev = forall(
        (1 + half) * sp.atan(x),
        ">=",
        sp.log(1 + x**2) / 2,
        {**POSITIVE, v: sp.S.Reals},
        where=[(x, "<=", 1 + half)],
    )
    assert ev.verdict.value == "CERTIFIED"


def test_a_sample_tells_false_tasks_and_no_true_ones() -> None:
    st = statement(u, "<=", u**2, {u: (0, 3)}, [])
    (w,) = st.symbols
    box = st.box
    assert Sample(Task((w,), box, [st.difference], False)).refutes(Task((w,), box, [st.difference], False))
    true = Task((w,), box, [w**2 - 2 * w + 1], False)
    assert not Sample(true).refutes(true)
    assert (Sample(true).sign(-1 - w**2), Sample(true).sign(w - 1)) == (-1, 0)


def test_an_argument_that_fails_ends_in_a_number_of_parts() -> None:
    """What is left of the parts is counted over all derivatives of derivatives."""
    st = statement(sp.sin(u) * sp.exp(u), "<=", 30, {u: (-9, 4)}, [])
    task = Task(st.symbols, st.box, [st.difference], False)
    slopes = strategy.Slopes(3, 7, {})
    strategy.Proof(task, strategy.Effort(10**7), slopes=slopes).by_slopes()
    assert len(slopes.tried) <= slopes.left
