"""Bounds on statistics of the softmax average, tried on laws of one to three rational atoms on the
line with every score, function and length. An instance is a row of whole numbers, its codes. Sums
over all prompts give both sides in floating point; Arb evaluates a counterexample in the
statement's own variables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray
from scipy.special import gammaln

from numerics.attention.exact.enumeration import compositions
from numerics.attention.exact.softmax_average import SoftmaxAverage, around
from numerics.counterexamples.drawn.holds import ROUNDING, Tried
from numerics.counterexamples.drawn.scalars import MOST, OCTAVE, decoded, table
from numerics.counterexamples.worst_case.families import Point, on_line
from numerics.counterexamples.worst_case.reference import StatisticBound
from numerics.counterexamples.worst_case.statement import Mean, Normal, Tail, normal_form
from numerics.counterexamples.worst_case.worst_average import at_point, parameters
from numerics.evidence import Evidence, Verdict
from numerics.provers.enclosures.boxes import Side
from numerics.rationals import sympy_rational
from numerics.token_laws.sub_gaussian import kearns_saul, optimal_proxy

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["AverageBound", "Instances"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int_]
Example = tuple[int, ...]
Rounds = list[tuple[Codes, Floats]]
#: How many atoms the first number of an example stands for.
ATOMS = (2, 3, 2, 2, 3, 2, 2, 1, 2)
#: Ranges of numbers: positive ones, and shares of a probability or of an interval.
POSITIVE, SHARE = Side(fmpq(0), None, True, True), Side(fmpq(0), fmpq(1), True, True)
#: The places of codes: the length, of which codes below 0 are the longest; sigma Uz, from -4 to 4,
#: beyond which bounds leave the range of floats; the scale of the law; f at the first atom; f at
#: the others as multiples of that; and from 6 on the shares that are the shape of the law.
LENGTH, SCORE, SCALE, SIZE, FACTORS, PLACES = 0, 1, 2, 3, (4, 5), 9
#: The places at which a law on so many atoms is changed to make a ratio larger.
CLIMBED = {1: (SCORE,), 2: (SCORE, 4, 6), 3: (SCORE, 4, 5, 6, 7, 8)}
#: Prompt lengths by the number of atoms: with three of them there are more prompts.
LENGTHS = {1: (1, 2, 1000), 2: (1, 2, 3, 4, 5, 7, 10, 20, 50, 100, 300, 1000), 3: (1, 2, 3, 4, 6, 8, 12)}
#: How many instances stand for an example at first; then so many beside the best one, whose codes
#: differ by as much as these numbers, in as many rounds.
SPREAD, BESIDE, WIDTHS = 128, 192, (1500, 1000, 500, 200, 60)
#: Before each of these rounds so many of the best are tried at all lengths.
KEPT = (3, 0, 1, 0, 0)
#: Of several examples the best one and one in so many are improved by random steps.
SHARE_CLIMBED = 3
#: What a round may cost: instances times prompts.
MOST_OUTCOMES = 30_000


@dataclass(frozen=True)
class Instances:
    """The strategy of instances: how many atoms, to which power of the token f is proportional, and
    codes.
    """

    def strategy(self) -> SearchStrategy[Any]:
        """The simplest instance has the atoms 1 and -1, Uz = 0, f = (1, 0) and one token."""
        from numerics.counterexamples.drawn.rows import Row

        return Row((0, len(ATOMS) - 1), (0, 2), (-MOST // 2, MOST), *[(-MOST, MOST)] * (PLACES - 1))


@dataclass(frozen=True)
class AverageBound:
    """A statement of `worst_case.worst_average` at rational instances in dimension 1."""

    bound: StatisticBound

    drawn = Instances()
    covered = "laws on 1 to 3 rational atoms with sigma |Uz| <= 4, f over decades, L up to 1000"

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    @cached_property
    def normal(self) -> Normal:
        """The statement as a ratio and its limit."""
        return normal_form(self.bound.left, self.bound.right, exponents=self.bound.exponents)

    @cached_property
    def random(self) -> bool:
        """Whether the statement speaks of the prompt; otherwise its length is only a factor."""
        return isinstance(self.bound.left, (Mean, Tail))

    def tried(self, example: Example) -> Tried:
        """The worst ratio that is found from the instance, which also stands for all its translates
        by a lattice. The best of them are tried at every length, unless the code of the length asks
        for the longest one, and the best of these is improved by random steps. Where the statement
        fails, the failing instance is made as simple as possible.
        """
        k, growth, *codes = ATOMS[example[0]], *example[1:]
        return self._climbed(k, growth, codes, self._first(k, growth, codes))

    def tried_together(self, examples: Sequence[Example]) -> list[Tried]:
        """The same for several instances, of which only the most promising ones climb."""
        read = [(ATOMS[example[0]], example[1], list(example[2:])) for example in examples]
        first = [self._first(*instance) for instance in read]
        order = sorted(range(len(first)), key=lambda i: -first[i][-1][1].max())
        rounds = {
            i: len(WIDTHS) if place < 1 + len(first) // SHARE_CLIMBED else 0 for place, i in enumerate(order)
        }
        return [
            self._climbed(*instance, found, rounds[i]) for i, (instance, found) in enumerate(zip(read, first))
        ]

    def _first(self, k: int, growth: int, codes: list[int]) -> Rounds:
        """The translates of an instance, and the best of them at every length."""
        rows = _translates(k, np.array(codes))
        found = [(rows, self._ratios(k, growth, rows))]
        return found + self._at_lengths(k, growth, codes, *found[0], KEPT[0])

    def _at_lengths(
        self, k: int, growth: int, codes: list[int], rows: Codes, ratios: Floats, kept: int
    ) -> Rounds:
        if not (kept and self.random and codes[LENGTH] >= 0):
            return []
        rows = _at_all_lengths(k, rows[ratios.argsort()[-kept:]])
        return [(rows, self._ratios(k, growth, rows))]

    def _climbed(
        self, k: int, growth: int, codes: list[int], found: Rounds, rounds: int = len(WIDTHS)
    ) -> Tried:
        for n, width in enumerate(WIDTHS[:rounds]):
            if n:
                found += self._at_lengths(k, growth, codes, *found[-1], KEPT[n])
            rows, ratios = found[-1]
            rows = _beside(k, rows[ratios.argmax()], width)
            found.append((rows, self._ratios(k, growth, rows)))
        rows, ratios = (np.concatenate(x) for x in zip(*found))
        best = int(ratios.argmax())
        if ratios[best] > 1 + ROUNDING:
            return self._simplest(k, growth, rows[ratios > 1 + ROUNDING])
        return Tried(float(ratios[best]), tuple(rows[best].tolist()))

    def _simplest(self, k: int, growth: int, rows: Codes) -> Tried:
        """The simplest of some failing instances, with codes replaced by simpler ones as long as it
        fails.
        """
        while True:
            at = rows[_complexity(rows).argmin()]
            rows = np.concatenate([at[None], _simpler(at)])
            ratios = self._ratios(k, growth, rows)
            rows = rows[np.r_[True, ratios[1:] > 1 + ROUNDING]]
            if (rows[_complexity(rows).argmin()] == at).all():
                return Tried(float(ratios[0]), tuple(at.tolist()))

    def _ratios(self, k: int, growth: int, rows: Codes) -> Floats:
        """Left side over what the right side allows in each row; -oo where they are no numbers."""
        c = _average(k, growth, rows.shape, rows.tobytes())
        ratio = self.normal.statement.ratios(c) / float(self.normal.limit)
        return np.where(np.isnan(ratio), -np.inf, ratio)

    def exactly(self, example: Example, at: tuple[int, ...]) -> Evidence:
        """Both sides by Arb, for a tail at parameters on either side of the worst one."""
        k = ATOMS[example[0]]
        point, L = _point(k, example[1], at), _length(k, at)
        left, right = self.bound.left, self.bound.right
        reason = "no value of the tail's parameter refutes it by Arb"
        try:
            for value in parameters(left, self.normal, point.approximate(L)):
                found = at_point(point, L, left, right, value)
                if found.verdict is Verdict.REFUTED or not isinstance(left, Tail):
                    return found
        except ArithmeticError as error:  # three atoms may be too uneven for a certified proxy
            reason = str(error)
        return Evidence(verdict=Verdict.OPEN, engine="enumeration", reason=reason)

    def shown(self, example: Example, at: tuple[int, ...]) -> Mapping[str, Any]:
        k = ATOMS[example[0]]
        point, L = _point(k, example[1], at), _length(k, at)
        try:
            return {"L": L, **point.describe()}
        except ArithmeticError:  # as above
            join = lambda values: ", ".join(map(str, values))
            return {
                "L": L,
                "atoms": join(point.atoms),
                "weights": join(point.weights),
                "Uz": str(point.Uz),
                "f": join(point.f),
            }

    def scaled(self, factor: Fraction) -> AverageBound:
        """The same statement with its bound multiplied; where exponents are compared, with the
        exponent of its bound divided.
        """
        q, bound = sympy_rational(factor), self.bound
        return AverageBound(
            replace(bound, right=bound.right ** (1 / q) if bound.exponents else q * bound.right)
        )


def _length(k: int, codes: tuple[int, ...]) -> int:
    return LENGTHS[k][codes[LENGTH] * len(LENGTHS[k]) // (MOST + 1) if codes[LENGTH] >= 0 else -1]


def _translates(k: int, codes: Codes) -> Codes:
    """These codes, and their translates by a lattice in the places that are climbed; fewer for long
    prompts.
    """
    places = CLIMBED[k]
    irrational = np.sqrt([2, 3, 5, 7, 11, 13])[: len(places)]
    count = min(SPREAD, 1 + MOST_OUTCOMES // _cost(k, codes))
    out = np.tile(codes, (count, 1))
    out[:, places] += (np.arange(count)[:, None] * irrational % 1 * (2 * MOST + 1)).astype(int)
    out[:, places] = (out[:, places] + MOST) % (2 * MOST + 1) - MOST
    return out


def _cost(k: int, codes: Codes) -> int:
    """How many prompts there are; with three atoms most time goes into the variance proxy."""
    return max(math.comb(_length(k, tuple(codes.tolist())) + k - 1, k - 1), 1000 if k == 3 else 1)


@cache
def _steps(k: int) -> Floats:
    """Random steps whose sizes range from a few to 1, in some of the places that are climbed."""
    rng = np.random.default_rng(k)
    some = rng.standard_normal((BESIDE, len(CLIMBED[k]))) * (rng.random((BESIDE, len(CLIMBED[k]))) < 0.6)
    return some * np.geomspace(1 / 300, 1, BESIDE)[:, None]


def _beside(k: int, codes: Codes, width: int) -> Codes:
    """These codes, and copies that differ in some places, or have a simple number in one: 0, a half
    or a sign.
    """
    steps = _steps(k)[:: -(-BESIDE * _cost(k, codes) // MOST_OUTCOMES)]
    simple = [
        (i, code) for i in CLIMBED[k] for code in ((0, MOST // 2, -MOST // 2) if i in FACTORS else (0,))
    ]
    out = np.tile(codes, (1 + len(steps) + len(simple), 1))
    out[1 : 1 + len(steps), CLIMBED[k]] += np.rint(width * steps).astype(int)
    for row, (place, code) in zip(out[1 + len(steps) :], simple):
        row[place] = code
    return np.clip(out, -MOST, MOST)


def _at_all_lengths(k: int, rows: Codes) -> Codes:
    """Copies of these rows with the simplest code of each length."""
    number = len(LENGTHS[k])
    out = np.repeat(rows, number, axis=0)
    out[:, LENGTH] = np.tile(-(-np.arange(number) * (MOST + 1) // number), len(rows))
    return out


def _simpler(codes: Codes) -> Codes:
    """Copies with one code 0, halved, or rounded to a power of two."""
    simpler = np.stack([0 * codes, codes // 2, np.rint(codes / OCTAVE).astype(int) * OCTAVE])
    out = np.tile(codes, (len(simpler), PLACES, 1))
    out[:, np.arange(PLACES), np.arange(PLACES)] = simpler
    return out.reshape(-1, PLACES)


def _complexity(rows: Codes) -> Codes:
    return (np.abs(rows) + OCTAVE * ((rows != 0) + 4 * (rows % OCTAVE != 0))).sum(1)


def _factor(code: int) -> int:
    """The code of the size of a factor: a tenth of all codes stand for the sizes 1."""
    size = abs(code) - MOST // 2
    return max(0, size - OCTAVE) if size > 0 else min(0, size + OCTAVE)


def _number(place: int, code: int) -> Fraction:
    """The number with this code."""
    if place == SCORE:
        return Fraction(code, MOST // 4)
    if place in FACTORS:
        return decoded(POSITIVE, _factor(code)) * ((code > 0) - (code < 0))
    return decoded(POSITIVE if place in (SCALE, SIZE) else SHARE, code)


@cache
def _tables() -> Floats:
    """The numbers of all codes, for each place."""
    codes = np.arange(-MOST, MOST + 1)
    share, size = table(SHARE), table(POSITIVE)
    factor = np.sign(codes) * size[np.array([_factor(c) for c in codes.tolist()]) + MOST]
    return np.stack([0.0 * codes, codes / (MOST // 4), size, size, factor, factor, share, share, share])


@cache
def _prompts(k: int) -> tuple[Floats, Floats]:
    """Counts (n, lengths, k) of every prompt of each length, and logarithms (n, lengths) of their
    multinomial coefficients; the prompts beyond those of a shorter length have probability 0.
    """
    found = [compositions(L, k) for L in LENGTHS[k]]
    most = max(map(len, found))
    counts = np.stack([np.pad(c, ((0, most - len(c)), (0, 0)), mode="edge") for c in found], axis=1)
    logs = gammaln(counts.sum(2) + 1.0) - gammaln(counts + 1.0).sum(2)
    logs[np.arange(most)[:, None] >= [len(c) for c in found]] = -np.inf
    return counts.astype(float), logs


@lru_cache(maxsize=64)
def _average(k: int, growth: int, shape: tuple[int, int], codes: bytes) -> SoftmaxAverage:
    """The softmax average at each row of codes, in floating point; statements that are tried on one
    example share it.
    """
    rows = np.frombuffer(codes, dtype=int).reshape(shape)
    _, a, scale, size, *rest = _tables()[np.arange(PLACES)[:, None], rows.T + MOST]
    p, atoms = _shape(k, *rest[2:])
    proxy = _proxy(k, p, atoms)
    Uz = _score(a, proxy)
    w, z = np.exp(Uz * atoms), scale * atoms
    f = size * np.stack([np.ones(len(rows)), *rest[: k - 1]]) * z**growth
    number = np.where(
        rows[:, LENGTH] < 0, len(LENGTHS[k]) - 1, rows[:, LENGTH] * len(LENGTHS[k]) // (MOST + 1)
    )
    lengths = np.array(LENGTHS[k], dtype=float)[number]
    most = math.comb(int(lengths.max()) + k - 1, k - 1)
    counts, logs = _prompts(k)
    if (number == number[0]).all():
        counts, logs = counts[:most, number[0]], logs[:most, number[:1]]
        total = lambda x: counts @ x
    else:
        counts, logs = counts[:most, number], logs[:most, number]
        total = lambda x: np.einsum("nbk,kb->nb", counts, x)
    weight = np.exp(logs + total(np.log(p)))
    S_L, R_L = total(w), total(w * f)
    return around(
        lengths, weight, S_L, R_L[None], (w, f[None], p), Uz * Uz * proxy, (z * z, scale * scale * proxy, 1)
    )


def _shape(k: int, first: Any, second: Any, place: Any) -> tuple[Any, Any]:
    """Weights and centred atoms at distance 2 of the law with these shares, as floats or as
    Fractions.
    """
    one = first + (1 - first)
    weights = {1: [one], 2: [first, 1 - first], 3: [first, (1 - first) * second, (1 - first) * (1 - second)]}[
        k
    ]
    spots = {1: [0 * one], 2: [2 * one, 0 * one], 3: [2 * one, 2 * place, 0 * one]}[k]
    mean = sum(p * x for p, x in zip(weights, spots))
    return np.stack(weights), np.stack([x - mean for x in spots])


def _proxy(k: int, weights: Floats, atoms: Floats) -> Floats:
    """The optimal variance proxy of each column."""
    if k == 2:
        return np.asarray(4 * kearns_saul(weights[0]))
    return np.asarray(optimal_proxy(atoms, weights)) if k == 3 else np.zeros(weights.shape[1])


def _score(a: Any, proxy: Any) -> Any:
    """A short number Uz with ``sigma |Uz|`` near a."""
    mantissa, octave = np.frexp(a / np.sqrt(np.where(proxy > 0, proxy, 1)))
    return np.ldexp(np.round(mantissa * 1024) / 1024, octave)


def _point(k: int, growth: int, codes: tuple[int, ...]) -> Point:
    """The same instance exactly."""
    scale, size, *rest = (_number(place, codes[place]) for place in range(SCALE, PLACES))
    weights, atoms = (tuple(v.tolist()) for v in _shape(k, *(np.array(q, dtype=object) for q in rest[2:])))
    floats = [np.array([[float(v)] for v in values]) for values in (weights, atoms)]
    Uz = Fraction(float(_score(float(_number(SCORE, codes[SCORE])), _proxy(k, *floats))[0]))
    z = [scale * x for x in atoms]
    return Point(
        on_line(z, weights),
        Uz / scale,
        tuple(size * c * x**growth for c, x in zip((Fraction(1), *rest[: k - 1]), z)),
    )
