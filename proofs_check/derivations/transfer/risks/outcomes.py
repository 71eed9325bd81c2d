"""What the derivations about risks speak of: means over the outcome of task, prompt, query and
label, and inequalities of Cauchy and Schwarz for them.

A token stands for the whole outcome, so that a function of a token is any random variable.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

from numerics.derivations.derived import cauchy_schwarz, chain, schwarz_of_bounds, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show

#: An outcome, the index of a parameter, and that of a coordinate of outputs and labels.
k = Variable("k", Sort.TOKEN)
i, j = Variable("i", Sort.INDEX), Variable("j", Sort.INDEX)
p, m, q = (Variable(name, range=whole(1)) for name in "pmq")
x, y = (Variable(name, range=REALS) for name in "xy")
a = Variable("a", range=NONNEGATIVE)
#: What a mean is taken over: its kind and its variable.
Over = tuple[str, tuple[Variable, ...]]
OUTCOME: Over = ("mean", (k,))


def variable(name: str, order: int = 2) -> Function:
    """A random number with that many moments."""
    return Function(name, (Sort.TOKEN,), Fraction(order))


def vector(name: str, order: int = 2) -> Function:
    """A random vector with that many moments."""
    return Function(name, (Sort.INDEX, Sort.TOKEN), Fraction(order))


def mean(body: Any) -> Term:
    """The mean over the outcome."""
    return bind("mean", (k,), body)


def outputs(body: Any) -> Term:
    """The sum over the coordinates of an output."""
    return bind("coordinates", (j,), body, (m,))


def parameters(body: Any) -> Term:
    """The sum over all parameters."""
    return bind("coordinates", (i,), body, (p,))


def larger(X: Any, Y: Any) -> Term:
    """The larger of two numbers."""
    return Op("max", (term(X), term(Y)))


def size(X: Any) -> Term:
    """The absolute value."""
    return larger(X, -term(X))


def square_bounded(thm: Theorem, X: Term) -> Theorem:
    """From X^2 <= Y to |X| <= sqrt(Y)."""
    shown = instantiate(arithmetic(size(x), "<=", sqrt(x**2)), {x: X})
    return calc(shown, ("<=", sqrt(thm.rhs), thm))


def both_signs(thm: Theorem) -> tuple[Theorem, Theorem]:
    """From |X| <= Y to X <= Y and -X <= Y."""
    X, minus = cast(Op, thm.lhs).args
    first, second = (instantiate(arithmetic(e, "<=", size(x)), {x: X}) for e in (x, -x))
    return chain(first, thm), chain(minus, second, thm)


def size_of_a_sum(X: Term, Y: Term) -> Theorem:
    """|X + Y| <= |X| + |Y|."""
    return instantiate(arithmetic(size(x + y), "<=", size(x) + size(y)), {x: X, y: Y})


def size_of_a_mean(X: Term, over: Over) -> Theorem:
    """|E X| <= E|X|."""
    point = lambda sign: instantiate(arithmetic(sign * x, "<=", size(x)), {x: X})
    centre, apart = bind(*over, X), bind(*over, size(X))
    sides = (show(sign * centre, "<=", apart, point(sign)) for sign in (1, -1))
    return show(size(centre), "<=", apart, *sides, centre, apart)


def below_the_larger(*squares: Term) -> tuple[Theorem, ...]:
    """A <= M^2 and B <= M^2 for the larger one M of sqrt(A) and sqrt(B)."""
    M = larger(*map(sqrt, squares))
    return tuple(
        calc(e, ("==", sqrt(e) ** 2), ("<=", M**2, show(sqrt(e), "<=", M, *squares))) for e in squares
    )


def inner(u: Term, w: Term) -> Theorem:
    """|u.w| <= |u||w| for vectors with the coordinates u and w."""
    first, second = outputs(u**2), outputs(w**2)
    near = square_bounded(cauchy_schwarz("coordinates", (j,), u, w, (m,)), outputs(u * w))
    return calc(near, ("==", sqrt(first) * sqrt(second), first, second))


def mean_of_a_product(X: Term, Y: Term, over: Over = OUTCOME) -> Theorem:
    """E XY <= sqrt(E X^2) sqrt(E Y^2) for nonnegative X and Y."""
    squares = bind(*over, X**2), bind(*over, Y**2)
    first, second = (arithmetic(e, "<=", sqrt(e) ** 2) for e in squares)
    return schwarz_of_bounds(*over, X, Y, first, second, *map(sqrt, squares))


def labels(body: Any) -> Term:
    """The sum over the coordinates of a label."""
    return bind("coordinates", (j,), body, (q,))
