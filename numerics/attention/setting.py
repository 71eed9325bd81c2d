"""What an experiment on attention is about: the law of the tokens, the parameters and the law of
the query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.quadrature.query_form import QuadraticFormLaw, quadratic_form_law
from numerics.token_laws import TokenLaw, ball, gaussian, rademacher, sphere, uniform
from theory.inputs.arrays import read_arrays, read_covariance

__all__ = ["EXAMPLES", "LAWS", "QUANTITIES", "AttentionSetting", "Quantity"]

Floats = NDArray[np.float64]
Quantity = Literal["output", "grad_V", "grad_U"]
#: The errors that are measured.
QUANTITIES: tuple[Quantity, ...] = ("output", "grad_V", "grad_U")
#: Sizes of entries between which fourth powers of the products that occur stay in the range of
#: floats.
SMALLEST, LARGEST = 1e-15, 1e15


def _covariance(name: str, value: ArrayLike) -> Floats:
    """A symmetric matrix without negative eigenvalues, not even by rounding."""
    array = read_covariance(name, value)
    eigenvalues, vectors = np.linalg.eigh(array)
    return array if eigenvalues[0] >= 0 else (vectors * np.maximum(eigenvalues, 0.0)) @ vectors.T


@dataclass(frozen=True, eq=False)
class AttentionSetting:
    """Independent tokens z_k, attention with parameters U and V, and one query or Gaussian queries
    independent of the prompt.

    Parameters
    ----------
    Gamma : array_like, shape (d, d), or TokenLaw
        Covariance of Gaussian tokens, symmetric positive semidefinite; may be singular. Or the law
        of the tokens.
    U : array_like, shape (d, d)
        The score of token z_k for the query z is z_k'Uz.
    V : array_like, shape (d_out, d)
        Value matrix, with V Gamma != 0.
    query : array_like, shape (d,) or (d, d)
        A vector is the query itself; a matrix S is the covariance of a query drawn from N(0, S).
    name : str
        What a report calls it.

    Raises
    ------
    TypeError
        If an array is not real.
    ValueError
        If shapes do not fit, an entry is not finite, a covariance is not symmetric positive
        semidefinite, or the error vanishes identically because V Gamma = 0.

    Examples
    --------
    >>> setting = AttentionSetting(np.eye(2), np.eye(2), np.eye(2), query=[1.0, 0.0])
    >>> setting.d, setting.averaged, setting.score_variance
    (2, False, 1.0)
    >>> AttentionSetting(rademacher(2), np.eye(2), np.eye(2), query=[1.0, 0.0]).gaussian
    False
    """

    Gamma: Floats
    U: Floats
    V: Floats
    query: Floats
    name: str = "custom"
    _given: TokenLaw | None = field(default=None, repr=False)  # an argument, so that dataclasses.replace hands it on

    if TYPE_CHECKING:  # what may be given is wider than what is kept

        def __init__(
            self, Gamma: ArrayLike | TokenLaw, U: ArrayLike, V: ArrayLike, query: ArrayLike, name: str = "custom"
        ) -> None: ...

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)
        given = self._given
        if isinstance(self.Gamma, TokenLaw):
            given = self.Gamma
        elif given is not None and not np.array_equal(self.Gamma, _covariance("Gamma", given.covariance)):
            given = None  # the covariance was replaced, and the law with it
        averaged = np.ndim(self.query) == 2
        query = _covariance("the query covariance", self.query) if averaged else self.query
        read = read_arrays(
            Gamma=(_covariance("Gamma", self.Gamma if given is None else given.covariance), "d d"),
            U=(self.U, "d d"),
            V=(self.V, "d_out d"),
            query=(query, "d d" if averaged else "d"),
        )
        for name, array in zip(("Gamma", "U", "V", "query"), read):
            array = array.copy()  # the caller's array stays writable
            array.setflags(write=False)
            put(name, array)
        for name, array, least in (
            ("Gamma", self.Gamma, SMALLEST),
            ("U", self.U, 0),
            ("V", self.V, SMALLEST),
            ("query", self.query, SMALLEST),
        ):
            size = float(np.abs(array).max())
            if size > LARGEST or 0 < size < least:
                raise ValueError(
                    f"{name} has entries of size {size:.3g}, outside {SMALLEST:.0e} to {LARGEST:.0e}; choose other units"
                )
        if not np.any(self.V @ self.Gamma):
            raise ValueError("V Gamma = 0: the attention output is 0 for every prompt, and there is no error to measure")
        put("_given", given)

    @cached_property
    def law(self) -> TokenLaw:
        """The law of the tokens; `Gamma` is its covariance."""
        return gaussian(self.Gamma) if self._given is None else self._given

    @property
    def d(self) -> int:
        """Dimension of the tokens."""
        return int(self.Gamma.shape[0])

    @property
    def averaged(self) -> bool:
        """Whether the error is averaged over a Gaussian query."""
        return self.query.ndim == 2

    @property
    def gaussian(self) -> bool:
        """Whether the tokens are Gaussian: then everything has an exact curve, and Theorems A and B
        speak.
        """
        return self._given is None or self._given.coordinates == "normal"

    @cached_property
    def sigma2(self) -> float:
        """The sub-Gaussian constant sigma^2 of the tokens: the largest eigenvalue of Gamma, or what
        their law claims.
        """
        return float(np.linalg.eigvalsh(self.Gamma)[-1]) if self.gaussian else float(self.law.sigma) ** 2

    def with_law(self, name: str) -> AttentionSetting:
        """The same experiment with other tokens of the same covariance.

        Parameters
        ----------
        name : str
            One of `LAWS`: its standard tokens, mapped by the symmetric root of Gamma.

        Returns
        -------
        AttentionSetting

        Raises
        ------
        ValueError
            If there is no such law.

        Examples
        --------
        >>> EXAMPLES["isotropic"]().with_law("sphere").name
        'isotropic, sphere'
        """
        if name not in LAWS:
            raise ValueError(f"there is no token law {name!r}; choose one of {', '.join(LAWS)}")
        if name == "gaussian":
            return AttentionSetting(self.Gamma, self.U, self.V, self.query, name=f"{self.name}, {name}")
        values, vectors = np.linalg.eigh(self.Gamma)
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        law = LAWS[name](self.d).image(root)
        return AttentionSetting(law, self.U, self.V, self.query, name=f"{self.name}, {name}")

    @cached_property
    def query_factor(self) -> Floats:
        """B with query = B x, x standard normal: a root of the covariance; for a fixed query that
        vector as a column.
        """
        if not self.averaged:
            return self.query[:, None]
        values, vectors = np.linalg.eigh(self.query)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))

    @cached_property
    def score_form(self) -> Floats:
        """A = B'U'Gamma U B, so that the scores have variance x'Ax; for a fixed query the 1x1
        matrix of s.
        """
        return self._form(self.Gamma)

    @property
    def score_variance(self) -> float:
        """s = (Uz)'Gamma(Uz) at a fixed query; lambda, the largest eigenvalue of A, for Gaussian
        queries.
        """
        return max(float(np.linalg.eigvalsh(self.score_form)[-1]), 0.0)

    def _form(self, M: Floats) -> Floats:
        half = self.U @ self.query_factor
        product = half.T @ M @ half
        return np.asarray((product + product.T) / 2)

    def weight(self, quantity: Literal["output", "grad_V"]) -> tuple[Floats, float]:
        """W and c with error = c E|W^{1/2}(zbar - h)|^2: each row of the gradient in V is the
        output for V = I.
        """
        return (self.V.T @ self.V, 1.0) if quantity == "output" else (np.eye(self.d), float(self.V.shape[0]))

    def query_law(self, W: Floats, reach: float) -> QuadraticFormLaw:
        """The law of the score variance s with the weights for h'Wh, h = Gamma U z: one atom, or a
        quadrature over queries.

        Parameters
        ----------
        W : array, shape (d, d)
            V'V for the output, the identity for the gradient in V.
        reach : float
            Logarithm of the largest prompt length of interest.
        """
        moment_form = self._form(self.Gamma @ W @ self.Gamma)
        if self.averaged and self.score_variance > 0:
            return quadratic_form_law(self.score_form, moment_form, log_reach=reach)
        q = float(moment_form[0, 0]) if not self.averaged else 0.0
        return QuadraticFormLaw(nodes=np.array([self.score_variance]), density=np.ones(1), moment=np.array([q]))


def _fixed_isotropic() -> AttentionSetting:
    return AttentionSetting(np.eye(3), 0.5 * np.eye(3), np.eye(3), np.array([1.0, -1.0, 0.0]), name="isotropic")


def _fixed_anisotropic() -> AttentionSetting:
    Gamma = np.diag([2.0, 1.0, 0.5, 0.25])
    U = np.array([[0.3, 0.1, 0.0, 0.0], [-0.2, 0.4, 0.1, 0.0], [0.0, 0.1, 0.5, -0.3], [0.2, 0.0, 0.0, 0.6]])
    V = np.array([[1.0, 0.0, 0.5, 0.0], [0.0, -1.0, 0.0, 2.0]])
    return AttentionSetting(Gamma, U, V, np.array([1.0, 0.5, -1.0, 1.0]), name="anisotropic")


def _fixed_singular() -> AttentionSetting:
    """Tokens on a plane in R^3."""
    plane = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    return AttentionSetting(plane @ plane.T / 2, 0.4 * np.eye(3), np.eye(3), np.array([0.5, 0.5, 0.5]), name="singular")


def _averaged() -> AttentionSetting:
    """lambda = 0.16 < 1/6: the error is C/L (1 + O(1/L)) also on average."""
    return AttentionSetting(np.eye(3), np.diag([0.4, 0.3, 0.2]), np.eye(3), np.eye(3), name="averaged")


def _averaged_slow() -> AttentionSetting:
    """lambda = 1.44 >= 1: the exponent is below 1 and cannot be seen at feasible lengths."""
    return AttentionSetting(np.eye(2), np.diag([1.2, 0.5]), np.eye(2), np.eye(2), name="averaged-slow")


#: The standard laws by name: centred tokens in d dimensions with the identity as covariance.
LAWS: Mapping[str, Callable[[int], TokenLaw]] = MappingProxyType(
    {"gaussian": lambda d: gaussian(np.eye(d)), "rademacher": rademacher, "uniform": uniform, "sphere": sphere, "ball": ball}
)
#: The built-in examples by name.
EXAMPLES: Mapping[str, Callable[[], AttentionSetting]] = MappingProxyType(
    {
        "isotropic": _fixed_isotropic,
        "anisotropic": _fixed_anisotropic,
        "singular": _fixed_singular,
        "averaged": _averaged,
        "averaged-slow": _averaged_slow,
    }
)
