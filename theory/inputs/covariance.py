"""Checks of what `limit_parameters` is given: matrices, scalars and covariances."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from numbers import Number, Real
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.inputs.arrays import (
    ROUNDING_OF_EIGENVALUES,
    asymmetric,
    is_symbolic,
    read_covariance,
    read_in_kind,
)
from theory.inputs.spectrum import spectrum

__all__ = [
    "ExactCovariance",
    "NumericCovariance",
    "identity_like",
    "read_matrix",
    "read_noise",
    "read_prompt_length",
    "read_scalar",
    "read_with_covariance",
    "same_shape",
    "tidy",
    "trace",
]

Floats = NDArray[np.float64]
#: Condition number from which on the inverse loses half of the 16 digits of a float.
ILL_CONDITIONED = 1e8
#: Number of operations beyond which an exact entry is not simplified.
LONG_ENTRY = 150


def _entries(name: str, value: Any) -> NDArray[Any]:
    """The entries of a matrix as a two-dimensional array, whatever the container."""
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError(
            f"{name} is {value!r}, which is no matrix; pass a (d, d) NumPy array, nested list or SymPy Matrix"
        )
    if isinstance(value, sp.MatrixBase):
        return np.array(value.tolist(), dtype=object).reshape(value.shape)
    if isinstance(value, (sp.MatrixExpr, dict, set, frozenset)):
        raise TypeError(
            f"{name} is {value!r}, which has no entries to read; pass an explicit matrix, e.g. "
            "sympy.Matrix(...)"
        )
    if np.ma.is_masked(value):
        raise ValueError(f"{name} has masked entries; every entry must be known: fill them")
    try:
        array = np.asarray(value)
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in value]
        raise ValueError(
            f"{name} has rows of different lengths {lengths}; give every row d entries"
        ) from None
    if array.ndim == 0:
        kind = ValueError if isinstance(value, (Number, sp.Expr)) else TypeError
        raise kind(f"{name} is {value!r}, a matrix is needed; pass a (d, d) array; write [[s]] for d = 1")
    if array.ndim != 2 and array.size:
        raise ValueError(f"{name} has shape {array.shape}, a matrix has two axes; pass a (d, d) array")
    return array


def read_matrix(name: str, value: Any) -> Floats | sp.Matrix:
    """A real matrix: floats, or exact from anything that holds a SymPy entry."""
    array = _entries(name, value)
    if array.size == 0:
        raise ValueError(f"{name} is empty (shape {array.shape}); pass at least a 1 x 1 matrix")
    exact = isinstance(value, sp.MatrixBase) or any(isinstance(x, sp.Basic) for x in array.flat)
    if exact:
        return sp.Matrix(*array.shape, [_exact_entry(f"{name}[{k // array.shape[1]},{k % array.shape[1]}]", x)
                                        for k, x in enumerate(array.flat)])  # fmt: skip
    if array.dtype == object:
        array = _from_objects(name, array)
    if array.dtype.kind not in "iuf":
        kind = {"b": "Booleans", "c": "complex numbers", "U": "text", "S": "text"}.get(
            array.dtype.kind, f"entries of type {array.dtype}"
        )
        raise TypeError(
            f"{name} holds {kind} ({array.flat[0]!r}), real numbers are needed; convert the entries to float"
        )
    if not np.isfinite(array).all():
        i, j = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(
            f"{name} has the entry {array[i, j]} at [{i},{j}]; every entry must be finite: remove or fill "
            "missing values"
        )
    return array if array.dtype in (np.float16, np.float32) else array.astype(np.float64)


def _from_objects(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """An array of floats from an array of Python objects."""
    for index, x in np.ndenumerate(array):
        if isinstance(x, (bool, np.bool_)) or not isinstance(x, Number) or isinstance(x, complex):
            raise TypeError(
                f"{name} holds {x!r} at {list(index)}, which is no real number; convert the entries to float"
            )
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise ValueError(
            f"{name} holds an integer beyond the range of floats; rescale it, or pass a SymPy Matrix"
        ) from None


def _exact_entry(name: str, x: Any) -> sp.Expr:
    """An entry as a finite real SymPy expression without floats."""
    if isinstance(x, (bool, np.bool_, str)) or not isinstance(x, (sp.Basic, Number)):
        raise TypeError(f"{name} is {x!r}, which is no real number; give a SymPy expression or a number")
    x = sp.sympify(x)
    if not isinstance(x, sp.Expr) or x.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        raise ValueError(f"{name} is {x}; every entry must be a finite number or expression")
    if x.is_real is False:
        raise TypeError(f"{name} is {x}, which is not real; declare its symbols real (or positive)")
    if x.has(sp.Float):
        raise TypeError(
            f"{name} is {x}, a float inside an exact matrix; write Rational('{x}'), or pass a NumPy array"
        )
    return x


def read_scalar(name: str, value: Any, exact: bool) -> Any:
    """A finite real number: a float, or a SymPy expression where ``exact``."""
    if exact:
        return _exact_entry(name, value)
    if isinstance(value, sp.Basic) and value.is_number and value.is_real:
        value = float(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(
            f"{name} is {value!r}, which is no real number; pass a float; symbols need a SymPy Sigma"
        )
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(
            f"{name} is an integer beyond the range of floats; rescale it, or use exact SymPy matrices"
        ) from None
    if not np.isfinite(number):
        raise ValueError(f"{name} is {number}; pass a finite number")
    return number


def read_prompt_length(value: Any, exact: bool) -> Any:
    """A positive integer, or a SymPy expression that can be one."""
    remedy = (
        "a prompt has at least one token: pass an integer L >= 1, or leave prompt_length out for the "
        "infinite prompt"
    )
    if isinstance(value, sp.Basic) and not value.is_number:
        if not exact:
            raise TypeError(
                f"prompt_length is the expression {value} beside a numeric Sigma; pass a SymPy Sigma"
            )
        if value.is_integer is False or value.is_positive is False:
            raise ValueError(f"prompt_length is {value}, which is no positive integer; {remedy}")
        return value
    if (
        isinstance(value, (bool, np.bool_))
        or not isinstance(value, (Number, sp.Expr))
        or isinstance(value, complex)
    ):
        raise TypeError(f"prompt_length is {value!r}, which is no integer; {remedy}")
    number: Any = value
    if isinstance(value, sp.Expr) and not value.is_real:
        raise TypeError(f"prompt_length is {value}, which is not real; {remedy}")
    if not (abs(number) < float("inf") and number >= 1 and number == int(number)):
        raise ValueError(f"prompt_length is {value}, which is no positive integer; {remedy}")
    return sp.Integer(int(number)) if exact else int(number)


def read_noise(value: Any, exact: bool) -> Any:
    """The variance of the label noise: a nonnegative number, or an expression that can be one."""
    noise = read_scalar("noise", value, exact)
    if noise.is_negative if exact else noise < 0:
        raise ValueError(
            f"noise is {value}, a variance is nonnegative; pass the variance of the label noise, at least 0"
        )
    return noise


def same_shape(name: str, M: Any, d: int) -> None:
    """Refuse a start that is no (d, d) matrix."""
    if tuple(M.shape) != (d, d):
        whole = tuple(M.shape) == (d + 1, d + 1)
        extra = f"; U0 is the upper-left block, without row and column {d + 1}" if whole else ""
        raise ValueError(
            f"{name} has shape {tuple(M.shape)}, Sigma has {(d, d)}; pass a ({d}, {d}) matrix{extra}"
        )


def _square(Sigma: Any) -> int:
    if Sigma.shape[0] != Sigma.shape[1]:
        raise ValueError(
            f"Sigma has shape {tuple(Sigma.shape)}, a covariance is square; pass a (d, d) matrix"
        )
    return int(Sigma.shape[0])


@dataclass(frozen=True, eq=False)
class NumericCovariance:
    """The positive eigenvalues, descending, with their eigenvectors."""

    eigenvalues: Floats
    #: Orthonormal columns (d, r): the basis ``Q`` of the range.
    eigenvectors: Floats
    #: Number of directions that count as zero though they are not zero exactly.
    lost: int

    @classmethod
    def read(cls, Sigma: NDArray[np.floating[Any]]) -> NumericCovariance:
        """Check symmetry and sign, decide the rank, warn where digits are lost."""
        d, eps = _square(Sigma), float(np.finfo(Sigma.dtype).eps)
        S = Sigma.astype(np.float64)
        scale = float(np.abs(S).max())
        if scale == 0:
            raise ValueError(
                "Sigma is the zero matrix: no covariate ever moves and the flow stands still; pass a Sigma "
                "!= 0"
            )
        shares = S / scale
        if (found := asymmetric(shares, eps**0.5, eps)) is not None:
            i, j = found
            raise ValueError(
                f"Sigma is not symmetric: Sigma[{i},{j}] = {Sigma[i, j]} but Sigma[{j},{i}] = "
                f"{Sigma[j, i]}; a covariance is symmetric; pass (Sigma + Sigma.T) / 2 if that is what you "
                "mean"
            )
        S = S / 2 + S.T / 2
        least, largest = np.linalg.eigvalsh((shares + shares.T) / 2)[[0, -1]]
        if least < -(ROUNDING_OF_EIGENVALUES * d * eps if np.any(S - np.diag(np.diag(S))) else 0):
            raise ValueError(
                f"Sigma has the negative eigenvalue {least * scale:.6g}; a covariance is positive "
                "semi-definite; project it onto the nonnegative eigenvalues or check how it was computed"
            )
        if scale > 1 and not largest < np.finfo(float).max / scale:
            raise ValueError(
                "Sigma has an eigenvalue beyond the range of floats, which end at 1.8e308; choose other units"
            )
        modes = spectrum(S, eps)
        if modes.condition > ILL_CONDITIONED * (np.finfo(np.float64).eps / eps) ** 0.5:
            warnings.warn(
                f"Sigma is ill-conditioned (condition number {modes.condition:.3g} on its range, with "
                f"variables of variance one): about {np.log10(modes.condition):.0f} of {-np.log10(eps):.0f} "
                "digits of the limit are lost; pass an exact SymPy Matrix",
                RuntimeWarning,
                stacklevel=3,
            )
        return cls(modes.values[::-1], modes.vectors[:, ::-1], modes.lost)


@dataclass(frozen=True, eq=False)
class ExactCovariance:
    """A symbolic covariance with its pseudo-inverse and the projector onto its range."""

    Sigma: sp.Matrix
    pinv: sp.Matrix
    projector: sp.Matrix
    rank: int
    #: What could not be decided from the symbols' own assumptions.
    assumptions: list[Any] = field(default_factory=list)

    @classmethod
    def read(cls, Sigma: sp.Matrix) -> ExactCovariance:
        """Check symmetry and sign exactly where that is decidable; note the rest as assumptions."""
        d = _square(Sigma)
        for i in range(d):
            for j in range(i):
                if sp.simplify(Sigma[i, j] - Sigma[j, i]) != 0:
                    raise ValueError(
                        f"Sigma is not symmetric: Sigma[{i},{j}] = {Sigma[i, j]} but Sigma[{j},{i}] = "
                        f"{Sigma[j, i]}; use one symbol for both entries"
                    )
        if Sigma.is_diagonal():
            tested = [x for x in map(sp.simplify, Sigma.diagonal()) if x != 0]
            rank, why = len(tested), ""
        else:
            # The elementary symmetric functions of the eigenvalues decide both rank and sign,
            # without any eigenvalue.
            coefficients = Sigma.charpoly(sp.Dummy()).all_coeffs()[1:]
            minors = [sp.simplify((-1) ** (k + 1) * c) for k, c in enumerate(coefficients)]
            rank = max((k + 1 for k, m in enumerate(minors) if m != 0), default=0)
            tested = minors[:rank]
            why = " (a sum of principal minors, which all are nonnegative for a covariance)"
        if rank == 0:
            raise ValueError(
                "Sigma is the zero matrix: no covariate ever moves and the flow stands still; pass a Sigma "
                "!= 0"
            )
        for m in tested:
            if m.is_positive is False:
                raise ValueError(
                    f"Sigma is not positive semi-definite: {m} is not positive{why}; a covariance has "
                    "nonnegative eigenvalues; check the entries and the assumptions on their symbols"
                )
        symbols = sorted(Sigma.free_symbols, key=str)
        unsure = [sp.Gt(m, 0) for m in tested if m.is_positive is None]
        real = [sp.Contains(s, sp.S.Reals) for s in symbols if s.is_real is None]
        pinv, projector = _pseudo_inverse(Sigma, rank)
        return cls(Sigma, pinv, projector, rank, real + unsure)


def _pseudo_inverse(Sigma: sp.Matrix, rank: int) -> tuple[sp.Matrix, sp.Matrix]:
    """``S^+`` and ``S S^+`` of a symmetric matrix by field operations alone: with the pivot columns
    B, ``S = B S_JJ^{-1} B'``.
    """
    if Sigma.is_diagonal():
        kept = [sp.simplify(x) != 0 for x in Sigma.diagonal()]
        inverse = [1 / x if k else sp.S.Zero for x, k in zip(Sigma.diagonal(), kept)]
        return sp.diag(*inverse), sp.diag(*map(int, kept))
    if rank == Sigma.shape[0]:
        return tidy(Sigma.inv()), sp.eye(rank)
    pivots = list(Sigma.rref(simplify=True)[1])
    B, core = Sigma[:, pivots], Sigma.extract(pivots, pivots)
    left = (B.T @ B).inv() @ B.T
    return tidy(left.T @ core @ left), tidy(B @ left)


def tidy(M: sp.Matrix) -> sp.Matrix:
    """Entries as quotients without common factors, unless this would take minutes."""
    return M.applyfunc(lambda x: sp.cancel(x) if x.count_ops() < LONG_ENTRY else x)


def identity_like(Sigma: Any) -> Any:
    """The identity of the shape and kind of a matrix."""
    return sp.eye(Sigma.shape[0]) if isinstance(Sigma, sp.MatrixBase) else np.eye(Sigma.shape[0])


def trace(M: Any) -> Any:
    """The trace of a SymPy matrix or an array."""
    return M.trace() if isinstance(M, sp.MatrixBase) else np.trace(M)


def read_with_covariance(Sigma: Any, **others: tuple[Any, str]) -> tuple[Any, ...]:
    """Sigma and what goes with it, all SymPy or all floats; of symbols only shapes are checked."""
    if any(is_symbolic(value) for value in (Sigma, *(value for value, _ in others.values()))):
        return read_in_kind(Sigma=(Sigma, "d d"), **others)
    return read_in_kind(Sigma=(read_covariance("Sigma", Sigma), "d d"), **others)
