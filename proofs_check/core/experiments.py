"""Judges the claims about the paper's experiments: in a run of all claims on a reduced measurement
of some seconds, in ``largeprompt figures`` on the full one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from numerics.evidence import Verdict
from proofs_check.core.claim import Claim
from proofs_check.core.instead import told_instead
from proofs_check.core.judging import entry, load_claims
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.papers.statements import row
from theory.shown.formulas import marked

if TYPE_CHECKING:
    from numerics.experiments.boursier_boyer.plan import Plan
    from numerics.experiments.boursier_boyer.results import Measurements

__all__ = ["judge", "measurements", "reduced_plan", "sentences"]

#: Boursier & Boyer's Section 6, Appendix A, and the sentence of Section 5 that rests on them.
EXPERIMENTS = ("BB:S6.", "BB:A.", "BB:A5.1.tech")


def is_experiment(id: str) -> bool:
    """Whether a claim speaks about the experiments of Boursier & Boyer."""
    return row(id).kind == "NUM" and id.startswith(EXPERIMENTS)


def reduced_plan() -> Plan:
    """A measurement of some seconds: two prompt lengths, a sixth of the steps, and only the reading
    that the paper's text suggests.
    """
    from numerics.experiments.boursier_boyer.plan import Plan

    return Plan(
        figures=(1, 2, 3, 4, 5),  # what the claims say of Figures 6 to 8 needs exact limits, or the full runs
        lengths=(10, 100),
        curve_lengths=(10, 100),
        gap_lengths=(10, 100, 1000),
        variants=("as written",),
        first_seed=0,  # both lengths have seeds 0 and 1; from 0 linear attention fails at L = 100
        band_seeds=2,
        band_lengths=(10, 100),
        gap_seeds=2,
        most_steps=80_000,
        records=80,
        gap_prompts=2**12,
        points=2**10,
    )


@cache
def _reduced() -> Measurements:
    from numerics.experiments.boursier_boyer.run_plan import measure

    return measure(reduced_plan())


def measurements(given: Measurements | None) -> Measurements:
    """Those given, or the reduced ones, which are measured once per process."""
    return given or _reduced()


def judge(measured: Any, reseed: int = 0, concerns: Callable[[str], bool] = is_experiment) -> Ledger:
    """Judge every claim about an experiment, of those that it `concerns`, on given measurements of
    its paper. A claim declared open for the reduced measurement may come out decided.
    """
    claims = load_claims()
    lines = [_line(c, measured, reseed) for c in claims.values() if concerns(c.id)]
    run = {"reseed": reseed, "partial": True, "seconds": sum(line["seconds"] for line in lines)}
    return Ledger(lines, {id: c.needs for id, c in claims.items()}, run)


def _line(claim: Claim, measured: Any, reseed: int) -> dict[str, Any]:
    given = {"measured": measured} if "measured" in claim.numbers else {}
    if claim.open and claim(**given).verdict is not Verdict.OPEN:
        claim = replace(claim, open="")
    return entry(claim, claim.judge(reseed, measured), row(claim.id))


def sentences(ledger: Ledger) -> list[tuple[str, str, str, str]]:
    """(id, what the paper says, verdict, why), for the page of the figures."""
    return [(e["id"], e["says"], e["verdict"], _because(e)) for e in ledger.entries.values()]


def _because(e: dict[str, Any]) -> str:
    evidence = e["evidence"]
    told = lambda v: f"{v:.4g}" if isinstance(v, float) else v
    witness = ", ".join(f"{k} = {told(v)}" for k, v in evidence["witness"].items())
    covered = marked(evidence["covered"])
    parts = [
        e["summary"],
        told_instead(e),
        f"Witness: {witness}." if witness else covered or evidence["reason"],
    ]
    return " ".join(" ".join(part.split()) for part in parts if part)
