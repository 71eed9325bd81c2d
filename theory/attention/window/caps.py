"""Caps of the sphere, the truncated gamma sum, and the mean of the kernel sums, exactly (Collins et
al., Lemma G.1, Definition G.2, Lemma G.4).

Tokens are uniform on the unit sphere of R^d. A cap of height eps holds the points y with
``x'y >= 1 - eps``; the kernel sums are ``g_p(r) = sum_i |x_i - x|^p e^{-r |x_i - x|^2}``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from scipy.special import betainc, betaln, hyp1f1

__all__ = ["cap_measure", "mean_kernel", "truncated_gamma"]


def cap_measure(eps: Any, d: int) -> Any:
    """The share ``sigma_eps = (1/2) I_{2 eps - eps^2}((d-1)/2, 1/2)`` of the sphere in R^d in a cap
    of height eps in [0, 1]; rational for odd d and rational eps.
    """
    _check_dimension(d)
    if not isinstance(eps, sp.Basic):
        x = np.asarray(eps, dtype=float)
        if not np.all((x >= 0) & (x <= 1)):
            raise ValueError(f"a cap has a height eps in [0, 1], got {eps}; take 1 - sigma_(2-eps)")
        share = betainc((d - 1) / 2, 0.5, x * (2 - x)) / 2
        return share if share.ndim else float(share)
    if eps.is_number and not 0 <= eps <= 1:
        raise ValueError(f"a cap has a height eps in [0, 1], got {eps}; take 1 - sigma_(2-eps)")
    return sp.expand(_tail(1 - eps, d) / _tail(sp.Integer(-1), d))


def _tail(c: sp.Expr, d: int) -> sp.Expr:
    """The integral of ``(1-t^2)^{(d-3)/2}`` over (c, 1), by parts from d - 2 to d."""
    if d == 2:
        return sp.acos(c)
    if d == 3:
        return 1 - c
    k = sp.Rational(d - 3, 2)
    return (2 * k * _tail(c, d - 2) - c * (1 - c**2) ** k) / (2 * k + 1)


def truncated_gamma(d: Any, alpha: Any, m: Any) -> Any:
    """The sum ``gamma(d, alpha, m) = sum_{i=1}^m i^d e^{-alpha i}`` of Definition G.2, where d may
    be half an integer; a symbolic m leaves it unevaluated.
    """
    symbol = isinstance(m, sp.Basic) and not m.is_number
    if not symbol and (m != int(m) or m < 0):
        raise ValueError(f"Definition G.2 sums over i = 1..m, got m = {m}; take an integer m >= 0")
    if any(isinstance(value, sp.Basic) for value in (d, alpha, m)):
        if symbol:
            i = sp.Symbol("i", integer=True, positive=True)
            return sp.Sum(i**d * sp.exp(-alpha * i), (i, 1, m))
        terms = (sp.Integer(j) ** d * sp.exp(-alpha * j) for j in range(1, int(m) + 1))
        return sp.Add(*terms)
    steps = np.arange(1, int(m) + 1, dtype=float)
    return float(np.sum(steps**d * np.exp(-alpha * steps)))


def mean_kernel(p: Any, r: Any, d: int) -> Any:
    """The mean ``E |x-y|^p e^{-r |x-y|^2} = E g_p(r) / n`` for x fixed and y uniform on the sphere
    in R^d. With ``a = (d-1)/2`` the quarter of ``|x-y|^2`` has the law Beta(a, a), so that it is
    ``2^p B(a+p/2, a)/B(a, a) M(a + p/2, 2a + p/2, -4r)`` with Kummer's function M: Bessel functions
    at p = 0, elementary for d = 3 and even p.
    """
    _check_dimension(d)
    if not isinstance(p, sp.Basic) and p < 0:
        raise ValueError(f"g_p has p >= 0, got p = {p}; take a power of the distance")
    if isinstance(r, sp.Basic) or isinstance(p, sp.Basic):
        half, a = sp.sympify(p) / 2, sp.Rational(d - 1, 2)
        ratio = sp.gamma(a + half) * sp.gamma(2 * a) / (sp.gamma(a) * sp.gamma(2 * a + half))
        return 4**half * ratio * sp.hyperexpand(sp.hyper((a + half,), (2 * a + half,), -4 * r))
    b = (d - 1) / 2
    size = 2**p * np.exp(betaln(b + p / 2, b) - betaln(b, b))
    mean = np.asarray(size * hyp1f1(b + p / 2, 2 * b + p / 2, -4 * np.asarray(r, dtype=float)))
    return mean if mean.ndim else float(mean)


def _check_dimension(d: int) -> None:
    """Refuse what is no dimension of a sphere with more than two points."""
    if d != int(d) or d < 2:
        raise ValueError(f"the sphere lies in R^d with an integer d >= 2, got d = {d}; take d >= 2")
