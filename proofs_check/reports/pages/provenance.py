"""Says where a page comes from: the command that repeats it, its date, the versions of the packages
and the digests of the files that were read.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

__all__ = ["provenance"]

PACKAGES = ("largeprompt", "numpy", "scipy", "sympy", "numba", "matplotlib")


def provenance(command: str, seconds: float, inputs: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Where a report comes from, without anything that belongs to the machine: the command line
    that repeats the run, its seconds, and name and SHA-256 of each input file. The date is that of
    ``SOURCE_DATE_EPOCH`` if that variable is set.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.now(UTC) if epoch is None else datetime.fromtimestamp(int(epoch), UTC)
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "command": command,
        "date": now.strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(seconds, 1),
        "versions": versions,
        "inputs": [{"file": name, "sha256": digest} for name, digest in inputs],
    }
