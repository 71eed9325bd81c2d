"""One spelling, and one digest, for the content of a job: all that its numbers depend on."""

from __future__ import annotations

import hashlib
import json
from typing import Any

__all__ = ["canonical", "content_digest"]


def canonical(content: Any) -> str:
    """JSON with one spelling for each content: sorted keys, no spaces, ASCII, finite numbers.
    Arrays are spelled by `as_hex`.
    """
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=True)


def content_digest(content: Any) -> str:
    """SHA-256 of the canonical JSON of a content, as 64 hexadecimal digits: a key of a store.

    >>> content_digest({"b": 1, "a": 2}) == content_digest({"a": 2, "b": 1})
    True
    """
    return hashlib.sha256(canonical(content).encode()).hexdigest()
