"""Renders the blueprint as one HTML file that holds its styles, its script and its formulas."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from numerics.terminal.mathematics import as_unicode
from numerics.terminal.progress import Advance, counted
from proofs_check.core.instead import told_instead
from proofs_check.core.ledgers.files import write_text
from proofs_check.core.printed import told
from proofs_check.core.severity import in_words, lost
from proofs_check.papers.replies import replies_to
from proofs_check.papers.statements import is_own, known_papers, readings_of
from proofs_check.papers.witnesses import script, slug
from proofs_check.reports.documents import latex
from proofs_check.reports.documents.blueprint.document import KINDS, LETTERS, Site, Statement, anchor
from proofs_check.reports.documents.blueprint.graph import Href, all_statements, apart, neighbourhood, v_class
from proofs_check.reports.documents.errata.reading import READINGS
from proofs_check.reports.documents.property_tests import examples, without
from proofs_check.reports.documents.second_opinion.kept import opinion
from proofs_check.reports.pages.templates import environment
from proofs_check.reports.pages.text import sci

if TYPE_CHECKING:
    from proofs_check.reports.documents.proof_page import Displayed  # which imports the derivations

__all__ = ["Blueprint", "as_html", "statement_pages", "write_blueprint"]

_PLACEHOLDER = re.compile("\ue000(\\d+)\ue001")
#: Characters of LaTeX that still are a formula for people.
LONGEST = 3000
_CODE = re.compile("`([^`<]+)`")


@dataclass(frozen=True)
class Blueprint:
    """The text of the file, and as (source, reason) the formulas that could not be typeset, which
    it shows as they are written.
    """

    html: str
    site: Site
    failures: tuple[tuple[str, str], ...]


class _Typesetter:
    """Text and formulas as HTML; what cannot be read is shown as it is written, and remembered."""

    def __init__(self) -> None:
        self.failures: dict[str, str] = {}

    def _or_source(self, make: Any, text: str) -> str:
        try:
            return str(make(text))
        except latex.LatexError as error:
            self.failures[text] = str(error)
            return f'<code class="unread">{escape(text)}</code>'

    def formula(self, text: str) -> str:
        """A formula on lines of its own; one that fills pages is folded, as it is written."""
        if len(text) > LONGEST:
            return (
                f"<details><summary>a formula of {len(text)} characters, in LaTeX</summary>"
                f"<pre><code>{escape(text)}</code></pre></details>"
            )
        return self._or_source(latex.block, text)

    def words(self, text: str) -> str:
        """A sentence with formulas between dollars, and names of code between backticks."""
        return _CODE.sub(r"<code>\1</code>", self._or_source(latex.words, text))

    def told(self, text: str) -> str:
        """What an engine covered: words, the LaTeX of a domain, or both in turn."""
        return "; ".join(self.words(p) for p in latex.marked(text).split("; "))

    def markdown(self, text: str) -> str:
        """Markdown with formulas between dollars; HTML in it is shown, not used."""
        kept: list[str] = []

        def keep(found: re.Match[str]) -> str:
            block = found["block"] is not None
            make = (lambda t: latex.block(t, tag="span")) if block else latex.inline
            kept.append(self._or_source(make, found["block"] if block else found["inline"]))
            return f"\ue000{len(kept) - 1}\ue001"

        page = _markdown().render(latex.FORMULA.sub(keep, text))
        return latex.glued(_PLACEHOLDER.sub(lambda found: kept[int(found[1])], str(page)))


@cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def number(value: float | str | None, digits: int = 4) -> str:
    """A number as people write it, with a power of ten where the decimals would be long.

    >>> number(0.25), number(1.5e-7), number("1/3"), number(None)
    ('0.25', '1.5·10⁻⁷', '1/3', '–')
    """
    return value if isinstance(value, str) else sci(value, digits).replace("-", "−")


def _decimal(text: str) -> str:
    """The decimal value of a quotient such as 139/3, empty for an integer."""
    from fractions import Fraction

    try:
        value = Fraction(text)
    except ValueError:
        return ""
    return f"≈ {number(float(value), 6)}" if value.denominator > 1 else ""


def _bars(losses: list[tuple[str, float]]) -> dict[str, float]:
    """The length of each bar in percent, on a logarithmic scale that begins at a loss of 1."""
    top = max((math.log(max(ratio, 1.0)) for _, ratio in losses), default=0.0)
    return {id: 100 * math.log(max(ratio, 1.0)) / top if top else 0.0 for id, ratio in losses}


def _facts(judged: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What an engine says about its own verdict, and takes for granted, in reading order."""
    said, e = examples(judged["evidence"]), without(judged["evidence"])
    confirmed = [
        f"{r['engine']} ({r['covered']})" if r["covered"] else r["engine"]
        for r in e["routes"]
        if r["verdict"] != "OPEN"
    ]
    undecided = [f"{r['engine']} ({r['reason']})" for r in e["routes"] if r["verdict"] == "OPEN"]
    engines = ", ".join(dict.fromkeys(p["engine"] for p in e["parts"]))
    drawn = f"{e['samples']:,}".replace(",", "\u202f")
    found = [
        ("engine", f"{e['engine']} of {len(e['parts'])} parts: {engines}" if e["parts"] else e["engine"]),
        ("weakest part", e["weakest"] or ""),
        ("covered", e["covered"]),
        ("dimension", e["dimension"]),
        *told(judged),
        ("margin", "" if e["margin"] is None else number(e["margin"], 3)),
        (
            "samples",
            f"{drawn} drawn, seed {e['seed']}, error probability {number(e['error'], 2)}"
            if e["samples"]
            else "",
        ),
        ("confirmed by", "; ".join(confirmed)),
        ("undecided by", "; ".join(undecided)),
        ("drawn examples", said),
        ("reason", e["reason"]),
    ]
    return [(name, text) for name, text in found if text]


def as_html(
    site: Site, proofs: Mapping[str, Sequence[Displayed]] | None = None, advance: Advance | None = None
) -> Blueprint:
    """Draw the blueprint, with the derivations to show by the id of their claim."""
    setter = _Typesetter()
    templates = _templates(site, setter, anchor, proofs or {})
    templates.globals |= {
        "about_readings": READINGS,
        "drawn": lambda statements: map(
            statements.get, counted(advance, list(statements), "drawing") if advance else statements
        ),
        "overview": lambda paper=None: Markup(all_statements(site, paper)),
        "apart": lambda paper=None: apart(site, paper),
    }
    html = templates.get_template("blueprint.html.jinja").render(site=site)
    return Blueprint(html, site, tuple(setter.failures.items()))


def statement_pages(
    site: Site, href: Href, entries: Callable[[str], Sequence[str]], derived: Container[str]
) -> Iterator[tuple[Statement, str]]:
    """The numbered statements, each with its rows as a part of a page of a larger site, on which
    `href` tells where an id is told, and `entries` where the errata tell of a row; of claims that
    are `derived` a page says so.
    """
    templates = _templates(site, _Typesetter(), href, {})
    templates.globals |= {
        "entries": entries,
        "derived": derived.__contains__,
        "paper_page": lambda key: href(f"papers/{key}"),
    }
    page = templates.get_template("statement.html.jinja")
    for s in site.statements.values():
        yield s, page.render(site=site, s=s)


def _templates(site: Site, setter: _Typesetter, href: Href, proofs: Mapping[str, Sequence[Displayed]]) -> Any:
    """The templates, with what they show of a statement."""
    templates = environment("proofs_check.reports.documents.blueprint")
    safe = lambda make: lambda *given, **named: Markup(make(*given, **named))
    templates.tests["own"] = is_own
    templates.filters |= {
        "formula": safe(setter.formula),
        "words": safe(setter.words),
        "told": safe(setter.told),
        "markdown": safe(setter.markdown),
        "plain": as_unicode,
        "instead": told_instead,
        "number": number,
        "decimal": _decimal,
        "anchor": href,
        "kind": lambda kind: KINDS.get(kind, kind),
        "wrong": in_words,
        "v": v_class,
    }
    templates.globals |= {
        "facts": _facts,
        "proofs": lambda id: proofs.get(id, ()),
        "derived": lambda id: False,
        "bars": _bars,
        "replies": replies_to,
        "readings": lambda key: readings_of(key) if key in known_papers() else (),
        "opinion": opinion,
        "script": script,
        "slug": slug,
        "letters": LETTERS,
        "lost": lost,
        "near": lambda rows, label: Markup(neighbourhood(site, rows, label, href)),
        "math_styles": Markup(latex.CSS),
    }
    return templates


def write_blueprint(
    document: Mapping[str, Any],
    out: Path,
    proofs: Mapping[str, Sequence[Displayed]] | None = None,
    advance: Advance | None = None,
) -> Blueprint:
    """Write the blueprint of a ledger to a file, or as ``blueprint.html`` into a folder, with the
    derivations that `proofs_check.reports.documents.proof_page.all_proofs` returns.
    """
    # Derivations are too long to be kept.
    with nullcontext() if proofs else latex.kept.between_runs():
        made = as_html(Site(document), proofs, advance)
    write_text(out / "blueprint.html" if out.is_dir() else out, made.html)
    return made
