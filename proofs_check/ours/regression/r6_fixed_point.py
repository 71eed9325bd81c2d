"""R6 at the parameters to which training with infinite prompts leads: how fast the risk of finite
prompts falls there, and that training with finite prompts does better.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import Rational, exp, oo, sqrt

from numerics.attention.quadrature.common_nodes import STEP, common_nodes
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.computed import Computed, Decades, OneOf, Several, Share
from numerics.evidence import Evidence, all_of
from numerics.provers import forall, identity, trace_identity
from numerics.regression.flow.diagonal import FinitePromptPath, Spectrum, finite_prompt_path
from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_gap, gap_at_nodes
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import supported, undecided
from theory.attention.query_average import theorem_B
from theory.regression.task import RegressionTask
from theory.symbolic.algebra import Algebra

Floats = NDArray[np.float64]


def fixed_point(eigenvalues: tuple[float, ...]) -> tuple[Floats, Floats, float, float]:
    """S, U11 = gamma S^-1, u = 1/gamma and lambda = gamma^2."""
    S = np.diag(np.asarray(eigenvalues, dtype=float))
    gamma = float((1 / np.diag(S) ** 2).sum() ** -0.25)
    return S, gamma * np.linalg.inv(S), 1 / gamma, gamma**2


def scaled_risk(
    eigenvalues: tuple[float, ...], lengths: Floats, noise: float = 0.0, step: float = 0.08
) -> Floats:
    """L (R_L - tau^2/2) at the limit parameters, where the infinite-prompt risk is 0."""
    S, U, v, _ = fixed_point(eigenvalues)
    return lengths * finite_prompt_gap(
        U, v, RegressionTask(S, noise=noise, task_variance=1.0), lengths, step=step
    )


def supremum(eigenvalues: tuple[float, ...], noise: float = 0.0) -> float:
    """E e^s (t + q)/2 for tr(S^-2) > 4, with t = u^2 (tr S + tau^2), q = |x|^2, s = lambda |xi|^2,
    x = S^{1/2} xi and xi ~ N(0, I).
    """
    _, _, v, lam = fixed_point(eigenvalues)
    rest, d, total = 1 - 2 * lam, len(eigenvalues), float(sum(eigenvalues))
    return float(rest ** (-d / 2) * (v**2 * (total + noise) + total / rest) / 2)


@claim(
    "OURS:R6.fixed/lambda",
    control=(
        dict(four=3),
        dict(four=5),
        dict(start=1),
        dict(invertible=False),
        dict(exponent=Fraction(1, 2)),
    ),
    needs=("OURS:R5.limit", "OURS:R6.valley/scores"),
)
def top_eigenvalue_at_the_fixed_point(
    *, four: int = 4, start: int = 0, invertible: bool = True, exponent: Fraction = Fraction(1, 4)
) -> Evidence:
    r"""For an invertible $S$, $P(M)=M-SS^+MSS^+=0$, so that the limit of R5.limit is $U=\gamma
    S^{-1}$, where $\gamma^2$ is $(e+\sqrt{e^2+4T})/(2T)$ with $e=|U(0)|^2-u(0)^2$, which is 0 for a
    balanced start, and $T={\rm tr}(S^{-2})$. There the score variance is $\gamma^2=T^{-1/2}$, as
    R6.valley/scores has $v^2$ at $U=vS^{-1}$. It is below $\frac12$ if and only if $T>4$. That the
    flow ends at $U=T^{-1/4}S^{-1}$ and $u=T^{1/4}$ from a balanced start is derived from that of
    R5.limit. Here `four` stands for the 4, `start` for the $|U|^2-u^2$ of the start, `exponent` for
    the $\frac14$, and without `invertible` $S$ is any matrix.
    """
    A = Algebra(general=["M"], symmetric=["S", "G", "H"], pseudo_inverse=[("S", "G", "H")])
    if invertible:
        A = Algebra(general=["M"], symmetric=["S", "G"], inverse=[("S", "G")])
    M, S, G = A["M"], A["S"], A["G"]
    outside = trace_identity(S * G * M * S * G, M)
    T = sp.Symbol("T", positive=True)
    half = Rational(1, 2)
    e = sp.Symbol("e", real=True)  # |U|^2 - u^2
    scale = identity(sp.Subs((e + sqrt(e**2 + four * T)) / (2 * T), e, start), 1 / sqrt(T))
    below = forall(1 / sqrt(T), "<", half, {T: (four, oo)})
    above = forall(1 / sqrt(T), ">=", half, {T: sp.Interval.Lopen(0, four)})
    # The root of v^4 = T: v^4 - T vanishes there.
    root = identity((T ** sp.Rational(exponent)) ** 4, T)
    return all_of(outside, scale, below, above, derivation("OURS:R6.fixed/lambda", root, exponent=exponent))


@claim("OURS:R6.fixed/integral", control=dict(half=Rational(1, 4)))
def the_mean_of_the_weight(*, half: Rational = Rational(1, 2)) -> Evidence:
    r"""For $\lambda<\frac12$ and every $d$, $\mathbb{E}e^{\lambda|\xi|^2}=(1-2\lambda)^{-d/2}$ is
    derived, and from $\lambda=\frac12$ on this mean exceeds every number, because it is at least
    that for every smaller $\lambda$; `half` stands for that $\frac12$ and for the exponent. The
    second routes are that $e^{\lambda g^2-g^2/2}$ is $e^{-t^2/2}$ at $g=t/\sqrt{1-2\lambda}$, and
    at least 1 from $\lambda=\frac12$ on.
    """
    rest, lam = sp.symbols("r lam", positive=True)  # r = 1 - 2 lambda
    t, g = sp.symbols("t g", real=True)
    at = ((1 - rest) / 2 * g**2 - g**2 / 2).subs(g, t / sqrt(rest)) - sp.log(rest) / 2
    finite = identity(at, -(t**2) / 2 - half * sp.log(rest))
    flat = forall(exp(lam * g**2 - g**2 / 2), ">=", 1, {lam: sp.Interval(half, oo), g: (-oo, oo)})
    return derivation("OURS:R6.fixed/integral", finite, flat, half=Fraction(half))


#: Eigenvalues of S and the label noise; then eigenvalues alone.
BOUNDED_SPECTRA = {"S = I, d = 5": ((1.0,) * 5, 0.0), "S = diag(1, 1/2), tau2 = 0.3": ((1.0, 0.5), 0.3)}
UNBOUNDED_SPECTRA = {"S = I, d = 4": (1.0,) * 4, "S = 1, d = 1": (1.0,)}
LENGTHS = np.array([1.0, 1e2, 1e4, 1e8, 1e16, 1e70])


#: Lengths at which drawn spectra are tried.
LONG = (1.0, 2.0, 3.0, 10.0, 1e2, 1e4, 1e8, 1e16, 1e30)


def scaled_at_nodes(
    l: Floats, noise: float, lengths: tuple[float, ...], largest: float, step: float = STEP
) -> Floats:
    """`scaled_risk` on common nodes, for many spectra."""
    S, U, v, _ = fixed_point(tuple(l))
    nodes = common_nodes(lengths, largest, step)
    return nodes.lengths * gap_at_nodes(nodes, S, U, v, noise)


def _drawn(least: float, most: float, simple: float) -> dict[str, Any]:
    l = Several(Decades(least, most, simple), 4)
    return {"d": OneOf((1, 2, 3, 4)), "l": l, "noise": Decades(1e-3, 10.0, zero=True)}


def _named(d: int, l: Floats, noise: float) -> dict[str, Any]:
    return {"d": d, "eigenvalues of S": l[:d], "tau2": noise}


def below_its_supremum(share: float) -> Computed:
    """The bound at drawn spectra with tr(S^-2) > 4."""

    def sides(d: int, l: Floats, noise: float) -> tuple[Any, Any]:
        if not (l[:d] ** -2).sum() > 4:
            return np.nan, np.nan
        return scaled_at_nodes(l[:d], noise, LONG, 400.0), share * supremum(tuple(l[:d]), noise)

    return Computed(
        "d = 1 to 4, eigenvalues of S from 1/100 to 4 with tr(S^-2) > 4, label noise up to 10, L = 1 to 1e30",
        _drawn(0.01, 4.0, 0.25),
        sides,
        lambda d, l, noise, L: scaled_at_nodes(l[:d], noise, LONG, 400.0, 0.16)[LONG.index(L)],
        along=("L", LONG),
        each=2,
        where=_named,
    )


def growing() -> Computed:
    """At drawn spectra with tr(S^-2) <= 4 the scaled risk grows from each length to the next."""

    def sides(d: int, l: Floats, noise: float) -> tuple[Any, Any]:
        if (l[:d] ** -2).sum() > 4:
            return np.nan, np.nan
        values = scaled_at_nodes(l[:d], noise, LONG, 400.0)
        return values[:-1], values[1:]

    return Computed(
        "d = 1 to 4, eigenvalues of S from 1/2 to 4 with tr(S^-2) <= 4, label noise up to 10, L = 1 to 1e30",
        _drawn(0.5, 4.0, 1.0),
        sides,
        lambda d, l, noise, L: scaled_at_nodes(l[:d], noise, LONG, 400.0, 0.16)[LONG.index(L)],
        along=("L", LONG[:-1]),
        each=2,
        where=_named,
    )


@claim(
    "OURS:R6.fixed",
    control={"share": Fraction(1, 2)},
    needs=(
        "OURS:R6",
        "OURS:R4.A",
        "OURS:R4.limit",
        "OURS:R5.limit",
        "OURS:R6.fixed/lambda",
        "OURS:R6.fixed/integral",
    ),
    cites=("Fatou's lemma",),
)
def bounded_at_the_fixed_point(*, share: Fraction = Fraction(1)) -> Evidence:
    r"""Where ${\rm tr}(S^{-2})>4$, $\sup_LL(R_L-\frac12\tau^2)=\frac12\mathbb{E}e^s(t+q)$, and
    elsewhere $L(R_L-\frac12\tau^2)$ grows on; this is tried by quadrature. Here `share` multiplies
    the supremum.
    """
    return _at_spectra(share).replace(sides=(below_its_supremum(float(share)), growing()))


def _at_spectra(share: Fraction) -> Evidence:
    shown = []
    for name, (eigenvalues, noise) in BOUNDED_SPECTRA.items():
        values, bound = scaled_risk(eigenvalues, LENGTHS, noise), float(share) * supremum(eigenvalues, noise)
        if values.max() > bound * (1 + 1e-9):
            i = int(values.argmax())
            again = float(scaled_risk(eigenvalues, LENGTHS[i : i + 1], noise, step=0.05)[0])
            witness = {
                "S": name,
                "L": f"{LENGTHS[i]:.0e}",
                "L (R_L - tau2/2)": values[i],
                "claimed supremum": bound,
            }
            return refuted_by_two_routes("quadrature", witness, float(values[i]), bound, again)
        if values[-1] < 0.95 * bound:
            return undecided("quadrature", f"{name}: {values} stays below {bound}")
        at = ", ".join(f"{v:.4g}" for v in values[1:5])
        shown.append(f"{name}: {at} at L = 1e2, 1e4, 1e8, 1e16, {values[-1]:.6g} of {bound:.6g} at 1e70")
    for name, eigenvalues in UNBOUNDED_SPECTRA.items():
        values = scaled_risk(eigenvalues, LENGTHS[:5])
        if not (np.diff(values) > 0).all():
            return undecided("quadrature", f"{name} does not grow: {values}")
        shown.append(f"{name}: grows to {values[-1]:.3g}")
    return supported("quadrature", "; ".join(shown))


#: Eigenvalues of S with tr(S^-2) = 4, and the label noise.
CRITICAL_SPECTRA = {
    "S = 1/2, d = 1": ((0.5,), 0.0),
    "S = diag(2, 15^-1/2 2), tau2 = 0.3": ((2.0, 2 / 15**0.5), 0.3),
}
LONG_LENGTHS = np.array([1e25, 1e50])


@claim(
    "OURS:R6.four",
    control={"scale": Fraction(101, 100)},
    needs=("OURS:R6.fixed", "OURS:R4.B", "OURS:R6.trained"),
)
def at_the_threshold(*, scale: Fraction = Fraction(1)) -> Evidence:
    r"""Where ${\rm tr}(S^{-2})=4$, the risk held at the fixed point over its law, $r(L)$, satisfies
    $2r(L^2)-r(L)=1$ up to $0.003$ at $L=10^{25}$; `scale` multiplies the law.
    """
    return _at_critical_spectra(scale).replace(sides=(_law_at_the_threshold(float(scale)),))


def _law_at_the_threshold(scale: float) -> Computed:
    """The law at drawn spectra that are scaled to tr(S^-2) = 4."""
    lengths = tuple(LONG_LENGTHS)

    def off(d: int, l: Floats, noise: float, step: float = STEP) -> float:
        l = l[:d] * float((l[:d] ** -2).sum() / 4) ** 0.5
        tau2 = noise * float(l.sum())
        law = theorem_B([0.5] * d, list(l), 2 * (float(l.sum()) + tau2))
        held = (
            scaled_at_nodes(l, tau2, lengths, 1000.0, step)
            * 2
            / law.constant
            / np.log(LONG_LENGTHS) ** law.log_power
            / scale
        )
        return abs(2 * float(held[1]) - float(held[0]) - 1)

    return Computed(
        "d = 1 to 4, eigenvalues of S of ratios up to 100, label noise up to twice the trace; L = 1e25, 1e50",
        _drawn(0.1, 10.0, 1.0) | {"noise": Share(0.0, 2.0)},
        lambda **at: (off(**at), 3e-3),
        lambda **at: off(**at, step=0.16),
        accuracy=1e-6,
        each=2,
        where=lambda d, l, noise: {"d": d, "ratios of the eigenvalues of S": l[:d], "tau2/tr S": noise},
    )


def _at_critical_spectra(scale: Fraction) -> Evidence:
    shown = []
    for name, (eigenvalues, noise) in CRITICAL_SPECTRA.items():
        S, d = np.diag(eigenvalues), len(eigenvalues)
        law = theorem_B([0.5] * d, eigenvalues, 2 * (sum(eigenvalues) + noise))
        shape = float(scale) * law.constant / 2 * np.log(LONG_LENGTHS) ** law.log_power

        def extrapolated(step: float, S: Floats = S, noise: float = noise, shape: Floats = shape) -> float:
            task = RegressionTask(S, noise=noise, task_variance=1.0)
            gap = finite_prompt_gap(np.linalg.inv(S) / 2**0.5, 2**0.5, task, LONG_LENGTHS, step=step)
            held = LONG_LENGTHS * gap
            return float(2 * held[1] / shape[1] - held[0] / shape[0])

        off = abs(extrapolated(0.05) - 1)
        if off > 3e-3:
            witness = {"S": name, "L": "1e25", "|2 r(L^2) - r(L) - 1|": off, "scale": scale}
            return refuted_by_two_routes("quadrature", witness, off, 3e-3, abs(extrapolated(0.04) - 1))
        shown.append(f"{name}: {off:.0e}")
    return supported("quadrature", f"L = 1e25, 1e50; off by {'; '.join(shown)}")


@claim("OURS:R6.trained/path", needs=("OURS:R6.iso",), control={"times": Fraction(1, 2)})
def the_isotropic_flow_lowers_the_risk(*, times: Fraction = Fraction(1)) -> Evidence:
    """For $S=I$ and $d=5$ the risk falls along the integrated flow, and its end has a lower risk
    than the limit parameters of the infinite prompt; `times` multiplies the risk of the latter.
    """
    shown = []
    S, U, v, _ = fixed_point((1.0,) * 5)
    for L in (10.0, 50.0):
        path = isotropic_path(L)
        task = RegressionTask(S, noise=0.0, task_variance=1.0)
        end, held = float(path.risk[-1]), float(times) * float(finite_prompt_gap(U, v, task, L))
        if float(np.diff(path.risk).max()) > 1e-9:
            return undecided("integration of the flow", f"the risk rises at L = {L}")
        if end > held:
            again = float(isotropic_path(L, nodes=80, rtol=1e-10).risk[-1])
            witness = {"d": 5, "L": int(L), "risk at the end": end, "claimed at most": held}
            return refuted_by_two_routes("integration of the flow", witness, end, held, again)
        shown.append(f"L = {L:.0f}: {end:.4g} at the end, {held:.4g} at the limit parameters")
    return supported("integration of the flow", f"d = 5, S = I; {'; '.join(shown)}")


@cache
def isotropic_path(L: float, nodes: int = 56, rtol: float = 1e-8) -> FinitePromptPath:
    """The flow for S = I, d = 5 from U(0) = u(0) I/sqrt(5), u(0) = 1/2."""
    return finite_prompt_path(
        [0.5 / 5**0.5], 0.5, Spectrum((1.0,), (5,)), L, nodes=nodes, rtol=rtol, t_max=300.0, noise=0.0
    )
