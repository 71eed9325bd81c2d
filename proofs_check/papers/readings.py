"""How ambiguous or damaged places of a paper are read: a ``readings.toml`` in its folder settles
each once, says which other readings there are and what they would change, and rows name those that
they rest on.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os.path import commonpath
from pathlib import Path
from typing import Any

from numerics.terminal.inputs import InputError, read_bytes

__all__ = ["READINGS", "Reading", "readings_beside"]

READINGS = "readings.toml"
_TEXTS = ("id", "place", "decision")
_ID = re.compile(r"[\w.-]+")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How one place of a paper is read."""

    #: The name by which rows of the paper name it, such as ``"phase-1-ends"``.
    id: str
    place: str
    #: How it is read, in words and LaTeX between dollars.
    decision: str
    #: The other readings, each a sentence that says what would change.
    alternatives: tuple[str, ...]

    @property
    def line(self) -> str:
        """The decision in one line.

        >>> Reading(id="end", place="Section 5", decision="It ends once.", alternatives=()).line
        'Section 5 (end): It ends once.'
        """
        return f"{self.place} ({self.id}): {self.decision}"


def readings_beside(lists: Iterable[Path]) -> tuple[Path, Mapping[str, Reading]]:
    """The readings of a paper with these ``statements.toml``, by id, and the file in which they
    stand, or would: in the innermost folder that holds all these lists. A file that cannot be read,
    or a reading that is not complete or has the id of another one, is an InputError.

    >>> lists = [Path(f"nowhere/{part}/statements.toml") for part in ("one", "two")]
    >>> readings_beside(lists)[0].as_posix()
    'nowhere/readings.toml'
    """
    path = Path(commonpath([file.parent for file in lists])) / READINGS
    if not path.is_file():
        return path, {}
    try:
        given = tomllib.loads(read_bytes(path).decode("utf-8")).get("reading", [])
    except (InputError, ValueError) as error:
        raise InputError(
            f"cannot read {path}: {error}; save it as TOML, each reading below a line [[reading]]"
        ) from error
    out: dict[str, Reading] = {}
    for n, told in enumerate(given if isinstance(given, list) else [given], 1):
        made = _reading(told, f"{path}: reading {n}")
        if made.id in out:
            raise InputError(f"{path}: two readings are named {made.id}; give each an id of its own")
        out[made.id] = made
    return path, out


def _reading(told: Any, name: str) -> Reading:
    said = told if isinstance(told, dict) else {}
    texts = {key: said.get(key) for key in _TEXTS}
    others = said.get("alternatives")
    sentences = others if isinstance(others, list) else []
    told_well = lambda text: isinstance(text, str) and bool(text.strip())
    missing = [key for key, text in texts.items() if not told_well(text)]
    missing += [] if sentences and all(map(told_well, sentences)) else ["alternatives"]
    if missing:
        what = "id, place and decision are texts, alternatives a list of sentences that say what would change"
        raise InputError(f"{name} does not say {missing[0]}; give all four below [[reading]]: {what}")
    if not _ID.fullmatch(str(texts["id"])):
        raise InputError(
            f"{name} has the id {texts['id']!r}; write letters, digits and hyphens, such as phase-1-ends"
        )
    clean = {key: " ".join(str(text).split()) for key, text in texts.items()}
    return Reading(**clean, alternatives=tuple(" ".join(text.split()) for text in sentences))
