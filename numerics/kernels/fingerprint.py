"""A digest of every source file that ends up in a compiled kernel."""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["fingerprint"]

HERE = Path(__file__).parent


def _digest() -> int:
    digest = hashlib.sha256()
    for path in [HERE.parent / "streams.py", *sorted(HERE.glob("*.py"))]:
        digest.update(path.read_bytes())
    return int.from_bytes(digest.digest()[:8], "big") >> 1


#: Taken when the kernels are imported: a process that started before a change must not file its old code under the new number.
NUMBER = _digest()


def fingerprint() -> int:
    """A number that changes with any kernel and any of their helpers.

    Numba's cache looks at the file of the cached function only: after a change in a helper it would go on serving the old code, and
    verify the wrong program. A kernel that closes over this number is compiled afresh instead.

    Returns
    -------
    int
        The first 63 bits of a SHA-256.

    Examples
    --------
    >>> fingerprint() == fingerprint()
    True
    """
    return NUMBER
