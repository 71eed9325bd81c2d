"""The sharp constants of claims, kept in one file of each collection so that a run need not look
for them: it judges both ends anew, and searches only where they are not what the file says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from numerics.terminal.files import replace_together
from proofs_check.papers.registered import collections, forgets

__all__ = ["KEPT", "Ends", "keep_ends", "known_ends"]

#: The file in the root of a collection that keeps them; it is written by
#: ``pytest DIR --update-sharp-constants``.
KEPT = "sharp_constants.json"


class Ends(NamedTuple):
    """Where a constant was found: its last accepted value, its first refuted one, and what was
    undecided in between, if anything.
    """

    accepted: Fraction
    refuted: Fraction
    undecided: Fraction | None = None


@forgets
@cache
def known_ends() -> Mapping[str, Ends]:
    """The ends of every sharp constant by the id of its claim."""
    paths = [c.root / KEPT for c in collections()]
    found = {
        id: ends
        for path in paths
        if path.is_file()
        for id, ends in json.loads(path.read_text(encoding="utf-8")).items()
    }
    return {id: Ends(*(end and Fraction(end) for end in ends)) for id, ends in found.items()}


def keep_ends(lines: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Keep the sharp constants that claims have in their lines of the ledger
    (`proofs_check.core.judging.entry`); those of claims which did not run stay as they are.
    """
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    for line in lines:
        kept.pop(line["id"], None)
        if line["sharp"]:
            kept[line["id"]] = [line["sharp"][end] for end in Ends._fields]
    rows = ",\n".join(f"{json.dumps(id)}: {json.dumps(kept[id])}" for id in sorted(kept))
    replace_together(path.parent, {path.name: f"{{\n{rows}\n}}\n"})
    known_ends.cache_clear()
