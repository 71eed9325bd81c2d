"""Checks of the arguments of the bounds: each must lie in the domain that its name stands for, and
together they decide whether SymPy or floats do the work.
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Number
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp

__all__ = ["read"]

#: Name -> (least value, whether it is allowed, greatest value, what the name stands for).
_DOMAIN: dict[str, tuple[int, bool, float, str]] = {
    "L": (1, True, np.inf, "a prompt has at least one token"),
    "a2": (0, True, np.inf, "a2 = sigma^2 |Uz|^2 is a square"),
    "delta": (0, False, 1, "delta is the probability that a bound fails"),
    "K": (0, True, np.inf, "K = sqrt(E|f(Z)|^4) is a root"),
    "F4": (0, True, np.inf, "F4 = sqrt(E|f(Z)|^4) is a root"),
    "c": (0, False, np.inf, "the constant of a bound is positive"),
    "sigma": (0, False, np.inf, "sigma is a sub-Gaussian constant"),
    "sigma2": (0, False, np.inf, "sigma2 is a squared sub-Gaussian constant"),
    "U_norm": (0, True, np.inf, "U_norm = |U|_op is a norm"),
    "V_norm": (0, True, np.inf, "V_norm = |V|_op is a norm"),
    "a_norm": (0, True, np.inf, "a_norm = |Uz| is a norm"),
    "threshold": (0, True, np.inf, "a threshold for a norm is at least 0"),
    "p": (2, True, np.inf, "p is the order of a moment, at least 2"),
    "C_f": (0, False, np.inf, "C_f = sup |f(z)|/|z|^p, and f is not zero"),
    "F8": (0, True, np.inf, "F8 = sqrt(E|f(Z)|^8) is a root"),
    "Z4": (0, True, np.inf, "Z4 = E|Z|^4 is a moment"),
    "Z8": (0, True, np.inf, "Z8 = E|Z|^8 is a moment"),
    "d": (1, True, np.inf, "d is the dimension of a token"),
    "x": (0, True, np.inf, "x is the lower limit of a tail"),
    "scale": (0, False, np.inf, "scale = 16 sigma^2 C_f^(2/p) is the scale of a tail"),
    "s": (0, True, np.inf, "s = (Uz)'Gamma(Uz) is the variance of a score"),
    "t": (0, True, np.inf, "t = tr(V Gamma V') is a trace of a covariance"),
    "q": (0, True, np.inf, "q = |V Gamma U z|^2 is a square"),
    "z2": (0, True, np.inf, "z2 = |z|^2 is a square"),
    "risk": (0, True, np.inf, "the risk of the squared loss is a mean square"),
    "T2": (0, True, np.inf, "T2 = E|T|^2 is a mean square"),
    "y2": (0, True, np.inf, "y2 = E|y|^2 is a mean square"),
    "D2": (0, True, np.inf, "D2 = E|T_L - T|^2 is a mean square"),
    "J2": (0, True, np.inf, "J2 = E|J|^2 is the mean square of a Jacobian"),
    "dJ2": (0, True, np.inf, "dJ2 = E|J_L - J|^2 is the mean square of a Jacobian"),
    "g1": (0, True, np.inf, "g1 bounds the difference of two risks"),
    "g2": (0, False, np.inf, "g2 bounds the difference of two gradients"),
    "beta": (0, False, np.inf, "beta is the Lipschitz constant of a gradient"),
    "kappa": (0, False, np.inf, "kappa is the Lipschitz constant of a risk"),
    "rho": (0, False, np.inf, "rho is the radius of a ball"),
    "time": (0, True, np.inf, "a flow starts at time 0"),
    "excess": (0, False, np.inf, "the risk starts above its limit"),
    "mu": (0, False, np.inf, "mu is the rate at which the risk falls"),
    "epsilon": (0, False, np.inf, "epsilon is a tolerance"),
    "s12": (1, True, np.inf, "s12 = E sigma^12, and sigma >= 1"),
    "P2": (0, True, 1, "P2 = E sum p_i^2 for weights p"),
    "P3": (0, True, 1, "P3 = E sum p_i^3 for weights p"),
    "Q": (0, True, 1, "Q = E (sum p_i^2)^2 for weights p"),
    "noise": (0, True, np.inf, "noise is the variance of the label noise"),
    "task_variance": (0, False, np.inf, "task_variance is the variance of an entry of w"),
    "trace": (0, True, np.inf, "trace = tr Sigma is a trace of a covariance"),
    "inverse_square": (0, False, np.inf, "inverse_square = tr(Sigma^-2) is positive"),
    "lam": (0, False, 0.5, "lam = 1/u^2 is below 1/2 where L times the excess risk is bounded"),
    "h2": (0, True, np.inf, "h2 = |h|^2 is a square"),
    "x2": (0, True, np.inf, "x2 = |x|^2 is a square"),
}


#: The largest float.
LARGEST = float(np.finfo(float).max)


def _exp(x: Any) -> Any:
    """The exponential, infinite where it overflows, of a number or an array."""
    with np.errstate(over="ignore", under="ignore"):
        y = np.exp(x)
    return y if isinstance(x, np.ndarray) else float(y)


def _elementary(name: str) -> Any:
    """A function of NumPy for numbers, which become floats, and for arrays."""
    f = getattr(np, name)
    return lambda x: f(x) if isinstance(x, np.ndarray) else float(f(x))


def _maximum(x: Any, y: Any) -> Any:
    return (
        np.maximum(x, y)
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray)
        else max(float(x), float(y))
    )


_FLOATS = SimpleNamespace(exp=_exp, log=_elementary("log"), sqrt=_elementary("sqrt"), maximum=_maximum)
_SYMBOLS = SimpleNamespace(exp=sp.exp, log=sp.log, sqrt=sp.sqrt, maximum=sp.Max)


def read(**arguments: Any) -> tuple[Any, ...]:
    """Check the arguments of a bound by their names, which are those of the paper and decide the
    domain. Returns a namespace with ``exp``, ``log``, ``sqrt`` and ``maximum``, then the values in
    order: SymPy expressions if any of them is one, otherwise floats (a bound that overflows is
    ``inf``) or arrays of floats.

    >>> m, L, a2 = read(L=4, a2=sp.Symbol("a", positive=True))
    >>> m.exp(a2) / L
    exp(a)/4
    """
    if any(isinstance(v, sp.Basic) for v in arguments.values()):
        return _SYMBOLS, *(_symbolic(name, v) for name, v in arguments.items())
    numbers = {name: _numeric(name, v) for name, v in arguments.items()}
    shapes = {name: x.shape for name, x in numbers.items() if isinstance(x, np.ndarray)}
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        said = ", ".join(f"{name} has shape {shape}" for name, shape in shapes.items())
        raise ValueError(f"{said}, which do not go together; pass arrays of one shape, or numbers") from None
    return _FLOATS, *numbers.values()


def _symbolic(name: str, value: Any) -> sp.Expr:
    """An argument as a SymPy expression, checked as far as its assumptions decide."""
    if isinstance(value, (bool, complex)) or not isinstance(value, (Number, sp.Expr)):
        raise TypeError(
            f"{name} = {value!r} is neither a real number nor an expression, but stands beside one; give an "
            "exact number"
        )
    expr = sp.sympify(value)
    low, closed, high, meaning = _DOMAIN[name]
    below = expr - low
    if (
        below.is_negative
        or (below.is_zero and not closed)
        or (np.isfinite(high) and (expr - sp.Rational(high)).is_positive)
    ):
        raise ValueError(_outside(name, expr))
    if expr.is_real is False:
        raise TypeError(f"{name} = {expr} is not real, but {meaning}; declare its symbols real")
    return expr


def _numeric(name: str, value: Any) -> Any:
    """An argument as a float or an array of floats, checked."""
    low, closed, high, _ = _DOMAIN[name]
    # Most arguments are plain numbers, for which Python's own comparisons are the fastest.
    if (
        type(value) in (int, float)
        and (low < value or (closed and value == low))
        and value <= min(high, LARGEST)
    ):
        return float(value)
    try:
        array = np.asarray(float(value) if isinstance(value, Fraction) else value)
        if array.dtype.kind not in "iuf" or np.ma.is_masked(value):
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} = {value!r:.200} is not a real number; pass a number, an array or a SymPy expression"
        ) from None
    inside = (array >= low) & (array <= high) & np.isfinite(array)
    if not closed:
        inside &= array > low
    if not inside.all():
        raise ValueError(_outside(name, array[~inside].flat[0]))
    return array.astype(float) if array.ndim else float(array)


def _outside(name: str, value: Any) -> str:
    low, closed, high, meaning = _DOMAIN[name]
    interval = f"{'[' if closed else '('}{low}, {'oo)' if high == np.inf else f'{high:g}]'}"
    return f"{name} = {value} is outside {interval}: {meaning}"
