"""Assumption C.8, Lemma C.9 and equation (18) of Boursier & Boyer (Appendix C.5): the fourth moment
of the error averaged over the query. Printed forms are refuted by single prompts or by sequences of
laws that defeat every constant; repairs are tried on instances with explicit constants.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import exp, log, oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Integers, forall
from numerics.refutation import defeated, vanishing
from proofs_check.boursier_boyer import average_statements as shared
from proofs_check.boursier_boyer.average_statements import (
    AT_ONE_TOKEN,
    HYPOTHESES,
    UNPROVED,
    c1,
    c2,
    c3,
    k,
    ln,
)
from proofs_check.boursier_boyer.propositions_3_1_and_3_4 import ONE_TOKEN_WITNESS
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.bounds.query_average_constants import constants_18, paper_constants_C9

SIGMA = sp.Symbol("sigma", positive=True)
CHECKED = r"\mathbb{E}\|(R_L/S_L-R/S)g\|_{L^4(\nu)}^4\le c_1\sigma^{12}\ln(L)^2/L^{c_2/\sigma^2},\ L\ge 2"


assumption_c8_is_not_empty = shared.class_is_not_empty("BB:AC.8", 8)


supremum_of_a_ratio = shared.supremum_of_a_ratio("BB:AC.8/i", 7, "", follows="BB:AC.5/i")


def _form_of_lemma_c9(L: Any, s: Any, u: Any, d: Any, p: int, root: Any) -> Any:
    first, second = paper_constants_C9(u, 1, d, root)
    return first * s**12 * ln(L) ** 2 * L ** (-second / s**2)


@claim(
    "BB:LC.9",
    **AT_ONE_TOKEN,
    control=(dict(least=1), dict(c=Fraction(1, 10600))),
    hypotheses=HYPOTHESES,
    reference={},
)
def fourth_order_over_prompt_and_query(*, least: int = 1, c: Fraction = Fraction(1)) -> Evidence:
    r"""Printed for $L\geq1$ (`least`), it is refuted by one token with $f(z)=z$; for $L\geq2$ it is
    derived with explicit constants, for every bilinear product with
    $\|f(z_1)g(z)\|\leq\|f(z_1)\|\|g(z)\|$, and tried on instances.
    """
    if least == 1:
        return vanishing(
            sp.S.One,
            c1 * SIGMA**12 * log(1) ** 2 / 1 ** (c2 / SIGMA**2),
            where={**ONE_TOKEN_WITNESS, "f": "z", "g": 1},
        )
    search = shared.explicit(_form_of_lemma_c9, 4, c, CHECKED)
    return derivation("BB:LC.9", search, c=c)


free_of_the_query = shared.free_of_the_query(
    "BB:LC.9/nu", 4, _form_of_lemma_c9, Fraction(1, 10600), CHECKED, 1, follows="BB:LC.6/nu"
)


def _form_of_18(L: Any, s: Any, u: Any, d: Any, p: int, root: Any) -> Any:
    one, two, three, four = constants_18(u, 1, d, root)
    decay, root_of_L, sixth = (
        (sp.exp, sp.sqrt, sp.Rational(1, 6)) if isinstance(L, sp.Basic) else (np.exp, np.sqrt, 1 / 6)
    )
    first = one * s**4 * L * root_of_L(L) * decay(-two * root_of_L(L) / s**2)
    return first + three / L**sixth + four * s**8 * ln(L) ** 2 * shared.power_of_L(L, s, u, 384)


@claim(
    "BB:18",
    **AT_ONE_TOKEN,
    control=(dict(least=1), dict(c=Fraction(1, 14500))),
    needs=(
        "BB:LC.9.split",
        "BB:19",
        "BB:LC.9.T2",
        "BB:LC.9.T3",
        "BB:LC.9.T3/conclude",
        "BB:18/c3",
        "OURS:LC.9",
    ),
    hypotheses=HYPOTHESES,
    unproved=UNPROVED,
    reference={},
)
def equation_18(*, least: int = 1, c: Fraction = Fraction(1)) -> Evidence:
    r"""For tokens $\mathcal{N}(0,k^2)$, query $\mathcal{N}(0,1)$, $U=V=1$ and $L=1$ the error
    $3(k^2+k^4)^2$ exceeds the printed bound $c_1k^4e^{-c_2/k^2}+c_3$ for some $k$, whatever
    $c_1,c_2,c_3$. Repaired, (18) is tried for $L\geq$ `least` = 2 with explicit constants.
    """
    if least == 1:
        where = {"L": 1, "d": 1, "U": 1, "f": "z", "g": 1, "tokens": "N(0, sigma^2)", "query": "N(0, 1)"}
        return defeated(
            3 * (k**2 + k**4) ** 2, c1 * k**4 * exp(-c2 / k**2) + c3, k, at={"sigma": k}, where=where
        )
    checked = r"\mathbb{E}\|(R_L/S_L-R/S)g\|^4\le c_1\sigma^4L^{3/2}e^{-c_2\sqrt{L}/\sigma^2}+c_3L^{-1/6}"
    return shared.explicit(_form_of_18, 4, c, checked + r"+c_4\sigma^8\ln(L)^2/L^{1/(384\sigma^2\|U\|^2)}")


left_side_without_g = shared.left_side_without_g("BB:18/g", 4, 9, follows="BB:16/g")


@claim("BB:18/c3", control=(dict(c=Fraction(1, 3)), dict(decay=Fraction(3, 2))))
def third_constant_free_of_sigma(*, c: int | Fraction = 1, decay: Fraction = Fraction(1, 6)) -> Evidence:
    r"""With `c` = 1, $\sigma^4(a+b\ln^2L)/L^2\leq c\,(a+b)(e\,\sigma^4L^{3/2}e^{-\sqrt
    L/\sigma^2}+L^{-1/6})$ is derived for all $a,b\geq0$, $\sigma>0$ and $L\geq1$: where
    $L\leq\sigma^4$ the first term is enough, and beyond it the second one is. The second route are
    $a$ and $b$ alone with $r=\sqrt L/\sigma^2$; `decay` stands for the $\frac16$.
    """
    L, r = sp.Symbol("L", integer=True, positive=True), sp.Symbol("r", positive=True)
    both = sp.Rational(c) * (exp(1 - r) * L ** sp.Rational(7, 2) + r**2 * L ** (1 - sp.Rational(decay)))
    search = all_of(
        *(forall(part, "<=", both, {L: Integers(1, oo), r: (0, oo)}) for part in (sp.S.One, log(L) ** 2))
    )
    return derivation("BB:18/c3", search, c=c, decay=decay)


@claim(
    "BB:18/inference",
    false="gap",
    follows="BB:16/inference",
    costs="nothing",
    repair=dict(power=4),
    control=dict(power=3),
    needs=("BB:19", "OURS:QA.tilt"),
    hypotheses=HYPOTHESES,
)
def term_1_free_of_sigma(*, power: int = 0) -> Evidence:
    r"""For tokens $\mathcal{N}(0,\sigma^2)$, $f(z)=z$, $g=1$ and $L=2$, the factor
    $216\cdot3\,\sigma^4$ of Term 1 exceeds $\tilde c_3\sigma^k$ with the printed `power` $k=0$ for
    large $\sigma$, whatever $\tilde c_3$. Repaired, $216\,\mathbb{E}\|f\|^4\leq\tilde c_3\sigma^4$
    is proved with $\tilde c_3=216\,C_f^4\,16\,(1+h)^2$.
    """
    if power == 0:
        left = 648 * k**4 * 2 ** sp.Rational(-1, 6)
        where = {"L": 2, "d": 1, "f": "z", "g": 1, "tokens": "N(0, sigma^2)"}
        return defeated(left, c3 * 2 ** sp.Rational(-1, 6), k, at={"sigma": k}, where=where)
    return shared.moment_of_term_1(1, 1, power)
