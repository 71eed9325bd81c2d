"""The sampler of squared errors of softmax attention for one setting: blocks of replicates that can
be drawn in any order, by any number of threads or machines, with the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from numerics.attention.sampled.all_tokens import PlainSampler, Problem, compiled_sampler
from numerics.attention.sampled.joined_moments import central_sums
from numerics.attention.sampled.scores_only import CONDITIONED, prepare
from numerics.attention.sampled.table_rows import RowSampler
from numerics.attention.setting import AttentionSetting
from numerics.compiled.streams import key_of
from numerics.token_laws.embeddings import EmbeddingTable
from theory.inputs.whole_numbers import read_whole

__all__ = ["LONGEST_PROMPT", "METHODS", "PIECE", "ErrorSampler", "error_sampler"]

Floats = NDArray[np.float64]

#: Replicates of one task. The cut must not depend on the number of threads.
PIECE = 1024
#: Greatest prompt length: one more bit of a word of the counters tells queries from prompts.
LONGEST_PROMPT = 2**31 - 1
#: Largest score; scores are computed in float32.
LARGEST_SCORE = 1e30
#: Largest error whose square has a fourth power in float64.
LARGEST_SIZE = 1e36
#: The ways of sampling; "auto" takes the better one that the law allows.
METHODS = ("auto", "tokens", "scores")
#: What errors may be measured against: the infinite prompt, or linear attention.
AGAINST = ("limit", "linear")


@dataclass(frozen=True, eq=False)
class ErrorSampler:
    """A setting that is ready to be sampled, by `error_sampler`; several threads may use it."""

    #: "tokens" if every token is drawn, "scores" if all but the scores is averaged exactly.
    method: str
    seed: int
    #: ``values(L, first, count)``: squared errors (3, count) of replicates first, …, first + count
    #: − 1 at length L, unchecked.
    values: Callable[[int, int, int], Floats]

    def sums(self, L: int, first: int, count: int) -> Floats:
        """`numerics.attention.sampled.joined_moments.central_sums` (3, 6) of the squared errors of
        output, grad_V and grad_U of ``count`` replicates (at most `PIECE`) at length L, from number
        ``first`` on: a function of (seed, L, first, count), bit for bit, whoever asks and when. A
        FloatingPointError says that an error is not a finite number, as after a sampler of one's
        own returned nan.
        """
        L = read_whole("L", L, "it is the length of a prompt", most=LONGEST_PROMPT)
        first = read_whole(
            "first", first, "it is the number of the first replicate", least=0, most=2**63 - PIECE
        )
        count = read_whole("count", count, "it is the number of replicates", most=PIECE)
        with np.errstate(over="ignore", invalid="ignore"):  # seen below
            sums = central_sums(self.values(L, first, count))
        if not np.isfinite(sums).all():
            raise FloatingPointError(
                f"errors at L = {L} are not finite numbers; rescale Gamma, V or the query, or look at what "
                "the law draws"
            )
        return sums


def error_sampler(
    setting: AttentionSetting, *, method: str = "auto", seed: int = 0, against: str = "limit"
) -> ErrorSampler:
    """A setting made ready for sampling, with the options of `numerics.attention_errors`."""
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method = {method!r} is unknown; take one of {', '.join(METHODS)}")
    if not isinstance(against, str) or against not in AGAINST:
        raise ValueError(f"against = {against!r} is unknown; take one of {', '.join(AGAINST)}")
    key = key_of(seed)
    linear = against == "linear" and not setting.gaussian
    law, A = None if setting.gaussian else setting.law, setting.token_factor
    root = setting.query_factor if setting.averaged else np.zeros((setting.d, 0))
    problem = Problem(setting.U, setting.V, setting.query, root, setting.Gamma if linear else None)
    kind = "normal" if law is None else law.coordinates
    _check_size(problem, law.sigma * A if law is not None and kind is None else A)
    if linear and method == "scores":
        raise ValueError(
            'method = "scores" measures against the infinite prompt; take "tokens" against linear attention'
        )
    if method == "scores" or (
        method == "auto" and not linear and isinstance(kind, str) and kind in CONDITIONED
    ):
        conditioned = prepare(kind, A, problem.U, problem.V, problem.mean, problem.root)
        return ErrorSampler(
            "scores", int(seed), lambda L, first, count: conditioned.values(L, first, count, key)
        )
    if law is not None and law.structure is None and law.log_mgf is None:
        raise ValueError(
            f"the law {law.name} has no log_mgf, so the infinite prompt that errors are measured against is "
            "unknown; pass log_mgf= when you make the law"
        )
    if kind is None and law is not None:
        plain = (RowSampler if isinstance(law.structure, EmbeddingTable) else PlainSampler)(problem, law)
        return ErrorSampler(
            "tokens", int(seed), lambda L, first, count: plain.values(L, first, count, int(seed))
        )
    compiled = compiled_sampler(problem, kind, A, law)
    return ErrorSampler("tokens", int(seed), lambda L, first, count: compiled.values(L, first, count, key))


def _check_size(problem: Problem, A: Floats) -> None:
    """Refuse scores beyond float32, and errors whose squares have no fourth power in float64."""
    U, V, z, F = problem.U, problem.V, problem.mean, problem.root
    with np.errstate(over="ignore", invalid="ignore"):
        b, W = A.T @ U @ z, A.T @ U @ F
        steepest = float(np.abs(b).max(initial=0) + 10 * np.abs(W).max(initial=0))
        columns, rows = float(np.abs(A).max()), float(np.abs(V @ A).max())
        query_size = float(np.abs(z).max() + 10 * np.abs(F).max(initial=0))
        size = max(columns, rows) * max(1.0, steepest) + columns * rows * max(1.0, query_size)
    if not steepest <= LARGEST_SCORE:
        raise ValueError(
            f"scores (Uz)·z_k beyond {LARGEST_SCORE:.0e} leave the range of float32; rescale U or the query"
        )
    if not size < LARGEST_SIZE:
        raise ValueError(
            f"squares of errors beyond {LARGEST_SIZE:.0e} have no fourth powers in a float; rescale Gamma, "
            "V or the query"
        )
