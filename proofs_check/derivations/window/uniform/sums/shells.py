"""The shells of the proof of Lemma G.4 of Collins et al.: sums over the tokens, for a whole r."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import X, d, j, k, p, prompt, r, total
from proofs_check.derivations.window.uniform.cap_measure import height, q, x
from proofs_check.derivations.window.uniform.kernel_means import sphere
from proofs_check.derivations.window.uniform.kernel_sum_order import apart, as_depth, distance, ell, half
from proofs_check.derivations.window.uniform.sums.from_above import near_tokens, whole_part
from proofs_check.derivations.window.uniform.sums.from_below import g_p, kernel, same_sign, weight
from proofs_check.derivations.window.uniform.sums.numbers import M, above, c, ind, l, over_numbers
from proofs_check.derivations.window.uniform.sums.rings import within

u, v, t = (Variable(name, range=REALS) for name in "uvt")
Y, C = (Variable(name, range=POSITIVE) for name in "YC")
deep, plain = r * half, exp(-r * distance)
behind = above(half - 1)


@cache
def whole() -> Theorem:
    return assume("r is the whole number M", r, "==", M)


@cache
def one_shell() -> Theorem:
    few = over_numbers(ind(c - t) * above(t + 1 - c))
    return assume("of 1, .., M at most one lies in [t, t + 1)", few, "<=", 1, every=(t,))


def between(inner: Term, outer: Term) -> Term:
    """How many tokens are in a cap and not in a smaller one, of heights over 1/r."""
    return total(within(outer / r)) - total(within(inner / r))


def statements(one: int | Fraction = 1) -> tuple[Statement, ...]:
    """g_p is at most one times the sum over the shells from above, and at least the sums from
    below over one, over i > 0 and, at p = 0, over i >= 0.
    """
    one = Fraction(one)
    upper = exp(2) * over_numbers(weight * total(within(c / r))) + exp(p / 2 * log(term(4)) - 2 * r) * total(
        behind
    )
    lower = over_numbers(exp(p / 2 * log(2 * c / r)) * exp(-2 * (c + 1)) * between(c, c + 1))
    lowest = over_numbers(exp(-2 * c) * between(c - 1, c))
    shell = one_shell().assumptions
    return (
        Statement(g_p, "<=", one * upper, hypotheses(whole_part()[2], whole(), *sphere(), apart())),
        Statement(lower / one, "<=", g_p, shell),
        Statement(lowest / one, "<=", total(plain), shell),
    )


@cache
def at_most_4() -> Theorem:
    """|x_k - x|^2/2 = 1 - x_k.x <= 2."""
    token, query = sphere()
    other = bind("coordinates", (j,), (X(j, k) + x(j, q)) ** 2, (d,))
    far = calc(
        0, ("<=", other), ("==", token.lhs + query.lhs + 2 * height), ("==", 2 + 2 * height, token, query)
    )
    return show(half, "<=", 2, far, as_depth(), height, half)


@proves("COL:G.4.shell", statements)
@cache
def shells_from_above() -> Theorem:
    """A token behind, at a distance between sqrt 2 and 2, adds at most 2^p e^{-2r}."""
    far = chain(arithmetic(ell(k), "==", log(2 * half)), gcongr(log(2 * half), at_most_4()))
    far = chain(far, log(term(4)))
    own = p / 2 * ell(k) - r * distance
    late = instantiate(show(above(u) * (-2 * u) * r, "<=", 0), {u: half - 1})
    rate = show(behind * -(r * distance), "<=", behind * (-2 * r), late)
    bound = p / 2 * log(term(4)) - 2 * r
    less = calc(
        behind * own,
        ("==", p / 2 * behind * ell(k) + rate.lhs),
        ("<=", p / 2 * behind * log(term(4)) + rate.rhs, far, rate),
        ("==", behind * bound),
    )
    inner = instantiate(show(above(u) * exp(v), "==", above(u) * exp(above(u) * v)), {u: half - 1})
    farther = calc(
        kernel * behind,
        ("==", behind * exp(own)),
        ("==", behind * exp(behind * own), instantiate(inner, {v: own})),
        ("<=", behind * exp(less.rhs), less),
        ("==", behind * exp(bound), instantiate(inner, {v: bound})),
    )
    same = instantiate(same_sign()[1], {u: half - 1})
    length = arithmetic(deep - M, "<=", deep - r, whole(), hide=(deep,))
    split = calc(
        kernel,
        ("==", kernel * ind(M - deep) + kernel * above(deep - M)),
        ("<=", kernel * ind(M - deep) + kernel * above(deep - r), gcongr(above(deep - M), length)),
        ("==", kernel * ind(M - deep) + kernel * behind, same),
    )
    one = chain(split, gcongr(split.rhs, near_tokens(), farther))
    return chain(g_p, integrate("sum", (k,), one, (prompt,)), statements()[0].rhs)


def in_shells(low: Term, top: Term, amount: Term, own: Term, least: Theorem, at: Term) -> Theorem:
    """The sum over the shells is at most that over the tokens, each of which is in one shell at
    most and adds at least the amount of that.
    """
    split = show(ind(u), "<=", ind(u) * above(v) + ind(-v))
    split = instantiate(split, {u: top / r - half, v: half - low / r})
    weak, strict = same_sign()
    weak, strict = instantiate(weak, {u: top / r - half}), instantiate(strict, {u: half - low / r})
    shell = within(top / r) * above(half - low / r)
    few = instantiate(one_shell(), {t: at})
    each = calc(
        amount * (within(top / r) - within(low / r)),
        ("<=", amount * (shell + within(low / r)) - amount * within(low / r), split),
        ("==", amount * (ind(top - deep) * above(deep - low)), weak, strict),
        ("==", own * least.lhs),
        ("<=", own * least.rhs, least),
    )
    one = integrate("coordinates", (l,), each, (M,))
    one = chain(one, own * few.lhs, gcongr(own * few.lhs, few), own)
    return integrate("sum", (k,), one, (prompt,))


@proves("COL:G.4.shell", statements, part=2)
@cache
def shells_from_below() -> Theorem:
    """A token between the depths c_l/r and (c_l + 1)/r."""
    rise = arithmetic(above(Y - C) * (p / 2 * (log(C) - log(Y))), "<=", 0)
    fall = arithmetic(ind(C + 1 - Y) * (2 * (Y - C - 1)), "<=", 0)
    both = above(Y - C) * ind(C + 1 - Y)
    less = p / 2 * (log(C) - log(Y)) + 2 * (Y - C - 1)
    inner = show(above(u) * ind(v) * exp(t), "==", above(u) * ind(v) * exp(above(u) * ind(v) * t))
    inner = instantiate(inner, {u: Y - C, v: C + 1 - Y, t: less})
    down = calc(
        both * less,
        ("==", ind(C + 1 - Y) * rise.lhs + above(Y - C) * fall.lhs),
        ("<=", ind(C + 1 - Y) * term(0) + above(Y - C) * term(0), rise, fall),
        ("==", term(0)),
    )
    least = calc(inner, ("<=", both * exp(term(0)), down), ("==", both))
    amount = exp(p / 2 * log(2 * c / r)) * exp(-2 * (c + 1))
    all_ = in_shells(c, c + 1, amount, kernel, instantiate(least, {Y: deep, C: c}), deep - 1)
    return chain(statements()[1].lhs, all_, g_p)


@proves("COL:G.4.shell", statements, part=3)
@cache
def shells_at_0() -> Theorem:
    """At p = 0 a token between the depths (c_l - 1)/r and c_l/r adds at least e^{-2 c_l}."""
    near = arithmetic(ind(C - Y) * exp(-2 * (C - Y)), "<=", ind(C - Y))
    least = gcongr(above(Y - (C - 1)) * near.lhs, near)
    all_ = in_shells(c - 1, c, exp(-2 * c), plain, instantiate(least, {Y: deep, C: c}), deep)
    return chain(statements()[2].lhs, all_, total(plain))
