"""R6 at the parameters to which training with infinite prompts leads: how fast the risk of finite
prompts falls there, and that training with finite prompts does better. The integrals behind it are
proved, and the rates are measured by quadrature.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import Rational, exp, oo, sqrt

from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import forall, identity
from numerics.refutation import refuted_by_two_routes
from numerics.regression.flow.diagonal import FinitePromptPath, Spectrum, finite_prompt_path
from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_gap
from proofs_check.core.claim import claim
from theory.regression.task import RegressionTask

Floats = NDArray[np.float64]


def fixed_point(eigenvalues: tuple[float, ...]) -> tuple[Floats, Floats, float, float]:
    """Return S, U11 = gamma S^-1, u = 1/gamma and lambda = gamma^2."""
    S = np.diag(np.asarray(eigenvalues, dtype=float))
    gamma = float((1 / np.diag(S) ** 2).sum() ** -0.25)
    return S, gamma * np.linalg.inv(S), 1 / gamma, gamma**2


def scaled_risk(eigenvalues: tuple[float, ...], lengths: Floats, noise: float = 0.0, step: float = 0.08) -> Floats:
    """Return L (R_L - tau^2/2) at the limit parameters, where the infinite-prompt risk is 0 and the
    gap is the whole of it.
    """
    S, U, v, _ = fixed_point(eigenvalues)
    return lengths * finite_prompt_gap(U, v, RegressionTask(S, noise=noise, task_variance=1.0), lengths, step=step)


def supremum(eigenvalues: tuple[float, ...], noise: float = 0.0) -> float:
    """Return E e^s (t + q)/2 for tr(S^-2) > 4, with t = u^2 (tr S + tau^2), q = |x|^2, s = lambda
    |xi|^2, x = S^{1/2} xi and xi ~ N(0, I).
    """
    _, _, v, lam = fixed_point(eigenvalues)
    rest, d, total = 1 - 2 * lam, len(eigenvalues), float(sum(eigenvalues))
    return float(rest ** (-d / 2) * (v**2 * (total + noise) + total / rest) / 2)


@claim(
    "OURS:R6.fixed/lambda",
    control=(dict(four=3), dict(four=5)),
    needs=("OURS:R5.limit", "OURS:R6.valley/scores"),
    argument=r"The fixed point is $U=\gamma S^{-1}$, $u=1/\gamma$ with $\gamma^4=1/{\rm tr}(S^{-2})$; use R6.valley/scores "
    r"at $v=\gamma$.",
)
def top_eigenvalue_at_the_fixed_point(*, four: int = 4) -> Evidence:
    r"""At the fixed point $\lambda=\gamma^2=T^{-1/2}$ is below $\frac12$ if and only if $T={\rm
    tr}(S^{-2})>4$; `four` stands for the 4.
    """
    T = sp.Symbol("T", positive=True)
    half = Rational(1, 2)
    below = forall(1 / sqrt(T), "<", half, {T: (four, oo)})
    return all_of(below, forall(1 / sqrt(T), ">=", half, {T: sp.Interval.Lopen(0, four)}))


@claim(
    "OURS:R6.fixed/integral",
    control=dict(half=Rational(1, 4)),
    argument=r"Substitute $g=t/\sqrt{1-2\lambda}$ in the Gaussian integral; the mean over $\xi$ is a product over its "
    r"coordinates; the integral of a function that is at least 1 on the line is infinite.",
)
def the_mean_of_the_weight(*, half: Rational = Rational(1, 2)) -> Evidence:
    r"""For $\lambda<\frac12$, $\mathbb{E}e^{\lambda g^2}=(1-2\lambda)^{-1/2}$, and from
    $\lambda=\frac12$ on this mean is infinite; `half` stands for that $\frac12$.

    Executed: $e^{\lambda g^2-g^2/2}$ is $e^{-t^2/2}$ at $g=t/\sqrt{1-2\lambda}$, and at least 1
    from $\lambda=\frac12$ on.
    """
    rest, lam = sp.symbols("r lam", positive=True)  # r = 1 - 2 lambda
    t, g = sp.symbols("t g", real=True)
    finite = identity(((1 - rest) / 2 * g**2 - g**2 / 2).subs(g, t / sqrt(rest)), -(t**2) / 2)
    flat = forall(exp(lam * g**2 - g**2 / 2), ">=", 1, {lam: sp.Interval(half, oo), g: (-oo, oo)})
    return all_of(finite, flat)


#: Eigenvalues of S and the label noise; then eigenvalues alone.
BOUNDED_SPECTRA = {"S = I, d = 5": ((1.0,) * 5, 0.0), "S = diag(1, 1/2), tau2 = 0.3": ((1.0, 0.5), 0.3)}
UNBOUNDED_SPECTRA = {"S = I, d = 4": (1.0,) * 4, "S = 1, d = 1": (1.0,)}
LENGTHS = np.array([1.0, 1e2, 1e4, 1e8, 1e16, 1e70])


@claim(
    "OURS:R6.fixed",
    control={"share": Fraction(1, 2)},
    needs=("OURS:R6", "OURS:R4.A", "OURS:R4.limit", "OURS:R5.limit", "OURS:R6.fixed/lambda", "OURS:R6.fixed/integral"),
    cites=("Fatou's lemma",),
    argument=r"There $R_L-\frac12\tau^2=\frac12\mathbb{E}_x\mathbb{E}|T_L-T|^2$; by Theorem A it is at most "
    r"$\mathbb{E}e^s(t+q)/(2L)$, finite if and only if $\lambda<\frac12$; by R4.limit and Fatou's lemma the lower limit of "
    r"$L$ times it is at least that mean, infinite from $\lambda=\frac12$ on.",
)
def bounded_at_the_fixed_point(*, share: Fraction = Fraction(1)) -> Evidence:
    r"""Where ${\rm tr}(S^{-2})>4$, $\sup_LL(R_L-\frac12\tau^2)=\frac12\mathbb{E}e^s(t+q)$, and
    elsewhere $L(R_L-\frac12\tau^2)$ grows on; this is tried by quadrature. Here `share` multiplies
    the supremum.
    """
    shown = []
    for name, (eigenvalues, noise) in BOUNDED_SPECTRA.items():
        values, bound = scaled_risk(eigenvalues, LENGTHS, noise), float(share) * supremum(eigenvalues, noise)
        if values.max() > bound * (1 + 1e-9):
            i = int(values.argmax())
            again = float(scaled_risk(eigenvalues, LENGTHS[i : i + 1], noise, step=0.05)[0])
            witness = {"S": name, "L": f"{LENGTHS[i]:.0e}", "L (R_L - tau2/2)": values[i], "claimed supremum": bound}
            return refuted_by_two_routes("quadrature", witness, float(values[i]), bound, again)
        if values[-1] < 0.95 * bound:
            return Evidence(verdict=Verdict.OPEN, engine="quadrature", reason=f"{name}: {values} stays below {bound}")
        at = ", ".join(f"{v:.4g}" for v in values[1:5])
        shown.append(f"{name}: {at} at L = 1e2, 1e4, 1e8, 1e16, {values[-1]:.6g} of {bound:.6g} at 1e70")
    for name, eigenvalues in UNBOUNDED_SPECTRA.items():
        values = scaled_risk(eigenvalues, LENGTHS[:5])
        if not (np.diff(values) > 0).all():
            return Evidence(verdict=Verdict.OPEN, engine="quadrature", reason=f"{name} does not grow: {values}")
        shown.append(f"{name}: grows to {values[-1]:.3g}")
    return Evidence(verdict=Verdict.SUPPORTED, engine="quadrature", covered="; ".join(shown))


@claim("OURS:R6.iso/path", needs=("OURS:R6.iso",), control={"times": Fraction(1, 2)})
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
            return Evidence(verdict=Verdict.OPEN, engine="integration of the flow", reason=f"the risk rises at L = {L}")
        if end > held:
            again = float(isotropic_path(L, nodes=80, rtol=1e-10).risk[-1])
            witness = {"d": 5, "L": int(L), "risk at the end": end, "claimed at most": held}
            return refuted_by_two_routes("integration of the flow", witness, end, held, again)
        shown.append(f"L = {L:.0f}: {end:.4g} at the end, {held:.4g} at the limit parameters")
    return Evidence(verdict=Verdict.SUPPORTED, engine="integration of the flow", covered=f"d = 5, S = I; {'; '.join(shown)}")


@cache
def isotropic_path(L: float, nodes: int = 56, rtol: float = 1e-8) -> FinitePromptPath:
    """Return the flow for S = I, d = 5 from U(0) = u(0) I/sqrt(5), u(0) = 1/2."""
    return finite_prompt_path([0.5 / 5**0.5], 0.5, Spectrum((1.0,), (5,)), L, nodes=nodes, rtol=rtol, t_max=300.0, noise=0.0)
