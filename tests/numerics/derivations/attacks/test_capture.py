"""What may be put is put without a capture; what may not is in `attacks_of_capture`."""

import random
from collections.abc import Callable

import pytest

from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, at_task, equal, exchange, gcongr, instantiate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Function, Given, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.worlds import World, holds, meets
from tests.numerics.derivations.attacks.attacks_of_capture import (
    CAPTURE,
    E,
    K,
    M,
    R,
    U,
    below_all,
    chosen,
    eps,
    every_index,
    f,
    f2,
    f2w,
    fw,
    i,
    j,
    k,
    l,
    n,
    p,
    sw,
    tied,
    v,
    v2,
    vw,
    w,
    x,
    y,
)

larger = arithmetic(x - 2 * y, "<=", x - 2 * y + n)
g = Function("g", f.sorts, f.order)
#: A use, and a term that stands in what it makes.
USES: dict[str, tuple[Callable[[], Theorem], Term]] = {
    "two numbers exchanged": (lambda: instantiate(larger, {x: y, y: x}), y - 2 * x),
    "two numbers exchanged at a task": (
        lambda: at_task(larger, w, {x: y, y: x + sw(w)}),
        Given(w, y - 2 * (x + sw(w))),
    ),
    "one number after the other": (
        lambda: instantiate(instantiate(larger, {x: y}), {y: x + y}),
        (x + y) - 2 * (x + y),
    ),
    "two functions exchanged": (
        lambda: instantiate(equal(M(f(k) - g(k)), M(f(k)) - M(g(k))), {f: ((k,), g(k)), g: ((l,), f(l))}),
        M(g(k) - f(k)),
    ),
    "a function in a value, exchanged": (
        lambda: instantiate(larger, {x: v(i), v: ((i,), v2(i)), v2: ((i,), v(i))}),
        v2(i) - 2 * y,
    ),
    "a free token under the mean of another": (
        lambda: instantiate(equal(M(f(l) * x, l), M(f(k)) * x), {x: f(k)}),
        M(f(l) * f(k), l),
    ),
    "a function at a free token": (
        lambda: instantiate(equal(M(v(i) * f(k)), v(i) * M(f(k))), {v: ((i,), f(k))}),
        M(f(k) * f(l), l),
    ),
    "a function at its own hole and a free index": (
        lambda: instantiate(equal(M(v(i) * f(k)), v(i) * M(f(k))), {v: ((i,), v(i) * v2(j))}),
        v(i) * v2(j),
    ),
    "means, the inner one outside": (lambda: exchange(M(M(f(l) ** 2, l))), M(M(f(k) ** 2), l)),
    "means of a task and a token": (
        lambda: exchange(bind("task", (w,), M(f(k) ** 2 * sw(w) ** 2))),
        M(bind("task", (w,), f(k) ** 2 * sw(w) ** 2)),
    ),
    "a premise on a fixed token under a mean": (
        lambda: gcongr(M(f(l) * 0 + n, l), arithmetic(n, "<=", n + 1)),
        M(f(l) * 0 + (n + 1), l),
    ),
    "a premise under two means of one kind": (
        lambda: gcongr(E(U(M(n * f(k) ** 2))), arithmetic(n, "<=", n + 1)),
        E(U(M((n + 1) * f(k) ** 2))),
    ),
    "a hypothesis for all indices at a task": (
        lambda: at_task(every_index(), w, {f2: f2w, n: sw(w) ** 2}),
        Given(w, M(f2w(w, j, k) ** 2)),
    ),
    "a function of indices at a task": (
        lambda: at_task(equal(bind("prompt", (p,), v(i)), v(i)), w, {v: vw}),
        Given(w, vw(w, i)),
    ),
}
parts = lambda e: [e, *(part for a in getattr(e, "args", ()) for part in parts(a))]


@pytest.mark.parametrize("name", USES)
def test_what_is_put_is_not_captured(name):
    make, wanted = USES[name]
    made = make()
    assert wanted in [*parts(made.lhs), *parts(made.rhs)]
    tried = 0
    for seed in range(30):
        world = World(random.Random(seed), length=1 + seed % 3, size=1 + seed % 2)
        if all(meets(a, world) for a in made.assumptions):
            assert holds(made, world)
            tried += 1
    assert tried


def test_a_hypothesis_on_all_numbers_stays_one():
    """ "R <= x for every x" at a task is what no number meets, and not a triviality."""
    (a,) = at_task(below_all(), w, {R: sw(w) + y}).assumptions
    assert {v.name for v in a.every} == {"x", "w"}
    assert not any(meets(a, World(random.Random(seed)), linear=True) for seed in range(10))


def test_a_chosen_number_may_bound_what_comes_later():
    """The number of tokens, or a new one, may be large against it; so may the mean of a new law."""
    later = Variable("later", range=POSITIVE)
    for made in (
        tied(K, "<=", L),
        tied(K / eps, "<=", later),
        tied(M(g(k)), "<=", K),
        tied(E(U(f(k)) ** 2), "<=", K),
        at_task(chosen(), w, {f: fw, K: 1 + sw(w) ** 2}),
    ):
        assert len(made.assumptions) > 1
    expected = set(CAPTURE)
    assert {"a chosen number below a number", "a chosen number above what it was chosen against"} <= expected
