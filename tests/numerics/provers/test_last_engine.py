"""z3 is asked last, of what is true as it is written, and no claim rests on what it says."""

import builtins
import importlib.util
import random
from contextlib import suppress

import pytest
import sympy as sp

from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import Closed, Integers, forall, last_engine
from numerics.provers.inequalities import forall_without_z3
from numerics.provers.last_engine import last_opinion
from numerics.provers.remembered import cached, remembering, without_z3
from numerics.provers.statements.statement import statement
from proofs_check.core.claim import Claim
from proofs_check.core.controls import named_z3
from tests.numerics.provers.soundness.running import blind

pytest.importorskip("z3")
R, oo = sp.Rational, sp.oo
a, b, x, y = sp.symbols("a b x y", real=True)
k, n = sp.symbols("k n", integer=True)
REALS = {x: (-oo, oo), y: (-oo, oo)}
SHARE = lambda t: sp.Abs(t) / (1 + sp.Abs(t))
#: Left open by every engine of ours.
OPEN = (SHARE(a + b), "<=", SHARE(a) + SHARE(b), {a: (-oo, oo), b: (-oo, oo)})


def said(lhs, op, rhs, domain, where=()):
    """What z3 says, whom nobody asks whether a counterexample is known."""
    with sp.evaluate(True):
        return last_opinion(statement(lhs, op, rhs, domain, where), (lhs, op, rhs), where, 200_000)


def confirmed(*asked, **also):
    answer = said(*asked, **also)
    return answer is not None and answer.confirmed


def test_what_z3_decides_is_shown_as_its_own():
    e = forall(*OPEN, effort=150_000)
    assert (e.verdict, e.engine, e.word) == (Verdict.PROVED, "z3", "PROVED (z3)")
    assert "PROVED (z3)" in str(e)
    assert "no certificate of that was checked here" in str(e)
    assert Evidence.from_json(e.to_json()) == e
    proved = forall(x**2, ">=", 0, {x: (-oo, oo)})
    assert (proved.word, all_of(proved, e).word, all_of(proved).word) == ("PROVED", "PROVED (z3)", "PROVED")


def test_the_answer_is_the_same_each_time():
    first, again = (forall(*OPEN, effort=150_000) for _ in range(2))
    assert first.replace(seconds=0) == again.replace(seconds=0)


@pytest.mark.parametrize("alone", [without_z3, remembering])
def test_nobody_asks_z3_while_a_claim_is_judged(alone):
    with alone():
        assert forall(*OPEN, effort=60_000).verdict is Verdict.OPEN
    assert forall_without_z3(*OPEN, effort=60_000).verdict is Verdict.OPEN
    assert cached(lambda: forall(*OPEN, effort=60_000))().verdict is Verdict.OPEN
    assert Claim(id="ME:1", check=lambda: forall(*OPEN, effort=60_000))().verdict is Verdict.OPEN


def test_a_claim_that_brings_an_answer_of_z3_is_refused():
    by_z3 = Evidence(verdict=Verdict.PROVED, engine="z3")
    ours = Evidence(verdict=Verdict.PROVED, engine="Sturm")
    for hidden in (by_z3, all_of(ours, by_z3), ours.replace(routes=(by_z3,))):
        assert named_z3(hidden)
        with pytest.raises(ValueError, match="rests on z3"):
            Claim(id="ME:1", check=lambda hidden=hidden: hidden)()
    assert not named_z3(all_of(ours, ours))


def test_without_z3_only_the_words_change(monkeypatch):
    real, spec = builtins.__import__, importlib.util.find_spec
    with_it = forall(x**2, ">=", 0, {x: (-oo, oo)})

    def without(name, *rest, **named):
        assert name.split(".")[0] != "z3"
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setattr(last_engine, "find_spec", lambda name: None if name == "z3" else spec(name))
    assert forall(x**2, ">=", 0, {x: (-oo, oo)}).replace(seconds=0) == with_it.replace(seconds=0)
    left = forall(*OPEN, effort=60_000)
    assert left.verdict is Verdict.OPEN
    assert "What may help: `pip install 'largeprompt[smt]'`" in left.reason
    assert "and z3" not in left.reason


def test_an_open_answer_says_what_was_tried_and_where_the_sides_meet():
    left = forall_without_z3(*OPEN, effort=60_000)
    assert "Tried were a search for counterexamples, exact arithmetic" in left.reason
    assert "The two sides meet at a = 0, b = 1" in left.reason
    assert "and z3" not in left.reason


def test_no_effort_is_no_question():
    assert said(x, "<=", x + 1, {x: (0, 1)}) is not None
    st = statement(x, "<=", x + 1, {x: (0, 1)}, ())
    assert last_opinion(st, (x, "<=", x + 1), (), 0) is None


TRUE = [
    (x**2, ">", 0, {x: (0, 1)}),
    (x, "<", 1, {x: (0, 1)}),
    ((n - 1) * (n - 2), ">=", 0, {n: Integers(-oo)}),
    (x * y, "<=", R(1, 4), REALS, [(x + y, "==", 1)]),
    (x / x, "<=", 1, {x: (-1, 1)}, [(x, "!=", 0)]),
    (1 / x**2, ">", 0, {x: (-1, 1)}, [sp.Ne(x, 0)]),
    (sp.sqrt(x), "<=", 1, {x: (-1, 1)}, [(x, ">=", 0)]),
]
FALSE = {
    "an end that belongs to the domain": (x, "<", 1, {x: Closed(0, 1)}),
    "strict where the sides meet": (2 * x * y, "<", x**2 + y**2, REALS),
    "strict on the curve of an equality": (x * y, "<", R(1, 4), REALS, [(x + y, "==", 1)]),
    "real where whole is true": ((x - 1) * (x - 2), ">=", 0, {x: (-oo, oo)}),
    "a quotient by what may be 0": (1 / x**2, ">", 0, {x: (-1, 1)}),
    "a root of what may be negative": (sp.sqrt(x), ">=", 0, {x: (-1, 1)}),
    "as it is written undefined at 0": (sp.Mul(x, 1 / x, evaluate=False), "<=", 1, {x: (-1, 1)}),
    "at the wrong side of an inequation": (x**2, ">=", R(1, 100), {x: (-1, 1)}, [(x, "!=", 0)]),
    "a hypothesis that is met at one point": (x, ">", 0, {x: (-1, 1)}, [(x**2, "<=", 0)]),
    "a root in a hypothesis": (y, "<", 2, {x: Closed(0, 1), y: (0, 3)}, [(sp.sqrt(x) * y, "<=", 0)]),
}


@pytest.mark.parametrize("asked", TRUE)
def test_what_is_true_is_confirmed(asked):
    assert confirmed(*asked)


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_not(name):
    assert not confirmed(*FALSE[name])
    lhs, op, rhs, domain, *where = FALSE[name]
    with blind():
        assert not forall(
            lhs, op, rhs, domain, where=where[0] if where else (), effort=30_000
        ).verdict.accepted


def test_of_hypotheses_that_contradict_each_other_nothing_is_proved():
    with pytest.raises(ValueError, match="no point meets the hypotheses"):
        forall(x, "<", 0, {x: (0, 1)}, where=[(x, "<", R(1, 3)), (x, ">", R(1, 2))])
    curve = [(x**2 + y**2, "<=", 1), (x + y, "==", 3)]
    with suppress(ValueError):  # it may see that there is none
        assert not forall(x, ">", y + 100, REALS, where=curve, effort=60_000).verdict.accepted


def drawn(rng, depth):
    if depth == 0:
        return rng.choice([x, y, R(rng.randint(-4, 4), rng.randint(1, 3))])
    c, d = drawn(rng, depth - 1), drawn(rng, depth - 1)
    return rng.choice([c + d, c - d, c * d, c**2, sp.Max(c, d), sp.Abs(c), c / (1 + d**2)])


@pytest.mark.parametrize("seed", range(60))
def test_random_statements_that_fail_at_one_point_are_not_confirmed(seed):
    """By a hair, or by equality where more is claimed, also where hypotheses leave a curve only."""
    rng = random.Random(seed)
    at = {x: R(rng.randint(-3, 3), rng.choice([1, 2])), y: sp.Integer(rng.randint(-3, 3))}
    f, g = drawn(rng, 2), drawn(rng, 1)
    v, w = f.xreplace(at), g.xreplace(at)
    domain = {x: Closed(at[x], at[x] + 1), y: rng.choice([Integers(at[y] - 1, at[y]), (-oo, oo)])}
    y_domain = domain[y]
    if isinstance(y_domain, Integers):
        f, g = (e.xreplace({y: n}) for e in (f, g))
        domain = {x: domain[x], n: y_domain}
    where = [] if g.is_number else [rng.choice([(g, "==", w), (g, "<=", w), (g, "<", w + R(1, 10**6))])]
    op, bound = rng.choice([(">", v), ("<", v), (">=", v + R(1, 10**9)), ("<=", v - R(1, 10**9))])
    assert not confirmed(f + 0 * x, op, bound, domain, where)
