"""The six verdicts in the order of their strength, and the strongest that each engine may give."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

__all__ = ["CEILING", "EVERY_DIMENSION", "SEARCHED", "STATISTICAL", "WITNESS_BY", "Verdict"]


class Verdict(StrEnum):
    """The closed list of verdicts, strongest first; what each means stands in the README.

    Examples
    --------
    >>> Verdict.PROVED.accepted, Verdict.REFUTED.accepted
    (True, False)
    >>> min([Verdict.CERTIFIED, Verdict.SUPPORTED], key=lambda v: v.strength)
    <Verdict.SUPPORTED: 'SUPPORTED'>
    """

    PROVED = "PROVED"
    CERTIFIED = "CERTIFIED"
    ARGUED = "ARGUED"
    SUPPORTED = "SUPPORTED"
    OPEN = "OPEN"
    REFUTED = "REFUTED"

    @property
    def accepted(self) -> bool:
        """Whether the statement may be relied on, to the degree that the verdict says."""
        return self not in (Verdict.OPEN, Verdict.REFUTED)

    @property
    def executed(self) -> bool:
        """Whether an engine showed the statement itself, without a sentence of ours."""
        return self in (Verdict.PROVED, Verdict.CERTIFIED)

    @property
    def strength(self) -> int:
        """5 for PROVED down to 0 for REFUTED: a chain is as strong as its weakest link."""
        return _STRENGTH[self]


_STRENGTH = {verdict: strength for strength, verdict in enumerate(reversed(Verdict))}
P, C, S = Verdict.PROVED, Verdict.CERTIFIED, Verdict.SUPPORTED

#: The strongest verdict that each engine is able to give. An `Evidence` of any other engine is an
#: error.
CEILING: Mapping[str, Verdict] = MappingProxyType(
    {
        "exact arithmetic": P,  # finitely many operations on rationals or algebraic numbers
        "exact sign": P,  # a factored form whose factors have a known sign
        "identity": P,  # a normal form in a field where zero is decidable
        "trace words": P,  # a normal form of matrix words
        "eigenbasis": P,  # the entries of a matrix identity in each case
        "derivation": P,  # rules of a kernel of proofs, `numerics.derivations`
        "Sturm": P,
        "Bernstein": P,
        "Positivstellensatz": P,  # products of hypotheses that add up, with rational coefficients
        "z3": P,  # an SMT solver, whose word nobody checked; no claim may rest on it
        "induction": P,  # a base and a step, each by the others; as strong as the weaker
        "derivatives": P,  # signs of slopes from bases, until the others above decide
        "critical points": C,  # isolated exactly, values enclosed
        "branch and bound": C,
        "rigorous quadrature": C,
        "interval arithmetic": C,
        "enumeration": S,  # exact values at instances, with a search for the worst
        "quadrature": S,
        "finite differences": S,
        "integration of the flow": S,
        "Monte Carlo": S,
        "Clopper-Pearson": S,
        "property search": S,
        "property test": S,  # examples drawn by Hypothesis, driven to the worst ratio
        "examples": S,  # a definition is satisfied by one object and violated by another
        "conjunction": P,  # as strong as its weakest part; see `all_of`
    }
)
#: Engines that draw samples: what they refute, they refute with an error probability.
STATISTICAL = ("Monte Carlo", "Clopper-Pearson")
#: Engines that receive matrices of every size: what they accept, they alone call true for every d.
EVERY_DIMENSION = ("trace words", "eigenbasis", "derivation")
#: Engines that search for the worst case, and by what shares of itself their slack may lie below
#: and above the one that is known: on another processor they end elsewhere on the same peak, nearer
#: to its top (8e-5 was seen) or less near. The slack of the others is computed.
SEARCHED: Mapping[str, tuple[float, float]] = MappingProxyType(
    dict.fromkeys(("enumeration", "property search", "property test"), (1e-3, 1e-2))
)
#: How a witness was evaluated a second time.
WITNESS_BY = ("exact", "Arb", "two routes", "statistics")
