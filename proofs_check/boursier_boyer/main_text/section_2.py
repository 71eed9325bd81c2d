"""Section 2 of Boursier & Boyer: for which laws of tokens softmax attention is defined, its form
for a finite prompt, and its limit for long prompts. Integrability is proved or refuted, and the
rate of convergence is computed exactly for laws on two atoms.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import sympy as sp
from sympy import exp, log, oo

from numerics.counterexamples.worst_case.query_average import Instance, tightest
from numerics.evidence import Evidence
from numerics.provers import Integers, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.long_prompts import CHECKED, LongPrompts, compared
from proofs_check.instances.outcomes import refuted_exactly

n = sp.Symbol("n", integer=True, positive=True)
x, s = sp.symbols("x s", real=True)
#: Laws P(Z = atom) = 2^-n, n = 1, 2, ..., on the line, with the score a Z under which the numerator
#: of the layer is infinite.
DIVERGING_LAWS = {"every law": (2**n, 0), "some exponential moment": (n, 1)}


@claim(
    "BB:2.def",
    false="edge",
    at="laws without exponential moments",
    costs="nothing",
    repair=dict(laws="every exponential moment"),
    control=(
        dict(laws="some exponential moment"),
        dict(share=Fraction(1, 4)),
        dict(least=Fraction(1, 10)),
    ),
    hypotheses=("d in Integers", "d >= 1"),
)
def layer_is_defined(
    *, laws: str = "every law", share: Fraction = Fraction(1, 2), least: Fraction = Fraction(0)
) -> Evidence:
    r"""As printed the integrals in $T[\mu](z)$ are finite for every law; but for
    $\mathbb{P}(Z=2^n)=2^{-n}$ no term of the numerator is below 1. Repaired, for laws with every
    exponential moment, it is derived that $\mathbb{E}|z_i|e^{a^\top
    z}\leq\frac12\mathbb{E}e^{(a+e_i)^\top z}+\frac12\mathbb{E}e^{(a-e_i)^\top z}$, so that the
    numerator is finite, and that the denominator is more than `least` = 0; `share` stands for the
    $\frac12$. The second route are the integrands.
    """
    if laws in DIVERGING_LAWS:
        return diverging(laws)
    real = {x: (-oo, oo), s: (-oo, oo)}
    above = forall(sp.Abs(x) * exp(s), "<=", sp.Rational(share) * (exp(s + x) + exp(s - x)), real)
    positive = forall(sp.Rational(least), "<", exp(s), {s: (-oo, oo)})
    return derivation("BB:2.def", above, positive, share=share, least=least)


def diverging(laws: str) -> Evidence:
    """Refute that the numerator of T[mu](z) is finite: no term of its series is below 1."""
    atom, score = DIVERGING_LAWS[laws]
    term = sp.expand_log(score * atom + log(atom) - n * log(2), force=True)  # logarithm of e^{a z} z P(z)
    diverges = forall(term, ">=", 0, {n: Integers(1, oo)})
    if not diverges.verdict.accepted:
        return diverges
    at = {"d": 1, "law": f"P(Z = {atom}) = 2**(-n), n = 1, 2, ...", "V": 1, "Kz'Qz / z'": score}
    witness: dict[str, Any] = {**at, "log of term n": str(term)}
    return refuted_exactly(
        witness,
        checked=rf"\int e^{{\langle Qz,Kz'\rangle}}|z'|\,\mathrm{{d}}\mu(z') < \infty \text{{ for {laws}}}",
    )


@claim("BB:2.fin", control=dict(factor=2), needs=("BB:2.def",))
def layer_of_an_empirical_measure(*, factor: int = 1) -> Evidence:
    r"""With $\frac1L\sum_kg(z_k)$ for the integral of $g$ against $\hat\mu_L$, the layer of
    $\hat\mu_L$ is the self-attention of the token $z_\ell$; this is derived. Tried is the quotient
    of two integrals, $N/L$ and $D/L$, which is that of $N$ and $D$. `factor` multiplies the right
    sides.
    """
    L, D = sp.symbols("L D", positive=True)
    N = sp.Symbol("N", real=True)
    with sp.evaluate(False):
        integrals, sums = (N / L) / (D / L), factor * (N / D)
    return derivation("BB:2.fin", identity(integrals, sums), factor=factor)


@claim(
    "BB:2.lln",
    false="edge",
    at="laws without exponential moments",
    follows="BB:2.def",
    costs="nothing",
    repair=dict(laws="every exponential moment"),
    control=dict(tilted=False),
    hypotheses=("d in Integers", "d >= 1"),
    needs=("BB:2.def",),
    cites=("Kolmogorov: strong law of large numbers",),
)
def softmax_of_a_long_prompt(*, laws: str = "every law", tilted: bool = True) -> Evidence:
    r"""As printed $T[\hat\mu_L](z)$ has the limit $T[\mu](z)$ for every law, which is not finite
    for $\mathbb{P}(Z=2^n)=2^{-n}$. Repaired, $\mathbb{P}(|T_L-T|>\frac14)\leq2e^{-cL}$, which is
    summable, by exact binomial sums for laws on two atoms with $e^{a^\top z}=2^z$.

    With `tilted` false, $T$ is the plain mean.
    """
    if laws in DIVERGING_LAWS:
        return diverging(laws)
    lengths = (1, 2, 3, 10, 100, 1000)
    cases = (
        ((1, -1), Fraction(1, 2)),
        ((2, -1), Fraction(1, 3)),
        ((1, 0), Fraction(1, 10)),
        ((1, -9), Fraction(9, 10)),
    )
    found = [compared(L, atoms, q, tilted) for (atoms, q), L in product(cases, lengths)]
    rows = (
        Instance(at, float(tail), float(bound), partial(tuple, (tail, bound))) for at, tail, bound in found
    )
    masses = ", ".join(f"{a}, q = {q}" for a, q in cases)
    covered = f"L in {lengths}; two atoms with masses (q, 1 - q): {masses}"
    return tightest(rows, checked=CHECKED, covered=covered, statement=LongPrompts(tilted)).replace(
        dimension="d = 1"
    )
