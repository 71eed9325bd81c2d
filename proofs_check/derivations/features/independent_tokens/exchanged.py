"""In the mean over prompts of independent tokens a query attends to one class as it does to another
one, if its scores on all other classes than its own are equal: the two may be exchanged.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import instantiate, integrate, same_classes, trans
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_prompts.updates import with_the_class
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import with_the_query
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    c,
    counted,
    each_class,
    here,
    i,
    k,
    m,
    n,
    of_n,
    picks,
    same,
    sums_of_delta,
    symmetric,
    there,
)
from proofs_check.derivations.features.independent_tokens.two_classes import (
    expectation,
    gates,
    h,
    member,
    moved,
    of_i,
    of_one_class,
    of_three,
    other,
    pair,
    prompt,
    shares_of_the_family,
    some_class,
    square_of_the_family,
    swap,
    token,
    tokens,
    total_of_the_family,
    turned,
    y,
    z,
)
from proofs_check.derivations.features.steps import scaled

#: Whether a token is of the query's class, and softmax attention in a prompt, where the score of
#: the own class exceeds each other one by z.
own = of_i(same(i, k) * member(i))
weight = exp(z * own)
Z = tokens(weight)
A, A_own = tokens(member(m) * weight) / Z, tokens(own * weight) / Z
A_n = instantiated(A, {m: n})
squares = of_n(A_n**2)
#: What -H_mk is the mean of, in units of p_k sigma_f^2.
off = A * (A_own + A - squares)


@cache
def own_of_the_family() -> Theorem:
    """The exchanged family has the same tokens of the query's class."""
    D, known = member(m) - member(n), of_three()
    at = lambda x: instantiate(picks, {m: x, c: ((h,), same(h, k))})
    first, second = at(m), at(n)
    return calc(
        of_i(same(i, k) * turned),
        ("==", own - swap * D * (first.lhs - second.lhs)),
        ("==", own - swap * D * (first.rhs - second.lhs), scaled(-swap * D, first)),
        ("==", own - swap * D * (first.rhs - second.rhs), scaled(swap * D, second)),
        ("==", own - D * there * (swap * same(m, k)) + D * same(n, n) * (swap * same(n, k))),
        ("==", own + D * same(n, n) * (swap * same(n, k)), scaled(-D * there, known["m is not k"])),
        ("==", own, scaled(D * same(n, n), known["n is not k"])),
    )


@cache
def class_of_the_family() -> Theorem:
    """Where it is one, the class m of the exchanged family is n."""
    D, known, pair = member(m) - member(n), of_three(), instantiate(picks, {m: n, c: ((h,), same(m, h))})
    twice = instantiate(picks, {c: ((h,), same(m, h))})
    first = of_one_class(m)
    return calc(
        of_i(same(m, i) * turned),
        ("==", first.lhs - swap * D * (twice.lhs - pair.lhs)),
        ("==", there * member(m) - swap * D * (twice.lhs - pair.lhs), first),
        ("==", there * member(m) - swap * D * (twice.rhs - pair.lhs), scaled(-swap * D, twice)),
        ("==", there * member(m) - swap * D * (twice.rhs - pair.rhs), scaled(swap * D, pair)),
        (
            "==",
            there * member(m) - D * there * (swap * there) + D * same(n, n) * (swap * same(m, n)),
        ),
        (
            "==",
            there * member(m) - D * there * swap,
            scaled(-D * there, known["m"]),
            scaled(D * same(n, n), known["m is not n"]),
        ),
        ("==", there * member(m) - D * swap, scaled(-D, known["m"])),
    )


def attention(of_token: Term, score: Term = own) -> Term:
    """The attention on a kind of tokens, if those of another kind have the larger scores."""
    return tokens(of_token * exp(z * score)) / tokens(exp(z * score))


@cache
def attention_of_the_family(same_tokens: Theorem) -> Theorem:
    """The attention on tokens of the exchanged family, of which a theorem says which they are."""
    known, X, Y = own_of_the_family(), same_tokens.lhs, same_tokens.rhs
    odds = show(exp(z * known.lhs), "==", weight, known)
    total = integrate("sum", (token,), odds, (prompt,))
    inverse = show(1 / total.lhs, "==", 1 / Z, total, total.lhs, Z)
    part = calc(
        X * odds.lhs, ("==", X * weight, scaled(X, odds)), ("==", Y * weight, scaled(weight, same_tokens))
    )
    parts = integrate("sum", (token,), part, (prompt,))
    return calc(
        attention(X, known.lhs),
        ("==", parts.lhs * (1 / Z), scaled(parts.lhs, inverse)),
        ("==", 1 / Z * parts.rhs, scaled(1 / Z, parts)),
        ("==", attention(Y)),
    )


@cache
def same_squares() -> Theorem:
    """The squares of any numbers add up to those of the numbers with m and n exchanged."""
    known, (A_m, A_n) = of_three(), (c(x) for x in (m, n))
    D, all_ = A_m - A_n, of_i(c(i) ** 2)
    pick = lambda x, y: instantiate(picks, {m: x, c: ((h,), y)})
    first, second = (pick(x, c(h)) for x in (m, n))
    of_delta = [pick(x, same(y, h)) for x, y in ((m, m), (n, n), (n, m))]
    linear = calc(
        swap * (first.lhs - second.lhs),
        ("==", swap * (first.rhs - second.lhs), scaled(swap, first)),
        ("==", swap * (first.rhs - second.rhs), scaled(-swap, second)),
        ("==", A_m * (swap * there) - A_n * (swap * same(n, n))),
        ("==", A_m * swap - A_n * (swap * same(n, n)), scaled(A_m, known["m"])),
        ("==", swap * D, scaled(-A_n, known["n"])),
    )
    x, y, w = (thm.lhs for thm in of_delta)
    quadratic = calc(
        swap * (x + y - 2 * w),
        ("==", swap * (of_delta[0].rhs + y - 2 * w), scaled(swap, of_delta[0])),
        ("==", swap * (of_delta[0].rhs + of_delta[1].rhs - 2 * w), scaled(swap, of_delta[1])),
        (
            "==",
            swap * (of_delta[0].rhs + of_delta[1].rhs - 2 * of_delta[2].rhs),
            scaled(-2 * swap, of_delta[2]),
        ),
        (
            "==",
            there * (swap * there) + same(n, n) * (swap * same(n, n)) - 2 * same(n, n) * (swap * same(m, n)),
        ),
        (
            "==",
            there * swap + same(n, n) * swap,
            scaled(there, known["m"]),
            scaled(same(n, n), known["n"]),
            scaled(-2 * same(n, n), known["m is not n"]),
        ),
        ("==", 2 * swap, known["m"], known["n"]),
    )
    return calc(
        of_i((c(i) - swap * (same(m, i) - same(n, i)) * D) ** 2),
        ("==", all_ - 2 * D * linear.lhs + swap**2 * D**2 * (x + y - 2 * w)),
        ("==", all_ - 2 * D * linear.rhs + swap**2 * D**2 * (x + y - 2 * w), scaled(-2 * D, linear)),
        (
            "==",
            all_ - 2 * D * linear.rhs + D**2 * quadratic.lhs,
            scaled(D**2 * (x + y - 2 * w), known["square"]),
        ),
        ("==", all_ - 2 * D * linear.rhs + D**2 * quadratic.rhs, scaled(D**2, quadratic)),
        ("==", all_),
    )


@cache
def squares_of_the_family() -> Theorem:
    """The sum of the squares of the attentions on the exchanged classes is that of the others."""
    one = attention_of_the_family(show(turned, "==", turned))
    each = calc(one, ("==", attention(member(i)) - swap * (same(m, i) - same(n, i)) * (A - A_n)))
    square = show(each.lhs**2, "==", each.rhs**2, each, each.lhs, each.rhs)
    kept = instantiate(same_squares(), {c: ((h,), attention(member(h)))})
    return chain(integrate("coordinates", (i,), square, (K,)), kept)


def of_a_share(share: Term) -> Term:
    """What -H_mk is the mean of, for the attention on the class m."""
    return share * (A_own + share - squares)


def gated(share: Term, of_class: Term, kept: Theorem) -> Theorem:
    """`pair` times that, from `pair` times the attention, which is `pair` times another one."""
    rest = A_own - squares
    return calc(
        pair * of_a_share(share),
        ("==", (rest + share) * kept.lhs),
        ("==", (rest + share) * kept.rhs, scaled(rest + share, kept)),
        ("==", rest * kept.rhs + of_class * kept.lhs),
        ("==", rest * kept.rhs + of_class * kept.rhs, scaled(of_class, kept)),
        ("==", pair * of_a_share(of_class)),
    )


@cache
def classes_of_the_pair() -> tuple[Theorem, Theorem]:
    """`pair` times delta_mm A_m - swap (A_m - A_n) is `pair` times A_n."""
    d, D = same(m, n), A - A_n
    in_m = calc(pair * (there * A), ("==", pair * A, scaled(other * A, with_the_class())))
    idem = gates()
    same_ = instantiate(moved(m), {i: n, c: ((h,), instantiated(A, {m: h}))})
    once = calc(
        pair * swap,
        ("==", others**2 * (other**2 * (1 - d))),
        ("==", others * (other**2 * (1 - d)), scaled(other**2 * (1 - d), idem)),
        ("==", swap, scaled(others * (1 - d), instantiate(idem, {m: n}))),
    )
    return in_m, calc(
        pair * (there * A - swap * D),
        ("==", pair * (there * A) - D * (pair * swap)),
        ("==", pair * A - D * (pair * swap), in_m),
        ("==", pair * A - D * swap, scaled(-D, once)),
        ("==", pair * A_n + pair * (d * A) - pair * (d * A_n)),
        ("==", pair * A_n, scaled(-pair, same_)),
    )


@cache
def exchanged() -> Theorem:
    """Where m and n are two other classes than the query's, E (-H_mk) = E (-H_nk)."""
    own_y = of_i(same(i, k) * y(i, token))
    share = lambda e: attention(e, own_y)
    pick, squares_y = of_i(same(m, i) * y(i, token)), of_i(share(y(i, token)) ** 2)
    law = same_classes(
        pair * (share(pick) * (share(own_y) + share(pick) - squares_y)),
        y,
        (prompt, i, token),
        K,
        (member(i), turned),
        (show(member(i) ** 2, "==", member(i)), square_of_the_family()),
        (calc(of_i(member(i)), ("==", 1, some_class)), total_of_the_family()),
        shares_of_the_family(),
    )
    C = swap * (A - A_n)
    weighted = integrate("sum", (token,), scaled(weight, of_one_class()), (prompt,))
    before = calc(attention(of_one_class().lhs), ("==", there * A, scaled(1 / Z, weighted)))
    after = calc(attention_of_the_family(class_of_the_family()), ("==", there * A - C))
    in_m, in_n = classes_of_the_pair()
    own_, rest = attention_of_the_family(own_of_the_family()), squares_of_the_family()
    value = lambda x, b, s: x * (b + x - s)
    sides = after.lhs, own_.lhs, rest.lhs, after.rhs, own_.rhs, rest.rhs
    there_ = show(value(*sides[:3]), "==", value(*sides[3:]), after, own_, rest, *sides)
    own_sides = before.lhs, A_own, squares, before.rhs
    here_ = show(of_a_share(before.lhs), "==", of_a_share(before.rhs), before, *own_sides)
    in_mean = lambda thm: integrate("prompt", (prompt,), thm)
    first = in_mean(trans(scaled(pair, here_), gated(there * A, A, in_m)))
    last = in_mean(trans(scaled(pair, there_), gated(there * A - C, A_n, in_n)))
    return trans(trans(symm(first), law), last)


#: What H_kk is the mean of, in units of p_k sigma_f^2.
diagonal = A_own * (1 - 2 * A_own + squares)
A_k, off_n, off_k = (instantiated(e_, {m: x}) for e_, x in ((A, k), (off, n), (off, k)))


@cache
def adds_up() -> Theorem:
    """The attention of a query on all classes is 1."""
    each = integrate("sum", (token,), scaled(weight, some_class), (prompt,))
    return calc(
        of_n(A_n),
        ("==", 1 / Z * each.lhs),
        ("==", 1 / Z * each.rhs, scaled(1 / Z, each)),
        ("==", Z / Z),
        ("==", 1),
    )


@cache
def own_tokens() -> Theorem:
    """A token is of the query's class if it is of the class k."""
    found, turn = instantiate(of_one_class(), {m: k}), instantiate(symmetric, {m: k, k: i})
    return calc(own, ("==", of_i(same(k, i) * member(i)), turn), ("==", here * member(k), found))


@cache
def on_the_own_class() -> Theorem:
    """delta_kk times the attention on the class k is that on the own class."""
    each = integrate("sum", (token,), scaled(weight, own_tokens()), (prompt,))
    return calc(
        here * A_k,
        ("==", 1 / Z * each.rhs),
        ("==", 1 / Z * each.lhs, symm(scaled(1 / Z, each))),
        ("==", A_own),
    )


@cache
def over_all_classes() -> Theorem:
    """The sum over the classes of E (-H_nk), with that of the own class, is E A_own."""
    of_n_ = Function("g", (Sort.INDEX, Sort.TOKEN), None)
    share = attention(of_n_(n, token))
    e_ = of_a_share(share)
    outside = instantiate(
        calc(of_n(expectation(e_)), ("==", expectation(of_n(e_)))), {of_n_: ((h, token), member(h))}
    )
    inside = calc(
        of_n(off_n),
        ("==", (A_own - squares) * of_n(A_n) + squares),
        ("==", A_own, scaled(A_own - squares, adds_up())),
    )
    return trans(outside, integrate("prompt", (prompt,), inside))


@cache
def rows() -> Theorem:
    """For two different classes M E (-H_mk) = E H_kk."""
    total, R, gate = integrate("coordinates", (n,), exchanged(), (K,)), expectation(off), with_the_query()
    counts, turn = sums_of_delta()[4], instantiate(symmetric, {m: n})
    number = calc(of_n(same(n, n)), ("==", K, counts))
    one = calc(
        of_n(same(n, k)),
        ("==", of_n(same(k, n)), turn),
        ("==", here, instantiate(picks, {m: k, c: ((h,), term(1))})),
    )
    left = calc(
        total.lhs,
        ("==", others * R * (here * of_n(same(n, n)) - of_n(same(n, k)))),
        ("==", others * R * (here * K - of_n(same(n, k))), scaled(others * R * here, number)),
        ("==", others * R * (here * K - here), scaled(-others * R, one)),
        ("==", R * (others * here) * (K - 1)),
        ("==", R * others * (K - 1), scaled(R * (K - 1), gate)),
        ("==", others * (M * R), scaled(R * others, counted)),
    )
    all_ = over_all_classes()
    kept = instantiate(each_class, {c: ((h,), instantiated(R, {m: h}))})
    single = instantiate(picks, {m: k, c: ((h,), instantiated(R, {m: h}))})
    single = calc(of_n(same(n, k) * expectation(off_n)), ("==", single.lhs, turn), ("==", single.rhs, single))
    known = on_the_own_class()
    own_ = calc(
        others * A_k,
        ("==", A_k * (others * here), symm(scaled(A_k, gate))),
        ("==", others * A_own, scaled(others, known)),
    )
    at_k = calc(
        others * off_k,
        ("==", (A_own + A_k - squares) * own_.lhs),
        ("==", (A_own + A_k - squares) * own_.rhs, scaled(A_own + A_k - squares, own_)),
        ("==", (A_own - squares) * others * A_own + A_own * own_.lhs),
        ("==", (A_own - squares) * others * A_own + A_own * own_.rhs, scaled(A_own, own_)),
        ("==", others * (A_own - diagonal)),
    )
    at_k = integrate("prompt", (prompt,), at_k)
    R_k = expectation(off_k)
    right = calc(
        total.rhs,
        (
            "==",
            others * (here * of_n(same(n, n) * expectation(off_n)) - of_n(same(n, k) * expectation(off_n))),
        ),
        ("==", others * (here * kept.lhs - here * R_k), scaled(-others, single)),
        ("==", others * (here * kept.rhs - here * R_k), kept, kept.lhs, kept.rhs, R_k),
        ("==", (others * here) * (all_.lhs - R_k)),
        ("==", (others * here) * (all_.rhs - R_k), all_, all_.lhs, all_.rhs, R_k),
        ("==", others * (all_.rhs - R_k), scaled(all_.rhs - R_k, gate)),
        ("==", others * all_.rhs - at_k.lhs),
        ("==", others * all_.rhs - at_k.rhs, scaled(term(-1), at_k)),
        ("==", others * expectation(diagonal)),
    )
    return calc(
        others * (M * R), ("==", total.lhs, symm(left)), ("==", total.rhs, total), ("==", right.rhs, right)
    )
