"""Writes the errata as one HTML page that loads nothing from the network."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from proofs_check.reports.documents.errata.entries import Entry, Errata
from proofs_check.reports.documents.errata.reading import (
    BOTH_SIDES,
    PRINTS,
    READINGS,
    SEVERITY,
    UNDER,
    how_to_read,
)
from proofs_check.reports.documents.latex import CSS, LatexError, block, kept, words

__all__ = ["as_html", "entry_pages", "in_html"]


def as_html(errata: Errata) -> str:
    """The document as a page."""
    template = _templates(lambda id: f"#{_anchor(id)}").get_template("errata.html.jinja")
    severities = re.sub(r"\*([\w ]+)\*", r"<b>\1</b>", in_html(SEVERITY))
    how = [in_html(paragraph) for paragraph in how_to_read(errata.example, errata.names)]
    with kept.between_runs():
        page = template.render(
            errata=errata, css=CSS, severities=severities, how=how, about_readings=READINGS
        )
    return f"{page}\n"


def entry_pages(errata: Errata, href: Callable[[str], str]) -> Iterator[tuple[Entry, str]]:
    """The entries, each as a part of a page of a larger site, on which `href` tells where an entry
    or a reading (``"reading-R1"``) is told.
    """
    page = _templates(href).get_template("entry.html.jinja")
    for e in errata.entries:
        yield e, page.render(e=e)


def _templates(href: Callable[[str], str]) -> Any:
    from proofs_check.reports.pages.templates import environment

    templates = environment("proofs_check.reports.documents.errata")
    templates.filters |= {"words": in_html, "formula": _formula, "anchor": _anchor, "href": href}
    templates.globals |= {"both_sides": BOTH_SIDES, "prints": PRINTS, "under": UNDER}
    return templates


def in_html(text: str) -> str:
    """Words with formulas between dollars and code between backquotes."""
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
