"""Lemma 4 of Li, Duan & Liang with its proof: the gradients in Phase I."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import aligned_features as aligned
from proofs_check.instances.features import exact_training
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import FLAT, HYPOTHESES, WHERE, K, c1, n
from proofs_check.instances.outcomes import charge
from proofs_check.li_duan_liang.dynamics import exactly
from theory.regression.features.data import FeatureRegression

a, b = sp.symbols("a b", nonnegative=True)  # shares of a prompt
size = sp.Symbol("B", positive=True)  # the largest difference of values
#: Why the bound of an update fails for other features, at t = 1.
ALIGNED = (
    r"For features $e_k+s_kc_kb$, $1\leq c_k\leq10$, and $f=\pm\frac L{\sqrt2}s$ the Gram matrix "
    r"turns the entries of $H$ into "
)


def too_large(printed: sp.Expr) -> Evidence:
    """Refute that the updates of aligned features at t = 1, at L = 1, are O(printed)."""
    return defeated(
        aligned.gradient_at_first(1), c1 * printed, n, at={"K": aligned.K}, where=aligned.WHERE, least=2
    )


def own_updates(c: Fraction) -> Evidence:
    """g_1 at Q = 0 beside c p_1 B^2, for two orthonormal features, one with the value B, in prompts
    with any share a of the first.
    """
    problem = FeatureRegression(sp.eye(2), tasks=sp.Matrix([[0, size]]), masses=sp.Matrix([[a, 1 - a]]))
    return forall(
        problem.updates(sp.zeros(2))[0, 0], "<=", sp.Rational(c) * size**2 / 2, {a: (0, 1), size: (0, oo)}
    )


def other_updates(c: Fraction) -> Evidence:
    """|g_{1,2}| at Q = 0 beside 3 c/2 (B/K)^2, for K orthonormal features, the first two with the
    value B and the others with 0, equally likely and in prompts with equally many tokens of each.
    """
    found = []
    for classes in (3, 16):
        tasks = sp.Matrix([[size, size] + [0] * (classes - 2)])
        equal = sp.ones(1, classes) / classes
        problem = FeatureRegression(sp.eye(classes), tasks=tasks, masses=equal)
        update = problem.updates(sp.zeros(classes))[1, 0]
        bound = sp.Rational(c) * 3 * size**2 / (2 * classes**2)
        found += [forall(sign * update, "<=", bound, {size: (0, oo)}) for sign in (1, -1)]
    return all_of(*found)


def update_from_the_rest(power: int, constant: int | Fraction) -> Evidence:
    """p Attn_k (1 - Attn_k)^2 C^2 (L Delta)^2, where 1 - Attn_k is at most B epsilon delta, beside
    a multiple of epsilon^power.
    """
    P, B, C, d, e, size, k = sp.symbols("P B C delta epsilon LDelta K", positive=True)
    b, c, p = sp.symbols("b c p", nonnegative=True)  # quantities in units of their bounds
    update = (p * P / k) * a * (b * B * e * d) ** 2 * (c * C * size) ** 2
    box = {**dict.fromkeys((P, B, C, size), (0, oo)), **dict.fromkeys((d, e), (0, 1)), k: Closed(2, oo)}
    box |= dict.fromkeys((a, b, c, p), Closed(0, 1))
    return forall(update, "<=", sp.Rational(constant) * P * B**2 * C**2 * d**2 * size**2 * e**power / k, box)


@claim(
    "LDL:L4.attn",
    **charge(false="gap", follows="LDL:P2/rate.lower", costs="the theorem"),
    needs=("LDL:L3.1", "LDL:P2/early", *exact_training.R7),
    hypotheses=HYPOTHESES,
    **exactly.ATTENTION_AT_THE_START.repaired,
)
@exactly.ATTENTION_AT_THE_START
def attention_of_order_one() -> Evidence:
    r"""In Phase I $\mathrm{Attn}_k\geq c$ is refuted for every $c>0$: after one step, with $K=2n$
    classes, it is at most $\frac2K(1+\frac4{(K-1)^2})$.
    """
    return defeated(sp.S.One, c1 * slow.attention_early(K, 1), n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L4.1/lower",
    **charge(false="gap", follows="LDL:P2/rate.lower", costs="the theorem"),
    needs=("LDL:L4.attn", "LDL:P2/early", "LDL:L2.eq12/lower", *exact_training.R7),
    hypotheses=HYPOTHESES,
    **exactly.EARLY_UPDATES.repaired,
)
@exactly.EARLY_UPDATES
def gradient_from_below() -> Evidence:
    r"""$g_k\geq c\frac{L^2\Delta^2}K$ is refuted for every $c>0$ at the first step, where
    $g_k\leq\frac{4L^2}{K^2}$ with $K=2n$ classes and $L=5K$.
    """
    L = FLAT["L"]
    return defeated(slow.DELTA2 * L**2 / K, c1 * slow.gradient_early(K, L), n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L4.1/upper",
    **exactly.ON_ORTHONORMAL,
    why=ALIGNED + r"$g_k\geq\frac{L^2}{2000}$ at $t=1$: no $O(L^2\Delta^2/K)$.",
    sharp="c",
    needs=("LDL:L2.raw", "LDL:eq4.use", "LDL:L2.raw/aligned"),
)
def gradient_from_above(*, features: str = "any", c: Fraction = Fraction(4, 27)) -> Evidence:
    r"""$g_k=O(\frac{L^2\Delta^2}K)$: printed, for `features` of Section 3.1, this is refuted for
    every constant at $t=1$. For orthonormal ones $g_k\leq c\frac PKB^2$ with `c` = 4/27, where
    $B=O(L\Delta)$ bounds differences of values and $p_k\leq\frac PK$. It is derived for the mean
    that $g_k$ is by L2.raw, over every law of tasks and prompts and every law of queries; tried is
    $g_1$ of two features as theory computes it.
    """
    if features == "any":
        return too_large(1 / aligned.K)
    return derivation("LDL:L4.1/upper", own_updates(c), c=c)


@claim(
    "LDL:L4.2",
    **exactly.ON_ORTHONORMAL,
    why=ALIGNED + r"$|g_{k,n}|\geq\frac{L^2}{2000}$ at $t=1$: no $O(L^2\Delta^2/K^2)$.",
    control=dict(c=Fraction(1, 2)),
    needs=("LDL:L2.raw", "LDL:L2.eq13/upper", "LDL:eq4.use", "LDL:L2.raw/aligned"),
)
def gradient_of_another_class(*, features: str = "any", c: Fraction = Fraction(1)) -> Evidence:
    r"""$|g_{k,n}|=O(\frac{L^2\Delta^2}{K^2})$: printed, for `features` of Section 3.1, this is
    refuted for every constant at $t=1$. For orthonormal ones $|g_{k,n}|\leq
    c\frac{3P^2B^2}{2K^2}$ with `c` = 1 at each of the first $\frac{2K^2}{15\eta P^2B^2}$ steps of
    gradient descent from $Q=0$, if queries and tokens are $v_k$ with probability at most $\frac
    PK$, and values differ by at most $B=O(L\Delta)$. It is derived from the loss, for every law of
    tasks and of prompts, by induction over the steps: while no score of another class exceeds
    $\frac15$, and as that of the own class is not negative, $\mathrm{Attn}_n$ is at most
    $\frac32$ times the share of the tokens $v_n$ in the prompt. Neither Lemma 3 nor the balance of
    prompts is used. Tried is $g_{1,2}$ at the first step as theory computes it.

    The printed $T_f^1=\Theta(\frac{K\log K}{\eta L^2\Delta^2})$ is below this number of steps from
    some $K$ on.
    """
    if features == "any":
        return too_large(1 / aligned.K**2)
    return derivation("LDL:L4.2", other_updates(c), c=c)
