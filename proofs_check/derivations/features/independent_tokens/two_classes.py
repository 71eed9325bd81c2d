"""Independent tokens of K equally likely classes, two of which may be exchanged: what is 1 for the
tokens of each class afterwards is 0 or 1, adds up to 1 and has the same means.

The query is of the class k, m and n are two others, and `swap` tells whether the three are so.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_prompts.updates import with_the_class
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import of_two_classes
from proofs_check.derivations.features.equiangular.setting import (
    K,
    both,
    c,
    i,
    k,
    m,
    n,
    of_classes,
    of_m,
    picks,
    same,
    symmetric,
    there,
    zero_or_one,
)
from proofs_check.derivations.features.gradient import e
from proofs_check.derivations.features.steps import ind, scaled

token, prompt = Variable("x", Sort.TOKEN), Variable("prompt", Sort.PROMPT)
h, z = Variable("h", Sort.INDEX), Variable("z", range=REALS)
of, y = (Function(name, (Sort.INDEX, Sort.TOKEN)) for name in ("of", "y"))
tokens = lambda body: bind("sum", (token,), body, (prompt,))
expectation = lambda body: bind("prompt", (prompt,), body)
of_i = lambda body: bind("coordinates", (i,), body, (K,))


def member(of_class: Variable) -> Term:
    """Whether a token is of a class."""
    return ind(of(of_class, token))


one_class = assume(
    "each token is of one class",
    of_m(member(m) * c(m) * e(m)),
    "==",
    of_m(member(m) * c(m)) * of_m(member(m) * e(m)),
    every=(token, c, e),
)
some_class = assume("each token is of some class", of_m(member(m)), "==", 1, every=(token,))
uniform = assume(
    "a token is v_m with the probability 1/K",
    bind("mean", (token,), member(m)),
    "==",
    there / K,
    every=(m,),
)
LAW = (one_class, some_class, uniform)

#: Whether m and n are other classes than k, and whether they are different ones.
other = instantiated(others, {m: n})
pair = others * other
swap = pair * (1 - same(m, n))
#: The family with m and n exchanged.
turned = member(i) - swap * (same(m, i) - same(n, i)) * (member(m) - member(n))


@cache
def of_one_class(of_class: Variable = m) -> Theorem:
    """sum_i delta_mi [x is v_i] = delta_mm [x is v_m]."""
    found = instantiate(picks, {m: of_class, c: ((h,), member(h))})
    return calc(of_i(same(of_class, i) * member(i)), ("==", found.rhs, found))


@cache
def moved(at: Variable = m) -> Theorem:
    """delta_mi c_i = delta_mi c_m."""
    d, back = same(at, i), same(i, at)
    rule = lambda x, y: instantiate(picks, {m: x, c: ((h,), same(y, h) * c(h))})
    first, second = rule(at, i), rule(i, at)
    lead = instantiate(of_classes, {m: at, k: i})
    last = instantiate(of_classes, {m: i, k: at})
    turn = instantiate(symmetric, {m: i, k: at})
    own = calc(
        same(i, i) * (d * c(i)),
        ("==", c(i) * same(i, i) * back, scaled(c(i) * same(i, i), symm(turn))),
        ("==", c(i) * back, scaled(c(i), last)),
        ("==", c(i) * d, scaled(c(i), turn)),
    )
    other_ = calc(
        same(at, at) * (back * c(at)),
        ("==", c(at) * same(at, at) * d, scaled(c(at) * same(at, at), turn)),
        ("==", c(at) * d, scaled(c(at), lead)),
    )
    return calc(
        d * c(i),
        ("==", own.lhs, symm(own)),
        ("==", second.lhs, symm(second)),
        ("==", first.lhs),
        ("==", other_.lhs, first),
        ("==", d * c(at), other_),
    )


@cache
def gates() -> Theorem:
    """Whether two classes are different is 0 or 1."""
    none, whole = of_two_classes()
    return calc(others**2, ("==", others * both - others * same(m, k)), ("==", others, whole, none))


@cache
def of_three() -> dict[str, Theorem]:
    """What `swap` and what delta are worth where the classes are three different ones."""
    none, _ = of_two_classes()
    at_n = lambda thm: instantiate(thm, {m: n})
    d, rest = same(m, n), 1 - same(m, n)
    known = instantiate(zero_or_one, {k: n})
    idem, idem_n = gates(), at_n(gates())
    apart = calc(d * rest, ("==", d - d**2), ("==", 0, scaled(term(-1), known)))
    rest_ = calc(rest**2, ("==", 1 - 2 * d + d**2), ("==", rest, known))
    square = calc(
        swap**2,
        ("==", others**2 * (other**2 * rest**2)),
        ("==", others * (other**2 * rest**2), scaled(other**2 * rest**2, idem)),
        ("==", others * other * rest**2, scaled(others * rest**2, idem_n)),
        ("==", swap, scaled(others * other, rest_)),
    )
    return {
        "square": square,
        "m is not k": calc(swap * same(m, k), ("==", 0, scaled(other * rest, none))),
        "n is not k": calc(swap * same(n, k), ("==", 0, scaled(others * rest, at_n(none)))),
        "m is not n": calc(swap * d, ("==", 0, scaled(others * other, apart))),
        "m": calc(swap * there, ("==", swap, scaled(other * rest, with_the_class()))),
        "n": calc(swap * same(n, n), ("==", swap, scaled(others * rest, at_n(with_the_class())))),
    }


@cache
def apart() -> tuple[Theorem, Theorem]:
    """swap delta_mi delta_ni = 0, and no token is of two of the classes."""
    p, q, known = same(m, i), same(n, i), of_three()
    first = instantiate(moved(n), {c: ((i,), p)})  # delta_ni delta_mi = delta_ni delta_mn
    sums = of_one_class(m), of_one_class(n)
    picked = instantiate(picks, {c: ((i,), same(n, i) * member(i))})
    tokens_ = calc(
        there * member(m) * (same(n, n) * member(n)),
        ("==", sums[0].lhs * sums[1].rhs, symm(scaled(sums[1].rhs, sums[0]))),
        ("==", sums[0].lhs * sums[1].lhs, symm(scaled(sums[0].lhs, sums[1]))),
        ("==", picked.lhs, symm(instantiate(one_class, {c: ((i,), same(m, i)), e: ((i,), same(n, i))}))),
        ("==", there * same(n, m) * member(m), picked),
        (
            "==",
            there * same(m, n) * member(m),
            scaled(there * member(m), instantiate(symmetric, {m: n, k: m})),
        ),
    )
    return (
        calc(
            swap * (p * q),
            ("==", swap * (q * same(m, n)), scaled(swap, first)),
            ("==", 0, scaled(q, known["m is not n"])),
        ),
        calc(
            swap * (member(m) * member(n)),
            ("==", swap * there * member(m) * member(n), scaled(-member(m) * member(n), known["m"])),
            (
                "==",
                swap * (there * member(m) * (same(n, n) * member(n))),
                scaled(-member(m) * member(n) * there, known["n"]),
            ),
            ("==", swap * tokens_.rhs, scaled(swap, tokens_)),
            ("==", 0, scaled(there * member(m), known["m is not n"])),
        ),
    )


@cache
def square_of_the_family() -> Theorem:
    """The exchanged family is 0 or 1, too."""
    p, q, (Y_i, Y_m, Y_n) = same(m, i), same(n, i), (member(x) for x in (i, m, n))
    none, no_token = apart()
    zero = lambda x: instantiate(zero_or_one, {m: x, k: i})
    of_m_, of_n_ = (instantiate(moved(x), {c: ((i,), Y_i)}) for x in (m, n))
    one = lambda Y: show(Y**2, "==", Y)
    D = Y_m - Y_n
    cross = calc(
        swap * (p - q) * Y_i * D,
        ("==", swap * D * (p * Y_i) - swap * D * (q * Y_i)),
        ("==", swap * D * (p * Y_m) - swap * D * (q * Y_i), scaled(swap * D, of_m_)),
        ("==", swap * D * (p * Y_m) - swap * D * (q * Y_n), scaled(-swap * D, of_n_)),
        ("==", swap * (p * Y_m**2 + q * Y_n**2) - (p + q) * no_token.lhs),
        ("==", swap * (p * Y_m**2 + q * Y_n**2), scaled(-(p + q), no_token)),
        ("==", swap * (p * Y_m + q * Y_n), one(Y_m), one(Y_n)),
    )
    squares = calc(
        swap * ((p - q) ** 2 * D**2),
        ("==", swap * (p**2 + q**2) * D**2 - 2 * D**2 * none.lhs),
        ("==", swap * (p**2 + q**2) * D**2, scaled(-2 * D**2, none)),
        ("==", swap * (p + q**2) * D**2, scaled(swap * D**2, zero(m))),
        ("==", swap * (p + q) * D**2, scaled(swap * D**2, zero(n))),
        ("==", swap * (p + q) * (Y_m**2 + Y_n**2) - 2 * (p + q) * no_token.lhs),
        ("==", swap * (p + q) * (Y_m**2 + Y_n**2), scaled(-2 * (p + q), no_token)),
        ("==", swap * (p + q) * (Y_m + Y_n), one(Y_m), one(Y_n)),
    )
    return calc(
        turned**2,
        ("==", Y_i**2 - 2 * cross.lhs + swap**2 * ((p - q) ** 2 * D**2)),
        ("==", Y_i - 2 * cross.lhs + swap**2 * ((p - q) ** 2 * D**2), one(Y_i)),
        (
            "==",
            Y_i - 2 * cross.lhs + squares.lhs,
            scaled((p - q) ** 2 * D**2, of_three()["square"]),
        ),
        ("==", Y_i - 2 * cross.rhs + squares.lhs, scaled(term(-2), cross)),
        ("==", Y_i - 2 * cross.rhs + squares.rhs, squares),
        ("==", turned),
    )


@cache
def sum_of_delta(of_class: Variable = m) -> Theorem:
    """sum_i delta_mi = delta_mm."""
    found = instantiate(picks, {m: of_class, c: ((n,), term(1))})
    return calc(of_i(same(of_class, i)), ("==", found.rhs, found))


@cache
def total_of_the_family() -> Theorem:
    D, known = member(m) - member(n), of_three()
    first, second = sum_of_delta(m), sum_of_delta(n)
    return calc(
        of_i(turned),
        ("==", of_i(member(i)) - swap * D * (first.lhs - second.lhs)),
        ("==", 1 - swap * D * (first.lhs - second.lhs), some_class),
        ("==", 1 - swap * D * (first.rhs - second.lhs), scaled(-swap * D, first)),
        ("==", 1 - swap * D * (first.rhs - second.rhs), scaled(swap * D, second)),
        ("==", 1 - D * swap + D * swap * same(n, n), scaled(-D, known["m"])),
        ("==", 1, scaled(D, known["n"])),
    )


@cache
def shares_of_the_family() -> Theorem:
    p, q, known = same(m, i), same(n, i), of_three()
    mean = lambda x: bind("mean", (token,), member(x))
    at = lambda x: instantiate(uniform, {m: x})
    return calc(
        mean(i),
        ("==", mean(i) - (p - q) / K * (swap - swap)),
        ("==", mean(i) - (p - q) / K * (swap * there - swap), scaled(-(p - q) / K, symm(known["m"]))),
        (
            "==",
            mean(i) - (p - q) / K * (swap * there - swap * same(n, n)),
            scaled((p - q) / K, symm(known["n"])),
        ),
        ("==", mean(i) - swap * (p - q) * (at(m).rhs - at(n).rhs)),
        ("==", mean(i) - swap * (p - q) * (mean(m) - at(n).rhs), scaled(-swap * (p - q), symm(at(m)))),
        ("==", mean(i) - swap * (p - q) * (mean(m) - mean(n)), scaled(swap * (p - q), symm(at(n)))),
        ("==", bind("mean", (token,), turned)),
    )
