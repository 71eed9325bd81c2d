"""The form that stands beside a row after somebody who did not write it read it against the printed
text: `read = {on = 2026-11-29, ...}` answers five questions where the row is accepted as printed,
four where it is refuted.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numerics.evidence import Verdict
from numerics.terminal.inputs import InputError

__all__ = ["ACCEPTED", "REFUTED", "Review", "review"]

#: What is asked of a statement that is accepted as printed.
ACCEPTED = {
    "printed": "which hypotheses the paper prints",
    "used": "is every hypothesis that the check uses among them, or a definition, a theorem or a citation",
    "same": "has the check the printed quantifiers, order symbols and hedges",
    "whole": "is the whole statement judged, or does the row name the fragment",
    "control": "does a control change a number or a hypothesis of this statement",
}
#: What is asked of one that is refuted.
REFUTED = {
    "witness": "is the witness inside everything that is assumed, the regime of the proof included",
    "author": "would the author accept the refutation",
    "weight": "are severity, cost and head right",
    "instead": "is what stands instead true and executed",
}


@dataclass(frozen=True, kw_only=True)
class Review:
    """How a row came out when it was read against the printed text."""

    on: datetime.date
    #: By question: a sentence where there is something to say, and empty for a yes without reserve.
    answers: Mapping[str, str]

    @property
    def line(self) -> str:
        """The date and the sentences in one line.

        >>> Review(on=datetime.date(2026, 11, 29), answers={"printed": "L >= 2", "used": ""}).line
        '2026-11-29; printed: L >= 2'
        """
        return "; ".join(
            [self.on.isoformat(), *(f"{name}: {text}" for name, text in self.answers.items() if text)]
        )

    def unanswered(self, verdict: Verdict) -> list[str]:
        """The questions that the verdict of a claim as printed asks, and the form leaves open.

        >>> nothing = Review(on=datetime.date(2026, 11, 29), answers={})
        >>> nothing.unanswered(Verdict.OPEN), nothing.unanswered(Verdict.REFUTED)
        ([], ['witness', 'author', 'weight', 'instead'])
        """
        asked = ACCEPTED if verdict.accepted else REFUTED if verdict is Verdict.REFUTED else {}
        return [name for name in asked if name not in self.answers]


def review(told: Any, row: str) -> Review:
    """Read the form of a row; an InputError if it has no date, another question, or an answer that
    is neither true nor a sentence.

    >>> review({"on": datetime.date(2026, 11, 29), "witness": True}, "BB:17").answers
    {'witness': ''}
    """
    said = dict(told) if isinstance(told, Mapping) else {}
    on = said.pop("on", None)
    if type(on) is not datetime.date:
        raise InputError(f"row {row}: read has no date; write read = {{on = 2026-11-29, ...}}")
    if unknown := set(said) - set(ACCEPTED) - set(REFUTED):
        raise InputError(
            f"row {row}: read answers {min(unknown)}; the questions are {', '.join((*ACCEPTED, *REFUTED))}"
        )
    for name, answer in said.items():
        sentence = isinstance(answer, str) and bool(answer.strip())
        if not sentence and (answer is not True or name == "printed"):
            why = (
                "true or a sentence"
                if name != "printed"
                else "the hypotheses that the paper prints, or that it prints none"
            )
            raise InputError(
                f"row {row}: read answers {name} with {answer!r}; write {why}, and mend the row where "
                "it is a no"
            )
    return Review(
        on=on,
        answers={name: "" if answer is True else " ".join(answer.split()) for name, answer in said.items()},
    )
