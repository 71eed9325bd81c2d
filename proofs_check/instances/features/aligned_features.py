r"""A family of Li, Duan & Liang's problems on which scores grow far beyond the printed orders,
since the features are not orthonormal.

Features v_k = e_k + s_k c_k b with a unit vector b orthogonal to e_1, ..., e_K, K = 4h: h classes
of either sign s_k = +-1 have c_k = 1 and h have c_k = 5, but c_1 = 10. Norms are at most sqrt(101),
distances between sqrt 2 and sqrt 227. The task is s_k L/sqrt 2 or minus that, equally likely, p_k =
1/K, and every class has its share 1/K of the prompt, to which iid prompts tend as N grows. Values
that differ do so by sqrt(2) L, at distances from sqrt 6 on, and each class has a partner at a
distance of at most sqrt 123: the class (4).

With w_k = s_k c_k and X = eta sum_t w'H w, all entries of the update G H G, G = I + w w', have the
sign s_k s_m, so that s_k s_m q_{k,m} is between c_k c_m X and (c_k + 1/c_k)(c_m + 1/c_m) X. The
claim ``LDL:L2.raw/aligned`` executes the bounds below, at eta = 1/(100 L^2). T counts steps.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.instances.features.slow_attention import EQUAL_SHARES, c1, c2, n

__all__ = ["HYPOTHESES", "WHERE", "K", "c1", "c2", "gradient_at_first", "growth", "n", "problem"]

K = 4 * n
WHERE = {
    "features": "e_k + s_k c_k b, s_k = +-1, c_1 = 10, c_k = 1 and 5 on half of the others of either sign",
    "Delta": "sqrt(2)",
    "tasks": "s_k L/sqrt(2) or minus that",
    "prompts": EQUAL_SHARES,
    "eta": "1/(100 L^2)",
}
HYPOTHESES = ("K in Integers", "K >= 2")


def growth(K: Any, constant: Any) -> Any:
    """A lower bound of e^{29 X} at the printed T_f^1 = K log(K)/(eta L^2 Delta^2), times its
    constant.
    """
    return 1 + constant * K * sp.log(K) / 10


def gradient_at_first(L: Any) -> Any:
    """A lower bound of every |g_{k,m}| and of every g_k at t = 1, for K >= 8."""
    return sp.sympify(L) ** 2 / 2000


def problem(h: int) -> tuple[list[int], list[int]]:
    """The signs and the c_k of the K = 4h classes."""
    half = [1] * h + [5] * h
    return [1] * (2 * h) + [-1] * (2 * h), [10, *half[1:], *half]
