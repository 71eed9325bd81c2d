"""What the pages of the experiments of all papers share: sentences as HTML and on the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proofs_check.core.ledgers.ledger import Ledger

__all__ = ["as_html", "check_no_other_page", "tell"]


def check_no_other_page(page: Path, title: bytes) -> None:
    """Refuse, before anything is trained, to overwrite a page that has another title."""
    from numerics.terminal.inputs import InputError

    if page.exists() and title not in page.read_bytes()[:2000]:
        raise InputError(f"{page} is no page of this command, and would be overwritten; choose another --out")


def as_html(text: str) -> str:
    """A sentence of the ledger as HTML: formulas between dollars are typeset, or shown as they are
    written where they cannot be read.

    >>> as_html("`by` 1e-3 for $L$")
    '<code>by</code> 10<sup>−3</sup> for <math><mi>L</mi></math>'
    """
    from html import escape

    from proofs_check.reports.documents import latex
    from proofs_check.reports.pages.text import marked

    html = ""
    for i, part in enumerate(re.split(r"\$([^$]+)\$", text)):
        try:
            html += latex.inline(part) if i % 2 else re.sub("`([^`]+)`", r"<code>\1</code>", marked(part))
        except latex.LatexError:
            html += f"<code>{escape(part)}</code>"
    return latex.glued(html)


def tell(ledger: Ledger, say: Callable[[str], None]) -> list[str]:
    """Print a line for each sentence; return those that came out otherwise than declared, which go
    to stderr.
    """
    from numerics.terminal.mathematics import as_unicode

    width = max((len(id) for id in ledger.entries), default=0)
    for id, e in ledger.entries.items():
        repaired = f" -> {e['repair']['verdict']} as repaired" if e["repair"] else ""
        say(f"{id:<{width}}  {e['verdict']}{repaired}: {as_unicode(e['says'])}")
    wrong = [f"{id}: {fault}" for id, e in ledger.entries.items() for fault in e["faults"]] + ledger.faults()
    for line in wrong:
        print(f"largeprompt figures: {line}", file=sys.stderr)
    return wrong
