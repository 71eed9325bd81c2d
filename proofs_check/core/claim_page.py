"""How a claim shows itself in Jupyter and over the number that is varied."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from numerics.evidence import Evidence, Verdict, plain
from proofs_check.core.instead import NOT_EXECUTED
from proofs_check.core.sharp_constant import find_sharp_constant
from proofs_check.papers.sharp_constants import known_ends
from proofs_check.papers.statements import rows
from theory.shown.colours import COLOURS
from theory.shown.result import Drawn

__all__ = ["ClaimPage", "shown"]

#: The three heights of a plot over the number that is varied.
LEVELS = ("REFUTED", "OPEN", "accepted")


class ClaimPage(Drawn):
    """What a claim inherits: a page that judges nothing, and a plot that judges a few values."""

    FORMULAS: ClassVar[frozenset[str]] = frozenset({"printed"})

    id: str
    false: str
    at: str
    open: str
    why: str
    instead: str
    repair: Mapping[str, Any]
    sharp: str
    numbers: Any
    __call__: Callable[..., Evidence]

    def heading(self) -> str:
        return f"Claim {self.id}"

    def rows(self) -> list[tuple[str, str]]:
        row = rows().get(self.id.split("/", 1)[0])
        numbers = lambda values: ", ".join(f"{k} = {v}" for k, v in shown(values).items())
        texts = [
            ("where", row.where if row else ""),
            ("says", row.says if row else ""),
            ("numbers", numbers(self.numbers)),
            (
                "declared",
                f"{self.false}{f' ({self.at})' if self.at else ''}: {self.why}" if self.false else "",
            ),
            (
                "instead",
                self.instead and (self.instead if self.repair else f"{self.instead} ({NOT_EXECUTED})"),
            ),
            ("repair", numbers(self.repair)),
            ("open", self.open),
            ("varied", self.sharp),
            ("judge it", "call the claim, with other numbers for a what-if"),
        ]
        return [t for t in texts if t[1]]

    def _draw(self, ax: Any) -> None:
        if not self.sharp:
            raise ValueError(
                f"{self.id} has no number to be drawn over (sharp=); call the claim, which gives its evidence"
            )
        judged = lambda value: self(**{**self.repair, self.sharp: value})
        printed = Fraction(self.numbers[self.sharp])
        held = Fraction({**self.numbers, **self.repair}[self.sharp])
        points = [("as printed", printed, self())] + (
            [("as repaired", held, judged(held))] if held != printed else []
        )
        found = find_sharp_constant(judged, held, known_ends().get(self.id))
        if found is not None:
            points += [
                ("last accepted", found.accepted, found.within),
                ("first refuted", found.refuted, found.beyond),
            ]
        height = {Verdict.REFUTED: 0, Verdict.OPEN: 1}
        for (name, value, evidence), marker in zip(points, ("s", "D", ">", "<")):
            level = height.get(evidence.verdict, 2)
            colour = COLOURS[("paper", "muted", "theorem")[level]]
            label = f"{name}: {self.sharp} = {float(value):.6g}, {evidence.word}"
            ax.plot(float(value), level, marker, color=colour, linestyle="none", label=label)
        ax.set(xlabel=f"the number {self.sharp}", ylim=(-0.5, 2.5))
        ax.set_yticks(range(len(LEVELS)), LEVELS)


def shown(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a claim as JSON scalars, with functions by their names; what is not given
    (None) is left out.
    """
    return {k: getattr(v, "__name__", None) or plain(v) for k, v in numbers.items() if v is not None}
