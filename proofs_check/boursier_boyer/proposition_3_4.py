"""Proposition 3.4 of Boursier & Boyer: the mean squared errors of the gradients in V and in U,
averaged over prompt and query. As printed it fails for one token; for L >= 2 it is derived
with explicit constants, and tried on instances.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import identity
from proofs_check.boursier_boyer.average_statements import AT_ONE_TOKEN, HYPOTHESES
from proofs_check.boursier_boyer.proposition_3_1 import in_the_form_of_the_paper
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation


@claim(
    "BB:P3.4.V",
    **AT_ONE_TOKEN,
    control=(dict(power=1), dict(c=Fraction(1, 42))),
    hypotheses=HYPOTHESES,
    reference={},
)
def gradient_in_V(*, least: int = 1, c: Fraction = Fraction(1), power: int = 6) -> Evidence:
    r"""As printed, for every $L\geq1$, one token refutes it; from `least`, which is 2 in the
    repair, on it is derived with explicit constants, and tried on instances, where a row of the
    gradient is the output for $V=I$. Here `c` multiplies the bound, and `power` is the exponent of
    $\sigma$.
    """
    found = in_the_form_of_the_paper(least, c, power, M=1)
    return found if least == 1 else derivation("BB:P3.4.V", found, c=c, power=power)


@claim(
    "BB:P3.4.U",
    **AT_ONE_TOKEN,
    control=(dict(power=3), dict(c=Fraction(1, 106 * 10**4))),
    needs=("BB:C.7.gU", "BB:P3.4.U/limit"),
    hypotheses=HYPOTHESES,
    reference={},
)
def gradient_in_U(*, least: int = 1, c: Fraction = Fraction(1), power: int = 12) -> Evidence:
    r"""As printed, for every $L\geq1$, one token of signs with $U=0$ refutes it: the gradient is 0,
    and in the limit $z$ times the variance 1. From `least`, which is 2 in the repair, on it is
    derived with explicit constants, for the covariances of C.7.gU and P3.4.U/limit, and tried on
    instances. Here `c` multiplies the bound, and `power` is the exponent of $\sigma$.
    """
    found = in_the_form_of_the_paper(least, c, power, "gradient in U", M=1)
    return found if least == 1 else derivation("BB:P3.4.U", found, c=c, power=power)


@claim("BB:P3.4.U/limit", control=dict(factor=2))
def gradient_of_the_limit(*, factor: int = 1) -> Evidence:
    r"""The gradient of $v^\top T[\mu]$ in $U$ is the covariance $G$ of $v^\top Z$ and $Zz^\top$
    under the tilted law: for every row $v$, and so for $-v$, all $U$ and $W$, and $s\in(0,1]$, the
    output at $U+sW$ is derived to exceed that at $U$ by at most $s\langle G,W\rangle+s^2K$, where
    $K$ does not depend on $s$, for sub-Gaussian tokens. Tried is the derivative $1-\tanh^2u$ of
    $\tanh u$, the output for tokens $1$ and $-1$; `factor` multiplies $G$.
    """
    u = sp.Symbol("u", real=True)
    search = identity(sp.Derivative(sp.tanh(u), u), factor * (1 - sp.tanh(u) ** 2))
    return derivation("BB:P3.4.U/limit", search, factor=factor)
