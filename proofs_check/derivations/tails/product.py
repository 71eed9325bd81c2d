"""Appendix C.7: the mean squared error of a product of two means, from their fourth moments and
errors, by the three lines of (21).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, log, schwarz_of_bounds, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.form_of_the_paper import long_prompts
from proofs_check.derivations.softmax_average.softmax_average import i, k, m, mean, over, sigma, x, y

#: The factors X and Y, a number and a matrix, and their means over a finite prompt, as functions of
#: the outcome of prompt and query; their fourth moments are finite.
X, Xh = (Function(name, (Sort.TOKEN,), Fraction(4)) for name in ("X", "Xh"))
Y, Yh = (Function(name, (Sort.INDEX, Sort.TOKEN), Fraction(4)) for name in ("Y", "Yh"))
A_X, A_Y, B_X, B_Y = (Variable(name, range=NONNEGATIVE) for name in ("A_X", "A_Y", "B_X", "B_Y"))
c_2 = Variable("c2", range=POSITIVE)
H_, S_ = (Variable(name, range=Range(Fraction(1), lo_open=False)) for name in ("H_", "S_"))
Z_, N_ = (Variable(name, range=NONNEGATIVE) for name in ("Z_", "N_"))
Q_ = Variable("Q_", range=Range(Fraction(0), Fraction(1), True, False))

error = over(i, m, (Xh(k) * Yh(i, k) - X(k) * Y(i, k)) ** 2)
of_Y, error_of_Y = over(i, m, Y(i, k) ** 2), over(i, m, (Yh(i, k) - Y(i, k)) ** 2)
fourth_power = sigma**12 * log(L) ** 2 * L ** (-c_2 / sigma**2)

ARGUMENT = "BB:C.7.moments and BB:LC.9 are read for X and Y, with their constants"


@cache
def moments() -> tuple[Theorem, Theorem, Theorem, Theorem]:
    """The conclusions of C.7.moments, E X^4 <= A_X sigma^8 and E|Y|^4 <= A_Y sigma^8, and those of
    Lemma C.9 for X and Y.
    """
    return (
        assume("E X^4 <= A_X sigma^8", mean(X(k) ** 4), "<=", A_X * sigma**8, argument=ARGUMENT),
        assume("E|Y|^4 <= A_Y sigma^8", mean(of_Y**2), "<=", A_Y * sigma**8, argument=ARGUMENT),
        assume("Lemma C.9 for X", mean((Xh(k) - X(k)) ** 4), "<=", B_X * fourth_power, argument=ARGUMENT),
        assume("Lemma C.9 for Y", mean(error_of_Y**2), "<=", B_Y * fourth_power, argument=ARGUMENT),
    )


@cache
def lines() -> Theorem:
    """E|X^Y^ - XY|^2 <= 2 E X^^2 |Y^ - Y|^2 + 2 E|Y|^2 (X^ - X)^2, the first line of (21)."""
    first, second = Xh(k) * (Yh(i, k) - Y(i, k)), Y(i, k) * (Xh(k) - X(k))
    line = show((first + second) ** 2, "<=", 2 * first**2 + 2 * second**2, first, second)
    return calc(
        mean(error),
        ("==", mean(over(i, m, (first + second) ** 2))),
        ("<=", mean(over(i, m, 2 * first**2 + 2 * second**2)), line),
        ("==", 2 * mean(Xh(k) ** 2 * error_of_Y) + 2 * mean(of_Y * (Xh(k) - X(k)) ** 2)),
    )


@cache
def fourth_moment() -> Theorem:
    """E X^^4 <= 8 A_X sigma^8 + 8 B_X f with the rate f of Lemma C.9, the third line of (21)."""
    line = instantiate(arithmetic(x**4, "<=", 8 * y**4 + 8 * (x - y) ** 4), {x: Xh(k), y: X(k)})
    of_X, _, error_X, _ = moments()
    return calc(
        mean(Xh(k) ** 4),
        ("<=", 8 * mean(X(k) ** 4) + 8 * mean((Xh(k) - X(k)) ** 4), line),
        ("<=", 8 * (A_X * sigma**8) + 8 * (B_X * fourth_power), of_X, error_X),
    )


@cache
def three_lines() -> Theorem:
    """E|X^Y^ - XY|^2 <= 2 sqrt(8 (A_X sigma^8 + B_X f) B_Y f) + 2 sqrt(A_Y sigma^8 B_X f)."""
    _, of_Y4, error_X, error_Y = moments()

    def schwarz(left: Term, right: Term, *bounds: Theorem) -> Theorem:
        sizes = [sqrt(bound.rhs) for bound in bounds]
        squares = [chain(bound, size**2) for bound, size in zip(bounds, sizes)]
        return chain(mean(left * right), schwarz_of_bounds("mean", (k,), left, right, *squares, *sizes))

    first = schwarz(Xh(k) ** 2, error_of_Y, fourth_moment(), error_Y)
    second = schwarz(of_Y, (Xh(k) - X(k)) ** 2, of_Y4, error_X)
    return chain(lines(), gcongr(lines().rhs, first, second))


#: The constant c_1 of the product, and the rate with half the c_2 of Lemma C.9.
constant = 2 * (sqrt(8 * A_X + 8 * B_X * log(2) ** 2) * sqrt(B_Y) + sqrt(A_Y) * sqrt(B_X)) / log(2)
rate = L ** (-c_2 / (2 * sigma**2))


@cache
def powers() -> Theorem:
    """a s^8 + b s^12 h^2 q^2 <= s^12 h^2 (a + b) for s, h >= 1 and 0 < q <= 1."""
    first = arithmetic(S_**8, "<=", S_**12 * H_**2)
    second = arithmetic(S_**12 * H_**2 * Q_**2, "<=", S_**12 * H_**2)
    left = A_X * S_**8 + B_X * (S_**12 * H_**2 * Q_**2)
    return chain(left, gcongr(left, first, second), S_**12 * H_**2 * (A_X + B_X))


def statement(power: int = 24) -> Statement:
    """E|X^Y^ - XY|^2 <= c_1 sigma^{power/2} ln(L)^2/L^{c_2/(2 sigma^2)} for L >= 2, sigma >= 1."""
    given = hypotheses(*(*moments(), *long_prompts()))
    return Statement(mean(error), "<=", constant * sigma ** Fraction(power, 2) * log(L) ** 2 * rate, given)


@proves("BB:C.7.fin/powers", statement)
@cache
def theorem() -> Theorem:
    """E|X^Y^ - XY|^2 <= c_1 sigma^12 ln(L)^2/L^{c_2/(2 sigma^2)} for L >= 2 and sigma >= 1."""
    two, one = long_prompts()
    ratio, weight = log(L) / log(2), 8 * A_X + 8 * B_X * log(2) ** 2
    longer = calc(1, ("==", log(2) / log(2)), ("<=", ratio, gcongr(log(2), two)))
    at = {S_: sigma, H_: ratio}
    constants = {Q_: rate, A_X: 8 * A_X, B_X: 8 * B_X * log(2) ** 2}
    size = instantiate(powers(), {**at, **constants}, one, longer, arithmetic(rate, "<=", 1))
    small = instantiate(arithmetic(S_**10 * H_, "<=", S_**12 * H_**2), at, one, longer)
    square = arithmetic(L ** (-c_2 / sigma**2), "==", rate**2)
    apart = instantiate(arithmetic(sqrt(Z_**2 * N_), "==", Z_ * sqrt(N_)), {Z_: sigma**6 * ratio, N_: weight})
    front, rest = 2 * sqrt(B_Y) * sigma**6 * log(L) * rate, 2 * sqrt(A_Y * B_X) * log(2) * rate
    return chain(
        three_lines(),
        gcongr(three_lines().rhs, square),
        gcongr(front * sqrt(size.lhs) + rest * small.lhs, size, small),
        gcongr(front * apart.lhs + rest * small.rhs, apart),
        constant * sigma**12 * log(L) ** 2 * rate,
    )
