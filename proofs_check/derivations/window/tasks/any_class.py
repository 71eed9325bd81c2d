"""R13: the mean square of the numerator of an attention window's error, times e^{-rX}, where X is
the sum of the weights, for every class of tasks, prompt length and r.

A task of the class, turned by a random rotation, is a sum of features of the degrees 1, .., D with
uncorrelated coefficients of variance 1, so that rho is a sum of b_n P_n; what is of degree 0
cancels. The query x is fixed, the weights W = e^{-s^2} are functions of the height of a token over
it, and the labels have centred noise of variance sigma^2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, independent, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import scaled
from proofs_check.derivations.proof import proves

k, l, prompt = Variable("k", Sort.TOKEN), Variable("l", Sort.TOKEN), Variable("p", Sort.PROMPT)
y = Variable("y", Sort.QUERY)
n, i, j, h = (Variable(name, Sort.INDEX) for name in "nijh")
D, M = Variable("D", range=whole(1)), Variable("M", range=whole(1))
r, sigma2 = Variable("r", range=POSITIVE), Variable("sigma2", range=NONNEGATIVE)
two_indices = (Sort.INDEX, Sort.INDEX)
#: The features of a token and of the query, the coefficients of one task and of all, any array.
F, F_x = Function("F", (*two_indices, Sort.TOKEN), Fraction(2)), Function("F_x", two_indices)
one_task, c = Function("c", two_indices), Function("c_y", (*two_indices, Sort.QUERY), Fraction(2))
A = Function("A", (*two_indices, *two_indices))
b, P = Function("b", (Sort.INDEX,)), Function("P", (Sort.INDEX, Sort.TOKEN), None)
s, noise = Function("s", (Sort.TOKEN,)), Function("eps", (Sort.TOKEN,), Fraction(2))

mean = lambda e: bind("mean", (k,), e)
tasks = lambda e: bind("query", (y,), e)
prompts = lambda e: bind("prompt", (prompt,), e)
total = lambda e: bind("sum", (k,), e, (prompt,))
features = lambda e: bind("coordinates", (n, i), e, (D, M))
pairs = lambda e: bind("coordinates", (n, i, j, h), e, (D, M, D, M))
of_a_degree = lambda e: bind("coordinates", (i,), e, (M,))
degrees = lambda e: bind("coordinates", (n,), e, (D,))

W = exp(-(s(k) ** 2))
g = exp(-(r * W))
u, v, m = W * g, W**2 * g, mean(g)
apart = F_x(n, i) - F(n, i, k)
q = 1 - P(n, k)


def difference(of: Term) -> Term:
    """f(x) - f(x_k), for the coefficients of a task."""
    return features(of * apart)


def numerator(of: Term) -> Term:
    """E over prompts of (sum W_k (f(x) - f(x_k) - noise))^2 e^{-rX}."""
    error = total(W * (difference(of) - noise(k)))
    return prompts(error**2 * exp(-(r * total(W))))


isotropic = assume(
    "Schur: query and tokens are jointly invariant, so that the query may be fixed and the task "
    "turned by a random rotation, which leaves uncorrelated coefficients, E c'Ac = tr A",
    tasks(pairs(c(n, i, y) * c(j, h, y) * A(n, i, j, h))),
    "==",
    features(A(n, i, n, i)),
    every=(A,),
    cited=True,
)
addition = (
    assume(
        "addition theorem: sum F_i(x) F_i(x_k) = b P(x.x_k)",
        of_a_degree(F_x(n, i) * F(n, i, k)),
        "==",
        b(n) * P(n, k),
        every=(n, k),
        cited=True,
    ),
    assume(
        "addition theorem at one point, the query: sum F_i(x)^2 = b",
        of_a_degree(F_x(n, i) ** 2),
        "==",
        b(n),
        every=(n,),
        cited=True,
    ),
    assume(
        "addition theorem at one point, a token: sum F_i(x_k)^2 = b",
        of_a_degree(F(n, i, k) ** 2),
        "==",
        b(n),
        every=(n, k),
        cited=True,
    ),
)
funk_hecke = assume(
    "formula of Funk and Hecke: E W e^{-rW} F_i = F_i(x) E W e^{-rW} P",
    mean(u * F(n, i, k)),
    "==",
    F_x(n, i) * mean(u * P(n, k)),
    every=(n, i),
    cited=True,
)
NOISE = (
    assume("centred noise: E W e^{-rW} eps = 0", mean(u * noise(k)), "==", 0),
    assume(
        "noise that is independent of the tokens: E W^2 e^{-rW} (F_i(x) - F_i) eps = 0",
        mean(v * apart * noise(k)),
        "==",
        0,
        every=(n, i),
    ),
    assume("noise of the variance sigma^2", mean(v * noise(k) ** 2), "==", sigma2 * mean(v)),
)


other = instantiated(apart, {n: j, i: h})
share = F_x(n, i) * mean(u * q)


@cache
def squares_of_one_task() -> Theorem:
    """E W^2 e^{-rW} (f(x) - f(x_k) - noise)^2."""
    f, own = difference(one_task(n, i)), NOISE[2]
    none = integrate("coordinates", (n, i), scaled(one_task(n, i), NOISE[1]), (D, M))
    return calc(
        mean(v * (f - noise(k)) ** 2),
        ("==", mean(v * f**2) - 2 * none.lhs + own.lhs),
        ("==", mean(v * f**2) - 2 * none.rhs + own.lhs, none),
        ("==", mean(v * f**2) + own.rhs, own),
        ("==", pairs(one_task(n, i) * one_task(j, h) * mean(v * apart * other)) + sigma2 * mean(v)),
    )


@cache
def line_of_one_task() -> Theorem:
    """E W e^{-rW} (f(x) - f(x_k) - noise)."""
    f, centred = difference(one_task(n, i)), NOISE[0]
    line = calc(
        F_x(n, i) * mean(u) - funk_hecke.lhs,
        ("==", F_x(n, i) * mean(u) - funk_hecke.rhs, funk_hecke),
        ("==", share),
    )
    each = integrate("coordinates", (n, i), scaled(one_task(n, i), line), (D, M))
    return calc(
        mean(u * (f - noise(k))),
        ("==", each.lhs - centred.lhs),
        ("==", each.rhs - centred.lhs, each),
        ("==", each.rhs, centred),
    )


@cache
def of_one_task() -> Theorem:
    """The tokens are independent."""
    error = difference(one_task(n, i)) - noise(k)
    at = lambda name: instantiated(W * error, {k: name})
    single = independent(prompt, (k, r * W), (k, at(k) ** 2))
    pair = independent(prompt, (k, r * W), (k, at(k)), (l, at(l)))
    own, cross = squares_of_one_task(), line_of_one_task()
    first, second = L * m ** (L - 1), L * (L - 1) * m ** (L - 2)
    square = show(cross.lhs**2, "==", cross.rhs**2, cross, cross.lhs, cross.rhs)
    return calc(
        numerator(one_task(n, i)),
        ("==", single.lhs + pair.lhs),
        ("==", single.rhs + pair.rhs, single, pair),
        ("==", first * own.lhs + second * square.lhs),
        ("==", first * own.rhs + second * square.lhs, scaled(first, own)),
        ("==", first * own.rhs + second * square.rhs, scaled(second, square)),
    )


@cache
def squared_distance() -> Theorem:
    """sum (F_i(x) - F_i(x_k))^2 = 2 sum b (1 - P)."""
    across, query, token = addition
    line = calc(
        of_a_degree(apart**2),
        ("==", query.lhs - 2 * across.lhs + token.lhs),
        ("==", query.rhs - 2 * across.lhs + token.lhs, query),
        ("==", query.rhs - 2 * across.rhs + token.lhs, scaled(term(2), across)),
        ("==", query.rhs - 2 * across.rhs + token.rhs, token),
        ("==", 2 * b(n) * q),
    )
    return calc(
        features(apart**2),
        ("==", degrees(line.lhs)),
        ("==", degrees(line.rhs), integrate("coordinates", (n,), line, (D,))),
    )


@cache
def mean_square() -> Theorem:
    """The mean over tasks of the first, without the noise."""
    inner = instantiate(isotropic, {A: ((n, i, j, h), mean(v * apart * other))})
    each = integrate("mean", (k,), scaled(v, squared_distance()))
    return calc(
        inner,
        ("==", each.lhs),
        ("==", each.rhs, each),
        ("==", degrees(2 * b(n) * mean(v * q))),
    )


@cache
def square_of_the_mean() -> Theorem:
    """The mean over tasks of the square of the second."""
    inner = instantiate(isotropic, {A: ((n, i, j, h), share * instantiated(share, {n: j, i: h}))})
    at_query = scaled(mean(u * q) ** 2, addition[1])
    return calc(
        inner,
        ("==", degrees(at_query.lhs)),
        ("==", degrees(at_query.rhs), integrate("coordinates", (n,), at_query, (D,))),
        ("==", degrees(b(n) * mean(u * q) ** 2)),
    )


def statements(factor: int = 2, whole: int = 1) -> tuple[Statement, Statement]:
    """X times the error is the numerator, where `whole` stands for the sum of the weights over X;
    and the mean over tasks and prompts of its square, times e^{-rX}: `factor` stands for a 2.
    """
    value, at_query = features(one_task(n, i) * F(n, i, k)), features(one_task(n, i) * F_x(n, i))
    X = total(W)
    error = whole * at_query - total(W * (value + noise(k))) / X
    single = degrees(factor * b(n) * mean(v * q)) + sigma2 * mean(v)
    cross = degrees(b(n) * mean(u * q) ** 2)
    right = L * m ** (L - 1) * single + L * (L - 1) * m ** (L - 2) * cross
    given = hypotheses(isotropic, *addition, funk_hecke, *NOISE)
    return (
        Statement(X * error, "==", total(W * (difference(one_task(n, i)) - noise(k)))),
        Statement(tasks(numerator(c(n, i, y))), "==", right, given),
    )


@proves("OURS:R13", statements, part=1)
@cache
def numerator_of_the_error() -> Theorem:
    left, right = (getattr(statements()[0], side) for side in ("lhs", "rhs"))
    return show(left, "==", right)


@proves("OURS:R13", statements, part=2)
@cache
def at_every_r() -> Theorem:
    one = integrate("query", (y,), instantiate(of_one_task(), {one_task: ((n, i), c(n, i, y))}))
    own, cross = mean_square(), square_of_the_mean()
    first, second = L * m ** (L - 1), L * (L - 1) * m ** (L - 2)
    return calc(
        one,
        ("==", first * (own.lhs + sigma2 * mean(v)) + second * cross.lhs),
        ("==", first * (own.rhs + sigma2 * mean(v)) + second * cross.lhs, scaled(first, own)),
        ("==", first * (own.rhs + sigma2 * mean(v)) + second * cross.rhs, scaled(second, cross)),
    )
