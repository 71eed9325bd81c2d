"""The colour and the letter of each verdict in a terminal: a colour never stands without its
letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from numerics.evidence.verdict import Verdict

__all__ = ["COLOURS", "LETTERS", "pytest_markup"]

#: What the table of a paper says of a row that no claim settles.
_NOT_SETTLED = "not settled"

#: Colours as rich names them. Green says that nothing is left to believe; SUPPORTED is not green.
COLOURS: Mapping[str, str] = MappingProxyType(
    {
        Verdict.PROVED: "green",
        Verdict.CERTIFIED: "green",
        Verdict.ARGUED: "cyan",
        Verdict.SUPPORTED: "yellow",
        Verdict.OPEN: "magenta",
        Verdict.REFUTED: "red",
        _NOT_SETTLED: "magenta",
    }
)
#: The letter that stands for a verdict where a line has no room for the word.
LETTERS: Mapping[str, str] = MappingProxyType({**{str(v): str(v)[0] for v in Verdict}, _NOT_SETTLED: "-"})


def pytest_markup(verdict: str) -> dict[str, bool]:
    """The colour of a verdict as pytest's terminal writer takes it."""
    colour = COLOURS[verdict]
    return {"purple" if colour == "magenta" else colour: True}
