"""Typesets LaTeX for a page: formulas as MathML that may break between terms, and sentences with
formulas between dollars.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from html import escape

from proofs_check.documents.latex.commands import parse
from proofs_check.documents.latex.items import Item, mo, row, width

__all__ = ["CSS", "FORMULA", "block", "formula", "glued", "inline", "marked", "words"]

#: A formula between dollars, single or double; ``\$`` is a dollar.
FORMULA = re.compile(r"(?<!\\)\$\$(?P<block>.+?)(?<!\\)\$\$|(?<!\\)\$(?P<inline>(?:\\.|[^$\\])+?)\$", re.DOTALL)
_BESIDE = re.compile(r"([(\[“]*)(<math\b(?:(?!</math>).)*</math>)([,.;:!?)\]”’]*)", re.DOTALL)
#: Width in ems of a table that still fits a page.
TABLE_WIDTH = 40.0
#: Width in ems from which on a line may break at a plus.
TERM_WIDTH = 16.0

#: Styles that the classes of `block` and the tables inside formulas need; sizes and colours are the
#: page's.
CSS = """
math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "Libertinus Math", "DejaVu Math TeX Gyre", math;
  text-indent: 0; }
.held { white-space: nowrap; }
.formula { display: block; overflow-x: auto; overflow-y: hidden; }
.formula .line { display: block; padding-left: 2em; text-indent: -2em; margin: .35rem 0; }
.formula .line.words { padding-left: 0; text-indent: 0; }
.formula .line.further { margin-left: 2em; }
mtable.aligned mtd { text-align: left; text-align: -webkit-left; padding-left: 0; padding-right: 0; }
mtable.aligned mtd:nth-child(2n+1) { text-align: right; text-align: -webkit-right; }
mtd.right { text-align: right; text-align: -webkit-right; }
mtd.left, mtable.cases mtd, mtable.gathered mtd { text-align: left; text-align: -webkit-left; }
"""


def formula(latex: str, *, display: bool = False) -> str:
    """A whole formula as one ``<math>`` element, words included, which no browser breaks into
    lines.

    Raises
    ------
    LatexError
        If the formula holds something unknown.

    Examples
    --------
    >>> formula("L^2")
    '<math><msup><mi>L</mi><mn>2</mn></msup></math>'
    """
    how = ' display="block"' if display else ""
    return f"<math{how}>{_row(parse(latex))}</math>"


def inline(latex: str) -> str:
    """A formula within a line, which may break before a relation.

    Raises
    ------
    LatexError
        If the formula holds something unknown.

    Examples
    --------
    >>> inline("L^2")
    '<math><msup><mi>L</mi><mn>2</mn></msup></math>'
    """
    return _pieces(parse(latex), display=False)


@cache
def block(latex: str, *, tag: str = "div") -> str:
    """A formula on lines of its own, which may break before relations, after commas and between
    words.

    Browsers do not break lines within ``<math>``; so a long formula is a sequence of short ones.

    Parameters
    ----------
    latex : str
        A formula, or an ``aligned`` environment: its lines become lines of the page unless they are
        aligned at a sign.
    tag : str
        ``"span"`` where a paragraph surrounds it.

    Returns
    -------
    str
        An element of class ``formula`` that carries the source in ``data-tex``; the page needs the
        styles `CSS`.

    Raises
    ------
    LatexError
        If the formula holds something unknown.

    Examples
    --------
    >>> block(r"a + b + c \\leq d").count("<math")
    2
    """
    items = parse(latex)
    inside = "".join(f'<{tag} class="{kind}">{line}</{tag}>' for kind, line in _lines(items))
    return f'<{tag} class="formula" data-tex="{escape(latex.strip())}">{inside}</{tag}>'


def _lines(items: Sequence[Item]) -> list[tuple[str, str]]:
    """The lines of a display, each with its class."""
    whole = [i for i in items if i.kind != "space"]
    stop = [i for i in whole[1:] if i.kind == "punct" or i.sign == "."]
    if not whole or not whole[0].cells or len(stop) < len(whole) - 1:
        return [_line(items, further=False)] if items else []
    rows = whole[0].cells
    aligned = any(len(r) > 2 or (len(r) == 2 and r[0]) for r in rows)
    worded = any(i.text.strip() for r in rows for c in r for i in c)
    if aligned and not worded and whole[0].width < TABLE_WIDTH:
        return [("line", f'<math displaystyle="true">{row([whole[0], *stop])}</math>')]
    joined = [[i for cell in r for i in cell] for r in rows]
    joined[-1] += stop
    return [_line(r, further=n > 0) for n, r in enumerate(joined) if r]


def _line(items: Sequence[Item], *, further: bool) -> tuple[str, str]:
    kind = " words" if items[0].text else " further" if further and items[0].kind in ("rel", "bin") else ""
    return f"line{kind}", _pieces(items, display=True)


def _pieces(items: Sequence[Item], *, display: bool) -> str:
    """Words as words, and formulas between them, cut where a line may end."""
    out: list[str] = []
    chunk: list[Item] = []
    style = ' displaystyle="true"' if display else ""

    def close() -> None:
        while chunk and chunk[-1].kind == "space":
            chunk.pop()
        if chunk:
            out.append(f"<math{style}>{_row(chunk)}</math>")
        chunk.clear()

    for n, item in enumerate(items):
        if item.text:
            close()
            out.append(escape(item.text.replace("\u00a0", " ")) if display or "\u00a0" not in item.text else escape(item.text))
            continue
        if item.breaks:
            close()
            out.append(f'<span class="gap" style="padding-right:{item.width:g}em"> </span>')
            continue
        starts_relation = item.kind == "rel" and item.sign and width(chunk) > (2.5 if display else 9)
        starts_term = item.kind == "bin" and width(chunk) > TERM_WIDTH and display
        if (starts_relation or starts_term) and n and n + 1 < len(items):
            close()
            out.append(" ")
            item = replace(item, kind="rel", xml=mo(item.sign, form="infix", lspace="0", rspace="0.278em", stretchy="false"))
        chunk.append(item)
        if item.kind == "punct" and width(chunk) > 6 and display:
            close()
            out.append(" ")
    close()
    return "".join(out)


def _row(items: Sequence[Item]) -> str:
    inside = row(items)
    # A row of its own is not needed right below <math>.
    return inside[6:-7] if inside.startswith("<mrow>") and _closes_at_end(inside) else inside


def _closes_at_end(xml: str) -> bool:
    depth = 0
    for found in re.finditer(r"<(/?)mrow>", xml):
        depth += -1 if found[1] else 1
        if depth == 0:
            return found.end() == len(xml)
    return False


def glued(html: str) -> str:
    """Punctuation held at the formula beside it: browsers may break a line at either end of
    ``<math>``.

    Examples
    --------
    >>> glued("(<math><mi>x</mi></math>), so")
    '<span class="held">(<math><mi>x</mi></math>),</span> so'
    """
    return _BESIDE.sub(lambda m: f'<span class="held">{m[0]}</span>' if m[1] or m[3] else m[0], html)


def marked(text: str) -> str:
    """What an engine covered, parted by semicolons, with the parts that it wrote in LaTeX between
    dollars.

    Examples
    --------
    >>> marked(r"two atoms; L \\in [1, 9]; at $a_{2}$ only")
    'two atoms; $L \\\\in [1, 9]$; at $a_{2}$ only'
    """
    return "; ".join(f"${p}$" if re.search(r"\\[a-zA-Z{]", p) and "$" not in p else p for p in text.split("; "))


def words(text: str) -> str:
    """Words with formulas between dollars, as HTML; what stands alone as ``<=`` or ``->`` becomes
    the sign.

    Raises
    ------
    LatexError
        If a formula holds something unknown.

    Examples
    --------
    >>> words("a <= b & $x$")
    'a ≤ b &amp; <math><mi>x</mi></math>'
    """
    out, end = [], 0
    for found in FORMULA.finditer(text):
        out += [
            _prose(text[end : found.start()]),
            inline(found["inline"]) if found["inline"] else block(found["block"], tag="span"),
        ]
        end = found.end()
    return glued("".join([*out, _prose(text[end:])]))


def _prose(text: str) -> str:
    for typed, sign in {" <= ": " ≤ ", " >= ": " ≥ ", " -> ": " → ", "\\$": "$"}.items():
        text = text.replace(typed, sign)
    return escape(text, quote=False)
