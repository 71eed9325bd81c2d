"""Reads the whole numbers that functions are given: dimensions, prompt lengths, steps, threads."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["read_whole"]


def read_whole(name: str, value: Any, advice: str, *, least: int = 1, most: int | None = None) -> int:
    """A whole number, as Python's or NumPy's but no Boolean, from least to most. The advice ends an
    error: what the number is, or what to pass.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} = {value!r} is no whole number; {advice}")
    if value < least or (most is not None and value > most):
        where = f"below {least}" if most is None else f"outside {least} ... {most}"
        size = int(value).bit_length()  # Python refuses to print integers of some thousand digits
        shown = value if size < 100 else f"{'-' if value < 0 else ''}2^{size - 1} or beyond"
        raise ValueError(f"{name} = {shown} is {where}; {advice}")
    return int(value)
