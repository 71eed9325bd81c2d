"""Replies of authors to what is said of their statements, kept in a ``replies.toml`` beside the
list of statements and shown beside the verdict.
"""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from numerics.terminal.inputs import InputError, read_bytes
from proofs_check.papers.registered import collections, forgets
from proofs_check.papers.statements import all_rows

__all__ = ["REPLIES", "Reply", "replies_to"]

REPLIES = "replies.toml"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What somebody answered."""

    #: The claim or the row that it is about.
    id: str
    #: Name of the person, as it is to be shown.
    who: str
    #: The day, as 2026-09-01.
    when: str
    #: The reply, in words and LaTeX between dollars.
    what: str

    @property
    def line(self) -> str:
        """The reply in one line.

        >>> Reply(id="BB:CC.3.b", who="A. B.", when="2026-09-01", what="We agree.").line
        'A. B. on 2026-09-01: We agree.'
        """
        return f"{self.who} on {self.when}: {self.what}"


@forgets
@cache
def _replies() -> Mapping[str, tuple[Reply, ...]]:
    out: dict[str, tuple[Reply, ...]] = {}
    for path in sorted({file.parent / REPLIES for c in collections() for file in c.files}):
        if not path.is_file():
            continue
        try:
            found = tomllib.loads(read_bytes(path).decode("utf-8")).get("reply", [])
        except (InputError, ValueError) as error:
            raise InputError(
                f"cannot read {path}: {error}; save it as TOML, each reply below a line [[reply]]"
            ) from error
        for n, given in enumerate(found, 1):
            texts = {k: str(given.get(k, "")).strip() for k in ("id", "who", "when", "what")}
            if missing := [k for k, text in texts.items() if not text]:
                raise InputError(
                    f"{path}: reply {n} does not say {missing[0]}; it needs id, who, when and what"
                )
            if texts["id"].split("/", 1)[0] not in all_rows():
                raise InputError(
                    f"{path}: reply {n} is about {texts['id']}, which is no statement; correct the id"
                )
            try:
                datetime.date.fromisoformat(texts["when"])
            except ValueError:
                raise InputError(
                    f"{path}: reply {n} has when = {texts['when']!r}; write a day as 2026-09-01"
                ) from None
            out[texts["id"]] = (*out.get(texts["id"], ()), Reply(**texts))
    return MappingProxyType(out)


def replies_to(id: str) -> tuple[Reply, ...]:
    """The replies about a claim or a row, as they stand in the files; an InputError if a
    ``replies.toml`` cannot be read, or a reply in it is not complete.

    >>> replies_to("BB:LC.1")
    ()
    """
    return _replies().get(id, ())
