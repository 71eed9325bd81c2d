"""What features that are not orthonormal do to Phase I of Li, Duan & Liang: the bounds of
`proofs_check.instances.features.aligned_features`.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim


@claim(
    "LDL:L2.raw/aligned",
    control=(
        dict(share=Fraction(11, 10)),
        dict(slope=Fraction(11, 10)),
        dict(first=Fraction(9, 5)),
        dict(twice=2),
    ),
)
def scores_grow_on_aligned_features(
    *, share: int | Fraction = 1, slope: int | Fraction = 1, first: int | Fraction = 1, twice: int = 1
) -> Evidence:
    r"""For the features $e_k+s_kc_kb$, tasks $\pm\frac L{\sqrt2}s$, equal shares and
    $\eta=\frac1{100L^2}$, $e^{29X}\geq1+\frac{\eta L^2T}5$ after $T$ steps, and
    $|g_{k,m}|\geq\frac{L^2}{2000}$ at the step $t=1$, for $K\geq8$. Executed are the four terms of
    an entry of $GHG$, $a^2(1-a)\geq\frac{a^2}2$ up to $a=\frac12$ and $\geq\frac{1-a}4$ from there,
    which are at least $\frac{t^2}{128}$, $e^s\geq1+s$ at $s=29(X_{t+1}-X_t)$, and
    $\frac1{128}e^{-29(33/8)^2/200}\geq\frac1{2000}$.
    """
    w, H = sp.Matrix(sp.symbols("w_1:4", real=True)), sp.Matrix(3, 3, sp.symbols("H_1:10", real=True))
    G = sp.eye(3) + twice * w * w.T
    terms = H[1, 0] + w[1] * (w.T * H[:, 0])[0] + w[0] * (H[1, :] * w)[0] + w[0] * w[1] * (w.T * H * w)[0]
    a, s = sp.symbols("a s", nonnegative=True)
    half = Fraction(1, 2)
    return all_of(
        identity(computed("(GHG)_{21}", (G * H * G)[1, 0]), terms),
        forall(a**2 * (1 - a), ">=", sp.Rational(share) * a**2 / 2, {a: Closed(0, half)}),
        forall(a**2 * (1 - a), ">=", sp.Rational(share) * (1 - a) / 4, {a: Closed(half, 1)}),
        forall(exp(s), ">=", 1 + sp.Rational(slope) * s, {s: Closed(0, oo)}),
        forall(exp(-29 * sp.Rational(33, 8) ** 2 / 200) / 128, ">=", sp.Rational(first) / 2000, {}),
    )
