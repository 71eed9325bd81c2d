"""The risks of in-context linear regression as averages over task, prompt and query: the prediction
is the last output coordinate, the row v = (p, c) of V times the tilted mean of the tokens.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.laws import form, sigma
from proofs_check.derivations.gaussian_tokens.lengths import absolute
from proofs_check.derivations.gaussian_tokens.linear_model import dot, h, l, label, mean, q, w, x
from proofs_check.derivations.gaussian_tokens.own_prompt import of_a_row, r
from proofs_check.derivations.gaussian_tokens.tilted_tokens import U, image, last, last_image, weight
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.gaussian_tokens import mu
from proofs_check.derivations.softmax_average.softmax_average import a, d, i, j, over

p, c = Function("v", (Sort.INDEX,)), Variable("c", range=REALS)
target = dot(w(i), x(i, q))


def loss(prediction: Term, power: int = 2) -> Term:
    """The mean over task and query of half the square of the error."""
    return mean(mean(absolute(prediction - target) ** power / 2, q), h)


def infinite_prompt(power: int = 2) -> Statement:
    """The risk of the last coordinate of attention is half the mean square of v' Gamma_w U(x_q, 0)
    - w.x_q.
    """
    attention = (over(i, d, p(i) * mean(weight * x(i))) + c * mean(weight * label)) / mean(weight)
    score = instantiated(image, {i: l}) + last_image * w(l)
    return Statement(loss(attention), "==", loss(form(p(i), score) + c * form(w(i), score), power))


@proves("BB:5.Rinf", infinite_prompt)
@cache
def infinite_prompt_theorem() -> Theorem:
    """The tilted mean of the covariates is Sigma a at the score a = u + u_last w."""
    score = instantiated(image, {i: j}) + last_image * w(j)
    same = instantiate(of_a_row(), {mu: ((j,), term(0)), r: ((j,), p(j) + c * w(j)), a: ((j,), score)})
    losses = (absolute(side - target) ** 2 / 2 for side in (same.lhs, same.rhs))
    point = show(next(losses), "==", next(losses), same, same.lhs, same.rhs, target)
    average = integrate("normal", (h,), integrate("normal", (q,), point))
    return show(infinite_prompt().lhs, "==", infinite_prompt().rhs, average)


# -- the limit of training -------------------------------------------------------------------------

J, b = Function("J", (Sort.INDEX, Sort.INDEX)), Function("b", (Sort.INDEX,))
t, outcome = Variable("t", range=POSITIVE), Variable("k", Sort.TOKEN)
guess, truth = (Function(name, (Sort.TOKEN,)) for name in ("guess", "truth"))


@cache
def inverse() -> Theorem:
    """a' Sigma J b = a'b for all vectors a and b. An index is any whole number, and a sum over
    coordinates ends at d, so that Sigma J b = b cannot be asked for at every index.
    """
    s = Variable("s", Sort.INDEX)
    image = over(l, d, sigma(i, l) * over(s, d, J(l, s) * b(s)))
    return assume(
        "J is the inverse of Sigma", over(i, d, a(i) * image), "==", over(i, d, a(i) * b(i)), every=(a, b)
    )


def risk_at_the_limit(factor: int = 1, least: int | Fraction = 0) -> tuple[Statement, Statement]:
    """The risk at U = factor J/t and u = t is 0, and no predictor has a smaller one."""
    limit = {p: ((i,), term(0)), c: t, last: ((i,), term(0)), U: ((i, l), factor * J(i, l) / t)}
    risk = Statement(instantiated(infinite_prompt().lhs, limit), "==", term(0), inverse().assumptions)
    other = bind("mean", (outcome,), (guess(outcome) - truth(outcome)) ** 2 / 2)
    return risk, Statement(term(Fraction(least)), "<=", other)


@proves("BB:R5.3.risk0", risk_at_the_limit, part=1)
@cache
def no_risk() -> Theorem:
    """At uU = J the prediction is w' Sigma J x_q = w.x_q."""
    limit = {p: ((i,), term(0)), c: t, last: ((i,), term(0)), U: ((i, l), J(i, l) / t)}
    right = calc(instantiate(inverse(), {a: ((i,), w(i)), b: ((i,), x(i, q))}), ("==", target))
    point = show(absolute(right.lhs - target) ** 2 / 2, "==", 0, right, right.lhs, target)
    return calc(
        risk_at_the_limit()[0].lhs,
        ("==", mean(mean(point.lhs, q), h), instantiate(infinite_prompt_theorem(), limit)),
        ("==", 0, point),
    )


@proves("BB:R5.3.risk0", risk_at_the_limit, part=2)
def no_smaller_risk() -> Theorem:
    return show(0, "<=", risk_at_the_limit()[1].rhs)
