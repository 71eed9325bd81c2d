"""What a caller might pass in place of a good argument: the good one changed, or a foreign one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from hypothesis import strategies as st

__all__ = ["SAME", "spoiled"]

EXTREME = ("nan", "inf", "-inf", "1e308", "-1e308", "5e-324")
NUMBERS = [*map(float, EXTREME), 0, -0.0, -1, 1, 2, 0.5, 1 + 1e-12, True]
#: Numbers that ask for work, so that they are left out where an argument says how much is done.
HUGE = [10**30, 2**63, 10**400, -(10**400), Fraction(1, 10**400)]
TEXTS = ["<script>alert(1)</script>", "=cmd|'/C calc'!A0", "a\0b", "x" * 5000, "\udcff"]
TEXTS += ["", "0", "nan", "../../etc/passwd"]
THINGS = [None, ..., object(), b"1", 1j, complex("nan"), range(0), {}, {"a": 1}, set(), frozenset({1})]
X = sp.Symbol("x")
SYMBOLS = [X, sp.nan, sp.oo, sp.zoo, sp.I, sp.Integer(0), sp.Rational(1, 3), sp.Matrix([[X]])]
SHAPES = [(), (0,), (0, 0), (1,), (2,), (1, 1), (2, 2), (3, 2), (1, 2, 2), (2, 0), (1,) * 20]


def arrays() -> st.SearchStrategy[Any]:
    """Arrays of every shape and kind."""
    named = "f8 f4 f2 >f8 g c16 i8 u1 ? O U3 S3 M8[s] m8[s] V4"
    kinds = [*named.split(), [("a", "f8")]]
    made = lambda shape, kind, n: np.full(shape, n).astype(kind)
    return st.builds(made, st.sampled_from(SHAPES), st.sampled_from(kinds), st.sampled_from([0, 1, 2]))


def _entry(value: complex) -> Any:
    """Puts a number into the first entry of an array."""

    def change(array: Any) -> Any:
        changed = array.astype(complex if isinstance(value, complex) else float)
        changed[(0,) * changed.ndim] = value
        return changed

    return change


def _read_only(array: Any) -> Any:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _strided(array: Any) -> Any:
    return np.repeat(array[..., None], 3, axis=-1)[..., 1]


def _masked(array: Any) -> Any:
    return np.ma.masked_array(array, np.ones(array.shape, dtype=bool))


#: Changes after which an array says the same as before.
SAME = {
    "read-only": _read_only,
    "strided": _strided,
    "Fortran": np.asfortranarray,
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "backwards": lambda array: array[..., ::-1].copy()[..., ::-1],
    "a list": lambda array: array.tolist(),
    "objects": lambda array: array.astype(object),
    "long double": lambda array: array.astype("g" if array.dtype.kind == "f" else array.dtype),
}
CHANGES = {
    "NaN": _entry(np.nan),
    "inf": _entry(np.inf),
    "1e308": _entry(1e308),
    "-1e308": _entry(-1e308),
    "imaginary": _entry(1j),
    "all 1e308": lambda array: np.full_like(array, 1e308, dtype=float),
    "all 0": np.zeros_like,
    "times 1e200": lambda array: array * 1e200,
    "times 1e-200": lambda array: array * 1e-200,
    "negative": lambda array: -array,
    "complex": lambda array: array.astype(complex),
    "text": lambda array: array.astype(str),
    "bools": lambda array: array.astype(bool),
    "halves": lambda array: array.astype("f2"),
    "empty": lambda array: array[:0],
    "shorter": lambda array: array[:-1],
    "one number": lambda array: array.ravel()[0],
    "0-d": lambda array: np.array(array.ravel()[0]),
    "deeper": lambda array: array[None],
    "flat": np.ravel,
    "twice": lambda array: np.concatenate([array, array]),
    "masked": _masked,
    "ragged": lambda array: [array.tolist(), [1.0]],
    "objects with None": lambda array: np.array([None] * array.size, dtype=object).reshape(array.shape),
}


@st.composite
def spoiled(draw: st.DrawFn, good: Any, work: bool) -> tuple[str, Any]:
    """How an argument was spoiled, and what stands in place of the good one; no large number where
    it says how much is computed.
    """
    of_array = isinstance(good, np.ndarray)
    if of_array and draw(st.booleans()):
        how = draw(st.sampled_from([*SAME, *CHANGES]))
        return how, {**SAME, **CHANGES}[how](good)
    numbers = [n for n in NUMBERS if not (work and abs(n) > 2)] + HUGE * (not work)
    foreign = draw(
        st.one_of(
            st.sampled_from(numbers),
            st.sampled_from(TEXTS),
            st.sampled_from(THINGS),
            st.sampled_from(SYMBOLS),
            arrays(),
            st.lists(st.sampled_from([*NUMBERS[:3], 1, "a", None, []]), max_size=3),
            st.floats(width=64) if not work else st.integers(-2, 3),
        )
    )
    return f"{type(foreign).__name__} {repr(foreign).replace(chr(10), ' '):.70}", foreign
