"""What is true instead of a false line, tied to what was executed: without an accepted repair it is
marked wherever it is shown, and with one the numbers of the repair stand in its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from numbers import Rational
from typing import Any

from numerics.evidence import Verdict

__all__ = ["NOT_EXECUTED", "first_sentence", "is_executed", "numbers_in", "told_instead", "untold"]

#: How a correction is marked that no engine judged.
NOT_EXECUTED = "not executed"
_SENTENCE = re.compile(r"(?:[^$.]|\$[^$]*\$|\.(?!\s+[A-Z$]))*\.?")
_NUMBER = r"(?:\d+(?:\.\d+)?|(?<![A-Za-z\d])\.\d+)"
#: The index of a symbol is no number.
_INDEX = re.compile(r"_(?:\{\d+\}|\d)")
_GROUPED = re.compile(r"(?<=\d)(?: |\\,|\{,\}|\u202f)(?=\d{3}(?!\d))")
_FRACTION = re.compile(r"\\[dt]?frac\s*(?:\{([^{}]*)\}|(\d))\s*(?:\{([^{}]*)\}|(\d))")
#: A symbol over 2 has the number one half.
_QUOTIENT = re.compile(rf"({_NUMBER})?\s*/\s*\(?({_NUMBER})")
_SIGNED = re.compile(rf"(?P<sign>[-\u2212])?\s*(?P<number>{_NUMBER})")
_WORD = re.compile(r"[a-z]+")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_IN_WORDS: Mapping[str, Fraction] = {
    **{word: Fraction(n) for n, word in enumerate(_CARDINALS, 1)},
    **{"first": Fraction(1), "second": Fraction(2), "once": Fraction(1), "twice": Fraction(2)},
    **{"half": Fraction(1, 2), "third": Fraction(1, 3), "quarter": Fraction(1, 4)},
}


def first_sentence(text: str) -> str:
    """The first sentence of a text in which formulas stand between dollars."""
    found = _SENTENCE.match(text)
    return found.group() if found else text


def is_executed(entry: Mapping[str, Any]) -> bool:
    """Whether an engine accepted the repair of an entry of a ledger.

    >>> is_executed({"repair": None}), is_executed({"repair": {"verdict": "PROVED"}})
    (False, True)
    """
    repair = entry["repair"]
    return bool(repair) and Verdict(repair["verdict"]).accepted


def told_instead(entry: Mapping[str, Any], *, short: bool = False) -> str:
    """What is true instead of a refuted entry of a ledger, or its first sentence, marked if no
    engine accepted it; empty if the entry does not say.
    """
    text = first_sentence(entry["instead"]) if short else entry["instead"]
    return text if not text or is_executed(entry) else f"{text} ({NOT_EXECUTED})"


def numbers_in(text: str) -> frozenset[Fraction]:
    """The rational numbers that a text has in figures, in LaTeX and in words up to ten."""
    joined = _GROUPED.sub("", _INDEX.sub("", text))
    # Two figures after \frac are two numbers, and so are those that stand next to a brace.
    spread = _FRACTION.sub(
        lambda found: " ".join(f" {part} " for part in found.groups() if part is not None), joined
    )
    found = {_IN_WORDS[word] for word in _WORD.findall(joined.lower()) if word in _IN_WORDS}
    for signed in _SIGNED.finditer(spread):
        value = Fraction(signed["number"])
        found |= {value, -value} if signed["sign"] else {value}
    return frozenset(found | set(_quotients(joined)))


def _quotients(text: str) -> Iterator[Fraction]:
    for above, above_short, below, below_short in _FRACTION.findall(text):
        ends = [re.match(_NUMBER, part.strip()) for part in (above or above_short, below or below_short)]
        if ends[0] and ends[1] and Fraction(ends[1][0]):
            yield Fraction(ends[0][0]) / Fraction(ends[1][0])
    for over, under in _QUOTIENT.findall(text):
        if Fraction(under):
            yield Fraction(over or 1) / Fraction(under)


def untold(instead: str, printed: Mapping[str, Any], repair: Mapping[str, Any]) -> list[str]:
    """The numbers of a repair that the words for it do not have, each with what to do. What turns
    from one of -1, 0 and 1 to another is a switch of the formula, and no number of the statement;
    nor are truth values, words and families.
    """
    known = numbers_in(instead)
    return [
        (
            f"the repair judges {name} = {value}, a number that instead= does not have; say in instead= "
            "what was judged, or judge it"
        )
        for name, value in repair.items()
        if (number := _rational(value)) is not None
        and not _switched(printed.get(name), number)
        and number not in known
    ]


def _rational(value: Any) -> Fraction | None:
    if isinstance(value, Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    return (
        Fraction(repr(value))
        if isinstance(value, float) and value == value and abs(value) != float("inf")
        else None
    )


def _switched(before: Any, after: Fraction) -> bool:
    return _rational(before) in (-1, 0, 1) and after in (-1, 0, 1)
