"""Tasks of in-context linear regression, and starts of its gradient flow."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from numerics.regression.flow.starts import Start
from numerics.regression.softmax_vs_linear.few_atoms import Task, tasks_on_atoms
from numerics.strategies.arrays import Floats, covariances, floats
from numerics.strategies.numbers import SearchStrategy, checked, signed, sizes, st
from numerics.strategies.prompts import laws
from numerics.token_laws.token_law import TokenLaw
from theory.inputs.kinds import check_kind
from theory.regression.task import RegressionTask

__all__ = ["gaussian_tasks", "starts", "tasks"]

KINDS = ("theta", "positive", "any")


def tasks(*, most: int = 3, octaves: int = 5, exact: bool = False) -> SearchStrategy[tuple[Task, ...]]:
    """Noiseless linear tasks ``y = w x`` whose covariate x takes two or three values, every slope w
    equally likely.

    Parameters
    ----------
    most : int
        How many slopes there are at most.
    octaves : int
        Covariates and slopes have sizes from ``2^-octaves`` to ``2^octaves``; slopes may be 0.
    exact : bool
        Draw numbers as `fractions.Fraction` in place of floats.

    Returns
    -------
    strategy of tuple of Task
        As `numerics.regression.softmax_vs_linear.few_atoms.gaps` takes them.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> simplest(tasks(), lambda drawn: any(y for task in drawn for _, y in task.tokens))[0].tokens
    ((1.0, 1.0), (-1.0, -1.0))
    """
    checked("most", most, 1, 100)

    def made(drawn: tuple[TokenLaw, list[Fraction]]) -> tuple[Task, ...]:
        law, slopes = drawn
        kind: Any = Fraction if exact else float
        return tasks_on_atoms(
            [kind(x) for (x,) in law.atoms], [kind(p) for p in law.weights], [kind(w) for w in slopes]
        )

    spread = laws(most_atoms=3, octaves=octaves).filter(lambda law: len(law.atoms) > 1)
    return st.tuples(spread, st.lists(signed(octaves), min_size=1, max_size=most)).map(made)


def gaussian_tasks(d: int, *, singular: bool = True, octaves: int = 10) -> SearchStrategy[RegressionTask]:
    """Gaussian tasks with their covariance, label noise (0 included) and task variance; the query
    has the covariance of the prompt.

    Parameters
    ----------
    d, singular, octaves
        As for `covariances`; noise and task variance range over as many octaves.

    Returns
    -------
    strategy of RegressionTask

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> simplest(gaussian_tasks(1)).described()
    {'Sigma': [[1.0]], 'noise': 0.0, 'task_variance': 1.0}
    """

    def made(drawn: tuple[Floats, Fraction, Fraction]) -> RegressionTask:
        Sigma, noise, variance = drawn
        return RegressionTask(Sigma, noise=abs(float(noise)), task_variance=float(variance))

    return st.tuples(covariances(d, singular=singular, octaves=octaves), signed(octaves), sizes(octaves)).map(
        made
    )


def starts(
    d: int,
    kind: str = "theta",
    *,
    singular: bool = True,
    prompt_length: int | None = None,
    noise: float = 0.0,
) -> SearchStrategy[Start]:
    """Covariances with starts of the gradient flow, as `numerics.regression.flow.starts` lists them
    by hand.

    Parameters
    ----------
    d : int
        From 1 to 8.
    kind : {"theta", "positive", "any"}
        ``"theta"``: ``U0 = alpha Theta Theta'`` with ``|Theta Theta'| = 1`` of every rank and
        ``u0 = alpha > 0`` (Boursier & Boyer, Assumption 5.1). ``"positive"``: a nonnegative
        diagonal of U0 in an eigenbasis of Sigma, and ``u0 >= 0``, not both zero. ``"any"``: no
        sign, symmetry or balance.
    singular : bool
        Whether singular covariances are drawn.
    prompt_length, noise
        As for `numerics.regression.flow.infinite_prompt.integrate_flow`.

    Returns
    -------
    strategy of Start
        Covariances are scaled over six decades; numbers without a unit, as the condition of Sigma
        or ``alpha^2 |Sigma|``, over two.

    Raises
    ------
    ValueError
        If the kind is unknown or d out of range.

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> start = simplest(starts(2))
    >>> start.Sigma.tolist(), start.U0.tolist(), start.u0
    ([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]], 1.0)
    """
    check_kind(str, kind=kind)
    check_kind(bool, singular=singular)
    if kind not in KINDS:
        raise ValueError(f"kind = {kind!r} is no kind of starts; choose one of {', '.join(KINDS)}")
    covariance = st.tuples(covariances(d, singular=singular, octaves=3), sizes(10)).map(
        lambda drawn: float(drawn[1]) * drawn[0]
    )
    shape = {"theta": _theta, "positive": _positive, "any": _any}[kind]

    def made(drawn: tuple[Floats, list[Fraction], Fraction, Fraction]) -> Start:
        Sigma, entries, u, size = drawn
        unit = float(size) / float(np.sqrt(np.linalg.norm(Sigma, 2)))
        U0, u0 = shape(Sigma, floats(entries, d, d), float(u))
        return Start(f"a drawn start of kind {kind}", Sigma, unit * U0, unit * u0, prompt_length, noise)

    entries = st.lists(signed(2), min_size=d * d, max_size=d * d)
    return st.tuples(covariance, entries, signed(2), sizes(2)).map(made)


def _theta(Sigma: Floats, B: Floats, u: float) -> tuple[Floats, float]:
    """As in Assumption 5.1; without an entry of Theta its first one is 1."""
    square = B @ B.T
    if not square.any():
        square[0, 0] = 1.0
    return square / np.linalg.norm(square), 1.0


def _positive(Sigma: Floats, A: Floats, u: float) -> tuple[Floats, float]:
    """A nonnegative diagonal in an eigenbasis, and a nonnegative u."""
    np.fill_diagonal(A, np.abs(np.diag(A)))
    Q = np.linalg.eigh(Sigma)[1]
    return Q @ A @ Q.T, abs(u) if A.diagonal().any() or u else 1.0


def _any(Sigma: Floats, A: Floats, u: float) -> tuple[Floats, float]:
    """Not both zero."""
    return A, u if A.any() or u else 1.0
