"""Powers of every whole order p of numbers that are not negative, by induction over p.

The power p of a number is the sequence that starts at 1 and is multiplied by it p times. It is
written as the square of the sequence of its roots, so that it is seen not to be negative.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from numerics.derivations.derived import chain, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, gcongr, induction
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import FIRST, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show

p = Variable("p", Sort.STEP)


class Powers:
    """The powers of a number >= 0; a letter stands for the sequence of their roots."""

    def __init__(self, letter: str, of: str, base: Term, *at: Variable) -> None:
        self.base, self.at = base, at
        self.root = Function(letter, (*(a.sort for a in at), Sort.STEP))
        here, name = (*at, p), f"{letter}_p^2 is {of}^p"
        one, again = self.root(*at, FIRST), sqrt(base) * self.root(*here)
        self.given = (
            assume(f"{name}: {letter}_0 = 1", one, "==", 1, every=at),
            assume(
                f"{name}: {letter}_(p+1) = {of}^(1/2) {letter}_p",
                self.root.after(*here),
                "==",
                again,
                every=here,
            ),
        )

    @property
    def power(self) -> Term:
        return self.root(*self.at, p) ** 2

    def first(self) -> Theorem:
        one = self.root(*self.at, FIRST)
        return show(one**2, "==", 1, self.given[0], one)

    def next(self) -> Theorem:
        """x^{p+1} = x x^p."""
        after = self.root.after(*self.at, p)
        return calc(
            after**2,
            ("==", (sqrt(self.base) * self.root(*self.at, p)) ** 2, self.given[1], after),
            ("==", self.base * self.power),
        )


def by_induction(
    left: Term, right: Term, base: tuple[Theorem, ...], step: Callable[[Theorem], Theorem]
) -> Theorem:
    """left <= right at every p, from what `step` makes of it so far."""
    every = (p, *(x for x in (left.free | right.free) if x.sort is Sort.TASK))
    so_far = assume("so far", left, "<=", right, every=every)
    (hypothesis,) = so_far.assumptions
    at = lambda e: instantiated(e, {p: FIRST})
    start = show(at(left), "<=", at(right), *base, *(P.lhs for P in base))
    return induction(hypothesis, p, start, step(so_far))


def compared(left: tuple[Powers, ...], right: tuple[Powers, ...], base: Theorem) -> Theorem:
    """x^p y^p .. <= u^p v^p .. from x y .. <= u v .."""
    times = lambda factors: prod(factors, start=term(1))
    powers, later_ = (lambda of: times(P.power for P in of)), (lambda of: times(P.next().lhs for P in of))

    def step(so_far: Theorem) -> Theorem:
        multiplied = times(P.next().rhs for P in right)
        return chain(
            later_(left),
            gcongr(later_(left), *(P.next() for P in left)),
            base.lhs * powers(left),
            gcongr(base.lhs * powers(left), base),
            gcongr(base.rhs * powers(left), so_far),
            multiplied,
            gcongr(multiplied, *(P.next() for P in right)),
        )

    return by_induction(powers(left), powers(right), tuple(P.first() for P in (*left, *right)), step)


def at_least_one(P: Powers, base: Theorem) -> Theorem:
    """1 <= x^p from 1 <= x."""
    step = lambda so_far: calc(
        1,
        ("<=", P.base * P.power, base, so_far, P.base, P.power),
        ("==", P.next().lhs, P.next(), P.next().lhs, P.base, P.power),
    )
    return by_induction(term(1), P.power, (P.first(),), step)


def same_order(P: Powers, Q: Powers) -> Theorem:
    """(x - y)(x^p - y^p) >= 0."""
    x, y_ = P.base, Q.base
    gap = (x - y_) * (P.power - Q.power)

    def step(so_far: Theorem) -> Theorem:
        a, b = P.next().lhs, Q.next().lhs
        return calc(
            0,
            ("<=", x * gap + (x - y_) ** 2 * Q.power, so_far, gap, x, (x - y_) ** 2, Q.power),
            ("==", (x - y_) * (x * P.power - y_ * Q.power), x, y_, P.power, Q.power),
            ("==", (x - y_) * (a - b), P.next(), Q.next(), a, b, P.next().rhs, Q.next().rhs, x, y_),
        )

    return by_induction(term(0), gap, (P.first(), Q.first()), step)


def power_of_a_sum(S: Powers, P: Powers, Q: Powers, base: Theorem) -> Theorem:
    """2 s^p <= 2^p (x^p + y^p) from s <= x + y."""
    x, y_, s = P.base, Q.base, S.base
    left, right = 2 * S.power, TWO.power * (P.power + Q.power)
    order = same_order(P, Q)

    def step(so_far: Theorem) -> Theorem:
        D, X, Z = TWO.power, P.power, Q.power
        a, b, e = P.next(), Q.next(), TWO.next()
        most = 2 * (x * X + y_ * Z)
        mixed = calc((x + y_) * (X + Z), ("==", most - order.rhs), ("<=", most, order, most, order.rhs))
        first = show(2 * S.next().lhs, "==", left * s, S.next(), S.next().lhs)
        letters = a.lhs, b.lhs, e.lhs, D, X, Z, x, y_
        last = show(D * mixed.rhs, "==", e.lhs * (a.lhs + b.lhs), a, b, e, *letters)
        up = (
            gcongr(left * s, base),
            gcongr(left * base.rhs, so_far),
            D * mixed.lhs,
            gcongr(D * mixed.lhs, mixed),
        )
        return chain(first, *up, last)

    return by_induction(left, right, (S.first(), P.first(), Q.first(), TWO.first()), step)


TWO = Powers("c", "2", term(2))
