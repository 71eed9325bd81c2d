"""Appendix C.6: the assumption of Lemma C.6 for Proposition 3.1, from Lemma D.1."""

from __future__ import annotations

import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import identity
from proofs_check.claims import claim
from theory.sub_gaussian_bounds import lemma_d1


@claim(
    "BB:C.6",
    needs=("BB:LD.1", "BB:LD.1.arg"),
    argument="E e^{Z1'UZ} V Z1 / E e^{Z1'UZ} is the output T(Z), whose L^4 norm Lemma D.1 bounds",
)
def fourth_power_of_lemma_d1() -> Evidence:
    """(4 sigma^2 |V| |U| sqrt(d))^4 = 4^4 sigma^8 |V|^4 |U|^4 d^2."""
    sigma, V, U, d = sp.symbols("sigma V U d", positive=True)
    return identity(lemma_d1(sigma, V, U, d) ** 4, 4**4 * sigma**8 * V**4 * U**4 * d**2)
