"""Attempts to let a variable or a function be captured, by every rule that puts or rewrites."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.flows import derivative, up_to
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import (
    antitone,
    arithmetic,
    assume,
    at_task,
    choose,
    continuation,
    equal,
    every_number,
    exchange,
    gaussian,
    gcongr,
    instantiate,
    integrate,
    limit,
    open_event,
    trans,
    until,
)
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort, whole
from numerics.derivations.kernel.terms import CLOCK, START, Defined, Function, Given, Op, Variable, term
from numerics.derivations.kernel.terms import GAUSSIAN as xi
from numerics.derivations.kernel.theorems import Theorem
from tests.numerics.derivations.attacks.attacks_on_time_and_tasks import hyp

k, l, p, q = (Variable(n, s) for n, s in zip("klpq", (Sort.TOKEN, Sort.TOKEN, Sort.PROMPT, Sort.QUERY)))
i, j, g = Variable("i", Sort.INDEX), Variable("j", Sort.INDEX), Variable("gauss", Sort.NORMAL)
now, later, w, w2 = (
    Variable(n, s) for n, s in (("now", Sort.TIME), ("later", Sort.TIME), ("w", Sort.TASK), ("w2", Sort.TASK))
)
x, y, R = (Variable(name, range=REALS) for name in ("x", "real_y", "R"))
eta, K, K2, S, eps = (Variable(name, range=POSITIVE) for name in ("eta", "K", "K2", "S", "eps"))
n, m = Variable("n", range=NONNEGATIVE), Variable("m", range=whole(1))
f, f2 = Function("f", (Sort.TOKEN,), Fraction(2)), Function("f2", (Sort.INDEX, Sort.TOKEN), Fraction(2))
fw, f2w = (Function(f"{g.name}_w", (Sort.TASK, *g.sorts), Fraction(2)) for g in (f, f2))
h, v, v2 = Function("h", (Sort.QUERY,), None), Function("v", (Sort.INDEX,)), Function("v2", (Sort.INDEX,))
sw, vw = Function("s_w", (Sort.TASK,)), Function("v_w", (Sort.TASK, Sort.INDEX))
path = Function("path", (Sort.TIME,), Fraction(1))
paths = Function("paths", (Sort.TASK, Sort.TIME), Fraction(1))
M = lambda body, over=k: bind("mean", (over,), body)
E = lambda body: bind("prompt", (p,), body)
U = lambda body: bind("sum", (k,), body, (p,))
T = lambda body: bind("task", (w,), body)
size = lambda of: bind("coordinates", (j,), of(j) ** 2, (m,))


def below_all(*more: Variable) -> Theorem:
    """R <= x for every x, and what follows from it at once: R <= R - 1."""
    thm = assume("R <= x", 0, "<=", x - R, every=(x, *more))
    return chain(instantiate(thm, {x: R - 1}), -1)


def every_index(most: Any = n) -> Theorem:
    """E f2_i^2 <= n for every i, at another index."""
    return instantiate(assume("E f2_i^2 <= n", M(f2(i, k) ** 2), "<=", most, every=(i,)), {i: j})


def every_vector() -> Theorem:
    """v_i^2 <= n for every v, at 0."""
    return instantiate(assume("v_i^2 <= n", v(i) ** 2, "<=", n, every=(i, v)), {v: ((i,), term(0))})


def discharged(false: Theorem) -> Theorem:
    """The theorem without the hypotheses that have become trivial."""
    shown = [equal(up_to(1, a.lhs, now), up_to(1, a.rhs, now)) for a in false.assumptions]
    return chain(0, until(false, 1, *shown), -1)


def chosen(u: Any = f(k), X: Any = f(k) ** 2, delta: Any = eps, every: tuple[Any, ...] = ()) -> Theorem:
    """E[X; u >= K] <= delta for a chosen K."""
    return choose("K is large", assume("E X <= S", M(X), "<=", S, every=every), (k,), X, u, K, delta)


def tied(lhs: Any, op: str, rhs: Any, *every: Variable, choice: Theorem | None = None) -> Theorem:
    one = choice or chosen()
    return arithmetic(one.lhs, "<=", one.rhs, one, assume("tie", lhs, op, rhs, every=every))


def of_length() -> Theorem:
    """1 <= 1/2 for a K that is larger than L, and not larger."""
    hidden = E(U(1))
    one = choose("K is large", equal(M(1), 1), (k,), 1, hidden, K, Fraction(1, 2))
    return chain(arithmetic(1, "<=", Op("ind", (L - K,)), assume("L >= K", K, "<=", L)), one)


def two_choices() -> Theorem:
    """0 <= K + K2 for a K that is chosen for K2, and a K2 that is chosen for eps."""
    second = choose("K2 is large", assume("E X <= S", M(f(k) ** 2), "<=", S), (k,), f(k) ** 2, f(k), K2, eps)
    return arithmetic(0, "<=", K + K2, chosen(delta=K2), second)


CAPTURE: dict[str, Callable[[], Any]] = {
    # at_task: what is put, under `every` of a hypothesis
    "a number under `every` at a task": lambda: at_task(below_all(), w, {R: x}),
    "a number under `every`, and no hypothesis left": lambda: discharged(at_task(below_all(now), w, {R: x})),
    "a number under `every` in a larger value": lambda: at_task(below_all(), w, {R: x + sw(w) ** 2}),
    "a number under `every` that two values exchange": lambda: at_task(below_all(), w, {R: x, x: R}),
    "a number that is said for all values, put": lambda: at_task(below_all(), w, {x: sw(w)}),
    "an index under `every` at a task": lambda: at_task(every_index(), w, {f2: f2w, n: vw(w, i) ** 2}),
    "an index under `every` by indices": lambda: at_task(every_index(), w, {f2: f2w, n: v(i) ** 2}),
    "a function under `every` at a task": lambda: at_task(every_vector(), w, {n: v(j) ** 2}),
    "a function under `every` under a sum in a value": lambda: at_task(every_vector(), w, {n: size(v)}),
    "a function that is said for all values, put": lambda: at_task(every_vector(), w, {v: vw}),
    "a name in a value under `every`": lambda: at_task(below_all(), w, {R: Defined("B", x + 1)}),
    "a task under `every` at a task": lambda: at_task(hyp(x, "<=", R, w), w, {R: sw(w)}),
    "another task under `every`": lambda: at_task(hyp(x, "<=", R, w2), w, {R: sw(w2)}),
    "a time under `every`": lambda: at_task(hyp(x, "<=", R, now), w, {R: path(now)}),
    "a hypothesis on all times": lambda: at_task(hyp(x, "<=", R, now), w, {R: sw(w)}),
    "a time in a value of a hypothesis": lambda: at_task(hyp(x, "<=", R), w, {R: path(now)}),
    "another task in a value of a hypothesis": lambda: at_task(hyp(x, "<=", R), w, {R: sw(w2)}),
    "an index in a value of a hypothesis": lambda: at_task(hyp(x, "<=", R), w, {R: v(i)}),
    "a token in a value at a task": lambda: at_task(arithmetic(x, "<=", x + n), w, {x: f(k)}),
    "a token of the task in a value": lambda: at_task(arithmetic(x, "<=", x + n), w, {x: Given(w, fw(w, k))}),
    "a mean of one law in a value": lambda: at_task(arithmetic(x, "<=", x + n), w, {x: M(f(k))}),
    "a mean given the task, put": lambda: at_task(arithmetic(x, "<=", x + n), w, {x: Given(w, M(fw(w, k)))}),
    "a mean over tasks, put": lambda: at_task(arithmetic(x, "<=", x + n), w, {x: bind("task", (w2,), 1)}),
    "a function of tokens in a hypothesis": lambda: at_task(
        arithmetic(x, "<=", R, hyp(M(f(k)), "<=", 1), assume("j", x, "<=", R)), w, {R: sw(w)}
    ),
    "a function of tokens under a name": lambda: at_task(
        equal(Defined("B", M(f(k) ** 2)), M(f(k) ** 2)), w, {x: sw(w)}
    ),
    "a statement on what is averaged over tasks": lambda: at_task(equal(T(1), 1), w2, {}),
    "a task twice": lambda: at_task(at_task(arithmetic(x, "<=", x + n), w, {x: sw(w)}), w2, {x: sw(w2)}),
    "what all tasks share, put afterwards": lambda: instantiate(
        at_task(hyp(x, "<=", R), w, {R: sw(w)}), {sw: ((w,), term(0))}
    ),
    "a hypothesis of one law for a range, put": lambda: at_task(
        arithmetic(0, "<=", n), w, {n: v(i), v: vw}, assume("v >= 0 at one", 0, "<=", v(i), every=(i,))
    ),
    # instantiate
    "a number that a hypothesis on all tokens fixes": lambda: instantiate(
        assume("f y <= 1", f(k) * y, "<=", 1, every=(k,)), {y: f(k)}
    ),
    "a number that a hypothesis fixes, twice in a row": lambda: instantiate(
        instantiate(arithmetic(x + R, "<=", 0, hyp(R, "<=", -x)), {x: y}), {R: term(1)}
    ),
    "a function that a hypothesis fixes, in a value": lambda: instantiate(
        arithmetic(0, "<=", n), {n: M(f(k)), f: ((k,), term(-1))}, hyp(0, "<=", M(f(k)))
    ),
    "a function whose hole is a number": lambda: instantiate(equal(v(i), v(i)), {v: ((x,), x)}),
    "the first time under a bound time": lambda: instantiate(
        hyp(path(now), "<=", path(START), now), {START: now}
    ),
    # replace
    "a premise on one token under its mean": lambda: gcongr(M(f(k)), arithmetic(f(k), "<=", f(k) + 1)),
    "a premise on a position under a sum": lambda: gcongr(U(f(k)), arithmetic(f(k), "<=", f(k) ** 2 + 1)),
    "a premise on one task under its mean": lambda: gcongr(
        T(sw(w) ** 2), arithmetic(sw(w) ** 2, "<=", sw(w) ** 2 + 1)
    ),
    "a premise on one index under its sum": lambda: gcongr(
        bind("coordinates", (i,), v(i), (m,)), hyp(v(i), "<=", 0, i)
    ),
    "a premise on one law given a task": lambda: gcongr(
        Given(w, M(fw(w, k) ** 2)), hyp(M(f(k) ** 2), "<=", 1)
    ),
    "a premise on one time at another": lambda: gcongr(path(later), hyp(path(now), "<=", path(START), now)),
    # integrals
    "the mean over what a hypothesis fixes": lambda: integrate("coordinates", (i,), hyp(x, "<=", v(i)), (m,)),
    "the mean of one token over another": lambda: chain(
        integrate("mean", (l,), arithmetic(f(k), "<=", f(k) + 1)), M(f(k)) + 1
    ),
    "the sum over a prompt that is bound": lambda: chain(
        integrate("sum", (k,), arithmetic(f(k), "<=", f(k) + 1), (p,)), E(U(f(k))) + L
    ),
    "means of two tokens exchanged as one": lambda: trans(
        exchange(M(M((f(k) - f(l)) ** 2, l))), equal(M(M((f(k) - f(k)) ** 2, l)), 0)
    ),
    "a limit of what a hypothesis fixes": lambda: limit(
        arithmetic(x, "<=", eta, hyp(x, "<=", eta)), eta, 0, 1
    ),
    "a limit of what was chosen": lambda: limit(tied(x, "<=", K), K, 0, 1),
    "an event of what a hypothesis fixes": lambda: open_event(
        integrate("mean", (k,), arithmetic(Op("above", (f(k) - eta,)), "<=", 0, hyp(f(k), "<=", eta, k))),
        eta,
        (k,),
        f(k),
    ),
    "an event over another token": lambda: open_event(
        integrate("mean", (k,), arithmetic(Op("above", (f(k) - eta,)), "<=", 1)), eta, (l,), f(k)
    ),
    "a Gaussian integral of a slope at another coordinate of it": lambda: gaussian(
        g, i, m, xi(j, g), equal(term(0) + 1, 1)
    ),
    "a Gaussian integral of three terms": lambda: gaussian(
        g, i, m, v(i), equal(Op("add", (term(0), term(0), term(1))), 1)
    ),
    "a Gaussian integral whose rate is the vector's": lambda: gaussian(
        g, i, m, v(i), arithmetic((1 - Op("exp", (xi(j, g),))) + Op("exp", (xi(j, g),)), "==", 1)
    ),
    # choices
    "a choice against the length of a prompt": of_length,
    "a choice against the number of tokens": lambda: chosen(u=L),
    "a choice for a share of the number of tokens": lambda: chosen(delta=eps / L),
    "a choice for a share of a prompt": lambda: chosen(delta=eps / (1 + E(U(1)))),
    "a choice for a term with a prompt": lambda: chosen(X=f(k) ** 2 * E(U(1))),
    "a choice against a prompt under a name": lambda: chosen(u=Defined("B", E(U(1)))),
    "a choice against a prompt of a task": lambda: choose(
        "K is large",
        assume("E s^2 <= S", T(sw(w) ** 2), "<=", S),
        (w,),
        sw(w) ** 2,
        Given(w, E(U(1))),
        K,
        eps,
    ),
    "a choice against a mean over a prompt": lambda: chosen(u=f(k) + E(1)),
    "a choice against a sum over one prompt": lambda: chosen(u=U(1)),
    "a choice for a share of one task": lambda: chosen(delta=sw(w) ** 2 + 1),
    "a choice for a share at one time": lambda: chosen(delta=path(now) ** 2 + 1),
    "a choice for one coordinate": lambda: chosen(X=f2(i, k) ** 2, every=(i,)),
    "a chosen number below what it was chosen for": lambda: tied(K, "<=", eps),
    "a chosen number below a number": lambda: tied(K, "<=", 5),
    "a chosen number above what it was chosen against": lambda: tied(f(k), "<=", K, k),
    "a number below what another was chosen for": lambda: tied(K, "<=", eps, choice=two_choices()),
    "a chosen number below what is tied to what it was chosen for": lambda: chain(
        tied(K, "<=", L, choice=chosen(u=n + 1)),
        arithmetic(eps, "<=", eps, assume("n is L - 1", n, "==", L - 1)),
    ),
    "a chosen number below one that is what it was chosen for": lambda: chain(
        tied(K, "<=", R, choice=chosen(u=n)), arithmetic(eps, "<=", eps, assume("R is n", R, "==", n))
    ),
    "a multiple of a number below what it was chosen for": lambda: tied(K * S, "<=", n, choice=chosen(u=n)),
    "a chosen number put for what it was chosen for": lambda: instantiate(chosen(), {eps: K}),
    # times
    "a fall at another time": lambda: antitone(
        path(later), later, assume("falls", path.rate(now), "<=", 0, every=(now,))
    ),
    "a fall by the rate of another task": lambda: antitone(
        paths(w, now), now, assume("falls", paths.rate(w2, now), "<=", 0, every=(w2, now))
    ),
    "a derivative under a sum that binds nothing of time": lambda: derivative(M(path(now) * f(k)), now),
    "a number that is in `every` at every time": lambda: every_number(
        arithmetic(CLOCK(now), "<=", CLOCK(now) + n, hyp(n, "<=", 1)), now, n
    ),
    "an end that a hypothesis is said for all values of": lambda: until(
        arithmetic(path(now), "<=", 0, instantiate(hyp(path(now), "<=", n, now, n), {n: term(0)})),
        n,
        assume("early", up_to(n, path(now)), "<=", up_to(n, n, now), every=(now,)),
    ),
    "an end with a function that a hypothesis is said for all values of": lambda: until(
        instantiate(hyp(path(now), "<=", size(v), now, v), {v: ((i,), term(0))}),
        size(v),
        assume("early", up_to(size(v), path(now)), "<=", up_to(size(v), size(v), now), every=(now, v)),
    ),
    "a barrier that moves with another time": lambda: continuation(
        next(iter(assume("kept", path(now), "<=", path(later), every=(now, later)).assumptions)),
        now,
        arithmetic(path(now), "<=", path(later) - 1, hyp(path(now), "<=", path(later) - 1, now, later)),
        arithmetic(path(later) - 1, "<", path(later)),
        assume("start", path(START), "<=", path(later), every=(later,)),
        equal(1, 1),
    ),
    # arithmetic
    "a premise on one task for another": lambda: arithmetic(sw(w2), "<=", R, hyp(sw(w), "<=", R, w)),
    "a premise of a mean for one outside": lambda: arithmetic(f(k), "<=", 1, hyp(M(f(k)), "<=", 1)),
    "a new variable that is an old one": lambda: arithmetic(x, "<=", x**2, via={x: x**2 + 1}),
    "a new variable that is that of a premise": lambda: arithmetic(
        n, "<=", n + x, hyp(0, "<=", x + n), via={x: n}
    ),
    "a premise that contradicts another": lambda: arithmetic(
        0, "<=", -1, hyp(x, "<=", 0), assume("j", 1, "<=", x)
    ),
    "a premise that contradicts a range": lambda: arithmetic(0, "<=", -1, hyp(eta, "<=", 0)),
    "an equation that contradicts a range": lambda: arithmetic(0, "==", 1, hyp(0, "==", eta)),
}
