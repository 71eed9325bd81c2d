"""Evaluates SymPy expressions at many points at once in floating point. The search for
counterexamples is guided by these values; no verdict rests on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache, reduce
from operator import mul
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

__all__ = ["Array", "functions", "values_of"]

Array = NDArray[np.float64]


@cache
def functions() -> dict[str, Callable[..., Any]]:
    """The functions that have values here, by the names of their SymPy classes.

    >>> float(functions()["exp"](0.0))
    1.0
    """
    from scipy import special

    return {
        "exp": np.exp,
        "log": np.log,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tanh": np.tanh,
        "coth": lambda x: 1 / np.tanh(x),
        "sech": lambda x: 1 / np.cosh(x),
        "csch": lambda x: 1 / np.sinh(x),
        "asinh": np.arcsinh,
        "acosh": np.arccosh,
        "atanh": np.arctanh,
        "atan": np.arctan,
        "asin": np.arcsin,
        "acos": np.arccos,
        "sin": np.sin,
        "cos": np.cos,
        "tan": np.tan,
        "sinc": lambda x: np.sinc(np.asarray(x) / np.pi),
        "Sinc": lambda x: np.sinc(np.asarray(x) / np.pi),
        "LambertW": lambda x: np.where(np.asarray(x) >= -np.exp(-1), np.real(special.lambertw(x)), np.nan),
        "harmonic": lambda x: special.digamma(x + 1) + np.euler_gamma,
        "erf": special.erf,
        "erfc": special.erfc,
        "Abs": np.abs,
        "sign": np.sign,
        "erfinv": special.erfinv,
        "erfcinv": special.erfcinv,
        "binomial": special.binom,
        "gamma": special.gamma,
        "factorial": lambda x: special.gamma(x + 1),
        "loggamma": special.gammaln,
        "polygamma": special.polygamma,
        "uppergamma": lambda s, x: special.gammaincc(s, x) * special.gamma(s),
        "lowergamma": lambda s, x: special.gammainc(s, x) * special.gamma(s),
        "besselk": special.kv,
        "besseli": special.iv,
        "Max": lambda *a: np.maximum.reduce(np.broadcast_arrays(*a)),
        "Min": lambda *a: np.minimum.reduce(np.broadcast_arrays(*a)),
    }


def values_of(e: sp.Expr, columns: Mapping[sp.Symbol, Array], memo: dict[sp.Expr, Any]) -> Any:
    """Values of `e`, one for each row of the columns; nan where it is not defined or one of its
    functions is not known.

    >>> x = sp.Symbol("x")
    >>> values_of(x**2 - 1, {x: np.array([1.0, 3.0])}, {}).tolist()
    [0.0, 8.0]
    """
    if e in memo:
        return memo[e]
    if e.is_Symbol:
        return columns[e]
    step = _step(e)
    memo[e] = v = step(*[values_of(a, columns, memo) for a in e.args]) if callable(step) else step
    return v


@lru_cache(maxsize=10_000)
def _step(e: sp.Expr) -> Any:
    """The value of a constant, or else the function that makes the value of `e` from those of its
    arguments; remembered, because a search evaluates its expressions many times.
    """
    if e.is_number and not e.is_Function:
        return _number(e)
    if e.is_Add:
        return lambda *args: sum(args[1:], args[0])
    if e.is_Mul:
        return lambda *args: reduce(mul, args)
    if e.is_Pow:
        return np.power
    return functions().get(type(e).__name__, lambda *args: np.nan)


def _number(e: sp.Expr) -> float:
    """About a constant."""
    try:
        return float(e)
    except (TypeError, OverflowError):
        return np.nan
