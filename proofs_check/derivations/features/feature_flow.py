"""The gradient flow of Q for exchangeable tasks and population prompts: the slope of the loss along
it.

The queries are numbered from 1 to K, and the classes other than that of a query from 1 to M, where
nothing asks that M + 1 is K: x are the differences of the query's feature v and theirs, and sigma2
is sigma_f^2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import bind
from numerics.derivations.derived import chain, exp
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, equal, integrate
from numerics.derivations.sorts import POSITIVE, Sort, whole
from numerics.derivations.terms import Function, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.features.steps import scaled

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


@cache
def adds_up() -> Theorem:
    """The attention on the other classes adds up to 1 - w_k."""
    S = others(odds)
    return chain(others(w), arithmetic(own * S, "==", 1 - own, hide=(S,)))


@cache
def slope() -> Theorem:
    """The derivative of the loss along any path is -<G, Q'>: for each query that of half the error
    is -sum_m w_m (w_k + w_m - |w|^2) times the growth of the score of v_k over that of v_m.
    """
    growth = -entries(direction * Q.rate(i, j, t))
    S, Y, T, B = others(w), others(w * growth), others(w**2 * growth), others(w**2)
    form = equal(derivative(error, t), 2 * S * (Y - S * Y) + 2 * (T - B * Y))
    first = arithmetic(
        form.rhs, "==", 2 * (own * Y + T - own**2 * Y - B * Y), adds_up(), hide=(S, Y, T, B, own)
    )
    one = chain(form, first, 2 * others(w * (own + w - own**2 - B) * growth))
    each = arithmetic(derivative(p * error, t), "==", p * one.rhs, one, hide=(one.lhs, one.rhs, p))
    total = integrate("coordinates", (k,), each, (K,))
    whole_sum = arithmetic(
        derivative(loss, t), "==", spread / 2 * total.rhs, total, hide=(total.lhs, total.rhs)
    )
    return chain(whole_sum, -entries(G * Q.rate(i, j, t)))


@cache
def loss_falls() -> Theorem:
    """The derivative of the loss along the flow is -eta |g|^2."""
    here = g(i, j, t)
    each = arithmetic(G * Q.rate(i, j, t), "==", eta * here**2, gradient, flow, hide=(G,))
    return chain(slope(), scaled(term(-1), integrate("coordinates", (i, j), each, (r, r))), -eta * square)


@cache
def diagonal_from_the_rest() -> Theorem:
    """sum_m (-H_mk) = H_kk for each query, as a column of H adds up to 0."""
    S, B = others(w), others(w**2)
    expanded = equal(others(h), spread * p * (own * S + B - own**2 * S - B * S))
    return chain(
        expanded,
        arithmetic(expanded.rhs, "==", spread * p * own * (S**2 + B), adds_up(), hide=(S, B, own, p)),
        diagonal,
    )
