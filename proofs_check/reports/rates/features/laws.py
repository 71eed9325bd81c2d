"""Our laws of the times of learning, R7 and R9 to R12, against exact times and integrated flows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from numerics.regression.features.descent import attention_descent
from numerics.regression.features.flow import attention_flow
from proofs_check.reports.rates.features.learning_times import Features, OrbitClock, RandomClock
from proofs_check.reports.rates.features.printed import ours
from proofs_check.reports.rates.features.times import EPS, spread
from proofs_check.reports.rates.lines.line import Line
from proofs_check.reports.rates.lines.slopes import exponent
from theory.regression.features.data import FeatureRegression
from theory.regression.features.orbits import cube, lattice, polygon, torus
from theory.regression.features.reduced import ReducedAttention

__all__ = ["our_lines"]

#: Relative error of an integrated flow that a comparison allows.
FLOW_ERROR = 1e-6


def half_law(K: float) -> float:
    """R7: ``c T(Attn >= 1/2)`` up to at most ``(3 ln K + 17/2)/K``."""
    return float(K**2 + 3 * K * np.log(K) - K / 2 - 6 * np.log(K) - 8)


def _half() -> Line:
    """R7's time to one half with its next terms; beyond K = 2^17 rounding hides the remainder."""
    over = {
        K: ReducedAttention(K, 1.0).attention_time(0.5) - half_law(K) for K in (2**n for n in range(2, 18))
    }
    rounding = {K: 1e-15 * K**3 for K in over}
    holds = all(7.9 - rounding[K] <= K * gap - 3 * np.log(K) <= 8.5 + rounding[K] for K, gap in over.items())
    says = (
        f"The exact time exceeds the law by {over[4]:.3f} at K = 4 and by {over[1024]:.4f} at K = 1024 of "
        f"{half_law(1024):.0f}."
    )
    law = "R7: c T(1/2) = K^2 + 3K ln K - K/2 - 6 ln K - 8, up to at most (3 ln K + 17/2)/K"
    return ours("OURS:R7.half", law, says, holds)


def _law() -> Line:
    """R7's law of the time to an attention, from above."""
    grid = [(ReducedAttention(2**n, 1.0), e) for n in range(4, 41) for e in (0.75, 0.5, *EPS)]
    shares = [reduced.attention_law(e) / reduced.attention_time(e) for reduced, e in grid]
    holds = all(1 - 1e-12 <= share <= 1 + 12 / (reduced.K - 1) for share, (reduced, _) in zip(shares, grid))
    says = (
        f"On K = 16 ... 2^40 and eps = 10^-4 ... 3/4 the law is 1 to {max(shares):.4f} times the exact time."
    )
    return ours(
        "OURS:R7.law",
        "R7: c T(1-eps) = K^2 + 3K ln(Kr) + 3Kr + K r^2/2 with r = (1-eps)/eps, from above",
        says,
        holds,
    )


def _flow() -> Line:
    """The closed time beside the integrated flow of the whole matrix Q."""
    worst = 0.0
    for K in (4, 8, 16, 32):
        reduced = ReducedAttention(K, 1.0)
        path = attention_flow(
            FeatureRegression(np.eye(K), np.eye(K)), [reduced.attention_time(e) for e in (0.5, *EPS)]
        )
        rest = 1 - path.attention[:, 0, 0]
        worst = max(worst, float(np.max(np.abs(rest / (0.5, *EPS) - 1))))
    says = (
        "At the closed times the flow of Q, integrated for K = 4 ... 32, has 1 - Attn = eps up to "
        f"{worst:.1e} of eps."
    )
    return ours("OURS:R7.time", "R7: the closed time to every attention 1-eps", says, worst < FLOW_ERROR)


def _scaling(seed: int) -> Line:
    """R9: a power of two as scale leaves every bit of Q as it is."""
    rng = np.random.default_rng(seed)
    V, tasks, p = rng.standard_normal((3, 5)), rng.standard_normal((6, 5)), rng.dirichlet(np.ones(5))
    one = attention_descent(FeatureRegression(V, tasks=tasks, probabilities=p, prompt_length=3), 0.5, 300)
    scaled = attention_descent(
        FeatureRegression(V, tasks=8 * tasks, probabilities=p, prompt_length=3), 0.5 / 64, 300
    )
    same = np.array_equal(one.coefficients, scaled.coefficients) and np.array_equal(
        64 * one.loss, scaled.loss
    )
    clock = ReducedAttention(16, 1.0)
    times = [
        clock.loss_time((s * 1e-2) ** 2 / spread(16, s, 2**0.5)) / spread(16, s, 2**0.5) * s**2
        for s in (1.0, 3.0, 100.0)
    ]
    off = max(times) / min(times) - 1
    says = (
        f"300 steps on five random features with tasks 8f and eta/64 have {'the same' if same else 'other'} "
        f"bits as with f and eta; T(sL, eta/s^2, s eps) is the same for s = 1, 3, 100 up to {off:.1g}."
    )
    law = (
        "R9: T(loss <= eps^2) depends on eta L^2 and eps/L alone: no threshold of L moves with neither eps "
        "nor eta"
    )
    return ours("OURS:R9.time", law, says, same and off < 1e-9)


def _finite() -> Line:
    """R10: the late loss above the floor is the same for every length of prompts."""
    found = {}
    for N in (4, 16, 256, 4096):
        reduced = ReducedAttention(16, 1.0, prompt_length=N)
        found[N] = [
            (reduced.loss(reduced.flow(t)) - reduced.floor) / reduced.late_loss(t) for t in (1e6, 1e9)
        ]
    holds = all(abs(late - 1) < min(0.02, abs(early - 1)) for early, late in found.values())
    told = ", ".join(f"{late:.5f} at N = {N}" for N, (_, late) in found.items())
    law = "R10: loss - floor ~ (K-1)/(4 eta kappa^2 t) for every prompt length N"
    return ours("OURS:R10.late", law, f"Their ratio at t = 10^9 and K = 16: {told}.", holds)


def _margin(given: Sequence[Features], seed: int) -> Line:
    """R11: the margin decides the late loss of random features; it may cross its limit."""
    clocks = {found.K: found.clock for found in given if isinstance(found.clock, RandomClock)} or {
        4: RandomClock(4, seed)
    }
    early, late = ({K: clock.late(t) for K, clock in clocks.items()} for t in (1e9, 1e12))
    holds = all(abs(late[K] - 1) < max(0.01, min(0.05, abs(early[K] - 1))) for K in clocks)
    told = ", ".join(f"{early[K]:.4f} and {late[K]:.4f} at K = {K}" for K in clocks)
    return ours(
        "OURS:R11",
        "R11: 4 eta gamma^2 t loss(t) -> 1",
        f"Random features at t = 10^9 and 10^12: {told}.",
        holds,
    )


def _cube() -> Line:
    """R12: the cube with its next term."""
    share = {d: cube(d).attention_time(0.5) * d / 2**d for d in (5, 10, 20, 40)}
    rest = {d: d**2 * (value - 1 - 9 / (4 * d)) for d, value in share.items()}
    told = ", ".join(f"{share[d] / (1 + 9 / (4 * d)):.4f} at K = 2^{d}" for d in share)
    law = "R12, cube: T(1/2) = K/(eta sigma_f^2 log_2 K) (1 + 9/(4 log_2 K) + O(1/(log_2 K)^2))"
    holds = abs(rest[40]) < 15 and abs(rest[40]) < 1.1 * abs(rest[20])
    return ours("OURS:R12.cube", law, f"The exact time over the law: {told}.", holds)


def _polygon() -> Line:
    """R12: polygons learn in a time without K."""
    times = {m: polygon(m).attention_time(0.5) for m in (4, 64, 1024, 2048)}
    told = ", ".join(f"{time:.4f} at K = {m}" for m, time in times.items())
    holds = abs(times[2048] - 20.4692) < 5e-4
    law = "R12, polygon of side 1: T(1/2) -> 20.4692/(eta sigma_f^2), without K"
    return ours("OURS:R12.polygon", law, f"Exactly {told}.", holds)


def _torus() -> Line:
    """R12: the exponent of K that a product of D polygons has."""
    told, holds = [], True
    for D, m in ((3, 512), (5, 2048), (8, 256)):
        corners = np.array([m, 2 * m])
        fit = exponent(corners ** float(D), [torus(int(n), D).attention_time(0.5) for n in corners])
        power = max(0.0, 1 - 4 / D)
        told.append(f"K^{fit.value:.4f} at D = {D}, against {power:g}")
        holds &= abs(fit.value - power) < 0.02
    law = "R12, product of D polygons: T(1/2) like K^(1 - 4/D) for D >= 5, bounded for D <= 3"
    return ours("OURS:R12.torus", law, f"Between the two largest: {'; '.join(told)}.", holds)


def _lattice() -> Line:
    """R12: lattices learn sooner than as many orthogonal features at the larger distance 2."""
    factors, expected = {}, {"E8": 5, "BW16": 57, "Leech": 1838}
    for name in expected:
        orbit = lattice(name)
        factors[name] = ReducedAttention(orbit.K, 4.0).attention_time(0.5) / orbit.attention_time(0.5)
    told = ", ".join(f"{factor:.1f} times for {name}" for name, factor in factors.items())
    holds = all(round(factors[name]) == value for name, value in expected.items())
    law = (
        "R12, lattices: 5, 57 and 1838 times faster than as many orthogonal features at distance 2; no law "
        "in K, L, Delta exists"
    )
    return ours("OURS:R12.lattice", law, f"Exactly {told}.", holds)


def _between(given: Sequence[Features]) -> list[Line]:
    """R12: the universal lower bound, and the upper bound of orbits; times 1/(eta sigma_f^2)."""
    low, high = {}, {}
    for found in given:
        clock = found.clock
        if isinstance(clock, OrbitClock):
            orbit = clock.orbit
            # The mean of 1/2 the squared distances is R^2, as the features sum to 0.
            R2 = (
                float(orbit.half_squares @ orbit.multiplicities)
                / (orbit.multiplicities.sum() + 1)
                * orbit.copies
            )
            half = clock.attention_time(0.5)
            high[found.name] = half / (32 * orbit.r * found.K / found.Delta**4)
        elif isinstance(clock, RandomClock):
            R2, half = 1.0, clock.first_half
        else:
            R2, half = found.Delta**2 / 2, clock.attention_time(0.5)
        if found.K >= 6:
            low[found.name, found.K] = half / (found.K / (6 * np.e * R2**2))
    (name, K), least = min(low.items(), key=lambda pair: pair[1])
    at, most = max(high.items(), key=lambda pair: pair[1])
    return [
        ours(
            "OURS:R12.lower",
            "R12: for any features of norm at most R, T(1/2) >= K/(6e eta sigma_f^2 R^4)",
            f"Of {len(low)} choices of features the time is least, {least:.3f} times the bound, for {name} "
            f"at K = {K}.",
            least >= 1,
        ),
        ours(
            "OURS:R12.upper",
            "R12: for an orbit in R^r, T(1/2) <= 32 r K/(eta sigma_f^2 Delta^4)",
            f"Of {len(high)} orbits the time is largest, {most:.3f} of the bound, for {at}.",
            most <= 1,
        ),
    ]


def our_lines(given: Sequence[Features], seed: int) -> list[Line]:
    """A line for each law of ours; the seed is that of the random features and tasks of R9
    and R11.
    """
    return [
        *(_half(), _law(), _flow(), _scaling(seed), _finite(), _margin(given, seed)),
        *(_cube(), _polygon(), _torus(), _lattice(), *_between(given)),
    ]
