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
    G_INSTEAD,
    G_WHY,
    HYPOTHESES,
    UNPROVED,
    c1,
    c2,
    c3,
    k,
    ln,
)
from proofs_check.boursier_boyer.proposition_3_1 import ONE_TOKEN_WITNESS
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO
from theory.bounds.query_average_constants import constants_18, paper_constants_C9

SIGMA = sp.Symbol("sigma", positive=True)
CHECKED = r"\mathbb{E}\|(R_L/S_L-R/S)g\|_{L^4(\nu)}^4\le c_1\sigma^{12}\ln(L)^2/L^{c_2/\sigma^2},\ L\ge 2"


@claim("BB:AC.8", control=(dict(power=2), dict(scaling=8)))
def assumption_c8_is_not_empty(*, power: int = 1, scaling: int = 16) -> Evidence:
    r"""The class contains $f(z)=v^{\top}z$ and $g=1$: (i) holds with $C_f=\|v\|$, (ii) with
    $\sigma^{16}$ and an explicit $c(f,g,U)$, and (iii) holds. With $\|z_1\|^2$ in (i) this $f$
    would be outside, since it is not small at $0$.
    """
    return shared.class_is_not_empty(8, power, scaling)


@claim(
    "BB:AC.8/i",
    **TYPO,
    follows="BB:AC.5/i",
    why=shared.SUPREMUM_WHY,
    instead=shared.SUPREMUM_INSTEAD % ("", 7),
    repair=dict(argument="z"),
    control=dict(c=Fraction(9, 10)),
    hypotheses=("x > 0", "z_1 > 0", "C_f > 0", "z_1 <= C_f"),
)
def supremum_of_a_ratio(*, argument: str = "z_1", c: Fraction = Fraction(1)) -> Evidence:
    r"""With the ratio at $z$, (i) gives $\|f(x)\|\leq C_f\|x\|$ for every $x\neq0$. Printed, the
    `argument` of the ratio is the token $z_1$, which is refuted by $f(x)=x^2$.
    """
    return shared.printed_supremum(argument, c)


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


@claim(
    "BB:LC.9/nu",
    **TYPO,
    follows="BB:LC.6/nu",
    why=shared.NU_WHY % 8,
    details=shared.NU_DETAILS,
    repair=dict(law="through E|g|^8"),
    control=dict(c=Fraction(1, 10600)),
    hypotheses=HYPOTHESES,
    reference={},
)
def constants_that_are_free_of_the_law_of_the_query(
    *, law: str = "not at all", c: Fraction = Fraction(1)
) -> Evidence:
    r"""For $g(z)=e^{z^2}$ and rare queries $\pm n$ the error at $L=2$ is unbounded in $n$, which
    refutes constants that do not depend on $\nu$; repaired, the `law` of the query enters through
    $\mathbb{E}_{\nu}\|g\|^8$, and the bound is derived as for BB:LC.9.
    """
    if law == "not at all":
        return shared.rare_large_queries(4)
    search = shared.explicit(_form_of_lemma_c9, 4, c, CHECKED)
    return derivation("BB:LC.9/nu", search, c=c)


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


@claim(
    "BB:18/g",
    **TYPO,
    follows="BB:16/g",
    why=G_WHY % 9,
    instead=G_INSTEAD,
    repair=dict(moment=1),
    control=dict(power=3),
    hypotheses=("G > 0", "e > 0"),
)
def left_side_without_g(*, moment: int = 0, power: int = 4) -> Evidence:
    r"""Where $\|g\|=G$ is constant, the left side of Lemma C.9 is $G^4e$ with the error $e$ without
    $g$. The left side of (18) is printed as $e$, and $G^4e\leq e$ is refuted; with the factor $g$
    it is $G^4e$, too.
    """
    return shared.error_without_g(4, moment, power)


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
