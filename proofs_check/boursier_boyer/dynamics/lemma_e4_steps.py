"""Lemma E.4 of Boursier & Boyer, its proof step by step: the formula of the gradient, the split of
the difference in two, and what Propositions 3.1 and 3.4 make of it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import Rational, log, oo, sqrt

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, Integers, forall, identity, trace_identity
from numerics.regression.softmax_vs_linear.few_atoms import gaps, tasks_on_atoms
from proofs_check.boursier_boyer.dynamics.lemma_e2_statement import RADEMACHER, at_zero_scores
from proofs_check.boursier_boyer.dynamics.lemma_e2_steps import HALF_LINE, REALS, young
from proofs_check.boursier_boyer.dynamics.lemma_e4_statement import DOMINATED
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, refuted_exactly, supported, undecided
from theory.symbolic.algebra import Algebra

L = sp.Symbol("L", integer=True, positive=True)
v, v1, v2 = sp.symbols("v v1 v2", positive=True)  # sigma^2, and its two values
LENGTHS, VARIANCES = Integers(2, oo), Closed(1, oo)


def output_rate(square: sp.Expr) -> sp.Expr:
    """sigma^6 ln(L)/L^{c/sigma^2} of Proposition 3.1 at c = 1."""
    return square**3 * log(L) * L ** (-1 / square)


def gradient_rate(square: sp.Expr) -> sp.Expr:
    """sigma^12 ln(L)^2/L^{c/sigma^2} of Proposition 3.4 at c = 1."""
    return square**6 * log(L) ** 2 * L ** (-1 / square)


@claim(
    "BB:LE.4/middle",
    **TYPO,
    repair={"root": Fraction(1, 2)},
    control={"root": Fraction(2, 5)},
    needs=("BB:28",),
    hypotheses=("L in Integers", "L >= 2", "v >= 1", "t >= 0", "y >= 0"),
)
def root_of_the_middle_term(*, root: Fraction = Fraction(1, 4)) -> Evidence:
    r"""The last display, $4(t^2+Y+y^2)$ with the middle mean $Y$, has to be at most the square of
    $2(t+Y^{1/2}+y)$, with which the lemma continues. Printed is the root $Y^{1/4}$, which fails at
    $Y=\sigma^6\ln(L)/L^{1/\sigma^2}$ for one value of $\sigma$; repaired, with `root` $\frac12$, it
    holds for every $Y\geq0$.
    """
    t, y, Y = sp.symbols("t y Y", nonnegative=True)
    domain: dict[sp.Symbol, Any] = {t: HALF_LINE, y: HALF_LINE, Y: HALF_LINE}
    if root == Fraction(1, 4):
        Y, domain = output_rate(v), {t: HALF_LINE, y: HALF_LINE, v: VARIANCES, L: LENGTHS}
    return forall(4 * (t**2 + Y + y**2), "<=", (2 * (t + Y ** Rational(root) + y)) ** 2, domain)


def _slopes_agree() -> Evidence:
    """Compare E[J_L grad_1 l] with central differences of the enumerated risk."""
    tasks, step, worst = tasks_on_atoms([0.5, -1.5], [0.75, 0.25], [-1.0, 2.0]), 1e-5, 0.0
    at = np.array([0.4, 0.0, -0.3, 0.0, 0.2, 0.6])
    risk = lambda x, n: gaps(tasks, x[:4].reshape(2, 2), x[4:], n).risk_L
    for n in (1, 2, 5):
        slope = gaps(tasks, at[:4].reshape(2, 2), at[4:], n).gradient_L
        moves = [(risk(at + step * e, n) - risk(at - step * e, n)) / (2 * step) for e in np.eye(6)]
        worst = max(worst, float(np.abs(slope - moves).max()))
    if worst > 1e-8:
        return undecided("finite differences", f"slopes differ by {worst:.1e}")
    return supported("finite differences", f"L = 1, 2, 5 in d = 1, to {worst:.0e}")


def risk_without_a_gradient() -> Evidence:
    """Tasks that meet Assumption 4.2 (i) and (iii) but not (ii), at U = 0 and the last row (0, v)
    of V for L = 1. Task n = 1, 2, ... has the probability 2^-n, tokens (x, y) of independent signs
    x and y/2^n, and sigma_mu = 2^n. For the loss c^2/(2 + 2 c^2) the risk R_1(v) is at most 1/2,
    even in v, and at v = 2^-k its term n = k alone is v/4.
    """
    k, output = sp.Symbol("k", integer=True, positive=True), sp.Symbol("c", real=True)
    loss = output**2 / (2 + 2 * output**2)
    curved = forall(sp.diff(loss, output, 2) ** 2, "<=", 1, {output: REALS})
    at_v = loss.subs(output, 2**-k * 2**k)  # |v y| = 1 at task k
    steep = forall(Rational(1, 4), "<=", 2**-k * at_v / 2**-k, {k: Integers(1, oo)})
    slope = sp.diff(loss, output).subs(output, 0)
    if not (curved.verdict.accepted and steep.verdict.accepted and slope == 0):
        return undecided("exact arithmetic", "the risk of the witness is not as its docstring says")
    tasks = {"P(task n)": "2^-n", "x": "-1 or 1", "y at task n": "-2^n or 2^n", "sigma_mu at task n": "2^n"}
    where = {"loss": "c^2/(2 + 2 c^2)", "U": 0, "last row of V": "(0, v)"}
    sides = {"R_1(2^-k)/2^-k for every k, at least": Rational(1, 4), "displayed mean at v = 0": slope}
    witness = {"L": 1, "d": 1, "sigma_mu": 2, **tasks, **where, **sides}
    return refuted_exactly(witness, checked=r"\nabla\mathcal{R}_L=\mathbb{E}[J_L\,\nabla_1\ell]")


@claim(
    "BB:LE.4.split",
    false="edge",
    at="tasks without a twelfth moment of sigma_mu",
    costs="nothing",
    repair={"tasks": "4.2 (i) to (iii)"},
    control=({"factor": Fraction(2)}, {"share": Fraction(9, 10)}),
    needs=("BB:LE.4.split/majorant",),
    cites=DOMINATED,
    hypotheses=("L in Integers", "L >= 1", "d in Integers", "d >= 1", "sigma_mu >= 1"),
)
def difference_splits_in_two(
    *,
    tasks: str = "4.2 (i) and (iii)",
    factor: Fraction = Fraction(1),
    share: Fraction = Fraction(1),
) -> Evidence:
    """The difference of the gradients splits in two: $J_Lg_L-Jg=(J_L-J)g_L+J(g_L-g)$ for the
    Jacobians $J_L$, $J$ of the outputs and the slopes $g_L$, $g$ of the loss, in every dimension.
    From the formula of the gradient this is derived on average, with the Cauchy-Schwarz inequality
    for both terms and 1-smoothness for the second one. The formula is dominated convergence by
    BB:LE.4.split/majorant under all of Assumption 4.2; from what Lemma E.4 prints of it alone, the
    `tasks` may be such that the risk has no gradient where the displayed mean is 0.

    Here `factor` multiplies the second term, and `share` the bound; finite differences confirm the
    formula.
    """
    if tasks == "4.2 (i) and (iii)":
        return risk_without_a_gradient()
    words = Algebra(general=["J_L", "J", "g_L", "g"])
    J_L, J, g_L, g = (words[name] for name in ("J_L", "J", "g_L", "g"))
    found = trace_identity(J_L * g_L - J * g, (J_L - J) * g_L + factor * (J * (g_L - g)))
    search = confirmed(found, _slopes_agree()) if found.verdict.accepted else found
    return derivation("BB:LE.4.split", search, young(share), factor=factor, share=share)


@claim("BB:LE.4.split/schwarz", control={"power": 3})
def cauchy_schwarz(*, power: int = 2) -> Evidence:
    r"""The Cauchy-Schwarz inequality
    $\mathbb{E}|XZ|\leq(\mathbb{E}|X|^2)^{1/2}(\mathbb{E}|Z|^2)^{1/2}$ is derived; for numbers it is
    $\frac12x^2+\frac12y^2-xy=\frac12(x-y)^2$. Here `power` stands for the 2 of the moments.
    """
    x, y = sp.symbols("x y", nonnegative=True)
    search = identity(x**power / power + y**power / power - x * y, (x - y) ** 2 / 2)
    return derivation("BB:LE.4.split/schwarz", search, power=power)


@claim(
    "BB:28",
    false="gap",
    follows="BB:LE.4",
    costs="constants",
    repair={"first": "mu"},
    control=({"factor": Fraction(9, 10)}, {"together": 2}),
    needs=("BB:LE.4.split", "BB:P3.4.U", "BB:P3.4.V", "BB:P3.1", "BB:28/absorb"),
    cites=DOMINATED,
    hypotheses=("L in Integers", "L >= 2", "v1 >= 1", "v2 >= 1"),
)
def root_of_the_mean(*, first: str = "root", factor: Fraction = Fraction(1), together: int = 3) -> Evidence:
    r"""Printed is $(\mathbb{E}_\mu X)^{1/2}\leq\mathbb{E}_\mu X^{1/2}$ for
    $X=\sigma_\mu^{12}\ln(L)^2/L^{1/\sigma_\mu^2}$, which two equally likely values of
    $\sigma_\mu^2$ refute. Repaired, one conditions on $\mu$ first: at every task the distance of
    the gradients is derived from their formula, the Cauchy-Schwarz inequality, smoothness and
    Propositions 3.1 and 3.4 for $L\geq2$, whose constants are those for $\|U\|_{\rm
    op}=\|V\|_{\rm op}=2\rho$, or larger, at all tasks. The distance over all tasks is at most the
    mean of that, as the norm of a mean is at most the mean of the norms.

    A second route is that the root of the product of two conditional means comes out of
    $pq\leq\frac l2p^2+\frac1{2l}q^2$ at the best $l$, that the root of the rate of Proposition 3.4
    is $\sigma^6\ln(L)/L^{1/(2\sigma^2)}$, and that its bounds for $U$ and $V$ add up to at most 3
    times that for $U$. Here `factor` multiplies the right sides, and `together` stands for this 3.
    """
    if first == "root":
        one, two = gradient_rate(v1), gradient_rate(v2)
        ranges = {v1: VARIANCES, v2: VARIANCES, L: LENGTHS}
        return forall(sqrt((one + two) / 2), "<=", (sqrt(one) + sqrt(two)) / 2, ranges)
    p, q = sp.symbols("p q", nonnegative=True)
    l, X, Q = sp.symbols("l X Q", positive=True)
    domain = {p: HALF_LINE, q: HALF_LINE, l: (0, oo)}
    young = forall(p * q, "<=", Rational(factor) * (l * p**2 / 2 + q**2 / (2 * l)), domain)
    best = identity(sp.Subs(l * X / 2 + Q / (2 * l), l, sqrt(Q / X)), sqrt(X * Q))
    root = v**3 * log(L) * L ** (-1 / (2 * v))
    squares = v**3 * log(L) + v**6 * log(L) ** 2, together * v**6 * log(L) ** 2
    both = forall(squares[0], "<=", squares[1], {v: VARIANCES, L: LENGTHS})
    search = all_of(young, best, identity(gradient_rate(v), sp.Pow(root, 2, evaluate=False)), both)
    return derivation("BB:28", search, search, factor=factor, together=together)


@claim(
    "BB:28/absorb",
    false="edge",
    at="L = 2",
    costs="constants",
    repair={"k": 3},
    sharp="k",
    reference={"v": 1},
    needs=("BB:P3.4.U", "BB:P3.4.V"),
    hypotheses=("L in Integers", "L >= 2", "v >= 1"),
)
def both_gradients_in_one_bound(*, k: int | Fraction = 2) -> Evidence:
    r"""The sum $\sigma_\mu^6\ln L+\sigma_\mu^{12}\ln(L)^2$, over the same power of $L$, is to be at
    most $k\,\sigma_\mu^{12}\ln(L)^2$. With the printed `k`, which is 2, this fails at
    $\sigma_\mu=1$ and $L=2$; with 3 it is derived for every $L\geq2$, with $c_1'$ and the power of
    $L$ on both sides.
    """
    both = v**3 * log(L) + v**6 * log(L) ** 2
    search = forall(both, "<=", Rational(k) * v**6 * log(L) ** 2, {v: VARIANCES, L: LENGTHS})
    return derivation("BB:28/absorb", search, k=k)


@claim("BB:28/conditional", control={"q": Fraction(1, 2)})
def the_conditional_form_suffices(*, q: Fraction = Fraction(1)) -> Evidence:
    r"""For two equally likely tasks conditioning first loses nothing against the Cauchy-Schwarz
    inequality: $(p_1r_1+p_2r_2)^2\leq(p_1^2+p_2^2)(r_1^2+r_2^2)$ for the conditional root mean
    squares $p_i$ and $r_i$ of the factors. Here `q` multiplies the right side.
    """
    p1, p2, r1, r2 = names = sp.symbols("p1 p2 r1 r2", nonnegative=True)
    right = Rational(q) * (p1**2 + p2**2) * (r1**2 + r2**2)
    return forall((p1 * r1 + p2 * r2) ** 2, "<=", right, dict.fromkeys(names, HALF_LINE))


@claim(
    "BB:28/rest",
    false="edge",
    at="L = 1",
    follows="BB:P3.1",
    costs="nothing",
    repair={"least": 2},
    control=({"k": Fraction(39, 10)}, {"two": Fraction(19, 10)}),
    needs=("BB:P3.1",),
    hypotheses=("L in Integers", "L >= 1", "d in Integers", "d >= 1", "sigma_mu >= 1"),
)
def the_remaining_factor(*, least: int = 1, k: int | Fraction = 4, two: int | Fraction = 2) -> Evidence:
    r"""At $L=1$, where $\ln L=0$, the last display fails for $y=0$ and $U=0$. From $L=$ `least` = 2
    on it is derived from $\|T_L\|^2\leq2\|T\|^2+2\|T_L-T\|^2$ and Proposition 3.1 at every task.
    For numbers $x=\|T_L-T\|$, $t=\|T\|$ and $y=\|y_{\rm q}\|$ it is
    $2(t+x)^2+2y^2\leq4(t^2+x^2+y^2)$, and the root of the right side is at most $2(t+x+y)$, as the
    lemma uses it; `k` stands for the 4 of the display, and `two` for the 2 of $2(t+x+y)$.
    """
    if least == 1:
        at = at_zero_scores(tasks_on_atoms(*RADEMACHER, [0]), 1, (1, 0))
        law = {"L": 1, "d": 1, "sigma_mu": 1, "x": "-1 or 1", "y": 0, "U": 0, "last row of V": "(1, 0)"}
        sides = {"left": 2 * at.D2 + 2 * at.y2, "right": 4 * at.T2 + 4 * at.y2}  # T is 0, and D is T_1
        return refuted_exactly({**law, **sides}, "enumeration")
    x, t, y = names = sp.symbols("x t y", nonnegative=True)
    domain = dict.fromkeys(names, HALF_LINE)
    display = forall(2 * (t + x) ** 2 + 2 * y**2, "<=", Rational(k) * (t**2 + x**2 + y**2), domain)
    root = forall(4 * (t**2 + x**2 + y**2), "<=", (Rational(two) * (t + x + y)) ** 2, domain)
    return derivation("BB:28/rest", display, root, k=k, two=two)
