"""Terms that print alike are equal by their normal form, and such theorems assume the same."""

import random
import re
from collections.abc import Iterator
from fractions import Fraction as F
from itertools import chain
from typing import Any

import pytest
from latex2mathml.converter import convert

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind, instantiated, opened
from numerics.derivations.kernel.normal_form import LENGTH, normal_form
from numerics.derivations.kernel.rules import arithmetic, assume, equal
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, ProofError, Range, Sort, whole
from numerics.derivations.kernel.terms import (
    CLOCK,
    GAUSSIAN,
    START,
    Apply,
    Bind,
    Defined,
    Function,
    Given,
    Number,
    Op,
    Term,
    Variable,
)
from numerics.derivations.kernel.terms import term as number
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.names import printed as of_a_name
from numerics.derivations.typeset import assumptions_latex, latex, relation, where_latex
from numerics.terminal.mathematics import as_unicode

#: Variables and functions by sort, with names that are easily taken for one another.
NAMES = {
    Sort.REAL: ("t", "e", "s", "Z", "P2", "P_2", "b", "b_", "f_i", "y", "mu", "q"),
    Sort.INDEX: ("i", "j", "t", "k", "mu"),
    Sort.TOKEN: ("k", "l", "q"),
    Sort.QUERY: ("q", "y", "zq"),
    Sort.NORMAL: ("g", "h"),
    Sort.PROMPT: ("p", "prompt", "z"),
    Sort.TIME: ("t", "s"),
    Sort.TASK: ("mu", "w"),
}
FREE = {
    sort: tuple(Variable(n, sort, REALS if sort is Sort.REAL else None) for n in names)
    for sort, names in NAMES.items()
}
ENDS = (*(Variable(n, range=whole(1)) for n in "dm"), LENGTH)
I, K, Q, T, W = Sort.INDEX, Sort.TOKEN, Sort.QUERY, Sort.TIME, Sort.TASK
ORDER = F(4)
FUNCTIONS = (
    *(Function(n, (I,)) for n in ("f", "y", "z", "g", "Z", "f_i", "P2", "P_2")),
    *(Function(n, (I, I)) for n in ("f", "z", "Z", "P")),
    *(Function(n, (K,), ORDER) for n in ("f", "b", "b_", "b'", "time")),
    *(Function(n, (I, K), ORDER) for n in ("f", "z", "x", "P2", "log W")),
    Function("f", (I, I, K), ORDER),
    *(Function(n, (Q,), ORDER) for n in ("f", "b")),
    *(Function(n, (I, Q), ORDER) for n in ("y", "x", "z")),
    GAUSSIAN,
    *(Function(n, (T,), F(1)) for n in ("u", "b")),
    CLOCK,
    Function("b", (T,), F(1)).rate,
    Function("f", (I, T), F(1)),
    *(Function(n, (W,)) for n in ("f", "s")),
    *(Function(n, (W, I)) for n in ("f", "s")),
    *(Function(n, (W, K), ORDER) for n in ("f", "b")),
    *(Function(n, (W, I, K), ORDER) for n in ("f", "z")),
    Function("x", (W, I, Q), ORDER),
)
BINDERS = {"mean": 1, "query": 1, "normal": 1, "prompt": 1, "task": 1, "sum": 2, "coordinates": 2}
SORTS = dict(mean=K, query=Q, normal=Sort.NORMAL, prompt=Sort.PROMPT, task=W, sum=K, coordinates=I)
printed = lambda e: latex(e) + where_latex(e)


def random_term(rng: random.Random, depth: int) -> Term:
    """A term of any kind with the variables above, of which binders take some."""
    if depth == 0:
        kind = rng.random()
        if kind < 0.15:
            return number(F(rng.randint(-2, 3), rng.choice((1, 1, 2))))
        if kind < 0.3:
            return rng.choice((*FREE[Sort.REAL], *ENDS))
        f = rng.choice(FUNCTIONS)
        value = f(*(rng.choice((*FREE[s], START) if s is T else FREE[s]) for s in f.sorts))
        return Given(next(iter(value.tasks)), value) if value.tasks else value
    if rng.random() < 0.5:
        kind = rng.choice(list(BINDERS))
        count = rng.randint(1, BINDERS[kind])
        heads: tuple[Variable, ...] = (
            tuple(rng.choice(ENDS) for _ in range(count)) if kind == "coordinates" else ()
        )
        heads = (rng.choice(FREE[Sort.PROMPT]),) if kind == "sum" else heads
        return bind(kind, tuple(rng.sample(FREE[SORTS[kind]], count)), random_term(rng, depth - 1), heads)
    a, b = random_term(rng, depth - 1), random_term(rng, rng.randrange(depth))
    made = rng.randrange(9)
    heads_ = (Op("max", (a, b)), Op("ind", (a,)), Op("above", (a,)), exp(a), Defined(rng.choice("AB"), a))
    return heads_[made] if made < 5 else (a + b, a - b, a * b, a ** rng.choice((2, 3)))[made - 5]


def moved(e: Term, rng: random.Random) -> Iterator[Term]:
    """Terms that differ from this one in one place: a variable, a function, a number, a binder."""
    if isinstance(e, Number):
        yield Number(e.value + 1)
    elif isinstance(e, Variable):
        others = ENDS if e in ENDS else FREE[e.sort]
        yield rng.choice([v for v in others if v != e])
    elif isinstance(e, Apply):
        for n, a in enumerate(e.args):
            if isinstance(a, Variable):
                yield from (
                    Apply(e.function, (*e.args[:n], b, *e.args[n + 1 :])) for b in moved(a, rng) if a != START
                )
        alike = [g for g in FUNCTIONS if g.sorts == e.function.sorts and g != e.function]
        yield from (Apply(g, e.args) for g in rng.sample(alike, min(2, len(alike))))
        if e.function.sorts in ((I,), (K,), (Q,), (W,), (T,)) and isinstance(e.args[0], Variable):
            yield Variable("f_i", range=REALS)
            others = [g for g in FUNCTIONS if g.sorts in ((I,), (T,), (W,)) and g.sorts != e.function.sorts]
            g = rng.choice(others)
            yield g(FREE[g.sorts[0]][0])
    elif isinstance(e, Op):
        for n, a in enumerate(e.args):
            if e.head != "pow" or n == 0:
                yield from (Op(e.head, (*e.args[:n], b, *e.args[n + 1 :])) for b in moved(a, rng))
        if e.head in ("ind", "above", "max", "min"):
            yield Op({"ind": "above", "above": "ind", "max": "min", "min": "max"}[e.head], e.args)
        if e.head == "exp":
            yield Variable("e", range=REALS) ** e.args[0]
    elif isinstance(e, Defined):
        yield from (Defined(e.name, b) for b in moved(e.body, rng))
        yield e.body
    elif isinstance(e, Given):
        others = [w for w in FREE[W] if w != e.task and isinstance(e.task, Variable)]
        yield from (Given(w, instantiated(e.body, {e.task: w})) for w in others)
        yield from (Given(e.task, b) for b in moved(e.body, rng))
    elif isinstance(e, Bind):
        names, body = opened(e)
        for n, h in enumerate(e.heads):
            yield from (
                bind(e.kind, names, body, (*e.heads[:n], b, *e.heads[n + 1 :])) for b in moved(h, rng)
            )
        yield from (bind(e.kind, names, b, e.heads) for b in moved(body, rng))
        if e.count == 2:
            inner = bind(e.kind, names[1:], body, e.heads[-1:])
            yield bind(e.kind, names[:1], inner, e.heads[:1])
        else:
            yield bind(e.kind, names, body * rng.choice(FREE[Sort.REAL]), e.heads)
        if e.kind == "sum":
            yield bind("mean", names[:1], bind("mean", names[1:], body) if e.count == 2 else body)


def pairs(seed: int, count: int) -> Iterator[tuple[Term, Term]]:
    rng = random.Random(seed)
    for _ in range(count):
        try:
            e = random_term(rng, rng.choice((1, 2, 2, 3)))
        except ProofError:
            continue
        others = moved(e, rng)
        while True:
            try:
                yield e, next(others)
            except StopIteration:
                break
            except ProofError:  # a term that the change makes malformed, which ends the generator
                break


def same(a: Term, b: Term) -> bool:
    try:
        return a == b or normal_form(a) == normal_form(b)
    except ProofError:
        return False


def test_terms_that_print_alike_are_equal():
    seen: dict[str, Term] = {}
    alike = []
    for e in chain.from_iterable(pairs(0, 1200)):
        other = seen.setdefault(printed(e), e)
        if not same(other, e):
            alike.append((str(other), str(e), printed(e)))
    assert not alike, alike[0]
    assert len(seen) > 2000


@pytest.mark.parametrize(
    "forgotten",
    [
        r"=1\}\^\{[^}]*\}",  # where a sum ends
        r"\\quad\\text\{for every .*",
        r"\\quad\\text\{with .*",
        r"\\_|\\mathrm|\\text|(?<=_{)\(|\)(?=})",  # what tells names apart
        r"'",
        r"\\geq|>",
    ],
)
def test_what_is_printed_is_needed(forgotten):
    """Without any of it some of these terms would print alike: the test above would see that."""
    short = lambda e: re.sub(forgotten, "", printed(e))
    assert any(short(a) == short(b) and not same(a, b) for a, b in pairs(0, 1200))


def test_the_names_of_bound_variables_do_not_matter():
    rng = random.Random(1)
    for e, _ in pairs(2, 300):
        if isinstance(e, Bind):
            names, body = opened(e)
            fresh = tuple(Variable(f"name{rng.randrange(10**6)}_{n}", v.sort) for n, v in enumerate(names))
            again = bind(e.kind, fresh, instantiated(body, dict(zip(names, fresh, strict=True))), e.heads)
            assert printed(again) == printed(e)


@pytest.mark.parametrize(("name", "spoken"), [("u_1", "u₍₁₎"), ("c_10", "c₍₁₀₎"), ("u1", "u₁")])
def test_a_terminal_shows_no_underscore_of_a_name_with_a_number(name, spoken):
    assert as_unicode(f"${of_a_name(name)}$") == spoken


def test_formulas_are_latex():
    for e, _ in pairs(3, 60):
        assert convert(printed(e)).startswith("<math")


told = lambda t: (relation(t.lhs, t.op, t.rhs) + where_latex(t.lhs, t.rhs), assumptions_latex(t))


def theorems() -> Iterator[Theorem]:
    x, y, a = (Variable(n, range=REALS) for n in "xya")
    one = F(1)
    ranges = (POSITIVE, NONNEGATIVE, Range(F(0), one), Range(None, one), Range(one), whole(1), whole(2))
    for of in (REALS, *ranges):
        yield equal(Variable("x", range=of), Variable("x", range=of))
        yield assume("all", 0, "<=", 1, every=(Variable("x", range=of),))
    for op in ("<=", "<", "=="):
        yield assume("one", x, op, y)
    yield from (assume("two", x, "<=", y), assume("one", y, "<=", x), assume("one", x, "<=", y, every=(x,)))
    yield from (assume("one", x, "<=", y, every=(y,)), assume("one", x, "<=", y, every=(x, y)))
    yield from (assume("one", x, "<=", y, cited=True), assume("one", x, "<=", y, argument="so it is"))
    yield assume("argued one", x, "<=", y)
    yield from (assume("given one", x, "<=", y), assume("one", x, "<=", y, every=(x, a)))
    k, t, w, i = (FREE[s][0] for s in (K, T, W, I))
    for order in (F(0), F(2), F(4), None):
        f = Function("f", (K,), order)
        yield from (equal(f(k), f(k)), assume("one", f(k), "<=", 1, every=(k,)))
    for order in (F(0), F(1)):
        for at in ((T,), (W, T)):
            u = Function("u", at, order)
            value = u(*(w, t)[-len(at) :])
            yield from (equal(value, value), assume("one", value, "<=", 1, every=(w, t)[-len(at) :]))
    for body in (x, y, x + 1):
        yield assume("one", Defined("A", body), "<=", 1)
        yield arithmetic(Defined("A", body), "<=", Defined("A", body) + 1)
    v = Function("b", (I,))
    yield from (assume("one", v(i), "<=", 1, every=(v, i)), assume("one", v(i), "<=", 1, every=(i,)))
    yield assume("one", x, "<=", 1, every=(Function("b", (I, I)),))
    yield from (
        assume("one", x, "<=", 1, every=(Variable("b", sort),))
        for sort in (I, K, Q, T, W, Sort.NORMAL, Sort.PROMPT)
    )
    yield from (assume("one", x, "<=", 1), assume("one", x, "<=", 1, every=(v,)))
    yield from (equal(x, x), equal(CLOCK(Variable("x", T)), CLOCK(Variable("x", T))))


def test_theorems_that_print_alike_are_the_same():
    """Ranges, orders, relations, what a hypothesis is said for, and who says it are printed."""
    seen: dict[Any, str] = {}
    for thm in theorems():
        functions = sorted((g.name, g.sorts, str(g.order)) for g in thm.functions)
        what = repr((thm.lhs, thm.op, thm.rhs, sorted(map(repr, thm.assumptions)), functions))
        assert seen.setdefault(told(thm), what) == what, told(thm)
