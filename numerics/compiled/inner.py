"""Compiles functions that only other compiled functions call, without the entries that Python and C
would need: for these Numba takes a fifth of the time of a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import njit

__all__ = ["inner"]


def inner(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """``numba.njit`` for the parts of a kernel.

    Parameters
    ----------
    function : callable
    **options
        Those of ``numba.njit``.

    Returns
    -------
    numba dispatcher
        Python cannot call it; ``py_func`` is the function itself.

    Examples
    --------
    >>> twice = inner(lambda x: 2 * x)
    >>> njit(lambda x: twice(x) + 1)(3)
    7
    """
    if function is None:
        return partial(inner, **options)
    made = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)

    def kept(compiled: Any) -> None:
        made.overloads[tuple(compiled.signature.args)] = compiled

    def refused(*args: Any, **kwargs: Any) -> None:
        raise TypeError(f"{made.__name__} is a part of kernels; call it from a function that is compiled by numba.njit")

    # Numba would keep the entry that is missing for calls from Python, and jump to address 0.
    made.add_overload, made._compile_for_args = kept, refused
    return made
