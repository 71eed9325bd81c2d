"""Proposition 1 of Li, Duan & Liang, the sentence after it, and its proof (Appendix F).

Tasks of two values, on orthonormal features, are learned without telling apart the features of one
value: M of them have the value 0, and M the value L Delta. Then s is the attention of a query on
the features of the other value, and 1 - Attn_k is 1 - (1-s)/M.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge
from proofs_check.li_duan_liang.setting.lemma_1 import lemma_1

n = Diverging.n
L, Delta = sp.symbols("L Delta", positive=True)
A = sp.Symbol("Attn_k", nonnegative=True)
S, s, w, x = sp.symbols("S s w x", real=True)
HALVES = "0 on M features, L Delta on M others"
TRAINED = ("M in Integers", "M >= 2", "L > 0", "Delta > 0", "0 < epsilon < 1", "2*M*epsilon >= 1")
COMPLETE = (
    r"For the task with two values, on $M$ orthonormal features each, descent makes the loss $0$ "
    r"and $\mathrm{Attn}_k=\frac1M$: "
)


def two_values(unseen: bool) -> Diverging:
    """Return the sequence of attention that training passes through, and what it leaves at a query:
    1 - Attn_k over epsilon, where the loss is epsilon^2/2, or the squared error on an unseen task,
    which splits both halves in two, over epsilon^2.
    """
    left = lambda M, L, Delta, epsilon: 1 - (1 - epsilon / (L * Delta)) / M
    error = lambda M, L, Delta, epsilon: (L * Delta / 2) ** 2
    return Diverging(
        point={"half": 2, "L": 2, "Delta": Fraction(3, 2)},
        hypotheses=TRAINED,
        sequence=lambda k, half, L, Delta: {
            "M": half * (k + 1),
            "L": L,
            "Delta": Delta,
            "epsilon": sp.S.One / (k + 1),
        },
        ratio=lambda **at: error(**at) / at["epsilon"] ** 2 if unseen else left(**at) / at["epsilon"],
        exceeds=n / 2,
    )


SEEN, UNSEEN = two_values(False), two_values(True)


@claim(
    "LDL:Pr1.1",
    **charge(false="false", follows="LDL:L1.Theta", costs="the theorem"),
    robust=SEEN,
    why=COMPLETE + r"$1-\mathrm{Attn}_k=\mathcal{O}(\epsilon)$ fails.",
    repair=dict(constant=2),
    control=dict(constant=Fraction(19, 10)),
    needs=("LDL:L1.Theta",),
    hypotheses=SEEN.hypotheses,
)
def small_loss_and_attention(*, constant: int | Fraction = 0) -> Evidence:
    r"""Printed (`constant` = 0), a sequence along which the loss is $\frac12\epsilon^2$ defeats
    every constant in $1-\mathrm{Attn}_k=\mathcal{O}(\epsilon)$. For exchangeable tasks
    $p_k\sigma_f^2\,\mathbb{E}(1-\mathrm{Attn}_k)^2$ is at most `constant` = 2 times the loss. It
    is derived for all features, every number of classes, every law of queries and every law of
    finitely many prompts; tried is a loss of at least
    $\frac12p_k\sigma_f^2(1-\mathrm{Attn}_k)^2$.
    """
    if not constant:
        return along(SEEN, f=HALVES, loss="epsilon^2/2")
    p, sigma, loss = sp.symbols("p_k sigma_f loss", positive=True)
    domain = {p: (0, 1), sigma: (0, oo), A: Closed(0, 1), loss: (0, oo)}
    least = p * sigma**2 * (1 - A) ** 2
    tried = forall(least, "<=", constant * loss, domain, where=[(loss, ">=", least / 2)])
    return derivation("LDL:Pr1.1", tried, constant=constant)


@claim(
    "LDL:Pr1.txt",
    **charge(false="false", follows="LDL:L1.Theta", costs="the theorem"),
    robust=SEEN,
    why=COMPLETE + r"the loss is no $\Theta((1-\mathrm{Attn}_k)^2)$.",
    repair=dict(constant=1),
    control=dict(constant=Fraction(9, 10)),
    needs=("LDL:L1",),
    hypotheses=SEEN.hypotheses,
)
def loss_is_not_of_the_order_of_the_attention(*, constant: int | Fraction = 0) -> Evidence:
    r"""A sequence along which the loss is $\frac12\epsilon^2$ and $1-\mathrm{Attn}_k$ is at least
    $1-\frac1M$ defeats every constant in $(1-\mathrm{Attn}_k)^2\leq C\mathcal{L}$. Repaired, where
    values differ by at most $CL\Delta$, the loss is at most `constant` = 1 times
    $\frac12C^2L^2\Delta^2$ times the mean of $(1-\mathrm{Attn}_k)^2$: Lemma 1.
    """
    if not constant:
        return along(SEEN, f=HALVES, loss="epsilon^2/2")
    return lemma_1(constant=constant)


@claim("LDL:Pr1.Lsum", control=dict(constant=Fraction(9, 10)), needs=("LDL:eq4.use",))
def error_by_the_lipschitz_constant(*, constant: int | Fraction = 1) -> Evidence:
    r"""The modulus of the sum is at most $c$ times the sum of the moduli, and this at most
    $c\,CL\Delta\sum\mathrm{Attn}_n$ with `constant` $c=1$, where differences are at most
    $CL\Delta$, whatever $C$ is; $C\Delta=\Theta(1)$ is part of the $\Theta(L)$. It is derived for
    every number of classes; tried is that a sum which meets the bound does so with one class more.
    """
    unit = sp.Symbol("u", positive=True)  # C L Delta
    domain = {s: Closed(0, 1), w: Closed(0, 1), S: (-oo, oo), x: (-oo, oo), unit: (0, oo)}
    given = [
        (S, "<=", constant * unit * s),
        (-S, "<=", constant * unit * s),
        (x, "<=", unit),
        (-x, "<=", unit),
    ]
    tried = all_of(
        *(forall(e * (S + w * x), "<=", constant * unit * (s + w), domain, where=given) for e in (1, -1))
    )
    return derivation("LDL:Pr1.Lsum", tried, tried, constant=constant)


#: One feature of another value, L, has the attention epsilon: the error is L epsilon.
STEEP = Diverging(
    point={"epsilon": Fraction(1, 4), "share": Fraction(1, 2)},
    hypotheses=("0 < epsilon < 1", "0 < share < 1", "L > 0"),
    sequence=lambda k, epsilon, share: {"L": k + 1, "epsilon": epsilon, "share": share},
    ratio=lambda L, epsilon, share: (L * share * epsilon) ** 2 / epsilon**2,
    exceeds=n / 8,
    least=2,
)


@claim(
    "LDL:Pr1.2",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(power=2),
    control=dict(power=2, constant=Fraction(19, 10)),
    needs=("LDL:Pr1.Lsum", "LDL:A.cols"),
    hypotheses=STEEP.hypotheses,
)
def square_of_the_error(*, power: int = 0, constant: int | Fraction = 2) -> Evidence:
    r"""Printed, with $L$ to the `power` 0, tasks with growing $L$ defeat every constant. With the
    power 2, $|S|\leq2L\Delta(1-\mathrm{Attn}_k)$, and $1-\mathrm{Attn}_k\leq C\epsilon$, the
    squared error $S^2$ is at most the square of `constant` = 2 times $C\epsilon$, times
    $(L\Delta)^{\mathrm{power}}$.
    """
    if not power:
        return along(STEEP, Delta=1)
    theta = sp.Symbol("theta", real=True)
    left, C, epsilon = sp.symbols("share C epsilon", positive=True)
    error = theta * 2 * L * Delta * left * C * epsilon  # 1 - Attn_k is the share of C epsilon
    domain = {theta: Closed(-1, 1), left: (0, 1), C: (0, oo), epsilon: (0, 1), L: (0, oo), Delta: (0, oo)}
    return forall(error**2, "<=", constant**2 * C**2 * epsilon**2 * (L * Delta) ** power, domain)


@claim(
    "LDL:Pr1.3",
    **charge(false="false", follows="LDL:Pr1.1", costs="the theorem"),
    robust=UNSEEN,
    why=COMPLETE + r"a task that splits the $M$ features in two has the error $\frac12L\Delta$.",
    repair=dict(constant=2),
    control=dict(constant=Fraction(19, 10)),
    needs=("LDL:Pr1.1", "LDL:Pr1.2", "LDL:L1.abs"),
    hypotheses=UNSEEN.hypotheses,
)
def unseen_tasks(*, constant: int | Fraction = 0) -> Evidence:
    r"""Along the same sequence the squared error $(\frac12L\Delta)^2$ on an unseen task defeats
    every constant in $\mathcal{O}(\epsilon^2)$. Repaired, after training on exchangeable tasks,
    $p_k\sigma_f^2$ times the mean squared error at $v_k$ of any task whose values differ by at most
    $B=CL\Delta$ is at most `constant` = 2 times $B^2$ times the loss. It is derived for all
    features, every number of classes, every law of queries and every law of finitely many prompts;
    tried is what Pr1.1 and L1.abs make of one prompt.
    """
    if not constant:
        return along(
            UNSEEN, f=HALVES, unseen="L Delta on half of the features of either value", loss="epsilon^2/2"
        )
    p, sigma, unit, loss, error = sp.symbols(
        "p_k sigma_f CLDelta loss error", positive=True
    )  # error is the squared one
    domain = {p: (0, 1), **dict.fromkeys((sigma, unit, loss, error), (0, oo)), A: Closed(0, 1)}
    given = [(error, "<=", (1 - A) ** 2 * unit**2), (p * sigma**2 * (1 - A) ** 2, "<=", 2 * loss)]
    tried = forall(error, "<=", constant * unit**2 * loss / (p * sigma**2), domain, where=given)
    return derivation("LDL:Pr1.3", tried, constant=constant)
