"""Starts of the gradient flow at the edges of every hypothesis of Section 5, and the checks that
from each of them the flow ends where a formula says and conserves what it should.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.evidence import Evidence, Verdict
from numerics.regression.flow.infinite_prompt import Flow, integrate_flow
from numerics.seeds import current_seed, generator
from theory.inputs.spectrum import onto_range

__all__ = ["Start", "any_starts", "ends_at", "keeps", "positive_starts", "theta_starts"]

Floats = NDArray[np.float64]
Limit = Callable[["Start"], tuple[Floats, float]]
#: Relative distance between formula and flow that counts as agreement; the flow is integrated to
#: 1e-8.
AGREEMENT = 2e-7


@dataclass(frozen=True, eq=False)
class Start:
    """A covariance and a start of the flow."""

    name: str
    Sigma: Floats
    U0: Floats
    u0: float
    prompt_length: int | None = None
    noise: float = 0.0

    def flow(self, rtol: float = 1e-11) -> Flow:
        """The integrated flow from here."""
        return integrate_flow(
            self.Sigma, self.U0, self.u0, prompt_length=self.prompt_length, noise=self.noise, rtol=rtol
        )


def _covariances(rng: np.random.Generator, singular: bool) -> Iterable[tuple[str, Floats]]:
    """Isotropic, anisotropic, tiny, large, with equal eigenvalues, and (if asked for) singular
    covariances in d = 1 to 4.
    """

    def turned(*eigenvalues: float) -> Floats:
        Q = np.linalg.qr(rng.normal(size=(len(eigenvalues),) * 2))[0]
        return (Q * np.array(eigenvalues)) @ Q.T

    yield "d = 1", np.array([[0.7]])
    yield "d = 1, tiny", np.array([[1e-3]])
    yield "identity, d = 3", np.eye(3)
    yield "large, d = 2", turned(40.0, 15.0)
    yield "two equal eigenvalues, d = 3", turned(1.0, 0.4, 0.4)
    yield "condition 8, d = 4", turned(1.6, 0.8, 0.4, 0.2)
    if singular:
        yield "rank 1 of 2", turned(0.9, 0.0)
        yield "rank 1 of 4, tiny", turned(0.01, 0.0, 0.0, 0.0)
        yield "rank 2 of 3, equal eigenvalues", turned(0.6, 0.6, 0.0)
        yield "rank 3 of 4", turned(2.0, 1.0, 0.5, 0.0)


def theta_starts(*, singular: bool = False, scales: Sequence[float] = (0.05, 0.6, 3.0)) -> list[Start]:
    """Starts as in Boursier & Boyer, Assumption 5.1: ``U0 = alpha Theta Theta'``,
    ``u0 = alpha > 0``, of several ranks of Theta; `scales` are values of ``alpha^2 |Sigma|``.
    """
    rng = generator(1)
    out = []
    for name, Sigma in _covariances(rng, singular):
        d = len(Sigma)
        for k, scale in enumerate(scales):
            rank = 1 + k % d
            B = rng.normal(size=(d, rank))
            alpha = float(np.sqrt(scale / np.linalg.norm(Sigma, 2)))
            U0 = alpha * B @ B.T / np.linalg.norm(B @ B.T)
            out.append(Start(f"{name}; Theta of rank {rank}, alpha^2 |Sigma| = {scale:g}", Sigma, U0, alpha))
    return out


def positive_starts(*, prompt_length: int | None = None, noise: float = 0.0) -> list[Start]:
    """Unbalanced starts with ``u0 >= 0`` and a nonnegative diagonal in an eigenbasis: zero blocks,
    zero scalars, large skew parts.
    """
    rng = generator(2)
    out = []
    for name, Sigma in _covariances(rng, singular=True):
        d, unit = len(Sigma), 1 / float(np.sqrt(np.linalg.norm(Sigma, 2)))
        Q = np.linalg.eigh(Sigma)[1]
        onto = onto_range(Sigma)
        outside = 1.5 * (np.eye(d) - onto)
        mixed = rng.normal(size=(d, d))
        np.fill_diagonal(mixed, rng.uniform(0, 1, d) * (np.arange(d) > 0))
        blocks = {
            "U0 = 0": (np.zeros((d, d)), 0.3),
            "u0 = 0, U0 = I": (np.eye(d), 0.0),
            "any off-diagonal": (Q @ mixed @ Q.T, 0.5),
        }
        if np.abs(outside).max() > 1e-8:
            blocks["U0 outside the range"] = (outside, 0.4)
        for what, (U0, u0) in blocks.items():
            out.append(Start(f"{name}; {what}", Sigma, U0 * unit, u0 * unit, prompt_length, noise))
    return out


def any_starts() -> list[Start]:
    """Starts without sign, symmetry or balance: where only the risk decides which minimum is
    reached.
    """
    rng = generator(3)
    out = []
    for name, Sigma in _covariances(rng, singular=True):
        d, unit = len(Sigma), 1 / float(np.sqrt(np.linalg.norm(Sigma, 2)))
        blocks = {
            "general": (rng.normal(size=(d, d)), 0.3 * rng.normal()),
            "u0 against U0": (-2 * np.eye(d) + 0.3 * rng.normal(size=(d, d)), 0.6),
            "u0 = 0": (rng.normal(size=(d, d)), 0.0),
        }
        out += [
            Start(f"{name}; {what}", Sigma, U0 * unit, float(u0 * unit)) for what, (U0, u0) in blocks.items()
        ]
    return out


def keeps(starts: Sequence[Start]) -> Evidence:
    """Whether ``|U|_F^2 - u^2`` and ``P(U)`` stay what they are along integrated paths: SUPPORTED
    with the largest drift, relative to the squared size of the start; OPEN if it exceeds 1e-6, as
    then either the integration or the law is wrong.
    """
    drift = 0.0
    for start in starts:
        flow = start.flow()
        onto = onto_range(start.Sigma)
        balance = (flow.U**2).sum(axis=(1, 2)) - flow.u**2
        kept = flow.U - onto @ flow.U @ onto
        size = max(float((flow.U**2).sum(axis=(1, 2)).max()), 1e-300)
        drift = max(
            drift,
            float(np.abs(balance - balance[0]).max()) / size,
            float(np.abs(kept - kept[0]).max()) / size**0.5,
        )
    checked = r"\|U\|_F^2-u^2,\ P(U)\ \text{constant}"
    common: dict[str, Any] = {"engine": "integration of the flow", "checked": checked, "seed": current_seed()}
    if drift > 1e-6:
        return Evidence(
            verdict=Verdict.OPEN, reason=f"a drift of {drift:.1e} along integrated paths", **common
        )
    covered = f"{len(starts)} paths, relative drift at most {drift:.0e}"
    return Evidence(verdict=Verdict.SUPPORTED, covered=covered, dimension=_dimensions(starts), **common)


def _dimensions(starts: Sequence[Start]) -> str:
    """The dimensions of the starts, as an evidence names them."""
    return "d = " + ", ".join(map(str, sorted({len(s.Sigma) for s in starts})))


def ends_at(limit: Limit, starts: Sequence[Start], *, checked: str = "") -> Evidence:
    """Integrate the flow from every start and compare its end with a formula: SUPPORTED if all ends
    agree to 2e-7; REFUTED with the start at which they differ most, the flow integrated a second
    time with a tighter tolerance; OPEN if an integration does not arrive. Its control has the
    formula's U larger by one part in 1000.
    """
    began = time.perf_counter()
    ends = []
    for start in starts:
        flow = _end(start, 1e-11)
        if flow is None:
            reason = f"the integration did not arrive from {start.name}"
            return Evidence(
                verdict=Verdict.OPEN, engine="integration of the flow", checked=checked, reason=reason
            )
        ends.append(flow)
    found = _compared(limit, starts, ends, checked)
    if found.verdict.accepted:
        control = _compared(lambda s: (1.001 * limit(s)[0], limit(s)[1]), starts, ends, checked)
        found = found.replace(control=control)
    return found.replace(seconds=time.perf_counter() - began, seed=current_seed())


def _end(start: Start, rtol: float) -> tuple[Floats, float] | None:
    """The end of the integrated flow, if it arrives."""
    flow = start.flow(rtol)
    return (flow.U[-1], float(flow.u[-1])) if flow.converged else None


def _distance(a: tuple[Floats, float], b: tuple[Floats, float]) -> float:
    """Distance of two points (U, u) relative to the second."""
    return float(np.hypot(np.linalg.norm(a[0] - b[0]), a[1] - b[1]) / np.hypot(np.linalg.norm(b[0]), b[1]))


def _compared(
    limit: Limit, starts: Sequence[Start], ends: Sequence[tuple[Floats, float]], checked: str
) -> Evidence:
    """The verdict on a formula from the ends of the integrated flows."""
    gaps = [_distance(limit(s), end) for s, end in zip(starts, ends)]
    k = int(np.argmax(gaps))
    worst: dict[str, Any] = {"start": starts[k].name, "relative distance": gaps[k]}
    common: dict[str, Any] = {"engine": "integration of the flow", "checked": checked}
    if gaps[k] <= AGREEMENT:
        covered = (
            f"{len(starts)} starts over {len({s.name.split(';')[0] for s in starts})} covariances, up to "
            f"{gaps[k]:.0e} relative"
        )
        return Evidence(
            verdict=Verdict.SUPPORTED,
            covered=covered,
            dimension=_dimensions(starts),
            tightest=worst,
            **common,
        )
    again = _end(starts[k], 1e-12)
    disagreement = np.inf if again is None else _distance(again, ends[k]) / gaps[k]
    if disagreement > 1e-6:
        reason = (
            f"formula and flow differ by {gaps[k]:.1e} at {starts[k].name}, but two integrations by "
            f"{disagreement:.1e} of that"
        )
        return Evidence(verdict=Verdict.OPEN, reason=reason, **common)
    s = starts[k]
    witness: dict[str, Any] = {**worst, "Sigma": str(s.Sigma.tolist()), "U0": str(s.U0.tolist()), "u0": s.u0}
    by: dict[str, Any] = {"witness_by": "two routes", "disagreement": disagreement}
    return Evidence(verdict=Verdict.REFUTED, witness=witness, **by, **common)
