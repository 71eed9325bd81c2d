r"""A gradient flow of infinite prompts that satisfies every hypothesis of Theorem 4.3 of Boursier &
Boyer and has no limit: its parameters wind round a circle for ever. `steps` executes the proof.

There is one task (d = k = 1): tokens are uniform on +-(1, 1), so that the query is +-(1, 0). With
tau = tanh((1, 1) U (1, 0)') and v = V (1, 1)' the output is p = +-tau v. The loss is a multiple of
h(p), which is even and does not look at the label,

    h(p) = e^{-f} (1 - kappa <p, e> <p, Je>),  f = 1/(1 - |p|^2),  e = (cos f, sin f), J = rotation,

and 0 for |p| >= 1. The curve is tau = r/sqrt(1 + r^2), v = sqrt(1 + r^2) (cos f, sin f), p = r e,
0 < r < 1, where r increases to 1 and the angle f = 1/(1 - r^2) to infinity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy import Interval, Rational, cos, exp, log, oo, sin, sqrt

from numerics.evidence import Contradiction, Evidence, Verdict, all_of
from numerics.provers import Closed, forall, identity
from numerics.provers.remembered import cached

__all__ = ["SMOOTHNESS", "curve", "loss", "no_limit", "speed", "steps"]

#: The gradient of h is Lipschitz with this constant, so that h/SMOOTHNESS is 1-smooth.
SMOOTHNESS = 17_000
r, f = sp.symbols("r f", positive=True)
tau, v1, v2 = sp.symbols("tau v1 v2", real=True)
ROOT = sqrt(1 + r**2)


def kappa(q: Any, *, factor: int = 4) -> Any:
    """Return kappa as a function of q = |p|^2; 4 is the factor for which the curve is an orbit."""
    return factor * (1 + q) / (factor * q * (1 + q) + (1 - q) ** 4)


def loss(p1: Any, p2: Any, *, factor: int = 4) -> Any:
    """Return h at a point of the open unit disc."""
    q = p1**2 + p2**2
    angle = 1 / (1 - q)
    along, across = p1 * cos(angle) + p2 * sin(angle), p2 * cos(angle) - p1 * sin(angle)
    return exp(-angle) * (1 - kappa(q, factor=factor) * along * across)


def curve() -> dict[sp.Symbol, sp.Expr]:
    """Return tau and v along the curve as functions of r."""
    angle = 1 / (1 - r**2)
    return {tau: r / ROOT, v1: ROOT * cos(angle), v2: ROOT * sin(angle)}


def speed(*, factor: int = 4) -> sp.Expr:
    """Return dr/dt under the gradient flow of the risk h."""
    angle = 1 / (1 - r**2)
    return 2 * exp(-angle) * angle.diff(r) * (1 - r**2 * kappa(r**2, factor=factor))


def no_limit() -> Evidence:
    """Refute that the parameters of every infinite-prompt flow under the hypotheses of Theorem 4.3
    converge, with the steps as its parts; one that is not accepted is a Contradiction.
    """
    found = steps()
    for name, step in found.items():
        if not step.verdict.executed:
            raise Contradiction(
                f"the step {name!r} of the spiral came out {step.verdict}: "
                f"{step.reason or dict(step.witness)}"
            )
    start = {x: sp.simplify(e.subs(r, Rational(1, 2))) for x, e in curve().items()}
    return Evidence(
        verdict=Verdict.REFUTED,
        engine="exact arithmetic",
        checked=r"\lim_{t\to\infty}(U_\infty(t),V_\infty(t))\text{ exists}",
        witness={
            "d": 1,
            "tokens": "1, 1; -1, -1",
            "token weights": "1/2, 1/2",
            "loss": f"h/{SMOOTHNESS}",
            "beta": 1,
            "sigma": "3/2",
            "M": 1,
            "rho": "3/2",
            "(1, 1) U (1, 0)' at t = 0": str(sp.atanh(start[tau])),
            "V (1, 1)' at t = 0": f"{start[v1]}, {start[v2]}",
            "one limit point of V (1, 1)'": "sqrt(2), 0",
            "another one": "-sqrt(2), 0",
        },
        witness_by="exact",
        parts=tuple(found.values()),
    )


@cached
def steps(*, factor: int = 4) -> Mapping[str, Evidence]:
    """Execute that the curve is an orbit without limit and that the hypotheses hold, step by step.
    Another factor in `kappa` than 4 has to be refuted at the step "orbit".
    """
    return {
        "output": _output(),
        "orbit": _orbit(factor),
        "the radius grows up to 1": forall(speed(), ">", 0, {r: (0, 1)}),
        "the flow is bounded": forall(
            (log(r + ROOT) ** 2 + 1 + r**2) / 2, "<", Rational(3, 2) ** 2, {r: (0, 1)}
        ),
        **_smoothness(),
        **_assumption_4_2(),
    }


def _output() -> Evidence:
    """The output is x tau v at the query x = 1 and -1, and has the derivative (1 - tau^2) v with
    respect to each of the two entries of U that the query meets.
    """
    u1, u2 = sp.symbols("u1 u2", real=True)  # first column of U
    a, b = exp(u1 + u2), exp(-u1 - u2)
    mean = lambda x: (a**x - b**x) / (a**x + b**x)  # times v = V (1, 1)'
    tanh = (a - b) / (a + b)
    left = [mean(1), mean(-1), mean(1).diff(u1), mean(1).diff(u2)]
    return identity(
        left, [(1 - exp(-2 * (u1 + u2))) / (1 + exp(-2 * (u1 + u2))), -tanh, 1 - tanh**2, 1 - tanh**2]
    )


def _orbit(factor: int) -> Evidence:
    """The curve solves tau' = -2 (1 - tau^2)^2 dh/dtau, v' = -2 dh/dv: two entries of U move tau,
    and |(1, 1)|^2 = 2 for v.
    """
    risk, at = loss(tau * v1, tau * v2, factor=factor), curve()
    weights = {tau: 2 * (1 - tau**2) ** 2, v1: 2, v2: 2}
    moved = [speed(factor=factor) * at[x].diff(r) for x in at]
    return identity(moved, [-(w * risk.diff(x)).subs(at, simultaneous=True) for x, w in weights.items()])


def _smoothness() -> dict[str, Evidence]:
    """With q = |p|^2 = 1 - 1/f, h = A(q) + B(q) 2 p1 p2 + C(q) (p1^2 - p2^2), and its Hessian is at
    most 2|A'| + 4|A''| and 2|B| + 10|B'| + 4|B''|, and the same for C, as |p| <= 1. Each is f^4
    e^-f times a bounded combination of cos 2f and sin 2f, C like B; their sum is at most 800 f^4
    e^-f, hence at most 17000/f, which tends to 0 at the edge of the disc.
    """
    p1, p2 = sp.symbols("p1 p2", real=True)
    q = p1**2 + p2**2
    waves = cos(2 / (1 - q)) * 2 * p1 * p2 - sin(2 / (1 - q)) * (p1**2 - p2**2)
    half, one = sp.cancel(kappa(1 - 1 / f)) / 2, -(f**2)  # kappa/2, and A' without e^-f
    wave, rule = half * sin(2 * f), _in_q(sp.S.Zero, half)
    bounds = [(2, one, 2), (4, f**2 * (one.diff(f) - one), 2)]
    pair = (half, sp.S.Zero)
    for weight, most in ((2, (3, 1)), (10, (3, 5)), (4, (56, 10))):
        bounds += [(2 * weight, part, c) for part, c in zip(pair, most)]
        pair = _in_q(*pair)
    x = sp.Symbol("x", positive=True)  # 1/f
    small = [
        forall(sp.factor(sp.cancel(part.subs(f, 1 / x) * x**4)) ** 2, "<=", c**2, {x: Interval.Lopen(0, 1)})
        for _, part, c in bounds
    ]
    total = sum(weight * c for weight, _, c in bounds)
    return {
        "split": identity(loss(p1, p2), exp(-1 / (1 - q)) * (1 - kappa(q) / 2 * waves)),
        "slope": identity(
            f**2 * (exp(-f) * wave).diff(f), exp(-f) * (rule[0] * cos(2 * f) + rule[1] * sin(2 * f))
        ),
        "Hessian": all_of(*small),
        "edge": forall(total * f**5 * exp(-f), "<=", SMOOTHNESS, {f: Closed(1, oo)}),
    }


def _in_q(a: sp.Expr, b: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Return the derivative in q, df/dq = f^2, of e^-f (a cos 2f + b sin 2f), as such a pair."""
    return f**2 * (a.diff(f) - a + 2 * b), f**2 * (b.diff(f) - b - 2 * a)


def _assumption_4_2() -> dict[str, Evidence]:
    """(i) queries are 1- and tokens 3/2-sub-Gaussian; (iii) |z|^p = 2^{p/2}, |x_q| = 1, so M = 1.
    (ii) follows from (i), as there is one task.
    """
    a, b, p = sp.symbols("a b p", real=True)
    line = (-oo, oo)
    return {
        "query": forall(sp.cosh(a), "<=", exp(a**2 / 2), {a: line}),
        "tokens": forall((a + b) ** 2 / 2, "<=", Rational(9, 8) * (a**2 + b**2), {a: line, b: line}),
        "moments": forall(2 ** (p / 2), "<=", Rational(3, 2) ** (2 * p), {p: Closed(0, oo)}),
    }
