"""What a claim is derived by: the statements of its parts, and a theorem for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from numerics.derivations.rules import equal
from numerics.derivations.statements import Statement
from numerics.derivations.theorems import Theorem

__all__ = ["Proof", "both_powers", "by_normal_form", "each", "one", "powers"]


class Proof(NamedTuple):
    """The parts of a claim as statements, which are functions of its numbers, and a theorem for
    each that should be it. The defaults are the numbers at which the claim holds: those that are
    printed, or else those of its repair.
    """

    statements: Callable[..., tuple[Statement, ...]]
    theorems: tuple[Callable[[], Theorem], ...]


def by_normal_form(build: Callable[[], Statement]) -> Callable[[], Theorem]:
    return lambda: equal(build().lhs, build().rhs)


def one(statement: Callable[..., Statement], theorem: Callable[[], Theorem]) -> Proof:
    """A claim of one part."""
    return Proof(lambda **numbers: (statement(**numbers),), (theorem,))


def each(parts: Callable[[], tuple[Theorem, ...]], count: int) -> tuple[Callable[[], Theorem], ...]:
    """The theorems of a tuple one by one."""
    return tuple(lambda n=n: parts()[n] for n in range(count))


def powers(theorem: Callable[[int], Theorem]) -> tuple[Callable[[], Theorem], ...]:
    """The theorem for f of linear and of quadratic growth, p = 1 and 2."""
    return tuple(lambda p=p: theorem(p) for p in (1, 2))


def both_powers(statement: Callable[..., Statement]) -> Callable[..., tuple[Statement, ...]]:
    return lambda **numbers: tuple(statement(p, **numbers) for p in (1, 2))
