"""What the spurious parts of the scores cost: given the query, the signal is more than with equal
alpha by at least a positive multiple of |Gx|^2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import assume, equal, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import i, mean, n, o
from proofs_check.derivations.window.subspace.cosines import sides
from proofs_check.derivations.window.subspace.equal_weights import Gx, c_v, m, out, spurious
from proofs_check.derivations.window.subspace.minimiser import w
from proofs_check.derivations.window.subspace.prompts.brackets import bounded, least, of_the_pair, rho
from proofs_check.derivations.window.subspace.prompts.pairs import uniform_pairs, without_the_flips
from proofs_check.derivations.window.subspace.prompts.weights import (
    V,
    along,
    along_0,
    alpha,
    beta,
    both,
    g,
    gap,
    of_pairs,
    pairs,
    scale,
    signal,
    signal_0,
)

x, y = (Variable(name, range=REALS) for name in "xy")
#: Any value of a pair of tokens.
F = Function("F", (Sort.INDEX, Sort.INDEX, Sort.TOKEN), Fraction(1))
length = out((c_v * Gx) ** 2)
share = least * exp(-2 * rho) * n * (n - 1) / (2 * spurious)


def in_both_orders(value: Term) -> Theorem:
    """The mean of a sum over pairs of tokens is the sum of the means."""
    name = F(i, g, o)
    return instantiate(equal(mean(pairs(name)), pairs(mean(name))), {F: ((i, g, o), value)})


@cache
def uniform_directions() -> Theorem:
    """Of n(n - 1) pairs of different tokens; a token has the same v as itself."""
    square = mean(pairs(out(w(m) * (V(i, m, o) - V(g, m, o))) ** 2))
    value = 2 * n * (n - 1) * out(w(m) ** 2) / spurious
    return assume("uniform v_i: the mean of the sum of (w.(v_i - v_g))^2", square, "==", value, every=(w,))


@cache
def of_a_pair() -> Theorem:
    """A pair adds at least `least` E (alpha_i - alpha_g)^2/2."""
    *_, swap, apart = uniform_pairs()
    flips, both_ = without_the_flips(), integrate("mean", (o,), of_the_pair())
    square = mean(gap**2)
    return calc(
        least * square / 2,
        ("==", least * (square - apart.lhs) / 2, apart, apart.lhs, least, square),
        ("==", both_.lhs / 2),
        ("<=", both_.rhs / 2, both_, *sides(both_)),
        ("==", (swap.lhs + swap.rhs) / 2),
        ("==", swap.lhs, swap, *sides(swap)),
        ("==", flips.rhs),
        ("==", flips.lhs, flips, *sides(flips)),
    )


@cache
def of_the_exponents() -> Theorem:
    """e^{-2 rho}(beta_i - beta_g)^2 <= (alpha_i - alpha_g)^2."""
    low = show(
        exp(-rho), "<=", exp(beta(i)), gcongr(exp(-rho), show(-rho, "<=", beta(i), bounded(), beta(i)))
    )
    other = instantiate(low, {i: g})
    point = show((x - y) ** 2, "<=", (exp(x - y) - 1) * (1 - exp(y - x)))
    point = instantiate(point, {x: beta(i), y: beta(g)})
    A, B = alpha(i), alpha(g)
    same = show(point.rhs, "==", gap**2 / (A * B))
    product = show(exp(-rho) ** 2, "<=", A * B, low, other, A, B, exp(-rho))
    whole = show(point.lhs * (A * B), "<=", gap**2, chain(point, same), A, B, gap, point.lhs)
    return calc(gcongr(exp(-rho) ** 2 * point.lhs, product), ("<=", gap**2, whole))


@cache
def gain() -> Theorem:
    """The mean of the signal with equal alpha, and `share` |c_v Gx|^2, is at most that of M."""
    each = of_a_pair()
    steeper = integrate("mean", (o,), of_the_exponents())
    steeper = gcongr(least / 2 * steeper.lhs, steeper)
    pair = chain(steeper, each)
    summed = integrate("coordinates", (i,), integrate("coordinates", (g,), pair, (n,)), (n,))
    half = gcongr(summed.lhs / 2, summed)
    moved = in_both_orders((beta(i) - beta(g)) ** 2)
    law = instantiate(uniform_directions(), {w: ((m,), c_v * Gx)})
    split = integrate("mean", (o,), of_pairs())
    order = in_both_orders(gap * (scale * both(along, along_0)))
    front = least * exp(-2 * rho) / 4
    cost = calc(
        share * length,
        ("==", front * law.rhs),
        ("==", front * law.lhs, law, *sides(law), front),
        ("==", front * moved.lhs),
        ("==", front * moved.rhs, moved, *sides(moved), front),
        ("==", summed.lhs / 2),
        ("<=", half.rhs, half),
        ("==", order.rhs / 2),
        ("==", order.lhs / 2, order, *sides(order)),
        ("==", split.rhs),
        ("==", split.lhs, split, *sides(split)),
        ("==", mean(signal) - mean(signal_0)),
    )
    ends = mean(signal), mean(signal_0)
    return show(ends[1] + cost.lhs, "<=", ends[0], cost, cost.lhs, *ends)
