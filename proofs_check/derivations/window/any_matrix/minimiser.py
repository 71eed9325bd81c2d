"""Lemma B.5 of Collins et al.: a minimiser M' of the loss, which is Sigma^{1/2} M Sigma^{1/2}, is
a multiple of the identity.

The query y is drawn first: each has a law of tokens and tasks of its own, as a task elsewhere. The
bounds hold for every epsilon > 0, with some m > 0 where rho rises strictly; so both sides are 0.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, symm
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, at_task, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.risks.rates import task
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import (
    Values,
    at_every_task,
    of_the_task,
    with_the_task,
)
from proofs_check.derivations.window.any_matrix import one_query as one
from proofs_check.derivations.window.any_matrix.one_query import eps, kappa, m, most
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, j, l, n, over
from proofs_check.derivations.window.setting import noise

#: The query y, the direction and the length c of M'y, the matrix M', the identity, any matrix.
y, u = (Function(of.name, (Sort.TASK, Sort.INDEX), None) for of in (one.y, one.u))
length = Function("root c", (Sort.TASK,), None)(task) ** 2
M, I, A = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("M", "I", "A"))
h, k, ell = Variable("h", Sort.INDEX), Variable("k", range=NONNEGATIVE), Variable("ell", range=REALS)
OWN = (X, one.f_y, one.difference, noise, one.rho_y, one.rho_u, one.rho, *one.others.functions)
VALUES: Values = {**{g: with_the_task(g) for g in OWN}, one.y: y, one.u: u, one.c: length}


def mean(body: Term) -> Term:
    """The mean over the query."""
    return bind("task", (task,), body)


def form(of: Function) -> Term:
    """y'Ay for the query y."""
    return over(over(y(task, j) * of(j, l) * y(task, l), l))


def trace(of: Function) -> Term:
    return over(of(j, j))


#: The losses of M and of k I given the query, and y'My.
of_M, of_kI = of_the_task(one.loss(one.u), VALUES), of_the_task(one.loss(one.y, k), VALUES)
q = form(M)


@cache
def minimiser() -> tuple[Theorem, ...]:
    """M is a minimiser: no multiple of the identity has a smaller loss."""
    image = over(M(j, l) * y(task, l), l)
    return (
        assume("ell is the loss of M", mean(of_M), "==", ell),
        assume("M is a minimiser", ell, "<=", mean(of_kI), every=(k,)),
        assume("uniform tokens: k I has one loss for all queries", of_kI, "==", mean(of_kI), every=(k, task)),
        assume("M y = c u", image, "==", length * u(task, j), every=(j, task)),
    )


@cache
def uniform_query() -> tuple[Theorem, Theorem]:
    """The second and the fourth moments of a uniform point of the sphere."""
    square, twice = over(over(A(j, l) ** 2, l)), over(over(A(j, l) * A(l, j), l))
    fourth = (square + twice + trace(A) ** 2) / (d * (d + 2))
    return (
        assume("uniform query: E y'Ay = tr A/d", mean(form(A)), "==", trace(A) / d, every=(A,)),
        assume("uniform query: its fourth moments", mean(form(A) ** 2), "==", fourth, every=(A,)),
    )


@cache
def identity() -> tuple[Theorem, Theorem]:
    inner = over(over(I(j, l) * A(j, l), l))
    return (
        assume("I is the identity: its inner product with A is tr A", inner, "==", trace(A), every=(A,)),
        assume("tr I = d", trace(I), "==", d),
    )


def at(thm: Theorem) -> Theorem:
    return at_task(thm, task, VALUES)


@cache
def on_the_sphere() -> tuple[Theorem, ...]:
    """|y| = 1, |u| = 1 and c <= C at every query."""
    of_y, of_u, bound = (at(thm) for thm in one.sphere()[1:])
    return (
        chain(over(y(task, j) ** 2), of_y, 1),
        chain(over(u(task, j) ** 2), of_u, 1),
        chain(length, bound, most),
    )


@cache
def height() -> Theorem:
    """c u.y = y'My."""
    image = minimiser()[3]
    each = show(y(task, j) * image.lhs, "==", y(task, j) * image.rhs, image)
    whole = integrate("coordinates", (j,), each, (d,))
    return chain(length * over(y(task, j) * u(task, j)), symm(whole), q)


@cache
def no_gain() -> Theorem:
    """The mean of c - y'My is at most d epsilon^2 C/2: M is no better than c I, for the length c at
    any query, which is as good at that query as in the mean, and there better than M by the gain.
    """
    named, least, same, _ = minimiser()
    unit, other, bound = on_the_sphere()
    scale, far = n * kappa * m, over((y(task, j) - u(task, j)) ** 2)
    gain = scale * length * (far / d - eps**2)
    here = instantiate(same, {k: length})
    best = chain(instantiate(least, {k: length}), gcongr(here.rhs, here))
    each = chain(gcongr(ell + gain, best), at(one.best_direction()), of_M)
    inner = over(y(task, j) * u(task, j))
    apart = calc(
        far,
        ("==", unit.lhs - 2 * inner + other.lhs),
        ("==", 2 - 2 * inner, unit, other, unit.lhs, other.lhs, inner),
    )
    value = calc(
        gain,
        ("==", scale * length * ((2 - 2 * inner) / d - eps**2), apart, apart.lhs, scale, length, inner),
        ("==", scale * (2 * length / d - 2 * (length * inner) / d - eps**2 * length)),
        ("==", scale * (2 / d * (length - q) - eps**2 * length), height(), scale, length, length * inner, q),
    )
    c, w = mean(length), trace(M) / d
    quadratic = instantiate(uniform_query()[0], {A: ((j, l), M(j, l))})
    least_gain = calc(
        mean(value.rhs),
        ("==", scale * (2 / d * (c - mean(q)) - eps**2 * c)),
        ("==", scale * (2 / d * (c - w) - eps**2 * c), quadratic, scale, c, mean(q), w),
    )
    whole = calc(ell + mean(gain), ("<=", mean(of_M), each), ("==", ell, named))
    none = show(mean(gain), "<=", 0, whole, mean(gain))
    short = chain(mean(length), integrate("task", (task,), bound), most)
    left = calc(
        least_gain.rhs, ("==", mean(value.rhs), least_gain), ("==", mean(gain), value), ("<=", 0, none)
    )
    positive = show(0, "<", scale)
    small = show(2 / d * (c - w) - eps**2 * c, "<=", 0, left, positive, scale, c, w)
    return show(c - w, "<=", d * eps**2 * most / 2, small, short, c, w)


def distance(share: int = 1) -> Term:
    """|M - w I|^2 for w = share tr M/d."""
    return over(over((M(j, l) - share * trace(M) / d * I(j, l)) ** 2, l))


@cache
def squares() -> Theorem:
    """E c^2 - E (y'My)^2 is at most 2C times the mean of c - y'My, as y'My <= c <= C."""
    unit, other, bound = on_the_sphere()
    inner = over(y(task, j) * u(task, j))
    far = over((y(task, j) - u(task, j)) ** 2)
    below = calc(0, ("<=", far), ("==", unit.lhs - 2 * inner + other.lhs))
    below = show(inner, "<=", 1, below, unit, other, inner, unit.lhs, other.lhs)
    below = calc(q, ("==", length * inner, height()), ("<=", length, below, length, inner))
    point = show(length**2 - q**2, "<=", 2 * most * (length - q), below, bound, length, q)
    return calc(mean(length**2) - mean(q**2), ("<=", 2 * most * (mean(length) - mean(q)), point))


@cache
def length_of_the_image() -> Theorem:
    """E c^2 = |M|^2/d."""
    image, other = minimiser()[3], on_the_sphere()[1]
    product = instantiate(uniform_query()[0], {A: ((j, l), over(M(h, j) * M(h, l), h))})
    each = show(image.lhs**2, "==", length**2 * u(task, j) ** 2, image, image.lhs)
    whole = integrate("coordinates", (j,), each, (d,))
    point = calc(whole, ("==", length**2 * other.lhs), ("==", length**2, other, length, other.lhs))
    return calc(
        mean(length**2),
        ("==", mean(whole.lhs), point),
        ("==", product.lhs),
        ("==", product.rhs, product),
        ("==", over(over(M(j, l) ** 2, l)) / d),
    )


def statements(share: int = 1) -> tuple[Statement, Statement]:
    """For a minimiser M, w = share tr M/d is at least -d epsilon^2 C/2, and |M - w I|^2 is at most
    d (d + 2) C^2 epsilon^2.
    """
    tasks = at_every_task(hypotheses(*one.given()), VALUES)
    second, fourth = uniform_query()
    given = tasks | hypotheses(*minimiser(), second)
    near = given | hypotheses(fourth, *identity())
    return (
        Statement(-d * most * eps**2 / 2, "<=", share * trace(M) / d, given),
        Statement(distance(share), "<=", d * (d + 2) * most**2 * eps**2, near),
    )


@proves("COL:B.5", statements, part=1)
@cache
def no_negative_multiple() -> Theorem:
    """-d epsilon^2 C/2 <= tr M/d, as the mean of the lengths is not negative."""
    c, w = mean(length), trace(M) / d
    return show(-d * most * eps**2 / 2, "<=", w, no_gain(), show(0, "<=", c), c, w)


@proves("COL:B.5", statements, part=2)
@cache
def multiple_of_the_identity() -> Theorem:
    """|M - (tr M/d) I|^2 <= d (d + 2) C^2 epsilon^2."""
    inner, dimension = identity()
    total, twice, tr = over(over(M(j, l) ** 2, l)), over(over(M(j, l) * M(l, j), l)), trace(M)
    along = instantiate(inner, {A: ((j, l), M(j, l))})
    own = calc(instantiate(inner, {A: ((j, l), I(j, l))}), ("==", d, dimension))
    spread = calc(
        distance(),
        ("==", total - 2 * tr / d * along.lhs + (tr / d) ** 2 * own.lhs),
        ("==", total - tr**2 / d, along, own, along.lhs, own.lhs, total, tr),
    )
    symmetric = calc(0, ("<=", over(over((M(j, l) - M(l, j)) ** 2, l))), ("==", 2 * total - 2 * twice))
    fourth = instantiate(uniform_query()[1], {A: ((j, l), M(j, l))})
    quadratic = instantiate(uniform_query()[0], {A: ((j, l), M(j, l))})
    size, gap = length_of_the_image(), no_gain()
    c, first = mean(length), mean(q)
    small = calc(
        size.rhs - fourth.rhs,
        ("==", size.lhs - fourth.lhs, size, fourth, size.lhs, fourth.lhs, total, twice, tr),
        ("<=", 2 * most * (c - first), squares(), size.lhs, fourth.lhs, c, first),
        ("==", 2 * most * (c - tr / d), quadratic, c, first, tr),
        ("<=", d * most**2 * eps**2, gap, c, tr),
    )
    return calc(
        spread,
        ("<=", (d + 2) * small.lhs, symmetric, total, twice, tr),
        ("<=", d * (d + 2) * most**2 * eps**2, small, total, twice, tr),
    )
