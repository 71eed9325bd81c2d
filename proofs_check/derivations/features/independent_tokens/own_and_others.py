"""R10: in a prompt of N independent tokens of K equally likely classes the number C of tokens of
the query's class has a binomial law, and given C the counts of the M = K - 1 other classes have the
squares of independent tokens in the mean. Both are said beside e^{-uC}, for every real u.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as N
from numerics.derivations.kernel.rules import assume, independent, integrate
from numerics.derivations.kernel.sorts import REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import ind, scaled
from proofs_check.derivations.proof import proves

i, prompt = Variable("i", Sort.INDEX), Variable("P", Sort.PROMPT)
x, x2 = Variable("x", Sort.TOKEN), Variable("x2", Sort.TOKEN)
M, u = Variable("M", range=whole(1)), Variable("u", range=REALS)
#: Whether a token is of the query's class, and whether it is of another one, i.
of_own, of = Function("of_own", (Sort.TOKEN,)), Function("of", (Sort.INDEX, Sort.TOKEN))
own, b = ind(of_own(x)), ind(of(i, x))

mean = lambda e: bind("mean", (x,), e)
expectation = lambda e: bind("prompt", (prompt,), e)
tokens = lambda e: bind("sum", (x,), e, (prompt,))
classes = lambda e: bind("coordinates", (i,), e, (M,))
count, rest, of_class = tokens(own), tokens(1 - own), tokens(b)
weight, E = exp(-u * own), exp(-u)

no_two = assume("no token of the query's class is of another one", own * b, "==", 0, every=(i, x))
one_class = assume("each token is of one class", own + classes(b), "==", 1, every=(x,))
uniform = assume("each class has the same probability", mean(b), "==", 1 / (M + 1), every=(i,))

Z = tokens(weight)
#: Softmax attention on the query's class and on another one, where the score of the own class
#: exceeds each other one by z = -u.
w, A = tokens(own * weight) / Z, tokens(b * weight) / Z


def statements(first: int = 2, chance: int = 1, other: int = 1, power: int = 2) -> tuple[Statement, ...]:
    """E e^{-uC} = ((e^{-u} + M)/K)^N, with K = M + `chance`; e^{-uC} times the sum of the squares
    of the other counts is in the mean that times n (n + K - first)/(K - 1), n = N - C; and in each
    prompt (Ce^z + other n) w = Ce^z and (Ce^z + n)^power ((1 - w)^2 + sum_i A_i^2) = n^2 + sum_i
    c_i^2.
    """
    counts, own_, beside = classes(of_class**2), count * exp(-u), exp(-u * count)
    squares = rest * (rest + M + 1 - first) / M
    return (
        Statement(
            expectation(beside), "==", ((exp(-u) + M) / (M + chance)) ** N, hypotheses(one_class, uniform)
        ),
        Statement(
            expectation(beside * counts),
            "==",
            expectation(beside * squares),
            hypotheses(no_two, one_class, uniform),
        ),
        Statement((own_ + other * rest) * w, "==", own_),
        Statement(
            (own_ + rest) ** power * ((1 - w) ** 2 + classes(A**2)),
            "==",
            rest**2 + counts,
            hypotheses(no_two),
        ),
    )


@cache
def weight_of_a_token() -> tuple[Theorem, Theorem]:
    """e^{-uo} = 1 + o (e^{-u} - 1) where o is 0 or 1, and the same times whether it is of i."""
    of_token = show(weight, "==", 1 + own * (E - 1))
    other = calc(
        b * weight,
        ("==", b * (1 + own * (E - 1)), scaled(b, of_token)),
        ("==", b, scaled(E - 1, no_two)),
    )
    return of_token, other


@cache
def means() -> tuple[Theorem, Theorem, Theorem]:
    """The means of e^{-uo}, of it where the token is of another class, and where of the class i."""
    D, (of_token, part) = E - 1, weight_of_a_token()
    part = calc(integrate("mean", (x,), part), ("==", 1 / (M + 1), uniform))
    others = integrate("mean", (x,), scaled(weight, one_class))
    sums = integrate("coordinates", (i,), part, (M,))
    others = calc(
        mean((1 - own) * weight),
        ("==", others.rhs - mean(own * weight)),
        ("==", others.lhs - mean(own * weight), symm(others)),
        ("==", sums.lhs),
        ("==", M / (M + 1), sums),
    )
    total = integrate("mean", (x,), one_class)
    classes_ = calc(integrate("coordinates", (i,), uniform, (M,)), ("==", M / (M + 1)))
    chance = calc(
        mean(own),
        ("==", total.lhs - classes_.lhs),
        ("==", 1 - classes_.lhs, total),
        ("==", 1 - M / (M + 1), scaled(term(-1), classes_)),
        ("==", 1 / (M + 1)),
    )
    whole_ = calc(
        integrate("mean", (x,), of_token),
        ("==", 1 + D * mean(own)),
        ("==", 1 + D * (1 / (M + 1)), scaled(D, chance)),
        ("==", (E + M) / (M + 1)),
    )
    return whole_, others, part


@proves("OURS:R10.map/others", statements, part=1)
@cache
def of_the_count() -> Theorem:
    """The tokens are independent."""
    one, value = means()[0], (E + M) / (M + 1)
    power = show(one.lhs**N, "==", value**N, one, one.lhs)
    return calc(expectation(exp(-u * count)), ("==", one.lhs**N), ("==", value**N, power))


def of_a_number(e: Term, value: Theorem) -> tuple[Theorem, Theorem]:
    """The means of e^{-uC} times the number of tokens with e, which is 0 or 1, and times its
    square; a theorem says how large the mean of e^{-uo} e is.
    """
    W, m, g = exp(-u * count), mean(weight), u * own
    first, second = N * m ** (N - 1), N * (N - 1) * m ** (N - 2)
    single = independent(prompt, (x, g), (x, e))
    pair = independent(prompt, (x, g), (x, e), (x2, instantiated(e, {x: x2})))
    same = integrate("sum", (x,), show(e**2, "==", e), (prompt,))
    same = integrate("prompt", (prompt,), scaled(W, same))
    square = show(value.lhs**2, "==", value.rhs**2, value, value.lhs)
    return (
        calc(single, ("==", first * value.lhs), ("==", first * value.rhs, scaled(first, value))),
        calc(
            expectation(W * tokens(e) ** 2),
            ("==", same.lhs + pair.lhs),
            ("==", same.rhs + pair.lhs, same),
            ("==", first * value.lhs + second * value.lhs**2, single, pair),
            ("==", first * value.rhs + second * value.lhs**2, scaled(first, value)),
            ("==", first * value.rhs + second * value.rhs**2, scaled(second, square)),
        ),
    )


@proves("OURS:R10.map/others", statements, part=2)
@cache
def of_the_others() -> Theorem:
    """Two different tokens of the other classes are of one class with the probability 1/M."""
    _, others, part = means()
    left = integrate("coordinates", (i,), of_a_number(b, part)[1], (M,))
    single, right = of_a_number(1 - own, others)
    return calc(
        expectation(exp(-u * count) * classes(of_class**2)),
        ("==", left.lhs),
        ("==", left.rhs, left),
        ("==", (right.rhs + (M - 1) * single.rhs) / M),
        ("==", (right.lhs + (M - 1) * single.rhs) / M, scaled(1 / M, symm(right))),
        ("==", (right.lhs + (M - 1) * single.lhs) / M, scaled((M - 1) / M, symm(single))),
        ("==", expectation(exp(-u * count) * (rest * (rest + M - 1) / M))),
    )


@cache
def in_counts() -> tuple[Theorem, Theorem, Theorem]:
    """Z w = C e^z, Z = C e^z + n, and Z A_i = c_i."""
    sums = lambda thm: integrate("sum", (x,), thm, (prompt,))
    of_token, other = weight_of_a_token()
    return (
        calc(sums(show(own * weight, "==", own * E)), ("==", count * E)),
        calc(sums(of_token), ("==", count * E + rest)),
        sums(other),
    )


@proves("OURS:R10.map/others", statements, part=3)
@cache
def own_attention() -> Theorem:
    own_, all_, _ = in_counts()
    return calc(all_.rhs * w, ("==", Z * w, symm(scaled(w, all_))), ("==", own_.lhs), ("==", own_.rhs, own_))


@proves("OURS:R10.map/others", statements, part=4)
@cache
def in_a_prompt() -> Theorem:
    """The other classes share 1 - w as they share the other tokens."""
    own_, all_, other = in_counts()
    away = calc(
        Z * (1 - w),
        ("==", Z - own_.lhs),
        ("==", Z - own_.rhs, scaled(term(-1), own_)),
        ("==", all_.rhs - own_.rhs, all_),
        ("==", rest),
    )
    squared = lambda thm: calc(
        thm.lhs**2, ("==", thm.lhs * thm.rhs, scaled(thm.lhs, thm)), ("==", thm.rhs**2, scaled(thm.rhs, thm))
    )
    away, total = squared(away), squared(all_)
    squares = integrate("coordinates", (i,), squared(other), (M,))
    inner = (1 - w) ** 2 + classes(A**2)
    return calc(
        all_.rhs**2 * inner,
        ("==", Z**2 * inner, symm(scaled(inner, total))),
        ("==", away.lhs + squares.lhs),
        ("==", away.rhs + squares.rhs, away, squares),
    )
