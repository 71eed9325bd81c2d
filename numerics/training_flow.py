"""The gradient flow of the finite-prompt risk, in (U11, u) or in the factors that stochastic gradient descent moves (our R6).

On the block manifold the population gradient in every other entry of (O, V, K, Q) is an odd moment of the task and vanishes, so
that the flow stays there: the deterministic curves that SGD from such a start follows as its learning rate goes to 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.exact_risk import RiskField
from theory.arrays import read_arrays

if TYPE_CHECKING:
    from numerics.training.parameters import Parameters

__all__ = ["Factors", "TrainingFlow", "block_factors", "training_flow"]

Floats = NDArray[np.float64]
#: Speed relative to that of the fastest mode, times rtol, below which the flow counts as standing still.
STILL = 1e-3
#: Times of the fastest mode after which the integration ends if nothing else is said.
LONGEST = 1e8


class Factors(NamedTuple):
    """The blocks of (O, V, K, Q) that are not zero on the block manifold: ``U11 = c K'Q`` and ``u = o.v``, c the score scale.

    Attributes
    ----------
    K, Q : array (..., m, d)
        First d columns of the key and query matrices.
    o : array (..., m)
        The row of O that gives the prediction.
    v : array (..., m)
        Last column of V.
    """

    K: Floats
    Q: Floats
    o: Floats
    v: Floats

    def parameters(self) -> Parameters:
        """All of (O, V, K, Q), zero outside the blocks: a start for `numerics.train`, or what a flow predicts for it.

        Raises
        ------
        ValueError
            If the factors have not m = d + 1 rows.
        """
        from numerics.training.parameters import Parameters

        *lead, m, d = self.K.shape
        if m != d + 1:
            raise ValueError(f"K has {m} rows, but parameters of tokens (x, y) have d + 1 = {d + 1}; append rows of zeros")
        V = np.zeros((*lead, m, m))
        V[..., :, d] = self.v
        K, Q = (np.concatenate([M, np.zeros((*lead, m, 1))], axis=-1) for M in (self.K, self.Q))
        return Parameters(O=self.o, V=V, K=K, Q=Q)


def block_factors(parameters: Parameters) -> Factors:
    """The factors of parameters on the block manifold.

    Parameters
    ----------
    parameters : Parameters
        With ``V[:, :d] = 0`` and ``K[:, d] = 0``. The last column of Q meets the masked label and may be anything.

    Returns
    -------
    Factors

    Raises
    ------
    ValueError
        If another entry is not 0: then the flow is not one of (U11, u).

    Examples
    --------
    >>> start = Factors(K=np.eye(2, 1), Q=np.eye(2, 1), o=np.array([0.0, 1.0]), v=np.array([0.0, 0.5]))
    >>> block_factors(start.parameters()).v.tolist()
    [0.0, 0.5]
    """
    O, V, K, Q = (np.asarray(x, dtype=float) for x in (parameters.O, parameters.V, parameters.K, parameters.Q))
    if np.any(V[..., :-1]) or np.any(K[..., -1]):
        raise ValueError(
            "the parameters are off the block manifold: V has to be zero but for its last column, and the last column of K zero; "
            "use population_risk for the risk at such a point"
        )
    return Factors(K=K[..., :-1], Q=Q[..., :-1], o=O, v=V[..., -1])


@dataclass(frozen=True, eq=False)
class TrainingFlow:
    """A trajectory.

    Attributes
    ----------
    t : array (k,)
        Times; SGD with step lr on ``factor`` times the risk is at ``lr * factor * step``.
    U : array (k, d, d)
        The query-key block.
    u : array (k,)
        The value scalar.
    risk : array (k,)
        Half the mean squared error, noise of the query's own label included.
    speed : float
        Norm of the gradient at the end, in what the flow moves.
    converged : bool
        Whether the flow stood still at the end.
    factors : Factors or None
        With a leading axis of k, if the start was given in factors.
    """

    t: Floats
    U: Floats
    u: Floats
    risk: Floats
    speed: float
    converged: bool
    factors: Factors | None = None


class _Coordinates(NamedTuple):
    """What moves, as one vector: where its (U, u) is, and the gradient in it from that in (U, u)."""

    start: Floats
    point: Callable[[Floats], tuple[Floats, float]]
    pull_back: Callable[[Floats, Floats, float], Floats]
    factors: Callable[[Floats], Factors] | None = None


def _plain(U: Floats, u: Floats) -> _Coordinates:
    d = len(U)
    return _Coordinates(
        np.append(U.ravel(), u),
        lambda y: (y[:-1].reshape(d, d), float(y[-1])),
        lambda _, to_U, to_u: np.append(to_U.ravel(), to_u),
    )


def _diagonal(U: Floats, u: Floats, basis: Floats) -> _Coordinates:
    """If everything is diagonal in one basis the flow stays there, with d + 1 unknowns."""
    return _Coordinates(
        np.append(np.einsum("ji,jk,ki->i", basis, U, basis), u),
        lambda y: ((basis * y[:-1]) @ basis.T, float(y[-1])),
        lambda _, to_U, to_u: np.append(np.einsum("ji,jk,ki->i", basis, to_U, basis), to_u),
    )


def _common_basis(*matrices: Floats) -> Floats | None:
    """An orthonormal basis in which all are diagonal, to rounding."""
    scaled = [M / max(float(np.abs(M).max()), np.finfo(float).tiny) for M in matrices]
    # A combination with unrelated factors has no eigenvalue in common for two directions that a matrix tells apart, or hardly ever.
    mixed = sum((M + M.T) * np.cos(k + 1.0) for k, M in enumerate(scaled))
    basis = np.linalg.eigh(mixed)[1]
    turned = [basis.T @ M @ basis for M in scaled]
    rest = max(float(np.abs(M - np.diag(np.diag(M))).max()) for M in turned)
    return np.asarray(basis) if rest < 1e-14 * len(basis) else None


def _factored(K: Floats, Q: Floats, o: Floats, v: Floats, c: float) -> _Coordinates:
    cuts, shape = np.cumsum([K.size, Q.size, o.size]), K.shape

    def split(y: Floats) -> Factors:
        """From (..., size)."""
        k, q, a, b = np.split(y, cuts, axis=-1)
        lead = y.shape[:-1]
        return Factors(k.reshape(*lead, *shape), q.reshape(*lead, *shape), a, b)

    def point(y: Floats) -> tuple[Floats, float]:
        k, q, a, b = split(y)
        return c * k.T @ q, float(a @ b)

    def pull_back(y: Floats, to_U: Floats, to_u: float) -> Floats:
        k, q, a, b = split(y)
        return np.concatenate([c * (q @ to_U.T).ravel(), c * (k @ to_U).ravel(), to_u * b, to_u * a])

    return _Coordinates(np.concatenate([K.ravel(), Q.ravel(), o, v]), point, pull_back, split)


def _times(times: ArrayLike | None, t_max: float | None) -> Floats | None:
    if times is not None and t_max is not None:
        raise ValueError("both times and t_max are given; the last of the times is the end")
    if t_max is not None and not read_arrays(t_max=(t_max, ""))[0] > 0:
        raise ValueError(f"t_max = {t_max} is not positive; the integration needs a time above 0")
    if times is None:
        return None
    (t,) = read_arrays(times=(times, "k"))
    if t[0] < 0 or (np.diff(t) <= 0).any():
        raise ValueError(f"times = {times!r:.100} do not increase from 0 or later; sort them and drop what occurs twice")
    return t


def training_flow(
    start: tuple[Any, float] | Factors,
    Sigma: Any,
    prompt_length: float | None,
    *,
    attention: str = "softmax",
    noise: float = 0.0,
    task_variance: float = 1.0,
    times: ArrayLike | None = None,
    t_max: float | None = None,
    score_scale: float = 1.0,
    query_covariance: Any = None,
    rtol: float = 1e-8,
) -> TrainingFlow:
    """Follow the gradient flow of `exact_risk`: at the given times, or until it stands still.

    Parameters
    ----------
    start : (array (d, d), float) or Factors
        A pair (U11, u) moves as in Assumption 5.1; `Factors` move as SGD moves (O, V, K, Q).
    Sigma, prompt_length, attention, noise, task_variance, query_covariance
        As in `exact_risk`.
    times : array_like (k,), optional
        Increasing times to report, from 0 on. By default the integrator's own steps.
    t_max : float, optional
        Last time, instead of times; by default far beyond the slowest mode, and the flow ends where it stands still.
    score_scale : float
        The factor c of ``U11 = c K'Q``; of no effect on a pair.
    rtol : float
        Relative tolerance of the integrator.

    Returns
    -------
    TrainingFlow

    Raises
    ------
    TypeError, ValueError
        As in `exact_risk`, and if the times do not increase, or a tolerance, time or scale is not positive.
    RuntimeError
        If the integrator fails.

    Examples
    --------
    >>> flow = training_flow(([[0.5]], 0.5), [[1.0]], None)
    >>> flow.converged, round(float(flow.U[-1, 0, 0] * flow.u[-1]), 6)
    (True, 1.0)

    At L = 10 softmax attention ends with a positive risk:

    >>> round(float(training_flow(([[0.5]], 0.5), [[1.0]], 10).risk[-1]), 4)
    0.1469
    """
    from scipy.integrate import solve_ivp

    field = RiskField(
        Sigma, prompt_length, noise, attention=attention, task_variance=task_variance, query_covariance=query_covariance
    )
    moving, scale, tolerance = _read_start(start, field, score_scale), field.rate, _tolerance(rtol)
    wanted = _times(times, t_max)
    if not scale > 0:
        raise ValueError("Sigma is the zero matrix: the flow stands still; pass a Sigma != 0")

    def gradient(y: Floats) -> Floats:
        U, u = moving.point(y)
        _, to_U, to_u = field(U, u)
        return moving.pull_back(y, to_U, to_u)

    def still(_: float, y: Floats) -> float:
        return float(np.linalg.norm(gradient(y))) / scale - STILL * tolerance * float(np.linalg.norm(y))

    event: Any = still
    event.terminal = True
    end = float(wanted[-1]) * scale if wanted is not None else LONGEST if t_max is None else t_max * scale
    if end == 0 or (wanted is None and still(0.0, moving.start) <= 0):
        t, y = np.zeros(1), moving.start[None, :]
    else:
        # Time runs in units of the fastest mode, so that no covariance is too small or too large.
        path = solve_ivp(
            lambda _, y: -gradient(y) / scale,
            (0.0, end),
            moving.start,
            method="LSODA",
            rtol=tolerance,
            atol=1e-3 * tolerance * float(np.abs(moving.start).max()),
            t_eval=None if wanted is None else np.minimum(wanted * scale, end),
            events=event if wanted is None else None,
        )
        if path.status < 0:
            raise RuntimeError(
                f"the integrator gave up at t = {path.t[-1] / scale:.3g}: {path.message}; loosen rtol or rescale Sigma"
            )
        t, y = path.t, path.y.T
    points = [moving.point(state) for state in y]
    return TrainingFlow(
        t=t / scale if wanted is None else wanted,
        U=np.array([U for U, _ in points]),
        u=np.array([u for _, u in points]),
        risk=np.array([field(U, u).risk for U, u in points]),
        speed=float(np.linalg.norm(gradient(y[-1]))),
        converged=still(0.0, y[-1]) <= STILL * tolerance * float(np.linalg.norm(y[-1])),  # the event is found to twice that
        factors=None if moving.factors is None else moving.factors(y),
    )


def _read_start(start: tuple[Any, float] | Factors, field: RiskField, score_scale: float) -> _Coordinates:
    S = field.S
    if isinstance(start, Factors):
        _, K, Q, o, v, c = read_arrays(
            Sigma=(S, "d d"),
            K=(start.K, "m d"),
            Q=(start.Q, "m d"),
            o=(start.o, "k"),
            v=(start.v, "k"),
            score_scale=(score_scale, ""),
        )
        if not c > 0:
            raise ValueError(f"score_scale = {score_scale} is not positive; it is the factor of the scores")
        return _factored(K, Q, o, v, float(c))
    try:
        U11, u11 = start
    except (TypeError, ValueError):
        raise TypeError("start is neither a pair (U11, u) nor Factors(K, Q, o, v)") from None
    _, U, u = read_arrays(Sigma=(S, "d d"), U11=(U11, "d d"), u=(u11, ""))
    basis = _common_basis(S, field.S_q, U)
    return _plain(U, u) if basis is None else _diagonal(U, u, basis)


def _tolerance(rtol: float) -> float:
    (value,) = read_arrays(rtol=(rtol, ""))
    if not 1e-13 <= value < 1:
        raise ValueError(f"rtol = {rtol} is not between 1e-13 and 1; floats have no more digits")
    return float(value)
