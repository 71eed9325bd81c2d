"""``largeprompt errata``: what is false as printed, for the authors: one document in HTML and in
Markdown, made from a ledger.
"""

from __future__ import annotations

from proofs_check.documents.errata.content import Errata, Erratum, errata_of
from proofs_check.documents.errata.html import as_html
from proofs_check.documents.errata.markdown import as_markdown

__all__ = ["Errata", "Erratum", "as_html", "as_markdown", "errata_of"]
