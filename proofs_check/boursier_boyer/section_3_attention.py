"""Section 3 of Boursier & Boyer: the convex hull in the sketch of Proposition 3.1, and the
gradients in K, Q and V expressed by those in U = K'Q and V, for a prompt and for the law of its
tokens, in every dimension.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy as sp

from numerics.evidence import Contradiction, Evidence, confirmed
from numerics.provers import identity, trace_identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, refuted_exactly, supported
from theory.attention.layer import grad_K, grad_Q, grad_V, softmax_attention
from theory.symbolic.algebra import Algebra

# To first order a component of the output is tr(G'U) + const, with G its gradient in U.
ALGEBRA = Algebra(general=["G", "K", "Q"], vectors=["v", "b"])
G, K, Q, v, b = (ALGEBRA[name] for name in ("G", "K", "Q", "v", "b"))

Array = np.ndarray


def differences(gradient: Array, f: Callable[[Array], Array], M: Array, step: float = 1e-6) -> Evidence:
    """Compare a closed-form gradient of attention with central differences of its definition."""
    slopes = np.zeros((*gradient.shape[:1], *M.shape))
    for index in np.ndindex(M.shape):
        E = np.zeros(M.shape)
        E[index] = step
        slopes[(slice(None), *index)] = (f(M + E) - f(M - E)) / (2 * step)
    gap = float(np.abs(slopes - gradient).max() / np.abs(gradient).max())
    if not gap < 1e-7:
        raise Contradiction(
            f"gradient and finite differences differ by {gap:.1e}; one of the two programs is wrong"
        )
    return supported("finite differences", "one prompt of 6 tokens in R^3, K and Q of 2 rows")


def setting() -> tuple[Array, Array, Array, Array, Array]:
    """A prompt, a query, K, Q and V."""
    grid = np.sin(np.arange(1.0, 40.0))
    return (
        grid[:18].reshape(6, 3),
        grid[18:21],
        grid[21:27].reshape(2, 3),
        grid[27:33].reshape(2, 3),
        grid[33:39].reshape(2, 3),
    )


@claim(
    "BB:P3.1.conv",
    **TYPO,
    repair=dict(hull="V z_k"),
    control=dict(hull="z_k and 0"),
    hypotheses=("d in Integers", "d >= 1", "L in Integers", "L >= 1"),
)
def output_lies_in_a_convex_hull(*, hull: str = "z_k") -> Evidence:
    r"""As printed the output lies in the hull of the tokens $z_k$, which one token and $V=2$
    refute; repaired, in that of the $Vz_k$. For every $v$ and with each further token, $M-v^\top T$
    stays a mean of the numbers $M-v^\top Vz_k\geq0$ with positive weights, where $M=\max_kv^\top
    Vz_k$: with $S$ the sum of the first weights $T'=(ST+wx)/(S+w)$ when a token of weight $w$ and
    value $x=v^\top Vz$ is added.
    """
    if hull != "V z_k":
        output = softmax_attention([[1.0]], [0.0], [[0.0]], [[2.0]])
        if output[0] != 2:
            raise Contradiction(f"one token z = 1 and V = 2 give the output {output[0]}, not 2")
        witness = {"d": 1, "L": 1, "z_1": 1, "V": 2, "T": 2, "largest point of the hull": 1}
        return refuted_exactly(witness)
    S_L, w = sp.symbols("S_L w", positive=True)
    T, x, M = sp.symbols("T x M", real=True)
    longer = (S_L * T + w * x) / (S_L + w)
    return identity(M - longer, S_L / (S_L + w) * (M - T) + w / (S_L + w) * (M - x))


def in_the_values(factor: int) -> tuple[Evidence, Evidence]:
    """The gradient of v.b in the row v of V, with and without finite differences of attention."""
    Z, z, k, q, V = setting()
    route = differences(grad_V(Z, z, k.T @ q, V), lambda M: softmax_attention(Z, z, k.T @ q, M), V)
    found = trace_identity((v.T * b).grad("v"), factor * b)
    return confirmed(found, route) if found.verdict.accepted else found, found


@claim("BB:KQ.1", control={"transposed": False}, needs=("BB:C.7.gU", "BB:P3.4.U/limit"))
def gradient_in_the_keys(*, transposed: bool = True) -> Evidence:
    r"""Derived along every path $K(t)$ on a finite prompt, with the gradient of C.7.gU at $U=K^\top
    Q$, and on the law of sub-Gaussian tokens as in P3.4.U/limit; tried is the gradient $QG^\top$
    (`transposed`), and not $QG$, of ${\rm tr}(G^\top K^\top Q)$.
    """
    Z, z, k, q, V = setting()
    route = differences(grad_K(Z, z, k, q, V), lambda M: softmax_attention(Z, z, M.T @ q, V), k)
    found = trace_identity((G.T * K.T * Q).tr().grad("K"), Q * (G.T if transposed else G))
    search = confirmed(found, route) if found.verdict.accepted else found
    return derivation("BB:KQ.1", search, found, transposed=transposed)


@claim("BB:KQ.2", control={"transposed": True}, needs=("BB:C.7.gU", "BB:P3.4.U/limit"))
def gradient_in_the_queries(*, transposed: bool = False) -> Evidence:
    r"""Derived as KQ.1, along every path $Q(t)$ and on the law of the tokens; tried is the gradient
    $KG$, and not $KG^\top$ (`transposed`), of ${\rm tr}(G^\top K^\top Q)$.
    """
    Z, z, k, q, V = setting()
    route = differences(grad_Q(Z, z, k, q, V), lambda M: softmax_attention(Z, z, k.T @ M, V), q)
    found = trace_identity((G.T * K.T * Q).tr().grad("Q"), K * (G.T if transposed else G))
    search = confirmed(found, route) if found.verdict.accepted else found
    return derivation("BB:KQ.2", search, found, transposed=transposed)


@claim("BB:KQ.3", control={"factor": 2}, needs=("BB:C.7.gV",))
def gradient_in_the_values(*, factor: int = 1) -> Evidence:
    r"""Derived along every path $V(t)$ on a finite prompt, with the rate of C.7.gV at $U=K^\top Q$,
    and on the law of the tokens, where the output at $V+sX$ is that at $V$ and $s$ times $X$ times
    the tilted mean; the gradient of $v^\top b$ in a row $v$ of $V$ is tried. Here `factor`
    multiplies the rates.
    """
    return derivation("BB:KQ.3", *in_the_values(factor), factor=factor)
