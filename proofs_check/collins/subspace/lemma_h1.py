"""Lemma H.1 of Collins et al.: some attention to col(B) is better than none, also where labels are
noisy, if there are at least two tokens.
"""

from __future__ import annotations

from itertools import product

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Integers, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge
from theory.attention.window.low_rank import signal_of_signs

k, c_a, c_u = sp.symbols("k c_a c_u", positive=True)
UNDER_THE_MEAN = ("Leibniz: the derivative of a mean is the mean of the derivatives, on a compact set",)


def mean(e: sp.Expr, t: list[sp.Symbol], r: dict[tuple[int, int], sp.Symbol]) -> sp.Expr:
    """Average over u_i = t_i u + w_i: t_i has mean 0 and second moment 1/k, and is odd; w_i is
    perpendicular to u and symmetric, with |w_i|^2 = 1 - t_i^2, and r_ij = w_i'w_j has mean 0 given
    t.
    """
    poly = sp.Poly(sp.expand(e), *t, *r.values())
    total = sp.S.Zero
    for powers, coefficient in poly.terms():
        of_t, of_r = powers[: len(t)], powers[len(t) :]
        if sum(of_r) > 1 or any(x > 3 for x in of_t):
            raise ArithmeticError("only moments of degree three are known")
        if any(of_r) or any(x % 2 for x in of_t):
            continue
        total += coefficient * sp.prod([1 / k if x == 2 else 1 for x in of_t])
    return total


def slopes(n: int) -> tuple[sp.Expr, sp.Expr, list[sp.Symbol]]:
    """The derivatives at c = 0 of the signal term J and of the mean of sum_i gamma_i^2."""
    c, alpha = sp.Symbol("c"), list(sp.symbols(f"alpha_1:{n + 1}", positive=True))
    t = list(sp.symbols(f"t_1:{n + 1}"))
    r = {(i, j): sp.Symbol(f"r_{i}{j}") for i, j in product(range(n), range(n)) if i < j}
    S = sum(alpha)
    w = [a / S for a in alpha]
    tilt = sum(a * b for a, b in zip(w, t))
    # gamma_i = w_i (1 + c_u^2 c (t_i - tilt)) to first order in c
    gamma = [a * (1 + c_u**2 * c * (b - tilt)) for a, b in zip(w, t)]
    inner = lambda i, j: (
        (1 - 2 * t[i] + 1) if i == j else t[i] * t[j] + r[min(i, j), max(i, j)] - t[i] - t[j] + 1
    )
    signal = sum(gamma[i] * gamma[j] * inner(i, j) for i, j in product(range(n), range(n)))
    first = lambda e: sp.expand(e).coeff(c, 1)
    return c_a**2 * c_u**2 * mean(first(signal), t, r), mean(first(sum(g**2 for g in gamma)), t, r), alpha


@claim("COL:H.1/derivative", control=dict(factor=1), cites=UNDER_THE_MEAN)
def derivative_at_zero(*, factor: int = 2) -> Evidence:
    r"""$J^{\prime}(0)$ is `factor` = 2 times
    $\frac{c_a^2c_u^4}{k}\left(\sum\alpha_i^2/(\sum\alpha_i)^2-1\right)$, for any weights, $n$ and
    $k$; $n=2$ and $n=3$ are tried.
    """
    out = []
    for n in (2, 3):
        signal, _, alpha = slopes(n)
        printed = factor * c_a**2 * c_u**4 / k * (sum(a**2 for a in alpha) / sum(alpha) ** 2 - 1)
        out.append(identity(computed(r"J^{\prime}(0)", sp.factor(signal)), printed))
    return derivation("COL:H.1/derivative", all_of(*out), factor=factor)


def squares_are_less(least: int, sign: int) -> Evidence:
    """The sum of the squares of the weights, less the square of their sum, is negative for equal
    weights of at least so many tokens, and for any of two, which is turned by the sign.
    """
    n = sp.Symbol("n", integer=True, positive=True)
    a, b = sp.symbols("alpha_1 alpha_2", positive=True)
    two = forall(sign * (a**2 + b**2), "<", sign * (a + b) ** 2, {a: (0, oo), b: (0, oo)})
    return all_of(forall(1 / n - 1, "<", 0, {n: Integers(least, oo)}), two)


@claim(
    "COL:H.1/sign",
    **charge(false="edge", at="n = 1", costs="a hypothesis"),
    repair=dict(least=2),
    control=(dict(least=1), dict(sign=-1)),
    needs=("COL:H.1/derivative",),
    cites=UNDER_THE_MEAN,
    hypotheses=("n in Integers", "n >= 1"),
)
def zero_is_not_a_minimiser(*, least: int = 1, sign: int = 1) -> Evidence:
    r"""$J^{\prime}(0)$ times `sign` = 1 is negative for $n\geq{}$ `least` = 1 tokens and any
    weights. Tried are equal ones, for which it is a positive number times $\frac1n-1$, and two.
    """
    return derivation("COL:H.1/sign", squares_are_less(least, sign), least=least, sign=sign)


@claim("COL:H.5.noise/slope", control=dict(factor=3), needs=("COL:H.1/derivative",), cites=UNDER_THE_MEAN)
def noise_does_not_see_a_small_window(*, factor: int = 2) -> Evidence:
    r"""The derivative at $0$ of the mean of $\sum_i\gamma_i^2$ is $0$, so that of the whole loss
    is that of the signal, `factor` = 2 times the number that Lemma H.1 has, for every $\sigma$, $n$
    and $k$; $n=2$ and $n=3$ are tried.
    """
    sigma = sp.Symbol("sigma", positive=True)
    first, out = [], []
    for n in (2, 3):
        signal, noise, alpha = slopes(n)
        first.append(identity(computed(r"\partial_c\sum\gamma_i^2", noise), factor - 2))
        printed = factor * c_a**2 * c_u**4 / k * (sum(a**2 for a in alpha) / sum(alpha) ** 2 - 1)
        out.append(
            identity(computed(r"\partial_c\mathcal L(0)", sp.factor(signal + sigma**2 * noise)), printed)
        )
    return derivation("COL:H.5.noise/slope", all_of(*first), all_of(*out), factor=factor)


@claim(
    "COL:H.5.noise/positive",
    control=(dict(least=1), dict(sign=-1)),
    needs=("COL:H.5.noise/slope", "COL:H.1/sign", "COL:H.2"),
    cites=UNDER_THE_MEAN,
)
def opposite_direction_is_worse(*, least: int = 2, sign: int = 1) -> Evidence:
    r"""For $n\geq{}$ `least` = 2 tokens, any weights $\alpha_i$ and every $k$ and $\sigma$ the
    loss, times `sign` = 1, is less at $c>0$ than at $-c$, where $c=c_u^2c_p$, and its derivative at
    $0$ is negative, so that no $c_p\leq0$ minimises it. The loss of $-c$ is that of $c$ for the
    tokens $-u_i$, which have the law of the $u_i$, and is greater by $4c_a^2c_u^2$ times the mean
    of $u^\top\sum_i\gamma_iu_i$. That is positive: over the reflection of $u_i$ to the other side
    of $u^\perp$ the mean of $\gamma_iu^\top u_i$ is at least a positive multiple of the mean of
    $(u^\top u_i)^2$. It is tried for $k=1$ and up to two tokens.
    """
    E, alpha = sp.Symbol("E", positive=True), list(sp.symbols("alpha_1:3", positive=True))
    searches = []
    for n in range(least, 3):
        gap = sp.factor(signal_of_signs(alpha[:n], 1 / E) - signal_of_signs(alpha[:n], E))
        searches.append(forall(sign * gap, ">", 0, {E: (1, oo), **dict.fromkeys(alpha[:n], (0, oo))}))
    parts = all_of(*searches), squares_are_less(least, sign)
    return derivation("COL:H.5.noise/positive", *parts, least=least, sign=sign)
