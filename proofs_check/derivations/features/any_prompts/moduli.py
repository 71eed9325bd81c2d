"""The last display in the proof of Lemma 2: moduli of updates, and of the two errors in them."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.terms import Term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import times
from proofs_check.derivations.features.updates import (
    A,
    A_m,
    Sides,
    adds_up,
    d,
    d_m,
    error,
    expectation,
    is_k,
    modulus,
    n,
    of_both_signs,
    other_error,
    others,
    outcome,
    own,
    own_positive,
    positive,
    product_of_sides,
    weighted,
)
from proofs_check.derivations.proof import proves


def of_modulus_statements(factor: int | Fraction = 1) -> tuple[Statement, ...]:
    """|g_km| is at most `factor` times the mean of the moduli, as bounds in both signs."""
    product_ = is_k * A_m * error * other_error
    moduli = expectation(is_k * A_m * modulus(error) * modulus(other_error))
    return tuple(
        Statement(sign * expectation(product_), "<=", Fraction(factor) * moduli, positive.assumptions)
        for sign in (1, -1)
    )


def triangle_statements(factor: int | Fraction = 1) -> tuple[Statement, ...]:
    """The mean of the moduli is at most `factor` times that of sums of moduli; here n = k adds 0 to
    the first, and to the second what the value at v_k does.
    """
    moduli = expectation(is_k * A_m * modulus(error) * modulus(other_error))
    apart = others(A(n, outcome) * modulus(d(n, outcome)))
    from_m = others(A(n, outcome) * modulus(d_m - d(n, outcome))) + own * modulus(d_m)
    bound, given = expectation(is_k * A_m * apart * from_m), hypotheses(adds_up, positive, own_positive)
    return (Statement(moduli, "<=", Fraction(factor) * bound, given),)


def _both(X: Term) -> Sides:
    """X <= |X| and -X <= |X|."""
    return show(X, "<=", modulus(X), X), show(-X, "<=", modulus(X), X)


@proves("LDL:L2.abs", of_modulus_statements, part=(1, 2))
@cache
def by_moduli() -> Sides:
    up, down = (
        calc(
            expectation(sign * (is_k * A_m * error * other_error)),
            ("<=", expectation(is_k * A_m * (modulus(error) * modulus(other_error))), weighted(line)),
        )
        for sign, line in zip((1, -1), product_of_sides(_both(error), _both(other_error), error, other_error))
    )
    return up, down


@proves("LDL:L2.tri", triangle_statements)
@cache
def by_sums_of_moduli() -> Theorem:
    """The errors are sums with the attention, of which each term is at most its modulus."""
    here, step, each = d(n, outcome), d_m - d(n, outcome), A(n, outcome)
    apart, common = others(each * modulus(here)), others(each * here)
    from_m = others(each * modulus(step)) + own * modulus(d_m)
    firsts = [times(each, side, positive) for side in _both(here)]
    seconds = [times(each, side, positive) for side in _both(step)]
    lasts = [times(own, side, own_positive) for side in _both(d_m)]
    one = [
        calc(sign * error, ("==", others(each * (-sign * here))), ("<=", apart, line))
        for sign, line in zip((1, -1), reversed(firsts))
    ]
    two = [
        calc(
            sign * other_error,
            ("==", sign * (d_m * (others(each) + own) - common), adds_up, d_m, common),
            ("==", others(each * (sign * step)) + own * (sign * d_m)),
            ("<=", others(each * modulus(step)) + own * (sign * d_m), line),
            ("<=", from_m, last),
        )
        for sign, line, last in zip((1, -1), seconds, lasts)
    ]
    sizes = []
    for X, bound, sides in ((error, apart, one), (other_error, from_m, two)):
        size = of_both_signs(sides[0], sides[1], X, bound)
        sizes.append(
            (size, show(-modulus(X), "<=", bound, size, show(0, "<=", modulus(X), X), modulus(X), bound))
        )
    line = product_of_sides(sizes[0], sizes[1], modulus(error), modulus(other_error))[0]
    return calc(
        expectation(is_k * A_m * (modulus(error) * modulus(other_error))),
        ("<=", expectation(is_k * A_m * (apart * from_m)), weighted(line)),
    )
