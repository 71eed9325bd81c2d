"""R8: the signal term of affine tasks from below, for every prompt length, and what Lemma C.5,
Corollary C.6 and Theorem E.3 of Collins et al. draw from it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.affine import (
    affine,
    loss,
    of_affine,
    over_directions,
    relu,
    relu_loses_half,
    uniform,
)
from proofs_check.derivations.window.prompt import (
    Lip,
    d,
    distance,
    i,
    j,
    k,
    mean,
    n,
    o,
    on_the_sphere,
    over,
    score,
    tokens,
    x,
    zeta,
)
from proofs_check.derivations.window.signal import (
    along_the_query,
    centre,
    isotropic,
    split,
    uniform_direction,
    v,
)

#: The width, from 0 on, and as a positive number where it is not 0.
width, positive_width = Variable("w", range=NONNEGATIVE), Variable("w_", range=POSITIVE)
#: The dimension of the sphere.
m = Variable("m", range=whole(1))
#: c = 1 - A_d(2w), the mean depth 1 - t of a token under the weights, which is that for n = oo.
c = Variable("c_A", range=NONNEGATIVE)
#: D_i = |x_i - x|^2/2, as a square, since it is not negative; the weights, and their sum.
root_depth = Function("rootD", (Sort.INDEX, Sort.TOKEN), None)
depth = root_depth(i, o) ** 2
at_the_distance = {score: ((i, o), -2 * width * depth)}
w, total = exp(-2 * width * depth), tokens(exp(-2 * width * depth))
#: What the other tokens add to the sum of the weights, as a square, since it is not negative.
rest = Function("rest", (Sort.INDEX, Sort.TOKEN))
fixed = exp(-2 * width * c)
others = fixed + rest(i, o) ** 2
signal, relu_signal = (instantiated(over_directions(loss(task)), at_the_distance) for task in (affine, relu))


@cache
def depths() -> Theorem:
    """D_i = |x_i - x|^2/2."""
    return assume("2 D_i = |x_i - x|^2", distance, "==", 2 * depth, every=(i, o))


#: The Laplacian is (m + 4w) W D - m W - 2w W D^2 for the weight W = e^{-2wD}; where w = 0, the
#: function is -D.
LAPLACIAN = "Gauss and Green: the Laplacian of (e^{-2wD} - 1)/(2w) on the sphere has the mean 0"


@cache
def independent() -> tuple[Theorem, ...]:
    """What is used of independent uniform tokens, with D = |x_i - x|^2/2 and R the other weights:
    the mean of a product of W_i or W_i D_i and a function of R is the product of the means; W_i has
    the mean depth c = 1 - A; and, by a theorem that is cited, m E W t = 2 w E W (1 - t^2), with
    m = d - 1, the dimension of the sphere.
    """
    one, own = mean(1 / others), lambda value: mean(value / others)
    parts = m * mean(w) + 2 * width * mean(w * depth**2)
    return (
        assume("R_i is the sum of the other weights", total, "==", w + rest(i, o) ** 2, every=(i, o)),
        assume("W_i is independent of R_i", own(w), "==", mean(w) * one, every=(i,)),
        assume("W_i D_i is independent of R_i", own(w * depth), "==", mean(w * depth) * one, every=(i,)),
        assume(
            "c_A = 1 - A_d(2w) is the mean depth under the weights",
            mean(w * depth),
            "==",
            c * mean(w),
            every=(i,),
        ),
        assume(LAPLACIAN, parts, "==", (m + 4 * width) * mean(w * depth), every=(i,), cited=True),
    )


@cache
def pointwise() -> Theorem:
    """W D/(W* + R) + D* W/(W + R) <= W D/(W + R) + D* W/(W* + R), as W falls with D."""
    y, r, s = (Variable(name, range=NONNEGATIVE) for name in ("D", "R", "Dstar"))
    u, v = exp(-2 * width * y), exp(-2 * width * s)
    gap, scale = arithmetic(0, "<=", (y - s) * (v - u)), u / ((u + r) * (v + r))
    left, right = u * y / (v + r) + s * u / (u + r), u * y / (u + r) + s * u / (v + r)
    scaled = calc(0, ("<=", scale * gap.rhs, gap), ("==", right - left))
    lemma = instantiate(show(left, "<=", right, scaled), {y: depth, s: c, r: rest(i, o) ** 2})
    whole = independent()[0]
    sides = lambda S: (w * depth / others + c * w / S, w * depth / S + c * w / others)
    (up, down), (first, last) = sides(total), sides(w + rest(i, o) ** 2)
    return calc(up, ("==", first, whole), ("<=", last, lemma), ("==", down, whole))


@cache
def no_deeper_than_the_sum() -> Theorem:
    """sum gamma_i D_i <= sum D_i, as no weight is above the sum of all."""
    part = show(w / total, "<=", 1, independent()[0])
    each = calc(depth * w / total, ("<=", depth, part))
    return show(average_depth, "<=", tokens(depth), each)


@cache
def average_of_the_depths() -> Theorem:
    """c <= E sum gamma_i D_i, for every prompt length: what is weighted by 1/(W* + R) in place of
    1/(W + R) has on average the depth c, and the former is smaller where D is larger than c.
    """
    _, one, deep, tilted, _ = independent()
    own, far = mean(w / others), mean(w * depth / others)
    summed = lambda thm: integrate("coordinates", (i,), thm, (n,))
    means = (own, far, mean(w), mean(w * depth), mean(1 / others))
    small = chain(integrate("mean", (o,), arithmetic(1 / others, "<=", 1 / fixed, hide=(fixed,))), 1 / fixed)
    own_, far_ = (chain(x, gcongr(x.rhs, small)) for x in (one, deep))
    same = summed(arithmetic(far, "==", c * own, one, deep, tilted, own_, far_, small, hide=means))
    K, near = c * tokens(own), mean(average_depth)
    both = chain(K + c, gcongr(same.rhs + c, same), integrate("mean", (o,), summed(pointwise())), near + K)
    # All means are finite, as no weight is above the sum of all.
    near_ = chain(near, integrate("mean", (o,), no_deeper_than_the_sum()))
    finite = chain(
        K + near, gcongr(chain(K + near, tokens(c * own) + near).rhs, summed(gcongr(c * own, own_)), near_)
    )
    return arithmetic(c, "<=", near, both, finite, hide=(K, near, finite.rhs))


#: The average depth of the tokens.
average_depth = tokens(w * depth) / total


@cache
def by_the_distance() -> Theorem:
    """The signal term is L^2/(3d) times the mean of |x - h|^2 for the average h of the tokens."""
    error, square = instantiate(isotropic(), {v: ((j,), centre - x(j, o))}), over((x(j, o) - centre) ** 2)
    inner = calc(
        mean(loss(affine), k),
        ("==", Lip**2 / 3 * error.lhs, of_affine()),
        ("==", Lip**2 / 3 * error.rhs, error),
        ("==", Lip**2 / (3 * d) * square),
    )
    return instantiate(integrate("mean", (o,), inner), at_the_distance)


@cache
def _halves() -> Theorem:
    each = show(w * (distance / 2), "==", w * depth, depths())
    same = show(tokens(w * (distance / 2)), "==", tokens(w * depth), each)
    return show(same.lhs / total, "==", average_depth, same)


def below_statements(
    tilted: int | Fraction = 1, steepness: int | Fraction = 1
) -> tuple[Statement, Statement]:
    """The signal term is at least L^2 (c/tilted)^2/(3d), and L^2 c^2/(3d) is at least
    L^2 (steepness m/(m + 4w))^2/(3d).
    """
    limit = lambda root: Lip**2 / (3 * d) * root**2
    return (
        Statement(limit(c / Fraction(tilted)), "<=", signal, assumed()),
        Statement(limit(Fraction(steepness) * m / (m + 4 * width)), "<=", limit(c), assumed()),
    )


@proves("OURS:R8.below", below_statements, part=1)
@cache
def from_below() -> Theorem:
    """L^2 c^2/(3d) <= the signal term: |x - h|^2 >= (1 - x.h)^2, and 1 - x.h is the average of the
    depths, whose mean square is at least c^2.
    """
    square, along = (instantiate(thm, at_the_distance) for thm in (split(), along_the_query()))
    along = calc(along, ("==", tokens(w * (distance / 2)) / total), ("==", average_depth, _halves()))
    least = show(average_depth**2, "<=", square.lhs, square, along)
    tangent = show(2 * c * average_depth, "<=", c**2 + average_depth**2)
    second = mean(average_depth**2)
    scaled = instantiate(gcongr(2 * zeta * c, average_of_the_depths()), {zeta: c})
    both = calc(scaled, ("<=", c**2 + second, tangent))
    finite = gcongr(second + 1, integrate("mean", (o,), gcongr(average_depth**2, no_deeper_than_the_sum())))
    jensen = show(c**2, "<=", second, both, finite, second)
    back = by_the_distance()
    return calc(
        Lip**2 / (3 * d) * c**2,
        ("<=", Lip**2 / (3 * d) * second, jensen),
        ("<=", Lip**2 / (3 * d) * mean(square.lhs), least),
        ("<=", signal, gcongr(back.rhs, back)),
    )


@cache
def dimension() -> Theorem:
    return assume("m = d - 1 >= 1", d, "==", m + 1)


@cache
def depth_of_the_limit() -> Theorem:
    """m/(m + 4w) <= c = 1 - A_d(2w) with m = d - 1, by the mean of the Laplacian."""
    *_, tilted, parts = independent()
    one, deep, square, scale = mean(w), mean(w * depth), mean(w * depth**2), m + 4 * width
    more = calc(
        m * one,
        ("<=", m * one + 2 * width * square),
        ("==", scale * deep, parts),
        ("==", scale * c * one, tilted),
    )
    return show(m / scale, "<=", c, show(m, "<=", scale * c, more, one, scale * c))


@proves("OURS:R8.below", below_statements, part=2)
@cache
def bound_of_the_limit() -> Theorem:
    """L^2 (m/(m + 4w))^2/(3d) <= L^2 c^2/(3d)."""
    return gcongr(Lip**2 / (3 * d) * depth_of_the_limit().lhs ** 2, depth_of_the_limit())


@cache
def with_the_bound() -> Theorem:
    """L^2 (m/(m + 4w))^2/(3d) <= the signal term."""
    return chain(bound_of_the_limit(), from_below())


def assumed(*more: Theorem) -> frozenset[Assumption]:
    """Independent uniform tokens, uniform tasks, the weights of attention, and more."""
    given = (*independent(), *on_the_sphere(), *uniform_direction(), uniform(), depths(), dimension(), *more)
    return hypotheses(*given)


def at_least(*less: Theorem) -> Theorem:
    """L^2 root^2/(3d) <= the signal term, for a root that is at most m/(m + 4w)."""
    root = chain(*less)
    return chain(gcongr(Lip**2 / (3 * d) * root.lhs**2, root), with_the_bound())


def stated(root: Term, *given: Theorem) -> Statement:
    return Statement(Lip**2 / (3 * d) * root**2, "<=", signal, assumed(*given))


@cache
def wide() -> tuple[Theorem, Theorem]:
    """The window is wide: w >= (d + sqrt d)/2, so that w is positive."""
    return assume("w_ = w > 0", width, "==", positive_width), assume(
        "w >= (d + sqrt d)/2", (d + sqrt(d)) / 2, "<=", positive_width
    )


def relu_statement(share: int | Fraction = 15) -> Statement:
    """L^2/(6d share^2) <= the signal term of ReLU tasks for w < d + sqrt d."""
    narrow = assume("w < d + sqrt d", width, "<", d + sqrt(d))
    return Statement(Lip**2 / (6 * d) / term(Fraction(share)) ** 2, "<=", relu_signal, assumed(narrow))


@proves("COL:E.1-c1", relu_statement)
@cache
def of_relu_tasks() -> Theorem:
    """L^2/(1350 d) <= the signal term of ReLU tasks, as m + 4w < 5d + 4 sqrt d - 1 <= 15(d - 1)."""
    narrow = assume("w < d + sqrt d", width, "<", d + sqrt(d))
    root = arithmetic(4 * sqrt(d), "<=", 10 * d - 14, arithmetic(2, "<=", d, dimension()))
    less = show(m + 4 * width, "<=", 15 * m, root, narrow, dimension(), sqrt(d))
    least = at_least(show(term(Fraction(1, 15)), "<=", depth_of_the_limit().lhs, less))
    half = instantiate(relu_loses_half(), at_the_distance)
    return chain(gcongr(least.lhs / 2, least), half)


@cache
def not_too_wide() -> Theorem:
    return assume("w < d + sqrt d", positive_width, "<", d + sqrt(d))


@cache
def wide_enough() -> Theorem:
    """1 <= w for a wide window."""
    least = (d + sqrt(d)) / 2
    return show(1, "<=", positive_width, show(1, "<=", least), wide()[1])


def wide_statement(share: int | Fraction = 8, power: int = 1) -> Statement:
    """L^2 (m/(share w^power))^2/(3d) <= the signal term, for w >= (d + sqrt d)/2."""
    return stated(m / (Fraction(share) * positive_width**power), *wide())


@proves("COL:C.5/wide", wide_statement)
@cache
def of_wide_windows() -> Theorem:
    """L^2 (m/(8w))^2/(3d) <= the signal term, as m <= 2w."""
    less = show(m, "<=", 2 * positive_width, dimension(), wide()[1])
    return at_least(show(m / (8 * positive_width), "<=", depth_of_the_limit().lhs, less, wide()[0]))


#: e^{2w - 2(d + sqrt d)} w^{-(d/2 + 1)}.
power = exp(2 * positive_width - 2 * (d + sqrt(d))) * exp(-(d / 2 + 1) * log(positive_width))


def case_two_statement(share: int | Fraction = 8) -> Statement:
    """L^2/(24d) (C e^{2w} w^{-(d/2 + 1)})^2 <= the signal term in Case 2, where C is e^{-2(d + sqrt
    d)} sqrt(8)/share.
    """
    given = assumed(*wide(), not_too_wide())
    return Statement(Lip**2 / (24 * d) * (8 / Fraction(share) ** 2) * power**2, "<=", signal, given)


@proves("COL:C.5.c2", case_two_statement)
@cache
def case_two() -> Theorem:
    """The bound of Case 2 with C = e^{-2(d + sqrt d)} sqrt(8)/8: the root is at most 1/(8 w^2)."""
    w_, logs = positive_width, log(positive_width)
    steep = show(-(d / 2 + 1) * logs, "<=", -2 * logs, dimension(), show(0, "<=", logs, wide_enough()))
    narrow = show(2 * w_ - 2 * (d + sqrt(d)), "<=", 0, not_too_wide(), d + sqrt(d))
    return at_least(
        calc(
            power / 8,
            ("<=", exp(-2 * logs) / 8, narrow, steep),
            ("==", 1 / (8 * w_**2)),
            ("<=", depth_of_the_limit().lhs, wide_enough(), wide()[0]),
        )
    )


#: The constants of Corollary G.5.
C_low, C_up = (Variable(name, range=POSITIVE) for name in ("C_b", "C^b"))


@cache
def ordered() -> Theorem:
    return assume("C_b <= C^b", C_low, "<=", C_up)


def narrow_statement(share: int | Fraction = 8) -> Statement:
    """L^2/(3d share^2) <= the signal term for w < (d + sqrt d)/2."""
    narrow = assume("w < (d + sqrt d)/2", width, "<", (d + sqrt(d)) / 2)
    return stated(1 / term(Fraction(share)), narrow)


@proves("COL:C.5/narrow", narrow_statement)
@cache
def of_narrow_windows() -> Theorem:
    """L^2/(192 d) <= the signal term, as m + 4w < 3d + 2 sqrt d - 1 <= 8(d - 1)."""
    narrow = assume("w < (d + sqrt d)/2", width, "<", (d + sqrt(d)) / 2)
    root = arithmetic(2 * sqrt(d), "<=", 5 * d - 7, arithmetic(2, "<=", d, dimension()))
    less = show(m + 4 * width, "<=", 8 * m, root, narrow, dimension(), sqrt(d))
    return at_least(show(term(Fraction(1, 8)), "<=", depth_of_the_limit().lhs, less))


def case_three_statement(eight: int | Fraction = 8) -> Statement:
    """L^2/(3 eight d) (C_b/(2C^b) e^{-2w})^2 <= the signal term in Case 3, w < (d + sqrt d)/2."""
    share = C_low / (2 * C_up) * exp(-2 * width)
    narrow = assume("w < (d + sqrt d)/2", width, "<", (d + sqrt(d)) / 2)
    return Statement(Lip**2 / (3 * d) / Fraction(eight) * share**2, "<=", signal, assumed(ordered(), narrow))


@proves("COL:C.5.c3", case_three_statement)
@cache
def case_three() -> Theorem:
    """The bound of Case 3: e^{-2w}/(2 sqrt 8) <= 1/(1 + 4w) <= m/(m + 4w)."""
    share, quotient = C_low / (2 * C_up) * exp(-2 * width), show(C_low / C_up, "<=", 1, ordered())
    less = calc(exp(-2 * width) / 2 * (C_low / C_up), ("<=", exp(-2 * width) / 2, quotient))
    square = calc(
        share**2 / 8,
        ("<=", exp(-4 * width) / 32, chain(share, less)),
        ("<=", (1 / (1 + 4 * width)) ** 2),
        ("<=", depth_of_the_limit().lhs ** 2),
    )
    return chain(gcongr(Lip**2 / (3 * d) * (share**2 / 8), square), with_the_bound())


def every_width_statement(share: int | Fraction = 4) -> Statement:
    """L^2 (1/(share(w + 1)))^2/(3d) <= the signal term, for every width."""
    return stated(1 / (Fraction(share) * (width + 1)))


@proves("COL:C.6/lower", every_width_statement)
@cache
def for_every_width() -> Theorem:
    return at_least(show(1 / (4 * (width + 1)), "<=", depth_of_the_limit().lhs))
