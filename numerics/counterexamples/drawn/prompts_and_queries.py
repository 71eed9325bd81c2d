"""Bounds on errors averaged over prompt and query, tried at rational tokens, queries and matrices
U. An example is a tuple of small whole numbers: a law of the tokens, a law of the query, the matrix
U/|U| and the longest prompt. It is evaluated at once at several prompt lengths and at sizes of U
over twelve octaves, zero included.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from numerics.counterexamples.drawn.holds import ROUNDING, Tried
from numerics.counterexamples.worst_case.query_average import PromptAndQuery, tightest
from numerics.counterexamples.worst_case.query_average_bound import Grid, QueryAverageBound
from numerics.evidence import Evidence, Verdict
from numerics.token_laws import atoms
from numerics.token_laws.sub_gaussian import certified_proxy, kearns_saul, optimal_proxy

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["Drawn", "PromptsAndQueries", "drawn_query", "drawn_tokens"]

Vector = tuple[Fraction, ...]
Floats = NDArray[np.float64]
ZERO, ONE = Fraction(0), Fraction(1)
#: The probability that a token is one of the outer atoms; half of the codes say 1.
RARE = (
    *[ONE] * 10,
    *map(Fraction, ("3/4", "1/2", "1/3", "1/4")),
    *(ONE / 2**n for n in (3, 5, 8, 12, 18, 27, 40, 60, 85, 110)),
)
#: Binary logarithm of how much likelier one outer atom is than the other.
SKEW = (*[0] * 8, 1, 2, 3, 5, 8, 12, 20, 35, 60, 100)
#: Eighths of the way from the centre at which the middle atom stands; binary logarithms of sigma.
MIDDLE, SCALE = (*[0] * 7, 1, -1, 2, -2, 4, -4, 6), (*[0] * 7, 1, -1, 2, -2, 4, -4)
#: Laws of the tokens: dimension and structure; a vector is the direction of a law on a line.
TOKENS: tuple[tuple[int, str, tuple[int, ...]], ...] = (
    (1, "line", (1,)),
    (2, "independent", ()),
    (1, "line", (1,)),
    (2, "line", (1, 1)),
    (3, "independent", ()),
    (2, "simplex", ()),
    (3, "line", (1, 1, 1)),
    (3, "simplex", ()),
    (1, "point", ()),
)
#: Directions of queries on a line, of length 1.
DIRECTIONS: Mapping[int, tuple[Vector, ...]] = {
    1: ((ONE,),),
    2: ((ONE, ZERO), (Fraction(3, 5), Fraction(4, 5)), (ZERO, ONE)),
    3: ((ONE, ZERO, ZERO), (Fraction(1, 3), Fraction(2, 3), Fraction(2, 3)), (ZERO, ZERO, ONE)),
}
#: Entries of U/|U| by rows: identities, others of full rank, singular and nilpotent ones.
SHAPES: Mapping[int, tuple[str, ...]] = {
    1: ("1", "-1"),
    2: ("1 0 0 1", "0 -1 1 0", "1 0 0 -1", "1 0 0 1/4", "1 0 0 0", "0 1 0 0"),
    3: (
        "1 0 0 0 1 0 0 0 1",
        "0 1 0 0 0 1 1 0 0",
        "1 0 0 0 1/2 0 0 0 -1/4",
        "1 0 0 0 1 0 0 0 0",
        "0 1 0 0 0 1 0 0 0",
        "0 0 1 0 0 0 0 0 0",
    ),
}
#: Powers of 2 for |U|, and factors that refine them.
OCTAVES, FINE = range(-4, 8), (ONE, Fraction(5, 4), Fraction(3, 2), Fraction(7, 4))
#: Squares of rounding errors are smaller than this.
SQUARED_ROUNDING = 1e-20
#: The code of the longest prompt of simple laws.
PLAIN_LENGTH = 17
#: The most vectors of counts of one length in an example, and atoms of a law or values of a query.
MOST_COUNTS, MOST_ATOMS = 165, 9
#: The values of each code.
TABLES = (TOKENS, RARE, SKEW, MIDDLE, SCALE, range(5), RARE, range(6), FINE, range(31))
#: So many of the best examples climb, at most so often, by codes that are changed by so much.
CLIMBING, ROUNDS, STEPS = 2, 3, (1, -1, 4, -4)


@dataclass(frozen=True)
class Drawn:
    """The strategy of the codes: kind, rarity, skewness, middle atom and scale of the tokens; kind
    and rarity of the query; U/|U|, factor of |U| and length.
    """

    def strategy(self) -> SearchStrategy[Any]:
        from numerics.counterexamples.drawn.rows import Row

        return Row(*((0, len(table) - 1) for table in TABLES))


@dataclass(frozen=True, eq=False)
class _Law:
    """A law on few rational points with its variance proxy: in floating point, and what is certain
    is computed when it is asked for.
    """

    points: tuple[Vector, ...]
    weights: Vector
    proxy: float
    line: tuple[Vector, Vector, Fraction] | None
    floats: tuple[Floats, Floats]

    def certain(self) -> Fraction:
        """A certain variance proxy: Hoeffding's, or that of a law on the line times a factor."""
        if self.line is None:
            return max(_square(a, b) for a in self.points for b in self.points) / 4
        values, weights, factor = self.line
        return factor * _certain(values, weights)

    def scaled(self, t: Fraction) -> _Law:
        """The law of t Z."""
        x, p = self.floats
        line = None if self.line is None else (*self.line[:2], self.line[2] * t * t)
        points = tuple(tuple(t * v for v in row) for row in self.points)
        return _Law(points, self.weights, self.proxy * float(t) ** 2, line, (x * float(t), p))


#: Laws of tokens and query, U/|U|, lengths, values of |U|, sigma, and all of it at once.
_Made = tuple[_Law, _Law, tuple[Vector, ...], tuple[int, ...], tuple[Fraction, ...], float, Grid]


def _square(a: Vector, b: Vector) -> Fraction:
    return sum(((x - y) ** 2 for x, y in zip(a, b)), ZERO)


@cache
def _certain(values: Vector, weights: Vector) -> Fraction:
    """The exact proxy of two equally likely atoms, else one within 1e-5 of the optimal one."""
    if len(values) < 2 or (len(values) == 2 and weights[0] == weights[1]):
        return (values[0] - values[-1]) ** 2 / 4
    return certified_proxy(values, weights)


def _law(
    points: tuple[Vector, ...], weights: Vector, line: tuple[Vector, Vector, Fraction] | None, proxy: float
) -> _Law:
    mean = [sum((w * x for w, x in zip(weights, axis)), ZERO) for axis in zip(*points)]
    centred = tuple(tuple(x - m for x, m in zip(row, mean)) for row in points)
    floats = (np.array(centred, dtype=float), np.array(weights, dtype=float))
    return _Law(centred, weights, proxy, line, floats)


@cache
def _line(q: Fraction, skew: int, middle: int) -> tuple[Vector, Vector, float]:
    """Atoms 1, m, -1 with total mass q of the outer ones, whose ratio is 2^skew; centred, with the
    variance proxy.
    """
    r, m = min(Fraction(2**skew), q / RARE[-1]), Fraction(middle, 8)
    rows = [(ONE, q * r / (1 + r)), (m, 1 - q), (-ONE, q / (1 + r))]
    kept = [(x, w) for x, w in rows if w]
    mean = sum((x * w for x, w in kept), ZERO)
    values, weights = tuple(x - mean for x, _ in kept), tuple(w for _, w in kept)
    if len(kept) == 2:
        return values, weights, 4 * float(kearns_saul(weights[0]))
    proxy = float(optimal_proxy(list(map(float, values)), list(map(float, weights))))
    return values, weights, proxy * (1 + 1e-7)


def _product(values: Vector, weights: Vector, d: int) -> tuple[tuple[Vector, ...], Vector]:
    masses = tuple(math.prod(w, start=ONE) for w in product(weights, repeat=d))
    return tuple(product(values, repeat=d)), masses


def _of_kind(d: int, kind: str, direction: Vector, rare: Fraction, skew: int, middle: int) -> _Law:
    if kind == "point":
        return _law(((ZERO,) * d,), (ONE,), ((ZERO,), (ONE,), ONE), 0.0)
    if kind == "simplex":
        points = (*(tuple(Fraction(i == j) for j in range(d)) for i in range(d)), (-ONE,) * d)
        masses = [rare, ONE / 2**skew, *[ONE] * (d - 1)]
        law = _law(points, tuple(m / sum(masses) for m in masses), None, 0.0)
        return _Law(law.points, law.weights, float(law.certain()), None, law.floats)
    values, weights, proxy = _line(rare, skew, middle)
    if kind == "independent" and len(values) ** d > MOST_ATOMS:
        values, weights, proxy = _line(ONE, skew, 0)
    if kind == "independent":
        return _law(*_product(values, weights, d), (values, weights, ONE), proxy)
    square = sum((v * v for v in direction), ZERO)
    points = tuple(tuple(x * v for v in direction) for x in values)
    return _law(points, weights, (values, weights, square), proxy * float(square))


@lru_cache(maxsize=4096)
def drawn_tokens(kind: int, rare: int, skew: int, middle: int, scale: int) -> _Law:
    """The tokens of these codes, with a sub-Gaussian constant of about 2^scale, not below it."""
    d, name, direction = TOKENS[kind]
    law = _of_kind(d, name, tuple(map(Fraction, direction)), RARE[rare], SKEW[skew], MIDDLE[middle])
    t = ONE if law.proxy in (0, 1) else Fraction(math.ceil(2**20 / math.sqrt(law.proxy)), 2**20)
    return law.scaled(t * Fraction(2) ** scale)


@lru_cache(maxsize=4096)
def drawn_query(d: int, kind: int, rare: int) -> _Law:
    """The query of these codes: independent signs, or 1-sub-Gaussian on a line, or 0."""
    lines = DIRECTIONS[d]
    if kind == 0:
        law = _of_kind(d, "independent", (), RARE[rare] if d < 3 else ONE, 0, 0)
    elif kind <= len(lines):
        law = _of_kind(d, "line", lines[kind - 1], RARE[rare], 0, 0)
    else:
        law = _of_kind(d, "point", (), ONE, 0, 0)
    t = ONE if law.proxy in (0, 1) else Fraction(math.floor(2**20 / math.sqrt(law.proxy * (1 + 1e-5))), 2**20)
    return law.scaled(t)


@cache
def _shape(d: int, code: int) -> tuple[Vector, ...]:
    entries = [Fraction(v) for v in SHAPES[d][code % len(SHAPES[d])].split()]
    return tuple(tuple(entries[i * d : (i + 1) * d]) for i in range(d))


@cache
def _lengths(least: int, k: int, code: int) -> tuple[int, ...]:
    """The three shortest prompts and a longer one, as far as they are few enough."""
    longest = max(L for L in range(1, 150) if math.comb(L + k - 1, k - 1) <= MOST_COUNTS or least >= L)
    more = round(10 ** (code / 14))
    return tuple(sorted({min(L, longest) for L in (least, least + 1, least + 2, max(more, least))}))


@dataclass(frozen=True, eq=False)
class PromptsAndQueries:
    """A bound on averages over prompt and query as a property."""

    statement: QueryAverageBound
    _seen: dict[tuple[int, ...], Tried] = field(default_factory=dict)

    @property
    def covered(self) -> str:
        dimensions = ", ".join(map(str, self.statement.d))
        return (
            f"tokens on one to nine rational atoms in d = {dimensions} with weights down to 2^-110, "
            "queries of signs, rare large ones and 0, U of several ranks with |U| from 0 to 224"
        )

    @property
    def drawn(self) -> Drawn:
        return Drawn()

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    def _made(self, example: tuple[int, ...]) -> _Made:
        s = self.statement
        return _made(example, s.d, s.unit, s.lengths or s.least, s.nonzero)

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio over inequalities, lengths and sizes of U, at the example and at simple
        laws: independent signs, and laws on the line that are rare or skewed; the simplest place
        where one fails.
        """
        best = Tried(float("nan"))
        for plain in _simple(example):
            best = _larger(best, self._once(plain))
            if best.ratio > 1 + ROUNDING:
                return best
        return _larger(best, self._once(example))

    def tried_together(self, examples: Sequence[tuple[int, ...]]) -> list[Tried]:
        """The same for several examples, of which the best ones climb: as long as this makes the
        ratio larger, one code after the other is changed a little.
        """
        found = [self.tried(example) for example in examples]
        order = sorted(range(len(found)), key=lambda i: -found[i].ratio if found[i].ratio < 1 else np.inf)
        best = {found[i].at[0]: i for i in order[::-1] if found[i].ratio < 1}
        for i in sorted(best.values(), key=order.index)[:CLIMBING]:
            found[i] = self._climbed(found[i])
        return found

    def _climbed(self, best: Tried) -> Tried:
        for _ in range(ROUNDS):
            before = best
            for place, step in product(range(len(TABLES)), STEPS):
                codes = list(best.at[0])
                codes[place] = (codes[place] + step) % len(TABLES[place])
                best = _larger(best, self._once(tuple(codes)))
            if best is before or best.ratio >= 1:
                break
        return best

    def _once(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio at the example alone, remembered."""
        if example not in self._seen:
            self._seen[example] = self._worst(example)
        return self._seen[example]

    def _worst(self, example: tuple[int, ...]) -> Tried:
        *_, lengths, sizes, _, grid = self._made(example)
        best = Tried(float("nan"))
        for k, term in enumerate(self.statement.terms):
            if term.d not in (None, grid.d):
                continue
            with np.errstate(all="ignore"):
                left, right = np.broadcast_arrays(term.left(grid), term.right(grid), grid.L * grid.u)[:2]
                beyond = np.where(left > right + SQUARED_ROUNDING, np.inf, 0.0)
                ratio = np.where(right > 0, left / right, beyond)
            ratio = np.where(grid.finite & np.isfinite(left) & ~np.isnan(right), ratio, -np.inf)[..., 0]
            failing = ratio > 1 + ROUNDING
            i, j = map(int, np.unravel_index((failing if failing.any() else ratio).argmax(), ratio.shape))
            if ratio[i, j] > -np.inf:
                sides = float(left[i, j, 0]), float(right[i, j, 0])
                best = _larger(best, Tried(float(ratio[i, j]), (example, k, lengths[i], sizes[j], *sides)))
        grid.let_go()
        return best

    def _exact(self, example: tuple[int, ...], u: Fraction) -> PromptAndQuery | None:
        """The laws with constants that are certain; nothing if the query's is not."""
        law, query, *_ = self._made(example)
        try:
            sigma2, of_query = law.certain(), query.certain()
        except ArithmeticError:
            return None
        if of_query > 1:
            return None
        return self._pair(example, u, max(sigma2, ONE) if self.statement.unit or not sigma2 else sigma2)

    def _pair(self, example: tuple[int, ...], u: Fraction, sigma2: Any) -> PromptAndQuery:
        law, query, shape, *_ = self._made(example)
        direction = () if shape == _shape(len(shape), 0) else shape
        tokens = atoms(law.points, law.weights, sigma2=sigma2)
        queries = atoms(query.points, query.weights, sigma2=ONE)
        return PromptAndQuery(tokens, queries, u, "drawn", direction)

    def exactly(self, example: tuple[int, ...], at: Any) -> Evidence:
        example, k, length, u, left, right = at
        x = self._exact(example, u)
        if x is None:
            reason = "the sub-Gaussian constants could not be certified"
            return Evidence(verdict=Verdict.OPEN, engine="property test", reason=reason)
        term = self.statement.terms[k].at(x, length, left, right)
        found = tightest([term], checked=self.statement.checked, covered="one place")
        return found.replace(engine="property test")

    def shown(self, example: tuple[int, ...], at: Any) -> Mapping[str, Any]:
        example, k, length, u, *_ = at
        laws = self._pair(example, u, self._made(example)[5] ** 2).describe()
        return {"L": length, **self.statement.terms[k].where, **laws}

    def scaled(self, factor: Fraction) -> PromptsAndQueries:
        return PromptsAndQueries(self.statement.scaled(factor))


@cache
def _sizes(fine: int, nonzero: bool) -> tuple[Fraction, ...]:
    sizes = tuple(FINE[fine] * Fraction(2) ** j for j in OCTAVES)
    return sizes if nonzero else (ZERO, *sizes)


def _simple(example: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Simple examples that share one number with an example, or lie a third of its range apart."""
    yield from ((kind, *[0] * 8, PLAIN_LENGTH) for kind in range(5))
    for places, table, parts in (((1,), RARE, 3), ((2,), SKEW, 1), ((1, 6), RARE, 3)):
        for shift in range(0, len(table), len(table) // parts):
            codes = [0] * 9
            for place in places:
                codes[place] = (example[place] + shift) % len(table)
            yield (*codes, PLAIN_LENGTH)


def _larger(a: Tried, b: Tried) -> Tried:
    return a if a.ratio >= b.ratio or math.isnan(b.ratio) else b


@lru_cache(maxsize=2048)
def _made(
    example: tuple[int, ...],
    dimensions: tuple[int, ...],
    unit: bool,
    lengths: tuple[int, ...] | int,
    nonzero: bool,
) -> _Made:
    """What an example stands for at these lengths, or from the least one on; a statement, its
    copies and other statements share the means over prompt and query.
    """
    kind, rare, skew, middle, scale, of_query, rare_query, shape, fine, length = example
    kind = _kinds(dimensions)[kind % len(_kinds(dimensions))]
    law = drawn_tokens(kind, rare, skew, middle, abs(SCALE[scale]) if unit else SCALE[scale])
    query, direction = drawn_query(TOKENS[kind][0], of_query, rare_query), _shape(TOKENS[kind][0], shape)
    chosen = _lengths(lengths, len(law.weights), length) if isinstance(lengths, int) else lengths
    sizes, sigma = (
        _sizes(fine, nonzero),
        math.sqrt(max(law.proxy, 1.0) if unit or not law.proxy else law.proxy),
    )
    U, u = (np.array(x, dtype=float) for x in (direction, sizes))
    return law, query, direction, chosen, sizes, sigma, Grid(*law.floats, sigma, *query.floats, U, chosen, u)


@cache
def _kinds(dimensions: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(i for i, (d, *_) in enumerate(TOKENS) if d in dimensions)
