"""Uses of the rules, and random terms, evaluated in finite worlds, for every wrong rule afresh."""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from flint import arb

from numerics.derivations.derived import cauchy_schwarz, chain, exceeds, exp, log, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.flows import derivative, up_to
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.normal_form import normal_form
from numerics.derivations.kernel.rules import (
    antitone,
    arithmetic,
    assume,
    at_task,
    begin,
    continuation,
    equal,
    gcongr,
    independent,
    instantiate,
    integrate,
    limit,
    trans,
    until,
)
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, ProofError, Range, Sort, whole
from numerics.derivations.kernel.terms import CLOCK, START, Function, Given, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.kernel.values import nonnegative, positive
from numerics.derivations.worlds import Undecided, World, holds, meets

k, l = Variable("k", Sort.TOKEN), Variable("l", Sort.TOKEN)
i, p, q = Variable("i", Sort.INDEX), Variable("p", Sort.PROMPT), Variable("zq", Sort.QUERY)
m = Variable("m", range=whole(1))
x, y = (Variable(name, range=REALS) for name in ("x", "real_y"))
t, eps = Variable("tt", range=POSITIVE), Variable("eps", range=POSITIVE)
n = Variable("n", range=NONNEGATIVE)
unit = Variable("unit", range=Range(Fraction(0), Fraction(1), False, False))
f, g = Function("f", (Sort.TOKEN,), None), Function("g", (Sort.TOKEN,), None)
v, u = Function("v", (Sort.INDEX,)), Function("w", (Sort.INDEX, Sort.TOKEN), None)
h = Function("h", (Sort.QUERY,), None)
now, task = Variable("now", Sort.TIME), Variable("task", Sort.TASK)
path, other = (Function(name, (Sort.TIME,), Fraction(1)) for name in ("path", "other"))
moving = Function("moving", (Sort.INDEX, Sort.TIME), Fraction(1))
ft, gt = (Function(name, (Sort.TASK, Sort.TOKEN), None) for name in ("f_task", "g_task"))
st = Function("s_task", (Sort.TASK,), None)
M = lambda body, over=k: bind("mean", (over,), body)
E = lambda body: bind("prompt", (p,), body)
S = lambda body, *over: bind("sum", over or (k,), body, (p,))
C = lambda body: bind("coordinates", (i,), body, (m,))


def random_term(rng: random.Random, depth: int, token: bool = False, prompt: bool = False) -> Term:
    """A term in which hostile parts are likely: unknown signs, denominators, events, binders."""
    again = lambda **more: random_term(rng, depth - 1, **{"token": token, "prompt": prompt, **more})
    if depth <= 0:
        leaves: list[Any] = [x, t, n, m, L, term(Fraction(rng.randint(-2, 3), rng.choice((1, 2))))]
        return rng.choice([*leaves, *([f(k), g(k), f(k)] if token else [])])
    choice = rng.randrange(14)
    if choice < 2:
        return again() + again()
    if choice < 4:
        return again() * again()
    if choice == 4:
        return again() ** rng.choice((2, 2, 3))
    if choice == 5:
        return exp(again() / 4)
    if choice == 6:
        return Op(rng.choice(("ind", "above")), (again(),))
    if choice == 7:
        return 1 / (1 + again() ** 2)
    if choice == 8:
        return Op(rng.choice(("max", "min")), (again(), again()))
    if choice == 9:
        return sqrt(again() ** 2 + rng.randint(0, 1))
    if choice == 10:
        return M(again(token=True))
    if choice == 11:
        return C(v(i) * again() + rng.randint(0, 1))
    if choice == 12 and prompt:
        return S(again(token=True))
    return E(again(prompt=True) * S(again(token=True, prompt=True)))


def normal_forms(seed: int, count: int = 120) -> Iterator[tuple[Term, Term]]:
    """Random terms that the kernel accepts, and their normal forms."""
    rng = random.Random(seed)
    for _ in range(count):
        e = random_term(rng, rng.choice((2, 3, 4)))
        try:
            equal(e, e)
            yield e, normal_form(e, rng.random() < 0.5)
        except ProofError:
            continue


premise = lambda lhs, rhs: assume("premise", lhs, "<=", rhs)


def fallen(e: Term) -> Theorem:
    """What a derivative that is never positive says; the worlds where it is not do not count."""
    return antitone(e, now, assume("falls", derivative(e, now), "<=", 0, every=(now,)))


T = lambda body: bind("task", (task,), body)
G = lambda body: Given(task, term(body))


def continued(most: Any, least: Any, start: Theorem) -> Theorem:
    """A continuation of path <= most, from path <= least under it."""
    kept = assume("kept", path(now), "<=", most, every=(now,))
    inside = arithmetic(path(now), "<=", least, kept)
    (barrier,) = kept.assumptions
    return continuation(barrier, now, inside, arithmetic(least, "<=", most), start, inside)


#: By the name of a use: what should be refused or true.
USES: dict[str, Callable[[], Theorem]] = {
    "the square of a sum": lambda: equal(E(S(f(k)) ** 2), L * M(f(k) ** 2) + L * (L - 1) * M(f(k)) ** 2),
    "a square without its diagonal": lambda: equal(E(S(f(k)) ** 2), L**2 * M(f(k)) ** 2),
    "two sums": lambda: equal(E(S(f(k)) * S(g(k))), L * M(f(k) * g(k)) + L * (L - 1) * M(f(k)) * M(g(k))),
    "two independent sums": lambda: equal(E(S(f(k)) * S(g(k))), L**2 * M(f(k)) * M(g(k))),
    "an exponential of a sum": lambda: equal(E(exp(S(f(k)))), M(exp(f(k))) ** L),
    "pairs": lambda: equal(S(1, k, l), L**2 - L),
    "all pairs": lambda: equal(S(1, k, l), L**2),
    "a mean of a square": lambda: equal(M((f(k) - M(f(k), k)) ** 2), M(f(k) ** 2) - M(f(k)) ** 2),
    "a square of a mean": lambda: equal(M(f(k)) ** 2, M(f(k) ** 2)),
    "a product of coordinates": lambda: equal(C(v(i)) ** 2, C(v(i) ** 2)),
    "coordinates of a number": lambda: equal(C(1), m),
    "a position that is not used": lambda: equal(S(f(k), k, l), L * S(f(k))),
    "an event twice": lambda: equal(Op("ind", (x,)) * Op("ind", (x,)), 1),
    "a logarithm of two primes": lambda: equal(log(6), log(2)),
    "an exponential of a sum over one token": lambda: equal(E(exp(S(f(k)))), M(exp(f(k)))),
    "an event and its complement": lambda: arithmetic(Op("above", (x,)) * x, "<=", 0),
    "a bound as a value": lambda: arithmetic(t, "<=", n, premise(n, t)),
    "a chain of weak inequalities": lambda: trans(arithmetic(L, "<=", L), arithmetic(L, "<=", L)),
    "roots": lambda: equal(sqrt(x**2), x),
    "roots of positive numbers": lambda: equal(sqrt(t**2), t),
    "an indicator as its square": lambda: equal(Op("ind", (x,)) ** 2, Op("ind", (x,))),
    "an open and a closed event": lambda: equal(Op("above", (-x,)), 1 - Op("ind", (x,))),
    "a scaled event": lambda: equal(Op("ind", (2 * x,)), Op("ind", (x,))),
    "a reflected event": lambda: equal(Op("ind", (-2 * x,)), Op("ind", (x,))),
    "a logarithm of a product": lambda: equal(log(2 * t**2), log(2) + 2 * log(t)),
    "a logarithm of a quotient": lambda: equal(log(t / 6), log(t) - log(2) - log(3)),
    "powers of numbers": lambda: equal(term(Fraction(8, 9)) ** Fraction(1, 2), 2 * sqrt(2) / 3),
    "cases of an indicator": lambda: arithmetic(x, "<=", Op("ind", (x,)) * x),
    "the end of a range": lambda: arithmetic(Op("ind", (-n,)), "<=", 0),
    "the other end of a range": lambda: arithmetic(Op("ind", (unit - 1,)), "<=", 0),
    "cases of two indicators": lambda: arithmetic(Op("ind", (x,)) + Op("ind", (-x,)), "<=", 1),
    "excluded cases": lambda: arithmetic(Op("ind", (x - 1,)) + Op("ind", (-x,)), "<=", 1),
    "a premise": lambda: arithmetic(2 * n, "<=", 2 * unit + n, premise(n, n)),
    "an upper bound as a value": lambda: arithmetic(n + 1, "<=", x**2 + 1, premise(x**2, x**2 + n)),
    "a lower bound used above": lambda: arithmetic(x, "<=", 0, premise(-x, x**2)),
    "a product with an unknown sign": lambda: arithmetic(n, "<=", t, premise(x * n, x * t)),
    "a whole number of one value": lambda: arithmetic(m, "<=", 1, premise(m, m + Fraction(1, 2))),
    "a whole number below two": lambda: arithmetic(Op("above", (2 - L,)) * L, "<=", 1),
    "a whole number below three": lambda: arithmetic(Op("above", (3 - L,)) * L, "<=", 1),
    "a strict inequality at its bound": lambda: arithmetic(n, "<", n + unit),
    "a value out of its range": lambda: instantiate(arithmetic(-t, "<", 0), {t: x}),
    "a value at the end of its range": lambda: instantiate(arithmetic(0, "<", t), {t: n}),
    "a number beyond its range": lambda: instantiate(arithmetic(unit, "<=", 1), {unit: t}),
    "a chain with a gap": lambda: trans(arithmetic(x - 1, "<", x), arithmetic(x - 2, "<", x - 1)),
    "the mean of an inequality": lambda: integrate(
        "mean", (k,), instantiate(arithmetic(2 * x, "<=", x**2 + 1), {x: f(k)})
    ),
    "a sum of an inequality": lambda: integrate(
        "sum", (k, l), instantiate(arithmetic(2 * x, "<=", x**2 + 1), {x: f(k)}), (p,)
    ),
    "the limit": lambda: limit(arithmetic(x, "<=", x + eps), eps, x, 1),
    "the limit of a term that grows": lambda: limit(arithmetic(eps, "<=", 2 * eps), eps, 0, 2),
    "a limit that keeps its number": lambda: limit(equal(n + eps, n + eps), eps, n, 1),
    "a replaced denominator": lambda: gcongr(1 / (1 + n), arithmetic(n, "<=", n + 1)),
    "a replaced factor": lambda: gcongr(-n * t, arithmetic(n, "<=", n + 1)),
    "a replaced square": lambda: gcongr(x**2, arithmetic(x, "<=", x + 1)),
    "a replaced product of unknown signs": lambda: gcongr(x * y, arithmetic(x, "<=", x + 1)),
    "a replaced exponential": lambda: gcongr(exp(-x), arithmetic(x, "<=", x + 1)),
    "Cauchy-Schwarz": lambda: cauchy_schwarz("mean", (k,), f(k), g(k)),
    "Markov": lambda: exceeds(
        "mean", (k,), f(k) ** 2, arithmetic(M(f(k) ** 2), "<=", M(f(k) ** 2) + n), unit / 2 + Fraction(1, 4)
    ),
    "a function at another": lambda: instantiate(equal(E(S(f(k))), L * M(f(k))), {f: ((k,), g(k) ** 2 + x)}),
    "a bound name": lambda: instantiate(equal(M(f(k) - x), M(f(k)) - x), {x: g(k)}),
    "a fall": lambda: fallen(path(now)),
    "a fall of a square": lambda: fallen(path(now) ** 2),
    "a fall of a cube": lambda: fallen(path(now) ** 3 + other(now)),
    "a fall of a product": lambda: fallen(path(now) * other(now)),
    "a fall of an exponential": lambda: fallen(exp(path(now) - other(now) ** 2)),
    "a fall of a negative exponential": lambda: fallen(-exp(path(now) / 2)),
    "a fall of a negative logarithm": lambda: fallen(-2 * log(1 + path(now) ** 2) + other(now)),
    "a fall of a quotient": lambda: fallen((2 + path(now)) / (1 + other(now) ** 2)),
    "a fall of a logarithm": lambda: fallen(log(1 + path(now) ** 2) - log(2 + other(now) ** 2)),
    "a fall of a root": lambda: fallen(sqrt(1 + path(now) ** 2) + other(now)),
    "a fall of a sum over coordinates": lambda: fallen(bind("coordinates", (i,), moving(i, now) ** 2, (m,))),
    "a fall with the clock": lambda: fallen(path(now) - 2 * CLOCK(now)),
    "a fall where the rate is bounded": lambda: antitone(
        path(now), now, assume("falls", path.rate(now), "<=", 1, every=(now,))
    ),
    "a fall since a time": lambda: antitone(
        path(now), now, assume("falls", path.rate(now), "<=", 0, every=(now,)), Variable("s", Sort.TIME)
    ),
    "the first time": begin,
    "a barrier without room": lambda: continued(1, 1, assume("start", path(START), "<=", 1)),
    "a barrier from outside": lambda: continued(2, 1, equal(path(START), path(START))),
    "a hypothesis up to a time": lambda: until(
        antitone(path(now), now, assume("falls", path.rate(now), "<=", 0, every=(now,))),
        t,
        assume("early", up_to(t, path.rate(now)), "<=", up_to(t, 0, now), every=(now,)),
    ),
    "inequality at a task": lambda: at_task(arithmetic(2 * M(f(k)), "<=", M(f(k)) ** 2 + 1), task, {f: ft}),
    "a hypothesis at a task": lambda: at_task(assume("E f^2 <= n", M(f(k) ** 2), "<=", n), task, {f: ft}),
    "a hypothesis on all tokens at a task": lambda: at_task(
        assume("f <= n", f(k), "<=", n, every=(k,)), task, {f: ft, n: st(task) ** 2}
    ),
    "a mean over tasks": lambda: integrate(
        "task", (task,), at_task(arithmetic(0, "<=", M(f(k) ** 2)), task, {f: ft})
    ),
    "a variance of a task": lambda: at_task(
        equal(M((f(k) - M(f(k), k)) ** 2), M(f(k) ** 2) - M(f(k)) ** 2), task, {f: ft}
    ),
    "a square of a sum of a task": lambda: equal(
        G(E(S(ft(task, k)) ** 2)), L * G(M(ft(task, k) ** 2)) + L * (L - 1) * G(M(ft(task, k))) ** 2
    ),
    "product given a task": lambda: equal(G(x * st(task) * M(ft(task, k))), x * st(task) * G(M(ft(task, k)))),
    "a mean of a product over tasks": lambda: equal(
        T(st(task) ** 2 * G(M(ft(task, k) ** 2))), T(st(task) ** 2) * T(G(M(ft(task, k) ** 2)))
    ),
    "a mean given a task as one of no task": lambda: equal(M(G(ft(task, k)) ** 2), G(M(ft(task, k) ** 2))),
    "coordinates given a task": lambda: equal(G(C(v(i) * M(ft(task, k)))), C(v(i)) * G(M(ft(task, k)))),
    "one position beside an exponential": lambda: independent(p, (k, f(k) ** 2), (k, g(k))),
    "two positions beside an exponential": lambda: independent(p, (l, f(l) ** 2), (k, g(k)), (l, f(l) + x)),
    "a constant exponent": lambda: independent(p, (k, t), (k, f(k)), (l, 1 + g(l))),
    "a chain of equations": lambda: chain(M(f(k) + x), M(f(k)) + x),
}


def false_results(seeds: range = range(12)) -> Iterator[str]:
    """The uses and terms whose results fail in some world: none, if the rules are right."""
    worlds = [World(random.Random(seed), length=1 + seed % 3, size=1 + seed % 2) for seed in seeds]
    many = [World(random.Random(seed), size=1 + seed % 2) for seed in range(60)]
    for name, use in USES.items():
        try:
            made = use()
        except (ProofError, AttributeError, TypeError):
            continue
        in_time = any(v.of is Sort.TIME for v in made.lhs.free | made.rhs.free)
        if any(
            _fails(lambda w, made=made: holds(made, w) or not _met(made, w), w)
            for w in (many if in_time else worlds)
        ):
            yield name
    twice = bind("mean", (k,), bind("mean", (l,), f(k) * g(l)))
    if any(not arb(w.value(twice)).overlaps(arb(w.value(M(f(k))) * w.value(M(g(k))))) for w in worlds):
        yield "a mean in a mean"
    for e, form in normal_forms(1):
        same = lambda w, e=e, form=form: _overlap(w, e, form)
        signs = lambda w, e=e: (
            not (nonnegative(e) and w.value(e) < 0) and not (positive(e) and w.value(e) == 0)
        )
        if any(_fails(same, w) or _fails(signs, w) for w in worlds[:6]):
            yield f"{e}"


_met = lambda theorem, world: all(meets(a, world) for a in theorem.assumptions)
_overlap = lambda world, e, form: bool(arb(world.value(e)).overlaps(arb(world.value(form))))


def _fails(test: Callable[[World], bool], world: World) -> bool:
    try:
        return not test(world)
    except (Undecided, ZeroDivisionError, OverflowError):
        return False
