"""A digest of every source file that ends up in a compiled kernel."""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["digest_of", "fingerprint"]

HERE = Path(__file__).parent


def digest_of(kernels: Path) -> int:
    """The first 63 bits of a SHA-256 of the sources in a folder of kernels, and of the random numbers beside it."""
    digest = hashlib.sha256()
    for path in [kernels.parent / "streams.py", *sorted(kernels.glob("*.py"))]:
        digest.update(path.read_bytes())
    return int.from_bytes(digest.digest()[:8], "big") >> 1


#: Taken when the kernels are imported: a process that started before a change must not file its old code under the new number.
NUMBER = digest_of(HERE)


def fingerprint() -> int:
    """A number that changes with any kernel and any of their helpers.

    Numba's cache looks at the file of the cached function only: after a change in a helper it would go on serving the old code, and
    verify the wrong program. A kernel that closes over this number is compiled afresh instead.

    Returns
    -------
    int
        `digest_of` the sources as they were when the kernels were imported.

    Examples
    --------
    >>> fingerprint() == fingerprint()
    True
    """
    return NUMBER
