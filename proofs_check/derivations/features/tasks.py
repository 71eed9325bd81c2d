"""R7 and R11: the mean squared error of a query and the entries of the gradient, for exchangeable
tasks and for others. The query's class is apart from the others, which are numbered from 1 to M.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, equal, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import cancelled, product, scaled, times
from proofs_check.derivations.proof import proves

n, m, task = Variable("n", Sort.INDEX), Variable("m", Sort.INDEX), Variable("task", Sort.TOKEN)
M, b = Variable("M", range=whole(1)), Variable("b", range=REALS)
s, p = Variable("s", range=POSITIVE), Variable("p", range=POSITIVE)
#: Attention on the query's class and on the others, and the values of a task there.
a, w = Variable("a", range=REALS), Function("w", (Sort.INDEX,))
f_k, f = Function("fk", (Sort.TOKEN,), Fraction(2)), Function("f", (Sort.INDEX, Sort.TOKEN), Fraction(2))
#: Any weights, by which the entries of vectors and matrices are compared.
c, C = Function("c", (Sort.INDEX,)), Function("C", (Sort.INDEX, Sort.INDEX))

mean = lambda e: bind("mean", (task,), e)
others = lambda e: bind("coordinates", (n,), e, (M,))
pairs = lambda e: bind("coordinates", (n, m), e, (M, M))
f_m = instantiated(f(n, task), {n: m})

adds_up = assume("attention adds up to 1", others(w(n)), "==", 1 - a)
positive = assume("attention is not negative", 0, "<=", w(n), every=(n,))
#: Exchangeable tasks have the second moments s I + b 11'.
own_moment = assume("exchangeable tasks: the own value", mean(f_k(task) ** 2), "==", s + b)
cross_moments = assume(
    "exchangeable tasks: with others",
    others(c(n) * mean(f_k(task) * f(n, task))),
    "==",
    b * others(c(n)),
    every=(c,),
)
other_moments = assume(
    "exchangeable tasks: others",
    pairs(C(n, m) * mean(f(n, task) * f_m)),
    "==",
    s * others(C(n, n)) + b * pairs(C(n, m)),
    every=(C,),
)
exchangeable = (own_moment, cross_moments, other_moments)
prediction = a * f_k(task) + others(w(n) * f(n, task))
squared = (1 - a) ** 2 + others(w(n) ** 2)
#: Whether two numbers are the same.
same = Function("delta", (Sort.INDEX, Sort.INDEX))
kronecker = assume(
    "delta is Kronecker's symbol", pairs(same(n, m) * C(n, m)), "==", others(C(n, n)), every=(C,)
)
at_most_one = assume("delta is at most 1", same(n, m), "<=", 1, every=(n, m))


def loss_statements(
    most: int | Fraction = 2, least: int | Fraction = 1, own: int = 2
) -> tuple[Statement, ...]:
    """R7.loss: the mean squared error, and its bounds by multiples of s (1 - w_k)^2."""
    left, unit = mean((prediction - f_k(task)) ** 2), s * (1 - a) ** 2
    given = hypotheses(*exchangeable, adds_up)
    return (
        Statement(left, "==", s * (1 - own * a + a**2 + others(w(n) ** 2)), given),
        Statement(Fraction(least) * unit, "<=", left, given),
        Statement(left, "<=", Fraction(most) * unit, given | hypotheses(positive, kronecker, at_most_one)),
    )


def squared_error(w_n: Term, own: Term, total: Theorem) -> Theorem:
    """E (yhat - f_k)^2 = s ((1 - own)^2 + sum_n w_n^2) for any weights, which add up to 1 by what
    `total` says.
    """
    w_m, S, B = instantiated(w_n, {n: m}), others(w_n), others(w_n**2)
    A, guess = mean(f_k(task) ** 2), own * f_k(task) + others(w_n * f(n, task))
    cross = instantiate(cross_moments, {c: ((n,), w_n)})
    square = instantiate(other_moments, {C: ((n, m), w_n * w_m)})
    facts = own_moment, cross, square
    return calc(
        mean((guess - f_k(task)) ** 2),
        ("==", (1 - own) ** 2 * A - 2 * (1 - own) * cross.lhs + square.lhs),
        (
            "==",
            (1 - own) ** 2 * (s + b) - 2 * (1 - own) * cross.rhs + square.rhs,
            *facts,
            cross.rhs,
            square.rhs,
        ),
        ("==", (1 - own) ** 2 * (s + b) - 2 * (1 - own) * b * S + s * B + b * S**2),
        ("==", s * ((1 - own) ** 2 + B), total, B),
    )


@proves("OURS:R7.loss", loss_statements, part=1)
@cache
def loss() -> Theorem:
    return squared_error(w(n), a, adds_up)


_weights = product(w(n), w(m), positive, instantiate(positive, {n: m}))


@proves("OURS:R7.loss", loss_statements, part=(2, 3))
@cache
def bounds() -> tuple[Theorem, Theorem]:
    """As sum_n w_n^2 <= (sum_n w_n)^2."""
    unit = s * (1 - a) ** 2
    squares = calc(
        others(w(n) ** 2),
        ("==", pairs(same(n, m) * (w(n) * w(m))), instantiate(kronecker, {C: ((n, m), w(n) * w(m))})),
        ("<=", pairs(w(n) * w(m)), times(w(n) * w(m), at_most_one, _weights)),
        ("==", others(w(n)) ** 2),
        ("==", (1 - a) ** 2, adds_up),
    )
    return (
        calc(unit, ("<=", s * squared), ("==", mean((prediction - f_k(task)) ** 2), loss())),
        calc(loss(), ("<=", s * ((1 - a) ** 2 + (1 - a) ** 2), squares), ("==", 2 * unit)),
    )


#: E(f_k - f_n)(f_k - f_m), compared as sums with any weights.
all_weights = pairs(C(n, m))
differences = pairs(C(n, m) * mean((f_k(task) - f(n, task)) * (f_k(task) - f_m)))


@cache
def moments_of_differences() -> Theorem:
    """E(f_k - f_n)(f_k - f_m) is s, and 2s for n = m."""
    weights = (bind("coordinates", (m,), e, (M,)) for e in (C(n, m), C(m, n)))
    one, two = (instantiate(cross_moments, {c: ((n,), e)}) for e in weights)
    facts, A = (one, two, other_moments), mean(f_k(task) ** 2)
    letters = [side for fact in facts for side in (fact.lhs, fact.rhs)]
    return calc(
        differences,
        ("==", A * all_weights - one.lhs - two.lhs + other_moments.lhs),
        (
            "==",
            (s + b) * all_weights - one.rhs - two.rhs + other_moments.rhs,
            *(own_moment, *facts, all_weights, *letters),
        ),
        ("==", s * (all_weights + others(C(n, n)))),
    )


# The entries of the gradient off the diagonal

length = a**2 + others(w(n) ** 2)
leads = assume("|w|^2 <= w_k", length, "<=", a)
largest = assume("no attention is larger than w_k", w(n), "<=", a, every=(n,))


def entries(own: int = 1) -> Term:
    """sum_m c_m w_m (w_k + w_m - |w|^2), with `own` times w_k."""
    return others(c(n) * (w(n) * (own * a + w(n) - length)))


def sign_statements(own: int = 1, factor: Fraction = Fraction(1)) -> tuple[Statement, ...]:
    """R11.sign: the entries -H_mk, that they are not negative, and where; with `own` times w_k, and
    `factor` times |w|^2.
    """
    weight = instantiated(c(n) * w(n), {n: m})
    left = bind("coordinates", (m,), weight * (p * mean((f_k(task) - prediction) * (f_m - prediction))), (M,))
    given = hypotheses(positive, adds_up)
    return (
        Statement(-left, "==", s * p * entries(own), hypotheses(*exchangeable, adds_up)),
        Statement(
            term(0), "<=", s * p * w(n) * (a + w(n) - Fraction(factor) * length), given | leads.assumptions
        ),
        Statement(Fraction(factor) * length, "<=", a, given | largest.assumptions),
    )


@cache
def entries_of_the_gradient() -> Theorem:
    """sum_m c_m E w_m (f_k - yhat)(f_m - yhat) = -s sum_m c_m w_m (w_k + w_m - |w|^2) for all
    weights c.
    """
    total = bind("coordinates", (m,), c(m) * w(m) * mean((f_k(task) - prediction) * (f_m - prediction)), (M,))
    S, B, T, T2 = others(w(n)), others(w(n) ** 2), others(c(n) * w(n)), others(c(n) * w(n) ** 2)
    A = mean(f_k(task) ** 2)
    one = instantiate(cross_moments, {c: ((n,), w(n))})
    two = instantiate(cross_moments, {c: ((n,), c(n) * w(n))})
    three = instantiate(other_moments, {C: ((n, m), w(n) * w(m))})
    four = instantiate(other_moments, {C: ((n, m), w(n) * c(m) * w(m))})
    products = calc(three, ("==", s * B + b * S**2)), calc(four, ("==", s * T2 + b * S * T))
    # (f_k - yhat) = (1 - a) f_k - X and (f_m - yhat) = f_m - a f_k - X with X = sum_n w_n f_n
    return calc(
        total,
        (
            "==",
            (1 - a) * two.lhs
            - (1 - a) * a * A * T
            - (1 - a) * one.lhs * T
            - four.lhs
            + a * one.lhs * T
            + three.lhs * T,
        ),
        ("==", -s * (a * T + T2 - (a**2 + B) * T), own_moment, one, two, *products, adds_up, S, B, T, T2),
        ("==", -s * entries()),
    )


@proves("OURS:R11.sign", sign_statements, part=1)
@cache
def entries_with_probability() -> Theorem:
    return scaled(-p, entries_of_the_gradient())


@proves("OURS:R11.sign", sign_statements, part=2)
@cache
def sign() -> Theorem:
    """-H_mk >= 0 where |w|^2 <= w_k."""
    rest = show(0, "<=", a + w(n) - length, leads, positive)
    return product(s * p * w(n), a + w(n) - length, product(s * p, w(n), positive), rest)


@proves("OURS:R11.sign", sign_statements, part=3)
@cache
def where_the_own_class_leads() -> Theorem:
    """|w|^2 <= w_k where no attention is larger than w_k."""
    return calc(
        length,
        ("<=", a**2 + others(w(n) * a), times(w(n), largest, positive)),
        ("==", a**2 + a * others(w(n))),
        ("==", a, adds_up),
    )


# Other task laws

d = Function("d", (Sort.INDEX, Sort.TOKEN), Fraction(2))
low, high = (Variable(name, range=POSITIVE) for name in ("c_k", "C_k"))
rest_of_the_loss = Variable("rest", range=NONNEGATIVE)
x = others(w(n))
d_m = instantiated(d(n, task), {n: m})
moment = mean(d(n, task) * d_m)
between = (
    assume("M >= c_k", low, "<=", moment, every=(n, m)),
    assume("M <= C_k", moment, "<=", high, every=(n, m)),
)
apart = others(w(n) * d(n, task))


#: (M w)_m and w'M w.
row, square = others(w(n) * moment), pairs(w(n) * w(m) * moment)
share = p / 2 * mean(apart**2)


def small(two: int = 2) -> Theorem:
    return assume("the loss", share + rest_of_the_loss, "<=", p * low**3 / (2 * high**two))


def other_statements(
    least: int = 1, most: Fraction = Fraction(1), two: int = 2, sign: int = 1
) -> tuple[Statement, ...]:
    """R11.other: the entries, their bound from below, what a small loss forces, and that they are
    not negative then. `sign` stands for the sign of w'M w, `least` and `most` multiply c_k and C_k,
    and `two` is the exponent of C_k.
    """
    given = hypotheses(positive, *between)
    entry = -(p * mean(w(m) * apart * (apart - d_m)))
    left = p * w(m) * (x * (least * low - Fraction(most) * high * x))
    return (
        Statement(entry, "==", p * w(m) * (row - sign * square)),
        Statement(left, "<=", entry, given),
        Statement(x, "<=", low / high, given | small(two).assumptions),
        Statement(term(0), "<=", p * w(m) * (x * (low - high * x)), given | small(two).assumptions),
    )


@proves("OURS:R11.other", other_statements, part=1)
@cache
def other_form() -> Theorem:
    """-H_mk = p w_m ((M w)_m - w'M w)."""
    return equal(-(p * mean(w(m) * apart * (apart - d_m))), p * w(m) * (row - square))


@proves("OURS:R11.other", other_statements, part=2)
@cache
def other_entries() -> Theorem:
    """-H_mk >= p w_m x (c_k - C_k x), with x = 1 - w_k."""
    above = calc(low * x, ("==", others(w(n) * low)), ("<=", row, times(w(n), between[0], positive)))
    below = calc(
        square,
        ("<=", pairs(w(n) * w(m) * high), times(w(n) * w(m), between[1], _weights)),
        ("==", high * x**2),
    )
    step = show(x * (low - high * x), "<=", row - square, above, below, row, square, x)
    return calc(
        times(p * w(m), step, product(p, w(m), instantiate(positive, {n: m}))),
        ("==", -(p * mean(w(m) * apart * (apart - d_m))), other_form()),
    )


@proves("OURS:R11.other", other_statements, part=3)
@cache
def small_rest() -> Theorem:
    """1 - w_k <= c_k/C_k, as the loss is at least (p/2) c_k (1 - w_k)^2."""
    unit = p / 2 * low
    least = calc(
        low * x**2,
        ("==", pairs(w(n) * w(m) * low)),
        ("<=", square, times(w(n) * w(m), between[0], _weights)),
        ("==", mean(apart**2)),
    )
    total = calc(
        unit * x**2,
        ("<=", share, times(p / 2, least)),
        ("<=", share + rest_of_the_loss),
        ("<=", unit * (low / high) ** 2, small()),
    )
    squares = cancelled(unit, total, x**2, (low / high) ** 2, show(0, "<", unit))
    return show(x, "<=", low / high, squares)


@proves("OURS:R11.other", other_statements, part=4)
@cache
def not_negative() -> Theorem:
    """p w_m x (c_k - C_k x) >= 0 there."""
    inner = product(
        x, low - high * x, show(0, "<=", x, positive), show(0, "<=", low - high * x, small_rest())
    )
    return product(p * w(m), x * (low - high * x), product(p, w(m), instantiate(positive, {n: m})), inner)
