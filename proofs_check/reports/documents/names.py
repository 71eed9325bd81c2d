"""Finds what a reader means: a row or a claim by its id, a numbered statement or an equation by the
name that the paper prints, or a row by the unique end of its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from numerics.terminal.inputs import InputError
from numerics.terminal.mathematics import as_unicode
from proofs_check.papers.registered import in_scope_as_told
from proofs_check.papers.statements import PLACES, Row, papers, place, rows

__all__ = ["Named", "named", "named_paper"]

_EQUATION = re.compile(r"(?:eq(?:s|n|uations?)?\b\.?\s*)?(?:\((\d{1,4})\)|(\d{1,4}))", re.IGNORECASE)
#: Equations that a row states, in the words of its place: not "the display after equation (12)".
_STATED = re.compile(r"(?<!after )equations? \((\d+)\)(?: (to|and) \((\d+)\))?")
_NUMBERED = re.compile(r"([a-z]+)\.? (\S+)")
#: How many rows an error lists.
_LISTED = 12


@dataclass(frozen=True)
class Named:
    """What a name stands for."""

    #: The id of a row or claim, or the name of the numbered statement: ``"Lemma C.4"``.
    title: str
    #: In printed order; one, unless a numbered statement is meant.
    rows: tuple[Row, ...]
    #: The id of the claim, where a part of a row is meant; else empty.
    claim: str = ""


def named(text: str, claims: Iterable[str] = ()) -> Named:
    """The row, the claim or the numbered statement that a text names: ``"BB:CC.3"``, ``"CC.3"``,
    ``"BB:Lemma C.4"``, ``"eq. 16"``, ``"(16)"``, ``"Theorem A"``, or the end of an id that no other
    one has, as ``"glue.a"``; a part of a row, such as ``"BB:LC.1/inference"``, only among `claims`.

    Capitals matter only where they tell two rows apart. An InputError says that nothing has this
    name, or that several rows have, and lists the nearest.
    """
    given = " ".join(text.split())
    if not given:
        raise InputError(
            "no name was given; give one such as 'BB:Lemma C.4', BB:CC.3.b or '(16)', or see: "
            "largeprompt list"
        )
    name, slash, part = given.partition("/")
    key, colon, rest = name.partition(":")
    paper = next((p for p in papers() if p.casefold() == key.casefold()), "") if colon else ""
    among = [r for r in rows().values() if not paper or r.paper == paper]
    wanted = (rest if paper else name).strip()
    if not wanted:
        raise InputError(f"{_short(given)} names no row; see: largeprompt list {paper or ''}".rstrip())
    for route in (_with_id, _of_number, _with_equation, _with_end):
        found = route(wanted, among)
        if len(found) == 1:
            break
        if found:
            raise InputError(_ambiguous(given, found))
    else:
        raise InputError(_unknown(given, wanted, among))
    return _part(given, found[0], part, claims) if slash else found[0]


def _single(found: Iterable[Row]) -> list[Named]:
    return [Named(r.id, (r,)) for r in found]


def _code(row: Row) -> str:
    """The id without the paper's key."""
    return row.id.split(":", 1)[1]


def _with_id(wanted: str, among: list[Row]) -> list[Named]:
    alike = lambda same: [r for r in among if same(r.id, wanted) or same(_code(r), wanted)]
    return _single(alike(str.__eq__) or alike(_alike))


def _alike(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _of_number(wanted: str, among: list[Row]) -> list[Named]:
    """Numbered statements: the kind may be shortened, as in ``prop. 3.1``."""
    wanted = wanted.casefold()
    short = _NUMBERED.fullmatch(wanted)
    kinds = {kind.casefold() for kind in PLACES.values()}
    names = {wanted}
    if short:
        kind = {"thm": "theorem", "eqn": "equation"}.get(short[1], short[1])
        names |= {f"{k} {short[2]}" for k in kinds if k.startswith(kind)}
    found: dict[tuple[str, str], list[Row]] = {}
    for r in among:
        title = place(r)[1]
        if title.casefold() in names:
            found.setdefault((r.paper, title), []).append(r)
    return [Named(title, tuple(group)) for (_, title), group in found.items()]


def _with_equation(wanted: str, among: list[Row]) -> list[Named]:
    if not (asked := _EQUATION.fullmatch(wanted)):
        return []
    number = int(asked[1] or asked[2])
    return _single(r for r in among if number in _equations(r))


def _equations(row: Row) -> set[int]:
    """The numbers of the equations that a row states."""
    out: set[int] = set()
    for first, between, last in _STATED.findall(row.where):
        out |= (
            set(range(int(first), int(last) + 1)) if between == "to" else {int(n) for n in (first, last) if n}
        )
    return out


def _with_end(wanted: str, among: list[Row]) -> list[Named]:
    """Rows whose id ends so, at a point; where there is none, after the letter of its kind."""
    exact = [r for r in among if _code(r).endswith("." + wanted)]
    alike = [r for r in among if _code(r).casefold().endswith("." + wanted.casefold())]
    kinds = [r for r in among if _code(r)[0] in PLACES and _alike(_code(r)[1:], wanted)]
    return _single(exact or alike or kinds)


def _part(given: str, found: Named, part: str, claims: Iterable[str]) -> Named:
    if len(found.rows) > 1:
        raise InputError(
            f"{_short(given)}: {found.title} has {len(found.rows)} rows; name one, see: largeprompt "
            f"show '{found.title}'"
        )
    row = found.rows[0]
    mine = [id for id in claims if id.partition("/")[0] == row.id]
    claim = next((id for id in mine if _alike(id.partition("/")[2], part.strip()) and "/" in id), "")
    if not claim:
        raise InputError(
            f"no claim is called {_short(given)}; the claims of {row.id} are: {', '.join(mine) or 'none yet'}"
        )
    return Named(claim, (row,), claim)


def _short(given: str) -> str:
    return repr(given if len(given) <= 60 else given[:59] + "…")


def _table(found: Iterable[Row]) -> str:
    listed = list(found)
    lines = [f"  {r.id:18} {as_unicode(r.where)}" for r in listed[:_LISTED]]
    more = len(listed) - _LISTED
    return "\n".join(["", *lines, *([f"  … and {more} more"] if more > 0 else [])])


def _ambiguous(given: str, found: list[Named]) -> str:
    """Papers number alike; what several of them print is asked for with the paper's key."""
    if _NUMBERED.fullmatch(found[0].title.casefold()):
        lines = "".join(
            f"\n  '{one.rows[0].paper}:{one.title}'  {papers()[one.rows[0].paper]}" for one in found
        )
        return f"{_short(given)} is a statement of several papers; give one with its key:{lines}"
    return (
        f"{_short(given)} may be each of these; give one by its "
        f"id:{_table(r for one in found for r in one.rows)}"
    )


def _unknown(given: str, wanted: str, among: list[Row]) -> str:
    if _EQUATION.fullmatch(wanted):
        numbers = sorted({n for r in among for n in _equations(r)})
        return f"no row states the equation {_short(given)}; rows state ({'), ('.join(map(str, numbers))})"
    spelled = {name: r for r in reversed(among) for name in map(str.casefold, (r.id, _code(r), place(r)[1]))}
    near = {r.id: r for n in get_close_matches(wanted[:60].casefold(), spelled, n=4) for r in [spelled[n]]}
    hint = f"; the nearest are:{_table(near.values())}\n" if near else "; "
    told = in_scope_as_told()
    listed = f"largeprompt list{told}" if told else "largeprompt list; those of a folder: add --papers DIR"
    return f"no statement is called {_short(given)}{hint}all of them: {listed}"


def named_paper(text: str) -> str:
    """The key of the paper that a text names, by its key or by a part of its title; an InputError
    if no paper, or more than one, is meant.
    """
    given = " ".join(text.split()).casefold()
    known = papers()
    exact = [key for key in known if key.casefold() == given]
    found = exact or [key for key, title in known.items() if given and given in title.casefold()]
    if len(found) != 1:
        listed = "; ".join(f"{key}: {title}" for key, title in known.items())
        said = "may be each of several papers" if found else "names no paper"
        raise InputError(f"{_short(text)} {said}; give the key of one: {listed}")
    return found[0]
