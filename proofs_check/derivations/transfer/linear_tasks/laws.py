"""The laws of the in-context linear model (11) of Boursier & Boyer at every task w_mu, with label
noise of the variance tau^2, in an eigenbasis of the covariance Sigma of the covariates; and what
Assumption 4.2 asks for of them.

A token is (x, w.x + noise), and a query (x, 0)/kappa, with Gaussian x and kappa^2 = max(1,
|Sigma|).
The coordinate of the label is that at which e is 1; there Sigma has the eigenvalue 0, and w
one more normal number, which no token and no query sees.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
from numerics.derivations.kernel.terms import GAUSSIAN, Function, Op, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.linear_model import h, shift
from proofs_check.derivations.gaussian_tokens.task_moments import exponential_moment
from proofs_check.derivations.linear_attention.eigenbasis import eigenvalues, l
from proofs_check.derivations.linear_attention.polyak_lojasiewicz import largest, top
from proofs_check.derivations.softmax_average.form_of_the_paper import long_prompts
from proofs_check.derivations.softmax_average.softmax_average import d, i, over, sub_gaussian, v
from proofs_check.derivations.softmax_average.softmax_average import mean as over_a_token
from proofs_check.derivations.softmax_average.softmax_average import z as token
from proofs_check.derivations.softmax_average.tilted import query, sub_gaussian_query
from proofs_check.derivations.softmax_average.tilted import y as at_a_query
from proofs_check.derivations.transfer.risks.rates import S, finite, mean, square, task
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import at_every_task, of_the_task

e, w = Function("e", (Sort.INDEX,)), Function("w", (Sort.TASK, Sort.INDEX))
tau2 = Variable("tau2", range=NONNEGATIVE)
#: |w|^2 at a task, kappa^2, and sigma_mu^2 = max(1, |Sigma|(1 + |w|^2) + tau^2).
size_of_w = over(i, d, w(task, i) ** 2)
scale = Op("max", (term(1), top))
proxy = Op("max", (term(1), top * (1 + size_of_w) + tau2))
#: The coordinates of v = (x, b) without the last one, this one, and |v|^2.
covariate = (1 - e(i)) * v(i)
last, size = over(i, d, e(i) * v(i)), over(i, d, v(i) ** 2)
in_noise = tau2 * last**2

coordinate = (
    assume("e is 1 at the coordinate of the label, and 0 at others", e(i) ** 2, "==", e(i), every=(i,)),
    assume("the label has one coordinate", over(i, d, e(i)), "==", 1),
    assume("Sigma does not see the coordinate of the label", l(i) * e(i), "==", 0, every=(i,)),
)
law_of_tokens = assume(
    "tokens of model (11): E e^{v.Z} for Z = (x, w.x + noise) with x ~ N(0, Sigma)",
    of_the_task(over_a_token(exp(over(i, d, v(i) * token(i, Variable("k", Sort.TOKEN)))))),
    "==",
    of_the_task(exp((over(i, d, l(i) * (v(i) + last * w(task, i)) ** 2) + in_noise) / 2)),
    every=(v, task),
)
law_of_queries = assume(
    "queries of model (11): E e^{v.y} for y = x/kappa with x ~ N(0, Sigma)",
    of_the_task(bind("query", (query,), exp(over(i, d, v(i) * at_a_query(i, query))))),
    "==",
    of_the_task(exp(over(i, d, l(i) * v(i) ** 2) / (2 * scale))),
    every=(v, task),
)
law_of_tasks = assume(
    "tasks of model (11): E e^{|w|^2/4} for w ~ N(0, I)",
    mean(exp(size_of_w / 4)),
    "==",
    bind("normal", (h,), exp(over(i, d, GAUSSIAN(i, h) ** 2) / 4)),
)
width = assume("sigma_mu^2 is max(1, |Sigma|(1 + |w|^2) + tau^2)", square, "==", proxy, every=(task,))
#: What bounds E sigma_mu^12.
WIDEST = Op("max", (term(1), top + tau2)) ** 6 * 24**6 * exp(-6) * exp(Fraction(1, 4)) * 2 ** (d / 2)
moments = assume("S is at least the bound of E sigma_mu^12", WIDEST, "<=", S)
MODEL = (*coordinate, law_of_tokens, law_of_queries, law_of_tasks, width, moments, eigenvalues, largest)
N_ = Variable("N_", range=NONNEGATIVE)
A_, B_ = (Variable(name, range=NONNEGATIVE) for name in ("A_", "B_"))


def of(thm: Theorem) -> Assumption:
    """The hypothesis that is made of one law, for the laws of all tasks."""
    (one,) = at_every_task(hypotheses(thm))
    return one


@cache
def label_in_the_vector() -> tuple[Theorem, Theorem]:
    """b^2 <= |v|^2 and |x|^2 + b^2 <= |v|^2 for v = (x, b), as b^2 <= sum_i e_i v_i^2 by Cauchy and
    Schwarz.
    """
    square, own = (
        show(e(i) ** 2 * v(i) ** 2, "==", e(i) * v(i) ** 2, coordinate[0]),
        over(i, d, e(i) * v(i) ** 2),
    )
    first = calc(over(i, d, e(i) ** 2), ("==", over(i, d, e(i)), coordinate[0]), ("==", 1, coordinate[1]))
    below = calc(
        last**2,
        ("<=", over(i, d, e(i) ** 2) * over(i, d, e(i) ** 2 * v(i) ** 2), _schwarz()),
        ("==", own, first, square),
    )
    rest = calc(
        over(i, d, covariate**2),
        ("==", over(i, d, v(i) ** 2 - 2 * (e(i) * v(i) ** 2) + e(i) ** 2 * v(i) ** 2)),
        ("==", size - own, square),
    )
    both = calc(over(i, d, covariate**2) + last**2, ("<=", size - own + own, rest, below), ("==", size))
    return show(last**2, "<=", size, both, over(i, d, covariate**2)), both


def _schwarz() -> Theorem:
    """(sum_i e_i (e_i v_i))^2 with e_i^2 = e_i."""
    same = calc(last, ("==", over(i, d, e(i) * (e(i) * v(i))), coordinate[0]))
    return calc(
        last**2,
        ("==", over(i, d, e(i) * (e(i) * v(i))) ** 2, same),
        (
            "<=",
            over(i, d, e(i) ** 2) * over(i, d, e(i) ** 2 * v(i) ** 2),
            cauchy_schwarz("coordinates", (i,), e(i), e(i) * v(i), (d,)),
        ),
    )


@cache
def sub_gaussian_tokens() -> Theorem:
    """E e^{v.Z} <= e^{sigma_mu^2 |v|^2/2}: |Sigma| |x + b w|^2 + tau^2 b^2 <= sigma_mu^2 |v|^2."""
    small, both = label_in_the_vector()
    seen = covariate + last * w(task, i)
    each = calc(
        l(i) * (v(i) + last * w(task, i)) ** 2,
        ("==", l(i) * seen**2 + l(i) * e(i) * (2 * v(i) * seen + e(i) * v(i) ** 2)),
        ("==", l(i) * seen**2, coordinate[2]),
        ("<=", top * seen**2, largest),
    )
    spread = over(i, d, each.lhs)
    norm = calc(
        spread,
        ("<=", top * over(i, d, seen**2), each),
        ("<=", top * ((1 + size_of_w) * size), shift(covariate, last, w(task, i)), both),
    )
    wide = instantiate(
        show((top * (1 + A_) + tau2) * B_, "<=", Op("max", (term(1), top * (1 + A_) + tau2)) * B_),
        {A_: size_of_w, B_: size},
    )
    exponent = calc(
        spread + in_noise,
        ("<=", top * ((1 + size_of_w) * size) + tau2 * size, norm, small),
        ("==", wide.lhs),
        ("<=", proxy * size, wide),
        ("==", square * size, width),
    )
    goal = of(sub_gaussian())
    law = calc(law_of_tokens, ("==", exp((spread + in_noise) / 2)), ("<=", exp(square * size / 2), exponent))
    return chain(goal.lhs, law, goal.rhs)


@cache
def sub_gaussian_queries() -> Theorem:
    """E e^{v.y} <= e^{|v|^2/2}, as |Sigma| <= kappa^2."""
    each = calc(l(i) * v(i) ** 2, ("<=", top * v(i) ** 2, largest))
    share = instantiate(show(top * N_ / scale, "<=", N_), {N_: size})
    exponent = calc(over(i, d, each.lhs) / scale, ("<=", top * size / scale, each), ("<=", size, share))
    goal = of(sub_gaussian_query())
    law = calc(law_of_queries, ("==", exp(exponent.lhs / 2)), ("<=", exp(size / 2), exponent))
    return chain(goal.lhs, law, goal.rhs)


@cache
def at_least_one() -> Theorem:
    """sigma_mu >= 1."""
    goal = of(long_prompts()[1])
    larger = calc(1, ("<=", proxy), ("==", square, width))
    return chain(goal.lhs, show(1, "<=", sqrt(square), larger, square), goal.rhs)


@cache
def twelfth_moment() -> Theorem:
    """E sigma_mu^12 is at most the bound: sigma_mu^2 <= max(1, |Sigma| + tau^2)(1 + |w|^2), and x^6
    <= (24/e)^6 e^{x/4}.
    """
    most, factor = Op("max", (term(1), top + tau2)), term(24) ** 6 * exp(-6) * exp(Fraction(1, 4))
    below = show(Op("max", (term(1), top * (1 + N_) + tau2)), "<=", most * (1 + N_))
    power = arithmetic((1 + N_) ** 6, "<=", factor * exp(N_ / 4))
    each = calc(
        square**6,
        ("==", proxy**6, width),
        ("<=", (most * (1 + size_of_w)) ** 6, instantiate(below, {N_: size_of_w})),
        ("==", most**6 * (1 + size_of_w) ** 6),
        ("<=", most**6 * (factor * exp(size_of_w / 4)), instantiate(power, {N_: size_of_w})),
    )
    return calc(
        mean(square**6),
        ("<=", most**6 * factor * mean(exp(size_of_w / 4)), each),
        ("<=", most**6 * factor * law_of_tasks.rhs, law_of_tasks),
        ("<=", most**6 * factor * 2 ** (d / 2), exponential_moment()),
        ("<=", S, moments),
    )


def asked() -> tuple[Assumption, ...]:
    """What Assumption 4.2 asks for."""
    return (*map(of, (sub_gaussian(), sub_gaussian_query(), long_prompts()[1])), *finite.assumptions)


def shown() -> tuple[Theorem, ...]:
    """How the model meets it."""
    return sub_gaussian_tokens(), sub_gaussian_queries(), at_least_one(), twelfth_moment()
