"""Lemma C.7 of Boursier & Boyer (Appendix C.4), the statement: a bound on the fourth moment of the
error at a fixed query, for every L >= 1. It is derived, and tried on the worst laws that a search
finds.
"""

from __future__ import annotations

from fractions import Fraction

from numerics.attention.softmax_average import error_fourth, symbol
from numerics.evidence import Evidence
from numerics.search.statement import Mean
from numerics.search.worst_average import worst_ratio
from proofs_check.boursier_boyer.lemma_c4_statement import SEARCHED, divisor_is_positive
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.bounds.concentration_moments import lemma_c7


@claim("BB:LC.7", dial="c", hypotheses=("L in Integers", "L >= 1"), reference=dict(Z4=1))
def fourth_moment_at_a_fixed_query(*, c: int | Fraction = 1) -> Evidence:
    """Derived, where $C_f>0$ and `c` = 1 multiplies the bound, by the steps of the paper, with R1
    in place of Corollary C.3 and with the part of the integral that they drop; it is also tried on
    the worst laws that a search finds.
    """
    L, a2, F4, sigma2, C_f, d, Z4 = (symbol(name) for name in ("L", "a2", "F4", "sigma2", "C_f", "d", "Z4"))
    bound = c * lemma_c7(L, a2, F4, sigma2, C_f, d, Z4)
    return derivation("BB:LC.7", worst_ratio(Mean(error_fourth), "<=", bound, families=SEARCHED), c=c)


@claim(
    "BB:LC.7/zero",
    false="edge",
    at="f = 0",
    follows="BB:LC.4/zero",
    repair=dict(closed=False),
    control=dict(closed=True),
    costs="nothing",
    hypotheses=("C_f >= 0", "sigma2 > 0"),
)
def the_exponent_is_defined(*, closed: bool = True) -> Evidence:
    r"""The divisor $16\sigma^2C_f^2$ is positive for every $C_f$ that the lemma admits. Printed, it
    admits $C_f=0$ (`closed`), which is refuted; the repair asks for $C_f>0$.
    """
    return divisor_is_positive(2, closed)
