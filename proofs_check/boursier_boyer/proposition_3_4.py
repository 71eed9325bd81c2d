"""Proposition 3.4 of Boursier & Boyer: the mean squared errors of the gradients in V and in U,
averaged over prompt and query. As printed it fails for one token; for L >= 2 it is tried with
explicit constants on instances.
"""

from __future__ import annotations

from fractions import Fraction

from numerics.evidence import Evidence
from proofs_check.boursier_boyer.average_statements import HYPOTHESES, UNPROVED
from proofs_check.boursier_boyer.proposition_3_1 import ONE_TOKEN_REASON, in_the_form_of_the_paper
from proofs_check.core.claim import claim


@claim(
    "BB:P3.4.V",
    false="edge",
    at="L = 1",
    follows="BB:LC.6",
    costs="nothing",
    why=ONE_TOKEN_REASON,
    instead=r"For every $L\geq 2$ the bound holds, even with $\sigma^{4}$ and without Assumption 3.3, with the constants "
    r"of Proposition 3.1, $\|V\|_{\rm op}^{2}$ replaced by the number of rows of $V$; "
    r"for every $L\geq 1$ put $1+\ln L$ for $\ln L$.",
    repair=dict(least=2),
    control=dict(c=Fraction(1, 600)),
    needs=("BB:LC.6", "BB:C.7.gV", "BB:20", "BB:A3.3", "OURS:P3.4.V", "OURS:P3.1/form"),
    argument="Lemma C.6 with f = id, g = 1, row by row; with explicit constants it is OURS:P3.4.V",
    hypotheses=HYPOTHESES,
    unproved=UNPROVED,
    reference={},
)
def gradient_in_V(*, least: int = 1, c: Fraction = Fraction(1), power: int = 6) -> Evidence:
    """E|grad_V T_L - grad_V T|^2 is at most c1 sigma^6 ln(L)/L^{c2/sigma^2} for L >= least; a row
    is the output for V = I.
    """
    return in_the_form_of_the_paper(least, c, power, M=1)


@claim(
    "BB:P3.4.U",
    false="edge",
    at="L = 1",
    follows="BB:LC.6",
    costs="nothing",
    why=r"At $L=1$ the right side contains $\ln(1)^{2}=0$, while the gradient of a single token is 0 and that of the limit is not.",
    instead=r"For every $L\geq 2$ the bound holds, even with $\sigma^{8}$ and without Assumption 3.3, for "
    r"$c_{1}=2^{d/2}\|V\|_{\rm op}^{2}\big((61000(d+1)(12+4h)^{2}+460(d+3)^{3}\|U\|_{\rm op}^{4})/\ln^{2}2+78(d+1)\big)$, "
    r"$h=\frac d2\ln 2$, and $c_{2}=\min(1,1/(32\|U\|_{\rm op}^{2}))$; "
    r"for every $L\geq 1$ put $(1+\ln L)^{2}$ in place of $\ln(L)^{2}$.",
    repair=dict(least=2),
    control=dict(c=Fraction(1, 2 * 10**7)),
    needs=("BB:C.7.gU", "BB:C.7.first", "BB:C.7.fin", "BB:A3.3", "OURS:P3.4.U", "OURS:P3.4.U/form"),
    argument="C.7 bounds the two terms of the gradient; with explicit constants it is OURS:P3.4.U in the form of OURS:P3.4.U/form",
    hypotheses=HYPOTHESES,
    unproved=UNPROVED,
    reference={},
)
def gradient_in_U(*, least: int = 1, c: Fraction = Fraction(1), power: int = 12) -> Evidence:
    """E|grad_U T_L - grad_U T|^2 is at most c1 sigma^12 ln(L)^2/L^{c2/sigma^2} for L >= least.

    One token of signs with U = 0 has the gradient 0, where the limit has z times the variance 1;
    Assumption 3.3 holds with M = 1.
    """
    return in_the_form_of_the_paper(least, c, power, "gradient in U", M=1)
