"""Updates of the scores, Lemmas 2, 4, 5 and 8 of Li, Duan & Liang: means over tasks, prompts and
queries of products of two errors, and sums of steps.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, log
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Range, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import gap, ind, product, times
from proofs_check.derivations.proof import proves

#: An outcome is a task and a prompt, and the query y is drawn apart from both.
n, m = Variable("n", Sort.INDEX), Variable("m", Sort.INDEX)
outcome, y = Variable("outcome", Sort.TOKEN), Variable("y", Sort.QUERY)
M, K = Variable("M", range=whole(1)), Variable("K", range=whole(1))
B, P, C, eta = (Variable(name, range=POSITIVE) for name in ("B", "P", "C", "eta"))
u = Variable("u", range=REALS)
#: Attention of the query v_k on another class and on its own, and how the values there differ.
A, d = (Function(name, (Sort.INDEX, Sort.TOKEN), None) for name in ("Attn", "d"))
A_k = Function("Attnk", (Sort.TOKEN,), None)
#: Whether the query is v_k.
query = Function("isk", (Sort.QUERY,))
is_k, own = ind(query(y)), A_k(outcome)
d_m, A_m = (instantiated(e, {n: m}) for e in (d(n, outcome), A(n, outcome)))

mean = lambda e: bind("mean", (outcome,), e)
expectation = lambda e: bind("query", (y,), mean(e))
others = lambda e: bind("coordinates", (n,), e, (M,))
modulus = lambda e: Op("max", (e, -e))

adds_up = assume("attention adds up to 1", others(A(n, outcome)), "==", 1 - own, every=(outcome,))
positive = assume("attention is not negative", 0, "<=", A(n, outcome), every=(n, outcome))
own_positive = assume("nor is that on the query's class", 0, "<=", own, every=(outcome,))
from_own = assume(
    "values differ by at most B from that of the query", modulus(d(n, outcome)), "<=", B, every=(n, outcome)
)
from_another = assume(
    "values of two others differ by at most B", modulus(d_m - d(n, outcome)), "<=", B, every=(n, m, outcome)
)
rare = assume("the query is v_k with probability at most P/K", bind("query", (y,), is_k), "<=", P / K)
share = assume(
    "another class has a part of what the query's leaves", A(n, outcome), "<=", 1 - own, every=(n, outcome)
)
#: f_k - yhat, and f_m - yhat.
error, other_error = -others(A(n, outcome) * d(n, outcome)), d_m - others(A(n, outcome) * d(n, outcome))


#: Bounds of a term and of minus the term.
Sides = tuple[Theorem, Theorem]
ATTENTION = (adds_up, positive, own_positive, from_own)


def own_statement(c: Fraction = Fraction(4, 27), rate: Term | None = None) -> Statement:
    """g_k <= c B^2 P/K, and the same times `rate`."""
    factor = term(1) if rate is None else rate
    left = expectation(is_k * own * error**2)
    return Statement(
        factor * left, "<=", factor * (Fraction(c) * B**2 * (P / K)), hypotheses(*ATTENTION, rare)
    )


def vanishing_statements(power: int = 2) -> tuple[Statement, ...]:
    """|g_{k,m}| <= B^2 E 1{query v_k} (1 - Attn_k)^power in both signs."""
    left, given = expectation(is_k * A_m * error * other_error), hypotheses(*ATTENTION, from_another, share)
    bound = B**2 * expectation(is_k * (1 - own) ** power)
    return Statement(left, "<=", bound, given), Statement(-left, "<=", bound, given)


def _of_a_modulus(thm: Theorem, X: Term) -> Sides:
    """X <= Y and -X <= Y from |X| <= Y."""
    up, down = (chain(instantiate(show(e, "<=", modulus(u)), {u: X}), thm) for e in (u, -u))
    return up, down


def _share_of(side: Theorem) -> Theorem:
    """A mean of differences of values with the attention, of which `side` bounds each by B."""
    each, bounded = A(n, outcome), times(A(n, outcome), side, positive)
    return calc(others(each * side.lhs), ("<=", others(each * B), bounded), ("==", (1 - own) * B, adds_up))


@cache
def errors() -> tuple[Sides, Sides]:
    """|f_k - yhat| <= (1 - Attn_k) B and |f_m - yhat| <= B, in both signs."""
    here, total = d(n, outcome), others(A(n, outcome))
    common = others(A(n, outcome) * here)
    up, down = map(_share_of, _of_a_modulus(from_own, here))
    firsts = _of_a_modulus(instantiate(from_own, {n: m}), d_m)
    seconds = map(_share_of, _of_a_modulus(from_another, d_m - here))
    above, below = (
        calc(
            sign * other_error,
            ("==", sign * (d_m * (total + own) - common), adds_up, d_m, common),
            ("==", second.lhs + own * first.lhs),
            ("<=", (1 - own) * B + own * first.lhs, second),
            ("<=", (1 - own) * B + own * B, times(own, first, own_positive)),
            ("==", B),
        )
        for sign, first, second in zip((1, -1), firsts, seconds)
    )
    return (chain(error, down), chain(-error, up)), (above, below)


def product_of_sides(one: Sides, two: Sides, X: Term, Y: Term) -> Sides:
    """X Y <= U V and -X Y <= U V from |X| <= U and |Y| <= V, as (U - X)(V + Y) + (U + X)(V - Y) is
    not negative.
    """
    U, V = one[0].rhs, two[0].rhs
    of_X = {e: chain(gap(thm), U - e * X) for e, thm in zip((1, -1), one)}
    of_Y = {e: chain(gap(thm), V - e * Y) for e, thm in zip((1, -1), two)}
    found = []
    for sign in (1, -1):
        left, right = (
            product(U - e * X, V + e * sign * Y, of_X[e], chain(of_Y[-e * sign], V + e * sign * Y))
            for e in (1, -1)
        )
        both = show(0, "<=", left.rhs + right.rhs, left, right, left.rhs, right.rhs)
        total = calc(both, ("==", 2 * (U * V - sign * X * Y)))
        found.append(show(sign * X * Y, "<=", U * V, total, sign * X * Y, U * V))
    return found[0], found[1]


def of_both_signs(up: Theorem, down: Theorem, X: Term, bound: Term) -> Theorem:
    """|X| <= Y from X <= Y and -X <= Y."""
    return show(modulus(X), "<=", bound, chain(X, up), chain(-X, down), X, bound)


@cache
def own_at_most_one() -> Theorem:
    return calc(0, ("<=", others(A(n, outcome)), positive), ("==", 1 - own, adds_up))


def rest_statement(constant: int | Fraction = 1) -> Statement:
    """g_k <= constant E 1{query v_k} Attn_k (1 - Attn_k)^2 B^2."""
    bound = expectation(is_k * own * ((1 - own) * B) ** 2)
    return Statement(expectation(is_k * own * error**2), "<=", constant * bound, hypotheses(*ATTENTION))


@proves("LDL:L2.eq12/upper", rest_statement)
@cache
def own_update_by_the_rest() -> Theorem:
    one, _ = errors()
    square = product_of_sides(one, one, error, error)[0]
    weighted = times(is_k * own, square, product(is_k, own, own_positive))
    return calc(
        expectation(is_k * own * error**2), ("<=", expectation(is_k * own * ((1 - own) * B) ** 2), weighted)
    )


def sign_statement(shift: Fraction = Fraction(0)) -> Statement:
    """g_k is at least `shift`."""
    return Statement(term(shift), "<=", expectation(is_k * own * error**2), hypotheses(own_positive))


@proves("LDL:L2.nonneg", sign_statement)
@cache
def own_update_is_not_negative() -> Theorem:
    return calc(0, ("<=", sign_statement().rhs, product(is_k * error**2, own, own_positive)))


@proves("LDL:L4.1/upper", own_statement)
@cache
def own_update() -> Theorem:
    cubic = show(own * (1 - own) ** 2, "<=", Fraction(4, 27), own_positive, own_at_most_one())
    return calc(
        own_update_by_the_rest(),
        ("<=", expectation(is_k * B**2 * Fraction(4, 27)), times(is_k * B**2, cubic)),
        ("==", Fraction(4, 27) * B**2 * rare.lhs),
        ("<=", Fraction(4, 27) * B**2 * (P / K), rare),
    )


def weighted(line: Theorem) -> Theorem:
    """What bounds the product of the two errors, times the attention where the query is v_k."""
    return times(is_k * A_m, line, product(is_k, A_m, instantiate(positive, {n: m})))


@proves("LDL:L2.van", vanishing_statements, part=(1, 2))
@cache
def vanishing_update() -> Sides:
    """|E 1{query v_k} Attn_m (f_k - yhat)(f_m - yhat)| <= B^2 E 1{query v_k} (1 - Attn_k)^2."""
    rest = is_k * (1 - own)
    most = times(rest * B**2, instantiate(share, {n: m}), product(is_k, 1 - own, own_at_most_one()))
    up, down = (
        calc(
            expectation(sign * (is_k * A_m * error * other_error)),
            ("<=", expectation(is_k * A_m * ((1 - own) * B * B)), weighted(line)),
            ("<=", expectation(rest * B**2 * (1 - own)), most),
            ("==", B**2 * expectation(is_k * (1 - own) ** 2)),
        )
        for sign, line in zip((1, -1), product_of_sides(*errors(), error, other_error))
    )
    return up, down


def at_the_rate(thm: Theorem, c: Term) -> Theorem:
    return chain(c * thm.lhs, times(c, thm))


@proves("LDL:P2/rate.upper", lambda **numbers: own_statement(rate=eta, **numbers))
def own_step() -> Theorem:
    return at_the_rate(own_update(), eta)


# Sums of steps

t, T = Variable("t", Sort.INDEX), Variable("T", range=whole(1))
step, score = Function("step", (Sort.INDEX, Sort.INDEX)), Function("q", (Sort.INDEX,))
begin = Function("first", (Sort.INDEX,))
size, C_0 = Variable("size", range=POSITIVE), Variable("C0", range=POSITIVE)
fine = Variable("delta", range=POSITIVE)
share_of_1 = Variable("epsilon", range=Range(Fraction(0), Fraction(1)))
from_zero = assume(
    "scores start at 0 and are moved by the steps",
    score(m),
    "==",
    bind("coordinates", (t,), step(t, m), (T,)),
    every=(m,),
)
onwards = assume(
    "the steps of Phase II",
    score(m),
    "==",
    begin(m) + bind("coordinates", (t,), step(t, m), (T,)),
    every=(m,),
)
first_scores = assume("scores when Phase II begins", modulus(begin(m)), "<=", C_0 * log(K) / K, every=(m,))
STEP, LENGTH_1 = eta * P * size**2 / K**2, C * K * log(K) / (eta * size**2)
FINE_STEP = eta * P * fine**2 * size**2 / K**2
LENGTH_2 = C * K * log(K / share_of_1) / (eta * fine**2 * size**2)


def _steps(bound: Term, length: Term) -> Sides:
    each = assume("size of a step", modulus(step(t, m)), "<=", bound, every=(t, m))
    return each, assume("number of steps", T, "<=", length)


def first_statement(c: Fraction = Fraction(1), power: int = 1) -> Statement:
    """|q_m| <= c C P log(K)/K^power after C K log(K)/(eta s^2) steps of at most eta P s^2/K^2."""
    given = hypotheses(from_zero, *_steps(STEP, LENGTH_1))
    return Statement(modulus(score(m)), "<=", Fraction(c) * C * P * log(K) / K**power, given)


def second_statement(c: Fraction = Fraction(1), power: int = 1) -> Statement:
    """|q_m| <= (C0 + c C P) log(K/epsilon)/K^power after the steps of Phase II."""
    given = hypotheses(onwards, first_scores, *_steps(FINE_STEP, LENGTH_2))
    return Statement(
        modulus(score(m)), "<=", (C_0 + Fraction(c) * C * P) * log(K / share_of_1) / K**power, given
    )


@cache
def _moved(bound: Term, length: Term) -> Sides:
    """The sum of the steps is at most their number times the bound of each, in both signs."""
    each, number = _steps(bound, length)
    sum_of = lambda e: bind("coordinates", (t,), e, (T,))
    up, down = (
        calc(sum_of(side.lhs), ("<=", sum_of(bound), side), ("==", bound * T), ("<=", bound * length, number))
        for side in _of_a_modulus(each, step(t, m))
    )
    return up, down


@proves("LDL:L5.off", first_statement)
@cache
def first_phase() -> Theorem:
    (up, down), total = _moved(STEP, LENGTH_1), C * P * log(K) / K
    moved = of_both_signs(chain(up, total), chain(down, total), up.lhs, total)
    return calc(modulus(score(m)), ("==", modulus(up.lhs), from_zero, up.lhs), ("<=", total, moved))


@proves("LDL:L8.off/inference", second_statement)
@cache
def second_phase() -> Theorem:
    up, down = _moved(FINE_STEP, LENGTH_2)
    longer = calc(first_scores.rhs, ("<=", C_0 * log(K / share_of_1) / K, show(K, "<=", K / share_of_1)))
    total, X = (C_0 + C * P) * log(K / share_of_1) / K, begin(m) + up.lhs
    first, second = (chain(start, longer) for start in _of_a_modulus(first_scores, begin(m)))
    moved = of_both_signs(show(X, "<=", total, first, up), show(-X, "<=", total, second, down), X, total)
    return calc(modulus(score(m)), ("==", modulus(X), onwards, X), ("<=", total, moved))
