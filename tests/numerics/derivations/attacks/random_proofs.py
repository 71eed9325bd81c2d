"""Random derivations in hostile contexts, of which every theorem is evaluated in finite worlds;
`python -m benchmarks.kernel_soundness` makes as many as one likes.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

from numerics.derivations.derived import cauchy_schwarz, chain, exp, log, sqrt
from numerics.derivations.kernel.binding import bind, instantiated, opened
from numerics.derivations.kernel.normal_form import normal_form
from numerics.derivations.kernel.rules import (
    arithmetic,
    assume,
    at_task,
    choose,
    equal,
    exchange,
    gcongr,
    instantiate,
    integrate,
    limit,
    trans,
)
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, ProofError, Sort
from numerics.derivations.kernel.terms import Bind, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.kernel.values import check_defined, nonnegative
from numerics.derivations.worlds import Undecided, World, holds, meets
from tests.numerics.derivations.attacks.probes import f, g, i, k, m, p, random_term, st, task, u, v

__all__ = ["false_theorems", "theorems"]

x, y, n, s = (
    Variable(name, range=of)
    for name, of in (("x_", REALS), ("y_", REALS), ("n_", NONNEGATIVE), ("s_", POSITIVE))
)
delta, K = (Variable(name, range=POSITIVE) for name in ("delta_", "K_"))
j = Variable("j", Sort.INDEX)
vt = Function("v_task", (Sort.TASK, Sort.INDEX))
HEADS = {"mean": (k, ()), "sum": (k, (p,)), "prompt": (p, ()), "coordinates": (i, (m,))}
SECOND = assume("second", bind("mean", (k,), f(k) ** 2), "<=", n)
SEEDS: tuple[Callable[[], Theorem], ...] = (
    lambda: arithmetic(2 * x * y, "<=", x**2 + y**2),
    lambda: arithmetic((x + y) ** 2, "<=", 2 * x**2 + 2 * y**2),
    lambda: arithmetic(1 + x, "<=", exp(x)),
    lambda: arithmetic(-n, "<", s),
    lambda: arithmetic(n / (s + n), "<", 1),
    lambda: arithmetic(log(1 + n), "<=", n),
    lambda: arithmetic(Op("ind", (n - s,)), "<=", n / s),
    lambda: arithmetic(Op("above", (x,)) * y, "<=", n + y**2 / 4 + 1),
    lambda: arithmetic(Op("max", (x, y)), "<=", x**2 + y**2 + 1),
    lambda: arithmetic(x, "<=", x + delta * s),
    lambda: assume("premise", x, "<=", y),
    lambda: SECOND,
    lambda: assume("tokens", f(k) * g(k), "<=", s, every=(k,)),
    lambda: assume("coordinates", v(i) ** 2, "<=", n, every=(i,)),
    lambda: assume("both", bind("mean", (k,), u(i, k)) * x, "<=", n + 1, every=(i,)),
    lambda: assume("numbers", y, "<=", x + n, every=(x,)),
    lambda: assume("all numbers", y * x - s, "<=", n * s, every=(x, y)),
)
#: What may stand in place of a number, at a task or not; a hypothesis may be said for all of it.
VALUES = [x, y, x, y, n, v(i), v(j), x - y, term(-1), term(0)]
OF_A_TASK = [*VALUES, st(task), vt(task, i), x * st(task), y + st(task)]
_random = lambda rng: random_term(rng, rng.choice((1, 2, 2)), token=True, prompt=True)


def _around(rng: random.Random, e: Term) -> Term:
    """The term at a place where it rises, falls, or does neither."""
    c = term(Fraction(rng.randint(-2, 3), rng.choice((1, 2))))
    places: tuple[Callable[[], Term], ...] = (
        lambda: e + _random(rng),
        lambda: c * e,
        lambda: _random(rng) * e,
        lambda: exp(-e / 4) * s,
        lambda: 1 / (1 + e),
        lambda: e**2,
        lambda: sqrt(e),
        lambda: Op(rng.choice(("max", "min")), (e, c)),
        lambda: Op(rng.choice(("ind", "above")), (e - c,)),
        lambda: bind(*(lambda kind: (kind, (HEADS[kind][0],), e, HEADS[kind][1]))(rng.choice(list(HEADS)))),
    )
    return rng.choice(places)()


def _values(rng: random.Random, of: list[Term]) -> dict[Variable, Term]:
    some = {z: rng.choice(of) for z in (x, y, n, s) if rng.random() < 0.5}
    return {z: e if z in (x, y) else e**2 if z == n else 1 + e**2 for z, e in some.items()}


def _at_a_task(rng: random.Random, thm: Theorem) -> Theorem:
    """The theorem at a task, after a special case of what its hypotheses say of all values."""
    said = sorted({z for a in thm.assumptions for z in a.every if z in (i, x, y)}, key=str)
    thm = instantiate(thm, {z: j if z == i else rng.choice(VALUES) for z in said})
    made = {h: Function(f"{h.name}_w", (Sort.TASK, *h.sorts), h.order) for h in thm.functions}
    made |= {v: vt} if rng.random() < 0.5 else {}
    out = at_task(thm, task, {**made, **_values(rng, OF_A_TASK)})
    averaged = nonnegative(out.lhs) and thm.op != "<" and rng.random() < 0.5
    return integrate("task", (task,), out) if averaged else out


def _chosen(rng: random.Random, made: list[Theorem], against: Term) -> Theorem:
    of_means = [thm for thm in (*made, SECOND) if isinstance(thm.lhs, Bind) and thm.lhs.kind == "mean"]
    bound = rng.choice(of_means)
    (token,), body = opened(bound.lhs)
    X = instantiated(body, {token: k})
    return choose("K is large", bound, (k,), X, against, K, rng.choice((delta, s, delta * s)))


def _step(rng: random.Random, made: list[Theorem]) -> Theorem:
    thm, other = rng.choice(made), rng.choice(made)
    kind = rng.choice(list(HEADS))
    simple = rng.choice([f(k), g(k) ** 2, v(i), exp(f(k) / 2), f(k) - bind("mean", (k,), f(k))])
    value = rng.choice((simple, simple, _random(rng)))
    rules: tuple[Callable[[], Theorem], ...] = (
        lambda: instantiate(thm, {rng.choice((x, y, n, s)): value}),
        lambda: instantiate(thm, {x: value, n: value**2}),
        lambda: instantiate(thm, _values(rng, VALUES)),
        lambda: _chosen(rng, made, rng.choice((f(k), g(k) - x, n * f(k)))),
        lambda: integrate(kind, (HEADS[kind][0],), thm, HEADS[kind][1]),
        lambda: gcongr(_around(rng, thm.lhs), thm),
        lambda: gcongr(_around(rng, thm.rhs), thm),
        lambda: chain(thm, gcongr(_around(rng, thm.rhs), other)),
        lambda: trans(thm, equal(thm.rhs, normal_form(thm.rhs, rng.random() < 0.5))),
        lambda: limit(thm, delta, normal_form(instantiate(thm, {delta: s}).lhs), s),
        lambda: arithmetic(thm.lhs + other.lhs, "<=", thm.rhs + other.rhs, thm, other, effort=2_000),
        lambda: arithmetic(thm.lhs * n, "<=", thm.rhs * n, thm, effort=2_000),
        lambda: cauchy_schwarz(kind, (HEADS[kind][0],), simple, g(k), HEADS[kind][1]),
        lambda: exchange(bind("mean", (k,), bind("prompt", (p,), value**2))),
        lambda: _at_a_task(rng, thm),
    )
    return rng.choice(rules)()


def theorems(seed: int, count: int) -> Iterator[Theorem]:
    """Made by `count` attempts, and five times as many to rewrite a hypothesis at a task."""
    rng = random.Random(seed)
    made = [make() for make in SEEDS]
    said = [thm for thm in made if any(a.every for a in thm.assumptions)]
    for n in range(6 * count):
        try:
            if n % 6:
                new = _at_a_task(rng, rng.choice(said))
            else:
                new = _step(rng, made[-30:] if rng.random() < 0.5 else made)
            check_defined(new.rhs)
        except ProofError:
            continue
        if len(str(new)) < 400:
            made += [] if n % 6 else [new]
            yield new


def false_theorems(seed: int, count: int, worlds: int = 6) -> tuple[list[str], Counter[str]]:
    found, tried = [], Counter[str]()
    for thm in theorems(seed, count):
        for number in range(worlds):
            world = World(random.Random(f"{seed} {number}"), length=1 + number % 3, size=1 + number % 2)
            try:
                if all(meets(a, world, linear=True) for a in thm.assumptions):
                    tried[thm.rule] += 1
                    if not holds(thm, world):
                        found.append(f"{thm.rule}: {thm}")
                        break
            except (Undecided, ZeroDivisionError, OverflowError):
                continue
    return found, tried
