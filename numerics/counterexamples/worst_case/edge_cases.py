"""Bounds on the softmax average tried on every combination of the edge cases of laws, lengths,
queries, matrices and functions. For laws on few atoms and short prompts the ratios are exact sums;
elsewhere prompts are sampled, and the ratios have confidence limits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from numerics.attention.exact.softmax_average import RandomVariable, SoftmaxAverage, around, softmax_average
from numerics.counterexamples.worst_case.statement import Mean, Statement
from numerics.seeds import current_reseed, shared_generator
from numerics.token_laws.edge_cases import DIMENSIONS, LENGTHS, edge_case_laws, functions, matrices, queries
from numerics.token_laws.token_law import TokenLaw

__all__ = ["STREAM", "Worst", "worst_edge_case"]

Array = npt.NDArray[np.float64]
#: The name of the random stream of the samples.
STREAM = "hostile cases"
#: Prompts in a sample.
PROMPTS = 600
#: A law is enumerated at the lengths at which its prompts have at most this many vectors of counts.
MOST_OUTCOMES = 1000
#: Queries are shortened to this size of ``sigma |Uz|``: beyond, a sample misses the few prompts
#: that carry the mean.
LARGEST_SCORE = 3.0
#: Probability that some confidence limit of a statement is wrong.
ERROR = 1e-6


@dataclass(frozen=True)
class Worst:
    """The largest ratio of the two sides over the edge cases."""

    #: Exact, at the worst of the cases that can be enumerated.
    ratio: float
    #: That case in words.
    where: str
    #: The largest ratio in a sample; it errs upwards, as the largest of many estimates.
    estimate: float
    #: How many were tried; in how many the sample does not settle on which side of ``limit`` the
    #: ratio lies.
    cases: int
    noisy: int
    #: Prompts drawn, over all sampled cases.
    samples: int
    #: Whether some ratio is above ``limit`` (exactly, or with confidence).
    broken: bool

    @property
    def covered(self) -> str:
        """The coverage in words."""
        exact = f"{self.cases} cases of extreme laws: at most {self.ratio:.6g} where exact ({self.where})"
        noisy = f", {self.noisy} too noisy to count" if self.noisy else ""
        return (
            f"{exact}, {self.estimate:.3g} where sampled ({PROMPTS} prompts each{noisy})"
            if self.samples
            else exact
        )


def worst_edge_case(statement: Statement, limit: float) -> Worst:
    """The worst case of a statement, whose ratio is at most `limit`, over the edge cases. The
    sampled prompts are the same for all claims of a run, so that claims with one statement share
    its ratios. The limits of each statement hold with the probability that is stated.
    """
    worst, where = 0.0, ""
    estimate, cases, noisy, samples, broken = 0.0, 0, 0, 0, False
    for labels, low, ratio, high, exact in _evaluated(statement, current_reseed()):
        broken |= bool((low > limit * (1 + 1e-9)).any())
        cases += ratio.size
        if not exact:
            estimate = max(estimate, float(ratio.max()))
            noisy += int(((low <= limit) & (limit < high)).sum())
            samples += PROMPTS * ratio.size
        elif not where or ratio.max() > worst:
            worst, where = float(ratio.max()), labels.name(np.unravel_index(ratio.argmax(), ratio.shape))
    return Worst(worst, where, estimate, cases, noisy, samples, broken)


@dataclass(frozen=True, eq=False)
class _Labels:
    """The cases of one law at one length: queries and matrices along the first axis, functions
    along the second.
    """

    law: str
    L: int
    directions: tuple[str, ...]
    functions: tuple[str, ...]

    def name(self, at: tuple[Any, ...]) -> str:
        return f"{self.law}, L = {self.L}, {self.directions[at[0]]}, f = {self.functions[at[1]]}"


@dataclass(frozen=True, eq=False)
class _Batch:
    labels: _Labels
    exact: bool
    average: SoftmaxAverage


Ratios = tuple[_Labels, Array, Array, Array, bool]


@lru_cache(maxsize=256)
def _evaluated(statement: Statement, reseed: int) -> list[Ratios]:
    """Lower limit, ratio and upper limit of every case, and whether they are exact; all limits hold
    together with probability 1 - `ERROR`.
    """
    out: list[Ratios] = []
    random = isinstance(statement.left, (Mean, RandomVariable))
    for batch in _batches(LENGTHS if random else (1,), reseed):
        exact = batch.exact or not random
        limits = (statement.ratios(batch.average),) * 3 if exact else _interval(statement, batch.average)
        shape = len(batch.labels.directions), len(batch.labels.functions)
        low, ratio, high = (np.broadcast_to(np.asarray(v, dtype=float), shape) for v in limits)
        out.append((batch.labels, low, ratio, high, exact))
    return out


@lru_cache(maxsize=2)
def _batches(lengths: tuple[int, ...], reseed: int) -> list[_Batch]:
    """The cases with the random prompts of one family of streams, which every statement shares:
    some 100 MB with all lengths, and little with one token.
    """
    numbered = (
        (law, shared_generator(STREAM, 100 * d + number))
        for d in DIMENSIONS
        for number, law in enumerate(edge_case_laws(d))
    )
    return [batch for law, rng in numbered for batch in _cases(law, rng, lengths)]


def _interval(statement: Statement, c: SoftmaxAverage) -> tuple[Array, Array, Array]:
    """Lower limit, estimate and upper limit of each ratio from sampled prompts, each off with
    probability below 1e-10. For means this is the normal approximation, which heavy tails strain:
    no sample refutes or proves anything by itself, it leaves a statement open.
    """
    if isinstance(statement.left, Mean):
        values, ratio = statement.left.variable.of(c), statement.ratios(c)
        mean = values.mean(0)
        spread = 6.4 * values.std(0) / math.sqrt(len(values)) / np.where(mean == 0, 1, mean)
        return ratio * (1 - spread), ratio, ratio * (1 + spread)
    ratios, _ = statement.by_threshold(c)
    # the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart holds at all thresholds together;
    # far tails are beyond it
    reached = np.arange(1, len(ratios) + 1) / len(ratios)
    width = math.sqrt(math.log(2e10) / (2 * len(ratios)))
    first = int(np.argmax(reached >= 0.05))
    ratios, reached = ratios[first:], reached[first:].reshape((-1,) + (1,) * (ratios.ndim - 1))
    if statement.exponents:
        high = ratios * (np.log(reached) / np.log(np.minimum(reached + width, 1 - 1e-12)))
        low = ratios * (np.log(reached) / np.log(np.maximum(reached - width, 1e-300)))
    else:
        low, high = ratios * (1 - width / reached), ratios * (1 + width / reached)
    return tuple(np.max(v, axis=0, initial=0.0) for v in (low, ratios, high))


def _cases(law: TokenLaw, rng: np.random.Generator, lengths: tuple[int, ...]) -> Iterator[_Batch]:
    """Every query, matrix and function at one law, for each length."""
    d, mu = law.d, law.weighted_nodes
    named = {f"U = I, {name} query": z for name, z in queries(d).items()}
    named |= {
        f"U = {name}, unit query": U @ queries(d)["unit"]
        for name, U in matrices(d).items()
        if name not in ("0", "I")
    }
    a = np.stack(list(named.values()), axis=1)
    sigma = math.sqrt(law.sigma2) * np.linalg.norm(a, axis=0)
    a = a * np.minimum(1.0, LARGEST_SCORE / np.where(sigma == 0, 1, sigma))
    a2 = law.sigma2 * (a * a).sum(0)[:, None]
    prompts = law.sample(rng, PROMPTS * lengths[-1]).reshape(PROMPTS, lengths[-1], d)
    at_nodes, at_tokens = _values(mu.nodes), _values(prompts)
    scores, masses, w = (
        (mu.nodes @ a)[:, :, None],
        mu.masses[:, None, None],
        np.exp(np.moveaxis(prompts @ a, 1, 2)),
    )
    tokens = (mu.nodes**2).sum(1)[:, None, None], law.sigma2, d
    one = np.ones((1, 1, 1))
    single = around(1, one, one, one[None], (np.exp(scores), at_nodes[:, :, None], masses), a2, tokens)
    equal = np.full((PROMPTS, 1, 1), 1 / PROMPTS)
    S_L, R_L, start = np.zeros((PROMPTS, a.shape[1])), np.zeros(1), 0
    for L in lengths:
        exact = bool(law.atoms) and math.comb(L + len(law.atoms) - 1, len(law.atoms) - 1) <= MOST_OUTCOMES
        S_L = S_L + w[:, :, start:L].sum(2)
        R_L = R_L + w[:, :, start:L] @ at_tokens[:, :, start:L]
        start = L
        if exact:
            average = softmax_average(L, scores, at_nodes[:, :, None], masses, a2, tokens)
        else:  # the quantities of the population are sums over many nodes: once for every length
            average = replace(
                single, L=L, weight=equal, S_L=S_L[:, :, None], R_L=R_L, S=L * single.S, R=L * single.R
            )
        yield _Batch(_Labels(f"{law.name} in d = {d}", L, tuple(named), tuple(functions(d))), exact, average)


def _values(points: Array) -> Array:
    """The values of every f at the points, components along the first axis and functions along the
    last; a component that a function does not have is 0.
    """
    found = [f(points) for f in functions(points.shape[-1]).values()]
    out = np.zeros((max(v.shape[-1] for v in found), *points.shape[:-1], len(found)))
    for number, values in enumerate(found):
        out[: values.shape[-1], ..., number] = np.moveaxis(values, -1, 0)
    return out
