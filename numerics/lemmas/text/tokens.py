"""The words of a lemma that is written as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn
from unicodedata import normalize

__all__ = ["Token", "Tokens", "short", "unread"]

#: As mathematicians write them, and as they are read.
_OTHER_SIGNS = {
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "=": "==",
    "**": "^",
    "∞": "oo",
    "·": "*",
    "−": "-",
    "→": "->",
}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.(?!\.)\d*)?(?:[eE][+-]?\d+(?![\w.]))?|\.\d+)|(?P<name>∞|[^\W\d]\w*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|->|\.\.(?!\.)|[-+*/^()\[\]{},;:<>=|!'≤≥≠·−→]))"
)
#: Formulas are read by recursion, which Python bounds.
LONGEST = 500
#: Numbers of more digits are not written out.
MOST_DIGITS = 1000


class Token(NamedTuple):
    """A number, a name or a sign, and where it stands."""

    kind: str
    text: str
    place: int


def short(number: str) -> bool:
    """Whether a number that is written as text can be written out."""
    power = re.search(r"[eE][+-]?(\d{1,9})", number)
    return len(number) <= MOST_DIGITS and (power is None or int(power[1]) <= MOST_DIGITS)


def unread(text: str, place: int, words: str) -> NoReturn:
    """Refuse a text, and show where it could not be read."""
    raise ValueError(f"{words}, at the mark in {text[:place]!r} >>> {text[place:]!r}")


class Tokens:
    """A text as its tokens, read one after another."""

    def __init__(self, text: str) -> None:
        self.text, self.next = text, 0
        self.all: list[Token] = []
        at, stripped = 0, text.rstrip()
        while at < len(stripped):
            found = _TOKEN.match(stripped, at)
            if found is None:
                unread(
                    text,
                    at,
                    "this sign is not read; write + - * / ^ ( ), names of functions, and 1..n for a range",
                )
            kind = str(found.lastgroup)
            word, place = found[kind], found.start(kind)
            if kind == "number" and not short(word):
                unread(
                    text, place, f"a number has at most {MOST_DIGITS} digits; write a power, as in 10^2000"
                )
            if kind == "name" and word not in _OTHER_SIGNS and not word.isidentifier():
                unread(text, place, "a name has letters, digits and _; write x^2 for a power, and 1/2")
            word = normalize("NFKC", word) if kind == "name" else word
            self.all.append(Token(kind, _OTHER_SIGNS.get(word, word), place))
            at = found.end()
            if len(self.all) > LONGEST:
                unread(text, at, f"a lemma has at most {LONGEST} numbers, names and signs; give it in parts")
        self.all.append(Token("end", "", len(text)))

    @property
    def now(self) -> Token:
        return self.all[self.next]

    def ahead(self, steps: int) -> Token:
        return self.all[min(self.next + steps, len(self.all) - 1)]

    def see(self, *texts: str) -> bool:
        """Whether the next token is one of these."""
        return self.now.kind != "number" and self.now.text in texts

    def take(self, *texts: str) -> str:
        """Go over one of these tokens, if it comes next."""
        return self.advance().text if self.see(*texts) else ""

    def words(self, *texts: str) -> bool:
        """Go over these tokens, if they all come next."""
        if all(self.ahead(n).text == text for n, text in enumerate(texts)):
            self.next += len(texts)
            return True
        return False

    def advance(self) -> Token:
        token = self.now
        self.next += 1
        return token

    def need(self, text: str) -> None:
        if not self.take(text):
            self.refuse(f"{text!r} is expected")

    def name(self, known: Sequence[str] = ()) -> str:
        """Go over a name; one of those that are known, if there are any."""
        if self.now.kind != "name" or (known and self.now.text not in known):
            self.refuse(f"a name is expected{', one of ' + ', '.join(known) if known else ''}")
        return self.advance().text

    def refuse(self, words: str) -> NoReturn:
        unread(self.text, self.now.place, words)
