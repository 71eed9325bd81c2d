"""R5: the limit of the flow with infinite prompts from every start of Assumption 5.1, for a
covariance of any rank, with the exponential rate at which it is reached.

The limit of u is v, the positive root of v^4 = T + b v^2, where T = tr((S^+)^2) and b is the part
of |U(0)|^2 that S does not see; that of U is S^+/v on the range of S.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import START, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.away_from_saddles import keeps_away
from proofs_check.derivations.linear_attention.bounded_flow import balance_is_kept as seen_is_kept
from proofs_check.derivations.linear_attention.bounded_flow import infinite, seen
from proofs_check.derivations.linear_attention.decay import risk_decays, speed_of_decay
from proofs_check.derivations.linear_attention.eigenbasis import (
    U_,
    B,
    U,
    at_start,
    delta,
    eigenvalues,
    f,
    flow,
    h,
    in_range,
    l,
    pairs,
    picks,
    squares,
    swaps,
    t,
    trace,
    twice_risk,
    u,
    u_,
    zero_or_one,
)
from proofs_check.derivations.linear_attention.matrices import d, i, j
from proofs_check.derivations.linear_attention.orthant import balanced, least_u, now
from proofs_check.derivations.linear_attention.polyak_lojasiewicz import (
    EVERYTHING,
    lam,
    least,
    s,
    start,
)
from proofs_check.derivations.proof import proves

p = Function("p", (Sort.INDEX,))
v = Variable("v", range=POSITIVE)
of_the_inverse = (
    assume("p are the eigenvalues of S^+: p l = h", p(i) * l(i), "==", h(i), every=(i,)),
    assume("p are the eigenvalues of S^+: p h = p", p(i) * h(i), "==", p(i), every=(i,)),
    assume("p are the eigenvalues of S^+, and not negative", 0, "<=", p(i), every=(i,)),
)
#: tr((S^+)^2), and what S does not see of |U(0)|^2.
T, b = trace(p(i) ** 2), s**2 - at_start(seen)


def root_of(left: Term) -> Theorem:
    """The hypothesis that v is the limit of u."""
    return assume("v is the limit of u: v^4 = T + b v^2", left, "==", T + b * v**2)


root = root_of(v**4)
#: The parts of u U and of S^+ in the range of S, and their difference.
product, inverse = u * h(i) * h(j) * U, delta(i, j) * p(i)
apart = product - inverse


@cache
def in_the_range() -> Theorem:
    """|u U - S^+|^2 <= 2 R/lambda^3 on the range, where u U - S^+ is S^+ B."""
    hi = instantiate(swaps, {f: ((i,), h(i))})
    same = calc(
        apart,
        ("==", u * h(i) * h(j) * U - delta(i, j) * p(i) * h(i), of_the_inverse[1]),
        ("==", u * h(i) * h(j) * U - delta(i, j) * h(j) * p(i), hi),
        ("==", p(i) * h(j) * B, of_the_inverse[0]),
    )
    h_i, h_j = (instantiate(zero_or_one, {i: n}) for n in (i, j))
    least_j, sign_j = instantiate(least, {i: j}), instantiate(eigenvalues, {i: j})
    first = calc(
        lam * p(i),
        ("==", lam * h(i) * p(i), of_the_inverse[1]),
        ("<=", l(i) * p(i), least, of_the_inverse[2], lam * h(i)),
        ("==", h(i), of_the_inverse[0]),
        ("<=", 1, show(h(i), "<=", 1, h_i)),
    )
    positive = show(0, "<=", lam * p(i), of_the_inverse[2])
    square = show((lam * p(i)) ** 2, "<=", 1, first, positive, lam * p(i))
    each = calc(
        lam**3 * apart**2,
        ("==", lam**3 * (p(i) * h(j) * B) ** 2, same, apart, B),
        ("==", (lam * p(i)) ** 2 * (lam * h(j) ** 2) * B**2, B),
        ("==", (lam * p(i)) ** 2 * (lam * h(j)) * B**2, h_j, h(j) ** 2, (lam * p(i)) ** 2, B),
        ("<=", (lam * p(i)) ** 2 * l(j) * B**2, least_j, lam * h(j), (lam * p(i)) ** 2, B),
        ("<=", l(j) * B**2, square, sign_j, (lam * p(i)) ** 2, B),
    )
    return show(lam**3 * pairs(apart**2), "<=", twice_risk, each)


@cache
def masked() -> Theorem:
    """(h_i h_j U_ij)^2 = h_i h_j U_ij^2."""
    h_j = instantiate(zero_or_one, {i: j})
    return calc(
        (h(i) * h(j) * U) ** 2,
        ("==", h(i) ** 2 * h(j) ** 2 * U**2),
        ("==", h(i) * h(j) ** 2 * U**2, zero_or_one, h(i) ** 2, U),
        ("==", h(i) * h(j) * U**2, h_j, h(j) ** 2, U),
    )


@cache
def seen_is() -> Theorem:
    """|U|^2 is u^2 - b on the range."""
    kept = seen_is_kept(infinite)
    return calc(seen, ("==", u**2 + at_start(seen) - u_(START) ** 2, kept), ("==", u**2 - b, start[1]))


@cache
def squares_of_the_parts(root: Theorem = root) -> tuple[Theorem, Theorem]:
    """|u U|^2 = u^4 - b u^2 on the range, and |S^+|^2 = T = v^4 - b v^2."""
    each = show(product**2, "==", u**2 * (h(i) * h(j) * U) ** 2)
    each = calc(each, ("==", u**2 * (h(i) * h(j) * U**2), masked(), (h(i) * h(j) * U) ** 2))
    first = calc(pairs(product**2), ("==", u**2 * seen, each), ("==", u**4 - b * u**2, seen_is()))
    turned = instantiate(swaps, {f: ((i,), p(i))})
    picked = instantiate(picks, {f: ((j,), p(j) ** 2)})
    p_j = [instantiate(thm, {i: j}) for thm in of_the_inverse[:2]]
    row = calc(
        inverse**2,
        ("==", delta(i, j) * p(i) * p(i), squares),
        ("==", delta(i, j) * p(j) * p(i), turned),
        ("==", delta(i, j) * (p(j) * h(j)) * p(i), p_j[1]),
        ("==", p(i) * (delta(i, j) * (l(j) * p(j) ** 2)), p_j[0]),
    )
    second = calc(
        pairs(inverse**2),
        ("==", trace(p(i) * picked.lhs), row),
        ("==", trace(p(i) * (l(i) * p(i) ** 2)), picked),
        ("==", trace(p(i) ** 2 * h(i)), of_the_inverse[0]),
        ("==", T, of_the_inverse[1]),
        ("==", v**4 - b * v**2, root),
    )
    return first, second


def between_the_squares(
    part: Term, inverse: Term, b: Term, of_part: Theorem, of_inverse: Theorem, seen_is: Theorem
) -> Theorem:
    """(u^2 - v^2)^2 <= |part - inverse|^2 for the parts of u U and of its limit, whose squares are
    X^2 - bX and Y^2 - bY with X = u^2 and Y = v^2: the product of these is M^2 - b^2(X - Y)^2/4
    with M = XY - b(X + Y)/2, so that the inner product is at most M.
    """
    X, Y, cross = u**2, v**2, pairs(part * inverse)
    M = X * Y - b * (X + Y) / 2
    second = calc(0, ("<=", pairs(inverse**2)), ("==", v**4 - b * v**2, of_inverse))
    of_X = calc(0, ("<=", pairs((h(i) * h(j) * U) ** 2)), ("==", seen, masked()), ("==", u**2 - b, seen_is))
    less = show(0, "<=", Y * (X - b), of_X, b), show(0, "<=", X * (Y - b), show(b, "<=", v**2, second, b), b)
    schwarz = calc(
        cauchy_schwarz("coordinates", (i, j), part, inverse, (d, d)),
        ("==", (u**4 - b * u**2) * (v**4 - b * v**2), of_part, of_inverse, b),
        ("<=", M**2, show(0, "<=", b**2 * (X - Y) ** 2 / 4, b), b),
    )
    positive = calc(0, ("<=", Y * (X - b) / 2 + X * (Y - b) / 2, *less, Y * (X - b), X * (Y - b)), ("==", M))
    inner = show(cross, "<=", M, schwarz, positive, cross, M)
    return calc(
        (X - Y) ** 2,
        ("==", (u**4 - b * u**2) + (v**4 - b * v**2) - 2 * M),
        ("<=", (u**4 - b * u**2) + (v**4 - b * v**2) - 2 * cross, inner, M, cross),
        ("==", pairs(part**2) + pairs(inverse**2) - 2 * cross, of_part, of_inverse),
        ("==", pairs((part - inverse) ** 2)),
    )


@cache
def square_of_u(root: Theorem = root) -> Theorem:
    """(u^2 - v^2)^2 <= |u U - S^+|^2."""
    return between_the_squares(product, inverse, b, *squares_of_the_parts(root), seen_is())


#: 2 R(0)/lambda^3, and how it decays.
decayed = exp(-speed_of_decay * now) * at_start(twice_risk) / lam**3
unseen = (1 - h(i) * h(j)) * U


def away(factor: int | Fraction = 1) -> Term:
    """How far U is from S^+/v and what S does not see of U(0), where a factor multiplies S^+."""
    return U - Fraction(factor) * inverse / v - at_start(unseen)


GIVEN = EVERYTHING | hypotheses(*of_the_inverse, root)


def statements(factor: int | Fraction = 1) -> tuple[Statement, ...]:
    """(u - v)^2 + |U - S^+/v - P(U(0))|^2 <= E/v^2 + 4 E/a^2 for E = 2 R(0) e^{-2 lambda^3 a^2
    t}/lambda^3 and the bound a of u. A factor multiplies S^+.
    """
    both = (u - v) ** 2 + pairs(away(factor) ** 2)
    return (Statement(both, "<=", decayed / v**2 + 4 * decayed / least_u**2, GIVEN),)


@cache
def apart_decays() -> Theorem:
    """|u U - S^+|^2 <= E."""
    near = calc(
        lam**3 * pairs(apart**2), ("<=", twice_risk, in_the_range()), ("<=", risk_decays().rhs, risk_decays())
    )
    return calc(
        pairs(apart**2),
        ("==", lam**3 * pairs(apart**2) / lam**3),
        ("<=", decayed, near, pairs(apart**2), risk_decays().rhs),
    )


@cache
def u_times_v() -> Theorem:
    """(u - v)^2 v^2 <= (u^2 - v^2)^2, as u >= 0."""
    positive = show(0, "<=", u, calc(0, ("<=", least_u), ("<=", u, keeps_away())))
    return show((u - v) ** 2 * v**2, "<=", (u**2 - v**2) ** 2, positive)


@cache
def limit_of_u(root: Theorem = root) -> Theorem:
    """By the squares of u and v."""
    far = pairs(apart**2) / v**2
    near = calc(
        (u - v) ** 2,
        ("==", (u - v) ** 2 * v**2 / v**2),
        ("<=", (u**2 - v**2) ** 2 / v**2, u_times_v(), (u - v) ** 2 * v**2, (u**2 - v**2) ** 2),
        ("<=", far, square_of_u(root), (u**2 - v**2) ** 2, pairs(apart**2)),
    )
    return chain(near, gcongr(far, apart_decays()))


@cache
def limit_of_U(root: Theorem = root) -> Theorem:
    """u (U - S^+/v) is u U - S^+ and S^+ (v - u)/v, and |S^+|^2 = v^4 - b v^2 <= v^4."""
    off, of_v, rest = h(i) * h(j) * U - inverse / v, squares_of_the_parts(root)[1], pairs(apart**2)
    less = calc(
        0,
        ("<=", ((1 - h(i) * h(j)) * U) ** 2),
        ("==", U**2 - 2 * h(i) * h(j) * U**2 + (h(i) * h(j) * U) ** 2),
        ("==", U**2 - h(i) * h(j) * U**2, masked(), (h(i) * h(j) * U) ** 2),
    )
    gone = calc(0, ("<=", pairs(U**2 - h(i) * h(j) * U**2), less), ("==", pairs(U**2) - seen))
    gone = calc(
        instantiate(gone, {t: START}),
        ("==", u_(START) ** 2 - at_start(seen), instantiate(balanced(), {t: START})),
        ("==", b, start[1]),
    )
    size = calc(pairs(inverse**2), ("==", v**4 - b * v**2, of_v), ("<=", v**4, gone, b))
    split = show(
        (apart + inverse * (1 - u / v)) ** 2,
        "<=",
        2 * apart**2 + 2 * (1 - u / v) ** 2 * inverse**2,
        apart,
        inverse,
    )
    scaled = calc(
        u**2 * pairs(off**2),
        ("==", pairs((apart + inverse * (1 - u / v)) ** 2)),
        ("<=", 2 * rest + 2 * (1 - u / v) ** 2 * pairs(inverse**2), split),
        ("<=", 2 * rest + 2 * (1 - u / v) ** 2 * v**4, size),
        ("==", 2 * rest + 2 * ((u - v) ** 2 * v**2)),
        ("<=", 2 * rest + 2 * (u**2 - v**2) ** 2, u_times_v(), (u - v) ** 2 * v**2, (u**2 - v**2) ** 2),
        ("<=", 4 * rest, square_of_u(root), (u**2 - v**2) ** 2, rest),
    )
    square = show(least_u**2, "<=", u**2, keeps_away())
    near = calc(
        pairs(off**2),
        ("==", least_u**2 * pairs(off**2) / least_u**2),
        ("<=", u**2 * pairs(off**2) / least_u**2, square, pairs(off**2), u**2, least_u**2),
        ("<=", 4 * rest / least_u**2, scaled, u**2 * pairs(off**2), rest, least_u**2),
    )
    return chain(near, gcongr(4 * rest / least_u**2, apart_decays()))


@cache
def what_stays() -> Theorem:
    """The derivative of U_ij is 0 where l_i l_j = 0."""
    in_j = instantiate(in_range, {i: j})
    slope = calc(
        derivative(unseen, t),
        ("==", -u * B * (l(i) * l(j) - (h(i) * l(i)) * (h(j) * l(j))), flow[0], B),
        ("==", -u * B * (l(i) * l(j) - l(i) * (h(j) * l(j))), in_range, h(i) * l(i), B),
        ("==", 0, in_j, h(j) * l(j), B),
    )
    return antitone(unseen, t, slope)


@cache
def limit_of_all(root: Theorem = root) -> Theorem:
    """U is its part in the range, and what stays."""
    off, near = h(i) * h(j) * U - inverse / v, limit_of_U(root)
    same = calc(away(), ("==", off + unseen - at_start(unseen)), ("==", off, what_stays(), unseen, off))
    each = show(away() ** 2, "==", off**2, same, away(), off)
    return calc(pairs(away() ** 2), ("==", near.lhs, each), ("<=", near.rhs, near))


@proves("OURS:R5.limit/rate", statements)
@proves("BB:R5.3.deg", statements)
@cache
def limits() -> Theorem:
    """Both limits together."""
    statement = statements()[0]
    return chain(gcongr(statement.lhs, limit_of_u(), limit_of_all()), statement.rhs)


regular = assume(
    "S is invertible: h_i h_j U_ij(0) = U_ij(0)",
    h(i) * h(j) * U_(i, j, START),
    "==",
    U_(i, j, START),
    every=(i, j),
)
fourth_root = assume("v = T^{1/4}", v, "==", T ** Fraction(1, 4))


def regular_statements(exponent: Fraction = Fraction(1, 4)) -> tuple[Statement, Statement]:
    """Remark 5.3: the same for an invertible S, with U for its part in the range; the exponent
    stands for 1/4.
    """
    at = assume("v = T^{1/4}", v, "==", T ** Fraction(exponent))
    given = EVERYTHING | hypotheses(*of_the_inverse, regular, at)
    return (
        Statement((u - v) ** 2, "<=", decayed / v**2, given),
        Statement(pairs((U - inverse / v) ** 2), "<=", 4 * decayed / least_u**2, given),
    )


@cache
def regular_root() -> Theorem:
    """v^4 = T + b v^2, as b = 0."""
    first = show((h(i) * h(j) * U_(i, j, START)) ** 2, "==", U_(i, j, START) ** 2, regular)
    none = calc(
        at_start(seen),
        ("==", pairs((h(i) * h(j) * U_(i, j, START)) ** 2), instantiate(masked(), {t: START})),
        ("==", pairs(U_(i, j, START) ** 2), first),
        ("==", u_(START) ** 2, instantiate(balanced(), {t: START})),
        ("==", s**2, start[1]),
    )
    return calc(v**4, ("==", T, fourth_root, T), ("==", T + b * v**2, show(b, "==", 0, none), b))


@proves("BB:R5.3.limits", regular_statements, part=1)
def regular_limit_of_u() -> Theorem:
    return limit_of_u(regular_root())


@proves("BB:R5.3.limits", regular_statements, part=2)
def regular_limit_of_U() -> Theorem:
    """All of U is in the range."""
    whole = calc(unseen, ("==", at_start(unseen), what_stays()), ("==", 0, regular))
    same = show(U - inverse / v, "==", h(i) * h(j) * U - inverse / v, whole)
    near = limit_of_U(regular_root())
    each = show((U - inverse / v) ** 2, "==", (h(i) * h(j) * U - inverse / v) ** 2, same, U - inverse / v)
    return calc(pairs((U - inverse / v) ** 2), ("==", near.lhs, each), ("<=", near.rhs, near))


def degenerate_statements(four: Fraction = Fraction(4)) -> tuple[Statement, Statement]:
    """Appendix F.3, item 4: (u - v)^2 <= E/v^2 and |U - S^+/v - P(U(0))|^2 <= 4 E/a^2 for v =
    1/alpha, where alpha^2 = ((b^2 + four T)^{1/2} - b)/(2 T) solves T alpha^4 + b alpha^2 = four/4.
    """
    scale = Fraction(four) / 4
    given = EVERYTHING | hypotheses(*of_the_inverse, root_of(v**4 if scale == 1 else scale * v**4))
    return (
        Statement((u - v) ** 2, "<=", decayed / v**2, given),
        Statement(pairs(away() ** 2), "<=", 4 * decayed / least_u**2, given),
    )


proves("BB:F.3.4c", degenerate_statements, part=1)(limit_of_u)
proves("BB:F.3.4c", degenerate_statements, part=2)(limit_of_all)


def range_statements(sign: int = 1) -> tuple[Statement, Statement]:
    """Remark 5.3 from every alpha > 0, which the sign multiplies at the start."""
    other = assume("u(0) = s", u_(START), "==", s if sign == 1 else -s)
    given = lambda of: replace(of, assumptions=of.assumptions - start[1].assumptions | other.assumptions)
    first, second = regular_statements()
    return given(first), given(second)


proves("BB:T5.2.range", range_statements, part=1)(regular_limit_of_u)
proves("BB:T5.2.range", range_statements, part=2)(regular_limit_of_U)
