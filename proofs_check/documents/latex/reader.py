"""Reads the tokens, lists, scripts and letters of a formula. What a command means is left to
`proofs_check.documents.latex.commands`.
"""

from __future__ import annotations

import re
from html import escape

from proofs_check.documents.latex.items import EMPTY, Item, mo, row, script, width
from proofs_check.documents.latex.symbols import BINARY, RELATIONS, SPACES, alphabet

__all__ = ["LatexError", "Reader"]

_TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|\s+|.", re.DOTALL)
_SWITCHES = {"rm": "rm", "bf": "bf", "it": "it", "sf": "sf", "cal": "cal"}
#: Upright names that act on what follows; other upright words are variables.
_NAMES = frozenset(
    ("tr", "Tr", "rank", "Cov", "Var", "diag", "Diag", "vec", "sign", "sgn", "argmin", "argmax", "Conv", "conv", "span", "supp")
) | frozenset(("Law", "KL", "erf", "erfc", "erfi", "id", "Lip", "dist", "Im", "Re"))


class LatexError(ValueError):
    """The formula holds something that this reader does not know."""


class Reader:
    """A position in the tokens of a formula, and the font in force there."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens = _TOKEN.findall(latex)
        self.at = 0
        self.font = ""

    # ------------------------------------------------------------ tokens

    def error(self, what: str) -> LatexError:
        before = "".join(self.tokens[max(0, self.at - 8) : self.at])
        return LatexError(f"{what} (after {before[-40:]!r})")

    def next(self) -> str:
        """The next token that is no space, without taking it; empty at the end."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.next()
        self.at += 1
        return token

    def expect(self, token: str) -> None:
        found = self.take()
        if found != token:
            raise self.error(f"{token} is missing" + (f", found {found}" if found else ""))

    def raw(self) -> str:
        """A group in braces as it is written."""
        self.expect("{")
        depth, start = 1, self.at
        while depth:
            if self.at >= len(self.tokens):
                raise self.error("a brace is not closed")
            depth += {"{": 1, "}": -1}.get(self.tokens[self.at], 0)
            self.at += 1
        return "".join(self.tokens[start : self.at - 1])

    # ------------------------------------------------------------ lists and arguments

    def items(self, stop: frozenset[str]) -> list[Item]:
        """Everything up to a token of `stop`, to a closing brace, or to the end; that token is
        left.
        """
        out: list[Item] = []
        font = self.font
        stop = stop | {"}", "\\right", "\\end"}
        while (token := self.next()) and token not in stop:
            if token in ("^", "_", "'"):
                self.scripts(out)
            elif token[0] == "\\" and token[1:] in _SWITCHES:
                self.at += 1
                self.font = _SWITCHES[token[1:]]
            elif token in ("\\limits", "\\nolimits"):
                self.at += 1
                if out:
                    out[-1] = Item(out[-1].kind, out[-1].xml, out[-1].width, limits=token == "\\limits")
            else:
                item = self.atom(many=True)
                if item is not None:
                    out.append(item)
        self.font = font
        return out

    def group(self, font: str | None = None) -> list[Item]:
        """An argument: a group in braces or a single token."""
        saved = self.font
        if font is not None:
            self.font = font
        if self.next() == "{":
            self.at += 1
            found = self.items(frozenset())
            self.expect("}")
        elif self.next() in ("", "}", "&", "\\\\"):
            raise self.error("an argument is missing")
        else:
            item = self.atom(many=False)
            found = [] if item is None else [item]
        self.font = saved
        return found

    def optional(self) -> list[Item] | None:
        if self.next() != "[":
            return None
        self.at += 1
        found = self.items(frozenset({"]"}))
        self.expect("]")
        return found

    def scripts(self, out: list[Item]) -> None:
        base = _base(out)
        sub: list[Item] | None = None
        sup: list[Item] = []
        while (token := self.next()) in ("^", "_", "'"):
            self.at += 1
            if token == "'":
                sup.append(Item("ord", mo("′", lspace="0", rspace="0"), 0.3))
            elif token == "^":
                sup += self.group()
            elif sub is not None:
                raise self.error("two subscripts; put the first into braces")
            else:
                sub = self.group()
        out.append(script(base, sub, sup or None if sub is not None else sup))

    # ------------------------------------------------------------ atoms

    def atom(self, *, many: bool) -> Item | None:
        """One piece; with `many`, digits and upright letters that follow one another are one number
        or one word.
        """
        token = self.take()
        if token == "{":
            found = self.items(frozenset())
            self.expect("}")
            kind = found[0].kind if len(found) == 1 and found[0].kind in ("inner", "op") else "ord"
            return Item(kind, row(found), width(found))
        if token == "~":
            return self.space("~")
        if token[0] == "\\" and len(token) > 1:
            return self.command(token[1:])
        if token.isdigit():
            while many and self.at < len(self.tokens) and self.continues_number():
                token += self.tokens[self.at]
                self.at += 1
            shown = "".join(alphabet(self.font, c) for c in token) if self.font in ("bb", "bf", "sf") else token
            return Item("ord", f"<mn>{shown}</mn>", 0.5 * len(token))
        if token.isalpha():
            return self.letters(token, many=many)
        return self.sign(token)

    def continues_number(self) -> bool:
        token, after = self.tokens[self.at], self.tokens[self.at + 1 : self.at + 2]
        return token.isdigit() or (token == "." and bool(after) and after[0].isdigit())

    def letters(self, word: str, *, many: bool) -> Item:
        if self.font == "rm":
            while many and self.next().isalpha() and len(self.next()) == 1:
                word += self.take()
            upright = ' mathvariant="normal"' if len(word) == 1 else ""
            return Item("op" if word in _NAMES else "ord", f"<mi{upright}>{escape(word)}</mi>", 0.5 * len(word))
        if self.font in ("bb", "cal", "bf", "sf", "frak"):
            word = alphabet(self.font, word)
            return Item("ord", f'<mi mathvariant="normal">{word}</mi>', 0.7)
        return Item("ord", f"<mi>{escape(word)}</mi>", 0.85 if word in "mwMW" else 0.57)

    def sign(self, token: str) -> Item:
        if token in ":=" and self.tokens[self.at : self.at + 1] == [":=".replace(token, "")]:
            self.at += 1
            return Item("rel", mo("≔" if token == ":" else "≕"), 1.3, sign="≔" if token == ":" else "≕")
        if token in RELATIONS:
            return Item("rel", mo(RELATIONS[token]), 1.3, sign=RELATIONS[token])
        if token in BINARY:
            return Item("bin", mo(BINARY[token], form="infix"), 1.2, sign=BINARY[token])
        if token in "([":
            return Item("open", mo(token, form="prefix", stretchy="false"), 0.4)
        if token in ")]":
            return Item("close", mo(token, form="postfix", stretchy="false"), 0.4)
        if token in "|/.!?":
            return Item("ord", mo(token, form="infix", stretchy="false", lspace="0", rspace="0"), 0.4, sign=token)
        if token in ",;":
            return Item("punct", mo(token, lspace="0", rspace="0.167em"), 0.45, sign=token)
        if token in "&":
            raise self.error("& outside an aligned block")
        if token.isascii() and token not in '"@':
            raise self.error(f"{token!r} is not known in a formula")
        return Item("ord", mo(token), 0.8)

    def space(self, name: str) -> Item:
        ems = SPACES[name]
        return Item("space", f'<mspace width="{ems:g}em"></mspace>', ems, breaks=ems >= 0.25)

    def word(self, text: str) -> Item:
        return Item("text", f"<mtext>{escape(re.sub(r'^ | $', chr(0xA0), text))}</mtext>", 0.47 * len(text), text=text)

    def command(self, name: str) -> Item | None:
        """What follows a backslash."""
        raise NotImplementedError


def _base(out: list[Item]) -> Item:
    """What a script stands at: the last piece, or all of a bracket that it closes: the script must
    be as high as that.
    """
    if not out or out[-1].kind in ("space", "text"):
        return EMPTY
    last = out[-1]
    depth = 0
    for n in range(len(out) - 1, -1, -1):
        if last.kind == "close":
            depth += {"close": 1, "open": -1}.get(out[n].kind, 0)
        found = (
            depth == 0 if last.kind == "close" else last.sign.startswith("sized") and n < len(out) - 1 and out[n].sign == last.sign
        )
        if found:
            whole = out[n:]
            del out[n:]
            return Item("inner", row(whole), width(whole))
    return out.pop()
