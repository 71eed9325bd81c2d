"""Search for the laws at which a bound on moments, tails or tilted means of sub-Gaussian vectors is
tightest, with exact sums.

`numerics.search.worst_average` does this for averages over a prompt; here the statement speaks of
one law or of several themselves. The search runs over laws on two and three atoms at their exact
sub-Gaussian constant, and over cases that the caller names. A refutation is rounded to short
rationals and evaluated again by Arb.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from numerics.evidence import Evidence, Verdict
from numerics.rationals import arb_ball
from numerics.search.families import DENOMINATORS, THREE_ATOMS, TWO_ATOMS, Family
from numerics.search.maximise import maximise
from numerics.search.reference import ReferenceInstance
from numerics.seeds import current_seed, generator
from numerics.token_laws.token_law import TokenLaw
from numerics.token_laws.weighted_nodes import WeightedNodes

__all__ = ["worst_law"]

Array = npt.NDArray[Any]
#: Families of one-dimensional laws, with the number of parameters that belong to the law.
FAMILIES: dict[str, tuple[Family, int]] = {"two atoms": (TWO_ATOMS, 1), "three atoms": (THREE_ATOMS, 3)}
#: By how much a side may be off because a statement holds constants in floating point.
ROUNDING = Fraction(1, 10**12)


#: ``sides(populations, numbers)``: left and right side, up to the factor that the statement allows;
#: numbers have shape (n, ...).
Sides = Callable[[Sequence[WeightedNodes], Array], tuple[Any, Any]]
Case = tuple[str, Sequence[TokenLaw | WeightedNodes], Sequence[float]]


def worst_law(
    sides: Sides,
    limit: Any,
    *,
    checked: str,
    laws: tuple[str, ...] = ("two atoms",),
    numbers: tuple[tuple[float, float], ...] = (),
    cases: Callable[[], Iterable[Case]] | None = None,
) -> Evidence:
    """Try ``left <= limit * right`` where it is tightest.

    Parameters
    ----------
    sides : callable
        A function of module level, by which searches are remembered; written with sums, products,
        integer powers and NumPy's elementary functions, so that it also works on Arb balls.
    limit : rational
        The constant of the statement.
    checked : str
        The statement in LaTeX.
    laws : tuple of str
        A family for each law: ``"two atoms"`` or ``"three atoms"``, on the line and with sigma = 1.
    numbers : tuple of (float, float)
        Ranges of further numbers: a score, or the size of U, which at a reference instance
        (`numerics.search.reference`) is its score.
    cases : callable, optional
        A function of module level that lists further instances (name, laws, numbers), in any
        dimension. A law is a `TokenLaw` with nodes, or `WeightedNodes`.

    Returns
    -------
    Evidence
        SUPPORTED with the tightest point, REFUTED with a rational witness, or OPEN where a
        violation was not confirmed by Arb.

    Raises
    ------
    ValueError
        If a family is unknown, the limit is not positive, or a law of a case has no nodes.

    Examples
    --------
    >>> def fourth(populations, numbers):
    ...     p, = populations
    ...     return p.mean(p.squares ** 2), p.sigma2 ** 2
    >>> worst_law(fourth, 16, checked="E Z^4 <= 16").verdict.value
    'SUPPORTED'
    >>> worst_law(fourth, Fraction(1, 2), checked="E Z^4 <= 1/2").verdict.value
    'REFUTED'
    """
    if any(name not in FAMILIES for name in laws) or not limit > 0:
        raise ValueError(f"a positive limit and families out of {', '.join(FAMILIES)} are needed, got {limit} and {laws}")
    started = time.perf_counter()
    reached, at = _search(sides, laws, numbers, current_seed())
    common: dict[str, Any] = {"engine": "enumeration", "checked": checked}
    if reached > float(limit) * (1 + 1e-9):
        found = _witness(sides, limit, laws, numbers, np.array(at))
        if found is not None:
            return found.replace(checked=checked, slack=float(limit) / reached, seconds=time.perf_counter() - started)
    worst, where, count = _listed(sides, cases) if cases else (0.0, "", 0)
    seconds = time.perf_counter() - started
    top = max(reached, worst)
    if top > float(limit) * (1 + 1e-9):
        place = where if worst > reached else f"{laws} at {at}"
        return Evidence(verdict=Verdict.OPEN, reason=f"ratio {top:.9g} at {place}, not confirmed by Arb", seconds=seconds, **common)
    covered = f"worst case searched over {' and '.join(laws)} at sigma = 1: reached {reached:.6g} of {float(limit):.6g}"
    covered += f"; {count} further cases: at most {worst:.6g} ({where})" if count else ""
    tightest = {"case": where} if worst > reached else _rationals(laws, np.array(at), 10**4)[2]
    return Evidence(
        verdict=Verdict.SUPPORTED,
        covered=covered,
        slack=max(1.0, float(limit) / top) if top > 0 else None,
        tightest={**tightest, "reached": top},
        sides=(partial(_at_reference, sides, limit, laws, numbers),),
        seconds=seconds,
        **common,
    )


def _at_reference(
    sides: Sides, limit: Any, laws: tuple[str, ...], numbers: tuple[tuple[float, float], ...], at: ReferenceInstance
) -> tuple[float, float]:
    """Both sides with the instance's law for every law and its score for every number."""
    nodes, masses = np.array([[float(x)] for x in at.point.atoms]), np.array([float(p) for p in at.point.weights])
    law = WeightedNodes(nodes, masses, float(at.point.sigma2()))
    left, right = sides([law] * len(laws), np.full(len(numbers), float(at.point.Uz)))
    return float(left), float(limit) * float(right)


@lru_cache(maxsize=256)
def _listed(sides: Sides, cases: Callable[[], Iterable[Case]]) -> tuple[float, str, int]:
    """The largest ratio over the listed instances, where it is, and how many there are."""
    ratios = []
    for name, populations, values in cases():
        laws = [law.weighted_nodes if isinstance(law, TokenLaw) else law for law in populations]
        with np.errstate(all="ignore"):
            ratios.append((float(_ratio(*sides(laws, np.array(values, dtype=float)))), name))
    return (*max(ratios), len(ratios))


def _ratio(left: Any, right: Any) -> Array:
    """Left over right. Both vanish without spread or without scores, the left one up to rounding,
    and then bound nothing; a side without a value counts as a violation.
    """
    ratio = np.where((right == 0) & (left <= 1e-12), 0.0, np.where(right > 0, left / right, np.inf))
    return np.where(np.isnan(ratio), np.inf, ratio)


@lru_cache(maxsize=256)
def _search(
    sides: Sides, laws: tuple[str, ...], numbers: tuple[tuple[float, float], ...], seed: int
) -> tuple[float, tuple[float, ...]]:
    """The largest ratio and its parameters; the seed is that of `generator`, so that each seed is
    remembered by itself.
    """
    box = [side for name in laws for side in FAMILIES[name][0].box[: FAMILIES[name][1]]] + list(numbers)

    def ratio(x: Array) -> Array:
        populations, rest = _floats(laws, x)
        with np.errstate(all="ignore"):
            return _ratio(*sides(populations, rest))

    value, at = maximise(ratio, box, generator(7))
    return value, tuple(at.tolist())


def _split(laws: tuple[str, ...], x: Array) -> tuple[list[Array], Array]:
    """The parameters of each law, filled up with a unit score, and the numbers."""
    parts, start = [], 0
    for name in laws:
        family, n = FAMILIES[name]
        fill = np.zeros((len(family.box) - n, *x.shape[1:]))
        fill[0] = 1.0
        parts.append(np.concatenate([x[start : start + n], fill]))
        start += n
    return parts, x[start:]


def _floats(laws: tuple[str, ...], x: Array) -> tuple[list[WeightedNodes], Array]:
    """The laws with these parameters at sigma = 1, in floating point, and the numbers."""
    parts, rest = _split(laws, x)
    populations = []
    for name, part in zip(laws, parts):
        scores, _, weights, a2, *_ = FAMILIES[name][0].build(part)
        populations.append(WeightedNodes(scores[:, None], weights, a2))
    return populations, rest


def _rationals(laws: tuple[str, ...], x: Array, denominator: int) -> tuple[list[WeightedNodes], Array, dict[str, str]]:
    """Rational laws near these parameters as Arb balls, their proxies enclosed and near 1; the
    numbers; and both in words.
    """
    parts, rest = _split(laws, x)
    populations, names = [], dict[str, str]()
    for i, (name, part) in enumerate(zip(laws, parts)):
        point = FAMILIES[name][0].rational(part, denominator)
        scale = point.Uz
        nodes = np.array([[arb_ball(scale * v)] for v in point.atoms], dtype=object)
        masses = np.array([arb_ball(p) for p in point.weights], dtype=object)
        populations.append(WeightedNodes(nodes, masses, point.sigma2() * arb_ball(scale * scale)))
        label = ("mu", "nu")[i] if len(laws) > 1 else "law"
        names[f"{label} atoms"] = ", ".join(str(scale * v) for v in point.atoms)
        names[f"{label} weights"] = ", ".join(str(p) for p in point.weights)
    values = [Fraction(float(v)).limit_denominator(denominator) for v in rest]
    names |= {f"number {i + 1}": str(v) for i, v in enumerate(values)}
    return populations, np.array([arb_ball(v) for v in values], dtype=object), names


def _witness(
    sides: Sides, limit: Any, laws: tuple[str, ...], numbers: tuple[tuple[float, float], ...], x: Array
) -> Evidence | None:
    """The shortest rational instance near ``x`` that breaks the statement, or None if none is
    confirmed.
    """
    factor = arb_ball(Fraction(limit) * (1 + ROUNDING))
    for denominator in DENOMINATORS:
        populations, values, names = _rationals(laws, x, denominator)
        if not all(low - 1e-12 <= float(v) <= high + 1e-12 for v, (low, high) in zip(values, numbers, strict=True)):
            continue  # rounded out of its range, where the statement says nothing
        left, right = sides(populations, values)
        if left > factor * right:
            witness = {"d": 1, **names, "left": float(left), "right": float(limit) * float(right)}
            return Evidence(verdict=Verdict.REFUTED, engine="enumeration", witness=witness, witness_by="Arb")
    return None
