"""The number of tokens in a cap, for Lemma G.4 of Collins et al.: the method of Chernoff, of which
nothing is taken for granted.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.sorts import REALS
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.symmetry import count, inside, prompt, t

u = Variable("u", range=REALS)
#: The measure of the cap.
sigma = bind("mean", (t,), inside)
RATE = Fraction(2, 3)


def mean(e: Term) -> Term:
    """The mean over a token."""
    return bind("mean", (t,), e)


def prompts(e: Term) -> Term:
    """The mean over prompts."""
    return bind("prompt", (prompt,), e)


def probability(u: Term) -> Term:
    """P(u > 0) over prompts."""
    return prompts(Op("above", (u,)))


def many(sixteen: int | Fraction = 16) -> Theorem:
    return assume(f"n sigma >= {sixteen} log n", Fraction(sixteen) * log(n), "<=", n * sigma)


def _gap(sign: int, share: Fraction) -> Term:
    return sign * count - sign * share * n * sigma


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


@cache
def moment(sign: int, share: Fraction) -> Theorem:
    """E e^{2 gap/3} <= e^{-n sigma/8}, where the gap is N - share n sigma or, for the other sign,
    share n sigma - N: the mean of e^{yN} is (1 + sigma (e^y - 1))^n <= e^{n sigma (e^y - 1)}.
    """
    y, shift = sign * RATE, int(sign > 0)
    # The kernel sees that e^{-y max(0, 1 - b)} is bounded, and not that e^{yb} is.
    rest = Op("max", (term(0), 1 - inside)) if shift else inside
    missing = bind("sum", (t,), rest, (prompt,))
    same = show(sign * count, "==", shift * n - missing, arithmetic(sign * inside, "==", shift - rest))
    gap = RATE * shift * n - RATE * missing - y * share * n * sigma
    each = arithmetic(exp(-RATE * rest), "==", exp(-RATE * shift) * (1 + (exp(y) - 1) * inside))
    less = instantiate(arithmetic(1 + u, "<=", exp(u)), {u: (exp(y) - 1) * sigma})
    inner = calc(
        mean(exp(-RATE * rest)),
        ("==", exp(-RATE * shift) * (1 + (exp(y) - 1) * sigma), each),
        ("<=", exp(-RATE * shift) * exp((exp(y) - 1) * sigma), less),
    )
    return calc(
        prompts(exp(RATE * _gap(sign, share))),
        ("<=", prompts(exp(gap)), same),
        ("==", exp(RATE * shift * n - y * share * n * sigma) * mean(exp(-RATE * rest)) ** n),
        ("<=", exp(n * sigma * (exp(y) - 1 - y * share)), inner),
        ("<=", exp(-(n * sigma) / 8), arithmetic(exp(y) - 1 - y * share, "<=", Fraction(-1, 8))),
    )


def rare(bound: Theorem) -> Theorem:
    """e^{-n sigma/8} <= n^{-2} from n sigma >= 16 log n."""
    return calc(exp(-bound.rhs / 8), ("<=", exp(-2 * log(n)), bound), ("<=", n**-2))


@proves("COL:G.4a", statements, part=(1, 2))
@cache
def chernoff() -> tuple[Theorem, Theorem]:
    """P(N > 2 n sigma) <= n^{-2} and P(N < n sigma/2) <= n^{-2}."""
    point = arithmetic(Op("above", (u,)), "<=", exp(RATE * u))
    over, under = (
        calc(
            probability(_gap(sign, share)),
            ("<=", prompts(exp(RATE * _gap(sign, share))), instantiate(point, {u: _gap(sign, share)})),
            ("<=", exp(-(n * sigma) / 8), moment(sign, share)),
            ("<=", n**-2, rare(many())),
        )
        for sign, share in ((1, Fraction(2)), (-1, Fraction(1, 2)))
    )
    return over, under
