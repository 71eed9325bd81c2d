"""What each LaTeX command and environment becomes in MathML. A command that is not listed here is
an error: it never appears as a word in the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape

from proofs_check.documents.latex.items import EMPTY, Item, mo, row, sized, width
from proofs_check.documents.latex.reader import LatexError, Reader
from proofs_check.documents.latex.symbols import (
    ACCENTS,
    BINARY,
    DELIMITERS,
    FUNCTIONS,
    LARGE,
    LIMITS,
    ORDINARY,
    RELATIONS,
    SIZES,
    SPACES,
)

__all__ = ["parse"]

_FONTS = {
    **{"mathbb": "bb", "mathds": "bb", "mathbbm": "bb", "mathcal": "cal", "mathscr": "cal", "mathfrak": "frak", "mathsf": "sf"},
    **{"mathbf": "bf", "boldsymbol": "bf", "bm": "bf", "mathrm": "rm", "operatorname": "rm", "mathit": "it", "mathnormal": "it"},
}
_MATRICES = {
    **{"matrix": ("", ""), "smallmatrix": ("", ""), "array": ("", ""), "cases": ("{", "")},
    **{"pmatrix": ("(", ")"), "bmatrix": ("[", "]"), "Bmatrix": ("{", "}"), "vmatrix": ("|", "|"), "Vmatrix": ("‖", "‖")},
}
_ALIGNED = ("aligned", "align", "align*", "split", "gathered", "gather", "gather*", "eqnarray", "eqnarray*")
_IGNORED = frozenset(("displaystyle", "textstyle", "scriptstyle", "nonumber", "notag", "allowbreak", "nobreak", "relax"))
_TEXTS = frozenset(("text", "textrm", "textnormal", "textit", "textbf", "mbox", "hbox", "texttt", "emph"))
_WRITTEN = {"\\&": "&", "\\%": "%", "\\#": "#", "\\_": "_", "\\,": "\u2009", "``": "“", "''": "”", "--": "–"}


def parse(latex: str) -> list[Item]:
    """Read a formula.

    Parameters
    ----------
    latex : str
        Without dollars.

    Returns
    -------
    list of Item

    Raises
    ------
    LatexError
        If a command is not known, or braces, delimiters or environments do not match.

    Examples
    --------
    >>> [item.kind for item in parse(r"L \\leq 2")]
    ['ord', 'rel', 'ord']
    """
    reader = _Formula(latex)
    items = reader.items(frozenset())
    if reader.next():
        raise reader.error(f"{reader.next()} closes nothing")
    return items


class _Formula(Reader):
    def command(self, name: str) -> Item | None:
        if name in ORDINARY:
            upright = ' mathvariant="normal"' if name[0].isupper() or name in ("infty", "nabla", "partial", "ell") else ""
            sign = ORDINARY[name]
            if sign.isalpha() or name in ("infty", "nabla", "partial"):
                return Item("ord", f"<mi{upright}>{sign}</mi>", 0.6)
            return Item("ord", mo(sign, lspace="0", rspace="0") if name != "forall" else mo(sign, lspace="0", rspace="0.1em"), 0.6)
        if name in RELATIONS:
            long = 2.0 if name.startswith(("Long", "long", "implies", "iff")) else 1.3
            return Item("rel", mo(RELATIONS[name], stretchy="false"), long, sign=RELATIONS[name])
        if name in BINARY:
            return Item("bin", mo(BINARY[name], form="infix"), 1.2, sign=BINARY[name])
        if name in LARGE:
            limits = "int" not in name
            grown = {"movablelimits": "true"} if limits else {}
            return Item("big", mo(LARGE[name], largeop="true", **grown, lspace="0.1em", rspace="0.1em"), 1.3, limits=limits)
        if name in FUNCTIONS:
            return Item("op", f"<mi>{name}</mi>", 0.5 * len(name))
        if name in LIMITS:
            return Item("op", mo(LIMITS[name], movablelimits="true", lspace="0", rspace="0"), 0.5 * len(name), limits=True)
        if name in SPACES:
            return self.space(name)
        if name in _IGNORED:
            return None
        if name in _TEXTS:
            return self.text()
        if name.rstrip("*") in _FONTS:
            return self.styled(name)
        if name in ACCENTS:
            inside = self.group()
            wide = "true" if name in ("overline", "widehat", "widetilde") else "false"
            return Item("ord", f'<mover accent="true">{row(inside)}{mo(ACCENTS[name], stretchy=wide)}</mover>', width(inside))
        if name == "\\":
            raise self.error("a line break outside an aligned block")
        if "\\" + name in DELIMITERS or name in DELIMITERS:
            return self.delimiter(name)
        stem = name[:-1] if name[-1] in "lrm" and name[:-1] in SIZES else name
        if stem in SIZES:
            return self.big(SIZES[stem], name[len(stem) :])
        made: Callable[[], Item | None] | None = getattr(self, f"make_{name}", None)
        if made is None:
            raise self.error(f"\\{name} is not known; add it to proofs_check/latex")
        return made()

    def text(self) -> Item:
        """Words, perhaps with formulas between dollars inside."""
        raw = self.raw().replace("\\ ", " ").replace("~", "\u00a0")
        pieces = re.split(r"(?<!\\)\$", raw)
        if len(pieces) == 1:
            return self.word(_plain(raw))
        found = [self.word(_plain(p)) if i % 2 == 0 else Item("ord", row(parse(p))) for i, p in enumerate(pieces) if p]
        return Item("ord", row(found), width(found))

    def styled(self, name: str) -> Item:
        found = self.group(_FONTS[name.rstrip("*")])
        named = name.startswith("operatorname")
        limits = name.endswith("*")
        if limits:
            return Item("op", f"<mrow>{row(found)}</mrow>", width(found), limits=True)
        if len(found) == 1:
            return Item("op", found[0].xml, found[0].width) if named else found[0]
        return Item("op" if named else "ord", row(found), width(found))

    def delimiter(self, name: str) -> Item:
        sign = DELIMITERS.get("\\" + name, DELIMITERS.get(name, ""))
        if sign in "|‖":
            return Item("ord", mo(sign, form="infix", stretchy="false", lspace="0", rspace="0"), 0.45)
        opens = sign in "⟨{⌊⌈["
        kind, form = ("open", "prefix") if opens else ("close", "postfix")
        return Item(kind, mo(sign, form=form, stretchy="false"), 0.45)

    def fence(self) -> str:
        token = self.take()
        name = token if token in DELIMITERS else token[1:]
        if name not in DELIMITERS:
            raise self.error(f"{token or 'nothing'} is no delimiter")
        return DELIMITERS[name]

    def big(self, size: str, side: str) -> Item:
        sign = self.fence()
        kind = {"l": "open", "r": "close"}.get(side) or ("open" if sign in "([{⟨⌊⌈" else "close" if sign in ")]}⟩⌋⌉" else "ord")
        return Item(kind, sized(sign, size, "prefix" if kind == "open" else "postfix"), 0.6, sign=f"sized {sign}")

    def make_left(self) -> Item:
        opening = self.fence()
        inside: list[Item] = []
        font, self.font = self.font, ""
        while True:
            inside += self.items(frozenset({"\\middle"}))
            if self.next() != "\\middle":
                break
            self.at += 1
            inside.append(Item("rel", mo(self.fence(), stretchy="true"), 0.6))
        self.expect("\\right")
        self.font = font
        closing = self.fence()
        ends = [
            mo(s, form=f, stretchy="true", lspace="0", rspace="0") if s else ""
            for s, f in ((opening, "prefix"), (closing, "postfix"))
        ]
        return Item("inner", f"<mrow>{ends[0]}{row(inside)}{ends[1]}</mrow>", width(inside) + 0.9)

    def make_frac(self, style: str = "") -> Item:
        over, under = self.group(), self.group()
        xml = f"<mfrac>{row(over)}{row(under)}</mfrac>"
        if style:
            xml = f'<mstyle displaystyle="{style}">{xml}</mstyle>'
        return Item("ord", xml, max(width(over), width(under)) * (0.72 if style == "false" else 1) + 0.2)

    def make_tfrac(self) -> Item:
        return self.make_frac("false")

    def make_dfrac(self) -> Item:
        return self.make_frac("true")

    def make_binom(self) -> Item:
        over, under = self.group(), self.group()
        fraction = f'<mfrac linethickness="0">{row(over)}{row(under)}</mfrac>'
        xml = f"<mrow>{mo('(', form='prefix')}{fraction}{mo(')', form='postfix')}</mrow>"
        return Item("inner", xml, max(width(over), width(under)) + 0.8)

    def make_sqrt(self) -> Item:
        index, inside = self.optional(), self.group()
        xml = f"<msqrt>{row(inside)}</msqrt>" if index is None else f"<mroot>{row(inside)}{row(index)}</mroot>"
        return Item("ord", xml, width(inside) + 0.9)

    def _brace(self, tag: str, sign: str) -> Item:
        inside = self.group()
        return Item("ord", f"<{tag}>{row(inside)}{mo(sign, stretchy='true')}</{tag}>", width(inside), limits=True)

    def make_underbrace(self) -> Item:
        return self._brace("munder", "⏟")

    def make_overbrace(self) -> Item:
        return self._brace("mover", "⏞")

    def make_underline(self) -> Item:
        return self._brace("munder", "_")

    def _stack(self, tag: str) -> Item:
        mark, base = self.group(), self.group()
        kind = base[0].kind if len(base) == 1 else "ord"
        return Item(kind, f"<{tag}>{row(base)}{row(mark)}</{tag}>", max(width(base), 0.72 * width(mark)))

    def make_underset(self) -> Item:
        return self._stack("munder")

    def make_overset(self) -> Item:
        return self._stack("mover")

    make_stackrel = make_overset

    def make_mathop(self) -> Item:
        inside = self.group()
        return Item("op", row(inside, always=True), width(inside), limits=True)

    def make_mathrel(self) -> Item:
        inside = self.group()
        return Item("rel", row(inside), width(inside) + 0.6)

    def make_xrightarrow(self, sign: str = "→") -> Item:
        below, above = self.optional(), self.group()
        pad = lambda part: f'<mrow><mspace width="0.4em"></mspace>{row(part)}<mspace width="0.5em"></mspace></mrow>'
        arrow = mo(sign, stretchy="true", minsize="1.6em", lspace="0", rspace="0")
        inside = (
            f"<mover>{arrow}{pad(above)}</mover>" if below is None else f"<munderover>{arrow}{pad(below)}{pad(above)}</munderover>"
        )
        gap = '<mspace width="0.278em"></mspace>'
        return Item("rel", f"<mrow>{gap}{inside}{gap}</mrow>", 1.5 + 0.72 * max(width(below or ()), width(above)))

    def make_xleftarrow(self) -> Item:
        return self.make_xrightarrow("←")

    def make_not(self) -> Item:
        item = self.atom(many=False)
        if item is None or not item.sign:
            raise self.error("\\not stands before no relation")
        return Item("rel", mo(item.sign + "\u0338"), 1.3)

    def make_substack(self) -> Item:
        self.expect("{")
        rows = self.cells()
        self.expect("}")
        return Item("ord", _table(rows, "gathered"), max((width(c) for line in rows for c in line), default=0.0))

    def make_phantom(self) -> Item:
        inside = self.group()
        return Item("ord", f"<mphantom>{row(inside)}</mphantom>", width(inside))

    def make_tag(self) -> Item:
        return self.word(f"\u2003({self.raw()})")

    def make_hspace(self) -> Item:
        return Item("space", f'<mspace width="{escape(self.raw())}"></mspace>', 1.0)

    def make_pmod(self) -> Item:
        inside = self.group()
        return Item(
            "ord",
            f"<mrow>{mo('(', form='prefix')}<mtext>mod\u00a0</mtext>{row(inside)}{mo(')', form='postfix')}</mrow>",
            3 + width(inside),
        )

    # ------------------------------------------------------------ environments

    def cells(self) -> list[list[list[Item]]]:
        rows: list[list[list[Item]]] = [[]]
        while True:
            rows[-1].append(self.items(frozenset({"&", "\\\\"})))
            token = self.next()
            if token not in ("&", "\\\\"):
                break
            self.at += 1
            if token == "\\\\":
                if self.next() == "[":
                    self.optional()
                rows.append([])
        return rows if any(c for c in rows[-1]) or len(rows) == 1 else rows[:-1]

    def make_begin(self) -> Item:
        name = self.raw()
        if name not in _MATRICES and name not in _ALIGNED:
            raise self.error(f"the environment {name} is not known")
        sides = [c for c in self.raw() if c in "lcr"] if name == "array" else []
        font, self.font = self.font, ""
        rows = self.cells()
        self.font = font
        self.expect("\\end")
        if self.raw() != name:
            raise self.error(f"{name} is closed by another environment")
        columns = max(len(line) for line in rows)
        wide = sum(max((width(line[c]) for line in rows if c < len(line)), default=0.0) + 0.8 for c in range(columns))
        if name in _ALIGNED:
            return Item(
                "ord",
                _table(rows, "gathered" if name.startswith("gather") else "aligned"),
                wide,
                cells=tuple(tuple(map(tuple, r)) for r in rows),
            )
        left, right = _MATRICES[name]
        table = _table(rows, "cases" if name == "cases" else "matrix", sides)
        ends = [mo(s, form=f, stretchy="true") if s else "" for s, f in ((left, "prefix"), (right, "postfix"))]
        return Item("inner", f"<mrow>{ends[0]}{table}{ends[1]}</mrow>", wide + 1)


def _table(rows: Sequence[Sequence[Sequence[Item]]], kind: str, sides: Sequence[str] = ()) -> str:
    def cell(items: Sequence[Item], column: int) -> str:
        side = {"l": ' class="left"', "r": ' class="right"'}.get(sides[column] if column < len(sides) else "", "")
        # A sign at the edge of an aligned column stands between two terms.
        return f"<mtd{side}>{row([EMPTY, *items] if kind == 'aligned' and column % 2 else items)}</mtd>"

    style = ' displaystyle="true"' if kind in ("aligned", "gathered") else ""
    lines = ["".join(cell(items, column) for column, items in enumerate(line)) for line in rows]
    return f'<mtable class="{kind}"{style}>{"".join(f"<mtr>{line}</mtr>" for line in lines)}</mtable>'


def _plain(raw: str) -> str:
    for written, meant in _WRITTEN.items():
        raw = raw.replace(written, meant)
    if "\\" in raw:
        raise LatexError(f"words hold a command: {raw!r}")
    return raw.replace("{", "").replace("}", "")
