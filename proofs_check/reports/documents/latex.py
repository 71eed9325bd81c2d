"""Turns the LaTeX of statements and proofs into MathML while a page is written: mends what browsers
draw badly in the tree that `theory.shown.formulas` reads, and cuts long lines.
"""

from __future__ import annotations

import re
from html import escape, unescape
from importlib.metadata import version
from xml.etree.ElementTree import Element, tostring

from latex2mathml.commands import DIACRITICS, FUNCTIONS

from proofs_check.reports.pages.kept import Kept
from theory.shown import formulas
from theory.shown.formulas import FORMULA, PARTS, LatexError, in_alphabet, marked, tree

__all__ = ["CSS", "FORMULA", "LatexError", "block", "glued", "inline", "kept", "marked", "words"]

#: What was typeset before.
kept = Kept(__file__, formulas.__file__, versions=version("latex2mathml"))

_BESIDE = re.compile(r"([(\[“]*)(<math\b(?:(?!</math>).)*</math>)([,.;:!?)\]”’]*)", re.DOTALL)

#: Styles that the classes of `block` and the tables inside formulas need; sizes and colours are the
#: page's.
CSS = """
math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "Libertinus Math",
  "DejaVu Math TeX Gyre", math; text-indent: 0; }
.held { white-space: nowrap; }
.formula { display: block; overflow-x: auto; overflow-y: hidden; }
.formula .line { display: block; padding-left: 2em; text-indent: -2em; margin: .35rem 0; }
.formula .line.words { padding-left: 0; text-indent: 0; }
.formula .line.further { margin-left: 2em; }
mtable[displaystyle] mtd, mstyle > mtable mtd { padding-left: 0; padding-right: 0; }
mtd[columnalign=left] { text-align: left; text-align: -webkit-left; }
mtd[columnalign=right] { text-align: right; text-align: -webkit-right; }
"""

_LIMITS = frozenset(
    ("max", "min", "sup", "inf", "lim", "det", "lim\u2006inf", "lim\u2006sup", "arg\u2009min", *"∑∏⋃⋂")
)
_FUNCTIONS = _LIMITS | {name[1:] for name in FUNCTIONS} | {"tr", "rank", "diag", "sign"}
_ACCENTS = frozenset(unescape(sign) for sign, _ in DIACRITICS.values()) - set("⏞⏟")
_RELATIONS = frozenset("=<>≤≥≠∼≃≈≡∝∈∉⊂⊆→←⇒⟹⇔⟺↦≔≪≫⪯⪰≺≻↓⟶∣≕")
_OPENING = frozenset("([{⟨⌊⌈")
_SIGNS, _LARGE, _UPRIGHT, _BARS = frozenset("+−"), frozenset("∑∏⋃⋂"), frozenset("∞⊤⊥∂∇∅†"), frozenset("|‖/.")
_BETWEEN = _RELATIONS | frozenset(":;")
_BEFORE_SIGNS = _BETWEEN | _OPENING | {","}
_BELOW = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
#: Spaces at which a line may end.
_WIDE = frozenset(("0.278em", "0.5em", "1em", "2em"))
#: Widths in characters: of a table that still fits a page, and of the part of a line after which it
#: may break before a relation and before a plus.
_TABLE, _RELATION, _TERM = 90, 4, 25


def _text(*elements: Element) -> str:
    return "".join(t for e in elements for t in e.itertext())


def _core(e: Element) -> Element:
    """What scripts stand at."""
    return _core(e[0]) if e.tag in PARTS and e.tag != "mfrac" else e


def _drawn(e: Element) -> None:
    """An element as browsers draw it well."""
    _draw(e)
    _space(e)


def _draw(e: Element) -> None:
    """Browsers know no alphabets but Unicode's, no lengths such as +0.8em, and no limits below an
    operator unless they are told.
    """
    text, letter = e.text or "", in_alphabet(e)
    if letter != text:
        e.text = letter
    elif text in _FUNCTIONS and e.tag in ("mi", "mo"):
        spaces = {} if text in _LARGE else {"lspace": "0", "rspace": "0.167em"}
        e.tag, e.attrib = "mo", {"movablelimits": str(text in _LIMITS).lower(), **spaces}
    elif (e.tag == "mo" and text in _UPRIGHT) or (e.tag == "mi" and "Α" <= text <= "Ω"):
        e.tag, e.attrib = "mi", {"mathvariant": "normal"}
    elif e.tag == "mi" and text in _BETWEEN:
        e.tag = "mo"
    elif e.tag == "mstyle":
        e.attrib.pop("scriptlevel", None)  # a small fraction in an exponent is as small as the exponent
    elif e.tag == "mpadded":
        e.tag, e.attrib = "mrow", {}  # the label of a long arrow
    elif e.tag in ("mover", "munderover") and e[0].tag == "mstyle" and (arrow := e[0].find("mo")) is not None:
        e[0] = arrow
        arrow.attrib = {"stretchy": "true", "minsize": "2em", "lspace": "0.278em", "rspace": "0.278em"}
    elif e.tag == "mover" and e[1].text in _ACCENTS:
        e.set("accent", "true")
    elif e.tag in _BELOW and _core(e[0]).text in _LIMITS:
        e.tag = _BELOW[e.tag]
    elif e.tag in ("msub", "msubsup") and e[0].tag == "mo" and e[0].text in {*"|‖)]"}:
        # TeX sets an index beside a bracket as beside a letter, a browser below the bracket.
        flat = Element("mpadded", depth="0")
        flat.append(e[0])
        e[0] = flat
    elif e.tag == "mo" and "minsize" in e.attrib:
        e.attrib |= {"stretchy": "true", "symmetric": "true", "lspace": "0", "rspace": "0"}
    elif e.tag in ("mi", "mo") and text in _BARS:
        e.attrib |= {"lspace": "0", "rspace": "0"}


def _is_upright(letter: Element) -> bool:
    return letter.get("mathvariant") == "normal" and (letter.text or "").isalpha()


def _space(parent: Element) -> None:
    """The spaces of TeX: a sign in front of a term is no binary operator, a function keeps a thin
    space from what is not in brackets, and upright letters in a row are one name.
    """
    last = Element("none")
    for child in list(parent):
        before, this = _core(last), _core(child)
        if (
            this.tag == "mo"
            and this.text in {"+", "−", "±"}
            and (before.tag == "none" or before.text in _BEFORE_SIGNS)
        ):
            this.attrib |= {"form": "prefix", "lspace": "0", "rspace": "0"}
        elif this.text in _FUNCTIONS and before.tag not in ("none", "mo"):
            this.set("lspace", "0.167em")
        if before.text in _FUNCTIONS and _text(child)[:1] in _OPENING:
            before.set("rspace", "0")
        if last.tag == child.tag == "mi" and _is_upright(last) and _is_upright(child):
            child.text = f"{last.text}{child.text}"
            parent.remove(last)
        last = child


@kept.remembered
def inline(latex: str) -> str:
    """A formula within a line, which may break before a relation; a LatexError if it holds
    something unknown.
    """
    return _pieces(list(tree(latex, _drawn)), display=False)


@kept.remembered
def block(latex: str, *, tag: str = "div") -> str:
    """A formula on lines of its own, in an element of class ``formula`` with the source in
    ``data-tex`` and the styles `CSS`; `tag` is ``"span"`` where a paragraph surrounds it.

    It may break before relations, after commas and between words; as browsers do not break within
    ``<math>``, it is a sequence of short ones. The lines of an ``aligned`` environment become lines
    of the page unless they are aligned at a sign. What is unknown is a LatexError.
    """
    inside = ""
    for line in filter(None, _lines(list(tree(latex, _drawn)))):
        kind = (
            " words"
            if line[0].tag == "mtext"
            else " further"
            if inside and line[0].text in _RELATIONS | _SIGNS
            else ""
        )
        inside += f'<{tag} class="line{kind}">{_pieces(line, display=True)}</{tag}>'
    return f'<{tag} class="formula" data-tex="{escape(latex.strip())}">{inside}</{tag}>'


def _lines(row: list[Element]) -> list[list[Element]]:
    """The lines of a display: an aligned table is one if it has no words and fits a page."""
    if (
        not row
        or row[0].find("mtr") is None
        or "displaystyle" not in row[0].attrib
        or len(_text(*row[1:]).strip()) > 1
    ):
        return [row]
    aligned = any(len(line) > 1 and _text(line[0]) for line in row[0])
    if (
        aligned
        and row[0].find("./mtr/mtd/mtext") is None
        and max(len(_text(line)) for line in row[0]) < _TABLE
    ):
        return [row]
    lines = [[e for cell in line for e in cell if len(e) or e.text or e.attrib] for line in row[0]]
    return [*lines[:-1], lines[-1] + row[1:]]


def _pieces(row: list[Element], *, display: bool) -> str:
    """Words as words, and between them formulas that are cut where a line may end."""
    out: list[str] = []
    chunk: list[Element] = []
    style = {"displaystyle": "true"} if display else {}
    wide = 0

    def close(after: str) -> None:
        nonlocal wide
        if chunk:
            math = Element("math", style)
            math.extend(chunk)
            out.append(tostring(math, encoding="unicode"))
        out.append(after)
        chunk.clear()
        wide = 0

    for e in row:
        sign = e.text if e.tag == "mo" else ""
        if e.tag == "mtext":
            close(escape((e.text or "").replace("\u00a0", " ")))
        elif e.tag == "mspace" and e.get("width") in _WIDE:
            close(f'<span class="gap" style="padding-right:{e.get("width")}"> </span>')
        else:
            if (sign in _RELATIONS and wide > (1 if display else 3) * _RELATION) or (
                sign in _SIGNS and display and wide > _TERM
            ):
                close(" ")
                e.attrib |= {"form": "infix", "lspace": "0", "rspace": "0.278em"}
            chunk.append(e)
            if sign == "," and display and wide > 2 * _RELATION:
                close(" ")
            else:
                wide += len(_text(e))
    close("")
    return "".join(out)


def glued(html: str) -> str:
    """Punctuation held at the formula beside it: browsers may break a line at either end of
    ``<math>``.

    >>> glued("(<math><mi>x</mi></math>), so")
    '<span class="held">(<math><mi>x</mi></math>),</span> so'
    """
    return _BESIDE.sub(lambda m: f'<span class="held">{m[0]}</span>' if m[1] or m[3] else m[0], html)


def words(text: str) -> str:
    """Words with formulas between dollars, as HTML; what stands alone as ``<=`` or ``->`` becomes
    the sign. A LatexError says that a formula holds something unknown.
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
