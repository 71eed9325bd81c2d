"""Appendix F.2 of Boursier & Boyer: the risk of linear attention with finite prompts, its limit for
long prompts, and where its gradient flow ends. Risks and fixed points are proved as identities for
every dimension; limits of the flow are found by integrating it from many starts.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy as sp
from sympy import Rational, oo

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.computed import Computed
from numerics.counterexamples.drawn.flows import drawn_ends, drawn_starts, shown_start
from numerics.evidence import Evidence, Verdict, all_of, confirmed
from numerics.provers import Closed, forall, identity, trace_identity
from numerics.provers.eigenbasis import l_i
from numerics.regression.flow.infinite_prompt import integrate_flow
from numerics.regression.flow.starts import Start, ends_at, theta_starts
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, refuted_exactly, undecided
from proofs_check.instances.regression.fixed_point import stands_still
from theory.regression.any_parameters import full_risk_gradient
from theory.regression.limit import limit_parameters
from theory.regression.risk import effective_covariance, icl_risk
from theory.symbolic.algebra import Algebra, Words
from theory.symbolic.regression_moments import DATA, risk_of_blocks

# A prompt token x, the query z, a task w, and h = 1/L.
ALGEBRA = Algebra(symmetric=["S"], vectors=["x", "z", "w"], params=["h"])
S, x, z, w, h = (ALGEBRA[name] for name in ("S", "x", "z", "w", "h"))


@claim(
    "BB:F.2.lin",
    **TYPO,
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0"),
    repair={"outer": 0, "last": "x_k"},
    control=({"last": "x"}, {"outer": 1}),
    needs=("BB:L2.1.a", "BB:12"),
)
def linear_attention_tends_to_the_token_covariance(*, outer: int = 1, last: str = "x") -> Evidence:
    r"""Without the outer factor $1/L$ and with $x_k^{\top}w\,x_k^{\top}$ in the last row it is
    derived for every $d$ that $a^{\top}\hat\Gamma_{L,w,x}b$ is within
    $(2d^2\|v+v_0w\|^2\|c+c_0w\|^2+2)^{1/2}\eta$ of $a^{\top}\Gamma_wb$ for all $a=(v,v_0)$ and
    $b=(c,c_0)$, once the averages of the $x_ix_j$ are within $\eta$ of their means, as they are
    from some $L$ on for almost every sequence of tokens by the strong law of large numbers, and
    $L\eta\geq|(v^{\top}x)(c^{\top}x)|$ for the query $x$: all entries, and the outputs, converge.
    As printed (`outer` = 1, and $x$ for $x_k$ in the `last` row) the mean of the first entry tends
    to $0$. The second route are the expectations of the blocks, $(1+\frac1L)\Sigma$, $\Sigma w$,
    $w^{\top}\Sigma$ and $w^{\top}\Sigma w$.

    With outer = 1 the top-left block, positive in d = 1, has mean (1 + 1/L) Sigma / L -> 0 and
    tends to 0 (Fatou), not to Sigma. The last row (1/L) sum x_k'w x', with the query x where x_k
    belongs, has mean 0 instead of (Sigma w)'.
    """
    if outer > 0:
        L, Sigma = sp.Symbol("L", positive=True), sp.Symbol("Sigma", positive=True)
        found = sp.limit((1 + 1 / L) * Sigma / L**outer, L, sp.oo)
        return refuted_exactly(
            {
                "d": 1,
                "Sigma": 1,
                "w": 1,
                "limit of the mean of the first entry": found.subs(Sigma, 1),
                "first entry of Gamma_w": 1,
            },
            checked=r"\lim_L\mathbb E\,(\hat\Gamma_{L,w,x})_{11}=\Sigma",
        )
    row = (x.T * w) * (z.T if last == "x" else x.T)
    top, column, corner = x * x.T + h * (z * z.T), x * (x.T * w), (w.T * x) * (x.T * w)
    means = ((top, S + h * S), (column, S * w), (row, w.T * S), (corner, w.T * S * w))
    blocks = all_of(*(trace_identity(block.gauss("x", S).gauss("z", S), mean) for block, mean in means))
    return derivation("BB:F.2.lin", blocks, last=last)


def zhang(start: Start, exponent: float) -> tuple[np.ndarray, float]:
    """The limits as printed, at the prompt length of the start."""
    inverse = np.linalg.inv(effective_covariance(start.Sigma, start.prompt_length))
    scale = np.trace(inverse @ inverse) ** exponent
    return inverse / scale, float(scale)


@claim("BB:F.2.Zh/fixed_point", control=({"exponent": Rational(1, 2)}, {"factor": 2}))
def limits_are_a_balanced_fixed_point(*, exponent: Rational = Rational(1, 4), factor: int = 1) -> Evidence:
    r"""With $T=\mathrm{tr}(\Sigma_L^{-2})$ the norm $\|U\|_F^2=T\,T^{-2r}$ equals $u^2=T^{2r}$ at
    the `exponent` $r=1/4$. It is derived from the products of matrices, for every $d$, that the
    flow stands still at $U=\gamma\Sigma_L^{-1}$ and $u=1/\gamma$, and at every $P$ that is added to
    $U$ and that $\Sigma$ does not see; `factor` multiplies $\gamma$ in $U$.
    """
    T, L, trace = sp.symbols("T L t", positive=True)
    with sp.evaluate(False):
        sides = T * (T**-exponent) ** 2, (T**exponent) ** 2
    entries = stands_still((1 + 1 / L) * l_i + trace / L, factor=factor)
    return all_of(identity(*sides), derivation("BB:F.2.Zh/fixed_point", *entries, factor=factor))


@claim(
    "BB:F.2.Zh",
    needs=("OURS:R5.finite", "OURS:R5.limit", "BB:F.2.Zh/fixed_point"),
    cites=("Zhang et al. 2024, Theorem 4.1",),
    control={"exponent": Rational(1, 2)},
)
def limits_of_linear_attention(*, exponent: Rational = Rational(1, 4)) -> Evidence:
    r"""Integrated paths at $L=1,2,20$ and with the infinite prompt tend to
    $U=\mathrm{tr}(\Sigma_L^{-2})^{-1/4}\Sigma_L^{-1}$ and $u=\mathrm{tr}(\Sigma_L^{-2})^{1/4}$.
    """
    starts = [
        replace(s, prompt_length=length) for length in (1, 2, 20, None) for s in theta_starts(scales=(0.6,))
    ]
    checked = (
        r"U(t)\to\operatorname{tr}(\Sigma_L^{-2})^{-1/4}\Sigma_L^{-1},\ "
        r"u(t)\to\operatorname{tr}(\Sigma_L^{-2})^{1/4}"
    )
    limit = partial(zhang, exponent=float(exponent))
    drawn = drawn_ends(limit, "balanced", prompts=tuple((length, 0.0) for length in (1, 2, 20, None)))
    return ends_at(limit, starts, checked=checked).replace(sides=(drawn,))


@claim("BB:F.2.C2/polynomial", control={"spread": 1}, needs=("BB:5.Rinf",))
def the_risk_is_a_polynomial(*, spread: int = 2) -> Evidence:
    r"""The risk, averaged over $w$ and $x$, is a polynomial in the blocks of
    $U(x,0)=(Ax,b^{\top}x)$ and $v=(p,q)$, for every $d$. The second route compares its gradient
    with the gradient as coded, at exact instances.

    With c(w) = A'S p + q (w'S w) b, of mean c, and M = q A'S + b p'S - I it is (c'S c + spread q^2
    tr(S S) b'S b + tr(M'S M))/2 with spread = 2.
    """
    S, A, p, b, q = (DATA[name] for name in ("S", "A", "p", "b", "q"))
    risk = risk_of_blocks(noise=False)
    mean, M = A.T * S * p + q * (S.tr() * b), q * (A.T * S) + b * (p.T * S) - DATA.I
    around_mean = spread * (q * q * ((S * S).tr() * (b.T * S * b)))
    found = trace_identity(risk, (mean.T * S * mean + around_mean + (M.T * S * M).tr()) / 2)
    return confirmed(found, *(_coded_gradient(risk, d) for d in (1, 2))) if found.verdict.accepted else found


def _coded_gradient(risk: Words, d: int) -> Evidence:
    """Compare the gradients in A, b and p with `full_risk_gradient` at an exact instance."""
    at = DATA.example(d, seed=d)
    U = sp.Matrix([[at["A"], sp.zeros(d, 1)], [at["b"].T, sp.zeros(1, 1)]])
    to_U, to_v = full_risk_gradient(at["S"], U, sp.Matrix([at["p"], [at["q"]]]))
    words = [entry for name in "Abp" for entry in risk.grad(name).evaluate(at)]
    return identity(words, [*to_U[:d, :d], *to_U[d, :d], *to_v[:d, 0]])


def radius(start: Start) -> float:
    """sqrt(2k), k = (sqrt(2 R(0)) + sqrt(tr Sigma))/l_min^{3/2}: the risk falls and so bounds u |U|
    by k, and |U|_F = u > 0.
    """
    l = np.linalg.eigvalsh(start.Sigma)
    risk = max(0.0, float(icl_risk(start.Sigma, start.U0, start.u0)))  # rounding may leave it below 0
    fallen = np.sqrt(2 * risk) + np.sqrt(l.sum())
    return float(np.sqrt(2 * fallen / l[0] ** 1.5))


@claim(
    "BB:F.2.C2/ball", needs=("OURS:R5.cons/gradient", "OURS:R5.cons/entries"), control={"c": Fraction(9, 10)}
)
def the_falling_risk_bounds_the_product(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""Along the flow of an invertible $\Sigma$ from a balanced start it is derived that
    $\|U\|_F^2+u^2\leq2c\,k$ with `c` = 1 and
    $k=(\sqrt{2\mathcal{R}(0)}+\sqrt{\mathrm{tr}\,\Sigma})/\lambda_{\min}^{3/2}$: the falling risk
    bounds $u\|U\|_F=u^2$. The second route are integrated paths, of which the norm is compared with
    $\sqrt{2c\,k}$.
    """
    return derivation("BB:F.2.C2/ball", _on_paths(float(c) ** 0.5), c=c)


def drawn_norms(times: float) -> Computed:
    """The ball at both ends of paths from drawn starts."""
    ranges, start = drawn_starts("balanced")
    norm = lambda end: float(np.hypot(np.linalg.norm(end[0]), end[1]))
    first = lambda one: norm((one.U0, one.u0))

    def sides(**at: Any) -> tuple[list[float], float]:
        one = start(**at)
        return [first(one), norm(zhang(one, 0.25))], float(times) * radius(one)

    def again(t: str, **at: Any) -> float:
        one = start(**at)
        if t == "0":
            return float(np.sqrt(2) * one.u0)
        end = limit_parameters(one.Sigma, U0=one.U0, u0=one.u0)
        return norm((end.U, end.V[-1, -1]))

    return Computed(
        (
            "balanced starts in d = 1, 2, 3 at their start and at their limit, turned covariances with "
            "eigenvalues over two decades"
        ),
        ranges,
        sides,
        again,
        along=("t", ("0", "oo")),
        each=4,
        where=lambda **at: shown_start(start(**at)),
    )


@claim(
    "BB:F.2.C2",
    control=({"times": Fraction(9, 10)}, {"share": Fraction(9, 10)}, {"spread": 1}),
    needs=("BB:5.Rinf", "BB:5.block", "BB:R5.3.limits", "BB:R5.3.risk0"),
)
def the_assumptions_on_the_infinite_prompt(
    *, times: Fraction = Fraction(1), share: Fraction = Fraction(1), spread: int = 2
) -> Evidence:
    r"""The infinite-prompt risk is a polynomial in all parameters, as in F.2.C2/polynomial, and so
    $C^2$; `spread` stands for a 2 in it. On the block manifold it is derived that the flow of an
    invertible $\Sigma$ from a balanced start stays in the ball of radius $\sqrt{2k}$ with
    $k=(\sqrt{2\mathcal{R}(0)}+\sqrt{\mathrm{tr}\,\Sigma})/\lambda_{\min}^{3/2}$, whose square
    `times` multiplies, and that from every start of Assumption 5.1 with $\alpha>0$ the risk is at
    most $\mathcal{R}(0)e^{-2\lambda^3a^2t}$ for a number $a>0$ that $u$ never falls below; `share`
    multiplies this. So its limit is 0.

    Second routes: the gradient as coded, integrated paths, and a decay that is not slower.
    """
    polynomial = the_risk_is_a_polynomial(spread=spread)
    paths = _on_paths(float(times) ** 0.5).replace(sides=(drawn_norms(float(times) ** 0.5),))
    rate, more, t = sp.symbols("rate more t", nonnegative=True)
    ranges = dict.fromkeys((rate, more, t), Closed(0, oo))
    decays = forall(sp.exp(-(rate + more) * t), "<=", Rational(share) * sp.exp(-rate * t), ranges)
    found = derivation("BB:F.2.C2", paths, decays, c=times, share=share)
    return all_of(polynomial, found)


def _on_paths(times: Fraction | float) -> Evidence:
    worst, where, last = np.inf, "", 0.0
    for start in theta_starts(scales=(0.05, 1.5)):
        bound = float(times) * radius(start)
        flow = integrate_flow(start.Sigma, start.U0, start.u0)
        norm = float(np.sqrt((flow.U**2).sum(axis=(1, 2)) + flow.u**2).max())
        if norm > bound * (1 + 1e-9):  # at t = 0 in d = 1 the two are equal
            finer = integrate_flow(start.Sigma, start.U0, start.u0, rtol=1e-12)
            again = float(np.sqrt((finer.U**2).sum(axis=(1, 2)) + finer.u**2).max())
            witness = {"start": start.name, "largest norm": norm, "radius": bound}
            return refuted_by_two_routes("integration of the flow", witness, norm, bound, again)
        if bound / norm < worst:
            worst, where = bound / norm, start.name
        last = max(last, float(flow.risk[-1]) / float(np.trace(start.Sigma)))
    if last > 1e-9:
        return undecided("integration of the flow", f"a path ends at {last:.1e} of tr Sigma")
    covered = f"12 starts over 6 covariances in d = 1 to 4; the risk ends below {last:.0e} tr(Sigma)"
    found: dict[str, Any] = {"slack": max(1.0, worst), "tightest": {"start": where}, "covered": covered}
    return Evidence(verdict=Verdict.SUPPORTED, engine="integration of the flow", **found)
