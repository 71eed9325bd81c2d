"""The update of a query's score on its own class, for orthonormal features, exchangeable tasks and
prompts of N independent tokens of K equally likely classes, where the scores are apart by z.

The query is of the class k, and M others are numbered from 1 on.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as N
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Range, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import cancelled, ind, times
from proofs_check.derivations.features.tasks import (
    exchangeable,
    f,
    f_k,
    mean,
    n,
    others,
    s,
    squared_error,
    task,
)
from proofs_check.derivations.proof import proves

token, prompt = Variable("x", Sort.TOKEN), Variable("prompt", Sort.PROMPT)
K, z = Variable("K", range=Range(Fraction(8), lo_open=False)), Variable("z", range=NONNEGATIVE)
#: Whether a token is of a class, and of the query's.
of, of_own = Function("of", (Sort.INDEX, Sort.TOKEN)), Function("ofk", (Sort.TOKEN,))
member, own = ind(of(n, token)), ind(of_own(token))

tokens = lambda e: bind("sum", (token,), e, (prompt,))
expectation = lambda e: bind("prompt", (prompt,), e)
#: Softmax attention: the score of a token of the query's class exceeds that of another by z.
weight = exp(z * own)
Z = tokens(weight)
Attn, w = tokens(own * weight) / Z, tokens(member * weight) / Z
guess = Attn * f_k(task) + others(w * f(n, task))
#: The update g_k, of the query v_k with the probability 1/K.
update = expectation(Attn * mean((guess - f_k(task)) ** 2)) / K

one_of_all = assume(
    "each token is of the query's class or of one other", others(member), "==", 1 - own, every=(token,)
)
uniform = assume("a token is v_k with the probability 1/K", bind("mean", (token,), own), "==", 1 / K)
long = assume("N >= 8 K", 8 * K, "<=", N)
SETTING = (one_of_all, *exchangeable, uniform, long)
early = assume("z <= 1", z, "<=", 1)
#: The number of tokens of the query's class and its share.
count = tokens(own)
part = count / N
UNIT, FEW = (Range(Fraction(0), Fraction(end), False, False) for end in (1, Fraction(4, 3)))
x, v, Y, h = (
    Variable(name, range=r)
    for name, r in (("share", UNIT), ("few", FEW), ("Y", NONNEGATIVE), ("h", NONNEGATIVE))
)
early_h = Variable("h", range=Range(Fraction(0), Fraction(2), False, False))


def statements(first: Fraction = Fraction(1, 2), share: Fraction = Fraction(3, 8)) -> tuple[Statement, ...]:
    """g_k is at least `first` sigma_f^2/K^2 while z <= 1, and `share` sigma_f^2/K times
    1/(e^{2z}/K^2 + 16 K) at any z.
    """
    given = hypotheses(*SETTING)
    return (
        Statement(Fraction(first) * s / K**2, "<=", update, given | early.assumptions),
        Statement(Fraction(share) * s / (K * (exp(2 * z) / K**2 + 16 * K)), "<=", update, given),
    )


@cache
def in_shares() -> tuple[Theorem, Theorem, Theorem]:
    """Z = N (1 + x (e^z - 1)), w Z = N x e^z and (1 - w) Z = N (1 - x), with the share x of the
    tokens of the query's class.
    """
    each, heavy = show(weight, "==", own * exp(z) + 1 - own), show(own * weight, "==", own * exp(z))
    total = calc(Z, ("==", tokens(own * exp(z) + 1 - own), each), ("==", N * (1 + part * (exp(z) - 1))))
    w_k = calc(
        Attn * Z, ("==", tokens(own * weight)), ("==", tokens(own * exp(z)), heavy), ("==", N * part * exp(z))
    )
    rest = calc(
        (1 - Attn) * Z,
        ("==", Z - Attn * Z),
        ("==", total.rhs - w_k.rhs, total, w_k, Z, Attn * Z),
        ("==", N * (1 - part)),
    )
    return total, w_k, rest


@cache
def ranges() -> tuple[Theorem, ...]:
    """0 <= x <= 1 and 0 <= e^z - 1."""
    few = calc(count, ("<=", tokens(term(1)), show(own, "<=", 1)), ("==", N))
    return (
        show(0, "<=", part),
        calc(1 / N * count, ("<=", 1 / N * N, few), ("==", 1)),
        show(0, "<=", exp(z) - 1),
    )


def of_a_prompt(bound: Term, thm: Theorem) -> Theorem:
    """bound <= w (1 - w)^2 from bound (1 + x h)^3 <= x (1 + h) (1 - x)^2 at h = e^z - 1."""
    total, w_k, rest = in_shares()
    unit = total.rhs
    scaled_ = calc(
        Z**3 * bound,
        ("==", unit**3 * bound, total, Z, bound),
        ("==", N**3 * (bound * (1 + part * (exp(z) - 1)) ** 3)),
        ("<=", N**3 * (part * exp(z) * (1 - part) ** 2), times(N**3, thm)),
        ("==", w_k.rhs * rest.rhs**2),
        ("==", Attn * Z * ((1 - Attn) * Z) ** 2, w_k, rest, Attn * Z, (1 - Attn) * Z),
        ("==", Z**3 * (Attn * (1 - Attn) ** 2)),
    )
    return cancelled(Z**3, scaled_, bound, Attn * (1 - Attn) ** 2, show(0, "<", Z**3))


@cache
def square() -> Theorem:
    """E (yhat - f_k)^2 >= sigma_f^2 (1 - w)^2 over the tasks."""
    total = calc(
        others(w),
        ("==", tokens(others(member) * weight) / Z),
        ("==", tokens((1 - own) * weight) / Z, one_of_all),
        ("==", (Z - tokens(own * weight)) / Z),
        ("==", 1 - Attn, Z, tokens(own * weight)),
    )
    found = squared_error(w, Attn, total)
    return calc(
        s * (1 - Attn) ** 2, ("<=", s * ((1 - Attn) ** 2 + others(w**2))), ("==", found.lhs, symm(found))
    )


@cache
def while_early() -> Theorem:
    """x - 3 x^2 <= w (1 - w)^2 while z <= 1, where e^z - 1 <= 2."""
    line = show((x - 3 * x**2) * (1 + x * early_h) ** 3, "<=", x * (1 + early_h) * (1 - x) ** 2)
    most = calc(exp(z) - 1, ("<=", exp(term(1)) - 1, early), ("<=", 2))
    at = instantiate(line, {x: part, early_h: exp(z) - 1}, *ranges(), most)
    return of_a_prompt(part - 3 * part**2, at)


#: What divides the bound of an update at any z.
scale = ((1 + h) / K) ** 2 + 16 * K


@cache
def few_tokens() -> Theorem:
    """(3/5) v (4 - 3 v)/D <= x (1 + h) (1 - x)^2/(1 + x h)^3 at x = v/K."""
    rate, share, bound = (1 + h) / K, v / K, Fraction(3, 5) * v * (4 - 3 * v)
    cubic = show(bound * (1 + v * Y) ** 3, "<=", Fraction(25, 36) * v * (Y**3 + 64 * Y + 8))
    slow, less = show(64 * rate + 8, "<=", 16 * K * rate), show(1 + share * h, "<=", 1 + v * rate)
    total = calc(
        bound * (1 + v * rate) ** 3,
        ("<=", Fraction(25, 36) * v * (rate**3 + 64 * rate + 8), instantiate(cubic, {Y: rate})),
        ("<=", Fraction(25, 36) * v * (rate**3 + 16 * K * rate), slow),
        (
            "<=",
            (1 - share) ** 2 * v * (rate**3 + 16 * K * rate),
            show(Fraction(25, 36), "<=", (1 - share) ** 2),
        ),
        ("==", v * rate * (1 - share) ** 2 * scale),
    )
    return calc(
        bound / scale,
        ("==", 1 / (scale * (1 + v * rate) ** 3) * (bound * (1 + v * rate) ** 3)),
        (
            "<=",
            1 / (scale * (1 + v * rate) ** 3) * total.rhs,
            times(1 / (scale * (1 + v * rate) ** 3), total),
        ),
        ("==", v * rate * (1 - share) ** 2 * (1 / (1 + v * rate) ** 3)),
        ("<=", v * rate * (1 - share) ** 2 * (1 / (1 + share * h) ** 3), less),
        ("==", speed(share)),
    )


def speed(x: Term) -> Term:
    """w (1 - w)^2 for the attention w = x (1 + h)/(1 + x h)."""
    return x * (1 + h) * (1 - x) ** 2 / (1 + x * h) ** 3


@cache
def any_tokens() -> Theorem:
    """The same for any share x of the query's class: beyond 4/(3 K) the left side is negative."""
    u = Variable("u", range=NONNEGATIVE)
    few = u * ind(Fraction(4, 3) - u)
    bound = lambda v: Fraction(3, 5) * v * (4 - 3 * v)
    here = instantiate(few_tokens(), {v: few}, show(0, "<=", few), show(few, "<=", Fraction(4, 3)))
    slow = lambda x: x * (1 - x) ** 2 / (1 + x * h) ** 3
    line = calc(
        bound(u) / scale,
        ("<=", bound(few) / scale, show(bound(u), "<=", bound(few))),
        ("<=", speed(few / K), here),
        ("<=", (1 + h) * slow(u / K), show(slow(few / K), "<=", slow(u / K))),
    )
    line = times((1 + x * h) ** 3, instantiate(line, {u: K * x}))
    return calc(
        bound(K * x) / scale * (1 + x * h) ** 3, ("<=", line.rhs, line), ("==", x * (1 + h) * (1 - x) ** 2)
    )


def at_any_time() -> Theorem:
    at = instantiate(any_tokens(), {x: part, h: exp(z) - 1}, *ranges())
    bound = Fraction(3, 5) * (K * part) * (4 - 3 * (K * part)) / (exp(2 * z) / K**2 + 16 * K)
    return of_a_prompt(
        bound, calc(bound * (1 + part * (exp(z) - 1)) ** 3, ("==", at.lhs), ("<=", at.rhs, at))
    )


@cache
def moments() -> tuple[Theorem, Theorem]:
    """E x = 1/K, and E x^2 <= 1/K^2 + 1/(8 K^2)."""
    p = bind("mean", (token,), own)
    second = calc(
        expectation(part**2),
        ("==", p / N + p**2 - p**2 / N),
        ("==", 1 / K / N + 1 / K**2 - 1 / K**2 / N, uniform, p),
    )
    few = show(1 / N, "<=", 1 / (8 * K), long)
    return calc(expectation(part), ("==", p), ("==", 1 / K, uniform)), calc(
        second,
        ("<=", 1 / K / N + 1 / K**2),
        ("<=", 1 / K * (1 / (8 * K)) + 1 / K**2, few),
        ("==", Fraction(9, 8) / K**2),
    )


@proves("LDL:P4/gradient", statements, part=(1, 2))
@cache
def updates() -> tuple[Theorem, Theorem]:
    """The means over the prompts of what bounds w (1 - w)^2."""
    (first, second), D = moments(), exp(2 * z) / K**2 + 16 * K
    less = lambda c: times(c, second)
    early_, any_ = less(3 * s / K), less(Fraction(9, 5) * K * s / D)
    return (
        calc(
            Fraction(1, 2) * s / K**2,
            ("<=", s / K * (1 / K) - early_.rhs, show(Fraction(1, 2), "<=", 1 - 27 / (8 * K))),
            ("<=", s / K * first.lhs - early_.lhs, early_, symm(first)),
            ("==", expectation(s / K * while_early().lhs)),
            ("<=", update, of_the_mean(while_early())),
        ),
        calc(
            Fraction(3, 8) * s / (K * D),
            ("==", Fraction(12, 5) * s / D * (1 / K) - any_.rhs),
            ("<=", Fraction(12, 5) * s / D * first.lhs - any_.lhs, any_, symm(first)),
            ("==", expectation(s / K * at_any_time().lhs)),
            ("<=", update, of_the_mean(at_any_time())),
        ),
    )


def of_the_mean(line: Theorem) -> Theorem:
    """E bound s/K <= g_k from bound <= w (1 - w)^2 in every prompt."""
    each = calc(
        s / K * line.lhs,
        ("<=", s / K * line.rhs, times(s / K, line)),
        ("==", Attn / K * (s * (1 - Attn) ** 2)),
        ("<=", Attn / K * square().rhs, times(Attn / K, square())),
    )
    return calc(expectation(each.lhs), ("<=", expectation(each.rhs), each), ("==", update))
