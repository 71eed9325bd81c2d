"""Why a mean over the outcome may be differentiated under its sign: what bounds the gradient of the
loss at an outcome, for all parameters in the ball at once, has a finite mean.

For a prompt it speaks of the sums of |z|^2 and |z|^4 over its tokens, and for an infinite prompt of
sigma_mu; both speak of the query and not of U and V.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, at_task, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import second_moment
from proofs_check.derivations.softmax_average.query_average import (
    U,
    at_the_query,
    norm_of_the_score,
    norm_U,
    norm_V,
    operator_norm,
)
from proofs_check.derivations.softmax_average.softmax_average import (
    d,
    expectation,
    m,
    sigma,
    sub_gaussian,
    total,
)
from proofs_check.derivations.softmax_average.softmax_average import mean as over_a_token
from proofs_check.derivations.softmax_average.tilted import (
    QUERY,
    TOKEN,
    h,
    moment_of_the_norm,
    query,
    sub_gaussian_query,
    tilted_moment,
    weighted_moment,
)
from proofs_check.derivations.softmax_gradients import sizes
from proofs_check.derivations.softmax_gradients.averages import LAW, PROMPT, Average, F
from proofs_check.derivations.transfer.risks import distance_of_gradients as gradients
from proofs_check.derivations.transfer.risks.distance_of_risks import (
    from_the_origin,
    growth,
    square_T,
    square_y,
)
from proofs_check.derivations.transfer.risks.mean_of_a_vector import norm
from proofs_check.derivations.transfer.risks.outcomes import i, j, k, outputs
from proofs_check.derivations.transfer.risks.rates import S, mean, square, task
from proofs_check.derivations.transfer.risks.segment import flat
from proofs_check.derivations.transfer.risks.tasks.jacobians_at_tasks import moments_of_the_query
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import (
    OF_THE_TASK,
    at_every_task,
    of_the_task,
)
from proofs_check.derivations.transfer.risks.tasks.outputs_at_tasks import BALL, rho

x2 = QUERY.square
A_ = Variable("A_", range=NONNEGATIVE)


def squares(average: Average) -> Term:
    """|J|^2 + |T|^2 at a query, for the output T and its gradients in U and in V."""
    return instantiated(sizes.in_U(average) + sizes.in_V(average) + sizes.output(average), at_the_query)


def for_a_prompt(radius: Term | Fraction) -> Term:
    """r^2 |x|^2 sum|z|^4 + (m + r^2) sum|z|^2 for the ball of radius r = radius rho."""
    r2 = (radius * rho) ** 2
    return r2 * x2 * total(F) + (m + r2) * total(TOKEN.square)


def for_infinite_prompts(radius: Term | Fraction) -> Term:
    """16 r^2 sigma^4 |x|^2 (1 + h + r^2 sigma^2 |x|^2)^2 + 4 (m + r^2) sigma^2 (h + r^2 sigma^2
    |x|^2).
    """
    r2 = (radius * rho) ** 2
    a2 = r2 * sigma**2 * x2
    return 16 * r2 * sigma**4 * x2 * (1 + h + a2) ** 2 + 4 * (m + r2) * sigma**2 * (h + a2)


def constant(radius: Term | Fraction, *powers: Term) -> Term:
    """What bounds both means, where powers stand for sigma^2, sigma^4 and sigma^8; without them, in
    units of 1 + E sigma^12.
    """
    r2, (s1, _, s3), unit = (radius * rho) ** 2, moments_of_the_query, (1 + h) ** 2
    one, two, four = powers or (term(1),) * 3
    prompt = L * (16 * r2 * s1 * unit * two + (m + r2) * s1 * one)
    rest = 32 * r2 * (unit * s1 * two + r2**2 * s3 * four)
    return prompt + rest + 4 * (m + r2) * (h * one + r2 * s1 * two)


def finite(moment: int = 12) -> Theorem:
    """The hypothesis that E sigma^12 is at most S; the moment stands for the 12."""
    return assume(f"E sigma^{moment} <= S", mean(square ** (moment // 2)), "<=", S)


def means(radius: Fraction) -> Term:
    """The means of both, over the prompts and the query."""
    return QUERY.mean(expectation(for_a_prompt(radius))) + QUERY.mean(for_infinite_prompts(radius))


OF_THE_BALL = operator_norm(U, norm_U, d), sizes.bound_of_V, *BALL


def statements(
    share: Fraction = Fraction(1), radius: Fraction = Fraction(2), moment: int = 12
) -> tuple[Statement, ...]:
    """|J g| <= share (|J|^2 + |T|^2 + |y|^2)/2 for the Jacobian J and the slope g of the loss at an
    output T; bounds of |J|^2 + |T|^2 at a query, for a prompt and for infinite prompts, for all U
    and V of norms up to 2 rho; and that their means over everything else are finite. The radius
    stands for the 2, and the moment for the 12 of E sigma^12.
    """
    image = norm(outputs(gradients.Jacobian(i, j, k) * gradients.slope))
    bound = Fraction(share) * (gradients.norm_J**2 + square_T + square_y) / 2
    given = hypotheses(gradients.norms[gradients.Jacobian], from_the_origin, flat)
    radius, laws = Fraction(radius), hypotheses(sub_gaussian())
    of_tasks = at_every_task(laws | hypotheses(sub_gaussian_query())) | hypotheses(finite(moment))
    return (
        Statement(image, "<=", bound, given),
        Statement(squares(PROMPT), "<=", for_a_prompt(radius), hypotheses(sizes.bound_of_V, *BALL)),
        Statement(squares(LAW), "<=", for_infinite_prompts(radius), laws | hypotheses(*OF_THE_BALL)),
        Statement(mean(of_the_task(means(radius))), "<=", constant(radius) * (1 + S), of_tasks),
    )


TWO, POWERS = Fraction(2), tuple((sigma**2) ** p for p in (1, 2, 4))


@proves("BB:LE.4.split/majorant", statements, part=1)
@cache
def of_the_integrand() -> Theorem:
    """|J g| <= |J||g| with |g|^2 <= |T|^2 + |y|^2."""
    J, slope2 = gradients.norm_J, outputs(gradients.slope**2)
    image = instantiate(gradients.norms[gradients.Jacobian], {gradients.direction: ((j,), gradients.slope)})
    return calc(
        statements()[0].lhs,
        ("<=", sqrt(J**2 * slope2), image),
        ("<=", (J**2 + slope2) / 2, slope2),
        ("<=", (J**2 + square_T + square_y) / 2, growth()),
    )


def _sizes(average: Average) -> tuple[Theorem, ...]:
    every = sizes.size_in_U, sizes.size_in_V, sizes.size_of_the_output
    return tuple(instantiate(size(average), at_the_query) for size in every)


@proves("BB:LE.4.split/majorant", statements, part=2)
@cache
def at_a_prompt() -> Theorem:
    """No weight of a token is larger than the sum of all."""

    def below(root: Term, power: Term) -> Theorem:
        larger = second_moment.no_larger_than_the_sum(root)
        less = show(PROMPT(power), "<=", total(power), larger)
        return instantiate(less, at_the_query)

    second, fourth = below(sqrt(TOKEN.square), TOKEN.square), below(TOKEN.square, F)
    return calc(
        squares(PROMPT),
        ("<=", norm_V**2 * x2 * fourth.lhs + (m + norm_V**2) * second.lhs, *_sizes(PROMPT)),
        ("<=", norm_V**2 * x2 * fourth.rhs + (m + norm_V**2) * second.rhs, fourth, second),
        ("<=", for_a_prompt(TWO), BALL[1]),
    )


@proves("BB:LE.4.split/majorant", statements, part=3)
@cache
def for_all_parameters() -> Theorem:
    """By the second moments of tilted tokens, which rise with |U|."""
    second, fourth = (instantiate(tilted_moment(q), at_the_query) for q in (1, 2))
    score = norm_of_the_score()
    form = lambda V2, a2: (
        16 * V2 * sigma**4 * x2 * (1 + h + sigma**2 * a2) ** 2 + 4 * (m + V2) * sigma**2 * (h + sigma**2 * a2)
    )
    return calc(
        squares(LAW),
        ("<=", norm_V**2 * x2 * fourth.lhs + (m + norm_V**2) * second.lhs, *_sizes(LAW)),
        ("<=", form(norm_V**2, score.lhs), fourth, second),
        ("<=", form(norm_V**2, norm_U**2 * x2), score),
        ("<=", form((2 * rho) ** 2, (2 * rho) ** 2 * x2), *BALL),
        ("==", for_infinite_prompts(TWO)),
    )


@cache
def means_of_a_law() -> Theorem:
    """Both means are sums of sigma^2, sigma^4 and sigma^8."""
    r2, (s1, _, s3), unit = (2 * rho) ** 2, moments_of_the_query, (1 + h) ** 2
    first, third = (
        show(QUERY.mean(e), "<=", s, weighted_moment(q, QUERY, Fraction(0)))
        for q, e, s in ((1, x2, s1), (3, x2**3, s3))
    )
    plain, a2 = weighted_moment(1, TOKEN, Fraction(0)), r2 * sigma**2 * x2
    second = calc(over_a_token(TOKEN.square), ("==", sigma**2 * plain.lhs), ("<=", sigma**2 * s1, plain))
    fourth = calc(over_a_token(F), ("<=", 16 * sigma**4 * unit, moment_of_the_norm(2)))
    two = instantiate(show((1 + h + A_) ** 2, "<=", 2 * unit + 2 * A_**2), {A_: a2})
    for_prompts = lambda x, z4, z2: r2 * x * (L * z4) + (m + r2) * (L * z2)
    other = lambda x, x3: (
        32 * r2 * sigma**4 * (unit * x + r2**2 * sigma**4 * x3)
        + 4 * (m + r2) * sigma**2 * (h + r2 * sigma**2 * x)
    )
    prompt, rest = for_prompts(first.lhs, fourth.lhs, second.lhs), other(first.lhs, third.lhs)
    split = integrate("query", (query,), gcongr(for_infinite_prompts(TWO), two))
    return chain(
        means(TWO),
        gcongr(means(TWO), split),
        prompt + rest,
        gcongr(prompt + rest, first, second, third, fourth),
        constant(TWO, *POWERS),
    )


@proves("BB:LE.4.split/majorant", statements, part=4)
@cache
def over_the_tasks() -> Theorem:
    """sigma^2, sigma^4 and sigma^8 are at most 1 + sigma^12."""
    s = Variable("s_", range=POSITIVE)
    larger = [instantiate(show(s**p, "<=", 1 + s**6), {s: sigma**2}) for p in (1, 2, 4)]
    bound = constant(TWO, *POWERS)
    each = chain(means_of_a_law(), gcongr(bound, *larger), constant(TWO) * (1 + (sigma**2) ** 6))
    average = integrate("task", (task,), at_task(each, task, OF_THE_TASK))
    return calc(
        average,
        ("==", constant(TWO) * (1 + mean(square**6))),
        ("<=", constant(TWO) * (1 + S), gcongr(constant(TWO) * (1 + mean(square**6)), finite())),
    )
