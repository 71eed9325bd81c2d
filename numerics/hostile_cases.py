"""Statements about softmax averages on every combination of `numerics.hostile`: exact for laws on few atoms, sampled elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from numerics.bounds import Mean, Statement
from numerics.hostile import DIMENSIONS, LENGTHS, Law, functions, laws, matrices, queries
from numerics.seeds import generator
from numerics.softmax_average import RandomVariable, SoftmaxAverage, around, softmax_average

__all__ = ["Worst", "worst_hostile"]

Array = npt.NDArray[np.float64]
PROMPTS = 600
#: A law is enumerated at the lengths at which its prompts have at most this many vectors of counts.
OUTCOMES = 1000
#: Queries are shortened to sigma |Uz| <= 3: beyond, a sample misses the few prompts that carry the mean.
REACH = 3.0
ERROR = 1e-6


@dataclass(frozen=True)
class Worst:
    """The largest ratio of the two sides over the hostile cases.

    Parameters
    ----------
    ratio : float
        Exact, at the worst of the cases that can be enumerated.
    where : str
        That case in words.
    estimate : float
        The largest ratio in a sample; it errs upwards, as the largest of many estimates.
    cases, noisy : int
        How many were tried; in how many the sample does not settle on which side of ``limit`` the ratio lies.
    samples : int
        Prompts drawn, over all sampled cases.
    broken : bool
        Whether some ratio is above ``limit`` (exactly, or with confidence).
    """

    ratio: float
    where: str
    estimate: float
    cases: int
    noisy: int
    samples: int
    broken: bool

    @property
    def covered(self) -> str:
        """The coverage in words."""
        exact = f"{self.cases} hostile cases: at most {self.ratio:.6g} where exact ({self.where})"
        noisy = f", {self.noisy} too noisy to count" if self.noisy else ""
        return f"{exact}, {self.estimate:.3g} where sampled ({PROMPTS} prompts each{noisy})" if self.samples else exact


def worst_hostile(statement: Statement, limit: float, seed: int) -> Worst:
    """The worst case of a statement over the laws, lengths, matrices, queries and functions of `numerics.hostile`.

    Parameters
    ----------
    statement : Statement
    limit : float
        The ratio that the statement allows.
    seed : int
        Part of the key under which the evaluation is remembered: the seed of the claim that is being judged.
    """
    rows = _evaluated(statement, seed)
    name, _, ratio, _, _ = max((r for r in rows if r[4]), key=lambda r: r[2])
    sampled = [r for r in rows if not r[4]]
    return Worst(
        ratio=ratio,
        where=name,
        estimate=max((r[2] for r in sampled), default=0.0),
        cases=len(rows),
        noisy=sum(low <= limit < high for _, low, _, high, _ in sampled),
        samples=PROMPTS * len(sampled),
        broken=any(low > limit * (1 + 1e-9) for _, low, _, _, _ in rows),
    )


@lru_cache(maxsize=256)
def _evaluated(statement: Statement, seed: int) -> list[tuple[str, float, float, float, bool]]:
    """(case, lower limit, ratio, upper limit, exact) for every case; the limits hold together with probability 1 - `ERROR`."""
    rows = []
    random = isinstance(statement.left, (Mean, RandomVariable))
    for name, exact, c in _every_case(LENGTHS if random else (1,), seed):
        exact = exact or not random
        low, ratio, high = (float(statement.ratios(c)),) * 3 if exact else _interval(statement, c)
        rows.append((name, low, ratio, high, exact))
    return rows


@lru_cache(maxsize=1)
def _every_case(lengths: tuple[int, ...], seed: int) -> list[tuple[str, bool, SoftmaxAverage]]:
    """The cases of one seed, kept for the next statement of the same claim (some 60 MB)."""
    numbered = ((law, generator(100 * d + number)) for d in DIMENSIONS for number, law in enumerate(laws(d)))
    return [case for law, rng in numbered for case in _cases(law, rng, lengths)]


def _interval(statement: Statement, c: SoftmaxAverage) -> tuple[float, float, float]:
    """Lower limit, estimate and upper limit of a ratio from sampled prompts, each off with probability below 1e-10."""
    if isinstance(statement.left, Mean):
        values, ratio = statement.left.variable.of(c), float(statement.ratios(c))
        if not (mean := float(values.mean())):
            return 0.0, 0.0, 0.0
        spread = 6.4 * float(values.std()) / math.sqrt(len(values)) / mean
        return ratio * (1 - spread), ratio, ratio * (1 + spread)
    ratios, _ = statement.by_threshold(c)
    # the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart holds at all thresholds together; far tails are beyond it
    reached = np.arange(1, len(ratios) + 1) / len(ratios)
    width = math.sqrt(math.log(2e10) / (2 * len(ratios)))
    seen = reached >= 0.05
    if statement.exponents:
        high = ratios * np.log(reached) / np.log(np.minimum(reached + width, 1 - 1e-12))
        low = ratios * np.log(reached) / np.log(np.maximum(reached - width, 1e-300))
    else:
        low, high = ratios * (1 - width / reached), ratios * (1 + width / reached)
    return tuple(float(np.max(v[seen], initial=0.0)) for v in (low, ratios, high))  # type: ignore[return-value]


def _cases(law: Law, rng: np.random.Generator, lengths: tuple[int, ...]) -> Iterator[tuple[str, bool, SoftmaxAverage]]:
    """(name, whether exact, outcomes) for every length, query, matrix and function at one law."""
    d, tokens = law.d, ((law.nodes**2).sum(1), law.sigma2, law.d)
    prompts = law.sample(rng, PROMPTS * lengths[-1]).reshape(PROMPTS, lengths[-1], d)
    values = {name: (f(law.nodes).T, np.moveaxis(f(prompts), -1, 0)) for name, f in functions(d).items()}
    directions = {f"U = I, {name} query": z for name, z in queries(d).items()}
    directions |= {f"U = {name}, unit query": U @ queries(d)["unit"] for name, U in matrices(d).items() if name not in ("0", "I")}
    for where, a in directions.items():
        sigma = math.sqrt(law.sigma2) * float(np.linalg.norm(a))
        a = a * min(1.0, REACH / sigma) if sigma else a
        w = np.exp(prompts @ a)
        cumulated = np.cumsum(w, axis=1)
        scores, a2 = law.nodes @ a, law.sigma2 * float(a @ a)
        for function, (at_nodes, at_tokens) in values.items():
            summed = np.cumsum(w * at_tokens, axis=2)
            for L in lengths:
                exact = bool(law.atoms) and math.comb(L + len(law.atoms) - 1, len(law.atoms) - 1) <= OUTCOMES
                if exact:
                    c = softmax_average(L, scores, at_nodes, law.masses, a2, tokens)
                else:
                    nodes, S_L, R_L = (np.exp(scores), at_nodes, law.masses), cumulated[:, L - 1].copy(), summed[:, :, L - 1].copy()
                    c = around(L, np.full(PROMPTS, 1 / PROMPTS), S_L, R_L, nodes, a2, tokens)
                yield f"{law.name} in d = {d}, L = {L}, {where}, f = {function}", exact, c
