"""R5: a Polyak-Lojasiewicz inequality along the flow with infinite prompts, in place of item 3 of
Appendix F.3 of Boursier & Boyer, which is false as printed.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.counterexamples.drawn.steepness import drawn_steepness
from numerics.evidence import Evidence, confirmed
from numerics.provers import forall, trace_identity
from numerics.provers.eigenbasis import l_i, l_j
from numerics.regression.flow.polyak_lojasiewicz import BalancedStart, balanced_starts, steeper_than
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.regression.polyak_lojasiewicz import polyak_lojasiewicz
from theory.symbolic.algebra import Algebra

s = sp.Symbol("s", positive=True)
#: Starts between the condition s^2 |S| < 2 of R5 and the narrower one with sqrt(d), and starts that
#: are close to the edge of the former.
EDGE_STARTS = [
    BalancedStart(sp.ImmutableMatrix(sp.diag(*top)), sp.ImmutableMatrix(Theta), scale)
    for scale in (sp.Rational(5, 4), sp.Rational(7, 5))
    for top, Theta in (
        ((1, 1), (1, 0)),
        ((1, sp.Rational(1, 2)), (sp.Rational(3, 5), sp.Rational(4, 5))),
        ((1, 0), (1, 0)),
    )
]


@claim("OURS:R5.PL/gradient", needs=("OURS:R5.cons/entries",), sharp="k")
def the_gradient_sees_every_square_of_the_risk(*, k: Fraction = Fraction(2)) -> Evidence:
    r"""With the bracket $B=uSU-I$ it is derived in an eigenbasis of $S$, for every $d$, that
    $|\dot U|^2+\dot u^2\geq2\lambda^3u^2R$: the entry $(u\,l_il_jB_{ij})^2$ is at least
    $2\lambda^3u^2$ times the summand $\frac12l_jB_{ij}^2$ of the risk, and outside the range both
    vanish. The second route are the summands in the range; `k` stands for the factor 2.
    """
    lam, square = sp.symbols("lambda b2", positive=True)
    domain = dict.fromkeys((l_i, l_j, lam, square), (0, oo))
    gradient, risk = l_i**2 * l_j**2 * square, l_j * square / 2  # both divided by u^2
    inside = forall(gradient, ">=", k * lam**3 * risk, domain, where=[(l_i, ">=", lam), (l_j, ">=", lam)])
    return derivation("OURS:R5.PL/gradient", inside, k=k)


@claim("OURS:R5.PL/start", sharp="k")
def how_far_the_start_lies_below_the_saddles(*, k: Fraction = Fraction(1, 2)) -> Evidence:
    r"""At the start $U=sB$, $u=s$ with $B=\Theta\Theta^\top$, $\frac12{\rm
    tr}\,S-R=s^2x-\frac12s^4y$ is at least $\frac12s^2x(2-s^2|S|)$, where $x=|S\Theta|_F^2$, $y={\rm
    tr}(SBSBS)\leq|S|x$: this is derived for every $\Theta$ with $|\Theta\Theta^\top|_F=1$, and its
    second route takes $s^2|S|<2$. Here `k` stands for the $\frac12$ of the bound.
    """
    x, y, top = sp.symbols("x y top", positive=True)
    domain = dict.fromkeys((x, y, top, s), (0, oo))
    small = [(y, "<=", top * x), (s**2 * top, "<", 2)]
    scalars = forall(s**2 * x - s**4 * y / 2, ">=", k * s**2 * x * (2 - s**2 * top), domain, where=small)
    return derivation("OURS:R5.PL/start", scalars, k=k)


@claim("OURS:R5.PL/trace", control=(dict(two=3), dict(times=Fraction(1, 2))))
def the_trace_inequality_of_the_start(*, two: int = 2, times: int | Fraction = 1) -> Evidence:
    r"""For $B=\Theta\Theta^\top$ with $|B|_F=1$ it is derived that ${\rm tr}(SBSBS)\leq|S|_{\rm
    op}|S\Theta|_F^2$, where `times` multiplies the bound, and that the risk is $\frac12{\rm
    tr}\,S-s^2{\rm tr}(SBS)+\frac12s^4{\rm tr}(SBSBS)$ at the start $U=sB$, $u=s$, where `two`
    stands for both 2 in the denominators. The second routes are one dimension, where $B=1$, and
    that $t\,{\rm tr}(SBS)-{\rm tr}(SBSBS)$ is ${\rm tr}(SB(tI-S)BS)+t\,{\rm tr}(S(B-B^2)S)$, a sum
    of two traces of semi-definite matrices for $0\leq S\leq tI$ and $0\leq B\leq I$.
    """
    A = Algebra(symmetric=["S", "B"], params=["t", "s"])
    S, B, top, scale = (A[name] for name in ("S", "B", "t", "s"))
    x, y = (S * B * S).tr(), (S * B * S * B * S).tr()
    inequality = trace_identity(
        top * x - y, (S * B * (top * A.I - S) * B * S).tr() + top * (S * (B - B * B) * S).tr()
    )
    bracket = scale * S * (scale * B) - A.I
    start = trace_identity(
        (bracket * S * bracket.T).tr() / 2, S.tr() / two - scale * scale * x + scale**4 * y / two
    )
    l, t = sp.symbols("l t", positive=True)
    line = forall(
        l**3, "<=", Fraction(times) * t * l**2, dict.fromkeys((l, t), (0, oo)), where=[(l, "<=", t)]
    )
    search = confirmed(line, inequality) if line.verdict.accepted else line
    return derivation("OURS:R5.PL/trace", search, start, two=two, times=times)


@claim(
    "OURS:R5.PL",
    sharp="c",
    control=dict(times=Fraction(9, 8)),
    needs=("OURS:R5.cons/gradient", "OURS:R5.cons/entries", "BB:F.3.2"),
)
def polyak_lojasiewicz_along_the_flow(
    *, c: Fraction = Fraction(1), times: Fraction = Fraction(1)
) -> Evidence:
    r"""With $\mu=\lambda_+^3s^2|S\Theta|_F^2(2-s^2|S|_{\rm op})/|S^2|_F$ both $|\nabla R|^2\geq\mu
    R$ and the bound of $u^2$ are derived along the whole flow, in an eigenbasis of $S$ and for
    every $d$, and tried along integrated paths; `c` multiplies $\mu$, and `times` the bound.

    One has $u^2|S^2|_F\geq u\,{\rm tr}(SUS)\geq\frac12{\rm tr}\,S-R$, as $|U|_F=|u|$, and the risk
    falls from its start, which lies below $\frac12{\rm tr}\,S$; then $|\nabla
    R|^2\geq2\lambda_+^3u^2R$. That the least risk is 0 is F.3.2.
    """
    scaled = lambda Sigma, Theta, s: sp.Rational(c) * polyak_lojasiewicz(Sigma, Theta, s)
    found = steeper_than(scaled, balanced_starts() + EDGE_STARTS, checked=r"|\nabla R|^2\geq c\,\mu R")
    l = sp.Symbol("l", positive=True)  # d = 1 at the start, where u = s
    line = forall(
        Fraction(times) * s**2 * l**2 * (2 - s**2 * l) / (2 * l**2), "<=", s**2, {s: (0, oo), l: (0, oo)}
    )
    found = found.replace(sides=(drawn_steepness(polyak_lojasiewicz, Fraction(c)),))
    return derivation("OURS:R5.PL", found, line, c=c, times=times)
