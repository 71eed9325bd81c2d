"""A family of Li, Duan & Liang's problems on which attention is learned slowly, and how slowly.

Features e_1, ..., e_K (so that Delta = sqrt 2, and the update of the scores is the printed one), K
even, p_k = 1/K, N iid tokens, and tasks that are L/sqrt(2) on half of the features and -L/sqrt(2)
on the others, every half equally likely. Then |f(v) - f(v')| is L|v - v'| or 0, and for each v some
v' has equality: the class (4) with the constant 1. The spread of the tasks is sigma_f^2 = L^2
K/(2(K-1)). At the step eta = 1/L^2, one number z = q_k - q_{k,m} describes training, q_k = z
(K-1)/K and q_{k,m} = -z/K.

The bounds hold for discrete gradient descent from Q = 0 and every N, those that are called late for
N >= 64K; ``LDL:P2/early``, ``LDL:T1/late`` and ``LDL:P4/gradient`` execute them. T counts steps.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

__all__ = [
    "DELTA2",
    "EQUAL_SHARES",
    "FLAT",
    "HYPOTHESES",
    "IN_FLAT",
    "IN_SHARP",
    "WHERE",
    "K",
    "along",
    "attention_early",
    "c1",
    "c2",
    "end_of_phase_1",
    "end_of_phase_2",
    "end_of_phase_3",
    "end_of_phase_3_at_most",
    "gradient_early",
    "gradient_late",
    "gradient_start",
    "loss_late",
    "member",
    "n",
    "odds_late",
    "rest_late",
    "score_early",
]

n = sp.Symbol("n", integer=True, positive=True)
#: The constants that the paper's O, Omega and Theta hide.
c1, c2 = sp.symbols("c1 c2", positive=True)
K = 2 * n
#: Delta^2.
DELTA2 = 2
WHERE = {
    "features": "e_1, ..., e_K",
    "Delta": "sqrt(2)",
    "tasks": "L/sqrt(2) on half of the features, -L/sqrt(2) on the others, each half equally likely",
    "prompts": "iid uniform tokens",
    "eta": "1/L^2",
}
#: Where every class has the same share of each prompt.
EQUAL_SHARES = "1/K of each class, the limit of iid ones as N grows"
#: What the paper assumes of the numbers: (9), with N >= K^3 and K >= 1/epsilon.
HYPOTHESES = (
    *(
        "K in Integers",
        "K >= 2",
        "N >= K**3",
        "0 < delta",
        "delta**2*N >= 20*K",
        "0 < epsilon",
        "epsilon < 1",
    ),
    *("K*epsilon >= 1", "L > 0"),
)
#: L <= 1/(Delta delta), and the other way round.
IN_FLAT, IN_SHARP = (*HYPOTHESES, "2*L**2*delta**2 <= 1"), (*HYPOTHESES, "2*L**2*delta**2 >= 1")


def member(**changes: Any) -> dict[str, Any]:
    """The n-th instance: p_k - delta = 9/(10K), delta^2 N = 20K, K epsilon = 1, and L Delta delta =
    1/sqrt(2); or with other values of K, N, delta, epsilon and L.

    >>> member()["N"], member(L=20 * n)["L"]
    (16000*n**3, 20*n)
    """
    return {"K": K, "N": 2000 * K**3, "delta": 1 / (10 * K), "epsilon": 1 / K, "L": 5 * K, **changes}


def along(index: Any, ratio: Any) -> dict[str, Any]:
    """The instance of an index, with L = ratio K.

    >>> along(4, 5)["L"]
    40
    """
    return {name: sp.sympify(e).subs(n, index) for name, e in member(L=ratio * K).items()}


#: The n-th instance in the flat regime.
FLAT = member()


def end_of_phase_1(K: Any) -> Any:
    """The printed T_f^1 = K log(K)/(eta L^2 Delta^2) at eta = 1/L^2, without its constant.

    >>> end_of_phase_1(4)
    2*log(4)
    """
    return K * sp.log(K) / DELTA2


def end_of_phase_2(K: Any, delta: Any, epsilon: Any) -> Any:
    """The printed T_f^* at eta = 1/L^2, without its constant.

    >>> end_of_phase_2(sp.Integer(4), 1, 1)
    2*log(4)
    """
    return K * sp.log(K / epsilon) / (DELTA2 * delta**2)


def end_of_phase_3(K: Any, delta: Any, epsilon: Any, L: Any) -> Any:
    """The printed T_s^* at eta = 1/L^2, without its constant.

    >>> end_of_phase_3(sp.Integer(2), 1, 1, 1)
    log(2*sqrt(2))
    """
    return K * sp.log(K * L * sp.sqrt(DELTA2) / epsilon) / (DELTA2 * delta**2 * epsilon)


def end_of_phase_3_at_most(K: Any, delta: Any, epsilon: Any) -> Any:
    """An upper bound of the printed T_s^* where K L Delta/epsilon <= K^4: for L = 10 K, epsilon =
    1/K and K >= 15.

    >>> end_of_phase_3_at_most(sp.Integer(2), 1, 1)
    4*log(2)
    """
    return 4 * K * sp.log(K) / (DELTA2 * delta**2 * epsilon)


def score_early(K: Any, T: Any) -> Any:
    """An upper bound of z after T <= K(K-1)/4 steps.

    >>> score_early(4, 3)
    9/16
    """
    return 9 * sp.sympify(T) / (4 * K * (K - 1))


def attention_early(K: Any, T: Any) -> Any:
    """An upper bound of Attn_k after T <= K(K-1)/4 steps, in every prompt whose query's class has
    at most 11N/(10K) tokens.

    >>> attention_early(5, 2)
    3/5
    """
    return (1 + 4 * sp.sympify(T) / (K - 1) ** 2) * 2 / K


def gradient_early(K: Any, L: Any) -> Any:
    """An upper bound of g_k up to T <= K(K-1)/4 steps.

    >>> gradient_early(2, 1)
    1
    """
    return 4 * sp.sympify(L) ** 2 / K**2


def gradient_start(K: Any, L: Any) -> Any:
    """A lower bound of g_k while z <= 1, for K >= 8.

    >>> gradient_start(8, 1)
    1/2048
    """
    return sp.sympify(L) ** 2 / (32 * K**2)


def odds_late(K: Any, T: Any) -> Any:
    """An upper bound of e^{2z}/(K-1)^2 after T steps, for K >= 8 and N >= 64K.

    >>> odds_late(8, 4)
    22
    """
    return 1 + 42 * sp.sympify(T) / K


def loss_late(K: Any, L: Any, T: Any) -> Any:
    """A lower bound of the loss after T steps, for K >= 8 and N >= 64K.

    >>> loss_late(8, 23, 4)
    23/8
    """
    return sp.sympify(L) ** 2 / 8 / (1 + odds_late(K, T))


def rest_late(K: Any, T: Any) -> Any:
    """A lower bound of (1 - Attn_k)^2 after T steps, in a prompt with as many tokens of each class,
    for K >= 8.

    >>> rest_late(8, 4)
    1/46
    """
    return 1 / (2 * (1 + odds_late(K, T)))


def gradient_late(K: Any, L: Any, T: Any) -> Any:
    """A lower bound of g_k at every step up to T, for K >= 8, N >= 64K and T >= K^2.

    >>> gradient_late(8, 1, 4)
    1/22528
    """
    return sp.sympify(L) ** 2 / (128 * K * odds_late(K, T))
