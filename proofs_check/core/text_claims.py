"""Claims whose statement stands as text beside its row: a folder of lemmas needs no Python."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import sympy as sp
from flint import arb

from numerics.evidence import Evidence
from numerics.lemmas import Lemma, read_lemma
from numerics.lemmas.text.tokens import short
from numerics.provers import Integers
from numerics.provers.enclosures.balls import value
from numerics.provers.exact.exact_numbers import put
from numerics.provers.statements.statement import Statement, statement
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
#: Left minus right, or right minus left, is positive where a relation fails.
_SIGNS = {"<=": 1, "<": 1, ">=": -1, ">": -1, "==": 1}
#: What `hypotheses` reads.
_READ = (sp.exp, sp.log, sp.Abs, sp.Max, sp.Min)


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
    plain = isinstance(given, dict) and all(type(v) in (int, str) for v in given.values())
    if not plain or not all(short(v) for v in given.values() if isinstance(v, str)):
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
        sides = [side for side in (a, b) if isinstance(side, sp.Expr)]
        heads = {f.func for side in sides for f in side.atoms(sp.Function, sp.Max, sp.Min)}
        if len(sides) == 2 and heads <= {*_READ} and not (a.has(sp.E) or b.has(sp.E)):
            yield f"Eq({a}, {b})" if op == "==" else f"{a} {op} {b}"


def _robust(
    text: str, numbers: Mapping[str, Fraction], lemma: Lemma, hypotheses: tuple[str, ...], given: Any
) -> Robust:
    equality = len(lemma.relations) == 1 and lemma.relations[0][1] == "=="
    ways = [(a, one, b) for a, op, b in lemma.relations for one in (("<=", ">=") if equality else (op,))]
    try:
        statements = tuple(statement(a, op, b, lemma.domain, lemma.where) for a, op, b in ways)
    except (TypeError, ValueError) as error:
        statements, why = (), f" ({error})"
    else:
        why = ""
    if not (statements and lemma.domain):
        raise ValueError(
            f"a false statement that is not one relation between variables{why} needs a witness that can "
            "be moved: write its claim in Python with robust=, or call it a gap"
        )
    names = {str(x): x for x in lemma.domain}
    point = _numbers(given) if given is not None else {}
    if unknown := [n for n in point if n not in names] or [n for n in names if point and n not in point]:
        raise ValueError(f"robust names {unknown[0]}; give a value of each of {', '.join(names)}")

    def violation(**at: Any) -> arb:
        values = {names[n]: sp.Rational(v) for n, v in at.items()}
        gaps = ((a - b) * _SIGNS[op] for a, op, b in lemma.relations)
        return max((value(put(gap, values)).real for gap in gaps), key=lambda ball: float(ball.mid()))

    whole = frozenset(n for n, x in names.items() if isinstance(lemma.domain[x], Integers))
    typed = {n: int(v) if n in whole else v for n, v in point.items()}
    told: dict[str, Any] = {
        "hypotheses": hypotheses,
        "violation": violation,
        "equality": equality,
        "statements": statements,
    }
    return _Moved(point=typed, lemma=lemma, whole=whole, **told)


@dataclass(frozen=True, kw_only=True)
class _Tried(Robust):
    """A point that has to be a counterexample to the text with all that it assumes, as it moves."""

    statements: tuple[Statement, ...]

    def faults(self) -> list[str]:
        return super().faults() or [
            f"nothing shows that the robust witness meets the text's hypotheses at {at}, and breaks it"
            for at in self._points()
            if not any(s.violated(tuple(Fraction(at[str(n)]) for n in s.names)) for s in self.statements)
        ]


@dataclass(frozen=True, kw_only=True)
class _Moved(_Tried):
    """The point that was given, or else one near the witness of the refutation, which is looked for
    when somebody asks.
    """

    lemma: Lemma
    whole: frozenset[str]

    @cached_property
    def found(self) -> Robust:
        shared = {f.name: getattr(self, f.name) for f in fields(_Tried) if f.name != "point"}
        given = _Tried(point=self.point, **shared)
        if self.point:
            return given
        seen = {name: read(str(v), {}) for name, v in self.lemma.judge(EFFORT).witness.items()}
        values = {name: Fraction(int(v.p), int(v.q)) for name, v in seen.items()}
        moves = itertools.product(*(FACTORS[: 1 if n in self.whole else None] for n in values))
        points = [
            {n: int(v) if n in self.whole else v * f for (n, v), f in zip(values.items(), by)}
            for by in itertools.islice(moves, MOST)
        ]
        near = [_Tried(point=p, **shared) for p in points]
        return next((r for r in near if not r.faults()), (*near, given)[0])

    def faults(self) -> list[str]:
        return self.found.faults()

    def member(self) -> Mapping[str, Any]:
        return self.found.point

    def shown(self) -> dict[str, Any]:
        return self.found.shown()
