"""Attempts to derive what is false about functions of time, about tasks, and from choices."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numerics.derivations.derived import sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.flows import derivative, up_to
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import (
    antitone,
    arithmetic,
    assume,
    at_task,
    begin,
    choose,
    continuation,
    equal,
    every_number,
    gcongr,
    instantiate,
    integrate,
    limit,
    trans,
    until,
)
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function, Given, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem

k = Variable("k", Sort.TOKEN)
x, t, delta = Variable("x", range=REALS), Variable("t", range=POSITIVE), Variable("delta", range=POSITIVE)
f, h = Function("f", (Sort.TOKEN,), Fraction(4)), Function("h", (Sort.TOKEN,))
now, later = Variable("now", Sort.TIME), Variable("later", Sort.TIME)
path, other, rough = (
    Function(n, (Sort.TIME,), Fraction(o)) for n, o in (("path", 1), ("other", 1), ("rough", 0))
)
R, r = Variable("R", range=REALS), Variable("r", range=REALS)
w, w2 = Variable("w", Sort.TASK), Variable("w2", Sort.TASK)
ft = Function("f_w", (Sort.TASK, Sort.TOKEN), Fraction(4))
scale, st = Variable("scale", range=POSITIVE), Function("scale_w", (Sort.TASK,))
paths = Function("paths", (Sort.TASK, Sort.TIME), Fraction(1))
i, j = (Variable(name, Sort.INDEX) for name in "ij")
moving = Function("moving", (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1))
K, K2, S = (Variable(name, range=POSITIVE) for name in ("K", "K2", "S"))
prompt = Variable("prompt", Sort.PROMPT)
number = Variable("number", range=NONNEGATIVE)


def M(body: Any) -> Term:
    """The mean over a token of the law of no task."""
    return bind("mean", (k,), body)


hyp = lambda lhs, op, rhs, *every: assume("h", lhs, op, rhs, every=every)
inside = lambda u, *every: arithmetic(u, "<=", R - 1, hyp(u, "<=", R - 1, *every))
room = lambda: arithmetic(R - 1, "<", R)
early = lambda u, op="<=": assume("early", up_to(t, u), op, up_to(t, 0, now), every=(now,))
falls = lambda u=path: assume(f"{u.name} falls", u.rate(now), "<=", 0, every=(now,))
kept = lambda u=path, most=R: assume("kept", u(now), "<=", most, every=(now,))


def continued(inside: Theorem, below: Theorem, start: Theorem, barrier: Theorem | None = None) -> Theorem:
    """What `continuation` makes of premises, with the barrier path <= R."""
    barrier = barrier or kept()
    return continuation(next(iter(barrier.assumptions)), now, inside, below, start, inside)


def small() -> Theorem:
    """E f^2 <= scale, for one law."""
    return assume("E f^2 <= scale", M(f(k) ** 2), "<=", scale)


def stays(thm: Theorem, point: Any = 1, of: Function = path) -> Theorem:
    """The theorem at a point in place of a path."""
    return instantiate(thm, {of: ((now,), term(point))})


def in_time() -> Theorem:
    """A path of the speed 1 is at least as far as the time, which no point is."""
    return antitone(
        CLOCK(now) - path(now),
        now,
        arithmetic(1 - path.rate(now), "<=", 0, hyp(path.rate(now), "==", 1, now)),
    )


def by_its_speed() -> Theorem:
    """0 <= u for what is not negative by the speed of a path, at a point in its place."""
    moved = arithmetic(0, "<=", path.rate(now) + path(now) ** 2, hyp(0, "<=", path.rate(now), now))
    square = arithmetic(0, "<=", number)
    return instantiate(square, {number: path.rate(now) + path(now) ** 2, path: ((now,), term(0))}, moved)


T = lambda body: bind("task", (w,), body)
HEAVY = M(h(k) ** 2)  # possibly infinite
finite_mean = assume("E f^2 <= S", M(f(k) ** 2), "<=", S)


def chosen(bound=finite_mean, X=f(k) ** 2, u=f(k), K=K, delta=delta):
    """E[X; u >= K] <= delta for a K that is chosen so, or what is no such choice."""
    return choose("K is large", bound, (k,), X, u, K, delta)


def each_beyond_the_other() -> Theorem:
    """1 <= 1/2 from two numbers, each of which is chosen larger than the other."""
    one = equal(M(term(1)), 1)
    first, second = (
        choose(f"{a.name} is large", one, (k,), 1, b, a, Fraction(1, 4)) for a, b in ((K, K2), (K2, K))
    )
    indicators = [equal(thm.lhs, Op("ind", (b - a,))) for thm, a, b in ((first, K, K2), (second, K2, K))]
    small = [trans(equal(same.rhs, thm.lhs), thm) for thm, same in zip((first, second), indicators)]
    one_is_larger = Op("ind", (K2 - K,)) + Op("ind", (K - K2,))
    return trans(arithmetic(1, "<=", one_is_larger), gcongr(one_is_larger, *small))


def at_one_time() -> Theorem:
    """A hypothesis on one number, at the value of a path at one time."""
    return at_task(hyp(R, "<=", r), w, {R: path(later)})


def clock(most: Any = CLOCK(now), thm: Theorem | None = None) -> Theorem:
    """The clock is at most that, by a theorem."""
    return arithmetic(CLOCK(now), "<=", most, *([] if thm is None else [thm]))


said_of = lambda X, most, *every: assume("a bound", M(X), "<=", most, every=every)
TIME_AND_TASKS: dict[str, Callable[[], Any]] = {
    "a derivative of a derivative": lambda: derivative(path.rate(now), now),
    "a derivative of a function that is not smooth": lambda: derivative(rough(now), now),
    "a derivative of an indicator": lambda: derivative(Op("ind", (path(now),)), now),
    "a derivative of a largest value": lambda: derivative(Op("max", (path(now), other(now))), now),
    "a derivative of an absolute value": lambda: derivative(sqrt(path(now) ** 2), now),
    "a derivative of a power that moves": lambda: derivative(term(2) ** path(now), now),
    "a derivative under a mean": lambda: derivative(M(f(k) * path(now)), now),
    "a derivative at the first time": lambda: derivative(path(START), START),
    "a derivative of what may be infinite": lambda: derivative(path(now) ** 2 + HEAVY, now),
    "the rate of a function that is not smooth": lambda: rough.rate(now),
    "a function of time with two derivatives": lambda: Function("smooth", (Sort.TIME,), Fraction(2)),
    "a function of a time and a token": lambda: Function("both", (Sort.TIME, Sort.TOKEN)),
    "a clock of one's own": lambda: equal(Function("time", (Sort.TIME,))(now), 0),
    "a mean over times": lambda: bind("mean", (now,), path(now)),
    "a hypothesis at one time": lambda: hyp(path(now), "<=", 0),
    "a hypothesis on all first times": lambda: hyp(path(START), "<=", 0, START),
    "a fall of another function": lambda: antitone(other(now), now, falls()),
    "a fall of a square": lambda: antitone(path(now) ** 2, now, falls()),
    "a fall where the rate is only bounded": lambda: antitone(
        path(now), now, hyp(path.rate(now), "<=", 1, now)
    ),
    "a fall to another start": lambda: trans(
        antitone(path(now), now, falls()), equal(path(START), path(later))
    ),
    "a path in place of another": lambda: instantiate(falls(), {path: ((now,), other(now))}),
    "a path in place of one that is free": lambda: stays(equal(path(now), path(now)), other(now)),
    "a path at another time in place of a path": lambda: stays(equal(path(now), path(now)), other(later)),
    "the start of a path in place of a path": lambda: stays(equal(path(now), path(now)), other(START)),
    "the clock in place of a path": lambda: stays(equal(path(now), path(now)), CLOCK(now)),
    "a point in place of the clock": lambda: stays(begin(), of=CLOCK),
    "a point in place of a path of a known speed": lambda: stays(in_time()),
    "a point in place of a path that falls": lambda: stays(antitone(path(now), now, falls())),
    "a point in place of a path beside its speed": lambda: stays(equal(path.rate(now), path.rate(now))),
    "a point in place of a speed": lambda: stays(equal(path.rate(now), path.rate(now)), of=path.rate),
    "a point in place of a path, of a range by its speed": by_its_speed,
    "what may be infinite in place of a path": lambda: stays(equal(path(now), path(now)), HEAVY),
    "the first time at another": lambda: instantiate(antitone(path(now), now, falls()), {START: now}),
    "a number in place of a time": lambda: instantiate(falls(), {now: term(0)}),
    "a first time that is later": lambda: equal(begin().lhs, CLOCK(now)),
    "a continuation that starts outside": lambda: continued(
        arithmetic(path(now), "<=", r, kept(), hyp(R, "<=", r)), hyp(r, "<", R), falls()
    ),
    "a continuation that starts inside its barrier by the barrier": lambda: continued(
        inside(path(now), now), room(), instantiate(kept(), {now: START})
    ),
    "a continuation without room": lambda: continued(
        kept(), arithmetic(R, "<=", R), hyp(path(START), "<=", R)
    ),
    "a continuation of a jump": lambda: continued(
        inside(rough(now), now), room(), hyp(rough(START), "<=", R), kept(rough)
    ),
    "a continuation below a barrier that jumps": lambda: continued(
        arithmetic(path(now), "<=", rough(now) - 1, hyp(path(now), "<=", rough(now) - 1, now)),
        arithmetic(rough(now) - 1, "<", rough(now)),
        hyp(path(START), "<=", rough(now), now),
        kept(path, rough(now)),
    ),
    "a continuation by another function": lambda: continuation(
        next(iter(kept().assumptions)),
        now,
        inside(other(now), now),
        room(),
        hyp(path(START), "<=", R),
        kept(),
    ),
    "a hypothesis shown up to a time that differs within it": lambda: until(
        limit(instantiate(hyp(path(now), "<=", t, now, t), {t: delta}), delta, 0, 1),
        t,
        assume("early", up_to(t, path(now)), "<=", up_to(t, t, now), every=(now, t)),
    ),
    "a strict hypothesis shown as an equation": lambda: until(
        arithmetic(path(now), "<=", 0, hyp(path(now), "<", 0, now)), t, early(path(now), "==")
    ),
    "an equation shown as an inequality": lambda: until(
        arithmetic(0, "<=", path(now), hyp(path(now), "==", 0, now)), t, early(path(now))
    ),
    "a hypothesis that is not shown": lambda: until(antitone(path(now), now, falls()), t),
    "a hypothesis shown up to an earlier time": lambda: until(
        antitone(path(now), now, falls()), t + 1, early(path.rate(now))
    ),
    "an end before the first time": lambda: until(equal(path(now), path(now)), x),
    "an end that moves": lambda: until(equal(path(now), path(now)), path(now) ** 2),
    "a token of a task without the task": lambda: equal(ft(w, k), ft(w, k)),
    "a mean over the law of no task": lambda: equal(M(ft(w, k) ** 2), M(ft(w, k) ** 2)),
    "a token of another task": lambda: Given(w, M(ft(w2, k))),
    "a token of no task given a task": lambda: Given(w, M(f(k))),
    "a task given a task": lambda: Given(w, Given(w, M(ft(w, k)))),
    "a mean over tasks given a task": lambda: Given(w, T(st(w))),
    "a function of two tasks": lambda: Function("ff", (Sort.TASK, Sort.TASK)),
    "a path of a task with two derivatives": lambda: Function("ff", (Sort.TASK, Sort.TIME), Fraction(2)),
    "a path of a task with all moments": lambda: Function("ff", (Sort.TASK, Sort.TIME), None),
    "a path of two times": lambda: Function("ff", (Sort.TASK, Sort.TIME, Sort.TIME), Fraction(1)),
    "a Gaussian vector of a task": lambda: Function("xi", (Sort.TASK, Sort.INDEX, Sort.NORMAL), None),
    "the mean of a rate over tasks, which need not exist": lambda: equal(
        T(paths.rate(w, now)), T(paths.rate(w, now))
    ),
    "the mean of a square of a path over tasks that is finite": lambda: arithmetic(
        T(paths(w, now) ** 2), "<", T(paths(w, now) ** 2) + 1
    ),
    "a derivative under a mean over tasks": lambda: derivative(T(paths(w, now)), now),
    "a fall of a path at one task by the others": lambda: antitone(
        paths(w2, now), now, hyp(paths.rate(w, now), "<=", 0, w, now)
    ),
    "a barrier at every task": lambda: continued(
        inside(paths(w, now), w, now),
        room(),
        hyp(paths(w, START), "<=", R, w),
        assume("kept", paths(w, now), "<=", R, every=(w, now)),
    ),
    "a path of a task at another": lambda: equal(paths(w, now), paths(w2, now)),
    "a law of no task at every task": lambda: at_task(small(), w, {scale: st(w) ** 2 + 1}),
    "fewer moments at a task": lambda: at_task(
        small(), w, {f: Function("f_w", (Sort.TASK, Sort.TOKEN), Fraction(2))}
    ),
    "moments at a task": lambda: at_task(small(), w, {f: Function("f_w", (Sort.TASK, Sort.TOKEN), None)}),
    "a value out of its range at a task": lambda: at_task(small(), w, {f: ft, scale: st(w)}),
    "the number of tokens of a task": lambda: at_task(small(), w, {f: ft, L: st(w) ** 2 + 1}),
    "a hypothesis for all numbers at one of a task": lambda: at_task(
        arithmetic(M(f(k) ** 2), "<=", 1, instantiate(hyp(M(f(k) ** 2), "<=", x, x), {x: term(1)})),
        w,
        {f: ft, x: st(w)},
    ),
    "a statement on tasks at a task": lambda: at_task(at_task(small(), w, {f: ft}), w2, {}),
    "a statement on times at a task": lambda: at_task(falls(), w, {}),
    "a mean over tasks that may not be": lambda: equal(T(Given(w, M(ft(w, k)))), T(Given(w, M(ft(w, k))))),
    "a mean over tasks of a function without moments": lambda: equal(T(st(w)), T(st(w))),
    "a square over tasks as the square of a mean": lambda: equal(
        T(Given(w, M(ft(w, k) ** 2)) ** 2), T(Given(w, M(ft(w, k) ** 2))) ** 2
    ),
    "independence of what one task decides": lambda: equal(
        T(st(w) ** 2 * Given(w, M(ft(w, k) ** 2))), T(st(w) ** 2) * T(Given(w, M(ft(w, k) ** 2)))
    ),
    "the law of a task as another law": lambda: equal(M(Given(w, ft(w, k)) ** 2), Given(w, M(ft(w, k) ** 2))),
    "another moment": lambda: arithmetic(M(Given(w, ft(w, k)) ** 2), "<", M(Given(w, ft(w, k)) ** 2) + 1),
    "a mean of one task as that over tasks": lambda: equal(
        T(Given(w, M(ft(w, k) ** 2))), Given(w, M(ft(w, k) ** 2))
    ),
    "a task that a hypothesis fixes": lambda: hyp(st(w), "<=", 0),
    "a mean in place of a value at a task": lambda: instantiate(
        equal(Given(w, M(x * ft(w, k) ** 2)), x * Given(w, M(ft(w, k) ** 2))), {x: M(f(k))}
    ),
    "two choices that depend on each other": each_beyond_the_other,
    "a choice that depends on the length of a prompt": lambda: choose(
        "K is large",
        assume("finite", bind("prompt", (prompt,), bind("sum", (k,), f(k), (prompt,)) ** 2), "<=", S),
        (prompt,),
        bind("sum", (k,), f(k), (prompt,)) ** 2,
        L,
        K,
        delta,
    ),
    "a hypothesis at one time by a task": at_one_time,
    "a continuation by a hypothesis at one time": lambda: continued(
        arithmetic(path(now), "<=", r, at_one_time()), hyp(r, "<", R), hyp(path(START), "<=", R)
    ),
    "a hypothesis on all functions of a token, given once": lambda: assume(
        "h", M(f(k) ** 2), "<=", 1, every=iter((f,))
    ),
    "a hypothesis on all values of a name with two meanings": lambda: hyp(
        scale, "<=", 1, Variable("scale", range=REALS)
    ),
    "a hypothesis at one index by a task": lambda: at_task(
        hyp(R, "<=", r), w, {R: Function("vec", (Sort.INDEX,))(i)}
    ),
    "nothing to the power of nothing": lambda: equal(number**number, number**number),
    "nothing to a negative power": lambda: equal(number**-delta, number**-delta),
    "nothing to any power": lambda: equal(number**R, number**R),
    "an infinite mean to a power": lambda: equal(HEAVY**delta, HEAVY**delta),
    "a choice of what a bound is known of": lambda: chosen(said_of(f(k) ** 2, K)),
    "a choice of what the mean is finite by": lambda: chosen(
        arithmetic(M(f(k) ** 2), "<=", S, said_of(f(k) ** 2, S - K))
    ),
    "a choice of its own bound": lambda: chosen(delta=K),
    "a choice against itself": lambda: chosen(u=K),
    "a choice of a number that may be negative": lambda: chosen(K=R),
    "a choice that is no variable": lambda: chosen(K=2 * K),
    "a choice for a term that may be negative": lambda: chosen(said_of(f(k), S), X=f(k)),
    "a choice for a mean that may be infinite": lambda: chosen(equal(HEAVY, HEAVY), X=h(k) ** 2),
    "a choice for another mean": lambda: chosen(X=f(k) ** 4),
    "a choice for the mean over another token": lambda: choose(
        "K is large", finite_mean, (later,), f(k) ** 2, f(k), K, delta
    ),
    "a choice against what may be infinite": lambda: chosen(u=HEAVY),
    "a choice for no number at all": lambda: chosen(delta=delta - delta),
    "a choice that depends on a token": lambda: chosen(delta=f(k) ** 2 + 1),
    "a choice that depends on an index": lambda: chosen(
        said_of(Function("v", (Sort.INDEX, Sort.TOKEN), Fraction(2))(i, k) ** 2, S, i),
        X=Function("v", (Sort.INDEX, Sort.TOKEN), Fraction(2))(i, k) ** 2,
    ),
    "a choice for one number at another": lambda: instantiate(chosen(), {delta: delta / 2}),
    "a choice at another number": lambda: instantiate(chosen(), {K: term(1)}),
    "a choice for one function at another": lambda: instantiate(chosen(), {f: ((k,), 2 * f(k))}),
    "the mean of a choice": lambda: integrate("mean", (k,), chosen(delta=f(k) ** 2 + 1)),
    "a path at every number": lambda: every_number(antitone(path(now), now, falls()), now, number),
    "a path that another one bounds at every number": lambda: every_number(
        equal(rough(now), rough(now)), now, number
    ),
    "a task's path at every number": lambda: every_number(equal(paths(w, now), paths(w, now)), now, number),
    "a time that a hypothesis ends, at every number": lambda: every_number(
        clock(1, hyp(CLOCK(now), "<=", 1, now)), now, number
    ),
    "a time that a hypothesis on a path ends, at every number": lambda: every_number(
        clock(1, arithmetic(CLOCK(now), "<=", 1, hyp(CLOCK(now) + path(now) ** 2, "<=", 1, now))), now, number
    ),
    "the first time at every number": lambda: every_number(begin(), START, number),
    "the first time beside another at every number": lambda: every_number(
        arithmetic(CLOCK(START) + CLOCK(now), "<=", CLOCK(now), begin()), now, number
    ),
    "two times at one number": lambda: every_number(clock(CLOCK(now) + CLOCK(later)), now, number),
    "another time at every number": lambda: every_number(clock(), later, number),
    "every negative number": lambda: every_number(arithmetic(0, "<=", CLOCK(now)), now, x),
    "every positive number": lambda: every_number(clock(), now, t),
    "a number that is known": lambda: every_number(clock(CLOCK(now) + number), now, number),
    "a number that a hypothesis fixes": lambda: every_number(
        clock(CLOCK(now) + R, hyp(number, "<=", R)), now, number
    ),
    "a number that is no variable": lambda: every_number(clock(), now, 1 + number),
}
