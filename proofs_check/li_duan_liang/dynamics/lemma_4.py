"""Lemma 4 of Li, Duan & Liang with its proof: the gradients in Phase I."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence
from numerics.provers import Closed, forall
from numerics.refutation import defeated
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import exact_training
from proofs_check.instances.features.slow_attention import (
    DELTA2,
    FLAT,
    HYPOTHESES,
    WHERE,
    K,
    attention_early,
    c1,
    gradient_early,
    n,
)

a = sp.Symbol("a", nonnegative=True)  # an attention


def two_kinds_of_prompts(c: sp.Expr) -> Evidence:
    """Compare p A_n s^2, averaged over balanced and unbalanced prompts, with its bound."""
    P, A, E, s, k = sp.symbols("P A E s K", positive=True)
    p, kept, lost = sp.symbols("p a e", nonnegative=True)  # p_k, attention and probability in units of their bounds
    mean = (p * P / k) * (kept * A / k + lost * E / k) * s**2
    box = {**dict.fromkeys((P, A, E, s), (0, oo)), k: Closed(2, oo), **dict.fromkeys((p, kept, lost), Closed(0, 1))}
    return forall(mean, "<=", c * P * (A + E) * s**2 / k**2, box)


def update_from_the_rest(power: int, constant: int | Fraction) -> Evidence:
    """Compare p Attn_k (1 - Attn_k)^2 C^2 (L Delta)^2, where 1 - Attn_k is at most B epsilon delta,
    with a multiple of epsilon^power.
    """
    P, B, C, d, e, size, k = sp.symbols("P B C delta epsilon LDelta K", positive=True)
    b, c, p = sp.symbols("b c p", nonnegative=True)  # quantities in units of their bounds
    update = (p * P / k) * a * (b * B * e * d) ** 2 * (c * C * size) ** 2
    box = {**dict.fromkeys((P, B, C, size), (0, oo)), **dict.fromkeys((d, e), (0, 1)), k: Closed(2, oo)}
    box |= dict.fromkeys((a, b, c, p), Closed(0, 1))
    return forall(update, "<=", sp.Rational(constant) * P * B**2 * C**2 * d**2 * size**2 * e**power / k, box)


@claim(
    "LDL:L4.attn",
    false="gap",
    why=r"Lemma 3 says $\mathrm{Attn}_k=\Omega(1/K)$ and not $\Theta(1)$: at $Q=0$ the attention on a class is its share of the "
    r"prompt, near $1/K$, and one step changes it by a factor $1+O(1/K^2)$ only.",
    instead=r"In the setting of R7 $\frac1K\leq\mathrm{Attn}_k\leq\frac3K$ up to the time "
    r"$\frac{2K^2}{3\eta\sigma_f^2}$, which is at least $\frac{CK\log K}{\eta\sigma_f^2}$ for $C\leq\sqrt{K/2}$. The "
    "features are orthonormal, the tasks exchangeable, the prompts balanced, and training is the flow from $Q=0$.",
    costs="the theorem",
    repair=dict(exact=True),
    control=(dict(least=Fraction(3, 2)), dict(most=Fraction(5, 2)), dict(share=Fraction(3, 4)), dict(twice=1)),
    needs=("LDL:L3.1", "LDL:P2/early", *exact_training.R7),
    hypotheses=HYPOTHESES,
    argument=exact_training.EXACT,
)
def attention_of_order_one(
    *, exact: bool = False, least: int | Fraction = 1, most: int | Fraction = 3, share: Fraction = Fraction(2, 3), twice: int = 2
) -> Evidence:
    r"""In Phase I $\mathrm{Attn}_k\geq c$ is refuted for every $c>0$: after one step, with $K=2n$
    classes, it is at most $\frac2K(1+\frac4{(K-1)^2})$. Repaired,
    $\frac1K\leq\mathrm{Attn}_k\leq\frac3K$ up to the time $\frac{2K^2}{3\eta\sigma_f^2}$, which is
    at least $\frac{CK\log K}{\eta\sigma_f^2}$ for $C\leq\sqrt{K/2}$: `least`, `most`, `share` and
    `twice` stand for the 1, 3, 2/3 and 2.
    """
    if not exact:
        return defeated(sp.S.One, c1 * attention_early(K, 1), n, at=FLAT, where=WHERE, least=4)
    return exact_training.attention_at_the_start(least, most, share, twice)


@claim(
    "LDL:L4.1/lower",
    false="gap",
    follows="LDL:P2/rate.lower",
    why=r"The proof puts $\mathrm{Attn}_k=\Theta(1)$ into (12), where it is near $1/K$: then $g_k$ is of order $L^2\Delta^2/K^2$.",
    instead=r"$\frac{\sigma_f^2}{2K^2}\leq g_k\leq C\frac{\sigma_f^2}{K^2}$ while $\mathrm{Attn}_k\leq\frac12$ and "
    r"$e^{q_k-q_{k,m}}\leq C$, for orthonormal features, exchangeable tasks and balanced prompts.",
    costs="the theorem",
    repair=dict(exact=True),
    control=(dict(least=Fraction(3, 5)), dict(most=Fraction(9, 10))),
    needs=("LDL:L4.attn", "LDL:P2/early", "LDL:L2.eq12/lower", *exact_training.R7),
    hypotheses=HYPOTHESES,
    argument=exact_training.EXACT,
)
def gradient_from_below(*, exact: bool = False, least: Fraction = Fraction(1, 2), most: int | Fraction = 1) -> Evidence:
    r"""$g_k\geq c\frac{L^2\Delta^2}K$ is refuted for every $c>0$ at the first step, where
    $g_k\leq\frac{4L^2}{K^2}$ with $K=2n$ classes and $L=5K$. Repaired, $\frac{\sigma_f^2}{2K^2}\leq
    g_k\leq C\frac{\sigma_f^2}{K^2}$ while $\mathrm{Attn}_k\leq\frac12$ and $e^z\leq C$, with
    `least` for the 1/2 and `most` = 1 times the right side.
    """
    if not exact:
        L = FLAT["L"]
        return defeated(DELTA2 * L**2 / K, c1 * gradient_early(K, L), n, at=FLAT, where=WHERE, least=4)
    return exact_training.early_updates(least, most)


@claim("LDL:L4.1/upper", dial="c", needs=("LDL:L2.raw", "LDL:eq4.use"))
def gradient_from_above(*, c: Fraction = Fraction(4, 27)) -> Evidence:
    r"""$g_k\leq c\frac PKB^2$ with `c` = 4/27, where $B=O(L\Delta)$ bounds differences of values
    and $p_k\leq\frac PK$. It is derived for the mean that $g_k$ is by L2.raw, for orthonormal
    features, over every law of tasks and prompts and every law of queries, as
    $\mathrm{Attn}_k(1-\mathrm{Attn}_k)^2\leq c$ for every attention between 0 and 1, which is
    tried.
    """
    return derivation("LDL:L4.1/upper", forall(a * (1 - a) ** 2, "<=", sp.Rational(c), {a: Closed(0, 1)}), c=c)


@claim(
    "LDL:L4.2",
    control=dict(c=Fraction(9, 10)),
    needs=("LDL:L3.3", "LDL:L2.raw", "LDL:eq4.use", "LDL:eq9.bal"),
)
def gradient_of_another_class(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""If $p_k\leq\frac PK$, a prompt is unbalanced with probability at most $\frac EK$ (eq9.bal),
    $\mathrm{Attn}_n\leq\frac AK$ in all others (L3.3), and values differ by at most $s=O(L\Delta)$,
    then $|g_{k,n}|\leq c\frac{P(A+E)}{K^2}s^2$ with `c` = 1. It is derived for the mean that the
    update is by L2.raw, for orthonormal features, over every law of tasks and prompts and every law
    of queries, which are drawn apart from these. In a prompt of one class the attention on it is 1,
    so that no $A$ of order 1 serves for all prompts.

    That Attn_n is at most A/K in balanced prompts is Lemma 3, for scores as in Phase I.
    """
    return derivation("LDL:L4.2", *(two_kinds_of_prompts(sp.Rational(c)),) * 2, c=c)
