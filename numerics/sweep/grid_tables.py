"""Reads the tables ``[[tokens]]``, ``[[U]]``, ``[[V]]`` and ``[[query]]`` of a grid: each is a list
of named laws, matrices or queries, of which every one goes with every other.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics import token_laws
from numerics.sweep.laws import describe_gaussian, describe_law, describe_own, law_of
from numerics.sweep.matrices import LARGEST_DIMENSION, SHAPES, number, read_matrix, read_vector, scaled
from numerics.terminal.inputs import InputError, read_bytes
from theory.inputs.arrays import read_covariance

__all__ = ["LAWS", "Entry", "known_keys", "read_matrices", "read_queries", "read_tokens", "tables"]

Floats = NDArray[np.float64]
#: Letters in a name of an entry.
LONGEST_NAME = 100
#: Laws that are fixed by their dimension.
BY_DIMENSION: Mapping[str, Callable[[int], token_laws.TokenLaw]] = {
    "rademacher": token_laws.rademacher,
    "uniform": token_laws.uniform,
    "sphere": token_laws.sphere,
    "ball": token_laws.ball,
}
LAWS = ("gaussian", *BY_DIMENSION, "atoms")


@dataclass(frozen=True, eq=False)
class Entry:
    """One entry of one array of tables."""

    kind: str
    name: str
    #: The dimension of the tokens with which it goes.
    d: int
    #: The description of a law (see `numerics.sweep.laws`), or an array.
    value: Any

    def __str__(self) -> str:
        return f"[[{self.kind}]] {self.name!r}"


def known_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Refuse a key that has no meaning here, and guess which one was meant.

    >>> known_keys({"lenghts": 1}, ["lengths", "seed"], "at the top")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    numerics.terminal.inputs.InputError: at the top: unknown key 'lenghts'; did you mean ...
    """
    known = list(known)
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1, 0.5)
            guess = f"did you mean {near[0]!r}? " if near else "leave it out "
            raise InputError(f"{where}: unknown key {key!r:.80}; {guess}(known: {', '.join(known)})")


def tables(document: Mapping[str, Any], kind: str) -> list[tuple[str, str, dict[str, Any]]]:
    """The name of each entry of one kind, how an error calls it, and its other keys."""
    found = document.get(kind, [])
    if not isinstance(found, list) or not all(isinstance(table, dict) for table in found):
        raise InputError(f"{kind} must be an array of tables; begin each with a line [[{kind}]]")
    if not found:
        raise InputError(f"there is no [[{kind}]], so the grid is empty; add one")
    result: list[tuple[str, str, dict[str, Any]]] = []
    for i, table in enumerate(found, start=1):
        name = table.get("name", kind if len(found) == 1 else f"{kind} {i}")
        if (
            not isinstance(name, str)
            or not name.strip()
            or not name.isprintable()
            or len(name) > LONGEST_NAME
        ):
            raise InputError(
                f"[[{kind}]] number {i}: name = {name!r:.80} is no name; write up to {LONGEST_NAME} letters "
                "in quotes, in one line"
            )
        if name in (other for other, _, _ in result):
            raise InputError(
                f"[[{kind}]] number {i}: there is another one with the name {name!r}; choose a different name"
            )
        result.append(
            (name, f"[[{kind}]] {name!r}", {key: value for key, value in table.items() if key != "name"})
        )
    return result


def read_matrices(
    document: Mapping[str, Any], kind: str, folder: Path, inputs: dict[str, str]
) -> list[Entry]:
    """The entries ``[[U]]`` or ``[[V]]``; ``scales`` makes one entry into several."""
    entries = []
    for name, where, table in tables(document, kind):
        known_keys(table, (*SHAPES, "scale", *(["scales"] if kind == "U" else [])), where)
        scales = table.pop("scales", None)
        array = read_matrix(table, folder, inputs, where)
        d = array.shape[1]
        if kind == "U" and array.shape != (d, d):
            raise InputError(f"{where} has shape {array.shape}; it must be square")
        if scales is None:
            entries.append(Entry(kind, name, d, array))
            continue
        if not isinstance(scales, list) or not scales:
            raise InputError(
                f"{where}: scales = {scales!r:.80} is no list of numbers; write scales = [0.1, 1.0] or leave "
                "it out"
            )
        factors = [number(scale, f"{where}: scales[{i}]") for i, scale in enumerate(scales)]
        for i, factor in enumerate(factors):
            if factor in factors[:i]:
                raise InputError(f"{where}: scales has {factor:g} twice; leave one out")
            shown = (
                f"{factor:g}"
                if sum(f"{other:g}" == f"{factor:g}" for other in factors) == 1
                else repr(factor)
            )
            entries.append(
                Entry(kind, f"{name} x {shown}", d, scaled(array, factor, f"{where}: scales[{i}]"))
            )
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"[[{kind}]]: two entries come to the name {name!r}; choose different names")
    return entries


def read_queries(document: Mapping[str, Any], folder: Path, inputs: dict[str, str]) -> list[Entry]:
    """The entries ``[[query]]``: a vector is the query itself, a covariance that of Gaussian
    queries.
    """
    entries = []
    for name, where, table in tables(document, "query"):
        known_keys(table, ("vector", "covariance"), where)
        if len(table) != 1:
            raise InputError(
                f"{where}: give either vector = [1, -1], the query itself, or covariance = {{ identity = 2 }}"
            )
        if "vector" in table:
            value = read_vector(table["vector"], folder, inputs, f"{where}: vector")
        else:
            value = _covariance(
                read_matrix(table["covariance"], folder, inputs, f"{where}: covariance"), where, "covariance"
            )
        entries.append(Entry("query", name, len(value), value))
    return entries


def read_tokens(document: Mapping[str, Any], folder: Path, inputs: dict[str, str]) -> list[Entry]:
    """The entries ``[[tokens]]``, each with the description of its law."""
    return [_law(name, where, table, folder, inputs) for name, where, table in tables(document, "tokens")]


def _law(name: str, where: str, table: dict[str, Any], folder: Path, inputs: dict[str, str]) -> Entry:
    matrix = lambda key: read_matrix(table[key], folder, inputs, f"{where}: {key}")
    if "python" in table:
        known_keys(table, ("python", "image"), where)
        return _own(name, where, table, folder, inputs, matrix("image") if "image" in table else None)
    law = table.get("law", "gaussian")
    if law not in LAWS:
        near = difflib.get_close_matches(str(law), LAWS, 1)
        guess = f"did you mean {near[0]!r}? else " if near else ""
        raise InputError(
            f"{where}: unknown law {law!r:.80}; {guess}take {', '.join(LAWS)}, or your own by "
            "python = 'file.py:name'"
        )
    if law == "gaussian":
        known_keys(table, ("law", "Gamma"), where)
        if "Gamma" not in table:
            raise InputError(
                f"{where}: the covariance is missing; add Gamma = {{ identity = 2 }} or another matrix"
            )
        Gamma = _covariance(matrix("Gamma"), where, "Gamma")
        return Entry("tokens", name, len(Gamma), describe_gaussian(Gamma))
    if law == "atoms":
        known_keys(table, ("law", "points", "weights", "image"), where)
        if "points" not in table:
            raise InputError(
                f"{where}: points are missing; add points = [[1, 0], [-1, 0]], a row for each atom"
            )
        points = matrix("points")
        weights = np.full(len(points), 1 / len(points))
        if "weights" in table:
            weights = read_vector(table["weights"], folder, inputs, f"{where}: weights")
        make = lambda: token_laws.atoms(points, weights)
    else:
        known_keys(table, ("law", "d", "image"), where)
        d = table.get("d")
        if isinstance(d, bool) or not isinstance(d, int) or not 1 <= d <= LARGEST_DIMENSION:
            what = "the dimension is missing; add" if d is None else f"d = {d!r:.80} is no dimension; give"
            raise InputError(f"{where}: {what} d = 2, or another integer from 1 to {LARGEST_DIMENSION}")
        make = lambda: BY_DIMENSION[law](d)
    try:
        made = make()
        if "image" in table:
            made = made.image(matrix("image"))
        return Entry("tokens", name, made.d, describe_law(made))
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: {error}") from error


def _own(
    name: str, where: str, table: dict[str, Any], folder: Path, inputs: dict[str, str], image: Floats | None
) -> Entry:
    given = table["python"]
    file, colon, law = given.rpartition(":") if isinstance(given, str) else ("", "", "")
    if not (file and colon and law.isidentifier()):
        raise InputError(
            f"{where}: python = {given!r:.80} names no law; write python = 'my_law.py:name', a file beside "
            "the grid"
        )
    try:
        content = read_bytes(folder / file)
        source = content.decode("utf-8")
    except InputError as error:
        raise InputError(
            f"{where}: cannot read {file:.80}: {error}; file names are relative to the grid"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: {file} is no text in UTF-8; save it as such") from error
    description = describe_own(source, law, image)
    try:
        made = law_of(description)
        _ = made.covariance  # raises an error that says what a law without one must have
    except Exception as error:  # whatever a user's file raises is about that file
        raise InputError(
            f"{where}: {file}: {_told(error)}; see `largeprompt sweep --example` for what it must hold"
        ) from error
    inputs[Path(file).name] = hashlib.sha256(content).hexdigest()
    return Entry("tokens", name, made.d, description)


def _told(error: Exception) -> str:
    """An error of a user's file in one line."""
    text = " ".join(str(error).split())
    return text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"


def _covariance(array: Floats, where: str, name: str) -> Floats:
    try:
        return read_covariance(name, array)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: {error}") from error
