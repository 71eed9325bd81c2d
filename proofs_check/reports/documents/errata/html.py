"""Writes the errata as one HTML page that loads nothing from the network."""

from __future__ import annotations

import re
from html import escape

from proofs_check.reports.documents.errata.entries import Errata
from proofs_check.reports.documents.errata.reading import READINGS, SEVERITY, how_to_read
from proofs_check.reports.documents.latex import CSS, LatexError, block, kept, words

__all__ = ["as_html"]


def as_html(errata: Errata) -> str:
    """The document as a page."""
    from proofs_check.reports.pages.templates import environment

    templates = environment("proofs_check.reports.documents.errata")
    templates.filters |= {"words": _words, "formula": _formula, "anchor": _anchor}
    template = templates.get_template("errata.html.jinja")
    severities = re.sub(r"\*([\w ]+)\*", r"<b>\1</b>", _words(SEVERITY))
    how = [_words(paragraph) for paragraph in how_to_read(errata.example, errata.names)]
    with kept.between_runs():
        page = template.render(
            errata=errata, css=CSS, severities=severities, how=how, about_readings=READINGS
        )
    return f"{page}\n"


def _words(text: str) -> str:
    pieces = re.split("`([^`]*)`", text)
    return "".join(f"<code>{escape(p)}</code>" if n % 2 else _sentence(p) for n, p in enumerate(pieces))


def _sentence(text: str) -> str:
    try:
        return words(text)
    except LatexError:
        return escape(text)  # better the source than nothing


def _formula(latex: str) -> str:
    try:
        return block(latex)
    except LatexError:
        return f"<pre>{escape(latex)}</pre>"


def _anchor(id: str) -> str:
    from proofs_check.papers.witnesses import slug

    return slug(id)
