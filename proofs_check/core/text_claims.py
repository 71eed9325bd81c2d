"""Claims whose statement stands as text beside its row: a folder of lemmas needs no Python."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import sympy as sp
from flint import arb

from numerics.evidence import Evidence
from numerics.lemmas import Lemma, read_lemma
from numerics.provers import Integers
from numerics.provers.enclosures.balls import value
from numerics.provers.exact.exact_numbers import put
from numerics.terminal.inputs import InputError
from proofs_check.core.claim import Claim, claim
from proofs_check.core.hypotheses import read
from proofs_check.core.robust import Robust
from proofs_check.papers.registered import read_statements
from proofs_check.papers.statements import DECLARED

__all__ = ["claims_beside", "has_claims"]

#: A witness that fails only just is moved by these factors to one that is robust.
FACTORS: tuple[Fraction, ...] = tuple(
    Fraction(n, d) for n, d in ((1, 1), (3, 2), (2, 3), (2, 1), (1, 2), (5, 4), (4, 5))
)
#: So many of such points are tried.
MOST = 100
#: Steps of the search for the witness.
EFFORT = 100_000
#: What `claim` receives as it stands in the table.
_AS_THEY_ARE = tuple(n for n in DECLARED if n not in ("statement", "numbers", "repair", "control"))
_PAIRS = {"<=": 1, "<": 1, ">=": -1, ">": -1}


def has_claims(file: Path) -> bool:
    """Whether a list of statements holds claims as text."""
    return any(True for _ in _tables(file))


def claims_beside(file: Path) -> list[Claim]:
    """Register the claims that stand as text in a ``statements.toml``, in their order; an
    InputError says what is wrong with one.
    """
    lines = file.read_text(encoding="utf-8").splitlines()
    return [_claim(file, lines, row, said) for row, said in _tables(file)]


def _tables(file: Path) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    for row in read_statements(file).get("row", ()):
        for said in row.get("claim", ()):
            if "statement" in said:
                yield row, said


def _claim(file: Path, lines: list[str], row: Mapping[str, Any], said: Mapping[str, Any]) -> Claim:
    id, text = str(said.get("id")), said["statement"]
    try:
        numbers = _numbers(said.get("numbers", {}))
        lemma = read_lemma(text, numbers)
        given = {name: said[name] for name in _AS_THEY_ARE if name in said}
        given["control"] = _controls(said.get("control", ()))
        given["repair"] = _numbers(said.get("repair", {}))
        for name in ("needs", "cites", "hypotheses"):
            given[name] = tuple(given.get(name, ()))
        if given.get("false"):
            given["hypotheses"] = given["hypotheses"] or tuple(_hypotheses(lemma))
        if given.get("false") == "false":
            given["robust"] = _robust(text, numbers, lemma, given["hypotheses"], said.get("robust"))
        check = _check(text, numbers, row, (str(file), _line(lines, id)))
        return claim(id, **given)(check)
    except (TypeError, ValueError) as error:
        raise InputError(f"{file}: the claim {id}: {error}") from error


def _numbers(given: Any) -> dict[str, Fraction]:
    """A table of numbers, each a whole number or a text such as "3/4"."""
    if not isinstance(given, dict) or not all(type(v) in (int, str) for v in given.values()):
        raise TypeError(f'{given!r} is no table of exact numbers; write {{c = "3/4"}}')
    try:
        return {name: Fraction(v) for name, v in given.items()}
    except (ValueError, ZeroDivisionError):
        raise ValueError(f'{given!r} holds what is no number; write {{c = "3/4"}}') from None


def _controls(given: Any) -> tuple[dict[str, Fraction], ...]:
    return tuple(map(_numbers, given if isinstance(given, (list, tuple)) else [given]))


def _line(lines: list[str], id: str) -> int:
    """Where the statement of a claim begins."""
    named = [n for n, line in enumerate(lines, 1) if f'"{id}"' in line.replace("'", '"')]
    begins = (n for n, line in enumerate(lines, 1) if n > named[-1] - 9 and line.startswith("statement"))
    return next(begins, named[-1])


def _check(
    text: str, numbers: Mapping[str, Fraction], row: Mapping[str, Any], place: tuple[str, int]
) -> Callable[..., Evidence]:
    def check(**given: Any) -> Evidence:
        return read_lemma(text, {**numbers, **given}).judge(1_000_000)

    check.__doc__ = str(row.get("says", text))
    check.__code__ = check.__code__.replace(co_filename=place[0], co_firstlineno=place[1])
    kind = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([inspect.Parameter(n, kind, default=v) for n, v in numbers.items()])
    vars(check)["__signature__"] = signature
    return check


def _hypotheses(lemma: Lemma) -> Iterator[str]:
    """What the text assumes of its numbers, in the words of `hypotheses`."""
    for x, given in lemma.domain.items():
        if isinstance(given, Integers):
            yield f"{x} in Integers"
            ends = (("<=", given.lo), (">=", given.hi))
        elif isinstance(given, sp.Interval):
            ends = (
                ("<" if given.left_open else "<=", given.start),
                (">" if given.right_open else ">=", given.end),
            )
        else:
            continue
        finite = [f"{end} {op} {x}" for op, end in ends if sp.sympify(end).is_finite]
        yield from finite if finite or isinstance(given, Integers) else [f"{x} in Reals"]
    for a, op, b in lemma.where:
        if op in _PAIRS and all(isinstance(side, sp.Expr) and not side.has(sp.Function) for side in (a, b)):
            yield f"{a} {op} {b}"


def _robust(
    text: str, numbers: Mapping[str, Fraction], lemma: Lemma, hypotheses: tuple[str, ...], given: Any
) -> Robust:
    scalar = lemma.relations and all(isinstance(r, (Integers, sp.Interval)) for r in lemma.domain.values())
    if not scalar:
        raise ValueError(
            "a false statement that is not one inequality between numbers needs a witness that can be moved: "
            "write its claim in Python with robust=, or call it a gap"
        )
    names = {str(x): x for x in lemma.domain}
    point = _numbers(given) if given is not None else {}
    if unknown := [n for n in point if n not in names] or [n for n in names if point and n not in point]:
        raise ValueError(f"robust names {unknown[0]}; give a value of each of {', '.join(names)}")

    def violation(**at: Any) -> arb:
        values = {names[n]: sp.Rational(v) for n, v in at.items()}
        gaps = ((a - b) * _PAIRS[op] for a, op, b in lemma.relations)
        return max((value(put(gap, values)).real for gap in gaps), key=lambda ball: float(ball.mid()))

    whole = frozenset(n for n, x in names.items() if isinstance(lemma.domain[x], Integers))
    typed = {n: int(v) if n in whole else v for n, v in point.items()}
    return _Moved(point=typed, hypotheses=hypotheses, violation=violation, lemma=lemma, whole=whole)


@dataclass(frozen=True, kw_only=True)
class _Moved(Robust):
    """The point that was given, or else one near the witness of the refutation, which is looked for
    when somebody asks.
    """

    lemma: Lemma
    whole: frozenset[str]

    @cached_property
    def found(self) -> Robust:
        given = Robust(point=self.point, hypotheses=self.hypotheses, violation=self.violation)
        if self.point:
            return given
        seen = {name: read(str(v), {}) for name, v in self.lemma.judge(EFFORT).witness.items()}
        values = {name: Fraction(int(v.p), int(v.q)) for name, v in seen.items()}
        moves = itertools.product(*(FACTORS[: 1 if n in self.whole else None] for n in values))
        points = [
            {n: int(v) if n in self.whole else v * f for (n, v), f in zip(values.items(), by)}
            for by in itertools.islice(moves, MOST)
        ]
        near = [Robust(point=p, hypotheses=self.hypotheses, violation=self.violation) for p in points]
        return next((r for r in near if not r.faults()), (*near, given)[0])

    def faults(self) -> list[str]:
        return self.found.faults()

    def member(self) -> Mapping[str, Any]:
        return self.found.point

    def shown(self) -> dict[str, Any]:
        return self.found.shown()
