"""Lemma C.2 of Boursier & Boyer: a bound on sums of independent vectors with two moments. The
statement is derived from the second moment of the sum and Markov's inequality, and tried on the
worst laws that a search finds.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.attention.exact.softmax_average import deviation_R, symbol
from numerics.counterexamples.worst_case.statement import Tail
from numerics.counterexamples.worst_case.worst_average import worst_ratio
from numerics.evidence import Evidence
from numerics.provers import Closed, Integers, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation

delta = sp.Symbol("delta", positive=True)


@claim("BB:LC.2", sharp="c", hypotheses=("L in Integers", "L >= 1", "0 < delta", "delta < 1"), reference={})
def sum_of_vectors_with_two_moments(*, c: int | Fraction = 3) -> Evidence:
    r"""The bound $\mathbb{P}(\|\sum_i(Q_i-\mathbb{E}Q_i)\|^2>\frac c\delta uL)\leq2\delta$ with `c`
    = 3 is derived for every $u\geq\mathbb{E}\|Q\|^2$: the mean square of the centred sum is at most
    $uL$, and Markov's inequality gives $\delta/3$. It is tried for $Q=e^{Z_1^{\top}Uz}f(Z_1)$,
    which takes any values at the atoms.
    """
    L, u = symbol("L"), symbol("EQ2")
    search = worst_ratio(Tail(deviation_R, ">", c * u * L / delta, delta), "<=", 2 * delta)
    return derivation("BB:LC.2", search, c=c)


@claim("BB:LC.2/variance", control=dict(one=2))
def variance_of_a_sum(*, one: int = 1) -> Evidence:
    r"""The mean square of the centred sum is
    $\mathbb{E}\|\sum_iQ_i\|^2-L^2\|\mathbb{E}Q\|^2=L\,(\mathbb{E}\|Q\|^2-\|\mathbb{E}Q\|^2)$, where
    $\mathbb{E}\|Q\|^2$ and $\|\mathbb{E}Q\|^2$ may vanish; `one` stands for the 1 in the $L(L-1)$
    pairs of different terms.
    """
    L = sp.Symbol("L", integer=True, positive=True)
    square, mean = sp.symbols("q m", nonnegative=True)
    algebra = identity(L * square + L * (L - one) * mean - L**2 * mean, L * (square - mean))
    return derivation("BB:LC.2/variance", algebra, one=one)


@claim("BB:LC.2/markov", sharp="c", needs=("BB:LC.2/variance",), cites=("Markov's inequality",))
def markov_at_the_threshold(*, c: int | Fraction = 3) -> Evidence:
    r"""The quotient of $L\,(\mathbb{E}\|Q\|^2-\|\mathbb{E}Q\|^2)$ and the squared threshold $\frac
    c\delta uL$ with `c` = 3 is at most $2\delta$ if $\mathbb{E}\|Q\|^2\leq u$; it is so with
    $\frac12$ in place of $3$, too.
    """
    L = sp.Symbol("L", integer=True, positive=True)
    u = sp.Symbol("u", positive=True)
    square, mean = sp.symbols("q m", nonnegative=True)  # E|Q|^2 and |E Q|^2
    domain = {L: Integers(1, oo), u: (0, oo), square: Closed(0, oo), mean: Closed(0, oo), delta: (0, 1)}
    given = [(square, "<=", u), (mean, "<=", square)]
    return forall(L * (square - mean) / (c * u * L / delta), "<=", 2 * delta, domain, where=given)
