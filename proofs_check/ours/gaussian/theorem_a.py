"""Theorem A: the mean squared error of softmax attention on Gaussian tokens at a fixed query is at
most e^s/(e^s + L - 1) (t + q) for every L, where s is the variance of the scores, t = tr(V Gamma
V') and q = |V Gamma U z|^2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import oo

from numerics.attention.quadrature.softmax_weights import softmax_moments
from numerics.counterexamples.drawn.computed import Computed, Decades, Share
from numerics.evidence import Contradiction, Evidence, all_of, confirmed
from numerics.provers import Closed, Integers, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import refuted_exactly, supported, undecided
from proofs_check.instances.plain_weights import plain_weights
from proofs_check.ours.gaussian.r4_gaussian_moments import TOKENS, pi
from theory.attention import gaussian_errors as closed
from theory.attention.gaussian_errors import theorem_A

L = sp.Symbol("L", integer=True, positive=True)
s, t, q = sp.symbols("s t q", nonnegative=True)
P2, P3, Q = sp.symbols("P2 P3 Q", positive=True)
#: Quantities that are nonnegative by R4 (e).
GAPS = (Q - P2**2, P3 - Q)
COVERED = "s = 0, 1/100, 1/4, 1, 4, 25, 100, 400; L = 1, 2, 3, 10, 1e3, 1e6, 1e12, 1e50, 1e100"
VARIANCES = np.array([0.0, 0.01, 0.25, 1.0, 4.0, 25.0, 100.0, 400.0])
LENGTHS = np.array([1.0, 2, 3, 10, 1e3, 1e6, 1e12, 1e50, 1e100])


def nonnegative(difference: sp.Expr, *terms: tuple[Any, sp.Expr]) -> Evidence:
    """Prove that `difference` is the sum of products of a nonnegative number (or symbol) and a
    quantity known to be nonnegative.
    """
    assumes = tuple(f"{gap} >= 0" for _, gap in terms)
    if not all(sp.sympify(factor).is_nonnegative for factor, _ in terms):
        raise ValueError(f"a factor of {terms} may be negative; it proves nothing")
    with sp.evaluate(False):
        as_sum = sp.Add(*(sp.Mul(factor, gap) for factor, gap in terms))
    proof = identity(difference, as_sum)
    return proof.replace(assumes=(*proof.assumes, *assumes))


def on_the_grid(lower: Any, upper: Any, holds: str) -> Evidence:
    """Compare lower <= upper at every point of the grid, with the tightest ratio."""
    slack, tightest = float("inf"), dict[str, Any]()
    for x in VARIANCES:
        m = softmax_moments(x, LENGTHS)
        ratio = np.asarray(upper(x, m)) / np.asarray(lower(x, m))
        i = int(np.argmin(ratio))
        if ratio[i] < 1 - 1e-11:  # the quadrature is good to 1e-12
            witness = {"s": float(x), "L": f"{LENGTHS[i]:.0e}", "ratio": float(ratio[i])}
            return undecided("quadrature", f"{holds} fails numerically at {witness}")
        if ratio[i] < slack:
            slack, tightest = float(ratio[i]), {"s": float(x), "L": f"{LENGTHS[i]:.0e}"}
    return supported("quadrature", COVERED, checked=holds, slack=slack, tightest=tightest)


#: Lengths at which drawn scores are tried.
DRAWN_LENGTHS = (1.0, 2.0, 3.0, 10.0, 1e3, 1e6, 1e12, 1e20, 1e30)


def at_drawn_scores(lower: Any, upper: Any) -> Computed:
    """``lower <= upper``, functions of s, q/s, the moments and L, at drawn scores."""
    lengths = np.array(DRAWN_LENGTHS)

    def sides(s: float, share: float) -> tuple[Any, Any]:
        m = softmax_moments(s, lengths)
        return lower(s, share, m, lengths), upper(s, share, m, lengths)

    return Computed(
        "s up to 400, t = 1, every q <= s t, L = 1 to 1e30",
        {"s": Decades(1e-3, 400.0, zero=True), "share": Share()},
        sides,
        lambda s, share, L: float(lower(s, share, plain_weights(s, L), L)),
        along=("L", DRAWN_LENGTHS),
        each=2,
        where=lambda s, share: {"s": s, "t": 1, "q": share * s},
    )


@claim("OURS:R4.A.ode/slope", control={"four": 3}, needs=("OURS:R4.e", "OURS:R4.e/jensen", "OURS:R4.e/order"))
def slope_is_at_most_logistic(*, four: int = 4) -> Evidence:
    r"""The slope of $P_2$ is at most logistic, because
    $P_2-P_2^2-\frac{dP_2}{ds}=4(P_3-Q)+(Q-P_2^2)$, where `four` stands for the 4. That this is
    not negative is derived for the softmax weights of Gaussian scores, with R4 (e) for the slope.
    """
    search = nonnegative(P2 - P2**2 - closed.P2_slope(P2, P3, Q), (1, GAPS[0]), (four, GAPS[1]))
    return derivation("OURS:R4.A.ode/slope", search, four=four)


@claim("OURS:R4.A.ode", control={"one": 2}, needs=("OURS:R4.A.ode/slope",))
def P2_stays_below_the_logistic_curve(*, one: int = 1) -> Evidence:
    r"""For the softmax weights of $L$ independent Gaussian scores $P_2\leq\frac{e^s}{e^s+L-1}$ is
    derived without a slope. The scores of two tokens are $u+v$ and $u-v$ with a $v$ that is
    independent of $u$ and of the others: so $p_lp_k$ falls with $|v|$, $\cosh2v$ rises, and by
    Chebyshev's association inequality $\mathbb{E}\frac{p_l^2+p_k^2}2\leq e^s\,\mathbb{E}p_lp_k$,
    which is summed over all pairs. Derived is also $P_2=\frac1L$ for equal weights, where $s=0$.
    The second route is that $e^s(\frac1{P_2}-1)$ does not fall from its initial value $L-1$ where
    the slope of $P_2$ is at most logistic; `one` stands for the 1 in $L-1$.
    """
    slope = sp.Symbol("P2'", real=True)
    monotone = sp.exp(s) * (1 / P2 - 1)
    derivative = identity(
        monotone.diff(s) + monotone.diff(P2) * slope, sp.exp(s) / P2**2 * (P2 - P2**2 - slope)
    )
    start = identity(sp.Subs(monotone, (s, P2), (0, 1 / L)), L - one)
    bound = identity(sp.Subs(monotone, P2, theorem_A(s, L, 1, 0)), L - one)
    tried = at_drawn_scores(lambda s, share, m, L: m.P2, lambda s, share, m, L: theorem_A(s, L, 1.0, 0.0))
    bound = bound.replace(sides=(*bound.sides, tried))
    if bound.verdict.accepted:
        grid = on_the_grid(
            lambda x, m: m.P2, lambda x, m: theorem_A(x, LENGTHS, 1.0, 0.0), r"P_2 \le e^s/(e^s + L - 1)"
        )
        bound = confirmed(bound, grid)
    return derivation("OURS:R4.A.ode", all_of(derivative, bound), start, one=one)


@claim("OURS:R4.A.low", control={"one": 2})
def P2_is_at_least_that_of_equal_weights(*, one: int = 1) -> Evidence:
    r"""For every $L$ and weights of any law that add up to 1, $P_2\geq\frac1L$ is derived from
    $L\pi_2-1=\sum_{i<j}(p_i-p_j)^2\geq0$. Tried are this identity, and $LP_2\geq1$ by quadrature
    and at drawn scores; `one` stands for both 1.
    """
    terms = [(1, 2, 0), (-2, 1, 1), (1, 0, 2)]
    pairs = sum((x * TOKENS.sum(k) * TOKENS.sum(l) for x, k, l in terms), 0 * TOKENS.sum(0)).as_expr() / 2
    as_sum = computed(r"\sum_{i<j}(p_i^2-2p_ip_j+p_j^2)", pairs)
    proof = identity(TOKENS.symbols[0] * pi[2] - one, as_sum).replace(
        assumes=("L >= 1 an integer", "sum p_i = 1")
    )
    tried = at_drawn_scores(lambda s, share, m, L: one / (L * m.P2), lambda s, share, m, L: 1.0)
    proof = proof.replace(sides=(*proof.sides, tried))
    if proof.verdict.accepted:
        proof = confirmed(proof, on_the_grid(lambda x, m: one / LENGTHS, lambda x, m: m.P2, r"1/L \le P_2"))
    return derivation("OURS:R4.A.low", proof, one=one)


@claim("OURS:R4.A", sharp="c", needs=("OURS:R4.c", "OURS:R4.A.ode"))
def theorem(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""The mean of $|T_L-T|^2$ is $P_2(t+q)-6(P_3-Q)q\leq P_2(t+q)$, $P_2\leq e^s/(e^s+L-1)$, and
    $e^s/(e^s+L-1)\leq e^s/L$. Both bounds are derived for the softmax-weighted average of $L$
    independent tokens $\mathcal{N}(0,\Gamma)$; Stein's lemma is cited for four functions of the
    weights. Here `c` multiplies the bounds, and one token refutes every `c` below 1.
    """
    tried = at_drawn_scores(
        lambda s, share, m, L: closed.gaussian_second_moment(m.P2, m.P3, m.Q, 1.0, share * s),
        lambda s, share, m, L: float(c) * theorem_A(s, L, 1.0, share * s),
    )
    weak = closed.limit_of_output_error(s, t, q) / L
    second = forall(
        theorem_A(s, L, t, q), "<=", c * weak, {L: Integers(1, oo), **dict.fromkeys((s, t, q), Closed(0, oo))}
    )
    return derivation("OURS:R4.A", _error_on_a_grid(c).replace(sides=(tried,)), second, c=c)


def _error_on_a_grid(c: Fraction) -> Evidence:
    """The first inequality for tokens in one dimension, and at one token for c below 1."""
    if c < 1:
        error, bound = closed.gaussian_second_moment(1, 1, 1, 1, 0), float(c) * theorem_A(0, 1, 1, 0)
        if not error > bound:
            raise Contradiction(
                f"at one token the error {error} does not exceed {bound}; one of the two formulas is wrong"
            )
        witness = {"L": 1, "Gamma": 1, "V": 1, "U": 0, "error": error, "bound": bound, "c": c}
        return refuted_exactly(witness)
    return on_the_grid(
        lambda x, w: closed.gaussian_second_moment(w.P2, w.P3, w.Q, 1.0, float(x)),
        lambda x, w: float(c) * theorem_A(x, LENGTHS, 1.0, float(x)),
        r"d = 1: \Gamma = V = 1, q = s",
    )


@claim("OURS:R4.A/equality", control={"factor": Fraction(2)}, needs=("OURS:R4.c",))
def equality_for_one_token_and_without_scores(*, factor: Fraction = Fraction(1)) -> Evidence:
    r"""The error equals the bound for $L=1$, where all moments of the weights are 1, and for $s=0$,
    where all weights are $\frac1L$ and $q=|V\Gamma Uz|^2=0$; `factor` multiplies the bound.
    """
    error = r"P_2(t+q)-6(P_3-Q)q"
    one = computed(error, closed.gaussian_second_moment(1, 1, 1, t, q))
    flat = computed(error, closed.gaussian_second_moment(1 / L, 1 / L**2, 1 / L**2, t, 0))
    return all_of(
        identity(one, factor * theorem_A(s, 1, t, q)), identity(flat, factor * theorem_A(0, L, t, 0))
    )


@claim("OURS:R4.A.limit", control={"factor": Fraction(2)}, needs=("OURS:R4.A",))
def bound_is_asymptotically_sharp(*, factor: Fraction = Fraction(1)) -> Evidence:
    r"""For every $L$ it is derived that $1-\frac8Le^{7s/2}$ times either bound is at most the
    error, which by Theorem A is at most either bound: with a tangent of $\frac1{S^2}$, where $S$ is
    the sum of the weights before they are normalised, $P_2\geq\frac{Le^s}{(e^{2s}+L-1)^2}$, and
    $P_3\leq\frac{e^{9s/2}}{L^2}$, as $\frac SL$ is at least the geometric mean of these weights.
    Here `factor` multiplies the bounds.

    The second route is that $L\frac{e^s}{e^s+L-1}(t+q)$ is, as a function of $x=\frac1L$,
    continuous at $x=0$, where it is $e^s(t+q)$.
    """
    x = sp.Symbol("x", nonnegative=True)
    scaled = (t + q) / (x + (1 - x) * sp.exp(-s))
    same = identity(L * theorem_A(s, L, t, q), sp.Subs(scaled, x, 1 / L))
    at_zero = identity(sp.Subs(scaled, x, 0), factor * closed.limit_of_output_error(s, t, q))
    return derivation("OURS:R4.A.limit", all_of(same, at_zero), at_zero, factor=factor)
