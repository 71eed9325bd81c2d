"""Equations between expressions, tried at rational points: both sides are evaluated as they are
written, in floating point, and compared up to a bound of their rounding errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from numerics.counterexamples.drawn.equations.drawn_numbers import kind_of, number_of, table
from numerics.counterexamples.drawn.equations.running_error import Program, Unknown
from numerics.counterexamples.drawn.holds import Tried
from numerics.counterexamples.drawn.scalars import MOST, Codes
from numerics.evidence import Evidence, Verdict
from numerics.provers.exact.exact_points import points, symbols_of
from numerics.provers.identities import Equations
from numerics.rationals import sympy_rational

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["ScalarIdentity"]

#: Beside a point those with all codes divided by these are tried, which lie nearer to 1, and those
#: with all codes multiplied, which lie anywhere: small codes are drawn more often than others.
DIVISORS, FACTORS = (1, 4, 16, 64, 256), (31, 389, 2999)
#: Sides that agree to this share are equal; where they do not, their rounding errors are bounded.
AGREED = 1e-9
#: The bound of rounding errors is of first order, and is trusted up to this factor.
SAFETY = 4.0
#: So many examples are evaluated at once where derivatives are taken.
TOGETHER = 8
#: How many exact points are drawn where side conditions have to be solved.
SOLVED = 60


@dataclass(frozen=True)
class _Compiled:
    """A statement made ready: its program, its variables and their kinds (two, real and imaginary
    part, where a variable may be complex), and the exact points if side conditions have to hold.
    """

    program: Program
    variables: tuple[tuple[sp.Expr, tuple[str, ...]], ...]
    solved: tuple[dict[sp.Expr, sp.Expr], ...]

    @cached_property
    def rounded(self) -> dict[sp.Expr, NDArray[np.complex128]]:
        """The variables at the exact points, rounded."""
        return {s: np.array([complex(point[s]) for point in self.solved]) for s, _ in self.variables}

    @property
    def kinds(self) -> tuple[str, ...]:
        return ("real",) if self.solved else tuple(k for _, kinds in self.variables for k in kinds)


@lru_cache(maxsize=500)
def _compiled(statement: Equations) -> _Compiled | None:
    """None if something in the statement has no value in floating point, or no point is known that
    meets the side conditions.
    """
    sides = [e for pair in statement.written for e in pair]
    try:
        program = Program(sides)
    except Unknown:
        return None
    named = sorted(program.leaves, key=str)
    kinds = tuple((s, (kind_of(s),) if s.is_extended_real else ("real", "real")) for s in named)
    values = [e for pair in statement.pairs for e in pair]
    names = frozenset(s for e in (*sides, *values) for s in symbols_of(e))
    solved = _solved(names, statement.given) if statement.given else ()
    return None if statement.given and not solved else _Compiled(program, kinds, solved)


@lru_cache(maxsize=500)
def _solved(names: frozenset[sp.Expr], given: tuple[sp.Expr, ...]) -> tuple[dict[sp.Expr, sp.Expr], ...]:
    """Exact points that meet side conditions; a statement and its copies share them."""
    return tuple(islice(points(sorted(names, key=str), given), SOLVED))


@dataclass(frozen=True)
class ScalarIdentity:
    """A statement of `numerics.provers.identity` at points that meet the assumptions. The ratio of
    an example is 0 where the sides agree up to rounding; otherwise it is their difference over the
    bound of their rounding errors.
    """

    statement: Equations
    count: int

    @staticmethod
    def needed(statement: Equations) -> int:
        """How many codes the variables of a statement have; 0 if it cannot be tried, because it has
        no variables, holds a function without a value in floating point, or has side conditions
        that no known point meets.
        """
        compiled = _compiled(statement)
        return 0 if compiled is None else len(compiled.kinds)

    @property
    def drawn(self) -> Codes:
        return Codes(self.count)

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    @property
    def covered(self) -> str:
        solved = self._ready.solved
        return (
            f"{len(solved)} points that meet the side conditions"
            if solved
            else "rational points over twelve decades"
        )

    @property
    def _ready(self) -> _Compiled:
        found = _compiled(self.statement)
        assert found is not None
        return found

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The difference of the sides at the simplest point of the example at which they differ."""
        return self.tried_together([example])[0]

    def tried_together(self, examples: Sequence[tuple[int, ...]]) -> list[Tried]:
        """The same for several examples at once."""
        ready = self._ready
        drawn = np.array([example[: len(ready.kinds)] for example in examples], dtype=int)
        codes = _rows(drawn, len(ready.solved))
        n, points = codes.shape[:2]
        if ready.program.differs and n > TOGETHER:  # each point is many points already
            return [t for i in range(0, n, TOGETHER) for t in self.tried_together(examples[i : i + TOGETHER])]
        flat = codes.reshape(n * points, -1)
        judged = self._compared if ready.program.differs else self._agreed
        flat_ratio, flat_met = judged(self._columns(flat), len(flat))
        ratio, met = flat_ratio.reshape(n, points), flat_met.reshape(n, points)
        if not ready.program.differs and (suspect := ratio.any(1)).any():
            flat = codes[suspect].reshape(-1, codes.shape[2])
            flat_ratio, flat_met = self._compared(self._columns(flat), len(flat))
            ratio[suspect], met[suspect] = flat_ratio.reshape(-1, points), flat_met.reshape(-1, points)
        failing = ratio > 1
        simplest = np.where(failing, np.abs(codes).sum(2), np.inf).argmin(1)
        place = np.where(failing.any(1), simplest, met.argmax(1))
        value = np.where((met | failing).any(1), ratio[np.arange(n), place], np.nan)
        return [Tried(r, tuple(c)) for r, c in zip(value.tolist(), codes[np.arange(n), place].tolist())]

    def _agreed(
        self, columns: Mapping[sp.Expr, NDArray[Any]], n: int
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """0 where the sides agree by far, and where all of them have values."""
        ratio, met = np.zeros(n), np.ones(n, dtype=bool)
        sides = self._ready.program.values(columns)
        with np.errstate(all="ignore"):
            for a, b in zip(sides[::2], sides[1::2]):
                fine = np.abs(a - b) <= AGREED * np.maximum(np.abs(a), np.abs(b))
                finite = np.isfinite(a - b)
                ratio, met = np.where(fine | ~finite, ratio, np.inf), met & finite
        return ratio, met

    def _compared(
        self, columns: Mapping[sp.Expr, NDArray[Any]], n: int
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The difference of the sides over the bound of its error, 0 where that is below 1; and
        where the bounds of all of them are finite.
        """
        worst, met = np.zeros(n), np.ones(n, dtype=bool)
        sides = self._ready.program.bounded(columns)
        with np.errstate(all="ignore"):
            for (a, e), (b, f) in zip(sides[::2], sides[1::2]):
                ratio = np.abs(a - b) / (SAFETY * (e + f))
                worst, met = (
                    np.where(ratio > 1, np.maximum(worst, ratio), worst),
                    met & np.isfinite(a - b + e + f),
                )
        return np.minimum(worst, 1e300), met

    def _columns(self, codes: NDArray[np.int_]) -> dict[sp.Expr, NDArray[Any]]:
        ready = self._ready
        if ready.solved:
            values = {s: v[codes[:, 0] % len(v)] for s, v in ready.rounded.items()}
            return {s: v if v.imag.any() else v.real for s, v in values.items()}
        out: dict[sp.Expr, NDArray[Any]] = {}
        i = 0
        for s, kinds in ready.variables:
            out[s] = table(kinds[0])[codes[:, i] + MOST]
            if len(kinds) == 2:
                out[s] = out[s] + 1j * table(kinds[1])[codes[:, i + 1] + MOST]
            i += len(kinds)
        return out

    def _point(self, at: tuple[int, ...]) -> dict[sp.Expr, sp.Expr]:
        ready = self._ready
        if ready.solved:
            return ready.solved[at[0] % len(ready.solved)]
        numbers = iter([sympy_rational(number_of(k, c)) for k, c in zip(ready.kinds, at)])
        return {
            s: sum((unit * next(numbers) for unit, _ in zip((1, sp.I), kinds)), sp.S.Zero)
            for s, kinds in ready.variables
        }

    def exactly(self, example: tuple[int, ...], at: tuple[int, ...]) -> Evidence:
        found = self.statement.refuted_at(self._point(at))
        if found is not None:
            return found.replace(engine="property test")
        reason = "the sides differ in floating point, but neither exactly nor by Arb"
        return Evidence(
            verdict=Verdict.OPEN, engine="property test", checked=self.statement.latex(), reason=reason
        )

    def shown(self, example: tuple[int, ...], at: tuple[int, ...]) -> Mapping[str, Any]:
        return {str(s): v for s, v in self._point(at).items()}


def _rows(codes: NDArray[np.int_], solved: int) -> NDArray[np.int_]:
    """The codes of the points of each example: the drawn ones, nearer and farther ones, each also
    with the codes handed on from variable to variable, and those with one code 0; shape (examples,
    points, codes).
    """
    if solved:
        return codes[:, None] + np.arange(min(solved, 8))[:, None]
    k = codes.shape[1]
    near = np.trunc(codes[:, None] / np.array(DIVISORS)[:, None]).astype(int)
    far = (codes[:, None] * np.array(FACTORS)[:, None] + MOST) % (2 * MOST + 1) - MOST
    turned = [np.roll(rows, i, axis=2) for rows in (near, far) for i in range(min(3, k))]
    zeros = np.where(np.eye(k, dtype=bool), 0, near[:, 2:3])
    return np.concatenate([*turned, zeros], axis=1)
