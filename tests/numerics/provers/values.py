"""Values by floats and mpmath, and a search; no code is shared with the prover."""

import random
import warnings
from collections.abc import Callable
from functools import reduce
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from scipy import special

from tests.numerics.provers.statement import Range

_NUMPY: dict[str, Callable[..., Any]] = {
    **{n: getattr(np, n) for n in ("exp", "log", "sinh", "cosh", "tanh", "sin", "cos", "sign")},
    **{n: getattr(np, "arc" + n[1:]) for n in ("asinh", "acosh", "atanh", "atan")},
    **{n: getattr(special, n) for n in ("erf", "erfc", "gamma", "factorial")},
    "coth": lambda u: 1 / np.tanh(u), "sech": lambda u: 1 / np.cosh(u), "csch": lambda u: 1 / np.sinh(u),
    "Abs": np.abs, "Max": lambda *a: reduce(np.maximum, a), "Min": lambda *a: reduce(np.minimum, a),
    "loggamma": special.gammaln, "polygamma": lambda n, u: special.digamma(u),
    "uppergamma": lambda s, u: special.gammaincc(s, u) * special.gamma(s),
    "lowergamma": lambda s, u: special.gammainc(s, u) * special.gamma(s), "besselk": special.kv,
    "besseli": special.iv,
}  # fmt: skip


def np_value(e: sp.Expr, env: dict[sp.Expr, Any]) -> Any:
    if e not in env:
        if e.is_number:
            env[e] = float(e)
        else:
            args = [np_value(a, env) for a in e.args]
            if e.is_Add or e.is_Mul:
                env[e] = reduce(np.add if e.is_Add else np.multiply, args)
            else:
                env[e] = np.power(*args) if e.is_Pow else _NUMPY[type(e).__name__](*args)
    return env[e]


def search(f, ranges, where, rng, rounds):
    """Points and values of `f`, least first, at random and around the best ones."""
    generator, k = np.random.default_rng(rng.getrandbits(32)), len(ranges)
    conditions = [(b - a if op[0] == "<" else a - b, op in "<>") for a, op, b in where]
    s = generator.uniform(-1, 1, (300 * k, k))
    best_s, best_v, radius = np.empty((0, k)), np.empty(0), 0.2
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(rounds + 1):
            x = np.column_stack([r.at(s[:, i]) for i, r in enumerate(ranges.values())])
            env: dict[sp.Expr, Any] = dict(zip(ranges, x.T))
            v = np.broadcast_to(np_value(f, env), (len(x),))
            for g, strict in conditions:
                gap = np_value(g, env)
                v = np.where(gap > 0 if strict else gap >= 0, v, np.inf)
            v = np.where(np.isnan(v), np.inf, v)
            best_s, best_v = np.vstack([best_s, s]), np.concatenate([best_v, v])
            order = np.argsort(best_v, kind="stable")[:6]
            best_s, best_v = best_s[order], best_v[order]
            s = np.clip((best_s[:, None, :] + generator.normal(0, radius, (6, 25, k))).reshape(-1, k), -1, 1)
            radius *= 0.4
    return np.column_stack([r.at(best_s[:, i]) for i, r in enumerate(ranges.values())]), best_v


def least(f: sp.Expr, ranges: dict[sp.Symbol, Range], where: Any, rng: random.Random) -> float | None:
    """The least value of `f` that a search finds, unless it is not finite."""
    _, v = search(f, ranges, where, rng, 2)
    return float(v[0]) if np.isfinite(v[0]) and abs(v[0]) < 1e6 else None


def _besselk(n: Any, z: Any) -> Any:
    n = mpmath.mpf(n)  # mpmath's own besselk takes minutes for large z
    confluent = mpmath.hyperu(n + mpmath.mpf(1) / 2, 2 * n + 1, 2 * z)
    return mpmath.sqrt(mpmath.pi) * (2 * z) ** n * mpmath.exp(-z) * confluent


_ELEMENTARY = ("exp", "log", "sinh", "cosh", "tanh", "coth", "sech", "csch", "asinh", "acosh", "atanh")
_SPECIAL = ("atan", "sin", "cos", "erf", "erfc", "gamma", "loggamma", "factorial", "besseli", "sign")
_MPMATH: dict[str, Callable[..., Any]] = {
    **{n: getattr(mpmath, n) for n in (*_ELEMENTARY, *_SPECIAL)},
    "Abs": abs, "Max": max, "Min": min, "polygamma": mpmath.psi,
    "uppergamma": lambda s, z: mpmath.gammainc(s, z), "lowergamma": lambda s, z: mpmath.gammainc(s, 0, z),
    "besselk": _besselk,
}  # fmt: skip


_SATURATED = {"tanh", "coth", "erf", "sech", "csch", "erfc", "atan"}


def _bounded(name: str, a: Any) -> Any:
    """mpmath spends minutes, or all memory, on arguments beyond the reach of its reductions."""
    if abs(a) < 10**9 or name in ("log", "asinh", "Abs", "Max", "Min", "sign", "loggamma", "polygamma"):
        return a
    if name in _SATURATED:
        return mpmath.sign(a) * 10**9
    raise OverflowError(f"{name} of {mpmath.nstr(a, 3)}")


def mp_value(e: sp.Expr, env: dict[sp.Symbol, Any]) -> Any:
    """By mpmath in the current precision; raises ValueError where it is not real."""
    if e.is_Rational:
        return mpmath.mpf(int(e.p)) / int(e.q)
    if e.is_Symbol:
        return env[e]
    if e in (sp.pi, sp.E, sp.EulerGamma):
        return {sp.pi: +mpmath.pi, sp.E: +mpmath.e, sp.EulerGamma: +mpmath.euler}[e]
    if e.is_Pow:
        base = mp_value(e.base, env)
        if e.exp.is_Integer:
            return base ** int(e.exp)
        v = base ** mp_value(e.exp, env)
    else:
        args = [mp_value(a, env) for a in e.args]
        if e.is_Add or e.is_Mul:
            return mpmath.fsum(args) if e.is_Add else mpmath.fprod(args)
        if (
            isinstance(e, (sp.gamma, sp.loggamma, sp.polygamma, sp.factorial))
            and not args[-1] + isinstance(e, sp.factorial) > 0
        ):
            raise ValueError(f"{e} counts as undefined to the left of its first pole")
        v = _MPMATH[type(e).__name__](*map(_bounded, [type(e).__name__] * len(args), args))
    if isinstance(v, mpmath.mpc) and v.imag != 0:
        raise ValueError(f"{e} is not real")
    return mpmath.re(v)
