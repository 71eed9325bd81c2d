"""Appendix B of Boursier & Boyer: the law mu_z obtained by tilting a Gaussian law with the scores
is again Gaussian, also where the covariance is singular, and the limit of attention is that of
linear attention. Both are derived from the integrals in every dimension, and compared with
identities of matrices.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp
from sympy import expand_log, log, oo

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Integers, forall, trace_identity
from proofs_check.boursier_boyer.main_text.lemma_2_1 import GENERATING_FUNCTION, lemma_by_cubature
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import refuted_exactly
from theory.symbolic.algebra import Algebra

ALGEBRA = Algebra(
    general=["V", "K", "Q"],
    symmetric=["Gamma", "Lambda", "S", "G", "P"],
    vectors=["m", "b", "z", "x", "y"],
    inverse=[("Gamma", "Lambda")],
    pseudo_inverse=[("S", "G", "P")],
)
V, K, Q, Gamma, Lambda = (ALGEBRA[name] for name in ("V", "K", "Q", "Gamma", "Lambda"))
S, G, P = (
    ALGEBRA["S"],
    ALGEBRA["G"],
    ALGEBRA["P"],
)  # a covariance of any rank, its pseudo-inverse, the projector on its range
n = sp.Symbol("n", integer=True, positive=True)
m, b, z, x, y = (ALGEBRA[name] for name in ("m", "b", "z", "x", "y"))


@claim("BB:B.1.a", control=dict(half=Fraction(1, 3)))
def completing_the_square(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""With $a=K^{\top}Qz$ and $\Lambda=\Gamma^{-1}$, the exponent
    $x^{\top}a-\frac12(x-m)^{\top}\Lambda(x-m)$ is $-\frac12(x-m-\Gamma a)^{\top}\Lambda(x-m-\Gamma
    a)$ and a rest that is free of $x$: this is tried. Derived is that the densities are
    proportional, as $f(x)g(y)=f(y)g(x)$ for two points; `half` stands for the latter $\frac12$.
    """
    score = K.T * Q * z
    exponent = x.T * score - (x - m).T * Lambda * (x - m) / 2
    shifted = x - m - Gamma * score
    constant = m.T * score + score.T * Gamma * score / 2
    search = trace_identity(exponent, constant - sp.Rational(half) * (shifted.T * Lambda * shifted))
    return derivation("BB:B.1.a", search, half=half)


@claim("BB:B.1.b", control=dict(shift=Fraction(9, 10)), cites=(GENERATING_FUNCTION,))
def skewed_measure_is_gaussian(*, shift: int | Fraction = 1) -> Evidence:
    r"""For $a=K^{\top}Qz$ and a covariance $S$ of any rank,
    $\ln\mathbb{E}e^{(a+b)^{\top}Z}-\ln\mathbb{E}e^{a^{\top}Z}=b^{\top}(m+Sa)+\frac12b^{\top}Sb$ for
    every $b$, and the output of attention is $V(m+Sa)$. Both are derived from the integrals, and
    tried as identities of matrices; `shift` multiplies $Sa$.
    """
    moved = m + sp.Rational(shift) * (S * K.T * Q * z)
    log_mgf = lambda v: v.T * m + v.T * S * v / 2
    score = K.T * Q * z
    skewed = log_mgf(score + b) - log_mgf(score)
    law = trace_identity(skewed, b.T * moved + b.T * S * b / 2)
    # The gradient at b = 0 is the mean: what is linear in b.
    mean = skewed.grad("b") - S * b
    output = trace_identity(V * mean, V * moved)
    output = confirmed(output, lemma_by_cubature()) if output.verdict.accepted else output
    return derivation("BB:B.1.b", law, output, shift=shift)


@claim("BB:B.1.c", control=dict(half=Fraction(1, 3)))
def degenerate_covariance(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For tokens $m+R\xi$ with $S=RR^{\top}$ of any rank the output is $V(m+SK^{\top}Qz)$; this is
    derived. Tried is that on $m+\mathrm{range}(S)$, with the pseudo-inverse $S^{\dagger}$ in place
    of $\Gamma^{-1}$, the same square is completed, and that the new centre lies in that subspace.
    """
    score = K.T * Q * z
    point = m + P * y
    exponent = point.T * score - (point - m).T * G * (point - m) / 2
    shifted = point - m - S * score
    constant = m.T * score + score.T * S * score / 2
    square = trace_identity(exponent, constant - sp.Rational(half) * (shifted.T * G * shifted))
    stays = trace_identity(P * S * score, S * score)
    return derivation("BB:B.1.c", all_of(square, stays), half=half)


#: Laws P(Z = 2^n) = mass, n = 1, 2, ..., on the line, without a second moment.
HEAVY_TAILED_LAWS = {"none": 2**-n, "first": 3 * 4**-n}


@claim(
    "BB:B.2/limit",
    false="edge",
    at="laws without second moments",
    follows="BB:2.def",
    costs="nothing",
    repair=dict(moments="second"),
    control=(dict(moments="first"), dict(factor=Fraction(9, 10))),
    hypotheses=("d in Integers", "d >= 1"),
)
def limit_of_linear_attention(*, moments: str = "none", factor: int | Fraction = 1) -> Evidence:
    r"""The limit is printed for every law, among them $\mathbb{P}(Z=2^n)=2^{-n}$, for which no term
    of $\mathbb{E}[Z^2]$ is below $1$; the repair assumes the second moment. Then it is derived for
    every $d$ that the output is within $d\,\|V\|_F\,\|K^\top Qz_{\rm q}\|\,\eta$ of the limit once
    the averages of the products of two coordinates are within $\eta$ of their means, as they are
    from some $L$ on for almost every sequence of tokens by the strong law of large numbers. The
    second route is the form $Vzz^{\top}K^{\top}Qz_{\rm q}$ of a summand; `factor` multiplies the
    limit.
    """
    if moments not in HEAVY_TAILED_LAWS:
        score = K.T * Q * y
        summand = trace_identity((score.T * z) * (V * z), sp.Rational(factor) * (V * z * z.T * K.T * Q * y))
        return derivation("BB:B.2/limit", summand, factor=factor)
    term = expand_log(log(4**n * HEAVY_TAILED_LAWS[moments]), force=True)
    diverges = forall(term, ">=", 0, {n: Integers(1, oo)})
    if not diverges.verdict.accepted:
        return diverges
    witness: dict[str, Any] = {
        "d": 1,
        "law": f"P(Z = 2**n) = {HEAVY_TAILED_LAWS[moments]}, n = 1, 2, ...",
        "log of term n of E z^2": str(term),
    }
    return refuted_exactly(witness)


@claim("BB:B.2", control=(dict(centred=False), dict(factor=Fraction(9, 10))), needs=("BB:B.2/limit",))
def linear_and_softmax_limits_agree(*, centred: bool = True, factor: int | Fraction = 1) -> Evidence:
    r"""Over $\mathcal{N}(m,\Gamma)$ the limit $V\,\mathbb{E}[zz^{\top}]K^{\top}Qz_{\rm q}$ of
    linear attention is `factor` = 1 times the output of softmax attention, where $m=0$ if
    `centred`. This is derived from the integrals, and tried as an identity of matrices. Only the
    limits are equal: at $L$ tokens the two outputs differ.
    """
    score = K.T * Q * y
    linear = V * (z * z.T).gauss("z", Gamma, mean=None if centred else m) * score
    softmax = V * Gamma * score if centred else V * m + V * Gamma * score
    search = trace_identity(linear, sp.Rational(factor) * softmax)
    return derivation("BB:B.2", search, centred=centred, factor=factor)
