"""The softmax average R_L/S_L over a prompt and its limit R/S as terms of the kernel."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Range, Sort, whole
from numerics.derivations.kernel.terms import Defined, Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem

k, l = Variable("k", Sort.TOKEN), Variable("l", Sort.TOKEN)
i, j = Variable("i", Sort.INDEX), Variable("j", Sort.INDEX)
prompt = Variable("prompt", Sort.PROMPT)
m, d = Variable("m", range=whole(1)), Variable("d", range=whole(1))
sigma = Variable("sigma", range=POSITIVE)
share = Variable("delta", range=Range(Fraction(0), Fraction(1)))
t, s, eps = (Variable(name, range=POSITIVE) for name in ("t", "s", "eps"))
x, y, u, c = (Variable(name, range=REALS) for name in "xyuc")
f = Function("f", (Sort.INDEX, Sort.TOKEN), Fraction(4))
z = Function("z", (Sort.INDEX, Sort.TOKEN), None)
a, v = Function("a", (Sort.INDEX,)), Function("v", (Sort.INDEX,))


def mean(body: Term | int) -> Term:
    """The mean over one token, k."""
    return bind("mean", (k,), body)


def expectation(body: Term | int) -> Term:
    """The mean over the prompt."""
    return bind("prompt", (prompt,), body)


def total(body: Term | int) -> Term:
    """The sum over the tokens k of the prompt."""
    return bind("sum", (k,), body, (prompt,))


def over(index: Variable, size: Variable, body: Term | int) -> Term:
    """The sum over an index from 1 to a size."""
    return bind("coordinates", (index,), body, (size,))


score = over(j, d, a(j) * z(j, k))
w = exp(score)
F = over(i, m, f(i, k) ** 2)
a2 = Defined("a2", sigma**2 * over(j, d, a(j) ** 2))
g = Defined("g", exp(-L * exp(-2 * a2) / 16))
K = Defined("K", sqrt(mean(F**2)))
m0, q = Defined("m0", mean(w)), Defined("q", mean(w**2))
r = mean(w * f(i, k)) / m0
rho = Defined("rho", over(i, m, r**2))
S_L, R_L = Defined("S_L", total(w)), total(w * f(i, k))
S = L * m0
HALF = Fraction(1, 2)


def holds(kept: Fraction = HALF) -> Term:
    """Where the normaliser is at least a share of its mean."""
    return Op("ind", (S_L - kept * S,))


def fails(kept: Fraction = HALF) -> Term:
    """Where the normaliser is less than a share of its mean."""
    return Op("above", (kept * S - S_L,))


good, bad = holds(), fails()
error_squared = Defined("err2", over(i, m, (R_L / S_L - r) ** 2))


@cache
def sub_gaussian() -> Theorem:
    """E e^{v.Z} <= e^{sigma^2 |v|^2/2} for every v, the definition."""
    X = over(j, d, v(j) * z(j, k))
    return assume("sub-Gaussian", mean(exp(X)), "<=", exp(sigma**2 * over(j, d, v(j) ** 2) / 2), every=(v,))


@cache
def moment(number: Term) -> Theorem:
    """E e^{c a.Z} <= e^{c^2 a2/2} for a number c."""
    at = instantiate(sub_gaussian(), {v: ((j,), number * a(j))})
    return chain(mean(exp(number * score)), at, exp(number**2 * a2 / 2))
