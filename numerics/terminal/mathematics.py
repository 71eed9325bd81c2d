"""Spells formulas out in Unicode for a terminal: ``$\\frac{L}{8}e^{-2a^2}$`` becomes
``(L/8)e^(−2a²)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate
from xml.etree.ElementTree import Element

from numerics.terminal.pieces import KINDS, Piece, is_one, is_product, script, written
from theory.shown.formulas import FORMULA, PARTS, LatexError, in_alphabet, tree

__all__ = ["as_unicode", "formula_as_unicode"]

#: Accents as marks that Unicode sets above the letter before them.
_ACCENTS = {
    "^": "\u0302",
    "~": "\u0303",
    "¯": "\u0304",
    "―": "\u0305",
    "‾": "\u0305",
    "˙": "\u0307",
    "¨": "\u0308",
    "→": "\u20d7",
}
_BRACES = ("⏞", "⏟")
_SPELLED = {
    "≔": ":=",
    "≕": "=:",
    "∣": "|",
    "∼": "~",
    "⋅": "·",
    "ϵ": "ε",
    "ϕ": "φ",
    "-": "−",
    "⟶": "→",
    "\\|": "‖",
    "\u2061": "",
}


def as_unicode(text: str) -> str:
    r"""Prose with the formulas between its dollars, single or double, spelled out; ``\$`` is a
    dollar. A formula that is no LaTeX stays as it was written, dollars included.
    """
    out, end = [], 0
    for found in FORMULA.finditer(text):
        out.append(text[end : found.start()].replace("\\$", "$"))
        try:
            out.append(formula_as_unicode(found["inline"] or found["block"]))
        except LatexError:
            out.append(found[0])
        end = found.end()
    return "".join([*out, text[end:].replace("\\$", "$") if "$" in text else text[end:]])


@cache
def formula_as_unicode(latex: str) -> str:
    """A formula, without dollars, spelled out; a line for each line of an ``aligned`` environment.
    LatexError if it holds something unknown.
    """
    lines = _line(list(tree(latex))).split("\n")
    return "\n".join(line for given in lines if (line := re.sub(r"\s+", " ", given).strip()))


def _line(elements: Iterable[Element], *, tight: bool = False) -> str:
    """Elements beside one another; a script is written tightly, with no spaces around signs."""
    return written(_pieces(elements), tight)


def _held(elements: Iterable[Element], *, above: bool = False, below: bool = False) -> str:
    """Elements, in parentheses unless they are one thing; above the line of a fraction a product
    does as well.
    """
    pieces = _pieces(elements)
    text = written(pieces)
    return text if is_one(pieces, divides=above or below) or (above and is_product(pieces)) else f"({text})"


def _radicand(elements: Iterable[Element]) -> str:
    """What stands under a root: as `_held`, and in parentheses with a power or an index of a sum,
    which might be taken for those of the root.
    """
    text = _held(elements)
    closed = [depth for depth in accumulate((c == "(") - (c == ")") for c in text) if depth == 0]
    whole = text[:1] == "(" and len(closed) == 1
    return (
        text if whole or re.fullmatch(r"[^\W²³¹⁰⁴-₿ʰ-˿ᴀ-ᶿ]+[₀-₎ₐ-ₜᵢ-ᵪ\u0300-\u036f]*", text) else f"({text})"
    )


def _pieces(elements: Iterable[Element]) -> list[Piece]:
    """The pieces of a row: groups are opened, upright letters joined to names, and a sign in front
    of a term told from one between two, as is a bar that opens from one that closes.
    """
    out: list[Piece] = []
    name, bars = "", ""
    for e in _opened(elements):
        core = _core(e)
        upright = core.tag == "mi" and core.get("mathvariant") == "normal" and (core.text or "").isalpha()
        if upright and e is core:
            name += core.text or ""
            continue
        if upright:
            made = [Piece(_scripted(e, name + (core.text or "")), "word" if name else "atom")]
        else:
            made = _made(e)
            if name:
                out.append(Piece(name, "word" if len(name) > 1 else "atom"))
        name = ""
        for piece in made:
            last = next((p for p in reversed(out) if p.kind != "gap"), Piece("", "words"))
            if piece.kind == "sign" and last.kind not in ("atom", "closing", "fraction"):
                piece = Piece(piece.text, "prefix")
            elif piece.kind == "bar" and (len(piece.text) > 1 or piece.text in bars):
                bars, piece = bars.replace(piece.text[0], ""), Piece(piece.text, "closing")
            elif piece.kind == "bar":
                bars += piece.text
            out.append(piece)
    return [*out, Piece(name, "word" if len(name) > 1 else "atom")] if name else out


def _opened(elements: Iterable[Element]) -> Iterator[Element]:
    for e in elements:
        if e.tag in ("mrow", "mstyle", "mpadded"):
            yield from _opened(e)
        else:
            yield e


def _core(e: Element) -> Element:
    """What scripts stand at."""
    inner = len(e) == 1 and e.tag in ("mrow", "mstyle")
    return _core(e[0]) if inner or (e.tag in PARTS and e.tag not in ("mfrac", "mroot")) else e


def _made(e: Element) -> list[Piece]:
    """The pieces of an element that is no group."""
    if e.tag == "mspace":
        width = e.get("width", "")
        return (
            []
            if not width or width.startswith("negative")
            else [Piece(" ", "words" if width in ("1em", "2em") else "gap")]
        )
    if e.tag == "mtext":
        text = (e.text or "").replace("\u00a0", " ")
        return [Piece(text, "words" if text.strip() else "gap")]
    if e.tag == "mtable":
        return [Piece(_table(e))]
    if e.tag == "mfrac":
        if e.get("linethickness") == "0":
            return [Piece(f"{_line([e[0]])} over {_line([e[1]])}")]
        return [Piece(f"{_held([e[0]], above=True)}/{_held([e[1]], below=True)}", "fraction")]
    if e.tag == "msqrt":
        return [Piece("√" + _radicand(e))]
    if e.tag == "mroot":
        return [Piece(script(_line([e[1]], tight=True), "^") + "√" + _radicand([e[0]]))]
    if e.tag in PARTS:
        base = _pieces([_core(e)])
        kind = base[0].kind if len(base) == 1 else "atom"
        return [
            Piece(_scripted(e), {"prefix": "sign", "fraction": "atom", "opening": "atom"}.get(kind, kind))
        ]
    text = re.sub("[\u2006\u2009]", " ", in_alphabet(e))
    text = _SPELLED.get(text, text)
    is_name = len(text) > 1 and text.replace(" ", "").isalpha()
    return [Piece(text, KINDS.get(text, "word" if is_name else "atom"))] if text else []


def _scripted(e: Element, name: str = "") -> str:
    """An element with its scripts and accents; `name` is what they stand at, if not the element's
    own text.
    """
    if e.tag not in PARTS or e.tag in ("mfrac", "mroot"):
        return name or _held([e])
    base, scripts = e[0], list(e)[1:]
    if e.tag in ("mover", "munder") and (scripts[0].text or "").strip() in (*_ACCENTS, *_BRACES):
        mark = _ACCENTS.get((scripts[0].text or "").strip())
        return "".join(letter + mark for letter in name or _line([base])) if mark else _scripted(base, name)
    text = _scripted(base, name)
    if base.tag in ("munder", "mover") and (base[1].text or "").strip() in _BRACES:
        return f"{text} [{_line(scripts)}]"
    marks = {"msub": "_", "munder": "_", "msup": "^", "mover": "^"}.get(e.tag, "_^")
    return text + "".join(script(_line([s], tight=True), mark) for s, mark in zip(scripts, marks))


def _table(e: Element) -> str:
    """An aligned display as lines; a matrix with commas between entries, semicolons between
    rows.
    """
    rows = [[list(cell) for cell in row] for row in e]
    if "displaystyle" in e.attrib:
        return "\n".join(_line([part for cell in row for part in cell]) for row in rows)
    cells = [[_pieces(cell) for cell in row] for row in rows]
    aligned = any(cell and cell[0].kind in ("relation", "words") for row in cells for cell in row)
    lines = [
        written([p for cell in row for p in (*cell, Piece(" ", "gap"))])
        if aligned
        else ", ".join(map(written, row))
        for row in cells
    ]
    return ("; " if max(map(len, rows)) > 1 else ", ").join(lines)
