"""R13: the loss of an attention window is a sum of integrals over single tokens, for every prompt
length and class.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp

from numerics.attention.window.loss import window_loss
from numerics.attention.window.plain import plain_window_loss
from numerics.evidence import Evidence, all_of
from numerics.provers import computed, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.compared import Compared, agree
from theory.attention.window.classes import Spectrum, affine, cosine, relu
from theory.attention.window.gegenbauer import polynomials

t, s, phi = sp.symbols("t s phi", real=True)
X, r = sp.symbols("X r", positive=True)


def averaged_legendre(k: int) -> sp.Expr:
    """The mean of P_k(x_1'x_2) over the directions of two tokens at the heights t and s, d = 3:
    over a uniform angle phi between them.
    """
    roots = sp.Symbol("c", real=True)  # sqrt(1 - t^2) sqrt(1 - s^2), of which even powers remain
    polynomial = sp.expand(sp.legendre(k, t * s + roots * sp.cos(phi)))
    mean = sp.integrate(polynomial, (phi, 0, 2 * sp.pi)) / (2 * sp.pi)
    return sp.expand(sp.expand(mean).subs(roots**2, (1 - t**2) * (1 - s**2)))


def three_tokens(diagonal: int) -> Evidence:
    """The form of OURS:R13/weights for three tokens."""
    g, h = sp.symbols("gamma_1 gamma_2", real=True)
    weights, P = [g, h, 1 - g - h], sp.symbols("p_1:4", real=True)
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    left = 1 - 2 * sum(w * p for w, p in zip(weights, P)) + sum(w**2 for w in weights)
    left += sum(weights[i] * weights[j] * P[i] * P[j] for i, j in pairs)
    right = diagonal * sum(w**2 * (1 - p) for w, p in zip(weights, P))
    return identity(left, right + sum(weights[i] * weights[j] * (1 - P[i]) * (1 - P[j]) for i, j in pairs))


def error_of_two_tokens(whole: int) -> Evidence:
    """X times the error of two tokens is its numerator."""
    W, V = sp.symbols("W V", positive=True)
    at, one, other = sp.symbols("f_0:3", real=True)
    error = whole * at - (W * one + V * other) / (W + V)
    return identity((W + V) * error, W * (at - one) + V * (at - other))


@claim(
    "OURS:R13",
    control=(dict(power=2), dict(factor=1), dict(whole=2), dict(product=2)),
    needs=("OURS:R13/weights",),
    cites=("Tonelli's theorem: means and integrals over r of nonnegative terms may be exchanged",),
)
def integrals_over_single_tokens(
    *, power: int = 1, factor: int = 2, whole: int = 1, product: int = 1
) -> Evidence:
    r"""With $X=\sum_iW_i$, $X$ times the error is $N=\sum_iW_i(f(x)-f(x_i)-\epsilon_i)$; it is
    derived that the mean of $N^2e^{-rX}$ over tasks, tokens and noise is the displayed integrand
    over $r$, for every $r>0$, $n$, $d$ and any number of degrees, by the independence of the
    tokens, the addition theorem and the formula of Funk and Hecke, which are cited; and
    $\int_0^\infty r^{`power`}e^{-rX}dr=X^{-2}$, with `power` = 1, so that Tonelli's theorem gives
    the loss of these degrees.

    Tried are the error of two tokens, the weights of three, and the addition theorem for $d=3$ and
    $k\leq3$: the mean of $P_k(x_i^\top x_j)$ is `product` = 1 times $P_k(t)P_k(s)$. Here `factor`
    stands for the 2 of $2n$, and `whole` for the sum of the weights.
    """
    inverse = sp.integrate(r**power * sp.exp(-r * X), (r, 0, sp.oo))
    parts = [identity(computed(r"\int re^{-rX}dr", inverse), X**-2)]
    for k in (1, 2, 3):
        mean = computed(rf"\mathbb E P_{k}(x_i^\top x_j)", averaged_legendre(k))
        parts.append(identity(mean, product * sp.legendre(k, t) * sp.legendre(k, s)))
    tried = error_of_two_tokens(whole), three_tokens(factor)
    return all_of(derivation("OURS:R13", *tried, factor=factor, whole=whole), *parts)


@claim("OURS:R13/weights", control=dict(diagonal=1))
def single_tokens_and_pairs(*, diagonal: int = 2) -> Evidence:
    r"""For any number of tokens with positive weights, $\gamma_i$ of sum 1, and any numbers $p_i$
    for $P_k(t_i)$, $q_i=1-p_i$: $1-2\sum\gamma_ip_i+\sum\gamma_i^2+\sum_{i\neq
    j}\gamma_i\gamma_jp_ip_j$ is `diagonal` = 2 times $\sum\gamma_i^2q_i$ plus $\sum_{i\neq
    j}\gamma_i\gamma_jq_iq_j$. It is tried for three tokens.
    """
    return derivation("OURS:R13/weights", three_tokens(diagonal), diagonal=diagonal)


def by_double_integral(spectrum: Spectrum, w: float, noise: float, nodes: int = 300) -> float:
    y, weights = np.polynomial.legendre.leggauss(nodes)
    angle = np.pi / 2 * (1 + y)
    weights = weights * np.sin(angle) ** (spectrum.d - 2)
    weights, heights = weights / weights.sum(), np.cos(angle)
    q = 1 - polynomials(spectrum.d, len(spectrum.b) - 1, heights)[1:]
    first = 1 / (1 + np.exp(-2 * w * (heights[:, None] - heights)))
    squares = first**2 + (1 - first) ** 2
    diagonal = 2 * (first**2 * (spectrum.b[1:] @ q)[:, None] + (1 - first) ** 2 * (spectrum.b[1:] @ q))
    pairs = 2 * first * (1 - first) * np.einsum("k,ki,kj->ij", spectrum.b[1:], q, q)
    return float(weights @ (diagonal + pairs + noise * squares) @ weights)


@claim("OURS:R13.values", control=dict(tokens=3), needs=("OURS:R13",))
def values_by_other_routes(*, tokens: int = 2) -> Evidence:
    r"""The loss of `tokens` = 2 tokens is that of the double integral over two, and the loss of 7
    and 100 tokens that of the definition, to $10^{-7}$.
    """
    cases = []
    for d, tasks, w in ((2, affine(1), 1.0), (3, cosine(3), 4.0), (5, relu(1), 7.0), (8, cosine(6), 20.0)):
        spectrum = tasks.spectrum(d, 120)
        whole = Spectrum(d, spectrum.b)  # the same degrees on both sides
        found = float(window_loss(whole, d, tokens, w, 0.1).loss)
        again = partial(plain_window_loss, whole, tokens, w, 0.1)
        cases.append(
            Compared(f"{tasks.name}, d = {d}, w = {w}", found, by_double_integral(whole, w, 0.1), again)
        )
        for n in (7, 100):
            stated = plain_window_loss(whole, n, w, 0.1)
            finer = partial(plain_window_loss, whole, n, w, 0.1, nodes=1000, step=0.15)
            name = f"{tasks.name}, d = {d}, n = {n}"
            cases.append(Compared(name, float(window_loss(whole, d, n, w, 0.1).loss), stated, finer))
    return agree("quadrature", cases, 1e-7, checked=r"\mathcal L\text{ by three routes}")


def expanded(spectrum: Spectrum, n: int, noise: float, w: float) -> float:
    """The derivative of the loss over the width, extrapolated to width 0 from two small ones."""
    at = lambda x: float(window_loss(spectrum, spectrum.d, n, x, noise).derivative) / x
    return 2 * at(w) - at(2 * w)


@claim("OURS:R13.window", control=(dict(four=3), dict(two=3)), needs=("OURS:R13",))
def expansion_at_no_window(*, four: int | Fraction = 4, two: int | Fraction = 2) -> Evidence:
    r"""The derivative at $w=0$ is $-b_1(1-\frac1n)/d$ times `four` = 4; for $b_1=0$ that at small
    $w$ over $w$, extrapolated to 0, is $\frac{8}{dn}(1-\frac1n)$ times the bracket, in which
    $(n-2)b_2$ has the factor `two` = 2, to $10^{-4}$.
    """
    cases, share = [], float(four) / 4
    for d, n, b in ((2, 2, [0, 1.0]), (3, 5, [1, 0.3, 0.2]), (7, 1000, [0, 0.1, 0, 0.4])):
        found = float(window_loss(b, d, n, 0.0, 0.3).derivative)
        cases.append(
            Compared(
                f"slope, d = {d}, n = {n}", found, -4 * share * b[1] * (1 - 1 / n) / d, partial(float, found)
            )
        )
    for d, n, b, noise in (
        (3, 5, [0, 0, 1.0], 0.5),
        (2, 40, [0, 0, 0.2, 0.5], 0.1),
        (6, 300, [0, 0, 0.01, 0, 1.0], 0.0),
    ):
        spectrum = Spectrum(d, np.array(b))
        found = expanded(spectrum, n, noise, 1e-3)
        bracket = spectrum.varying + noise - float(two) * (n - 2) * b[2] / (d + 2)
        again = partial(expanded, spectrum, n, noise, 5e-4)
        cases.append(
            Compared(f"curvature, d = {d}, n = {n}", found, 8 / (d * n) * (1 - 1 / n) * bracket, again)
        )
    return agree("quadrature", cases, 1e-4, checked=r"\mathcal L^\prime(0),\ \mathcal L^{\prime\prime}(0)")
