"""Limits of the gradient flow of in-context regression, tried at drawn covariances and starts: no
path is followed, as what a limit has to be says enough. It is a point where the field vanishes and
what the flow conserves has the value of the start, with the sign of u that the start decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.counterexamples.drawn.computed import Computed, Decades, Drawn, Entries, OneOf, Several, Share
from numerics.regression.flow.starts import Start
from theory.inputs.spectrum import onto_range
from theory.regression.limit import SaddleError
from theory.regression.risk import icl_risk, vector_field

__all__ = ["STARTS", "drawn_ends", "drawn_starts", "shown_start"]

Floats = NDArray[np.float64]
Limit = Callable[[Start], tuple[Floats, float]]
#: Relative error at which a conserved quantity counts as kept, and a field as zero.
KEPT = 1e-9
#: The largest dimension.
D = 3


def _turned(angles: Floats) -> Floats:
    """A rotation by three angles."""
    out = np.eye(D)
    for angle, (i, j) in zip(angles, ((0, 1), (0, 2), (1, 2))):
        turn = np.eye(D)
        turn[[i, j, i, j], [i, j, j, i]] = np.cos(angle), np.cos(angle), -np.sin(angle), np.sin(angle)
        out = out @ turn
    return out


def _covariance(d: int, l: Floats, zeros: int, angles: Floats) -> tuple[Floats, Floats]:
    """A covariance and its eigenvectors; up to d - 1 eigenvalues are 0."""
    Q = _turned(angles)[:d, :d] if d == D else _turned(np.array([angles[0], 0.0, 0.0]))[:d, :d]
    l = np.where(np.arange(d) >= d - min(zeros, d - 1), 0.0, l[:d])
    return (Q * l) @ Q.T, Q


def _balanced(S: Floats, Q: Floats, zeros: int, entries: Floats, size: float) -> tuple[Floats, float]:
    """``U0 = alpha Theta Theta'`` of norm u0 = alpha, with ``alpha^2 |Sigma| = size``."""
    d = len(S)
    Theta = np.eye(D)[:, :2] + entries[:6].reshape(D, 2)
    block, alpha = Theta[:d] @ Theta[:d].T, float(np.sqrt(size / np.linalg.norm(S, 2)))
    return alpha * block / np.linalg.norm(block), alpha


def _in_the_range(S: Floats, Q: Floats, zeros: int, entries: Floats, size: float) -> tuple[Floats, float]:
    """The same with alpha a share of the printed range, ``sqrt 2 / (d^{1/4} |Sigma|)``."""
    share = size / (1 + size)
    alpha = share * 2**0.5 / (len(S) ** 0.25 * float(np.linalg.norm(S, 2)))
    return _balanced(S, Q, zeros, entries, alpha**2 * float(np.linalg.norm(S, 2)))


def _outside(S: Floats, Q: Floats, zeros: int, entries: Floats, size: float) -> tuple[Floats, float]:
    """The same with Theta in the kernel of Sigma, if there is one."""
    U, alpha = _balanced(S, Q, zeros, entries, size)
    kernel = Q[:, len(S) - min(zeros, len(S) - 1) :]
    block = kernel @ kernel.T @ U @ kernel @ kernel.T
    norm = float(np.linalg.norm(block))
    return (alpha * block / norm, alpha) if norm > 1e-9 * alpha else (U, alpha)


def _positive(S: Floats, Q: Floats, zeros: int, entries: Floats, size: float) -> tuple[Floats, float]:
    """A nonnegative diagonal in the eigenbasis, any entries beside it, and ``u0 >= 0``."""
    d, unit = len(S), float(np.linalg.norm(S, 2)) ** -0.5
    block = entries.reshape(D, D)[:d, :d].copy()
    np.fill_diagonal(block, np.abs(np.diag(block)))
    return unit * Q @ block @ Q.T, unit * size**0.5


def _any_sign(S: Floats, Q: Floats, zeros: int, entries: Floats, size: float) -> tuple[Floats, float]:
    """Any block, and a u0 of either sign that puts the risk below half the trace of Sigma."""
    d, unit = len(S), float(np.linalg.norm(S, 2)) ** -0.5
    U = unit * Q @ (np.eye(D) - entries.reshape(D, D))[:d, :d] @ Q.T
    along, square = float(np.trace(S @ U @ S)), float(np.trace(S @ U @ S @ U.T @ S))
    return U, (2 * along / square * size / (1 + size) if square > 0 else 0.0)


#: Families of starts by name.
STARTS: Mapping[str, Callable[..., tuple[Floats, float]]] = {
    "balanced": _balanced,
    "balanced in the printed range": _in_the_range,
    "balanced outside the range of Sigma": _outside,
    "u0 >= 0 and a nonnegative diagonal": _positive,
    "any signs below the height of the saddles": _any_sign,
}


def _by_differences(start: Start, U: Floats, u: float) -> tuple[Floats, float]:
    """Minus the gradient of the risk by central differences, which are exact up to rounding for a
    polynomial of degree 4.
    """
    risk = lambda U, u: float(
        icl_risk(start.Sigma, U, u, prompt_length=start.prompt_length, noise=start.noise)
    )
    h, k = 1e-2 * float(np.linalg.norm(U)), 1e-2 * abs(u)
    out = np.zeros_like(U)
    for at in np.ndindex(U.shape):
        e = np.zeros_like(U)
        e[at] = h
        out[at] = (8 * (risk(U + e, u) - risk(U - e, u)) - risk(U + 2 * e, u) + risk(U - 2 * e, u)) / (12 * h)
    to_u = (8 * (risk(U, u + k) - risk(U, u - k)) - risk(U, u + 2 * k) + risk(U, u - 2 * k)) / (12 * k)
    return -out, -to_u


def _off(start: Start, end: tuple[Floats, float], field: tuple[Floats, float]) -> float:
    """The largest relative error of what a limit has to be."""
    (U, u), (to_U, to_u), top = end, field, float(np.linalg.norm(start.Sigma, 2))
    size, onto = float(np.linalg.norm(U)), onto_range(start.Sigma)
    if not (u * start.u0 > 0 or (start.u0 == 0 and u > 0)):
        return 2.0
    change, before = U - start.U0, float(np.linalg.norm(start.U0))
    balance = (size**2 - u**2) - (before**2 - start.u0**2)
    return max(
        float(np.linalg.norm(to_U)) / (top**2 * abs(u)),
        abs(to_u) / (top**2 * size),
        abs(balance) / (size**2 + u**2 + before**2 + start.u0**2),
        float(np.linalg.norm(change - onto @ change @ onto)) / (size + before),
    )


def shown_start(start: Start) -> Mapping[str, Any]:
    """A start as the entries of a witness.

    >>> shown_start(Start("one", np.eye(1), np.eye(1), 0.5))["u0"]
    0.5
    """
    prompt = {} if start.prompt_length is None else {"L": start.prompt_length, "tau2": start.noise}
    return {"Sigma": start.Sigma.round(6), "U0": start.U0.round(6), "u0": round(start.u0, 9), **prompt}


def drawn_starts(
    starts: str,
    *,
    singular: bool = False,
    sign: int = 1,
    prompts: Sequence[tuple[int | None, float]] = ((None, 0.0),),
) -> tuple[dict[str, Drawn], Callable[..., Start]]:
    """What a start in d = 1, 2, 3 is drawn from, with the parameters of `drawn_ends`, and the start
    of drawn numbers.
    """
    ranges: dict[str, Drawn] = {
        "d": OneOf((1, 2, 3)),
        "zeros": OneOf((0, 1, 2) if singular else (0,)),
        "prompt": OneOf(tuple(prompts)),
        "l": Several(Decades(0.1, 10.0), D),
        "angles": Several(Share(0.0, 2 * np.pi), 3),
        "entries": Entries(9, 8.0),
        "size": Decades(1e-4, 1e2),
    }

    def start(
        d: int, zeros: int, prompt: Any, l: Floats, angles: Floats, entries: Floats, size: float
    ) -> Start:
        S, Q = _covariance(d, l, zeros, angles)
        U0, u0 = STARTS[starts](S, Q, zeros, entries, size)
        return Start("drawn", S, sign * U0, sign * u0, *prompt)

    return ranges, start


def drawn_ends(
    limit: Limit,
    starts: str,
    *,
    singular: bool = False,
    sign: int = 1,
    prompts: Sequence[tuple[int | None, float]] = ((None, 0.0),),
) -> Computed:
    """That the flow ends where a formula says, from drawn starts in d = 1, 2, 3: the error of the
    formula, where field, balance, kernel and sign are looked at. `limit` goes from a `Start` to
    ``(U, u)``, `starts` names one of `STARTS`, `sign` is a factor of U0 and u0, and `prompts` are
    pairs of length and label noise.
    """

    ranges, start = drawn_starts(starts, singular=singular, sign=sign, prompts=prompts)

    def found(route: Callable[..., Any], **at: Any) -> float:
        one = start(**at)
        try:
            U, u = limit(one)
        except SaddleError:
            return float("nan")
        off = _off(one, (U, u), route(one, U, u))
        return off if off > KEPT else 0.0  # rounding errors say nothing, and must not steer the examples

    def field(one: Start, U: Floats, u: float) -> Any:
        return vector_field(one.Sigma, U, u, prompt_length=one.prompt_length, noise=one.noise)

    return Computed(
        f"starts in d = 1, 2, 3 ({starts}), turned covariances {'of every rank ' if singular else ''}with "
        "eigenvalues over two decades",
        ranges,
        lambda **at: (found(field, **at), KEPT),
        lambda **at: found(_by_differences, **at),
        each=2,
        where=lambda **at: shown_start(start(**at)),
    )
