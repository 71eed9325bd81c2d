"""Many laws at once in floating point, for the search: no verdict rests on these values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import factorial, prod
from typing import Any

import numpy as np
import sympy as sp

from numerics.lemmas.laws.counts import count_vectors
from numerics.lemmas.laws.statement import Event, Formula, LawStatement, Piece
from numerics.lemmas.laws.words import CdfGap, E, P, SampleVar, Var, of_sample
from numerics.provers.statements.floating_point import Array, values_of

__all__ = ["Batch", "samples_of", "score"]

#: By how much of its sides a relation may be missed, or is demanded, where a probability jumps.
TIE = 1e-9
#: By how much a hypothesis may be missed, or is demanded if it is strict.
ROOM = 1e-11
#: Sides below this are both 0 as far as floating point tells.
NOTHING = 1e-25


@lru_cache(maxsize=100)
def samples_of(size: int, kinds: int) -> tuple[Any, Array]:
    """All vectors of counts, one a row, and in how many orders each comes."""
    counts = np.array(list(count_vectors(size, kinds)), dtype=int)
    orders = [factorial(size) // prod(factorial(int(i)) for i in c) for c in counts]
    return counts, np.array(orders, dtype=float)


class Batch:
    """Laws of one number of atoms, and one size of the sample: an array has a row for each law, and
    a column for each atom or each sample.
    """

    def __init__(
        self, st: LawStatement, size: int, atoms: Array, weights: Array, columns: Mapping[sp.Symbol, Array]
    ) -> None:
        self.st, self.size, self.atoms, self.weights = st, size, atoms, weights
        self.counts, self.orders = samples_of(size, atoms.shape[1])
        self.columns: dict[sp.Symbol, Array] = {s: c.reshape(-1, 1) for s, c in columns.items()}
        if st.size is not None:
            self.columns[st.size] = np.full((1, 1), float(size))
        self.slip = TIE
        self.known: dict[Any, Array] = {}

    def with_slip(self, slip: float) -> Batch:
        """The same where ties of a relation count the other way."""
        self.slip = slip
        for w in [w for w in self.known if w != "p" and self.st.pieces[w].space != "statistic"]:
            del self.known[w]
        return self

    def put(self, s: sp.Symbol, values: Array) -> None:
        """Give a parameter other values."""
        self.columns[s] = values.reshape(-1, 1)
        for w in [w for w in self.known if w != "p" and s in self.st.pieces[w].symbols]:
            del self.known[w]

    @property
    def probabilities(self) -> Array:
        """Of every sample under every law."""
        if "p" not in self.known:
            w = self.weights[:, :, None]
            powers = np.concatenate([np.ones_like(w), np.repeat(w, self.size, 2)], 2).cumprod(2)
            p = self.orders * powers[:, 0, self.counts[:, 0]]
            for i in range(1, self.counts.shape[1]):
                p = p * powers[:, i, self.counts[:, i]]
            self.known["p"] = p
        return self.known["p"]

    def number(self, f: Formula) -> Array:
        """A formula without X and statistics: one value for each law."""
        return np.broadcast_to(self.formula(f), (len(self.atoms), 1))[:, 0]

    def formula(self, f: Formula) -> Array:
        """A formula; its columns are those of what stands in it."""
        columns = {**self.columns, self.st.x: self.atoms, **{w: self.word(w) for w in f.words}}
        return np.asarray(values_of(f.value, columns, {}), dtype=float)

    def word(self, w: sp.Symbol) -> Array:
        if w not in self.known:
            piece = self.st.pieces[w]
            self.known[w] = self.statistic(piece) if piece.space == "statistic" else self.expected(piece)
        return self.known[w]

    def statistic(self, piece: Piece) -> Array:
        assert isinstance(piece.of, Formula)
        f, n, head = np.broadcast_to(self.formula(piece.of), self.atoms.shape), self.size, piece.head
        if head is SampleVar:  # which is the same for centred values, and rounded less
            f = f - f.mean(1, keepdims=True)
        order = np.argsort(f, 1)
        g = np.take_along_axis(f, order, 1)
        reached = lambda: np.moveaxis(self.counts[:, order], 0, 1).cumsum(2)
        if head is CdfGap:
            steps = np.abs(reached() / n - np.take_along_axis(self.weights, order, 1).cumsum(1)[:, None])
            last = np.concatenate([g[:, 1:] > g[:, :-1], np.ones((len(g), 1), dtype=bool)], 1)
            return np.where(last[:, None], steps, 0.0).max(2)
        rank = lambda r: np.take_along_axis(g, (reached() > r).argmax(2), 1)
        found = np.asarray(of_sample(head, n, lambda k: f**k @ self.counts.T, rank))
        return np.maximum(found, 0.0) if head is SampleVar else found

    def expected(self, piece: Piece) -> Array:
        p = self.weights if piece.space == "law" else self.probabilities
        if piece.head is P:
            assert isinstance(piece.of, Event)
            return (p * self.happens(piece.of)).sum(1, keepdims=True)
        assert isinstance(piece.of, Formula)
        f = np.where(p > 0, self.formula(piece.of), 0.0)
        if piece.head in (E, Var):
            mean = (p * f).sum(1, keepdims=True)
            return mean if piece.head is E else (p * (f - mean) ** 2).sum(1, keepdims=True)
        assert piece.level is not None
        order = np.argsort(np.where(p > 0, f, np.inf), 1)
        reached = np.take_along_axis(p, order, 1).cumsum(1)
        level = self.number(piece.level)[:, None]
        first = (reached >= level - self.slip).argmax(1)[:, None]
        found = np.take_along_axis(np.take_along_axis(f, order, 1), first, 1)
        return np.where((level > 0) & (level <= 1), found, np.nan)

    def happens(self, e: Event) -> Any:
        if e.gap is not None:
            gap = self.formula(e.gap)
            room = self.slip * (1 + np.abs(gap))
            return {
                "<=": gap <= room,
                "<": gap < room,
                ">=": gap >= -room,
                ">": gap > -room,
                "==": np.abs(gap) <= TIE,
                "!=": np.abs(gap) > TIE,
            }[e.kind]
        parts = [self.happens(q) for q in e.parts]
        if e.kind in ("true", "false"):
            return e.kind == "true"
        if e.kind == "not":
            return ~np.asarray(parts[0])
        joined = parts[0]
        for q in parts[1:]:
            joined = (joined & q) if e.kind == "and" else (joined | q)
        return joined


def score(batch: Batch, floor: float = NOTHING, solid: bool = False) -> Array:
    """How far each law is beyond the statement, in units of both sides: positive where it fails,
    and below -1 where it misses a hypothesis. Ties count for or against an event, whichever is
    worse; or whichever is better, so that what fails is `solid`.
    """
    with np.errstate(all="ignore"):
        worst = _beyond(batch, floor)
        if batch.st.random:
            other = _beyond(batch.with_slip(-TIE), floor)
            worst = np.fmin(worst, other) if solid else np.fmax(worst, other)
            batch.with_slip(TIE)
        return np.where(np.isfinite(worst), worst, -4.0)


def _beyond(batch: Batch, floor: float) -> Array:
    """The score with ties as they count now, in the hypotheses, too."""
    st = batch.st
    missed = np.maximum(0.0, -batch.weights.min(1))
    for g, kind in st.where:
        gap = batch.number(g) * (-1 if kind[0] == "<" else 1)
        gap = np.abs(gap) if kind in ("==", "!=") else gap  # equations are met by construction
        room = -ROOM if kind in ("<", ">", "!=") else ROOM
        missed = missed + np.maximum(0.0, -gap / (1 + np.abs(gap)) - room)
    small, big = batch.number(st.small), batch.number(st.big)
    size = np.abs(small) + np.abs(big)
    beyond = (small - big) / (size + floor)
    beyond = np.where(size < NOTHING, 0.0 if st.strict else -1.0, beyond)
    return np.where(missed == 0, beyond, -2 - missed)
