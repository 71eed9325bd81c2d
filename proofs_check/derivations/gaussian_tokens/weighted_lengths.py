"""Exponential moments of |x|^2 for a Gaussian vector x = R xi with a square matrix R, so that the
covariance S = R R' is any one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import GAUSSIAN, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.lengths import (
    HALF,
    absolute,
    fourth,
    length,
    other,
    real,
    second,
    trace,
)
from proofs_check.derivations.gaussian_tokens.linear_model import x
from proofs_check.derivations.gaussian_tokens.moments import squared, total_mass
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.gaussian_tokens import R, g, mean, n, rank
from proofs_check.derivations.softmax_average.softmax_average import d, i, over, v

k_ = Variable("k", range=POSITIVE)
SQUARE = {rank: d}
X, N, own_trace = (instantiated(e, SQUARE) for e in (length(), squared, trace))


@cache
def operator_norm() -> Theorem:
    """b' S b <= k|b|^2 for every b."""
    image = over(n, d, over(i, d, R(i, n) * v(i)) ** 2)
    return assume("|S| <= k", image, "<=", k_ * over(i, d, v(i) ** 2), every=(v,))


@cache
def stretched() -> Theorem:
    """|x|^2 <= k|xi|^2, from x.x = (R'x).xi <= |R'x|^2/(2k) + k|xi|^2/2."""
    at = instantiated(x(i), SQUARE)
    plain, image, xi = over(i, d, at**2), over(i, d, R(i, n) * at), GAUSSIAN(n, g)
    young = show(real * other, "<=", real**2 / (2 * k_) + k_ * other**2 / 2)
    total = calc(
        plain,
        ("<=", over(n, d, image**2) / (2 * k_) + k_ * N / 2, instantiate(young, {real: image, other: xi})),
        ("<=", plain / 2 + k_ * N / 2, instantiate(operator_norm(), {v: ((i,), at)})),
    )
    same = instantiate(show(absolute(real) ** 2, "==", real**2), {real: at})
    return calc(X, ("==", plain, same), ("<=", k_ * N, show(plain, "<=", k_ * N, total)))


def statements(part: int | Fraction = Fraction(1, 4), share: int | Fraction = 1) -> tuple[Statement, ...]:
    """E e^{part |x|^2/k}|x|^{2j} is at most 2^{d/2} times 1, 2 tr S and 12 share (tr S)^2."""
    weighted = exp(Fraction(part) / k_ * X)
    left = (mean(weighted), mean(X * weighted), mean(X**2 * weighted))
    right = (term(1), 2 * own_trace, 12 * Fraction(share) * own_trace**2)
    return tuple(
        Statement(a, "<=", 2 ** (d / 2) * b, operator_norm().assumptions) for a, b in zip(left, right)
    )


@proves("OURS:T5.2.gap/gaussian", statements, part=(1, 2, 3))
@cache
def bounds() -> tuple[Theorem, ...]:
    """E e^{|x|^2/(4k)}|x|^{2j} is at most 2^{d/2} times 1, 2 tr S, 12 (tr S)^2 for j = 0, 1, 2."""
    light = calc(Fraction(1, 4) / k_ * X, ("<=", Fraction(1, 4) / k_ * (k_ * N), stretched()), ("==", N / 4))
    out = []
    for power, known in enumerate((total_mass(HALF), second(HALF), fourth(HALF))):
        factor = X**power if power else term(1)
        point = gcongr(factor * exp(light.lhs), light)
        out.append(chain(integrate("normal", (g,), point), instantiate(known, SQUARE)))
    return tuple(out)
