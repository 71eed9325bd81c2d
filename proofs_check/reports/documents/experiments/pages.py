"""What the pages of the experiments of all papers share: sentences as HTML and on the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


def tell(ledger: Ledger, quiet: bool) -> list[str]:
    """Print each sentence of the paper with what every check of it says; return those that came out
    otherwise than declared, which go to stderr.
    """
    from rich.padding import Padding
    from rich.text import Text

    from numerics.terminal.console import console
    from numerics.terminal.mathematics import as_unicode

    screen, before = console(), ""
    for e in () if quiet else sorted(ledger.entries.values(), key=_place):
        if e["covers"] != before:
            screen.print(Text.assemble((f"{e['covers']}: ", "bold"), as_unicode(e["says"])))
        before = e["covers"]
        screen.print(Padding(Text.assemble(*_check(e)), (0, 0, 0, 2)))
    wrong = [f"{id}: {fault}" for id, e in ledger.entries.items() for fault in e["faults"]] + ledger.faults()
    for line in wrong:
        print(f"largeprompt figures: {line}", file=sys.stderr)
    return wrong


def _place(e: Mapping[str, Any]) -> tuple[int, str]:
    """In the order of the paper, each row before its further checks."""
    from proofs_check.papers.statements import rows

    return list(rows()).index(e["covers"]), e["id"]


def _check(e: Mapping[str, Any]) -> Iterator[str | tuple[str, str]]:
    """What one check of a sentence says: its verdict, what it checked, and why it is false or not
    decided.
    """
    from numerics.terminal.colours import COLOURS
    from numerics.terminal.mathematics import as_unicode

    part = e["id"].partition("/")[2]
    yield e["verdict"], f"bold {COLOURS[e['verdict']]}"
    yield f" -> {e['repair']['verdict']} as repaired" if e["repair"] else ""
    yield f" ({part}): " if part else ": "
    yield as_unicode(" ".join((e["summary"], e["why"] or "")).strip())
    if reason := "; ".join(filter(None, (e["open"], e["evidence"]["reason"]))):
        yield f" Not decided: {as_unicode(reason)}."
