"""Search for the laws at which a bound on moments, tails or tilted means of sub-Gaussian vectors is
tightest, with exact sums (`worst_case.worst_average` does this for averages over a prompt). It
runs over laws on two and three atoms at their exact sub-Gaussian constant, and over cases that the
caller names. A refutation is rounded to short rationals and evaluated again by Arb.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb

from numerics.counterexamples.worst_case.families import DENOMINATORS, THREE_ATOMS, TWO_ATOMS, Family
from numerics.counterexamples.worst_case.maximise import maximise
from numerics.counterexamples.worst_case.reference import ReferenceInstance
from numerics.evidence import Evidence, Verdict
from numerics.rationals import arb_ball
from numerics.seeds import current_seed, generator
from numerics.token_laws.sub_gaussian import enclosed_proxy
from numerics.token_laws.token_law import TokenLaw
from numerics.token_laws.weighted_nodes import WeightedNodes

__all__ = ["LawBound", "RationalLaw", "judged", "ratio_of", "worst_law"]

Array = npt.NDArray[Any]
#: Families of one-dimensional laws, with the number of parameters that belong to the law.
FAMILIES: dict[str, tuple[Family, int]] = {"two atoms": (TWO_ATOMS, 1), "three atoms": (THREE_ATOMS, 3)}
#: By how much a side may be off because a statement holds constants in floating point.
ROUNDING = Fraction(1, 10**12)


#: ``sides(populations, numbers)``: left and right side, up to the factor that the statement allows;
#: numbers have shape (n, ...).
Sides = Callable[[Sequence[WeightedNodes], Array], tuple[Any, Any]]
Case = tuple[str, Sequence[TokenLaw | WeightedNodes], Sequence[float]]


@dataclass(frozen=True)
class LawBound:
    """``left <= limit * right`` for laws and numbers, as `worst_law` judges it."""

    sides: Sides
    limit: Any
    #: How many laws the sides take.
    laws: int = 1
    #: As in `worst_law`.
    numbers: tuple[tuple[float, float], ...] = ()
    dimensions: tuple[int, ...] = (1,)
    #: The statement in LaTeX.
    checked: str = field(default="", compare=False)

    def __call__(self, at: ReferenceInstance) -> tuple[float, float]:
        """Both sides with the instance's law for every law and its score for every number."""
        nodes, masses = (
            np.array([[float(x)] for x in at.point.atoms]),
            np.array([float(p) for p in at.point.weights]),
        )
        law = WeightedNodes(nodes, masses, float(at.point.sigma2()))
        left, right = self.sides([law] * self.laws, np.full(len(self.numbers), float(at.point.Uz)))
        return float(left), float(self.limit) * float(right)

    def named(self, laws: Sequence[RationalLaw], values: Sequence[Fraction]) -> dict[str, str]:
        """Laws and numbers in words."""
        names = dict[str, str]()
        for i, law in enumerate(laws):
            label = ("mu", "nu")[i] if self.laws > 1 else "law"
            label = label if law.d == 1 else f"{label} of each coordinate,"
            names[f"{label} atoms"] = ", ".join(map(str, law.atoms))
            names[f"{label} weights"] = ", ".join(map(str, law.weights))
        return names | {f"number {i + 1}": str(v) for i, v in enumerate(values)}


@dataclass(frozen=True)
class RationalLaw:
    """A law with rational atoms on the line, or of d independent coordinates with such a law."""

    #: The atoms of the law on the line, or of each coordinate; from d = 2 on they are whole
    #: multiples of the least positive one.
    atoms: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    d: int = 1
    #: The law is this share, at most 1, of one whose exact constant it has.
    share: Fraction = Fraction(1)

    def balls(self) -> WeightedNodes:
        """The law as Arb balls; from d = 2 on its nodes have the lengths of the vectors and lie on
        one axis.
        """
        distance = max(self.atoms) - min(self.atoms)
        proxy = _enclosed(tuple(x / distance for x in self.atoms), self.weights)
        sigma2 = proxy * arb_ball((distance / self.share) ** 2)
        if self.d == 1:
            nodes = np.array([[arb_ball(v)] for v in self.atoms], dtype=object)
            return WeightedNodes(nodes, np.array([arb_ball(p) for p in self.weights], dtype=object), sigma2)
        masses, size = self._squared_length()
        kept = [n for n, p in enumerate(masses) if p]
        nodes = np.array(
            [[arb_ball(size) * arb(n).sqrt()] + [arb(0)] * (self.d - 1) for n in kept], dtype=object
        )
        return WeightedNodes(nodes, np.array([arb_ball(masses[n]) for n in kept], dtype=object), sigma2)

    def _squared_length(self) -> tuple[list[Fraction], Fraction]:
        """Probabilities of 0, 1, 2, ... times the square of the second number for the squared
        length of a vector.
        """
        size, common = min(abs(x) for x in self.atoms if x), lcm(*(p.denominator for p in self.weights))
        one = [0] * int((max(self.atoms) / size) ** 2 + 1)
        for x, p in zip(self.atoms, self.weights):
            one[int((x / size) ** 2)] += int(p * common)
        total = [1]
        for _ in range(self.d):
            longer = [0] * (len(total) + len(one) - 1)
            for k, weight in enumerate(one):
                for i, number in enumerate(total if weight else ()):
                    longer[i + k] += weight * number
            total = longer
        return [Fraction(n, common**self.d) for n in total], size


@lru_cache(maxsize=1024)
def _enclosed(atoms: tuple[Fraction, ...], weights: tuple[Fraction, ...]) -> Any:
    return enclosed_proxy(atoms, weights)


def worst_law(
    sides: Sides,
    limit: Any,
    *,
    checked: str,
    laws: tuple[str, ...] = ("two atoms",),
    numbers: tuple[tuple[float, float], ...] = (),
    cases: Callable[[], Iterable[Case]] | None = None,
    dimensions: tuple[int, ...] = (1,),
) -> Evidence:
    """Try ``left <= limit * right`` where it is tightest: SUPPORTED with that point, REFUTED with a
    rational witness, or OPEN where Arb did not confirm a violation. `sides` and `cases` are
    functions of module level, by which searches are remembered; `sides` is written with sums,
    products, integer powers and NumPy's elementary functions, so that it also works on Arb balls.
    """
    # `laws` names a family for each law, on the line and with sigma = 1. `numbers` are the ranges
    # of further numbers: a score, or the size of U, which at a reference instance
    # (`worst_case.reference`) is its score. `cases` lists further instances (name, laws,
    # numbers) in any dimension, whose laws are a `TokenLaw` with nodes, or `WeightedNodes`.
    # `dimensions` above 1 are for a statement on one law that sees the norms of vectors only:
    # property tests try it on independent coordinates in these dimensions, too.
    if any(name not in FAMILIES for name in laws) or not limit > 0:
        raise ValueError(
            f"a positive limit and families out of {', '.join(FAMILIES)} are needed, got {limit} and {laws}"
        )
    started = time.perf_counter()
    bound = LawBound(sides, limit, len(laws), numbers, dimensions, checked)
    common: dict[str, Any] = {"engine": "enumeration", "checked": checked, "sides": (bound,)}
    reached, at = _search(sides, laws, numbers, current_seed())
    if reached > float(limit) * (1 + 1e-9):
        found = _witness(bound, laws, np.array(at))
        if found is not None:
            return found.replace(slack=float(limit) / reached, seconds=time.perf_counter() - started)
    worst, where, count = _listed(sides, cases) if cases else (0.0, "", 0)
    seconds = time.perf_counter() - started
    top = max(reached, worst)
    if top > float(limit) * (1 + 1e-9):
        place = where if worst > reached else f"{laws} at {at}"
        return Evidence(
            verdict=Verdict.OPEN,
            reason=f"ratio {top:.9g} at {place}, not confirmed by Arb",
            seconds=seconds,
            **common,
        )
    covered = (
        f"worst case searched over {' and '.join(laws)} at sigma = 1: reached {reached:.6g} "
        f"of {float(limit):.6g}"
    )
    covered += f"; {count} further cases: at most {worst:.6g} ({where})" if count else ""
    tightest = {"case": where} if worst > reached else bound.named(*_rationals(laws, np.array(at), 10**4))
    return Evidence(
        verdict=Verdict.SUPPORTED,
        covered=covered,
        slack=max(1.0, float(limit) / top) if top > 0 else None,
        tightest={**tightest, "reached": top},
        seconds=seconds,
        **common,
    )


@lru_cache(maxsize=256)
def _listed(sides: Sides, cases: Callable[[], Iterable[Case]]) -> tuple[float, str, int]:
    """The largest ratio over the listed instances, where it is, and how many there are."""
    ratios = []
    for name, populations, values in cases():
        laws = [law.weighted_nodes if isinstance(law, TokenLaw) else law for law in populations]
        with np.errstate(all="ignore"):
            ratios.append((float(ratio_of(*sides(laws, np.array(values, dtype=float)))), name))
    return (*max(ratios), len(ratios))


def ratio_of(left: Any, right: Any) -> Array:
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
            return ratio_of(*sides(populations, rest))

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


def _rationals(laws: tuple[str, ...], x: Array, denominator: int) -> tuple[list[RationalLaw], list[Fraction]]:
    """Rational laws near these parameters, their constants near 1, and the numbers."""
    parts, rest = _split(laws, x)
    found = []
    for name, part in zip(laws, parts):
        point = FAMILIES[name][0].rational(part, denominator)
        scale = point.Uz
        found.append(RationalLaw(tuple(scale * v for v in point.atoms), point.weights))
    return found, [Fraction(float(v)).limit_denominator(denominator) for v in rest]


def _witness(bound: LawBound, laws: tuple[str, ...], x: Array) -> Evidence | None:
    """The shortest rational instance near ``x`` that breaks the statement, or None if none is
    confirmed.
    """
    for denominator in DENOMINATORS:
        found, values = _rationals(laws, x, denominator)
        if not all(
            low - 1e-12 <= float(v) <= high + 1e-12
            for v, (low, high) in zip(values, bound.numbers, strict=True)
        ):
            continue  # rounded out of its range, where the statement says nothing
        evidence = judged(bound, found, values)
        if evidence.verdict is Verdict.REFUTED:
            return evidence
    return None


def judged(bound: LawBound, laws: Sequence[RationalLaw], values: Sequence[Fraction]) -> Evidence:
    """A bound at rational laws and numbers, by Arb: REFUTED with the witness, SUPPORTED, or OPEN
    where the enclosures overlap.
    """
    common: dict[str, Any] = {"engine": "enumeration", "checked": bound.checked, "sides": (bound,)}
    try:
        left, right = bound.sides(
            [law.balls() for law in laws], np.array([arb_ball(v) for v in values], dtype=object)
        )
    except ArithmeticError as reason:  # no proxy could be proved
        return Evidence(verdict=Verdict.OPEN, reason=str(reason), **common)
    if left > arb_ball(Fraction(bound.limit) * (1 + ROUNDING)) * right:
        witness = {
            "d": laws[0].d,
            **bound.named(laws, values),
            "left": float(left),
            "right": float(bound.limit) * float(right),
        }
        return Evidence(verdict=Verdict.REFUTED, witness=witness, witness_by="Arb", **common)
    if left <= arb_ball(Fraction(bound.limit) * (1 + 2 * ROUNDING)) * right:
        return Evidence(verdict=Verdict.SUPPORTED, covered="one instance", **common)
    return Evidence(
        verdict=Verdict.OPEN,
        reason=f"the enclosures {left} and {bound.limit} times {right} overlap",
        **common,
    )
