"""Monte Carlo estimates of the finite-prompt errors of softmax attention and of its gradients."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.sampled.joined_moments import joined
from numerics.attention.sampled.sampler import LONGEST_PROMPT, PIECE, error_sampler
from numerics.attention.setting import AttentionSetting, as_setting
from numerics.jobs.runner import thread_count
from numerics.seeds import current_seed
from numerics.token_laws import TokenLaw
from theory.inputs.whole_numbers import read_whole
from theory.shown.result import Drawn, few, in_a_line

__all__ = ["AttentionErrors", "Estimate", "as_errors", "attention_errors"]

Array = NDArray[np.float64]
#: More replicates would take a machine years, for digits that nobody needs.
MOST_REPLICATES = 10**12
#: The diagnostics take fourth powers of the errors, which are 0 for smaller means.
LEAST_MEAN = 1e-75
#: The largest number of pieces that a thread draws before it hands them on, and of pieces times
#: tokens of a prompt: more would keep somebody waiting who interrupts the call.
TOGETHER, PATIENCE = 16, 2**15


@dataclass(frozen=True)
class Estimate:
    """A mean over replicates x, an entry for each prompt length; lengths have their own prompts."""

    mean: Array
    #: nan with a single replicate.
    standard_error: Array
    #: (Σ x)² / Σ x²: far below the number of replicates, the mean hangs on few of them.
    effective_samples: Array
    #: max x / Σ x. Above some 5 % neither mean nor standard error should be trusted.
    largest_share: Array
    #: The distribution of the mean is skewed by skewness / √n; nan if the replicates do not vary.
    skewness: Array
    #: 3 for a normal law; the relative error of `standard_error` is about √((kurtosis − 1) / n) /
    #: 2.
    kurtosis: Array

    __repr__ = in_a_line


@dataclass(frozen=True, repr=False)
class AttentionErrors(Drawn):
    """Squared errors against the infinite prompt, averaged over prompts (and queries, if these are
    random): E |T_L − T|² of the output, and E |∇ (T_L − T)|² in V and in U, summed over all
    components of the output and all entries of the matrix.
    """

    lengths: NDArray[np.int64]
    replicates: int
    seed: int
    output: Estimate
    grad_V: Estimate
    grad_U: Estimate
    #: "tokens": every token was drawn; "scores": all but the scores was averaged exactly.
    method: str = "tokens"

    def heading(self) -> str:
        n = len(self.lengths)
        return (
            "Mean squared errors of softmax attention against the infinite prompt, sampled "
            f"({self.replicates} prompts, seed {self.seed}, method {self.method}), at {n} prompt "
            f"length{'s' if n != 1 else ''}"
        )

    def table(self) -> list[list[str]]:
        names, estimates = self._estimates()
        cells = [
            [f"{e.mean[i]:.4g} ± {e.standard_error[i]:.1g}" for e in estimates]
            for i in range(len(self.lengths))
        ]
        return [["L", *names], *few([[str(L), *row] for L, row in zip(self.lengths, cells)])]

    def rows(self) -> list[tuple[str, str]]:
        largest = max(float(e.largest_share.max(initial=0.0)) for e in self._estimates()[1])
        advice = "; it is above 5 %, so draw more before you trust mean and standard error"
        warning = advice if largest > 0.05 else ""
        return [
            ("±", "one standard error"),
            ("largest share", f"one prompt makes up {100 * largest:.2g} % of a mean{warning}"),
        ]

    def _draw(self, ax: Any) -> None:
        drawn = zip(*self._estimates(), ("exact", "theorem", "gradient"))
        self._curves(
            ax, self.lengths, [(name, e.mean, e.standard_error, colour) for name, e, colour in drawn]
        )
        ax.set(xlabel="prompt length L", ylabel="mean squared error, ± standard error")

    def _estimates(self) -> tuple[tuple[str, ...], tuple[Estimate, ...]]:
        return ("output", "grad_V", "grad_U"), (self.output, self.grad_V, self.grad_U)


def attention_errors(
    Gamma: ArrayLike | TokenLaw | AttentionSetting,
    U: ArrayLike | None = None,
    V: ArrayLike | None = None,
    query: ArrayLike | None = None,
    lengths: int | Sequence[int] | NDArray[np.integer] = (),
    *,
    query_cov: ArrayLike | None = None,
    replicates: int = 4096,
    seed: int | None = None,
    threads: int | None = None,
    method: str = "auto",
    against: str = "limit",
) -> AttentionErrors:
    """Measure how far softmax attention on L random tokens is from its infinite-prompt limit.

    T_L = V Σ p_k z_k with p = softmax((Uz)·z_1, …, (Uz)·z_L) and iid z_k tends to T = V h, h the
    mean of the law tilted by exp((Uz)·z_k) (Γ U z for Gaussian tokens), and its gradients with
    respect to V and U tend to those of T. Every replicate draws a prompt (and a query) of its own.

    Parameters
    ----------
    Gamma : array_like of shape (d, d), TokenLaw, or AttentionSetting
        Covariance of Gaussian tokens, symmetric and positive semidefinite (singular is fine), or
        another law. A law with `coordinates` is drawn by a compiled kernel (a quantile function of
        one's own is compiled anew in every process, in some seconds), any other by its own sampler,
        ten and more times slower. Of an embedding table rows are drawn, and the gradient in U is
        measured along a random direction in each prompt: it has the same mean. A setting brings U,
        V and the query too.
    U, V : array_like of shapes (d, d) and (d_out, d)
    query : array_like of shape (d,) or None
        The query z, or its mean if `query_cov` is given (None: mean zero).
    lengths : int or sequence of int
        Prompt lengths, 1 <= L < 2^31.
    query_cov : array_like of shape (d, d), optional
        Every replicate draws its query from N(query, query_cov), independent of the prompt.
    replicates : int
        Number of prompts for each length, up to 10^12.
    seed : int, optional
        From 0 to 2^64 − 1; by default the seed of the claim being judged. Replicate number r at
        length L is a function of (seed, r, L) alone.
    threads : int, optional
        At most 1024; by default one for every processor. Results are bitwise the same.
    method : {"auto", "tokens", "scores"}
        "tokens" draws every token. "scores" draws only what the scores depend on and averages the
        rest exactly, for Gaussian tokens and linear images of the uniform laws on sphere and ball:
        faster, and less random. "auto" is "scores" for these laws.
    against : {"limit", "linear"}
        What prompts are measured against: the infinite prompt, or linear attention V Γ U z with its
        gradients. For Gaussian tokens it is the same. "linear" draws every token.

    Returns
    -------
    AttentionErrors

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind described, the scores exceed 1e30, the law has no log_mgf
        (its infinite prompt is then unknown), its scores alone do not say enough for the method, or
        its sampler does not return tokens.
    FloatingPointError
        If an error is not a finite number, as after a sampler of one's own returned nan.

    Notes
    -----
    Tokens are drawn in float32, sums over them are kept in float64: the rounding error is some 1e-6
    of T, far below the standard error unless the error itself does not vary (grad_U at L = 1).
    Scores are weighed against the highest so far, which makes any |Uz| safe. Normal coordinates are
    functions of 32-bit words and end at 6.7: tokens rarer than one in 10^10 do not occur. Memory
    grows neither with L nor with the number of replicates. `numerics.exact_errors` knows the errors
    of Gaussian tokens and of product and radial laws without sampling.

    Examples
    --------
    With U = 0 the output is a plain average, E|T_L|² = tr(Γ)/L, and scores say no more:

    >>> one = np.eye(2)
    >>> e = attention_errors(one, 0 * one, one, [1.0, 0.0], [4, 16], replicates=2000, seed=1)
    >>> np.allclose(e.output.mean, 2 / e.lengths, rtol=1e-4)
    True
    """
    setting = as_setting(Gamma, U, V, query=query, query_cov=query_cov)
    sampler = error_sampler(
        setting, method=method, seed=current_seed() if seed is None else seed, against=against
    )
    grid = _lengths(lengths)
    count = read_whole(
        "replicates", replicates, "it is the number of prompts drawn for each length", most=MOST_REPLICATES
    )
    workers = thread_count(threads)
    pieces = -(-count // PIECE)
    # Many pieces to a task, for tasks pass through one Python thread, and enough tasks for all.
    step = PIECE * max(1, min(TOGETHER, PATIENCE // int(max(grid)), len(grid) * pieces // (8 * workers)))
    tasks = (
        (i, first, min(first + step, count)) for i in range(len(grid)) for first in range(0, count, step)
    )
    sums: list[Array | None] = [None] * len(grid)

    def drawn(L: int, first: int, last: int) -> list[Array]:
        return [sampler.sums(L, at, min(PIECE, last - at)) for at in range(first, last, PIECE)]

    with ThreadPoolExecutor(workers) as pool:
        submit = lambda i, first, last: (i, pool.submit(drawn, int(grid[i]), first, last))
        # a few tasks ahead of the threads, so that memory does not grow with the number of
        # replicates
        pending = deque(submit(*task) for task in islice(tasks, 4 * workers))
        while pending:
            i, task = pending.popleft()
            done, before = task.result(), sums[i]
            # joined in this order, whoever finished first: sums of floats are not associative
            sums[i] = joined(done if before is None else [before, *done])
            pending.extend(submit(*task) for task in islice(tasks, 1))
    return as_errors(
        grid, np.stack([s for s in sums if s is not None]), count, sampler.seed, method=sampler.method
    )


def as_errors(
    lengths: Sequence[int] | NDArray[np.integer],
    sums: ArrayLike,
    replicates: int,
    seed: int,
    *,
    method: str = "tokens",
) -> AttentionErrors:
    """Estimates from the `joined` sums of a sampler for each length, shape (n_lengths, 3, 6). An
    error so small that its powers are 0 is refused.
    """
    grid, S = np.asarray(lengths, dtype=np.int64), np.asarray(sums, dtype=np.float64)
    if S.shape != (*grid.shape, 3, 6) or grid.ndim != 1:
        raise ValueError(
            f"sums have shape {S.shape}, but ({grid.size}, 3, 6) is needed: one (3, 6) for each length"
        )
    least = S[..., 1].min(where=S[..., 1] > 0, initial=np.inf)
    if least < LEAST_MEAN:
        raise ValueError(
            f"a mean squared error is {least:.3g}, whose fourth power, on which the diagnostics rest, is 0 "
            "among floats; give the tokens in a larger unit (tokens c z, matrices U/c, and V/c if the "
            "output is to stay)"
        )
    output, grad_V, grad_U = (_estimate(S[:, e]) for e in range(3))
    return AttentionErrors(grid, int(replicates), int(seed), output, grad_V, grad_U, method)


def _estimate(sums: Array) -> Estimate:
    """Mean, standard error and diagnostics of each length, from the joined moments."""
    n, mean, two, three, four, largest = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(two / (n - 1) / n)
        effective = np.where(mean > 0, n * mean**2 / (mean**2 + two / n), n)
        share = np.where(mean > 0, largest / (n * mean), 1 / n)
        deviation = np.sqrt(two / n)
        skewness, kurtosis = three / n / deviation**3, four / n / deviation**4
    return Estimate(mean, np.where(n > 1, error, np.nan), effective, share, skewness, kurtosis)


def _lengths(lengths: int | Sequence[int] | NDArray[np.integer]) -> NDArray[np.int64]:
    """The prompt lengths as integers, within the range of the counters of the random streams."""
    array = np.atleast_1d(np.asarray(lengths, dtype=object))
    whole_numbers = all(isinstance(l, (int, np.integer)) and not isinstance(l, bool) for l in array.ravel())
    if array.ndim != 1 or array.size == 0 or not whole_numbers:
        raise TypeError(f"lengths must be integers, at least one, not {lengths!r}")
    if array.min() < 1 or array.max() > LONGEST_PROMPT:
        raise ValueError(
            f"lengths from {array.min()} to {array.max()} leave the range 1 <= L <= {LONGEST_PROMPT} of the "
            "counters"
        )
    return array.astype(np.int64)
