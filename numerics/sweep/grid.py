"""Reads the TOML file in which a person writes a grid of runs, and checks all of it before anything
is computed.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from numerics.attention.requirements import check_reportable
from numerics.attention.sampled.sampler import LONGEST_PROMPT, METHODS, error_sampler
from numerics.attention.setting import AttentionSetting
from numerics.jobs.content import canonical
from numerics.jobs.hexadecimal import as_hex
from numerics.sweep.blocks import Block, code_digest, split
from numerics.sweep.grid_tables import Entry, known_keys, read_matrices, read_queries, read_tokens
from numerics.sweep.laws import law_of
from numerics.terminal.inputs import InputError, length_grid, read_bytes

__all__ = ["Grid", "Run", "example", "read_grid"]

KEYS = ("seed", "replicates", "lengths", "method", "tokens", "U", "V", "query")
#: Below this number of replicates standard errors mean little.
FEWEST_REPLICATES = 100
#: The sums of all replicates of a grid must fit into memory.
MOST_REPLICATES = 2**31


@dataclass(frozen=True, eq=False)
class Run:
    """One point of the grid."""

    setting: AttentionSetting
    #: Canonical JSON of everything that determines the numbers apart from prompt length and
    #: replicate; see `numerics.sweep.blocks.Block`.
    content: str

    @cached_property
    def key(self) -> str:
        """The digest of the content: the key under which a store says what the run is."""
        return hashlib.sha256(self.content.encode()).hexdigest()

    @cached_property
    def seed(self) -> int:
        """The seed of the run's random numbers, a digest of the seed of the grid and of the run: it
        does not depend on the other runs of the grid.
        """
        seed: int = json.loads(self.content)["seed"]
        return seed

    @property
    def method(self) -> str:
        """How the run is sampled."""
        method: str = json.loads(self.content)["method"]
        return method


@dataclass(frozen=True, eq=False)
class Grid:
    """A grid: its runs, and the prompt lengths and the number of replicates of each."""

    #: Name of the file, without its folder.
    file: str
    runs: tuple[Run, ...]
    #: They increase.
    lengths: tuple[int, ...]
    replicates: int
    #: SHA-256 of the file of the grid and of every file that it names, by the name of the file.
    inputs: Mapping[str, str]

    def blocks(self, run: Run, L: int) -> list[Block]:
        """The blocks of one run at one length, in the order in which their numbers are joined."""
        return [
            Block(run.content, L, first, count, code_digest()) for first, count in split(L, self.replicates)
        ]


def example() -> str:
    """The text of a grid to start from, with remarks on everything that it may say."""
    return resources.files(__package__).joinpath("example.toml").read_text(encoding="utf-8")


def read_grid(path: str | Path) -> Grid:
    """Read the TOML file of a grid and check all of it; `example` shows every spelling. An error is
    one line that names file and key, and says what to do.
    """
    # A grid has ``lengths`` (a list, or ``"10:10000:10"``), ``replicates``, ``seed``, ``method``,
    # and arrays of tables ``[[tokens]]`` (``Gamma``, or ``law`` with what it needs, or ``python``),
    # ``[[U]]``, ``[[V]]`` (a matrix; for U also ``scales``) and ``[[query]]`` (``vector`` or
    # ``covariance``), each with a ``name`` if there are several: every entry goes with every other.
    # File names are relative to the folder of the file.
    path = Path(path)
    try:
        return _read(path)
    except InputError as error:
        raise InputError(f"{path.name or path}: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise InputError(
            f"{path.name}: brackets or dotted keys too deep; a matrix is a list of lists of numbers"
        ) from error


def _read(path: Path) -> Grid:
    try:
        content = read_bytes(path)
    except InputError as error:
        raise InputError(
            f"cannot read it: {error}; `largeprompt sweep --example` prints one to start from"
        ) from error
    try:
        document = tomllib.loads(content.decode("utf-8-sig"))
        _integers_fit(document)
    except ValueError as error:
        raise InputError(
            f"not TOML: {error}; `largeprompt sweep --example` prints one to start from"
        ) from error
    known_keys(document, KEYS, "at the top")
    seed = _integer(document, "seed", 0, 0, 2**64 - 1)
    replicates = _integer(document, "replicates", None, FEWEST_REPLICATES, MOST_REPLICATES)
    lengths = _lengths(document)
    method = document.get("method", "auto")
    if method not in METHODS:
        raise InputError(f"method = {method!r:.80} is unknown; choose one of {', '.join(METHODS)}")
    inputs = {path.name: hashlib.sha256(content).hexdigest()}
    entries = (
        read_tokens(document, path.parent, inputs),
        read_matrices(document, "U", path.parent, inputs),
        read_matrices(document, "V", path.parent, inputs),
        read_queries(document, path.parent, inputs),
    )
    asked = replicates * len(lengths) * math.prod(map(len, entries))
    if asked > MOST_REPLICATES:
        raise InputError(
            f"{asked:.3g} replicates over all runs and lengths; at most {MOST_REPLICATES:.3g} are possible: "
            "ask for fewer of them"
        )
    runs = tuple(
        _run(point, _name(point, entries), seed, method, lengths) for point in itertools.product(*entries)
    )
    return Grid(path.name, runs, lengths, replicates, inputs)


def _run(point: tuple[Entry, ...], name: str, seed: int, method: str, lengths: tuple[int, ...]) -> Run:
    tokens, *others = point
    for other in others:
        if other.d != tokens.d:
            raise InputError(
                f"{other} is for dimension {other.d}, {tokens} has dimension {tokens.d}; every entry goes "
                "with every other, so put another dimension into another grid"
            )
    U, V, z = (other.value for other in others)
    try:
        query = {"query_cov" if z.ndim == 2 else "query": z}
        setting = AttentionSetting(law_of(tokens.value), U, V, **query, name=name)
        check_reportable(setting)
        sampler = error_sampler(setting, method=method)
    except (TypeError, ValueError) as error:
        raise InputError(f"{' with '.join(map(str, point))}: {error}") from error
    if lengths[-1] > LONGEST_PROMPT:
        raise InputError(
            f"lengths: L = {lengths[-1]} leaves the range 1 <= L <= {LONGEST_PROMPT}; ask for shorter prompts"
        )
    arrays = {"U": setting.U, "V": setting.V, **query}
    content = {"law": tokens.value, "method": sampler.method} | {
        key: as_hex(array) for key, array in arrays.items()
    }
    digest = hashlib.sha256(canonical([seed, content]).encode()).digest()
    return Run(setting, canonical(content | {"seed": int.from_bytes(digest[:8], "big")}))


def _name(point: tuple[Entry, ...], entries: tuple[list[Entry], ...]) -> str:
    """The name of a run: the names of those entries of which the grid has several, or of all if it
    is the only run.
    """
    telling = [entry.name for entry, kind in zip(point, entries) if len(kind) > 1]
    return ", ".join(telling or [entry.name for entry in point])


def _integers_fit(document: dict[str, Any]) -> None:
    """Refuse integers beyond 64 bits, as TOML does: Python takes any, but cannot print those of
    thousands of digits.
    """
    values: list[Any] = [document]
    while values:
        value = values.pop()
        if isinstance(value, (dict, list)):
            values += value.values() if isinstance(value, dict) else value
        elif isinstance(value, int) and not -(2**63) <= value < 2**64:
            raise ValueError("an integer of more than 64 bits")


def _integer(document: Mapping[str, Any], key: str, default: int | None, least: int, most: int) -> int:
    value = document.get(key, default)
    if value is None:
        raise InputError(f"{key} is missing; add {key} = 40_000 or another integer from {least} on")
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{key} = {value!r:.80} is not an integer from {least} to {most}; give one")
    return value


def _lengths(document: Mapping[str, Any]) -> tuple[int, ...]:
    given = document.get("lengths")
    if given is None:
        raise InputError("lengths is missing; add lengths = [10, 100, 1000] or lengths = '10:10000:10'")
    if isinstance(given, str):
        given = length_grid(given, "lengths =")
    if not isinstance(given, list) or not given:
        raise InputError(
            f"lengths = {given!r:.80} is no list of prompt lengths; write [10, 100, 1000] or '10:10000:10'"
        )
    for L in given:
        if isinstance(L, bool) or not isinstance(L, int) or L < 1:
            raise InputError(
                f"lengths: L = {L!r:.80} is not a prompt length; lengths are whole numbers from 1 on"
            )
    return tuple(sorted(set(given)))
