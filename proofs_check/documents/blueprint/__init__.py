"""The blueprint: a ledger as one HTML file with the graph of needs and a page a statement."""

from __future__ import annotations

from pathlib import Path

from proofs_check.documents.blueprint.document import Site
from proofs_check.documents.blueprint.render import Blueprint, as_html

__all__ = ["Blueprint", "Site", "as_html", "write_blueprint"]


def write_blueprint(ledger: Path, out: Path) -> Blueprint:
    """Read a ledger and write its blueprint.

    Parameters
    ----------
    ledger : Path
        ``ledger.json``, or the folder that holds it.
    out : Path
        The file to write; a folder gets ``blueprint.html``.

    Returns
    -------
    Blueprint

    Raises
    ------
    InputError
        If the ledger cannot be used or the file cannot be written.
    """
    from proofs_check.core.files import read_ledger, write_text

    made = as_html(Site(read_ledger(ledger)))
    write_text(out / "blueprint.html" if out.is_dir() else out, made.html)
    return made
