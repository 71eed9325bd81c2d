"""Softmax attention in a prompt of independent tokens, by how many are of the class of a query."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as N
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.sorts import Range, Sort
from numerics.derivations.kernel.terms import Function, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.setting import (
    K,
    c,
    each_class,
    here,
    k,
    l,
    m,
    n,
    of_n,
    picks,
    same,
    zero_or_one,
)
from proofs_check.derivations.features.independent_tokens.exchanged import (
    A_n,
    A_own,
    Z,
    adds_up,
    on_the_own_class,
    own,
    own_tokens,
    squares,
    weight,
)
from proofs_check.derivations.features.independent_tokens.two_classes import (
    h,
    member,
    prompt,
    token,
    tokens,
    z,
)
from proofs_check.derivations.features.steps import both_ways, cancelled, product, scaled, times

E = exp(z)
UNIT = Range(Fraction(0), Fraction(1), False, False)
other_token = Variable("x2", Sort.TOKEN)
own_there = instantiated(own, {token: other_token})
#: The number of tokens of the query's class.
count = tokens(own)


@cache
def zero_or_one_own() -> Theorem:
    """Whether a token is of the query's class is 0 or 1."""
    found, square = own_tokens(), instantiate(zero_or_one, {m: k})
    return calc(
        own**2,
        ("==", found.rhs**2, found, own, found.rhs),
        ("==", here**2 * member(k), show(member(k) ** 2, "==", member(k))),
        ("==", here * member(k), scaled(member(k), square)),
        ("==", own, symm(found)),
    )


@cache
def of_the_rest() -> tuple[Theorem, Theorem]:
    """A_own^2 <= sum_n A_n^2 <= A_own^2 + (1 - A_own)^2."""
    d, rest = same(k, n), (1 - same(k, n)) * A_n
    known, zero = on_the_own_class(), instantiate(zero_or_one, {m: k, k: n})
    here_ = instantiate(zero_or_one, {m: k})
    at = lambda e: instantiate(picks, {m: k, c: ((h,), instantiated(e, {n: h}))})
    first, square = at(A_n), at(A_n**2)
    A_k = instantiated(A_n, {n: k})
    some = calc(
        0, ("<=", (1 - d) ** 2 * A_n), ("==", A_n - 2 * d * A_n + d**2 * A_n), ("==", rest, scaled(A_n, zero))
    )
    total = calc(
        of_n(rest),
        ("==", of_n(A_n) - first.lhs),
        ("==", 1 - first.lhs, adds_up()),
        ("==", 1 - first.rhs, scaled(term(-1), first)),
        ("==", 1 - A_own, scaled(term(-1), known)),
    )
    own_square = calc(
        here * A_k**2,
        ("==", here**2 * A_k**2, symm(scaled(A_k**2, here_))),
        ("==", (here * A_k) * known.lhs),
        ("==", (here * A_k) * A_own, scaled(here * A_k, known)),
        ("==", A_own**2, scaled(A_own, known)),
    )
    squared = calc(
        rest**2,
        ("==", A_n**2 - 2 * d * A_n**2 + d**2 * A_n**2),
        ("==", A_n**2 - d * A_n**2, scaled(A_n**2, zero)),
    )
    apart = calc(
        of_n(rest**2),
        ("==", of_n(squared.rhs), squared),
        ("==", squares - square.lhs),
        ("==", squares - square.rhs, scaled(term(-1), square)),
        ("==", squares - A_own**2, scaled(term(-1), own_square)),
    )
    rest_l = instantiated(rest, {n: l})
    pairs = product(rest, rest_l, some, instantiate(some, {n: l}))
    below = show(same(n, l), "<=", 1, instantiate(zero_or_one, {m: n, k: l}))
    row = scaled(rest, instantiate(picks, {m: n, c: ((h,), instantiated(rest, {n: h}))}))
    rows = integrate("coordinates", (n,), row, (K,))
    double = lambda thm: integrate("coordinates", (n, l), thm, (K, K))
    most = double(times(rest * rest_l, below, pairs))
    kept = instantiate(each_class, {c: ((h,), instantiated(rest, {n: h}) ** 2)})
    high = calc(
        of_n(rest**2),
        ("==", kept.lhs, symm(kept)),
        ("==", rows.rhs),
        ("==", rows.lhs, symm(rows)),
        ("==", most.lhs),
        ("<=", most.rhs, most),
        ("==", of_n(rest) ** 2),
        ("==", (1 - A_own) ** 2, total),
    )
    low = calc(0, ("<=", of_n(rest**2)), ("==", squares - A_own**2, apart))
    return (
        show(A_own**2, "<=", squares, low, A_own, squares),
        show(
            squares,
            "<=",
            A_own**2 + (1 - A_own) ** 2,
            calc(apart.rhs, ("==", apart.lhs, symm(apart)), ("<=", high.rhs, high)),
            A_own,
            squares,
        ),
    )


@cache
def own_between() -> tuple[Theorem, Theorem]:
    square = zero_or_one_own()
    least = calc(0, ("<=", own**2), ("==", own, square))
    most = calc(0, ("<=", (1 - own) ** 2), ("==", 1 - 2 * own + own**2), ("==", 1 - own, square))
    return least, show(own, "<=", 1, most)


@cache
def weight_of_a_token() -> Theorem:
    """e^{z x} = 1 + x (e^z - 1) where x is 0 or 1: it is at most its chord, and so is
    e^{z (1 - x)}, and the product of the two is e^z.
    """
    x, D, (least, most) = Variable("share", range=UNIT), E - 1, own_between()
    chord = show(exp(z * x), "<=", 1 + x * (E - 1))
    up = instantiate(chord, {x: own}, least, most)
    rest = instantiate(chord, {x: 1 - own}, show(0, "<=", 1 - own, most), show(1 - own, "<=", 1, least))
    other = E - own * D
    rest = calc(exp(z * (1 - own)), ("<=", rest.rhs, rest), ("==", other))
    product_ = calc(
        other * (1 + own * D),
        ("==", E + own * D**2 - own**2 * D**2),
        ("==", E, scaled(-(D**2), zero_or_one_own())),
    )
    down = calc(
        other * (1 + own * D),
        ("==", E, product_),
        ("==", weight * exp(z * (1 - own))),
        ("<=", weight * other, times(weight, rest)),
        ("==", other * weight),
    )
    positive_ = calc(0, ("<", exp(z * (1 - own))), ("<=", other, rest))
    down = cancelled(other, down, 1 + own * D, weight, positive_)
    return both_ways(up, chain(down, weight))


@cache
def in_counts() -> tuple[Theorem, Theorem, Theorem]:
    """Z = N + (e^z - 1) C, A_own Z = e^z C and (1 - A_own) Z = N - C, with the count C of the
    query's class.
    """
    of_token = weight_of_a_token()
    of_own = calc(
        scaled(own, of_token),
        ("==", own + (E - 1) * own**2),
        ("==", own + (E - 1) * own, scaled(E - 1, zero_or_one_own())),
        ("==", own * E),
    )
    total, part = (integrate("sum", (token,), thm, (prompt,)) for thm in (of_token, of_own))
    total = calc(Z, ("==", total.rhs, total), ("==", N + count * (E - 1)))
    part = calc(A_own * Z, ("==", part.lhs), ("==", part.rhs, part), ("==", count * E))
    rest = calc(
        (1 - A_own) * Z,
        ("==", Z - A_own * Z),
        ("==", total.rhs - part.rhs, total, part, Z, A_own * Z),
        ("==", N - count),
    )
    return total, part, rest


@cache
def counts() -> tuple[Theorem, Theorem, Theorem]:
    """0 <= C <= N, and C is 0 or at least 1."""
    least, most = own_between()
    least_ = integrate("sum", (token,), least, (prompt,))
    most_ = integrate("sum", (token,), most, (prompt,))
    pairs = integrate(
        "sum",
        (token, other_token),
        product(own, own_there, least, instantiate(least, {token: other_token})),
        (prompt,),
    )
    same_ = integrate("sum", (token,), zero_or_one_own(), (prompt,))
    g = Function("g", (Sort.TOKEN,))
    two = bind("sum", (token, other_token), g(token) * g(other_token), (prompt,))
    split = show(tokens(g(token) ** 2) + two, "==", tokens(g(token)) ** 2)
    split = instantiate(split, {g: ((token,), own)})
    return (
        calc(0, ("==", least_.lhs), ("<=", least_.rhs, least_), ("==", count)),
        calc(count, ("<=", most_.rhs, most_), ("==", N)),
        calc(
            count,
            ("==", same_.rhs),
            ("==", same_.lhs, symm(same_)),
            (
                "<=",
                same_.lhs + pairs.rhs,
                calc(0, ("==", pairs.lhs), ("<=", pairs.rhs, pairs)),
                same_.lhs,
                pairs.rhs,
            ),
            ("==", split.lhs),
            ("==", count**2, split),
        ),
    )


@cache
def attention_between() -> tuple[Theorem, Theorem]:
    """0 <= A_own <= 1."""
    least, most = own_between()
    low = integrate("sum", (token,), product(own, weight, least), (prompt,))
    high = integrate("sum", (token,), times(weight, most), (prompt,))
    return (
        calc(0, ("==", 1 / Z * low.lhs), ("<=", 1 / Z * low.rhs, times(1 / Z, low)), ("==", A_own)),
        calc(
            A_own,
            ("==", 1 / Z * high.lhs),
            ("<=", 1 / Z * high.rhs, times(1 / Z, high)),
            ("==", Z / Z),
            ("==", 1),
        ),
    )


@cache
def here_between() -> tuple[Theorem, Theorem]:
    """0 <= delta_kk <= 1."""
    square = instantiate(zero_or_one, {m: k})
    most = calc(0, ("<=", (1 - here) ** 2), ("==", 1 - 2 * here + here**2), ("==", 1 - here, square))
    return calc(0, ("<=", here**2), ("==", here, square)), show(here, "<=", 1, most)
