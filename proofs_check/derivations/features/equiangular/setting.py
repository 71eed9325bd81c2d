"""R7: equiangular features of one norm, exchangeable tasks, classes of one probability and prompts
with equally many tokens of each: over these the whole training is one number, the score gap.

The classes are numbered from 1 to K, and M others belong to each. Whether two classes are the same
is a function delta, which is 0 beyond K, so that "the class k is one of the K" reads
delta_kk = 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.steps import scaled

k, l, m, n, i, j = (Variable(name, Sort.INDEX) for name in "klmnij")
t, task = Variable("t", Sort.TIME), Variable("task", Sort.TOKEN)
K, M, r = (Variable(name, range=whole(1)) for name in "KMr")
eta, spread, kappa = (Variable(name, range=POSITIVE) for name in ("eta", "sigma2", "kappa"))
b, common = Variable("b", range=REALS), Variable("common", range=REALS)
x = Variable("x", range=NONNEGATIVE)
v, same = Function("v", (Sort.INDEX, Sort.INDEX)), Function("delta", (Sort.INDEX, Sort.INDEX))
f = Function("f", (Sort.INDEX, Sort.TOKEN), Fraction(2))
c = Function("c", (Sort.INDEX,))
coordinates = lambda e: bind("coordinates", (i,), e, (r,))
entries = lambda e: bind("coordinates", (i, j), e, (r, r))
of_k = lambda e: bind("coordinates", (k,), e, (K,))
of_m = lambda e: bind("coordinates", (m,), e, (K,))
of_n = lambda e: bind("coordinates", (n,), e, (K,))
mean = lambda e: bind("mean", (task,), e)
# What delta is
zero_or_one = assume("delta is 0 or 1", same(m, k) ** 2, "==", same(m, k), every=(m, k))
symmetric = assume("delta is symmetric", same(m, k), "==", same(k, m), every=(m, k))
of_classes = assume("delta is 0 beyond K", same(m, k) * same(m, m), "==", same(m, k), every=(m, k))
picks = assume("delta picks a class", of_n(same(m, n) * c(n)), "==", same(m, m) * c(m), every=(m, c))
each_class = assume("delta_mm is 1 for each class", of_m(same(m, m) * c(m)), "==", of_m(c(m)), every=(c,))
counted = assume("M other classes", K - M, "==", 1)
delta = (zero_or_one, symmetric, of_classes, picks, each_class, counted)
# The setting
equiangular = assume(
    "equiangular features of one norm",
    coordinates(v(m, i) * v(k, i)),
    "==",
    kappa * same(m, k) + b * same(m, m) * same(k, k),
    every=(m, k),
)
exchangeable = assume(
    "exchangeable tasks",
    mean(f(m, task) * f(k, task)),
    "==",
    spread * same(m, k) + common * same(m, m) * same(k, k),
    every=(m, k),
)


def score(X: Term) -> Term:
    """The score of the query k on the class m, at a matrix with the entries X."""
    return entries(v(m, i) * X * v(k, j))


def attention(X: Term) -> Term:
    """The attention of the query k on the class m, in a prompt with equally many tokens of each."""
    odds = exp(score(X))
    return odds / of_m(odds)


#: Whether m and k are classes, and whether they are the same.
both, here, there = same(m, m) * same(k, k), same(k, k), same(m, m)


@cache
def sums_of_delta() -> tuple[Theorem, ...]:
    """sum_n delta_mn delta_kn = delta_mk, sum_n delta_mn delta_nn = delta_mm = sum_n delta_mn, and
    sum_n delta_nn^2 = K = sum_n delta_nn.
    """
    at = lambda thm, body: instantiate(thm, {c: ((n,), body)})
    twice = instantiate(of_classes, {k: m})
    two = calc(
        of_n(same(m, n) * same(k, n)),
        ("==", there * same(k, m), at(picks, same(k, n))),
        ("==", there * same(m, k), symmetric),
        ("==", same(m, k), of_classes),
    )
    square = calc(
        of_n(same(m, n) * same(n, n)), ("==", there * there, at(picks, same(n, n))), ("==", there, twice)
    )
    single = calc(of_n(same(m, n)), ("==", there, at(picks, term(1))))
    all_ = calc(of_m(same(m, m)), ("==", of_m(term(1)), at(each_class, term(1))), ("==", K))
    squares = calc(of_m(there * there), ("==", of_m(there), at(each_class, same(n, n))), ("==", K, all_))
    return two, square, single, squares, all_


#: The sum over the features, and the matrix that Q is a multiple of: V(I - P)V'/kappa^2.
total = lambda index: of_n(v(n, index))
shape = (of_n(v(n, i) * v(n, j)) - total(i) * total(j) / K) / kappa**2
line = x * shape


@cache
def kept() -> Theorem:
    """delta_mm delta_kk delta_mk = delta_mk."""
    d = same(m, k)
    return calc(
        both * d,
        ("==", here * (d * there)),
        ("==", here * d, scaled(here, of_classes)),
        ("==", d, of_the_query()),
    )


@cache
def of_the_query() -> Theorem:
    """delta_kk delta_mk = delta_mk."""
    d, turned = same(m, k), same(k, m)
    return calc(
        here * d,
        ("==", here * turned, scaled(here, symmetric)),
        ("==", turned, instantiate(of_classes, {m: k, k: m})),
        ("==", d, symm(symmetric)),
    )


@cache
def moments() -> Theorem:
    """E (f_k - sum w f)(f_m - sum w f) for any weights w, by the second moments of the tasks."""
    w_n, w_l = c(n), c(l)
    predicted = of_n(w_n * f(n, task))
    T = lambda one, two: instantiate(exchangeable, {m: one, k: two})
    S = of_n(w_n * same(n, n))
    first = lambda q: calc(
        of_n(w_n * mean(f(q, task) * f(n, task))),
        ("==", of_n(w_n * T(q, n).rhs), T(q, n)),
        ("==", spread * of_n(same(q, n) * w_n) + common * same(q, q) * S),
        (
            "==",
            spread * (same(q, q) * c(q)) + common * same(q, q) * S,
            scaled(spread, instantiate(picks, {m: q})),
        ),
    )
    rows = integrate("coordinates", (n,), scaled(w_n, instantiate(picks, {m: n})), (K,))
    second = calc(
        integrate("coordinates", (n, l), scaled(w_n * w_l, T(n, l)), (K, K)),
        ("==", spread * rows.lhs + common * S**2),
        ("==", spread * rows.rhs + common * S**2, scaled(spread, rows)),
        ("==", spread * of_n(same(n, n) * w_n**2) + common * S**2),
        (
            "==",
            spread * of_n(w_n**2) + common * S**2,
            scaled(spread, instantiate(each_class, {c: ((n,), w_n**2)})),
        ),
    )
    fk, fm = f(k, task) - predicted, f(m, task) - predicted
    one, other, own = first(k), first(m), T(k, m)
    return calc(
        mean(fk * fm),
        ("==", own.lhs - one.lhs - other.lhs + second.lhs),
        (
            "==",
            own.rhs - one.rhs - other.rhs + second.rhs,
            own,
            one,
            other,
            second,
            own.lhs,
            one.lhs,
            other.lhs,
            second.lhs,
        ),
        (
            "==",
            spread * (same(k, m) - here * c(k) - there * c(m) + of_n(w_n**2))
            + common * (here - S) * (there - S),
        ),
    )


@cache
def projections() -> tuple[Theorem, Theorem, Theorem]:
    """The products of delta_mm delta_kk with itself, of both with delta_mk, and of that with
    itself.
    """
    own, other = instantiate(zero_or_one, {k: m}), instantiate(zero_or_one, {m: k})
    square = calc(
        both * both,
        ("==", here**2 * there**2),
        ("==", here**2 * there, scaled(here**2, own)),
        ("==", there * here**2),
        ("==", there * here, scaled(there, other)),
        ("==", both),
    )
    return square, kept(), calc(same(m, k) * same(m, k), ("==", same(m, k), zero_or_one))


def errors(X: Term) -> Theorem:
    """E (f_k - yhat)(f_m - yhat) at a matrix with the entries X."""
    return instantiate(moments(), {c: ((n,), instantiated(attention(X), {m: n}))})


@cache
def adds_up(X: Term) -> Theorem:
    """The attentions of a query add up to 1, with delta_nn among them."""
    each = instantiated(attention(X), {m: n})
    return calc(
        of_n(each * same(n, n)),
        ("==", of_n(same(n, n) * each)),
        ("==", of_n(each), instantiate(each_class, {c: ((n,), each)})),
        ("==", 1),
    )
