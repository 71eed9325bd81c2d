"""What the ledger says of the paper's laws that a report draws, and of our bounds beside them.
Nothing below the claims can read the ledger, so that it stands here, and a test holds it to the
ledger of the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["OURS", "PRINTED", "Printed", "declared", "of_ours", "verdict_of"]


class Printed(NamedTuple):
    """What the ledger declares of a printed law."""

    row: str
    #: The severity of its gravest error.
    severity: str
    #: Where the statement is false as printed.
    at: tuple[str, ...]
    #: The verdict of the repaired statement.
    held: str

    @property
    def says(self) -> str:
        """What the ledger declares, in words.

        >>> PRINTED["Lemma C.4"].says
        'an edge case, false at L = 1 and f = 0 only; CERTIFIED as repaired'
        """
        kind = {"edge": "an edge case", "gap": "a gap in its proof"}[self.severity]
        return f"{kind}, false at {' and '.join(self.at)} only; {self.held} as repaired"


#: The printed laws, by how the names of their curves begin. Lemma C.4 is drawn from L = 2 on, and
#: of equations (16) and (18) the exponents alone: there the ledger declares all three true.
PRINTED: Mapping[str, Printed] = MappingProxyType(
    {
        "Lemma C.4": Printed("BB:LC.4", "edge", ("L = 1", "f = 0"), "CERTIFIED"),
        "eq. (16)": Printed("BB:16", "gap", ("L = 1", "U = 0"), "SUPPORTED"),
        "eq. (18)": Printed("BB:18", "gap", ("L = 1",), "SUPPORTED"),
    }
)


#: Row and verdict of our bounds on output and gradient in V.
OURS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "Theorem A": ("OURS:R4.A", "PROVED"),
        "R1": ("OURS:R1", "CERTIFIED"),
        "Proposition 3.1 output": ("OURS:P3.1", "CERTIFIED"),
        "Proposition 3.4 grad_V": ("OURS:P3.4.V", "CERTIFIED"),
    }
)


def of_ours(bound: str) -> str:
    """Where a bound of `OURS` stands in the ledger, and its verdict there.

    >>> of_ours("Theorem A")
    'in the ledger OURS:R4.A, PROVED'
    """
    return f"in the ledger {', '.join(OURS[bound])}"


def verdict_of(bound: str) -> str:
    """The verdict in the ledger of a bound of ours on the output, by the name of its curve.

    >>> verdict_of("R1"), verdict_of("Proposition 3.1, our constants")
    ('CERTIFIED', 'CERTIFIED')
    """
    return next(
        verdict for name, (_, verdict) in OURS.items() if bound.startswith(name.removesuffix(" output"))
    )


def declared(curve: str) -> str:
    """What the ledger says of the law behind the curve of this name; empty for laws of our own.

    >>> declared("eq. (18), exponent only")
    'a gap in its proof, false at L = 1 only; SUPPORTED as repaired'
    >>> declared("Theorem A")
    ''
    """
    return next((law.says for name, law in PRINTED.items() if curve.startswith(name)), "")
