"""``largeprompt show NAME --set c=100`` judges a claim with other numbers than the paper's. Nothing
of it is stored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rich.text import Text

from numerics.evidence import Evidence
from numerics.terminal.colours import COLOURS
from numerics.terminal.console import console
from numerics.terminal.inputs import InputError
from numerics.terminal.mathematics import as_unicode
from proofs_check.core.claim import Claim, shown
from proofs_check.core.judging import load_claims
from proofs_check.documents.latex import marked
from proofs_check.documents.names import named

__all__ = ["rational", "what_if"]

#: An integer, a quotient of two, or a decimal number, of a length that people write.
_NUMBER = re.compile(r"[+-]?(?:\d{1,40}/\d{1,40}|(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?)")


def what_if(name: str, settings: Sequence[str]) -> int:
    """Judge a claim with other numbers, and print the outcome as one paragraph.

    Parameters
    ----------
    name : str
        What `proofs_check.documents.names.named` understands; it must mean one claim.
    settings : sequence of str
        ``"c=100"``.

    Returns
    -------
    int
        0, whatever the verdict.

    Raises
    ------
    InputError
        If the name, a number or a value is not known, or the claim cannot be judged so.
    """
    given = [_split(setting) for setting in settings]
    claims = load_claims()
    claim = _one(name, claims)
    numbers: dict[str, Any] = {}
    for key, text in given:
        if key in numbers:
            raise InputError(f"--set gives {key} twice; give it once")
        numbers[key] = _value(claim, key, text)
    values = ", ".join(f"{key} = {value}" for key, value in numbers.items())
    try:
        evidence = claim(**numbers)
    except Exception as error:  # engines and SymPy refuse numbers that make no sense in ten ways
        raise InputError(f"{claim.id} cannot be judged with {values}: {error}; choose other numbers") from error
    said = Text.assemble((claim.id, "bold"), f" with {values}: ", (evidence.word, f"bold {COLOURS[evidence.verdict]}"))
    said.append(_because(evidence))
    said.append(f" As printed: {_numbers(claim)}. Nothing was stored.")
    console().print(said)
    return 0


def rational(text: str) -> int | Fraction:
    """A number as it is written, exactly.

    Raises
    ------
    InputError
        If it is no integer, quotient or decimal number.

    Examples
    --------
    >>> rational("100"), rational("1/3"), rational(".25")
    (100, Fraction(1, 3), Fraction(1, 4))
    """
    wanted = "write an integer, a quotient like 1/3 or a decimal number like .25"
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{text[:40]!r} is no number that can be set; {wanted}")
    try:
        value = Fraction(text)
    except ZeroDivisionError:
        raise InputError(f"{text[:40]!r} divides by zero; {wanted}") from None
    return value.numerator if value.denominator == 1 else value


def _split(setting: str) -> tuple[str, int | Fraction]:
    key, equals, text = (part.strip() for part in setting.partition("="))
    if not (key and equals and text):
        raise InputError(f"--set {setting[:40]!r} sets nothing; write NAME=VALUE, such as --set c=100")
    try:
        return key, rational(text)
    except InputError as error:
        raise InputError(f"--set {key[:40]}: {error}") from None


def _one(name: str, claims: Any) -> Claim:
    """The one claim that a name means."""
    meant = named(name, claims)
    ids = {r.id for r in meant.rows}
    mine = [c for c in claims.values() if (c.id == meant.claim if meant.claim else c.row in ids)]
    if not mine:
        raise InputError(f"no claim settles {meant.title} yet, so there is nothing to judge; see: largeprompt list")
    if len(mine) > 1:
        offered = ", ".join(f"{c.id} ({_numbers(c)})" for c in mine)
        raise InputError(f"{meant.title} has several claims; choose one and name it as it stands here: {offered}")
    return mine[0]


def _numbers(claim: Claim) -> str:
    return ", ".join(f"{k} = {v}" for k, v in shown(claim.numbers).items()) or "no numbers"


def _value(claim: Claim, key: str, value: int | Fraction) -> int | Fraction:
    """The value, if the claim has such a number."""
    if key not in claim.numbers:
        raise InputError(f"{claim.id} has no number called {key[:40]!r}; as printed it has {_numbers(claim)}")
    default = claim.numbers[key]
    if isinstance(default, bool) or not isinstance(default, (int, Fraction)):
        raise InputError(f"{key} of {claim.id} is not a number; --set takes numbers only, and the claim has {_numbers(claim)}")
    return value


def _because(evidence: Evidence) -> str:
    """The witness of a refutation, the reason of an open claim, or what was covered."""
    point = ", ".join(f"{k} = {v}" for k, v in evidence.witness.items())
    words = lambda text: as_unicode(marked(text))
    if point:
        return f" at {point} (evaluated again by {evidence.witness_by})."
    if evidence.reason:
        return f", because {words(evidence.reason)}."
    covered = f" on {words(evidence.covered)}" if evidence.covered else ""
    return f" by {evidence.engine}{covered}."
