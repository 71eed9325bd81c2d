"""Writes the errata in Markdown that reads well as plain text and on GitHub."""

from __future__ import annotations

import re
import textwrap
from html import escape

from numerics.terminal.mathematics import as_unicode
from proofs_check.core.ledgers.losses import Result
from proofs_check.papers.readings import Reading
from proofs_check.papers.witnesses import slug
from proofs_check.reports.documents.errata.entries import Copy, Entry, Errata, Erratum
from proofs_check.reports.documents.errata.reading import (
    BOTH_SIDES,
    PRINTS,
    READINGS,
    SEVERITY,
    UNDER,
    how_to_read,
)
from proofs_check.reports.documents.latex import FORMULA

__all__ = ["as_markdown", "github", "paragraph"]

WIDTH = 112
#: GitHub resolves a backslash before punctuation before it looks for formulas, and knows fewer
#: commands than LaTeX packages define.
_ON_GITHUB = {
    r"\|": r"\Vert ", r"\{": r"\lbrace ", r"\}": r"\rbrace ", r"\,": " ", r"\;": " ", r"\!": "", r"\:": " ",
    r"\mathds": r"\mathbb", r"\coloneqq": ":=", r"\eqqcolon": "=:", r"\phantom{}": "{}",
}  # fmt: skip
_COMMANDS = re.compile(
    "|".join(re.escape(c) + ("(?![a-zA-Z])" if c[-1].isalpha() else "") for c in _ON_GITHUB)
)


def as_markdown(errata: Errata) -> str:
    """The document as text."""
    parts = [
        f"# Errata: {errata.title}",
        paragraph(f"{errata.authors}; {errata.version}. Made from {errata.source}."),
        "## Main results",
        _table(
            ("result", "what it says", "stands", "what to change"),
            [
                (f"**{r.title}**", github(r.says), github(r.told), github(r.to_change))
                for r in errata.headline
            ],
        ),
        paragraph(f"**{errata.losses}**"),
        "## What is false as printed",
        paragraph(f"**{errata.count}**"),
        _spoken(SEVERITY),
        _table(
            ("where", "how grave", "why it fails", "true instead"),
            [_line(i, e) for i, e in enumerate(errata.entries, 1)],
        ),
        "## How to read the entries",
        *map(_spoken, how_to_read(errata.example, errata.names)),
        *_others(errata.others),
        *_readings(errata.readings),
        "## Entries",
        *(part for i, e in enumerate(errata.entries, 1) for part in _entry(i, e)),
    ]
    return "\n\n".join(parts) + "\n"


def _spoken(text: str) -> str:
    """A paragraph of ours, whose mark-up stays."""
    return paragraph(re.sub(r"\$[^$]*\$", lambda formula: github(formula[0]), text))


def _table(head: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    cells = [head, ("---",) * len(head), *([cell.replace("|", r"\|") for cell in line] for line in lines)]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _line(i: int, e: Entry) -> tuple[str, ...]:
    first, *more = e.errors
    also = f" (also in {', '.join(e.also)})" if e.also else ""
    kinds = "".join(f", also {x.kind}" for x in more)
    place = f"{i}. [{github(e.short)}](#{slug(e.id)}){also}"
    return (
        place,
        f"**{first.kind}**{kinds}{first.lost and f'; {first.lost}'}",
        github(first.why),
        github(e.instead),
    )


def _others(listed: tuple[Result, ...]) -> list[str]:
    lines: list[tuple[str, ...]] = [(f"**{r.title}**", github(r.told), github(r.to_change)) for r in listed]
    return (
        ["## Other numbered results", _table(("result", "stands", "what to change"), lines)] if lines else []
    )


def _readings(listed: tuple[Reading, ...]) -> list[str]:
    lines = []
    for r in listed:
        others = " ".join(github(other) for other in r.alternatives)
        said = paragraph(f"{github(r.place)} (`{r.id}`): {github(r.decision)} *Or:* {others}")
        lines.append("- " + said.replace("\n", "\n  "))
    return ["## How the paper was read", paragraph(READINGS), "\n".join(lines)] if lines else []


def _entry(i: int, e: Entry) -> list[str]:
    head = (
        f"{i}. {escape(as_unicode(e.place), quote=False)}: <b>{escape(e.errors[0].kind, quote=False)}</b> "
        f"(<code>{e.id}</code>)"
    )
    out = [
        f'<details id="{slug(e.id)}">\n<summary>{head}</summary>',
        "**The paper prints.**",
        _formula(e.printed),
        "Read as: " + github(e.read),
        *(["The text is damaged here. " + github(e.reading)] if e.reading else []),
        *(
            f"The verdict rests on a reading of {github(r.place)} (`{r.id}`): {github(r.decision)}"
            for r in e.readings
        ),
    ]
    for error in e.errors:
        if len(e.errors) > 1:
            out.append(f"#### {error.kind} (`{error.id}`)")
        out += _error(error)
    out += _copies("Also wrong here, inherited from another line.", e.inherited, inherited=True)
    out += _copies("The same error elsewhere.", e.copies, inherited=False)
    out.append("**What survives.** " + github(e.survives))
    if e.users:
        out.append("\n".join(f"- {github(u)}" for u in e.users))
    kept = ("#", "```", "- ", "<")
    return [*(part if part.startswith(kept) else paragraph(part) for part in out), "</details>"]


def _error(e: Erratum) -> list[str]:
    values = ", ".join(f"`{k} = {v}`" for k, v in e.witness.items())
    out = [
        "**Why it fails.** " + github(f"{e.why} {e.details}".strip()),
        f"**True instead.** {github(e.instead)} {UNDER}",
    ]
    if e.truth:
        out.append(github(e.truth))
    out.append(f"{e.lost and f'{e.lost.capitalize()}. '}{github(e.repair)}")
    out += ["**What was executed.**", _formula(e.judged)] if e.judged else []
    out += [" ".join(filter(None, (f"**Counterexample.** {values}.", e.others, e.evidence)))]
    if e.script:
        out += [BOTH_SIDES, _fence(e.script, "python"), PRINTS, _fence(e.output, "text")]
    out += ["**Reply.** " + github(reply) for reply in e.replies]
    return [*out, *(["**What was checked.** " + github(e.checked)] if e.checked else [])]


def _copies(title: str, listed: tuple[Copy, ...], *, inherited: bool) -> list[str]:
    lines = []
    for c in listed:
        source = f", as {c.source}" if inherited else ""
        told = f": {c.why}" if c.why else ""
        instead = f" *Instead:* {github(c.instead)}" if c.instead else ""
        lines.append(f"- {github(c.place)} ({c.kind}, `{c.id}`){github(source + told)}{instead}")
    return [f"**{title}**", "\n".join(lines)] if lines else []


def _formula(latex: str) -> str:
    shown = "\n".join(line.rstrip() for line in latex.splitlines() if line.strip())
    for command in (r"\mathds", r"\coloneqq", r"\eqqcolon"):
        shown = re.sub(re.escape(command) + "(?![a-zA-Z])", lambda found: _ON_GITHUB[found[0]], shown)
    return _fence(shown, "math")


def _fence(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```"


def github(text: str) -> str:
    """Prose escaped where Markdown would act on it; formulas spelled so that GitHub leaves them
    alone.
    """
    pieces = re.split("(`[^`]*`)", text)
    return "".join(piece if piece[:1] == "`" else _sentence(piece) for piece in pieces)


def _sentence(text: str) -> str:
    out, end = [], 0
    for found in FORMULA.finditer(text):
        formula = _COMMANDS.sub(lambda c: _ON_GITHUB[c[0]], found["inline"] or found["block"])
        out += [_escape(text[end : found.start()]), "$" + re.sub(r"\s+", " ", formula).strip() + "$"]
        end = found.end()
    return "".join([*out, _escape(text[end:])])


def _escape(prose: str) -> str:
    return re.sub(r"([*\\`]|<(?=[A-Za-z/!]))", r"\\\1", prose)


def paragraph(text: str) -> str:
    """Lines of at most `WIDTH`, broken neither inside a formula nor inside code."""
    kept = re.sub(
        r"\$[^$]*\$|`[^`]*`", lambda found: found[0].replace(" ", "\u2007").replace("-", "\u2011"), text
    )
    wrapped = textwrap.fill(kept, WIDTH, break_long_words=False, break_on_hyphens=False)
    return wrapped.replace("\u2007", " ").replace("\u2011", "-")
