"""What the site says from the ledger of the release: a page a statement, a page an entry of the
errata, the list of what is false, and what stands in the page of a paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from numerics.terminal.mathematics import as_unicode
from proofs_check.core.ledgers.stored import RELEASE, find_ledger
from proofs_check.derivations.proofs import PROOFS
from proofs_check.papers.statements import is_own, paper, papers, readings_of
from proofs_check.papers.witnesses import slug
from proofs_check.reports.documents.blueprint import Site, statement_pages
from proofs_check.reports.documents.errata import Errata, all_errata, as_html, entry_pages
from proofs_check.reports.documents.errata.html import in_html
from proofs_check.reports.documents.errata.markdown import github
from proofs_check.reports.documents.errata.reading import READINGS
from proofs_check.reports.documents.latex import kept

PARTS = Path(statement_pages.__code__.co_filename).parent / "parts.css"
#: The site's root from a page of these folders.
UP = "../"
REM = re.compile(r"([\d.]+)rem")


def name_of(id: str) -> str:
    """The file name of a statement, or of what has an id.

    >>> name_of("BB/Lemma-C.4")
    'bb-lemma-c.4'
    """
    return re.sub(r"[^\w.]+", "-", id).lower().strip("-")


def styles() -> str:
    """The styles of statements; where the theme is, a rem has 20 pixels in place of 16."""
    return REM.sub(lambda found: f"{float(found[1]) * 0.8:.3g}rem", PARTS.read_text(encoding="utf-8"))


class LedgerPages:
    """The pages, from the ledger of the release."""

    def __init__(self) -> None:
        self.document = find_ledger(str(RELEASE)).document
        self.site = Site(self.document)
        self.accounts = {told.key: told for told in self.site.accounts}

    @cached_property
    def errata(self) -> dict[str, Errata]:
        """The errata of each paper in which something is false; their witness scripts are run."""
        wrong = [key for key in papers() if not is_own(key) and self.accounts[key].false]
        return all_errata(self.document, wrong)

    @cached_property
    def entries(self) -> dict[str, str]:
        """Where the errata tell of a row: in its own entry, or in that of the error it inherits."""
        found = {e.id: e.id for errata in self.errata.values() for e in errata.entries}
        for errata in self.errata.values():
            for e in errata.entries:
                for copy in e.copies:
                    found.setdefault(copy.id.split("/")[0], e.id)
        return found

    def statement(self, id: str) -> str:
        """The page of a statement, or of the one that has a row or a claim, from a folder."""
        if id.startswith("papers/"):
            return f"{UP}{id.lower()}.html"
        if id.startswith("readings/"):
            return f"{UP}papers/{id.removeprefix('readings/').lower()}.html#how-the-paper-is-read"
        site = self.site
        stated = site.statements.get(id) or site.statement_of[site.row_of(id)]
        fragment = "" if id in site.statements else "#" + quote(id, safe=":/.-_~()+,")
        return f"{UP}statements/{name_of(stated.id)}.html{fragment}"

    def entry(self, id: str, key: str) -> str:
        """The page of an entry, or the place of a reading, from a folder."""
        if id.startswith("reading-"):
            return f"{UP}papers/{key.lower()}.html#{id}"
        return f"{UP}errata/{slug(id)}.html"

    def pages(self) -> Iterator[tuple[str, str, str]]:
        """The pages of statements and entries: uri, Markdown with the title, and HTML below it."""
        with kept.between_runs():
            yield from self._statements()
            for key, errata in self.errata.items():
                yield from self._entries(key, errata)

    def _statements(self) -> Iterator[tuple[str, str, str]]:
        told = lambda id: [self.entry(self.entries[id], "")] if id in self.entries else []
        for s, html in statement_pages(self.site, self.statement, told, PROOFS):
            title = f"{s.title} ({self.cited(s.paper)})"
            yield f"statements/{name_of(s.id)}.md", _page(title, boost=4), html

    def _entries(self, key: str, errata: Errata) -> Iterator[tuple[str, str, str]]:
        for e, html in entry_pages(errata, lambda id: self.entry(id, key)):
            above = (
                f'<p class="kicker"><a href="{UP}errata.html">What is false as printed</a> · '
                f'<a href="{UP}papers/{key.lower()}.html">{escape(self.cited(key))}</a> · '
                f'<a href="{self.statement(e.id)}">{escape(e.id)} in the ledger</a></p>'
            )
            title = f"Erratum: {as_unicode(e.short)} ({self.cited(key)})"
            yield f"errata/{slug(e.id)}.md", _page(title, boost=2), f'<div class="entry">{above}{html}</div>'

    def documents(self) -> Iterator[tuple[str, str]]:
        """The errata as documents of their own, which lead back to the site."""
        for key, errata in self.errata.items():
            back = f'<p class="kicker"><a href="../../../papers/{key.lower()}.html">largeprompt</a></p>'
            yield f"errata/{key}/errata.html", as_html(errata).replace("<body>", f"<body>\n{back}", 1)

    def cited(self, key: str) -> str:
        """A paper as a reader of the site knows it."""
        from proofs_check.reports.documents.status import cited

        return re.sub(r" \(\w+\)$", "", cited(key))

    def account(self, key: str) -> str:
        """What the page of a paper says from the ledger, as Markdown."""
        told, known = self.accounts[key], paper(key)
        lines = [
            "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |"
            for row in ((r.title, github(r.says), github(r.told), github(r.to_change)) for r in told.headline)
        ]
        cite = [linked(known["version"])] if known["version"] else []
        return "\n\n".join(
            [
                ", ".join([known["authors"], f"*{known['title']}*", *cite]) + ".",
                "## What stands",
                "\n".join(
                    ["| main result | what it says | stands | what to change |", "|---|---|---|---|", *lines]
                ),
                told.losses,
                *(self._false_in(key, told.sentence) if key in self.errata else [told.sentence]),
                "## Every statement",
                self._statements_of(key),
                *self._readings(key),
            ]
        )

    def _false_in(self, key: str, counted: str) -> list[str]:
        """How much is false, where all of it stands, and the gravest of it."""
        at = f"../documents/errata/{key}/errata.html"
        return [
            "## What is false",
            f"{counted} [All of it](../errata.md), and as [a document for the authors]({at}). The gravest:",
            self._gravest(key),
        ]

    def _gravest(self, key: str) -> str:
        """The errors with a witness in the regime of the paper, and the first gaps."""
        lines = []
        for e in self.errata[key].entries[:4]:
            first = e.errors[0]
            point = ", ".join(f"`{k} = {v}`" for k, v in first.witness.items() if len(str(v)) < 60)
            lines.append(
                f"- **[{github(e.short)}](../errata/{slug(e.id)}.md)**, {first.kind}. {github(first.why)} "
                f"*Instead:* {github(first.instead_in_short)} *Counterexample:* {point}."
            )
        return "\n".join(lines)

    def _statements_of(self, key: str) -> str:
        found = (s for statements in self.site.sections(key).values() for s in statements)
        links = ", ".join(f"[{s.title}](../statements/{name_of(s.id)}.md)" for s in found)
        return f"Each has a page, with what was checked, how, and what rests on it: {links}."

    def _readings(self, key: str) -> list[str]:
        listed = readings_of(key)
        lines = [
            f'- <a id="reading-{r.id}"></a>{github(r.place)} (`{r.id}`): {github(r.decision)} '
            + " ".join(f"*Or:* {github(other)}" for other in r.alternatives)
            for r in listed
        ]
        return ["## How the paper is read", READINGS, "\n".join(lines)] if listed else []

    def false(self) -> str:
        """The list of what is false, with what a reader may choose of it, as HTML."""
        shown = [
            (key, e, first)
            for key, errata in self.errata.items()
            for e in errata.entries
            for first in e.errors[:1]
        ]
        keys = {key: self.cited(key) for key in self.errata}
        kinds = {first.severity: first.severity for _, _, first in shown}
        choice = lambda name, options: "".join(
            f'<label class="s-{value.replace(" ", "-").lower()}"><input type="checkbox" name="{name}" '
            f'value="{value}" checked> {escape(said)}</label> '
            for value, said in options.items()
        )
        head = (
            f'<form class="choose" hidden><p>{choice("paper", keys)}</p><p>{choice("severity", kinds)}</p>'
            '<p><span class="count"></span></p></form>'
        )
        listed = "".join(self._false(key, e, first) for key, e, first in shown)
        return f"<aside data-search-exclude>{head}{listed}</aside>"  # each entry is found on its own page

    def _false(self, key: str, e: Any, first: Any) -> str:
        also = ", ".join(f'<a href="{self.statement(c.id)[len(UP) :]}">{escape(c.id)}</a>' for c in e.copies)
        return (
            f'<div class="error s-{first.severity.replace(" ", "-")}" data-paper="{key}" '
            f'data-severity="{first.severity}">'
            f'<p><b><a href="errata/{slug(e.id)}.html">{in_html(e.place)}</a></b> '
            f'<span class="severity">{escape(first.kind)}</span> {self.cited(key)}, '
            f'<a href="{self.statement(e.id)[len(UP) :]}"><code>{e.id}</code></a></p>'
            f"<p>{in_html(first.why)}</p><p><em>Instead:</em> {in_html(first.instead_in_short)}</p>"
            + (f"<p>The same error is in {also}.</p>" if also else "")
            + "</div>"
        )


def _page(title: str, boost: int) -> str:
    return f"---\nhide: [navigation, toc]\nsearch:\n  boost: {boost}\n---\n\n# {title}\n"


def linked(version: str) -> str:
    """A version with a link to where it is read.

    >>> linked("arXiv:1234.56789v2")
    '[arXiv:1234.56789v2](https://arxiv.org/abs/1234.56789v2)'
    """
    text = re.sub(r"arXiv:([\d.]+(?:v\d+)?)", r"[\g<0>](https://arxiv.org/abs/\1)", version)
    return re.sub(r"doi:(10\.\S+)", r"[\g<0>](https://doi.org/\1)", text)
