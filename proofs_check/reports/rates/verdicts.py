"""What the ledger of the release says of the laws that a report draws."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from proofs_check.core.kept import RELEASE

__all__ = ["verdicts"]


@cache
def verdicts() -> Mapping[str, str]:
    """The verdict of every claim as printed, by its id."""
    document = json.loads(RELEASE.read_text(encoding="utf-8"))
    return MappingProxyType({claim["id"]: claim["verdict"] for claim in document["claims"]})
