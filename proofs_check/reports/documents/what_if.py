"""``largeprompt show NAME --set c=100`` judges a claim with other numbers than the paper's. Nothing
of it is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from rich.text import Text

from numerics.evidence import Evidence
from numerics.terminal.colours import COLOURS
from numerics.terminal.console import console
from numerics.terminal.inputs import InputError
from numerics.terminal.mathematics import as_unicode
from proofs_check.core.claim import Claim
from proofs_check.core.claim_page import shown
from proofs_check.core.judging import load_claims
from proofs_check.reports.documents.latex import marked
from proofs_check.reports.documents.names import named
from proofs_check.reports.documents.row_page import witness_text

__all__ = ["number_of", "rational", "what_if"]

#: An integer, a quotient of two, or a decimal number, of a length that people write.
_NUMBER = re.compile(
    r"[+-]?(?:\d{1,40}/\d{1,40}|(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?)"
)


def what_if(name: str, settings: Sequence[str]) -> int:
    """Judge a claim with other numbers, such as ``"c=100"``, and print the outcome as one
    paragraph: 0, whatever the verdict. A name, number or value that is not known, or a claim that
    cannot be judged so, is an InputError.
    """
    given = [_split(setting) for setting in settings]
    texts = dict(given)
    if len(texts) < len(given):
        raise InputError(
            f"--set gives {', '.join(k for k in texts if [g[0] for g in given].count(k) > 1)} twice; "
            "give it once"
        )
    claim = _one(name, list(texts), load_claims())
    numbers = {key: number_of(claim, key, text) for key, text in given}
    values = ", ".join(f"{key} = {text}" for key, text in given)
    try:
        evidence = claim(**numbers)
    except Exception as error:  # engines and SymPy refuse numbers that make no sense in ten ways
        raise InputError(
            f"{claim.id} cannot be judged with {values}: {error}; choose other numbers"
        ) from error
    said = Text.assemble(
        (claim.id, "bold"), f" with {values}: ", (evidence.word, f"bold {COLOURS[evidence.verdict]}")
    )
    said.append(_because(evidence))
    said.append(f" As printed: {_numbers(claim)}. Nothing was stored.")
    console().print(said)
    return 0


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


def _split(setting: str) -> tuple[str, str]:
    key, equals, text = (part.strip() for part in setting.partition("="))
    if not (key and equals and text):
        raise InputError(f"--set {setting[:40]!r} sets nothing; write NAME=VALUE, such as --set c=100")
    return key, text


def _one(name: str, keys: list[str], claims: Mapping[str, Claim]) -> Claim:
    """The one claim that a name means, and that has these numbers: where several have them, the
    name must be the id of one, written in full.
    """
    meant = named(name, claims)
    ids = {r.id for r in meant.rows}
    mine = [c for c in claims.values() if (c.id == meant.claim if meant.claim else c.row in ids)]
    if not mine:
        raise InputError(
            f"no claim settles {meant.title} yet, so there is nothing to judge; see: largeprompt list"
        )
    having = [c for c in mine if set(keys) <= set(c.numbers)]
    exact = [c for c in having if c.id.casefold() == name.strip().casefold()]
    chosen = exact or having
    if len(chosen) == 1:
        return chosen[0]
    offered = "; ".join(f"{c.id} with {_numbers(c)}" for c in chosen or mine)
    if not chosen:
        raise InputError(
            f"no claim of {meant.title} has a number called {', '.join(keys)[:40]}; as printed there "
            f"is {offered}"
        )
    raise InputError(
        f"several claims of {meant.title} have {', '.join(keys)}; write the id of one in full: {offered}"
    )


def _numbers(claim: Claim) -> str:
    return ", ".join(f"{k} = {v}" for k, v in shown(claim.numbers).items()) or "no numbers"


def number_of(claim: Claim, key: str, text: str) -> int | Fraction:
    """The value that a text gives to a number of a claim; an InputError if there is no such number,
    or the text is none.
    """
    default = claim.numbers[key]
    if isinstance(default, bool) or not isinstance(default, (int, Fraction)):
        raise InputError(
            f"{key} of {claim.id} is not a number; --set takes numbers only, and the claim has "
            f"{_numbers(claim)}"
        )
    try:
        return rational(text)
    except InputError as error:
        raise InputError(f"--set {key}: {error}") from None


def _because(evidence: Evidence) -> str:
    """The witness of a refutation, the reason of an open claim, or what was covered."""
    words = lambda text: as_unicode(marked(text))
    if evidence.witness:
        return f" at {witness_text(evidence.witness, evidence.witness_by)}."
    if evidence.reason:
        return f", because {words(evidence.reason)}."
    # what follows are two sides in the kernel's own signs, of up to a hundred lines
    told = evidence.covered.partition(":\n")[0]
    covered = f" on {words(told)}" if told else ""
    return f" by {evidence.engine}{covered}."
