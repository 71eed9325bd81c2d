"""Writes the errata as a referee's list: a small LaTeX document that needs amsmath and amssymb only
and can be pasted into a report.
"""

from __future__ import annotations

import re
import unicodedata

from numerics.terminal.inputs import InputError
from proofs_check.reports.documents.errata.entries import Entry, Errata, Erratum
from proofs_check.reports.documents.errata.reading import SEVERITY
from proofs_check.reports.documents.latex import FORMULA

__all__ = ["as_latex", "prose"]

_HEAD = r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\sloppy
\begin{document}"""
#: Commands of other packages, in terms of these two.
_COMMANDS = {r"\mathds": r"\mathbb", r"\coloneqq": ":=", r"\eqqcolon": "=:"}
_SIGNS = {
    **{sign: f"\\{sign}" for sign in "&%#_{}$"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "“": "``", "”": "''", "‘": "`", "’": "'", "–": "--", "—": "---", "…": r"\dots{}",
}  # fmt: skip
#: What is no sign of a text font outside of formulas.
_MATHEMATICAL = {"<=": r"$\leq$", ">=": r"$\geq$", "->": r"$\to$", "<": "$<$", ">": "$>$", "|": "$|$"}
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0308": '"',
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}
_TOKEN = re.compile(r"<=|>=|->|.", re.DOTALL)
#: Stands for a formula or for code while the words around are read.
_KEPT = "\0"


def as_latex(errata: Errata) -> str:
    """The document as LaTeX, only ASCII; a character for which no command is known is an
    InputError.
    """
    main = [
        rf"\item \textbf{{{prose(r.title)}}}: {prose(r.told)}." + f" {prose(r.change)}".rstrip()
        for r in errata.headline
    ]
    parts = [
        _HEAD,
        rf"\section*{{Errata: {prose(errata.title)}}}",
        rf"\noindent {prose(errata.authors)}; {prose(errata.version)}. Made from {prose(errata.source)}.",
        r"\subsection*{Main results}",
        "\n".join([r"\begin{itemize}", *main, r"\end{itemize}"]) if main else "",
        rf"\noindent {prose(errata.losses)}",
        r"\subsection*{What is false as printed}",
        rf"\noindent {prose(errata.count)}",
        re.sub(r"\*([\w ]+)\*", r"\\emph{\1}", prose(SEVERITY)),
        "\n".join([r"\begin{enumerate}", *map(_item, errata.entries), r"\end{enumerate}"])
        if errata.entries
        else "",
        r"\end{document}",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _item(e: Entry) -> str:
    told = "\n\n".join(_error(error) for error in e.errors)
    also = rf" \emph{{The same error:}} {prose(', '.join(e.also))}." if e.also else ""
    return rf"\item \textbf{{{prose(e.place)}}} {told}{also}"


def _error(e: Erratum) -> str:
    values = ", ".join(rf"\texttt{{{escaped(f'{name} = {value}')}}}" for name, value in e.witness.items())
    return (
        rf"(\emph{{{prose(e.kind)}}}{prose(e.lost and f'; {e.lost}')}). {prose(e.why)}"
        f"\n\\emph{{True instead:}} {prose(e.instead)}\n\\emph{{Counterexample:}} {values}. {prose(e.others)}"
    )


def prose(text: str) -> str:
    """Words with formulas between dollars and code between backquotes, as LaTeX."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        formula = found["inline"] or found["block"] or ""
        kept.append(
            rf"\texttt{{{escaped(found['code'])}}}" if found["code"] is not None else f"${_known(formula)}$"
        )
        return _KEPT

    # What is kept may stand between quotes, and its own apostrophes are no quotes.
    held = re.sub(rf"`(?P<code>[^`]*)`|{FORMULA.pattern}", keep, text.replace(_KEPT, ""), flags=re.DOTALL)
    pieces = iter(kept)
    return re.sub(_KEPT, lambda _: next(pieces), escaped(_quoted(held), mathematics=True))


def _known(formula: str) -> str:
    known = re.sub(r"\\[a-zA-Z]+", lambda command: _COMMANDS.get(command[0], command[0]), formula)
    return " ".join(known.split())


def _quoted(text: str) -> str:
    return re.sub(r'"([^"]*)"', "“\\1”", re.sub(r"(?<!\w)'([^']*)'(?!\w)", "‘\\1’", text))


def escaped(text: str, *, mathematics: bool = False) -> str:
    """Text without formulas in which no character acts as a command, else an InputError. ``<`` and
    its like become formulas if asked for, which a typewriter font does not need.
    """
    signs, tokens = (
        ({**_SIGNS, **_MATHEMATICAL}, _TOKEN.findall(text)) if mathematics else (_SIGNS, list(text))
    )
    return "".join(signs.get(token) or _letter(token) for token in tokens)


def _letter(sign: str) -> str:
    if sign.isascii():
        return sign
    letter, accents = (found := unicodedata.normalize("NFD", sign))[0], found[1:]
    if not letter.isascii() or accents not in _ACCENTS:
        raise InputError(
            f"errata.tex has no command for {sign!r} ({unicodedata.name(sign, 'unnamed')}); write it "
            "between dollars"
        )
    return rf"\{_ACCENTS[accents]}{{{letter}}}"
