"""Writes the errata in Markdown that reads well as plain text and on GitHub."""

from __future__ import annotations

import re
import textwrap

from proofs_check.documents.errata.content import HOW_TO_READ, Errata, Erratum
from proofs_check.documents.latex import FORMULA

__all__ = ["as_markdown", "github", "paragraph"]

WIDTH = 112
#: GitHub resolves a backslash before punctuation before it looks for formulas, and knows fewer
#: commands than LaTeX packages define.
_ON_GITHUB = {
    r"\|": r"\Vert ", r"\{": r"\lbrace ", r"\}": r"\rbrace ", r"\,": " ", r"\;": " ", r"\!": "", r"\:": " ", r"\mathds": r"\mathbb",
    r"\coloneqq": ":=", r"\eqqcolon": "=:", r"\phantom{}": "{}",
}  # fmt: skip
_COMMANDS = re.compile("|".join(re.escape(c) + ("(?![a-zA-Z])" if c[-1].isalpha() else "") for c in _ON_GITHUB))


def as_markdown(errata: Errata) -> str:
    """The document as text.

    Parameters
    ----------
    errata : Errata

    Returns
    -------
    str
    """
    how = [paragraph(re.sub(r"\$[^$]*\$", lambda formula: github(formula[0]), p)) for p in HOW_TO_READ]
    parts = [
        f"# Errata: {errata.title}",
        paragraph(f"{errata.authors}; {errata.version}. As printed there: {errata.counts}. ({errata.source})"),
        "## How to read this",
        *how,
        "## The list",
        _table(errata),
        *(part for i, e in enumerate(errata.entries, 1) for part in _entry(i, e)),
    ]
    return "\n\n".join(parts) + "\n"


def _table(errata: Errata) -> str:
    lines = [
        (str(i), _kind(e), github(e.place).replace("|", r"\|"), f"`{e.id}`", f"`{e.follows}`" if e.follows else "")
        for i, e in enumerate(errata.entries, 1)
    ]
    head = ("", "severity", "place", "id", "follows")
    widths = [max(len(row[k]) for row in (head, *lines)) for k in range(5)]
    shown = [" | ".join(cell.ljust(w) for cell, w in zip(row, widths)) for row in (head, *lines)]
    return "\n".join(f"| {line} |" for line in [shown[0], " | ".join("-" * w for w in widths), *shown[1:]])


def _kind(e: Erratum) -> str:
    """The severity of an entry, an edge with its degenerate points."""
    return f"{e.severity}: {e.at}" if e.at else e.severity


def _entry(i: int, e: Erratum) -> list[str]:
    values = ", ".join(f"`{k} = {v}`" for k, v in e.witness.items())
    out = [
        f"### {i}. {github(e.place)} ({_kind(e)}, `{e.id}`)",
        "**Printed.**",
        _formula(e.printed),
        "Read as: " + github(e.read),
        "**Why it fails.** " + github(f"{e.why} {e.details}".strip()),
        f"**What it costs.** Mended, the error costs {e.costs}." + (f" It follows from `{e.follows}`." if e.follows else ""),
        "**What was checked.** " + github(e.checked),
        f"**Smallest counterexample.** {values}. {e.evidence}",
    ]
    if e.script:
        out += [_fence(e.script, "python"), "It prints", _fence(e.output, "text")]
    out.append("**True instead.** " + github(e.instead))
    if e.truth:
        out.append(github(e.truth))
    out += [github(e.repair), "**What survives.** " + github(e.survives)]
    if e.users:
        out.append("\n".join(f"- {github(u)}" for u in e.users))
    return [part if part.startswith(("#", "```", "- ")) else paragraph(part) for part in out]


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
    kept = re.sub(r"\$[^$]*\$|`[^`]*`", lambda found: found[0].replace(" ", "\u2007").replace("-", "\u2011"), text)
    wrapped = textwrap.fill(kept, WIDTH, break_long_words=False, break_on_hyphens=False)
    return wrapped.replace("\u2007", " ").replace("\u2011", "-")
