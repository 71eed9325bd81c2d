"""Remembers what a prover said of a statement while one claim is judged. A control changes one
number of a claim, and all parts of it in which that number does not occur stay the same statements.
Whoever wants a second opinion of these answers notes the questions on the way. What is kept, and
whatever a claim rests on, is the same with and without z3: nobody asks it meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import sympy as sp
from sympy.core.parameters import global_parameters

from numerics.evidence import Evidence
from numerics.seeds import current_seed

__all__ = ["Note", "cached", "note", "noting", "remembered", "remembering", "without_z3", "z3_may_be_asked"]

P = ParamSpec("P")
T = TypeVar("T")
_KEPT: ContextVar[dict[Hashable, Note] | None] = ContextVar("largeprompt_remembered", default=None)
_NOTES: ContextVar[list[Note] | None] = ContextVar("largeprompt_notes", default=None)
_ALONE: ContextVar[bool] = ContextVar("largeprompt_without_z3", default=False)


class Note(NamedTuple):
    """Who was asked, what, the answer, and what was asked on the way to it."""

    who: str
    asked: Any
    answer: Any
    inner: Sequence[Note] = ()


@contextmanager
def noting() -> Iterator[list[Note]]:
    """Within this block the questions to the provers are noted."""
    notes: list[Note] = []
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def note(new: Note) -> None:
    """Note a question, if anybody wants to know."""
    if (notes := _NOTES.get()) is not None:
        notes.append(new)


def cached(function: Callable[P, T]) -> Callable[P, T]:
    """The function, whose values are kept for the process; the questions that one rests on are
    noted again whenever it is looked up.
    """

    def fresh(*args: P.args, **kwargs: P.kwargs) -> tuple[T, list[Note]]:
        with noting() as inner, without_z3():
            return function(*args, **kwargs), inner

    once: Any = lru_cache(maxsize=None, typed=True)(fresh)

    @wraps(function)
    def looked_up(*args: P.args, **kwargs: P.kwargs) -> T:
        value: T
        value, inner = once(*args, **kwargs)
        for new in inner:
            note(new)
        return value

    vars(looked_up)["cache_clear"] = once.cache_clear
    return looked_up


@contextmanager
def without_z3() -> Iterator[None]:
    """Within this block the provers are alone: what rests on their answer shall not rest on z3."""
    token = _ALONE.set(True)
    try:
        yield
    finally:
        _ALONE.reset(token)


def z3_may_be_asked() -> bool:
    """Whether nobody up to here said that the provers are alone."""
    return not _ALONE.get()


@contextmanager
def remembering() -> Iterator[None]:
    """Within this block a prover answers the same question once, and without z3."""
    token = _KEPT.set({})
    try:
        with without_z3():
            yield
    finally:
        _KEPT.reset(token)


def remembered(prover: Callable[P, Evidence]) -> Callable[P, Evidence]:
    """The prover, which within `remembering` looks up what it has said already."""

    @wraps(prover)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Evidence:
        new = known(*args, **kwargs)
        note(new)
        return new.answer

    def fresh(*args: P.args, **kwargs: P.kwargs) -> Note:
        with noting() as inner:
            return Note(prover.__name__, (args, kwargs), prover(*args, **kwargs), inner)

    def known(*args: P.args, **kwargs: P.kwargs) -> Note:
        kept = _KEPT.get()
        key = None if kept is None else _key((args, kwargs))
        if kept is None or key is None:
            return fresh(*args, **kwargs)
        # What is written down may be evaluated or not, and a seed may steer a search.
        key = (prover.__name__, key, global_parameters.evaluate, current_seed())
        if key not in kept:
            kept[key] = fresh(*args, **kwargs)
        return kept[key]

    return asked


def _key(x: Any) -> Hashable:
    """A key that tells apart whatever a prover may tell apart, such as 1, 1.0 and True; None if
    there is something of which that is not known.
    """
    if isinstance(x, (list, tuple, Mapping)):
        parts = tuple(_key(y) for y in (sum(x.items(), ()) if isinstance(x, Mapping) else x))
        return None if None in parts else (type(x), parts)
    if isinstance(x, sp.MatrixBase):
        return (type(x), x.as_immutable())
    if is_dataclass(x) and not isinstance(x, type):  # a range of whole numbers
        inside = _key([getattr(x, f.name) for f in fields(x)])
        return None if inside is None else (type(x), inside)
    return (type(x), x) if isinstance(x, (sp.Basic, int, Fraction, str, type(None))) else None
