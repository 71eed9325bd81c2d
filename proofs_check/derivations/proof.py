"""What a claim is derived by: the statements of its parts, and a theorem for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from numerics.derivations.kernel.rules import equal
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement

__all__ = [
    "Proof",
    "both_powers",
    "by_normal_form",
    "each",
    "for_each",
    "one",
    "powers",
    "proves",
    "registered",
]

Derivation = TypeVar("Derivation", bound=Callable[..., Any])


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


def for_each(of: Sequence[Any], parts: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Any, ...]]:
    """The parts, statements or theorems, of a family one member after the other."""
    return lambda **numbers: tuple(part for member in of for part in parts(member, **numbers))


class _Parts(NamedTuple):
    """What was registered for a claim: its statements, and a theorem by the number of its part."""

    statements: Callable[..., Any]
    theorems: dict[int, Callable[[], Theorem]]


REGISTERED: dict[str, _Parts] = {}


def proves(
    id: str, statements: Callable[..., Any], *, part: int | Sequence[int] = 1, at: Sequence[Any] = ()
) -> Callable[[Derivation], Derivation]:
    """The decorated function derives a claim, or a part of it.

    Parameters
    ----------
    id : str
        The claim.
    statements : callable
        Of the numbers of the claim: a statement, or a tuple with one for each part. Their defaults
        are the numbers at which the claim holds.
    part : int or sequence of int
        Which part is derived, from 1 on; if the function returns several theorems, which parts.
    at : sequence
        What the function is called with, once for each part.

    Raises
    ------
    ValueError
        If the part has a derivation already, or other statements were given for the claim.
    """
    parts = (part,) if isinstance(part, int) else tuple(part)
    if at:
        parts = tuple(range(parts[0], parts[0] + len(at)))

    def register(derivation: Derivation) -> Derivation:
        known = REGISTERED.setdefault(id, _Parts(statements, {}))
        if known.statements != statements:
            raise ValueError(f"{id} has other statements already; give all its parts the same ones")
        several = bool(at) or len(parts) > 1
        for n, number in enumerate(parts):
            if number in known.theorems:
                raise ValueError(f"part {number} of {id} has a derivation already; remove one of them")
            known.theorems[number] = partial(_one_of_several, derivation, n, at) if several else derivation
        return derivation

    return register


def _one_of_several(derivation: Callable[..., Any], n: int, at: Sequence[Any]) -> Theorem:
    found: Theorem = derivation(at[n]) if at else derivation()[n]
    return found


def registered() -> dict[str, Proof]:
    """What `proves` has registered, by the ids of claims."""
    return {id: _proof(*parts) for id, parts in REGISTERED.items()}


def _proof(statements: Callable[..., Any], theorems: dict[int, Callable[[], Theorem]]) -> Proof:
    def parts(**numbers: Any) -> tuple[Statement, ...]:
        made = statements(**numbers)
        return (made,) if isinstance(made, Statement) else made

    return Proof(parts, tuple(theorems[n] for n in sorted(theorems)))
