"""The problem of the attention errors, checked once: the law of the tokens, the parameters of
softmax attention, and the query. Exact engines, Monte Carlo, rate reports and sweeps all take it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.quadrature.query_form import QuadraticFormLaw, quadratic_form_law
from numerics.attention.quadrature.softmax_weights import check_lengths
from numerics.token_laws import TokenLaw, ball, gaussian, rademacher, sphere, uniform
from theory.inputs.arrays import read_arrays, read_covariance, real_array
from theory.inputs.kinds import check_kind
from theory.inputs.spectrum import covariance_factor, say_if_lost, symmetric_root
from theory.shown.result import in_a_line, in_a_table

__all__ = [
    "LAWS",
    "QUANTITIES",
    "AttentionSetting",
    "Quantity",
    "as_setting",
    "overflow_refused",
    "read_lengths",
]

Floats = NDArray[np.float64]
Quantity = Literal["output", "grad_V", "grad_U"]
#: The errors that are measured.
QUANTITIES: tuple[Quantity, ...] = ("output", "grad_V", "grad_U")
#: Largest entry; the fourth power of a larger one may exceed the range of floats.
LARGEST = 1e30
#: Scores of a smaller variance change a softmax by less.
LEAST_SCORES = 1e-6
#: Relative difference between U and K'Q that counts as rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, init=False)
class AttentionSetting:
    """Independent tokens z_k, softmax attention with parameters U and V, and a query that is fixed
    or Gaussian and independent of the prompt.

    Parameters
    ----------
    Gamma : array_like, shape (d, d), or TokenLaw
        Covariance of Gaussian tokens, symmetric positive semidefinite; may be singular. Or the law
        of the tokens, of which the attribute `Gamma` then is the covariance.
    U : array_like, shape (d, d), or None
        The score of token z_k for the query z is z_k'Uz. None if K and Q are given.
    V : array_like, shape (d_out, d)
        Value matrix.
    query : array_like, shape (d,), optional
        The query, or with `query_cov` the mean of Gaussian queries. Zero if left out.
    query_cov : array_like, shape (d, d), optional
        Covariance S of queries N(query, S). One of `query` and `query_cov` is needed.
    K, Q : array_like, shape (m, d), optional
        Key and query matrices with ``U = K'Q``, for their gradients; both or neither.
    name : str
        What a report calls it.

    Raises
    ------
    TypeError, ValueError
        If an array is not real and finite, shapes do not fit, a covariance is not symmetric
        positive semidefinite, no query is given, or U is not K'Q.

    Examples
    --------
    >>> setting = AttentionSetting(np.eye(2), np.eye(2), np.eye(2), [1.0, 0.0])
    >>> setting.d, setting.averaged, setting.score_variance
    (2, False, 1.0)
    >>> AttentionSetting(rademacher(2), np.eye(2), np.eye(2), query_cov=np.eye(2)).gaussian
    False
    """

    U: Floats
    V: Floats
    query: Floats
    query_cov: Floats | None
    K: Floats | None
    Q: Floats | None
    name: str
    _tokens: Floats | TokenLaw = field(repr=False)

    __repr__ = in_a_line
    _repr_html_ = in_a_table

    def __init__(
        self,
        Gamma: ArrayLike | TokenLaw,
        U: ArrayLike | None,
        V: ArrayLike,
        query: ArrayLike | None = None,
        *,
        query_cov: ArrayLike | None = None,
        K: ArrayLike | None = None,
        Q: ArrayLike | None = None,
        name: str = "custom",
    ) -> None:
        if query is None and query_cov is None:
            raise ValueError(
                "neither of query and query_cov given; pass query=z for one query, query_cov=S for queries "
                "N(0, S)"
            )
        if (K is None) != (Q is None):
            raise ValueError("only one of K and Q given; the gradients in K and Q need both")
        if U is None and K is None:
            raise ValueError("U is missing; pass U, or K and Q with U = K'Q")
        given: dict[str, tuple[ArrayLike, str]] = {}
        if isinstance(Gamma, TokenLaw):
            given[f"the law {Gamma.name}"] = (np.zeros(Gamma.d), "d")
        else:
            given["Gamma"] = (read_covariance("Gamma", Gamma), "d d")
        if K is not None and Q is not None:
            given |= {"K": (K, "m d"), "Q": (Q, "m d")}
        if U is not None:
            given["U"] = (U, "d d")
        given["V"] = (V, "d_out d")
        if query is not None:
            given["query"] = (query, "d")
        if query_cov is not None:
            given["query_cov"] = (read_covariance("query_cov", query_cov), "d d")
        read = dict(zip(given, read_arrays(**given)))
        if "K" in read:
            read["U"] = _product_of_keys(read["K"], read["Q"], read.get("U"))
        read.setdefault("query", np.zeros(read["V"].shape[1]))
        put = lambda attribute, value: object.__setattr__(self, attribute, value)
        for attribute in ("U", "V", "query", "query_cov", "K", "Q"):
            put(attribute, _frozen(read[attribute]) if attribute in read else None)
        check_kind(str, name=name)
        put("name", name)
        put("_tokens", Gamma if isinstance(Gamma, TokenLaw) else _frozen(read["Gamma"]))

    @cached_property
    def Gamma(self) -> Floats:
        """The covariance of the tokens, shape (d, d)."""
        known = self._tokens
        return _frozen(read_covariance("Gamma", known.covariance)) if isinstance(known, TokenLaw) else known

    @cached_property
    def law(self) -> TokenLaw:
        """The law of the tokens; `Gamma` is its covariance."""
        return self._tokens if isinstance(self._tokens, TokenLaw) else gaussian(self._tokens)

    @property
    def d(self) -> int:
        """Dimension of the tokens."""
        return int(self.V.shape[1])

    @property
    def averaged(self) -> bool:
        """Whether the error is averaged over Gaussian queries."""
        return self.query_cov is not None

    @property
    def gaussian(self) -> bool:
        """Whether the tokens are Gaussian: then all is exact, and Theorems A and B hold."""
        return not isinstance(self._tokens, TokenLaw) or self._tokens.coordinates == "normal"

    @cached_property
    def sigma2(self) -> float:
        """The sub-Gaussian constant sigma^2 of the tokens: the largest eigenvalue of Gamma, or what
        their law claims.
        """
        return float(np.linalg.eigvalsh(self.Gamma)[-1]) if self.gaussian else float(self.law.sigma) ** 2

    def with_law(self, name: str) -> AttentionSetting:
        """The same experiment with other tokens of the same covariance: the standard tokens of one
        of `LAWS`, mapped by the symmetric root of Gamma.
        """
        if name not in LAWS:
            raise ValueError(f"there is no token law {name!r}; choose one of {', '.join(LAWS)}")
        tokens: Floats | TokenLaw = self.Gamma
        if name != "gaussian":
            root = symmetric_root(self.Gamma)
            self._say_if_lost(self.Gamma, root)
            tokens = LAWS[name](self.d).image(root)
        return AttentionSetting(
            tokens,
            self.U,
            self.V,
            self.query,
            query_cov=self.query_cov,
            K=self.K,
            Q=self.Q,
            name=f"{self.name}, {name}",
        )

    @cached_property
    def token_factor(self) -> Floats:
        """F of tokens F g, shape (d, r), where g are the standard coordinates of their law; the
        identity for a law that has none. A RankWarning says if scores or values vary only in
        directions that are lost in rounding errors of Gamma.
        """
        law = self._tokens
        given = (law.identity or {}).get("Gamma") if isinstance(law, TokenLaw) else law
        F = self._factor_of_tokens
        if given is not None:
            self._say_if_lost(np.asarray(given), F)
        return F

    def _say_if_lost(self, Gamma: Floats, factor: Floats) -> None:
        """Warn if scores or values depend on directions of Gamma that its factor does not have."""
        with np.errstate(over="ignore", invalid="ignore"):  # refused where it is needed
            scores = (self.U @ self.query_factor).T
        seen = {"the values V z": (self.V, 0.0), "the scores of tokens": (scores, LEAST_SCORES)}
        say_if_lost("Gamma", Gamma, factor, seen)

    @cached_property
    def _factor_of_tokens(self) -> Floats:
        law = self._tokens
        if isinstance(law, TokenLaw):
            return np.eye(self.d) if law.factor is None else np.asarray(law.factor)
        return covariance_factor(law)

    @cached_property
    def query_factor(self) -> Floats:
        """B with query - E query = B x for standard normal x, shape (d, k); a fixed query as a
        column. A RankWarning says if scores vary only in directions that are lost in rounding
        errors of query_cov.
        """
        if self.query_cov is None:
            return self.query[:, None]
        B = covariance_factor(self.query_cov)
        with np.errstate(over="ignore", invalid="ignore"):  # refused where it is needed
            scores = self._factor_of_tokens.T @ self.U
        say_if_lost("query_cov", self.query_cov, B, {"the scores of tokens": (scores, LEAST_SCORES)})
        return B

    @cached_property
    def score_form(self) -> Floats:
        """A = B'U'Gamma U B: for the query B x the scores have variance x'Ax. For a fixed query
        this is the 1x1 matrix of s.
        """
        return self._form(self.Gamma)

    @property
    def score_variance(self) -> float:
        """s = (Uz)'Gamma(Uz) at a fixed query; for Gaussian queries the top eigenvalue of A."""
        return max(float(np.linalg.eigvalsh(self.score_form)[-1]), 0.0)

    def _form(self, M: Floats) -> Floats:
        """The symmetric matrix B'U'MUB."""
        half = self.U @ self.query_factor
        product = half.T @ M @ half
        return np.asarray((product + product.T) / 2)

    def weight(self, quantity: Literal["output", "grad_V"]) -> tuple[Floats, float]:
        """W and c with error = c E|W^{1/2}(zbar - h)|^2. Each row of the gradient in V is the
        output for V = I.
        """
        return (self.V.T @ self.V, 1.0) if quantity == "output" else (np.eye(self.d), float(self.V.shape[0]))

    def query_law(self, W: Floats, reach: float, step: float = 0.08) -> QuadraticFormLaw:
        """The law of the score variance s over queries, with the weights for h'Wh, h = Gamma U z:
        one atom, or the nodes of a quadrature. W is V'V for the output and the identity for the
        gradient in V; ``reach`` is the logarithm of the largest prompt length. The default step in
        ln s suits what varies with s no faster than the exact errors do.
        """
        moment_form = self._form(self.Gamma @ W @ self.Gamma)
        if self.averaged and self.score_variance > 0:
            return quadratic_form_law(self.score_form, moment_form, log_reach=reach, step=step)
        q = float(moment_form[0, 0]) if not self.averaged else 0.0
        return QuadraticFormLaw(
            nodes=np.array([self.score_variance]), density=np.ones(1), moment=np.array([q])
        )


def as_setting(
    Gamma: ArrayLike | TokenLaw | AttentionSetting, U: ArrayLike | None, V: ArrayLike | None, **others: Any
) -> AttentionSetting:
    """The setting that a public function was given: itself, which stands alone, or one made of
    plain values.

    >>> setting = as_setting(np.eye(3), np.eye(3), np.eye(3), query=np.ones(3))
    >>> as_setting(setting, None, None, query=None) is setting
    True
    """
    if not isinstance(Gamma, AttentionSetting):
        if V is None:
            raise TypeError("V is missing; pass Gamma, U and V, or an AttentionSetting in their place")
        return AttentionSetting(Gamma, U, V, **others)
    beside = [name for name, value in {"U": U, "V": V, **others}.items() if value is not None]
    if beside:
        raise TypeError(
            f"{', '.join(beside)} given beside a setting, which has its own; pass the setting alone"
        )
    return Gamma


def _product_of_keys(K: Floats, Q: Floats, U: Floats | None) -> Floats:
    """U, after a check that it is K'Q; K'Q itself if U is None."""
    if U is None:
        return np.asarray(K.T @ Q)
    gap = float(np.abs(K.T @ Q - U).max())
    if not gap <= ROUNDING * float(np.abs(K).T.dot(np.abs(Q)).max(initial=0) + np.abs(U).max()):
        raise ValueError(f"U is not K'Q: they differ by {gap:.3g}; pass U = K.T @ Q")
    return U


def _frozen(array: Floats) -> Floats:
    """A copy that nobody can write to; the caller's array stays writable."""
    array = array.copy()
    array.setflags(write=False)
    return array


#: The standard laws by name: centred tokens in d dimensions with the identity as covariance.
LAWS: Mapping[str, Callable[[int], TokenLaw]] = MappingProxyType(
    {
        "gaussian": lambda d: gaussian(np.eye(d)),
        "rademacher": rademacher,
        "uniform": uniform,
        "sphere": sphere,
        "ball": ball,
    }
)


def read_lengths(lengths: ArrayLike) -> Floats:
    """The prompt lengths as a vector of floats: whole numbers from 1 to 1e100."""
    L = np.atleast_1d(real_array("lengths", lengths))
    if L.ndim != 1 or not L.size:
        raise TypeError(f"lengths must be a whole number or a sequence of them, not {lengths!r:.200}")
    check_lengths(L)
    return L


def overflow_refused(arrays: Mapping[str, Floats]) -> None:
    """Refuse arrays with entries whose products of four may exceed the range of floats."""
    for name, array in arrays.items():
        if not (np.isfinite(array).all() and np.abs(array).max() <= LARGEST):
            raise ValueError(f"{name} makes products that overflow a float; choose other units")
