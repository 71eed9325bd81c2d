"""R5: a Polyak-Lojasiewicz inequality along the flow with infinite prompts, in place of item 3 of
Appendix F.3 of Boursier & Boyer, which is false as printed. Its steps are proved, and the
inequality is tried along integrated flows.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.properties.steepness import drawn_steepness
from numerics.provers import forall, trace_identity
from numerics.provers.eigenbasis import l_i, l_j
from numerics.regression.flow.polyak_lojasiewicz import BalancedStart, balanced_starts, steeper_than
from proofs_check.core.claim import claim
from theory.regression.polyak_lojasiewicz import polyak_lojasiewicz
from theory.symbolic.algebra import Algebra

s = sp.Symbol("s", positive=True)
#: Starts between the condition s^2 |S| < 2 of R5 and the narrower one with sqrt(d), and starts that
#: are close to the edge of the former.
EDGE_STARTS = [
    BalancedStart(sp.ImmutableMatrix(sp.diag(*top)), sp.ImmutableMatrix(Theta), scale)
    for scale in (sp.Rational(5, 4), sp.Rational(7, 5))
    for top, Theta in (((1, 1), (1, 0)), ((1, sp.Rational(1, 2)), (sp.Rational(3, 5), sp.Rational(4, 5))), ((1, 0), (1, 0)))
]


@claim(
    "OURS:R5.PL/gradient",
    needs=("OURS:R5.cons/entries", "OURS:R5.limit/square"),
    dial="k",
    argument="Sum over $i$ and $j$ in the range: elsewhere the summands of the gradient and, with the infinite prompt, of "
    "the risk vanish.",
)
def the_gradient_sees_every_square_of_the_risk(*, k: Fraction = Fraction(2)) -> Evidence:
    r"""With the bracket $B=uSU-I$ and eigenvalues $l_i,l_j\geq\lambda$, the entry
    $(u\,l_il_jB_{ij})^2$ of $|\dot U|^2$ is at least $2\lambda^3u^2$ times the summand
    $\frac12l_jB_{ij}^2$ of the risk; `k` stands for the factor 2.
    """
    lam, square = sp.symbols("lambda b2", positive=True)
    domain = dict.fromkeys((l_i, l_j, lam, square), (0, oo))
    gradient, risk = l_i**2 * l_j**2 * square, l_j * square / 2  # both divided by u^2
    return forall(gradient, ">=", k * lam**3 * risk, domain, where=[(l_i, ">=", lam), (l_j, ">=", lam)])


@claim(
    "OURS:R5.PL/start",
    dial="k",
    needs=("OURS:R5.PL/trace",),
    argument=r"One has ${\rm tr}(SBSBS)\leq|S|\,{\rm tr}(SBS)$ for $B=\Theta\Theta^\top$ with $|B|_F=1$, by R5.PL/trace; "
    r"and ${\rm tr}(SBS)=|S\Theta|_F^2$.",
)
def how_far_the_start_lies_below_the_saddles(*, k: Fraction = Fraction(1, 2)) -> Evidence:
    r"""At the start $U=sB$, $u=s$ with $B=\Theta\Theta^\top$, $\frac12{\rm
    tr}\,S-R=s^2x-\frac12s^4y$ is at least $\frac12s^2x(2-s^2|S|)$, where $x=|S\Theta|_F^2$, $y={\rm
    tr}(SBSBS)\leq|S|x$ and $s^2|S|<2$; `k` stands for the $\frac12$ of the bound.
    """
    x, y, top = sp.symbols("x y top", positive=True)
    domain = dict.fromkeys((x, y, top, s), (0, oo))
    return forall(
        s**2 * x - s**4 * y / 2, ">=", k * s**2 * x * (2 - s**2 * top), domain, where=[(y, "<=", top * x), (s**2 * top, "<", 2)]
    )


@claim("OURS:R5.PL/trace", control=dict(two=3), argument="The trace of a positive semi-definite matrix is nonnegative.")
def the_trace_inequality_of_the_start(*, two: int = 2) -> Evidence:
    r"""The difference $t\,{\rm tr}(SBS)-{\rm tr}(SBSBS)$ is ${\rm tr}(SB(tI-S)BS)+t\,{\rm
    tr}(S(B-B^2)S)$, where $t$ bounds $S$ from above and both terms are traces of semi-definite
    matrices.

    This is for $0\leq S\leq tI$ and $0\leq B\leq I$, which $|B|_F=1$ gives for
    $B=\Theta\Theta^\top$. The second identity is the risk $\frac12{\rm tr}\,S-s^2{\rm
    tr}(SBS)+\frac12s^4{\rm tr}(SBSBS)$ at the start $U=sB$, $u=s$, where `two` stands for both 2 in
    the denominators.
    """
    A = Algebra(symmetric=["S", "B"], params=["t", "s"])
    S, B, top, scale = (A[name] for name in ("S", "B", "t", "s"))
    x, y = (S * B * S).tr(), (S * B * S * B * S).tr()
    inequality = trace_identity(top * x - y, (S * B * (top * A.I - S) * B * S).tr() + top * (S * (B - B * B) * S).tr())
    bracket = scale * S * (scale * B) - A.I
    start = trace_identity((bracket * S * bracket.T).tr() / 2, S.tr() / two - scale * scale * x + scale**4 * y / two)
    return all_of(inequality, start)


@claim(
    "OURS:R5.PL",
    dial="c",
    needs=("OURS:R5.cons", "OURS:R5.limit/critical", "OURS:R5.PL/gradient", "OURS:R5.PL/start", "OURS:R5.PL/trace"),
    cites=("Cauchy-Schwarz",),
    unproved="an inequality along every path of a flow: no prover here speaks of solutions of differential equations; the "
    "inequalities that give it at each time are proved in the parts",
    argument=r"One has $u^2|S^2|_F\geq u\,{\rm tr}(SUS)$, as $|U|_F=|u|$ for $c=0$; $u\,{\rm tr}(SUS)\geq\frac12{\rm "
    r"tr}\,S-R$ by R5.limit/critical, and $R$ decreases; $\frac12{\rm tr}\,S-R(0)\geq\frac12s^2|S\Theta|_F^2(2-s^2|S|_{\rm "
    r"op})$; this bounds $u^2$ as displayed, and $|\nabla R|^2\geq2\lambda^3u^2R$.",
)
def polyak_lojasiewicz_along_the_flow(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""Along integrated paths and at their starts $|\nabla R|^2\geq\mu R$ with
    $\mu=\lambda_+^3s^2|S\Theta|_F^2(2-s^2|S|_{\rm op})/|S^2|_F$; `c` multiplies $\mu$.

    The bound of $u^2$ that is displayed beside it is R5.limit/critical together with R5.PL/start.
    """
    scaled = lambda Sigma, Theta, s: sp.Rational(c) * polyak_lojasiewicz(Sigma, Theta, s)
    found = steeper_than(scaled, balanced_starts() + EDGE_STARTS, checked=r"|\nabla R|^2\geq c\,\mu R")
    return found.replace(sides=(drawn_steepness(polyak_lojasiewicz, Fraction(c)),))
