"""(54) of Collins et al. as a product that is not negative, whichever height is larger."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.sorts import Range
from numerics.derivations.kernel.terms import Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import show
from proofs_check.derivations.window.subspace.low_rank import gamma

closed = Range(Fraction(-1), Fraction(1), False, False)
a, b = (Variable(name, range=closed) for name in "ab")
y = Variable("y", range=Range(Fraction(-2), Fraction(2), False, False))


@cache
def in_one_order(c: Variable, *given: Theorem) -> tuple[Theorem, Theorem]:
    """(b - a)(e^{cb} - e^{ca}) >= 0 and (e^{ca} gamma_{b,a} - e^{cb} gamma_{a,b})(e^{cb} - e^{ca})
    >= 0: the heights, the weights and the two sides of (54) are in one order, for c <= 2.

    With d = b - a and q = e^{cd} the product is e^{2ca}(q - 1)(2d - (q - 1) gamma_{a,b}), with
    gamma_{a,b} <= (1 - d/2)^2, and e^d (1 - d/2) - 1 - d/2 has the sign of -d.
    """
    delta, g = b - a, gamma(a, b)
    inside, some = show(0, "<=", (1 - delta / 2) ** 2 - g), show(0, "<=", g)
    at = lambda thm: instantiate(thm, {y: delta})
    product = lambda x, y: show(0, "<=", x.rhs * y.rhs, x, y, x.rhs, y.rhs)
    q = exp(c * delta)
    value = (q - 1) * (2 * delta - (q - 1) * g)

    def signed(event: Term, sign: int) -> Theorem:
        """The value is not negative on the event that y has this sign."""
        E, E2, sides = exp(y), exp(2 * y), 1 + y / 2 + exp(y) * (1 - y / 2)
        least = lambda value, *given: show(0, "<=", event * (sign * value), *given)
        one, steeper = least(1 + y / 2 - E * (1 - y / 2)), least(E2 - exp(c * y), *given)
        grows, falls = at(least(exp(c * y) - 1)), at(least(E2 - 1))
        squares = at(product(one, show(0, "<=", sides)))
        parts = squares, product(at(steeper), some), product(falls, inside)
        rest = show(0, "<=", sum((x.rhs for x in parts[1:]), parts[0].rhs), *parts, *(x.rhs for x in parts))
        here = instantiated(event, {y: delta})
        rest = chain(rest, here * (sign * (2 * delta - (q - 1) * g)))
        whole = product(grows, rest)
        return chain(whole, show(whole.rhs, "==", here * value, q, g))

    both = signed(Op("ind", (y,)), 1), signed(Op("above", (-y,)), -1)
    whole = chain(show(0, "<=", both[0].rhs + both[1].rhs, *both, *(x.rhs for x in both)), value)
    rise = at(show(0, "<=", y * (exp(c * y) - 1)))
    gap = exp(c * b) - exp(c * a)
    between = exp(c * a) * gamma(b, a) - exp(c * b) * gamma(a, b)
    scaled = show(0, "<=", exp(c * a) * rise.rhs, rise, rise.rhs)
    twice = show(0, "<=", exp(2 * c * a) * value, whole, value)
    return chain(scaled, (b - a) * gap), chain(twice, between * gap)
