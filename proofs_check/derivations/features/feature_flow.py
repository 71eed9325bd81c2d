"""The gradient flow of Q for exchangeable tasks and population prompts: the slope of the loss along
it.

The queries are numbered from 1 to K, and the classes other than that of a query from 1 to M, where
nothing asks that M + 1 is K: x are the differences of the query's feature v and theirs, and sigma2
is sigma_f^2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import POSITIVE, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show

k, n, i, j = (Variable(name, Sort.INDEX) for name in "knij")
t = Variable("t", Sort.TIME)
K, M, r = (Variable(name, range=whole(1)) for name in "KMr")
eta, spread = Variable("eta", range=POSITIVE), Variable("sigma2", range=POSITIVE)
Q = Function("Q", (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1))
v = Function("v", (Sort.INDEX, Sort.INDEX))
x = Function("x", (Sort.INDEX, Sort.INDEX, Sort.INDEX))
#: Logarithms of the probability of a query, and of the mass of a class over that of the query's.
log_p, log_mass = Function("logp", (Sort.INDEX,)), Function("logm", (Sort.INDEX, Sort.INDEX))

queries = lambda e: bind("coordinates", (k,), e, (K,))
others = lambda e: bind("coordinates", (n,), e, (M,))
entries = lambda e: bind("coordinates", (i, j), e, (r, r))

p = exp(log_p(k))
direction = x(n, k, i) * v(k, j)
odds = exp(log_mass(n, k) - entries(direction * Q(i, j, t)))
own = 1 / (1 + others(odds))
w = odds * own
error = others(w) ** 2 + others(w**2)
loss = spread / 2 * queries(p * error)
#: -H_mk of R7 and H_kk, for the query k.
h = spread * p * w * (own + w - own**2 - others(w**2))
diagonal = spread * p * own * error
#: Minus the gradient in Q.
G = queries(others(h * direction))
g = Function("g", (Sort.INDEX, Sort.INDEX, Sort.TIME))
gradient = assume("g is minus the gradient", g(i, j, t), "==", G, every=(i, j, t))
flow = assume("gradient flow", Q.rate(i, j, t), "==", eta * g(i, j, t), every=(i, j, t))
square = entries(g(i, j, t) ** 2)


def at(e: Term, X: Term) -> Term:
    """A term of the flow at any matrix, whose entries are X."""
    return instantiated(e, {Q: ((i, j, t), X)})


@cache
def adds_up(X: Term = Q(i, j, t)) -> Theorem:
    """The attention on the other classes adds up to 1 - w_k at any matrix."""
    S, of_own = others(at(odds, X)), at(own, X)
    return calc(others(at(w, X)), ("==", of_own * S), ("==", 1 - of_own, S))


@cache
def slope() -> Theorem:
    """The derivative of the loss along any path is -<G, Q'>: for each query that of half the error
    is -sum_m w_m (w_k + w_m - |w|^2) times the growth of the score of v_k over that of v_m.
    """
    growth = -entries(direction * Q.rate(i, j, t))
    S, Y, T, B = others(w), others(w * growth), others(w**2 * growth), others(w**2)
    of_error = 2 * (own * Y + T - own**2 * Y - B * Y)
    one = calc(
        derivative(error, t),
        ("==", 2 * S * (Y - S * Y) + 2 * (T - B * Y)),
        ("==", of_error, adds_up(), S, Y, T, B, own),
    )
    return calc(
        derivative(loss, t),
        ("==", spread / 2 * queries(p * derivative(error, t))),
        ("==", spread / 2 * queries(p * of_error), one),
        ("==", -entries(G * Q.rate(i, j, t))),
    )


@cache
def loss_falls() -> Theorem:
    """The derivative of the loss along the flow is -eta |g|^2."""
    each = show(G * Q.rate(i, j, t), "==", eta * g(i, j, t) ** 2, gradient, flow, G)
    return calc(slope(), ("==", -entries(eta * g(i, j, t) ** 2), each), ("==", -eta * square))


@cache
def diagonal_from_the_rest(X: Term = Q(i, j, t)) -> Theorem:
    """sum_m (-H_mk) = H_kk for each query and at any matrix, as a column of H adds up to 0."""
    of_own, each = at(own, X), at(w, X)
    S, B = others(each), others(each**2)
    return calc(
        others(at(h, X)),
        ("==", spread * p * (of_own * S + B - of_own**2 * S - B * S)),
        ("==", spread * p * of_own * (S**2 + B), adds_up(X), S, B, of_own, p),
        ("==", at(diagonal, X)),
    )
