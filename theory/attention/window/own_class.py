"""Classes of tasks of one's own, by the correlation of two values or by its spectrum."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_jacobi

from theory.attention.window.classes import TaskClass
from theory.attention.window.gegenbauer import harmonics, polynomials
from theory.inputs.arrays import read_arrays, real_array
from theory.inputs.kinds import check_kind

__all__ = ["from_rho", "from_spectrum"]

Floats = NDArray[np.float64]
#: Nodes of the quadrature that finds the spectrum of a user's rho, and what it counts as rounding.
NODES, ROUNDING = 2000, 1e-11


def from_rho(rho: Callable[[Any], Any], name: str = "a class of your own") -> TaskClass:
    """A class of your own, by the mean of ``f(x) f(y)`` as a function of ``t = x'y``.

    Parameters
    ----------
    rho : callable
        Takes an array of t in [-1, 1].
    name : str

    Returns
    -------
    TaskClass

    Raises
    ------
    ValueError
        If rho is not finite, or not positive definite on the sphere: then no random task has it,
        and the degree of a negative coefficient is named. This is seen when the spectrum is asked
        for, since it depends on d.

    Examples
    --------
    >>> from_rho(lambda t: t**2).spectrum(3).b[:3].round(6).tolist()
    [0.333333, 0.0, 0.666667]
    >>> from_rho(lambda t: 1 - t**2).spectrum(3)
    Traceback (most recent call last):
        ...
    ValueError: rho is not positive definite in dimension 3: b_2 = -0.667 < 0; no task has it
    """

    check_kind(Callable, rho=rho)
    check_kind(str, name=name)

    def coefficients(d: int, K: int) -> Floats:
        nodes, weights = roots_jacobi(NODES, (d - 3) / 2, (d - 3) / 2)
        values = np.asarray(rho(nodes), dtype=float) + np.zeros(len(nodes))
        if not np.all(np.isfinite(values)):
            raise ValueError(
                "rho is not finite on [-1, 1]; give the mean of f(x) f(y) as a function of an array of t = "
                "x'y"
            )
        b = harmonics(d, np.arange(K + 1)) * (polynomials(d, K, nodes) @ (weights / weights.sum() * values))
        # A coefficient of degree k comes with k^(d-2) times the rounding of the values.
        allowed = ROUNDING * abs(values).max() * harmonics(d, np.arange(K + 1))
        if np.any(b < -allowed):
            k = int(np.argmin(b + allowed))
            raise ValueError(
                f"rho is not positive definite in dimension {d}: b_{k} = {b[k]:.3g} < 0; no task has it"
            )
        return np.where(b < allowed, 0.0, b)

    def value(t: Any, _: int) -> Any:
        return np.asarray(rho(np.atleast_1d(np.asarray(t, dtype=float))), dtype=float).reshape(np.shape(t))[
            ()
        ]

    return TaskClass(name, None, value, coefficients, None, lambda D, d: value(1.0, d) - value(1 - D, d))


def from_spectrum(
    b: Sequence[float] | Floats, name: str = "a class of your own", *, total: float | None = None
) -> TaskClass:
    """A class of your own, by its coefficients b_0, b_1, ...

    Parameters
    ----------
    b : array_like of shape (K + 1,)
        Not negative.
    name : str
    total : float, optional
        The mean square of a value, where the list leaves out degrees.

    Returns
    -------
    TaskClass

    Raises
    ------
    ValueError
        If a coefficient is negative or not finite, all are 0, or more than a thousandth of the mean
        square is left out.

    Examples
    --------
    >>> from_spectrum([0, 1, 0.5]).rho(1.0, 3)
    1.5
    >>> from_spectrum([0, -1])
    Traceback (most recent call last):
        ...
    ValueError: b_1 = -1.0 is negative; the coefficients of a correlation are mean squares
    """
    check_kind(str, name=name)
    values = np.atleast_1d(real_array("the spectrum", b))
    if total is not None:
        total = float(read_arrays(total=(total, ""))[0])
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        raise ValueError(
            "the spectrum must be a list of finite numbers b_0, b_1, ...; leave the degrees out whose "
            "coefficient is not known"
        )
    if np.any(values < 0):
        k = int(np.argmax(values < 0))
        raise ValueError(
            f"b_{k} = {values[k]} is negative; the coefficients of a correlation are mean squares"
        )
    if not values.any():
        raise ValueError("all coefficients are 0: the tasks vanish; give at least one b_k > 0")
    with np.errstate(over="ignore"):
        mass = float(values.sum())
    if math.isinf(mass):
        raise ValueError(
            "the mean square of the tasks leaves the range of floats, which end at 1.8e308; choose other "
            "units"
        )
    if total is not None and not mass * (1 - 1e-12) <= total <= mass * 1.001:
        cut = 1 - mass / total if total else math.nan
        raise ValueError(
            f"the list leaves out {cut:.2%} of the mean square {total}; give more degrees, until less than "
            "0.1% is cut off"
        )
    rho = lambda t, d: float(values @ polynomials(d, len(values) - 1, t)[:, 0])
    return TaskClass(name, None, rho, lambda d, _: values, len(values) - 1)
