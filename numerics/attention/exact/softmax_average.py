"""The softmax average R_L / S_L over a random prompt, its statistics, and the symbols in which
bounds speak of them. A `SoftmaxAverage` holds outcomes of the prompt with their probabilities (all
of them, as floats or Arb balls, or a sample) beside the quantities of the population. A statement
is then a pair of SymPy expressions in the symbols of this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp

from numerics.attention.exact.enumeration import compositions, multinomial
from numerics.attention.exact.law_moments import LATEX_OF_THE_LAW, OF_THE_LAW, LawMoments

__all__ = [
    "LATEX",
    "POPULATION",
    "RandomVariable",
    "SoftmaxAverage",
    "around",
    "deviation_R",
    "deviation_S",
    "error_fourth",
    "error_off_A",
    "error_on_A",
    "error_squared",
    "failure",
    "fourth_off_A",
    "fourth_on_A",
    "normaliser",
    "numerator",
    "numerator_fourth",
    "softmax_average",
    "symbol",
]

Array = npt.NDArray[Any]
Tokens = tuple[Array, Any, int]


@dataclass(frozen=True)
class SoftmaxAverage:
    """Outcomes of ``S_L = sum_k e^{a.z_k}`` and ``R_L = sum_k e^{a.z_k} f(z_k)``, with what they
    fluctuate around. Trailing axes are laws.
    """

    #: Length of the prompt, or of each.
    L: Any
    #: Probability of each outcome, (n, ...).
    weight: Array
    S_L: Array
    #: One component of f on each first index, (m, n, ...).
    R_L: Array
    #: ``L E w``.
    S: Any
    #: ``L E[w f]``, (m, ...).
    R: Array
    #: ``sigma^2 |a|^2``.
    a2: Any
    #: ``E|f|^2``.
    F2: Any
    #: ``sqrt(E|f|^4)``.
    F4: Any
    #: ``E w^2``.
    EM2: Any
    #: ``E w^2 |f|^2``.
    EQ2: Any
    law: LawMoments | None = None

    @property
    def ratio(self) -> Any:
        """|R / S|."""
        return np.sqrt(_squares(self.R / self.S))

    def mean(self, variable: RandomVariable) -> Any:
        """Its expectation."""
        return (self.weight * variable.of(self)).sum(0)

    def probability(self, variable: RandomVariable, op: str, threshold: Any) -> Any:
        """Probability that ``variable op threshold`` is certain (for balls, a lower bound)."""
        value = variable.of(self)
        happens = {">=": np.greater_equal, ">": np.greater, "<=": np.less_equal, "<": np.less}[op](
            value, threshold
        )
        return np.where(happens, self.weight, 0 * self.weight).sum(0)


@dataclass(frozen=True)
class RandomVariable:
    """A function of the prompt, with its LaTeX."""

    latex: str
    of: Callable[[SoftmaxAverage], Array]


def _squares(vectors: Array) -> Any:
    return (vectors * vectors).sum(0)


def _error(c: SoftmaxAverage) -> Array:
    return _squares(c.R_L / c.S_L - (c.R / c.S)[:, None])


def _fourth(c: SoftmaxAverage) -> Array:
    e = _error(c)
    return e * e  # a power of a ball around 0 has no enclosure


def _numerator(c: SoftmaxAverage) -> Array:
    return _squares(c.R_L - c.S_L * (c.R / c.S)[:, None])


def _where(happens: Array, fails: Array, value: Array) -> Array:
    """The value on an event, 0 off it; where balls do not decide that, a ball around both."""
    out = np.where(happens, value, 0 * value)
    undecided = ~(np.asarray(happens, dtype=bool) | np.asarray(fails, dtype=bool))
    if value.dtype != object or not undecided.any():
        return out
    from flint import arb

    return np.where(undecided, value * arb(0.5, 0.5), out)


def _on_A(c: SoftmaxAverage, value: Array) -> Array:
    return _where(c.S_L < c.S / 2, c.S_L >= c.S / 2, value)


def _off_A(c: SoftmaxAverage, value: Array) -> Array:
    return _where(c.S_L >= c.S / 2, c.S_L < c.S / 2, value)


_LATEX = r"\left\|\tfrac{R_L}{S_L}-\tfrac{R}{S}\right\|"
error_fourth = RandomVariable(_LATEX + r"^4", _fourth)
error_squared = RandomVariable(_LATEX + r"^2", _error)
#: The event A = {S_L < S/2} on which the normaliser fails, and its complement.
error_on_A = RandomVariable(_LATEX + r"^2 1_{S_L<S/2}", lambda c: _on_A(c, _error(c)))
error_off_A = RandomVariable(_LATEX + r"^2 1_{S_L\ge S/2}", lambda c: _off_A(c, _error(c)))
failure = RandomVariable("1_{S_L<S/2}", lambda c: _on_A(c, 0 * c.S_L + 1))
fourth_on_A = RandomVariable(_LATEX + r"^4 1_{S_L<S/2}", lambda c: _on_A(c, _fourth(c)))
fourth_off_A = RandomVariable(_LATEX + r"^4 1_{S_L\ge S/2}", lambda c: _off_A(c, _fourth(c)))
#: N = R_L - S_L R/S has mean zero, and the error is N / S_L.
numerator = RandomVariable(r"\left\|R_L-S_L\tfrac{R}{S}\right\|^2", _numerator)
numerator_fourth = RandomVariable(
    r"\left\|R_L-S_L\tfrac{R}{S}\right\|^4", lambda c: _numerator(c) * _numerator(c)
)
normaliser = RandomVariable("S_L", lambda c: c.S_L)
deviation_S = RandomVariable(
    r"(S_L-S)_+^2", lambda c: _where(c.S_L > c.S, c.S_L <= c.S, (c.S_L - c.S) * (c.S_L - c.S))
)
deviation_R = RandomVariable(r"\|R_L-R\|^2", lambda c: _squares(c.R_L - c.R[:, None]))

#: Symbols of the bounds, by name, and what they are.
POPULATION: Mapping[str, Callable[[SoftmaxAverage], Any]] = {
    "L": lambda c: c.L,
    "a2": lambda c: c.a2,
    "F2": lambda c: c.F2,
    "F4": lambda c: c.F4,
    "S": lambda c: c.S,
    "EM2": lambda c: c.EM2,
    "EQ2": lambda c: c.EQ2,
    "RS": lambda c: c.ratio,
}


#: How they are written.
LATEX: Mapping[str, str] = {
    "a2": r"\sigma^2\|Uz\|^2",
    "F2": r"\mathbb{E}\|f\|^2",
    "F4": r"\sqrt{\mathbb{E}\|f\|^4}",
    "EM2": r"\mathbb{E}M^2",
    "EQ2": r"\mathbb{E}\|\tilde{Q}\|^2",
    "RS": r"\|R/S\|",
    **LATEX_OF_THE_LAW,
}


def symbol(name: str) -> sp.Symbol:
    """The positive symbol of a population quantity."""
    if name not in POPULATION and name not in OF_THE_LAW:
        raise ValueError(
            f"no population quantity is called {name!r}; there are {', '.join([*POPULATION, *OF_THE_LAW])}"
        )
    return sp.Symbol(name, positive=True)


def softmax_average(
    L: int, scores: Any, f: Any, weights: Any, a2: Any, tokens: Tokens | None = None
) -> SoftmaxAverage:
    """Every outcome of a prompt of L tokens that take k values, from scores ``a.z`` (k, ...),
    values of f (m, k, ...) and probabilities (k, ...) of the atoms, in floats or `flint.arb`, and
    ``a2 = sigma^2 |a|^2``. ``tokens`` are ``|z|^2`` at each atom, ``sigma^2`` and the dimension,
    for bounds that see them.
    """
    p, values, w = np.asarray(weights), np.asarray(f), np.exp(np.asarray(scores))
    outcomes = compositions(L, len(p))
    counts = outcomes.astype(object) if p.dtype == object else outcomes
    # One product of matrices gives all sums.
    terms = np.stack(np.broadcast_arrays(w, *(w * v for v in values)), axis=1)
    sums = (counts @ terms.reshape(len(p), -1)).reshape(len(counts), *terms.shape[1:])
    return around(
        L, multinomial(outcomes, p), sums[:, 0], np.moveaxis(sums[:, 1:], 1, 0), (w, values, p), a2, tokens
    )


def around(
    L: Any,
    weight: Array,
    S_L: Array,
    R_L: Array,
    nodes: tuple[Array, Array, Array],
    a2: Any,
    tokens: Tokens | None = None,
) -> SoftmaxAverage:
    """Outcomes, enumerated or sampled, with the population quantities that belong to a cubature
    rule, whose nodes are ``e^{a.z}`` (k, ...), f (m, k, ...) and probabilities (k, ...); the rest
    is that of `softmax_average`.

    >>> one = np.ones(1)
    >>> around(2, one, 2 * one, one[None], (one, one[None], one), 0.0).S == 2
    np.True_
    """
    w, values, p = nodes
    length = _squares(values)
    return SoftmaxAverage(
        L=L,
        weight=weight,
        S_L=S_L,
        R_L=R_L,
        S=L * (p * w).sum(0),
        R=L * (p * w * values).sum(1),
        a2=a2,
        F2=(p * length).sum(0),
        F4=np.sqrt((p * length * length).sum(0)),
        EM2=(p * w * w).sum(0),
        EQ2=(p * w * w * length).sum(0),
        law=LawMoments(p, length, *(tokens or ())),
    )
