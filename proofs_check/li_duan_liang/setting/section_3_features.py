"""Section 3.1 of Li, Duan & Liang: the features, the law of the tokens, and what the paper says
that it does not need: orthonormal features, and tokens that coincide with features.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, all_of
from numerics.provers import computed, identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along, definition
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import exact_training
from proofs_check.instances.outcomes import charge

n = Diverging.n


@claim("LDL:3.1.feat", control=dict(most=Fraction(7, 5)))
def separated_features(*, most: int | Fraction = 2) -> Evidence:
    r"""With $\Delta=1$ the standard basis of $\mathbb{R}^3$ and the origin are separated features,
    whose distances lie in $[1,\mathrm{most}]$ with `most` = 2. Two equal features, and four points
    $0,1,2,3$ of a line, are not.
    """

    def meets(features: Sequence[tuple[int, ...]]) -> bool:
        squares = [sum((a - b) ** 2 for a, b in zip(v, w)) for v, w in combinations(features, 2)]
        return all(1 <= s <= most**2 for s in squares)

    basis: list[tuple[int, ...]] = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    outside: dict[str, Any] = {"two equal": (basis[1:] + basis[1:2],), "a line": ([(0,), (1,), (2,), (3,)],)}
    return definition(
        meets, r"\|v_k-v_{k'}\|=\Theta(\Delta)", inside={"origin and basis": (basis,)}, outside=outside
    )


ORIGIN = Diverging(
    point={"L": Fraction(5, 2), "C": Fraction(3, 2)},
    hypotheses=("K in Integers", "K >= 2", "0 < epsilon < 1", "K*epsilon > 1", "L > 0"),
    sequence=lambda k, L, C: {"K": 2 * k, "L": L, "epsilon": C / (2 * k)},
    ratio=lambda K, L, epsilon: L**2 / (8 * K) / epsilon**2,
    exceeds=n / 8,
)


@claim(
    "LDL:3.1.feat/suffice",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(norms="equal"),
    control=dict(half=Fraction(1, 3)),
    hypotheses=ORIGIN.hypotheses,
)
def separation_does_not_suffice(*, norms: str = "any", half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For the features $0,e_2,\dots,e_K$ and exchangeable tasks with the values $\pm\frac12L$ the
    loss of every $Q$ is at least $L^2/(8K)$, which no multiple of $\epsilon^2$ bounds for
    $K=C/\epsilon$. Repaired, for features of equal norm and $Q=I$ the score of $v_k$ on itself
    exceeds that on $v_m$ by `half` = 1/2 times $\|v_k-v_m\|^2$.
    """
    if norms == "any":
        return along(ORIGIN, features="0, e_2, ..., e_K", tasks="L/2 and -L/2 on half of the features each")
    v, u = sp.Matrix(sp.symbols("v_1 v_2", real=True)), sp.Matrix(sp.symbols("u_1 u_2", real=True))
    apart = computed(r"v_k^{\top}Qv_k-v_m^{\top}Qv_k", v.dot(v) - u.dot(v))
    return identity(apart, half * (v - u).dot(v - u), given=[sp.Eq(v.dot(v), u.dot(u))])


@claim("LDL:3.1.pk", control=dict(first=Fraction(3, 8)))
def probabilities_of_the_classes(*, first: Fraction = Fraction(1, 4)) -> Evidence:
    r"""The probabilities `first` = 1/4, 1/2 and the rest of $K=3$ classes are of the order $1/K$,
    between $\frac1{2K}$ and $\frac2K$, and sum to 1. The law $(\frac14,\frac14,\frac14)$, which
    leaves mass over, and a class of probability $\frac1{12}$ are outside.

    The paper does not say that the probabilities sum to 1, but (10) and all that follows needs it.
    """

    def meets(*p: Fraction) -> bool:
        return sum(p) == 1 and all(Fraction(1, 2 * len(p)) <= x <= Fraction(2, len(p)) for x in p)

    quarter, half = Fraction(1, 4), Fraction(1, 2)
    outside = {"mass left over": (quarter,) * 3, "1/12": (Fraction(1, 12), half, Fraction(5, 12))}
    return definition(
        meets, r"p_k=\Theta(1/K)", inside={"1/4, 1/2, 1/4": (first, half, half - first)}, outside=outside
    )


#: The largest of N squares of standard normal variables has at most this mean (s = 9/20).
LARGEST = lambda N: Fraction(20, 9) * (sp.log(N) + sp.log(10) / 2)
GAUSSIAN = Diverging(
    point={"L": 2},
    # K >= 1/epsilon and N >= K^3, where K is the number of features
    hypotheses=("d in Integers", "N in Integers", "L > 0", "0 < epsilon < 1", "N*epsilon**3 >= 1"),
    sequence=lambda k, L: {"d": 30 * k, "N": 150 * k**3, "L": L, "epsilon": sp.S.One / (k + 1)},
    ratio=lambda d, N, L, epsilon: L**2 * ((d - LARGEST(N)) / d) ** 2 / 2 / epsilon**2,
    exceeds=n / 8,
)


@claim("LDL:3.1.cont", false="gap", costs="a hypothesis", hypotheses=GAUSSIAN.hypotheses)
def continuous_tokens_have_a_floor() -> Evidence:
    r"""For standard normal tokens and query, $f(x)=x^{\top}Ax+b^{\top}x$ with
    $A_{ij},b_i\sim\mathcal{N}(0,(L/d)^2)$, the loss of (6) is at least
    $\frac12L^2(1-\frac{20}{9d}(\log N+\frac12\log10))^2$ for every $Q$, and no multiple of
    $\epsilon^2$ as $d=30k$, $N=150k^3$ grow and $\epsilon=\frac1{k+1}$ falls.
    """
    return along(GAUSSIAN, f="x'Ax + b'x")


TWO_GEOMETRIES = Diverging(
    point={"Delta": Fraction(3, 2)},
    hypotheses=("1 <= Delta", "Delta <= 2", "r >= 2", "K_least > r"),
    # The dimension is 2^k, and the number of vectors the product of 2^i + 2 over i = 1, ..., k.
    sequence=lambda k, Delta: {"Delta": Delta, "r": 2**k, "K_least": 2 ** (k * (k + 1) / sp.S(2))},
    ratio=lambda Delta, r, K_least: (K_least**2 / (8 * (Delta**2 / 2) ** 2)) / (32 * r * K_least),
    exceeds=n / 2,
    least=7,
)


@claim(
    "LDL:3.1.orth",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(geometry="equiangular"),
    control=(dict(below=4), dict(logs=Fraction(29, 10))),
    needs=("OURS:R12.upper", "OURS:R7.half", "OURS:R7.flow"),
    hypotheses=TWO_GEOMETRIES.hypotheses,
)
def the_geometry_decides_the_exponent(
    *, geometry: str = "any", below: int = 5, logs: int | Fraction = 3
) -> Evidence:
    r"""For no function of $K$, $L$ and $\Delta$ are the times to attention $\frac12$ of all
    features at distances in $[1,2]$ of its order: the times of orthogonal features and of minimal
    vectors of Barnes-Wall lattices differ by more than any constant. Repaired, for equiangular
    features of one norm the time of the flow is between $\frac1{\eta\kappa^2\sigma_f^2}(K^2+3K\log
    K-5K)$ and $\frac1{\eta\kappa^2\sigma_f^2}(K^2+3K\log K)$, with `below` for the 5 and `logs` for
    the 3 above.
    """
    if geometry == "any":
        return along(
            TWO_GEOMETRIES,
            orthogonal="time >= K^2/(8 kappa^2), kappa = Delta^2/2",
            Barnes_Wall="time <= 32 r K",
        )
    formula, before, after = exact_training.time_to_one_half(below, logs).parts
    return derivation("LDL:3.1.orth", all_of(formula, after), before, below=below, logs=logs)
