"""A prompt of n tokens, a query and the weights of attention, as terms.

All that is random in them is one outcome o, of whatever law: each token may depend on each other
where nothing else is assumed. An index stands for 1, 2, 3, ..., and the sums are finite: what is
assumed of every index holds for tokens of the sphere with the first one once more for each beyond
n, for coordinates of points that are 0 beyond d, and for a direction whose first coordinate stands
once more for each beyond d.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, equal, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort, whole
from numerics.derivations.kernel.terms import Defined, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem

o, k = Variable("o", Sort.TOKEN), Variable("k", Sort.TOKEN)
q = Variable("q", Sort.QUERY)
i, j, l = (Variable(name, Sort.INDEX) for name in "ijl")
#: The number of tokens, and the dimension.
n, d = (Variable(name, range=whole(1)) for name in "nd")
a, b, c, e, t, u = (Variable(name, range=REALS) for name in "abcetu")
Lip, width, s = (Variable(name, range=POSITIVE) for name in ("Lip", "w", "s"))
zeta = Variable("zeta", range=NONNEGATIVE)
#: Coordinates of the tokens and of the query, those with all exponential moments, and the scores.
X, x = Function("X", (Sort.INDEX, Sort.INDEX, Sort.TOKEN)), Function("x", (Sort.INDEX, Sort.TOKEN))
bounded_X, bounded_x = (Function(at.name, at.sorts, None) for at in (X, x))
score = Function("s_", (Sort.INDEX, Sort.TOKEN))


def mean(body: Term | int, of: Variable = o) -> Term:
    """The mean over the outcome, or another one that does not depend on it."""
    return bind("mean", (of,), body)


def tokens(body: Term | int, index: Variable = i) -> Term:
    """The sum over the tokens of the prompt."""
    return bind("coordinates", (index,), body, (n,))


def over(body: Term | int, index: Variable = j) -> Term:
    """The sum over the coordinates."""
    return bind("coordinates", (index,), body, (d,))


W = exp(score(i, o))
S = Defined("S", tokens(W))


def average(value: Term) -> Term:
    """The average of a value of the tokens i with the weights of attention."""
    return tokens(W * value) / S


@cache
def on_the_sphere() -> tuple[Theorem, Theorem]:
    """|x_i| = 1 for every token and |x| = 1 for the query."""
    return (
        assume("tokens on the sphere", over(X(i, j, o) ** 2), "==", 1, every=(i, o)),
        assume("query on the sphere", over(x(j, o) ** 2), "==", 1, every=(o,)),
    )


#: The squared distance of a token from the query, and their inner product.
distance = over((X(i, j, o) - x(j, o)) ** 2)
height = over(X(i, j, o) * x(j, o))


@cache
def half_the_square() -> Theorem:
    """x_i.x = 1 - |x_i - x|^2/2 on the sphere."""
    one, other = on_the_sphere()
    same = equal(distance, over(X(i, j, o) ** 2) - 2 * height + over(x(j, o) ** 2))
    return arithmetic(height, "==", 1 - distance / 2, same, one, other)


@cache
def square_of_an_average(value: Term) -> Theorem:
    """(sum gamma_i v_i)^2 <= sum gamma_i v_i^2: the mean of the squares about the average."""
    V, Q = tokens(W * value), tokens(W * value**2)
    each = instantiate(arithmetic(0, "<=", zeta * (t - u) ** 2), {zeta: W, t: value, u: V / S})
    spread = chain(0, tokens(0 * W), integrate("coordinates", (i,), each, (n,)), Q - V**2 / S)
    short = arithmetic(V**2 / S**2, "<=", Q / S, spread, hide=(V, Q))
    return chain(average(value) ** 2, short, average(value**2))
