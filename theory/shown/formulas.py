"""Reads a formula written in LaTeX into a tree of MathML: the library latex2mathml reads it, and
this module mends what the library reads otherwise than TeX. Pages draw the tree, terminals spell it
out (`numerics.terminal.mathematics`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from itertools import accumulate
from xml.etree.ElementTree import Element

from latex2mathml.commands import MATRICES
from latex2mathml.converter import convert_to_element
from latex2mathml.symbols_parser import convert_symbol

__all__ = ["FORMULA", "PARTS", "LatexError", "in_alphabet", "marked", "tree"]

#: A formula between dollars, single or double; ``\$`` is a dollar.
FORMULA = re.compile(r"(?<!\\)\$\$(?P<block>.+?)(?<!\\)\$\$|(?<!\\)\$(?P<inline>(?:\\.|[^$\\])+?)\$", re.DOTALL)
#: How many parts an element has: fewer mean that an argument is missing.
PARTS = {**dict.fromkeys(("mfrac", "mroot", "msub", "msup", "mover", "munder"), 2), "msubsup": 3, "munderover": 3}

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
    r"(\\text\{[^}]*\}|\\[dt]?(?:frac|binom)\s*\d\s*[a-z])|(?<=\d)\s*(?=[a-z])": lambda found: found[1] or "{}",
    r"(\\[bB]igg?[lrm]?)\s*(\\[|{}]|\\[a-zA-Z]+)": lambda found: found[1] + _sign(found[2]),
}
#: A formula neither defines commands nor brings markup of its own.
_REFUSED = re.compile(r"[%#$]|\\(?:unicode|href|style|class|def|newcommand|newenvironment|DeclareMathOperator)(?![a-zA-Z])")
_ALPHABETS = {"double-struck": "mathbb", "script": "mathcal", "bold": "mathbf", "fraktur": "mathfrak"}


class LatexError(ValueError):
    """The formula holds something that is not LaTeX, or that latex2mathml does not know."""


def _sign(command: str) -> str:
    """The Unicode sign of a command."""
    code = convert_symbol(command)
    if code is None:
        raise LatexError(f"{command} is no sign")
    return chr(int(code, 16))


def tree(latex: str) -> Element:
    """The formula as an ``<mrow>``. The library passes on much of what it does not know, as words;
    here that is an error.

    Raises
    ------
    LatexError
        If the formula holds something unknown.

    Examples
    --------
    >>> [(e.tag, e.text) for e in tree(r"L \\leq 2")]
    [('mi', 'L'), ('mo', '≤'), ('mn', '2')]
    """
    bare = re.sub(r"\\[^a-zA-Z]", "", latex)
    steps = [{"{": 1, "}": -1}[brace] for brace in re.findall("[{}]", bare)]
    if min(accumulate(steps), default=0) < 0 or sum(steps) != 0:
        raise LatexError("the braces do not match")
    for pattern, written in _REWRITTEN.items():
        latex = re.sub(pattern, written, latex)
    unknown = [name for name in re.findall(r"\\begin\s*\{(.*?)\}", latex) if f"\\{name}" not in MATRICES]
    unknown += _REFUSED.findall(bare)
    try:
        row = convert_to_element(latex)[0]
    except Exception as error:  # where its input ends early, the library raises whatever happens: IndexError, StopIteration, ...
        raise LatexError(f"latex2mathml cannot read it ({type(error).__name__}); mend it, or rewrite it in {__name__}") from error
    for e in row.iter():
        if e.tag == "mtext":
            e.text = re.sub(r"\\([&%#_$ ,])", r"\1", e.text or "").replace("``", "“").replace("''", "”")
        if _is_astray(e):
            unknown.append(e.text or e.tag)
        e.text = unescape(e.text or "")
    if unknown:
        raise LatexError(f"{', '.join(unknown)} is not known or not complete; mend it, or rewrite it in {__name__}")
    return row


def _is_astray(e: Element) -> bool:
    """Whether the library made an element of something that is no formula."""
    text = e.text or ""
    command = "\\" in text or (e.tag == "mi" and text == "&") or "linebreak" in e.attrib
    no_relation = text == "&#x029F8;"  # of \not
    no_delimiter = "fence" in e.attrib and unescape(text).isalpha()
    return command or no_relation or no_delimiter or len(e) < PARTS.get(e.tag, 0)


def in_alphabet(e: Element) -> str:
    """The text of an element, as a letter of the alphabet that it asks for where Unicode has it:
    ℝ, 𝒩, 𝟏.

    Examples
    --------
    >>> in_alphabet(tree(r"\\mathcal{N}")[0])
    '𝒩'
    """
    style, text = e.get("mathvariant"), e.text or ""
    code = convert_symbol(f"\\{_ALPHABETS[style]}{{{text}}}") if style in _ALPHABETS else None
    return chr(int(code, 16)) if code else text


def marked(text: str) -> str:
    """What an engine covered, parted by semicolons, with the parts that it wrote in LaTeX between
    dollars.

    Examples
    --------
    >>> marked(r"two atoms; L \\in [1, 9]; at $a_{2}$ only")
    'two atoms; $L \\\\in [1, 9]$; at $a_{2}$ only'
    """
    return "; ".join(f"${p}$" if re.search(r"\\[a-zA-Z{]", p) and "$" not in p else p for p in text.split("; "))
