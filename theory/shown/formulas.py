"""Reads a formula written in LaTeX into a tree of MathML: the library latex2mathml reads it, and
this module mends what the library reads otherwise than TeX. Pages draw the tree, terminals spell it
out (`numerics.terminal.mathematics`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from functools import cache
from html import unescape
from itertools import accumulate
from xml.etree.ElementTree import Element

from latex2mathml.commands import MATRICES
from latex2mathml.converter import convert_to_element
from latex2mathml.symbols_parser import convert_symbol

__all__ = ["FORMULA", "PARTS", "LatexError", "in_alphabet", "marked", "tree"]

#: A formula between dollars, single or double; ``\$`` is a dollar.
FORMULA = re.compile(
    r"(?<!\\)\$\$(?P<block>.+?)(?<!\\)\$\$|(?<!\\)\$(?P<inline>(?:\\.|[^$\\])+?)\$", re.DOTALL
)
#: How many parts an element has: fewer mean that an argument is missing.
PARTS = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "mover", "munder"), 2),
    "msubsup": 3,
    "munderover": 3,
}

#: What latex2mathml does not know, or reads otherwise than TeX, and what it reads rightly.
_REWRITTEN: dict[str, str | Callable[[re.Match[str]], str]] = {
    r"\\(begin|end)\{(?:aligned|gathered)\}": r"\\\1{split}",
    r"\\mathrm\s*\{(tr|rank|diag|sign)\}": r"\\operatorname{\1}",
    r"\\mathrm\s*\{": r"{\\rm ",
    r"\\mathop\s*\{\\rm arg\\,min\}": r"\\argmin",
    r"\\(math[a-z]+)\s+(\w)": r"\\\1{\2}",
    r"\\sim(?![a-z])": r"\\thicksim",
    ":=": r"\\coloneqq ",
    "=:": r"\\eqqcolon ",
    # 2pt is a product, not a length; words and the arguments of \frac1d stay.
    r"(\\text\{[^}]*\}|\\[dt]?(?:frac|binom)\s*\d\s*[a-z])|(?<=\d)\s*(?=[a-z])": lambda found: (
        found[1] or "{}"
    ),
    r"(\\[bB]igg?[lrm]?)\s*(\\[|{}]|\\[a-zA-Z]+)": lambda found: found[1] + _sign(found[2]),
}
#: A formula neither defines commands nor brings markup of its own.
_REFUSED = re.compile(
    r"[%#$]|\\(?:unicode|href|style|class|def|newcommand|newenvironment|DeclareMathOperator)(?![a-zA-Z])"
)
#: Scripts, fractions and roots, whose braces hold formulas of their own.
_BRACES = re.compile(
    r"(?P<alone>[_^]|\\(?:(?P<fraction>[dt]?frac)|sqrt))\s*\{|\\[a-zA-Z]+|\\.|[{}]", re.DOTALL
)
#: A shorter part is read as fast as it is looked up; and the first of the signs that stand for
#: parts, which no font has.
_PART, _STANDS = 8, 0xF0000
_ALPHABETS = {"double-struck": "mathbb", "script": "mathcal", "bold": "mathbf", "fraktur": "mathfrak"}


class LatexError(ValueError):
    """The formula holds something that is not LaTeX, or that latex2mathml does not know."""


def _sign(command: str) -> str:
    """The Unicode sign of a command."""
    code = convert_symbol(command)
    if code is None:
        raise LatexError(f"{command} is no sign")
    return chr(int(code, 16))


def tree(latex: str, draw: Callable[[Element], None] | None = None) -> Element:
    """The formula as an ``<mrow>``; what the library does not know it would pass on as words, and
    here it is an error. ``draw`` changes an element whose parts it has changed before, and has to
    live as long as the process, since parts of formulas are remembered with what it did to them.
    """
    bare = re.sub(r"\\[^a-zA-Z]", "", latex)
    steps = [{"{": 1, "}": -1}[brace] for brace in re.findall("[{}]", bare)]
    if min(accumulate(steps), default=0) < 0 or sum(steps) != 0:
        raise LatexError("the braces do not match")
    for pattern, written in _REWRITTEN.items():
        latex = re.sub(pattern, written, latex)
    unknown = [name for name in re.findall(r"\\begin\s*\{(.*?)\}", latex) if f"\\{name}" not in MATRICES]
    unknown += _REFUSED.findall(bare)
    row, astray = _read(latex, draw)
    if unknown + astray:
        raise LatexError(
            f"{', '.join(unknown + astray)} is not known or not complete; mend it, or rewrite it in "
            f"{__name__}"
        )
    return row


def _read(latex: str, draw: Callable[[Element], None] | None) -> tuple[Element, list[str]]:
    """The row of a formula, and what in it is no formula. Its parts are read once each."""
    cut, parts = _cut(latex, draw)
    if parts:
        with suppress(Exception):  # whatever it is, the whole formula tells what
            row, astray = _row(cut, draw, parts)
            if not (astray or parts):
                return row, astray
    try:
        return _row(latex, draw, {})
    except Exception as error:
        # Where its input ends early, the library raises IndexError, StopIteration, ...
        raise LatexError(
            f"latex2mathml cannot read it ({type(error).__name__}); mend it, or rewrite it in {__name__}"
        ) from error


def _row(
    latex: str, draw: Callable[[Element], None] | None, parts: dict[str, Element]
) -> tuple[Element, list[str]]:
    """What `_read` returns, of a formula in which signs stand for `parts`. A part is put where its
    sign is a letter without a font, and taken out of `parts`.
    """
    row = convert_to_element(latex)[0]
    astray, elements, filled = [], list(row.iter()), set()
    for e in elements:
        if e.tag == "mtext":
            e.text = re.sub(r"\\([&%#_$ ,])", r"\1", e.text or "").replace("``", "“").replace("''", "”")
        if _is_astray(e):
            astray.append(e.text or e.tag)
        e.text = unescape(e.text or "")
    for e in elements:
        if parts and e.tag == "mrow" and len(e) == 1 and e[0].text in parts and not e[0].attrib:
            part = deepcopy(parts.pop(e[0].text))  # drawn already, unlike what it fills
            e.tag, e.attrib, e[:] = part.tag, e.attrib | part.attrib, part
            filled.add(e)
    if draw:
        for e in reversed(elements):
            if e not in filled:
                draw(e)
    return row, astray


def _cut(latex: str, draw: Callable[[Element], None] | None) -> tuple[str, dict[str, Element]]:
    """A formula with signs in place of its parts, which stand in braces, and what these are."""
    opened: list[tuple[int, str]] = []
    found: list[tuple[int, int]] = []
    second = -1
    for m in _BRACES.finditer(latex):
        if m[0][-1] == "{" and m[0] != r"\{":
            kind = "fraction" if m["fraction"] else "alone" if m["alone"] or m.start() == second else ""
            opened.append((m.end(), kind))
        elif m[0] == "}" and opened:
            start, kind = opened.pop()
            if kind == "fraction":
                second = m.end()
            if kind and m.start() - start > _PART:
                while found and found[-1][0] > start:
                    found.pop()
                found.append((start, m.start()))
    parts: dict[str, Element] = {}
    out, end = "", 0
    if r"\mit" in latex:  # whose letters have no font, so that a sign does not tell that numbers have one
        found = []
    for start, stop in found:
        part = _part(latex[start:stop], draw)
        if part is not None:
            sign = chr(_STANDS + len(parts))
            parts[sign] = part
            out, end = out + latex[end:start] + sign, stop
    return out + latex[end:], parts


@cache
def _part(latex: str, draw: Callable[[Element], None] | None) -> Element | None:
    """A part of a formula; none if something in it is unknown."""
    with suppress(LatexError):
        row, astray = _read(latex, draw)
        if not astray:
            return row
    return None


def _is_astray(e: Element) -> bool:
    """Whether the library made an element of something that is no formula."""
    text = e.text or ""
    command = "\\" in text or (e.tag == "mi" and text == "&") or "linebreak" in e.attrib
    no_relation = text == "&#x029F8;"  # of \not
    no_delimiter = "fence" in e.attrib and unescape(text).isalpha()
    return command or no_relation or no_delimiter or len(e) < PARTS.get(e.tag, 0)


def in_alphabet(e: Element) -> str:
    r"""The text of an element, as a letter of the alphabet that it asks for where Unicode has it:
    ℝ, 𝒩, 𝟏.

    >>> in_alphabet(tree(r"\mathcal{N}")[0])
    '𝒩'
    """
    style, text = e.get("mathvariant"), e.text or ""
    code = convert_symbol(f"\\{_ALPHABETS[style]}{{{text}}}") if style in _ALPHABETS else None
    return chr(int(code, 16)) if code else text


def marked(text: str) -> str:
    r"""What an engine covered, parted by semicolons, with the parts that it wrote in LaTeX between
    dollars.

    >>> marked(r"two atoms; L \in [1, 9]; at $a_{2}$ only")
    'two atoms; $L \\in [1, 9]$; at $a_{2}$ only'
    """
    return "; ".join(
        f"${p}$" if re.search(r"\\[a-zA-Z{]", p) and "$" not in p else p for p in text.split("; ")
    )
