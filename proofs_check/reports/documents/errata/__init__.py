"""``largeprompt errata``: the lines of a paper that are false as printed, as a document for its
authors, in HTML and in Markdown, and as a referee's list in LaTeX.
"""

from __future__ import annotations

from proofs_check.reports.documents.errata.content import all_errata, errata_of
from proofs_check.reports.documents.errata.entries import Copy, Entry, Errata, Erratum
from proofs_check.reports.documents.errata.html import as_html, entry_pages
from proofs_check.reports.documents.errata.markdown import as_markdown
from proofs_check.reports.documents.errata.referee import as_latex

__all__ = [
    "Copy",
    "Entry",
    "Errata",
    "Erratum",
    "all_errata",
    "as_html",
    "as_latex",
    "as_markdown",
    "entry_pages",
    "errata_of",
]
