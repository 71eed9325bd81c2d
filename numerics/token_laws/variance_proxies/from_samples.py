"""What samples alone tell about a sub-Gaussian parameter sigma. If sigma is honest, squares of u.Z
and exponentials of v.Z have bounded means. Some tokens choose the variables that look worst, the
others bound their means from below at error 1e-9, by an empirical Bernstein inequality. A violation
is thereby proved; what no token reached stays unseen.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.evidence import Evidence, Verdict
from numerics.token_laws.token_law import TokenLaw

__all__ = ["MOST_TOKENS", "judged_by_samples", "lower_bound"]

Floats = NDArray[np.float64]
#: Error of a refutation over all variables tested, and how many of these there are.
ERROR, TESTED = 1e-9, 8
MOST_TOKENS = 10**8
#: Tokens that choose the variables, tokens drawn at a time, random directions, and lengths |v| in
#: units of 1 / sigma.
SEARCHED, PIECE, DIRECTIONS = 10_000, 65_536, 8
LENGTHS = np.geomspace(0.1, 6.0, 9)
#: Quantiles at which the variables are cut off: Bernstein's inequality needs a bound, and a cut
#: only lowers a mean.
CUT_QUANTILES = (0.99, 0.999, 0.9999)


class Variable(NamedTuple):
    """A variable in [0, top] whose mean is at most `bound` if sigma is honest: a cut square of u.Z,
    or exponential of v.Z.
    """

    v: Floats
    square: bool
    top: float
    bound: float

    def values(self, tokens: Floats, sigma: float) -> Floats:
        score = tokens @ self.v
        with np.errstate(over="ignore"):
            raw = score**2 if self.square else np.exp(score - sigma**2 * float(self.v @ self.v) / 2)
        return np.minimum(raw, self.top)


def lower_bound(mean: float, variance: float, top: float, n: int, error: float) -> float:
    """A lower bound of the mean of n variables in [0, top] (Maurer and Pontil 2009, Theorem 4),
    which exceeds it with probability at most ``error``, from mean and variance (with n - 1) of the
    sample.
    """
    log = math.log(2 / error)
    return mean - math.sqrt(2 * variance * log / n) - 7 * top * log / (3 * (n - 1))


def judged_by_samples(law: TokenLaw, seed: int, samples: int, checked: str) -> Evidence:
    """Return REFUTED if a lower bound exceeds what sigma allows, SUPPORTED otherwise.

    The control judges half of the standard deviation that was seen, by the same tokens.
    """
    common: dict[str, Any] = {
        "engine": "Monte Carlo",
        "checked": checked,
        "dimension": f"d = {law.d}",
        "seed": seed,
    }
    look = np.asarray(law.sample(_generator(seed, 1), min(samples // 2, SEARCHED)))
    rest = samples - len(look)
    values, vectors = np.linalg.eigh(look.T @ look / len(look))
    seen = math.sqrt(max(float(values[-1]), 0.0))
    if seen == 0:
        covered = f"{len(look)} tokens, all of them 0"
        return Evidence(verdict=Verdict.SUPPORTED, covered=covered, samples=len(look), **common)
    sigmas = (law.sigma, seen / 2)
    u = vectors[:, -1]
    control = Variable(u, True, float(np.quantile((look @ u) ** 2, CUT_QUANTILES[1])), sigmas[1] ** 2)
    variables = [_promising(look, law.sigma, rest, seed), [control] if control.top > 0 else []]
    moments = np.zeros((2, TESTED, 2))  # sums of values and of squares
    rng, left = _generator(seed, 2), rest
    while left:
        tokens = np.asarray(law.sample(rng, min(left, PIECE)))
        left -= len(tokens)
        for i, sigma in enumerate(sigmas):
            for j, variable in enumerate(variables[i]):
                x = variable.values(tokens, sigma) / variable.top
                moments[i, j] += x.sum(), (x * x).sum()
    verdicts = [
        _verdict(variables[i], moments[i], rest, sigmas[i], {**common, "samples": samples}) for i in (1, 0)
    ]
    if verdicts[1].verdict is Verdict.REFUTED:
        return verdicts[1]
    return verdicts[1].replace(control=verdicts[0] if verdicts[0].verdict is Verdict.REFUTED else None)


def _generator(seed: int, stream: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=np.array([seed, stream], dtype=np.uint64)))


def _promising(look: Floats, sigma: float, n: int, seed: int) -> list[Variable]:
    """The variables whose lower bounds would be furthest above what is allowed, if the few tokens
    that choose had the moments of the law.
    """
    d, count = look.shape[1], len(look)
    values, vectors = np.linalg.eigh(look.T @ look / count)
    mean = look.mean(0) if look.mean(0).any() else np.ones(d)
    random = _generator(seed, 3).standard_normal((DIRECTIONS if d > 1 else 0, d))
    directions = np.concatenate([vectors.T[::-1][:DIRECTIONS], np.eye(d)[:DIRECTIONS], mean[None], random])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    lengths = np.concatenate([LENGTHS, -LENGTHS]) / max(sigma, 0.1 * math.sqrt(float(values[-1])))
    ranked: list[tuple[float, Variable]] = []
    for u in directions:
        score = look @ u
        with np.errstate(over="ignore"):
            exponentials = np.exp(lengths[:, None] * score - sigma**2 * lengths[:, None] ** 2 / 2)
        x = np.sort(np.vstack([score**2, exponentials]), axis=1)
        for share in CUT_QUANTILES:
            kept = int(share * count)
            top = x[:, kept]
            good = (top > 0) & np.isfinite(top)
            y = np.minimum(x[good] / top[good, None], 1.0)
            for i, m, v in zip(np.flatnonzero(good), y.mean(1), y.var(1)):
                t = 1.0 if i == 0 else float(lengths[i - 1])
                variable = Variable(t * u, bool(i == 0), float(top[i]), sigma**2 if i == 0 else 1.0)
                gap = lower_bound(float(m), float(v), 1.0, n, ERROR / TESTED) - variable.bound / variable.top
                ranked.append((gap / math.sqrt(float(v) + 1e-24), variable))
    ranked.sort(key=lambda pair: pair[0], reverse=True)
    return [variable for _, variable in ranked[:TESTED]]


def _verdict(
    variables: list[Variable], sums: Floats, n: int, sigma: float, common: dict[str, Any]
) -> Evidence:
    best: tuple[float, Variable, float] | None = None
    for variable, (total, squares) in zip(variables, sums):
        mean = float(total / n)
        variance = max(float(squares - n * mean**2) / (n - 1), 0.0)
        lower = lower_bound(mean, variance, 1.0, n, ERROR / TESTED) * variable.top
        if lower > variable.bound and (best is None or lower / max(variable.bound, 1e-300) > best[0]):
            best = lower / max(variable.bound, 1e-300), variable, lower
    if best is None:
        covered = (
            f"{common['samples']} tokens: squares of u.Z and exponentials of v.Z along the mean, "
            f"{DIRECTIONS} random directions and at most as many of the covariance and of the axes, |v| up "
            f"to {LENGTHS[-1]:g} / sigma, by {common['samples'] - n} of the tokens; the {TESTED} most "
            "promising by the others"
        )
        return Evidence(verdict=Verdict.SUPPORTED, covered=covered, **common)
    _, variable, lower = best
    what = "E (v.Z)^2 at least" if variable.square else "E exp(v.Z - sigma^2 |v|^2 / 2) at least"
    witness: dict[str, Any] = {f"v_{i + 1}": float(x) for i, x in enumerate(variable.v)}
    witness |= {"sigma": sigma, what: lower, "allowed": variable.bound}
    slack = variable.bound / lower
    return Evidence(
        verdict=Verdict.REFUTED, witness=witness, witness_by="statistics", error=ERROR, slack=slack, **common
    )
