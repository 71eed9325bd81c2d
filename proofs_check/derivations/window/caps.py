"""The number of tokens in a cap, for Lemma G.4 of Collins et al.: the method of Chernoff, of which
nothing is taken for granted.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import bind
from numerics.derivations.derived import chain, exp, integrated, log
from numerics.derivations.normal_form import LENGTH as n
from numerics.derivations.rules import arithmetic, assume, integrate, replace, specialise
from numerics.derivations.sorts import REALS
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc
from numerics.derivations.terms import Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.symmetry import count, inside, prompt, t

u = Variable("u", range=REALS)
#: The measure of the cap.
sigma = bind("mean", (t,), inside)
RATE = Fraction(2, 3)


def probability(u: Term) -> Term:
    """P(u > 0) over prompts."""
    return bind("prompt", (prompt,), Op("above", (u,)))


def many(sixteen: int | Fraction = 16) -> Theorem:
    return assume(f"n sigma >= {sixteen} log n", Fraction(sixteen) * log(n), "<=", n * sigma)


def _gap(sign: int, share: Fraction) -> Term:
    return sign * count - sign * share * n * sigma


@cache
def moment(sign: int, share: Fraction) -> Theorem:
    """E e^{2 gap/3} <= e^{-n sigma/8}, where the gap is N - share n sigma or, for the other sign,
    share n sigma - N: the mean of e^{yN} is (1 + sigma (e^y - 1))^n <= e^{n sigma (e^y - 1)}.
    """
    y, shift = sign * RATE, int(sign > 0)
    # The kernel sees that e^{-y max(0, 1 - b)} is bounded, and not that e^{yb} is.
    rest = Op("max", (term(0), 1 - inside)) if shift else inside
    same = integrate("sum", (t,), arithmetic(sign * inside, "==", shift - rest), (prompt,))
    same = chain(sign * count, same, shift * n - bind("sum", (t,), rest, (prompt,)))
    growth = exp(y) - 1
    one = arithmetic(exp(-RATE * rest), "==", exp(-RATE * shift) * (1 + growth * inside))
    one = integrated("mean", (t,), one, None, exp(-RATE * shift) * (1 + growth * sigma))
    one = chain(one, replace(one.rhs, specialise(arithmetic(1 + u, "<=", exp(u)), {u: growth * sigma})))
    factor = exp(RATE * shift * n - y * share * n * sigma)
    slower = arithmetic(growth - y * share, "<=", Fraction(-1, 8))
    return chain(
        integrated(
            "prompt", (prompt,), replace(exp(RATE * _gap(sign, share)), same), None, factor * one.lhs**n
        ),
        replace(factor * one.lhs**n, one),
        replace(exp(n * sigma * slower.lhs), slower),
        exp(-(n * sigma) / 8),
    )


def rare(bound: Theorem) -> Theorem:
    """e^{-n sigma/8} <= n^{-2} from n sigma >= 16 log n."""
    return calc(replace(exp(-(bound.rhs / 8)), bound), ("<=", n**-2))


def statements(
    sixteen: int | Fraction = 16,
    two: int | Fraction = 2,
    half: int | Fraction = Fraction(1, 2),
    power: int = 2,
) -> tuple[Statement, Statement]:
    """The same with other numbers in place of the 16 of the hypothesis, the 2, the half and the
    exponent.
    """
    given, mean = many(sixteen).assumptions, n * sigma
    over, under = (probability(gap) for gap in (count - Fraction(two) * mean, Fraction(half) * mean - count))
    return Statement(over, "<=", n**-power, given), Statement(under, "<=", n**-power, given)


@proves("COL:G.4a", statements, at=((1, Fraction(2)), (-1, Fraction(1, 2))))
@cache
def chernoff(side: tuple[int, Fraction]) -> Theorem:
    """P(N > 2 n sigma) <= n^{-2} and P(N < n sigma/2) <= n^{-2}."""
    point = specialise(arithmetic(Op("above", (u,)), "<=", exp(RATE * u)), {u: _gap(*side)})
    return chain(integrated("prompt", (prompt,), point), moment(*side), rare(many()))
