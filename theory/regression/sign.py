"""Which of the two global minima ``+-(gamma S_L^{-1} S S^+, 1 / gamma)`` the gradient flow of
in-context regression reaches from a start, for `limit_parameters`.

Every saddle has ``u = 0`` and every point with ``u = 0`` has the risk ``tr(S) / 2``, at any prompt
length. The risk decreases, so the sign of ``u`` is settled from the first moment at which the risk
lies below ``tr(S) / 2``; a start from which it never gets there flows into a saddle. Only where no
exact criterion applies is the flow integrated up to that moment.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

__all__ = ["SaddleError", "common_sign", "exact_sign"]

#: How a sign was found, as `LimitParameters.regime` says it.
LEAVES_ZERO = "u0 = 0, and u leaves 0 in the direction of tr(Sigma U0 Sigma)"
ONE_SIDED = {
    1: "u0 > 0, and U0 has a nonnegative diagonal in an eigenbasis of Sigma",
    -1: "u0 < 0, and U0 has a nonpositive diagonal in an eigenbasis of Sigma",
}
DOMINANT = "|S S^+ U0 S S^+|_F < |u0|, so u never vanishes"
BELOW = "the risk starts below tr(Sigma) / 2, which it has wherever u = 0"
RANK_ONE = (
    "Sigma has rank one and |U|_F^2 - u^2 is conserved, so the larger of |S S^+ U0 S S^+|_F and |u0| "
    "keeps its sign"
)
INTEGRATED = "found by integrating the flow until its risk fell below tr(Sigma) / 2"

Floats = NDArray[np.float64]
#: Natural logarithm of the least and the largest ratio of the two parts of the field that is
#: integrated. Beyond, one part decides alone where a start goes, and the other how it goes on.
RATIOS = (-276.0, 276.0)
#: Least size of u0 relative to the start: below it every u0 of one sign does the same.
LEAST_SHARE = 1e-250
#: Relative size of the change of a start under which its limit has to keep its sign.
NUDGE = 1e-9
STANDSTILL = (
    "the start does not move: u0 = 0 and tr(Sigma U0 Sigma) = 0 is a saddle of the risk; "
    "start from u0 > 0, or from a positive semi-definite U0 with Sigma U0 Sigma != 0"
)
CANCELLING = (
    "the start flows into a saddle: on the one-dimensional range of Sigma U0 equals -u0, and the flow ends "
    "in U = u = 0; change U0 or u0 so that they do not cancel"
)


class SaddleError(ValueError):
    """The start does not move, or flows into a saddle: its limit is no minimum of the risk."""


def common_sign(
    eigenvalues: Floats, effective: Floats, A: Floats, u0: float, *, log_unit: float = 0.0
) -> tuple[int, str]:
    """Sign of ``gamma``, and how it was found, for the start A (r, r) in the eigenbasis of the
    positive ``eigenvalues`` of Sigma and the ``effective`` ones of ``S_L``. ``log_unit`` is
    ``log(t s^2)`` where effective eigenvalues are given in the unit t, and the start in the unit s;
    the unit of ``eigenvalues`` is one of time. A SaddleError if the start does not move or flows
    into a saddle.
    """
    # Eigenvalues and start in units of the largest: the flow is then
    #     dA/dt = u (drive l^2 - brake u (l m) A l),
    #     du/dt = drive tr(l^2 A) - brake u tr((l m) A l A'),
    # and drive / brake = 1 / (top size^2) alone says how large the start is.
    top, size = float(effective.max()), max(float(np.abs(A).max()), abs(u0))
    if size == 0:
        raise SaddleError(STANDSTILL)
    l, m, A, u = eigenvalues / eigenvalues.max(), effective / top, A / size, float(u0) / size
    u = float(np.copysign(max(abs(u), LEAST_SHARE), u0)) if u0 else 0.0
    ratio = float(np.exp(np.clip(-np.log(top) - 2 * np.log(size) - log_unit, *RATIOS)))
    drive, brake = min(ratio, 1.0), min(1 / ratio, 1.0)
    noise = 64 * len(l) * np.finfo(np.float64).eps
    tau = float(l**2 @ np.diag(A))
    if u == 0:
        if abs(tau) <= noise * float((l**2).sum()):
            raise SaddleError(STANDSTILL)
        one_sided = _one_sided(l, A, 1, noise)
        how = "u0 = 0, and U0 is nonnegative in an eigenbasis" if one_sided else LEAVES_ZERO
        return (1 if tau > 0 else -1), how
    sign = 1 if u > 0 else -1
    if _one_sided(l, A, sign, noise):
        return sign, ONE_SIDED[sign]
    if float((A**2).sum()) < u**2 * (1 - noise):
        return sign, DOMINANT
    risk_below = 2 * drive * tau / u - brake * float((np.outer(l * m, l) * A**2).sum())
    if risk_below > noise * brake * float((A**2).sum()):
        return sign, BELOW
    if len(l) == 1:
        return _one_dimension(float(A[0, 0]), u, noise)
    return _integrated(l, m, A, u, drive, brake)


def _one_sided(l: Floats, A: Floats, sign: int, noise: float) -> bool:
    """Whether some eigenbasis gives A a diagonal of one sign: every eigenspace only has to have a
    trace of that sign.
    """
    diagonal = sign * np.diag(A)
    groups = np.concatenate([[0], np.flatnonzero(np.diff(l) < -noise) + 1])
    return bool((np.add.reduceat(diagonal, groups) >= -noise * np.abs(A).max()).all())


def _one_dimension(a: float, u: float, noise: float) -> tuple[int, str]:
    """Rank one: ``a^2 - u^2`` is conserved, so the larger of the two in absolute value never
    changes its sign.
    """
    if abs(a + u) <= noise * abs(u):
        raise SaddleError(CANCELLING)
    return (1 if a + u > 0 else -1), RANK_ONE


def _integrated(l: Floats, m: Floats, A: Floats, u: float, drive: float, brake: float) -> tuple[int, str]:
    """Follow the flow until the risk is below that of the saddles, from the start and from both of
    its neighbours.
    """
    nudge = NUDGE * max(float(np.linalg.norm(A)), abs(u))
    starts = [(A + k * nudge * np.eye(len(l)), u + k * nudge) for k in (0, 1, -1)]
    signs = {_follow(l, m, *start, drive, brake) for start in starts}
    if len(signs) > 1 or 0 in signs:
        raise SaddleError(
            "the start flows into a saddle of the risk, or passes it so closely that a relative change of "
            f"{NUDGE:g} of the start reverses the limit; choose u0 > 0 and U0 positive semi-definite, or "
            "another start"
        )
    return signs.pop(), INTEGRATED


def _follow(l: Floats, m: Floats, A: Floats, u: float, drive: float, brake: float) -> int:
    """Sign of ``u`` once the risk is below ``tr(S) / 2``, 0 if that does not happen. Off the
    diagonal, A decays by ``int u^2``.
    """
    from scipy.integrate import solve_ivp

    rates = np.outer(l * m, l)
    off = rates * A**2
    np.fill_diagonal(off, 0)
    own = l**2 * m

    def quadratic(y: Floats) -> float:
        a, area = y[:-2], y[-1]
        return float(own @ a**2) + float((off * np.exp(-2 * rates * area)).sum())

    def field(_: float, y: Floats) -> Floats:
        a, v = y[:-2], y[-2]
        return np.concatenate(
            [
                v * (drive * l**2 - brake * v * own * a),
                [drive * (l**2 @ a) - brake * v * quadratic(y), brake * v * v],
            ]
        )

    def below(_: float, y: Floats) -> float:
        v = y[-2]
        # Divided by drive and by |v|: the product of small numbers would be rounded to 0.
        return float(np.sign(v) * (2 * (l**2 @ y[:-2]) - brake / drive * v * quadratic(y)))

    event: Any = below
    event.terminal, event.direction = True, 1
    start = np.concatenate([np.diag(A), [u, 0.0]])
    if below(0.0, start) > 0:
        return 1 if u > 0 else -1
    # Rate at which a saddle repels: the positive root of r^2 + q r = drive^2 sum l^4, where q is at
    # most brake |U|^2.
    q, push = brake * (float((A**2).sum()) + u**2), drive**2 * float((l**4).sum())
    escape = 2 * push / (q + np.sqrt(q * q + 4 * push))
    # A large start loses u first, down to a size of drive / brake, before the risk falls.
    atol = np.full(len(start), 1e-14)
    atol[-2] *= min(1.0, drive / brake)
    path = solve_ivp(field, (0.0, 1e3 / escape), start, method="LSODA", events=event, rtol=1e-11, atol=atol)
    if not path.t_events[0].size:
        return 0
    # Here u and tr(l^2 A) have one sign; the one that has just left 0 is the smaller.
    there = path.y_events[0][0]
    return 1 if l**2 @ there[:-2] + there[-2] > 0 else -1


def exact_sign(
    Sigma: sp.Matrix, effective: sp.Matrix, A: sp.Matrix, u0: sp.Expr, rank: int
) -> tuple[int, str]:
    """`common_sign` for SymPy, with ``A = S S^+ U0 S S^+``: the same criteria, each decided
    exactly; numbers without symbols are integrated as a last resort. A ValueError if the symbols'
    assumptions do not decide the sign.
    """
    tau = sp.simplify((Sigma @ A @ Sigma).trace())
    if u0.is_zero or sp.simplify(u0) == 0:
        if tau == 0:
            raise SaddleError(STANDSTILL)
        if tau.is_positive or tau.is_negative:
            return (1 if tau.is_positive else -1), LEAVES_ZERO
        raise _undecided([sp.Gt(tau, 0)])
    sign = 1 if u0.is_positive else -1 if u0.is_negative else 0
    if sign == 0:
        raise _undecided([sp.Gt(u0, 0)])
    symmetric = sign * (A + A.T) / 2
    diagonal = list(symmetric.diagonal()) if Sigma.is_diagonal() else []
    lam = sp.Dummy()
    minors = [
        sp.simplify((-1) ** (k + 1) * c) for k, c in enumerate(symmetric.charpoly(lam).all_coeffs()[1:])
    ]
    if (diagonal and all(x.is_nonnegative for x in diagonal)) or all(x.is_nonnegative for x in minors):
        return sign, ONE_SIDED[sign]
    gap = sp.simplify(u0**2 - (A.T @ A).trace())
    if gap.is_positive:
        return sign, DOMINANT
    below = sp.simplify(sign * (2 * tau - u0 * (A @ Sigma @ A.T @ Sigma @ effective).trace()))
    if below.is_positive:
        return sign, BELOW
    if rank == 1 and gap.is_zero:
        raise SaddleError(CANCELLING)
    if rank == 1 and gap.is_negative:
        return -sign, RANK_ONE
    if any(x.free_symbols for x in (Sigma, effective, A, u0)):
        wanted = [w for x in (diagonal or minors) if (w := sp.Ge(x, 0)) not in (sp.true, sp.false)]
        raise _undecided(wanted or [sp.Gt(gap, 0)])
    units = [sp.Max(*(abs(x) for x in (*M,))) or sp.S.One for M in (Sigma, effective, [*A, u0])]
    in_floats = lambda M, unit: np.array((M / unit).evalf(30).tolist(), dtype=float)
    values, vectors = np.linalg.eigh(in_floats(Sigma, units[0]))
    l, Q = values[-rank:], vectors[:, -rank:]
    m = np.diag(Q.T @ in_floats(effective, units[1]) @ Q)
    log_unit = float(sp.log(units[1] * units[2] ** 2))
    return common_sign(
        l, m, Q.T @ in_floats(A, units[2]) @ Q, float(u0 / units[2]) or sign * LEAST_SHARE, log_unit=log_unit
    )


def _undecided(wanted: list[sp.Rel]) -> ValueError:
    """The error that names the conditions on which the sign depends."""
    return ValueError(
        "the common sign of the limit depends on the symbols; declare them so that "
        + " and ".join(dict.fromkeys(str(w) for w in wanted))
        + " can be decided (for instance positive=True), or insert numbers"
    )
