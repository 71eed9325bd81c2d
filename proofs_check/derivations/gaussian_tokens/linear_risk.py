"""The risk of linear attention with prompts of L Gaussian tokens and label noise, from its
definition, for every dimension and length.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.averaged_label import (
    NOISE,
    C,
    S,
    a,
    along,
    average,
    b,
    fourth,
    g,
    h,
    label,
    mean_at_a_task,
    noise,
    of_the_task,
    omega2,
    second,
    task,
    tasks,
    theorem,
    trace,
    w,
    x,
)
from proofs_check.derivations.gaussian_tokens.bayes import tau2
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import d, expectation, i, j, k, mean, over, z

U, v = Function("U", (Sort.INDEX, Sort.INDEX)), Function("v", (Sort.INDEX,))
u, l, o, c, e = (
    Variable("u", range=REALS),
    *(Variable(n, Sort.TOKEN) for n in "lo"),
    *(Variable(n, Sort.INDEX) for n in "ce"),
)
of_the_noise = (
    assume("the noise is centred", mean(noise(k)), "==", 0),
    assume("the noise has the variance tau2", mean(noise(k) ** 2), "==", tau2),
)
answer = over(a, d, w(a, task) * v(a))
#: An entry of U'S.
image = lambda row, column: over(j, d, U(j, row) * S(j, column))


def over_tokens(e_: Term, of: Variable) -> Term:
    return bind("mean", (of,), e_)


def at_the_query(e_: Term, of: Variable = l) -> Term:
    """A term at the query x of the token l, and g = U x."""
    values = {v: ((a,), z(a, of)), g: ((i,), over(c, d, U(i, c) * z(c, of)))}
    return instantiated(e_, values)


def risk_statement(of_query: int | Fraction = 1) -> Statement:
    """The risk is (omega^2/2)[u^2 tr(U S U' S S_L) - 2 u tr(S U S) + tr S] + of_query tau^2/2."""
    predicted = at_the_query(u * average(x) - answer)
    left = over_tokens(over_tokens(tasks(expectation((predicted - noise(o)) ** 2)), o), l) / 2
    quadratic_ = over(a, d, over(c, d, over(e, d, image(c, a) * S(c, e) * image(e, a))))
    linear = over(c, d, over(e, d, image(c, e) * S(c, e)))
    form_ = over(c, d, over(e, d, over(i, d, image(c, i) * U(i, e)) * S(c, e)))
    S_L = (1 + 1 / L) * quadratic_ + (trace + tau2 / omega2) / L * form_
    right = omega2 / 2 * (u**2 * S_L - 2 * u * linear + trace) + Fraction(of_query) * tau2 / 2
    given = hypotheses(second, fourth, *NOISE, of_the_task, *of_the_noise)
    return Statement(left, "==", right, given)


@cache
def at_a_query() -> Theorem:
    """E (u b.g - w.v)^2 = u^2 omega^2 g'SS_Lg - 2 u omega^2 g'Sv + omega^2 |v|^2."""
    both = instantiate(theorem(), {h: ((i,), g(i))})
    cross = instantiate(of_the_task, {C: ((a, b), along(g, a, i) * v(b))})
    own = instantiate(of_the_task, {C: ((a, b), v(a) * v(b))})
    mixed = calc(
        tasks(expectation(average(x)) * answer),
        ("==", tasks(mean(x * label) * answer)),
        ("==", tasks(mean_at_a_task().rhs * answer), mean_at_a_task()),
        ("==", cross.lhs),
        ("==", cross.rhs, cross),
    )
    squares = chain(tasks(answer**2), own)
    parts = both.lhs, mixed.lhs, squares.lhs
    return calc(
        tasks(expectation((u * average(x) - answer) ** 2)),
        ("==", u**2 * parts[0] - 2 * u * parts[1] + parts[2]),
        ("==", u**2 * both.rhs - 2 * u * mixed.rhs + squares.rhs, both, mixed, squares, *parts),
    )


@cache
def of_the_query() -> Theorem:
    """E x' C x = tr(C S) for the query x and every matrix C."""
    known, factor = instantiate(second, {i: c, j: e}), C(c, e)
    left, right = (over(c, d, over(e, d, factor * side)) for side in (known.lhs, known.rhs))
    form_ = over_tokens(over(c, d, over(e, d, factor * (z(c, l) * z(e, l)))), l)
    return calc(form_, ("==", left), ("==", right, known))


@proves("OURS:R5.finite/risk", risk_statement)
@cache
def risk() -> Theorem:
    """The mean of the risk at a query, and the noise of its own label."""
    inner = instantiate(at_a_query(), {v: ((a,), z(a, l)), g: ((i,), over(c, d, U(i, c) * z(c, l)))})
    centred, variance = of_the_noise
    stated, predicted = risk_statement(), at_the_query(u * average(x) - answer)
    length = show(over_tokens(over(a, d, z(a, l) ** 2), l), "==", trace, instantiate(second, {i: a, j: a}))
    matrices = (
        over(a, d, image(c, a) * image(e, a)),
        over(i, d, image(c, i) * U(i, e)),
        image(c, e),
    )
    forms = [instantiate(of_the_query(), {C: ((c, e), N)}) for N in matrices]
    values = lambda parts: (
        omega2
        * (
            u**2 * ((1 + 1 / L) * parts[0] + (trace + tau2 / omega2) / L * parts[1])
            - 2 * u * parts[2]
            + parts[3]
        )
    )
    means, known = [f.lhs for f in (*forms, length)], [f.rhs for f in (*forms, length)]
    mean_of = over_tokens(inner.lhs, l)
    found = calc(
        integrate("mean", (l,), inner),
        ("==", values(means)),
        ("==", values(known), *forms, length, *means),
    )
    first = over_tokens(tasks(expectation(predicted)), l)
    return calc(
        stated.lhs,
        ("==", (mean_of - 2 * first * centred.lhs + variance.lhs) / 2),
        ("==", (found.rhs + tau2) / 2, found, centred, variance, mean_of, first),
        ("==", stated.rhs),
    )
