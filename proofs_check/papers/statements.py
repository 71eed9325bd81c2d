"""The printed statements of each paper, row by row, as its ``statements.toml`` holds them. Place,
kind and LaTeX of a statement are written there and nowhere else.

A long paper has several such files, in a folder for each part: the first names the paper, and each
further one has its key and the number of its ``part``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from numerics.terminal.inputs import InputError
from proofs_check.papers.readings import Reading, readings_beside
from proofs_check.papers.registered import (
    STATEMENTS,
    Collection,
    collection_of,
    collections,
    drop_folder,
    forgets,
    in_scope,
    name_folder,
    read_statements,
)
from proofs_check.papers.reviews import Review, review
from theory.inputs.kinds import check_kind

__all__ = [
    "DECLARED",
    "KINDS",
    "PACKAGE",
    "PLACES",
    "PROSE",
    "RESULTS",
    "Row",
    "add_folder",
    "all_rows",
    "also_named",
    "is_own",
    "known_papers",
    "paper",
    "papers",
    "place",
    "proves",
    "readings_of",
    "row",
    "rows",
    "states",
    "told",
    "told_beside",
]

PACKAGE = Path(__file__).parents[1]
#: What every row must say.
_NEEDED = ("id", "where", "kind", "says", "printed")

#: SYM identity, INT inequality over a domain, PROB probabilistic bound, ASY asymptotic, NUM
#: experiment, LOGIC structure of a proof.
KINDS = ("SYM", "INT", "PROB", "ASY", "NUM", "LOGIC", "assumption", "cited")
#: From an id's first letter to what it numbers.
PLACES: Mapping[str, str] = {
    "L": "Lemma",
    "P": "Proposition",
    "A": "Assumption",
    "T": "Theorem",
    "C": "Corollary",
    "R": "Remark",
}
#: What the words of a claim may be about; `proofs_check.core.claim.claim` says what each means.
PROSE = ("open", "why", "details", "instead", "argument", "fragment", "unproved")
#: What else a claim declares whose statement stands beside its row as text.
DECLARED = (
    *("statement", "numbers", "repair", "control", "sharp", "false", "at", "follows", "costs", "needs"),
    *("cites", "hypotheses", "robust"),
)
#: What a paper can lose.
RESULTS = ("Theorem", "Proposition", "Lemma", "Corollary")
_NUMBERED = re.compile(rf"({'|'.join(PLACES)})([A-Z]\.\d+|\d+\.\d+)(?:\.|$)")
#: Where statements are numbered through the whole paper.
_STATED = re.compile(rf"\b({'|'.join(PLACES.values())}) (\d+)(?![.\d]*\d)")
_NAME = rf"({'|'.join(PLACES.values())}) ([A-Z]?\.?\d+(?:\.\d+)*)\b"
_HEADED = re.compile(rf"(?:(?P<section>(?:Section|Appendix) [A-Z0-9.]+), )?{_NAME}")
_PROOF_OF = re.compile(rf"proof of {_NAME}")
#: A lemma that stands within the proof of another statement.
_WITHIN = re.compile(rf"proof of {_NAME}, {_NAME}")
#: Under which other name a statement stands in the paper.
_ALSO = re.compile(rf"(?: and|;)(?: Appendix [A-Z0-9.]+,)? {_NAME}")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One printed statement or load-bearing step."""

    id: str
    paper: str
    version: str
    where: str
    kind: str
    says: str
    printed: str
    uses: tuple[str, ...] = ()
    proof: str = ""
    main: bool = False
    short: str = ""
    no_property: str = ""
    reading: str = ""
    readings: tuple[Reading, ...] = ()
    read: Review | None = None


@forgets
@cache
def _papers() -> Mapping[str, Mapping[str, Any]]:
    """Every registered paper: its table, the rows of all its parts, and its readings."""
    parts: dict[str, list[tuple[Path, Mapping[str, Any]]]] = {}
    for collection in collections():
        for file in collection.files:
            data = read_statements(file)
            parts.setdefault(data["paper"]["key"], []).append((file, data))
    found = {}
    for key, lists in parts.items():
        file, readings = readings_beside(file for file, _ in lists)
        of_paper = sorted((data for _, data in lists), key=lambda data: data["paper"].get("part", 1))
        listed = [r for data in of_paper for r in data.get("row", ())]
        _check_readings(file, readings, listed)
        found[key] = {"paper": of_paper[0]["paper"], "row": listed, "readings": readings}
    return MappingProxyType(found)


def _check_readings(file: Path, readings: Mapping[str, Reading], listed: list[Mapping[str, Any]]) -> None:
    """Rows name only readings that there are, and each of these is named."""
    named: set[str] = set()
    for r in listed:
        names = r.get("readings", [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError(
                f"row {r.get('id')} has readings = {names!r}; write the ids of its readings as a list "
                "of texts"
            )
        for name in names:
            if name not in readings:
                known = f"{file} has {', '.join(readings) or 'none'}"
                raise InputError(
                    f"row {r.get('id')} rests on the reading {name!r}, but {known}; add it or correct the id"
                )
        named.update(names)
    if idle := [name for name in readings if name not in named]:
        raise InputError(
            f"{file}: no row rests on the reading {idle[0]}; name it in readings = [...] of a row, or drop it"
        )


def add_folder(folder: Path) -> Collection:
    """Register the papers in a folder; what is wrong with the folder or with a row is an
    InputError, and then it is not registered.
    """
    made = name_folder(folder)
    try:
        all_rows()
        told()
    except InputError as error:
        drop_folder(made)
        raise InputError(f"{folder}: {error}") from error
    return made


def known_papers() -> frozenset[str]:
    """The keys of all registered papers."""
    return frozenset(_papers())


def papers() -> dict[str, str]:
    """The keys and titles of the papers in scope."""
    keys = [key for collection in in_scope() for key in collection.keys]
    return {key: str(_papers()[key]["paper"].get("title", key)) for key in dict.fromkeys(keys)}


def paper(key: str) -> Mapping[str, Any]:
    """Title, authors, version and date of a paper, and the rules that its claims keep."""
    if key not in _papers():
        raise KeyError(f"no paper has the key {key!r}; there are {', '.join(_papers())}")
    return MappingProxyType(
        {"title": key, "authors": "", "version": "", "date": ""} | dict(_papers()[key]["paper"])
    )


def readings_of(key: str) -> tuple[Reading, ...]:
    """How the ambiguous or damaged places of a paper are read, in the order of its list.

    >>> all(reading.alternatives for reading in readings_of("BB"))
    True
    """
    paper(key)
    return tuple(_papers()[key]["readings"].values())


def is_own(key: str) -> bool:
    """Whether a list holds results of a project instead of those that a paper prints."""
    return key in _papers() and bool(_papers()[key]["paper"].get("own", False))


@forgets
@cache
def all_rows() -> Mapping[str, Row]:
    """Every row of every registered paper, in printed order, by id. A list that is not in order is
    an InputError, which says which row and what to do.
    """
    out: dict[str, Row] = {}
    for key, data in _papers().items():
        for n, r in enumerate(data["row"], 1):
            if missing := [name for name in _NEEDED if not isinstance(r.get(name), str)]:
                raise InputError(
                    f"row {r.get('id', n)} of {key} has no {missing[0]}; a row needs the texts "
                    f"{', '.join(_NEEDED)}"
                )
            if r["id"] in out:
                raise InputError(f"two rows are named {r['id']}; give each printed statement its own id")
            if r["kind"] not in KINDS:
                raise InputError(f"row {r['id']} has the kind {r['kind']!r}; use one of {', '.join(KINDS)}")
            if "no_property" in r and not r["no_property"].strip():
                raise InputError(
                    f"row {r['id']} has a blank no_property; say why no property tries it, or drop the key"
                )
            if r.get("damaged") and not r.get("reading", "").strip() and not r.get("readings"):
                raise InputError(
                    f"row {r['id']} is of a damaged place; say how it is read, in its reading or its readings"
                )
            out[r["id"]] = Row(
                id=r["id"],
                paper=key,
                version=data["paper"].get("version", ""),
                where=r["where"],
                kind=r["kind"],
                says=" ".join(r["says"].split()),
                printed=r["printed"].strip(),
                uses=tuple(r.get("uses", ())),
                proof=r.get("proof", "").strip(),
                main=r.get("main", False),
                short=r.get("short", ""),
                no_property=r.get("no_property", ""),
                reading=r.get("reading", ""),
                readings=tuple(data["readings"][name] for name in r.get("readings", ())),
                read=review(r["read"], r["id"]) if "read" in r else None,
            )
    return MappingProxyType(out)


@forgets
@cache
def rows() -> Mapping[str, Row]:
    """The rows of the papers in scope.

    >>> rows()["BB:CC.3.b"].paper
    'BB'
    """
    mine = papers()
    return MappingProxyType({id: r for id, r in all_rows().items() if r.paper in mine})


@forgets
@cache
def told() -> Mapping[str, Mapping[str, str]]:
    """The words of each claim that stand beside its row, under ``[[row.claim]]``, by the id of the
    claim. The lines of a text are joined.
    """
    out: dict[str, Mapping[str, str]] = {}
    for r in (r for data in _papers().values() for r in data["row"]):
        tables = r.get("claim", [])
        if not isinstance(tables, list) or not all(isinstance(said, dict) for said in tables):
            raise InputError(
                f"row {r.get('id')} has claim = {tables!r}; write a table [[row.claim]] for each claim"
            )
        for said in tables:
            id = said.get("id")
            if not isinstance(id, str) or id.split("/", 1)[0] != r.get("id") or id in out:
                raise InputError(
                    f"[[row.claim]] of {r.get('id')} has the id {id!r}; give each claim of the row one table "
                    "with its id"
                )
            if set(said) == {"id"}:
                raise InputError(f"[[row.claim]] of {id} says nothing; write a text of the claim, or drop it")
            skipped = ("id", *DECLARED) if "statement" in said else ("id",)
            texts = {name: text for name, text in said.items() if name not in skipped}
            if wrong := [n for n, text in texts.items() if n not in PROSE or not isinstance(text, str)]:
                raise InputError(
                    f"[[row.claim]] of {id} has {wrong[0]!r}; write the texts {', '.join(PROSE)}, with a "
                    f'statement = "..." also {", ".join(DECLARED[1:])}, and keys of the row before it'
                )
            out[id] = MappingProxyType({name: " ".join(text.split()) for name, text in texts.items()})
    return MappingProxyType(out)


def told_beside(file: str) -> Mapping[str, Mapping[str, str]]:
    """`told`, with the words that stand beside a module: a folder that nobody named is named when a
    module of it is imported, for without its argument a claim would be called PROVED.
    """
    _name(Path(file).parent)
    return told()


@forgets
@cache
def _name(folder: Path) -> None:
    if (folder / STATEMENTS).is_file() and collection_of(folder / STATEMENTS) is None:
        add_folder(folder)


def row(id: str) -> Row:
    """The row that an id, or ``row/part``, belongs to.

    Raises
    ------
    KeyError
        If there is no such row; the message names the nearest ones.

    >>> row("BB:LC.1/inference").id
    'BB:LC.1'
    """
    check_kind(str, id=id)
    name = id.split("/", 1)[0]
    try:
        return all_rows()[name]
    except KeyError:
        spelled = {id.lower(): id for id in rows()}
        near = [spelled[id] for id in get_close_matches(name.lower(), spelled, n=3, cutoff=0.4)]
        hint = f"; the nearest are {', '.join(near)}" if near else ""
        raise KeyError(f"no statement is called {name!r}{hint}") from None


def place(row: Row) -> tuple[str, str]:
    """Section and numbered statement that a row belongs to.

    >>> place(rows()["BB:LC.1.dmin"]), place(rows()["BB:28"]), place(rows()["OURS:R4.A.ode"])
    (('Appendix C.1', 'Lemma C.1'), ('Appendix E.2', 'Lemma E.4'), ('Results', 'Theorem A'))
    >>> place(rows()["LDL:C.step3"])
    ('Appendix C', 'Lemma 2')
    """
    if headed := _HEADED.match(row.where):
        return headed["section"] or "Results", f"{headed[2]} {headed[3]}"
    if found := re.match(r"(?:Section|Appendix) [A-Z0-9.]+", row.where):
        section = found.group().rstrip(".")
        if within := _WITHIN.search(row.where):
            return section, f"{within[3]} {within[4]}"
        if stated := _STATED.search(row.where):
            return section, f"{stated[1]} {stated[2]}"
        if number := _NUMBERED.match(row.id.split(":", 1)[1]):
            return section, f"{PLACES[number[1]]} {number[2]}"
        if proof := _PROOF_OF.search(row.where):
            return section, f"{proof[1]} {proof[2]}"
        return section, section
    return "Results", re.split("[,;(]", row.where)[0].strip()


def states(row: Row) -> bool:
    """Whether a row is a statement that the paper numbers, or a part of one, and no step of its
    proof and no remark about it.

    >>> states(rows()["BB:LC.4"]), states(rows()["BB:LC.4.int"]), states(rows()["LDL:L4.1"])
    (True, False, True)
    """
    if row.main:
        return True
    if headed := _HEADED.match(row.where):
        return "of its proof" not in row.where and headed[2] in RESULTS
    if within := _WITHIN.search(row.where):
        return (
            re.fullmatch(rf"{within[3][0]}{re.escape(within[4])}(\.\d+)?", row.id.split(":", 1)[1])
            is not None
        )
    return False


def proves(row: Row) -> tuple[str, ...]:
    """The numbered statements in whose proof a row stands.

    >>> proves(rows()["BB:LC.1.M"]), proves(rows()["LDL:L4.1"]), proves(rows()["BB:LC.1"])
    (('Lemma C.1',), ('Proposition 2',), ())
    """
    named = [f"{found[1]} {found[2]}" for found in _PROOF_OF.finditer(row.where)]
    title = place(row)[1]
    within = [] if states(row) or re.search(rf"\b(after|before) {re.escape(title)}\b", row.where) else [title]
    return tuple(dict.fromkeys((*named, *within)))


def also_named(row: Row) -> tuple[str, ...]:
    """Under which other numbers the paper has the statement of a row.

    >>> also_named(rows()["COL:T3.6"]), also_named(rows()["COL:T4.4"])
    (('Lemma F.1',), ('Theorem H.5',))
    """
    return tuple(f"{found[1]} {found[2]}" for found in _ALSO.finditer(row.where)) if states(row) else ()
