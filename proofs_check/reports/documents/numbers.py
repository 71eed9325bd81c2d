"""The numbers that a reader sets in a claim, read and looked up before any claim is loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from numerics.terminal.inputs import InputError
from proofs_check.core.ledgers.ledger import code_digest
from proofs_check.core.ledgers.stored import find_ledger

__all__ = ["as_printed", "declared", "must_be_a_number", "rational"]

#: An integer, a quotient of two, or a decimal number, of a length that people write.
_NUMBER = re.compile(
    r"[+-]?(?:\d{1,40}/\d{1,40}|(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?)"
)


def rational(text: str) -> int | Fraction:
    """A number as it is written, exactly; an InputError if it is no integer, quotient or decimal
    number.
    """
    wanted = "write an integer, a quotient like 1/3 or a decimal number like .25"
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{text[:40]!r} is no number that can be set; {wanted}")
    try:
        value = Fraction(text)
    except ZeroDivisionError:
        raise InputError(f"{text[:40]!r} divides by zero; {wanted}") from None
    return value.numerator if value.denominator == 1 else value


def declared() -> Mapping[str, Mapping[str, Any]]:
    """The numbers of every claim as ledgers write them, by its id: from the ledger if it is of the
    present code, else from the claims, which take seconds to load.
    """
    try:
        document = find_ledger().document
    except InputError:  # a folder that was not judged yet has none
        document = {"run": {"code": "", "partial": True}, "claims": []}
    if document["run"]["code"] == code_digest() and not document["run"]["partial"]:
        return {e["id"]: e["numbers"] for e in document["claims"]}
    from proofs_check.core.claim_page import shown
    from proofs_check.core.judging import load_claims
    from proofs_check.papers.statements import papers

    return {id: shown(c.numbers) for id, c in load_claims().items() if id.split(":", 1)[0] in papers()}


def as_printed(numbers: Mapping[str, Any]) -> str:
    """The numbers of a claim in a sentence.

    >>> as_printed({"c": 64, "d": "1/2"}), as_printed({})
    ('c = 64, d = 1/2', 'no numbers')
    """
    return ", ".join(f"{k} = {v}" for k, v in numbers.items()) or "no numbers"


def must_be_a_number(id: str, numbers: Mapping[str, Any], key: str) -> None:
    """Refuse to set what is no exact number of a claim, but a function, a word or a switch.

    >>> must_be_a_number("BB:CC.3.b", {"c": "1/2"}, "c")
    """
    value = numbers[key]
    if isinstance(value, bool) or not (isinstance(value, int) or _NUMBER.fullmatch(str(value))):
        raise InputError(
            f"{key} of {id} is not a number; --set takes numbers only, and the claim has "
            f"{as_printed(numbers)}"
        )
