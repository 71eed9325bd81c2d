"""Appendix C.6 of Boursier & Boyer: Proposition 3.1 follows from Lemma C.6 because Lemma D.1
supplies the moment that the lemma assumes. The powers are proved equal, and the moment bound is
searched for its worst law.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import identity
from numerics.search.worst_law import worst_law
from proofs_check.boursier_boyer.lemma_d1 import output, token_and_query_laws
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.bounds.sub_gaussian import lemma_d1

sigma, V, U, d = sp.symbols("sigma V U d", positive=True)


@claim("BB:C.6", dial="c")
def limit_of_the_output_in_the_fourth_power(*, c: int | Fraction = 4) -> Evidence:
    r"""With `c` = 4 for the first 4, derived with Lemma D.1, for the tilted mean of $f(z)=Vz$,
    which is $T^{U,V}[\mu]$, and tried on the same laws.
    """
    checked = r"\mathbb{E}_\nu\|T[\mu]\|^4 \le " + sp.latex(sp.Rational(c) ** 4 * sigma**8 * U**4 * d**2)
    laws = ("two atoms", "two atoms")
    search: dict[str, Any] = dict(laws=laws, numbers=((0.01, 6.0),), cases=token_and_query_laws)
    return derivation("BB:C.6", worst_law(output, Fraction(c, 4) ** 4, checked=checked, **search), c=c)


@claim("BB:C.6/power", control=(dict(c=3), dict(power=7)))
def fourth_power_of_lemma_d1(*, c: int = 4, power: int = 8) -> Evidence:
    r"""The fourth power of the bound of Lemma D.1, $(4\sigma^2\|V\|_{\rm op}\|U\|_{\rm
    op}\sqrt{d})^4$, is $4^4\sigma^8\|V\|_{\rm op}^4\|U\|_{\rm op}^4d^2$.
    """
    V, U = sp.symbols("V U", nonnegative=True)  # either may be 0
    with sp.evaluate(False):
        left = lemma_d1(sigma, V, U, d) ** 4
    return identity(left, sp.Integer(c) ** 4 * sigma**power * V**4 * U**4 * d**2)
