"""Rate reports: ``report.html`` for people, ``report.json`` and ``data.csv`` for programs, written together or not at all."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from numerics.rates import Rates
from numerics.report.document import as_csv, as_document, table
from numerics.report.html import as_html

__all__ = ["FILES", "provenance", "schema", "table", "write_report"]

FILES = ("report.html", "report.json", "data.csv")
PACKAGES = ("largeprompt", "numpy", "scipy", "sympy", "numba", "matplotlib")


def schema() -> dict[str, Any]:
    """The JSON schema of ``report.json``.

    Examples
    --------
    >>> schema()["title"]
    'largeprompt rate report'
    """
    found: dict[str, Any] = json.loads(resources.files(__package__).joinpath("report.schema.json").read_text(encoding="utf-8"))
    return found


def provenance(command: str, seconds: float, inputs: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Where a report comes from, without anything that belongs to the machine.

    Parameters
    ----------
    command : str
        The command line that repeats the run.
    seconds : float
        How long the run took.
    inputs : sequence of (str, str)
        Name and SHA-256 of each input file.

    Returns
    -------
    dict

    Notes
    -----
    The date is that of ``SOURCE_DATE_EPOCH`` if that variable is set.

    Examples
    --------
    >>> provenance("largeprompt rates", 1.0)["command"]
    'largeprompt rates'
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


def write_report(run: Rates, out: Path, source: dict[str, Any]) -> Path:
    """Write the three files into a folder; an earlier report there stays whole until the new one is complete.

    Parameters
    ----------
    run : Rates
    out : Path
        Folder, created if missing.
    source : dict
        What `provenance` returns.

    Returns
    -------
    Path
        Of ``report.html``.

    Raises
    ------
    OSError
        If the folder cannot be created or written.
    """
    document = as_document(run, source)
    texts = (as_html(run, document), json.dumps(document, indent=1, allow_nan=False) + "\n", as_csv(run))
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".new-") as scratch:
        for name, text in zip(FILES, texts):
            (Path(scratch) / name).write_text(text, encoding="utf-8", newline="\n")
        for name in FILES:
            os.replace(Path(scratch) / name, out / name)
    return out / FILES[0]
