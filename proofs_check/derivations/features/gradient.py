"""R7: the gradient in Q of the loss over finitely many features, for every law of tasks and of
prompts; and R9: both for tasks whose values are multiplied by a number.

The tokens of prompt b are numbered from 1 to N, each with a mass and of one class, so that a
population prompt has one token for each class. There are finitely many prompts, each with its
probability.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume, equal, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, Sort, whole
from numerics.derivations.kernel.terms import Defined, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.feature_flow import K as CLASSES
from proofs_check.derivations.features.feature_flow import Q, entries, i, j, k, queries, r, t, v
from proofs_check.derivations.features.steps import scaled
from proofs_check.derivations.proof import proves

b, l, m, n, x, y = (Variable(name, Sort.INDEX) for name in "blmnxy")
task = Variable("task", Sort.TOKEN)
eta, s = Variable("eta", range=POSITIVE), Variable("s", range=POSITIVE)
B, N = Variable("B", range=whole(1)), Variable("N", range=whole(1))
#: The values of a task, the probabilities of queries and prompts, whether a token is of a class,
#: and the logarithm of its mass.
f = Function("f", (Sort.INDEX, Sort.TOKEN), Fraction(2))
p, pi = Function("p", (Sort.INDEX,)), Function("pi", (Sort.INDEX,))
member, log_mass = (
    Function("in", (Sort.INDEX, Sort.INDEX, Sort.INDEX)),
    Function("logm", (Sort.INDEX, Sort.INDEX)),
)
c, e = Function("c", (Sort.INDEX,)), Function("e", (Sort.INDEX,))

tokens = lambda body: bind("coordinates", (l,), body, (N,))
prompts = lambda body: bind("coordinates", (b,), body, (B,))
classes = lambda body: bind("coordinates", (m,), body, (CLASSES,))
mean = lambda body: bind("mean", (task,), body)

one_class = assume(
    "each token is of one class",
    classes(member(b, l, m) * c(m) * e(m)),
    "==",
    classes(member(b, l, m) * c(m)) * classes(member(b, l, m) * e(m)),
    every=(b, l, c, e),
)
some_class = assume("each token is of some class", classes(member(b, l, m)), "==", 1, every=(b, l))

feature, value = classes(member(b, l, m) * v(m, i)), classes(member(b, l, m) * f(m, task))
odds = exp(log_mass(b, l) + entries(feature * Q(i, j, t) * v(k, j)))
attention = odds / tokens(odds)
#: The attention of query k on class m in prompt b.
share = Defined("A", tokens(attention * member(b, l, m)))
prediction = Defined("yhat", classes(share * f(m, task)))
error = f(k, task) - prediction
loss = queries(p(k) * prompts(pi(b) * mean(error**2))) / 2
H = p(k) * prompts(pi(b) * mean(share * error * (f(m, task) - prediction)))


def scaling_statements(rate: int = 2, square: int = 2) -> tuple[Statement, ...]:
    """Of the tasks whose values are multiplied by s, at the learning rate divided by s^2: the step,
    as the derivative of the loss along any path of Q, which R7.H has as <VHV', Q'>; and the loss.
    """
    missed = s * f(k, task) - classes(share * (s * f(m, task)))
    loss_s = queries(p(k) * prompts(pi(b) * mean(missed**2))) / 2
    step_s, step = (derivative(e, t) for e in (by_moments(s), by_moments()))
    return Statement(eta / s**rate * step_s, "==", eta * step), Statement(loss_s, "==", s**square * loss)


def gram(x: Variable, y: Variable) -> Term:
    """An entry of the Gram matrix G of the features."""
    return bind("coordinates", (i,), v(x, i) * v(y, i), (r,))


@cache
def by_moments(factor: Term | None = None) -> Term:
    """The loss by the second moments of the tasks, so that no mean is over what moves; for tasks
    whose values are multiplied by a factor, if one is given.
    """
    of_task = lambda x: f(x, task) if factor is None else factor * f(x, task)
    moment = lambda x, y: mean(of_task(x) * of_task(y))
    other = instantiated(share, {m: n})
    squares = bind("coordinates", (m, n), share * other * moment(m, n), (CLASSES, CLASSES))
    return queries(p(k) * prompts(pi(b) * (moment(k, k) - 2 * classes(share * moment(k, m)) + squares))) / 2


def statements(half: Fraction = Fraction(1, 2), sign: int = 1, whole: int = 1) -> tuple[Statement, ...]:
    """The loss by moments; its derivative along any path of Q, which is -<VHV', Q'>; that the
    entries of each column of H add up to 0; and that V'(VHV')V is GHG. The sign multiplies the
    second and the last right side.
    """
    VHV = queries(classes(v(m, i) * H * v(k, j)))
    of_attention = p(k) * prompts(pi(b) * mean(share * error * (f(m, task) - whole * prediction)))
    updates = entries(v(x, i) * VHV * v(y, j))
    return (
        Statement(2 * half * loss, "==", by_moments()),
        Statement(
            derivative(by_moments(), t), "==", -sign * entries(VHV * Q.rate(i, j, t)), hypotheses(one_class)
        ),
        Statement(classes(of_attention), "==", term(0), hypotheses(some_class)),
        Statement(updates, "==", sign * queries(classes(gram(x, m) * H * gram(k, y)))),
    )


@proves("OURS:R7.H", statements, part=1)
def moments() -> Theorem:
    """The square is expanded, and the mean is linear."""
    return equal(loss, by_moments())


@proves("OURS:R7.H", statements, part=2)
@cache
def gradient() -> Theorem:
    """The attention on a token moves by itself times what its score moves more than their mean, and
    what a token adds to its class is collected there.
    """
    score = entries(v(m, i) * Q.rate(i, j, t) * v(k, j))
    covariance, common = mean(error * f(m, task)), mean(error * prediction)
    one = instantiate(one_class, {c: ((m,), score), e: ((m,), covariance)})
    of_prompt = integrate("coordinates", (l,), scaled(attention, symm(one)), (N,))
    of_query = integrate("coordinates", (b,), scaled(pi(b), of_prompt), (B,))
    total = integrate("coordinates", (k,), scaled(p(k), of_query), (CLASSES,))
    rest = queries(p(k) * prompts(pi(b) * tokens(attention * classes(member(b, l, m) * score)) * common))
    return calc(
        derivative(by_moments(), t),
        ("==", -total.lhs + rest),
        ("==", -total.rhs + rest, total, total.lhs, total.rhs, rest),
        ("==", statements()[1].rhs),
    )


@cache
def adds_up() -> Theorem:
    """The attention of a query on all classes is 1."""
    return chain(classes(share), integrate("coordinates", (l,), scaled(attention, some_class), (N,)), 1)


@proves("OURS:R7.H", statements, part=3)
def columns() -> Theorem:
    """The mean of f - yhat under the attention is 0."""
    common = mean(error * prediction)
    each = integrate("coordinates", (b,), scaled(pi(b) * common, adds_up()), (B,))
    return calc(
        classes(H),
        ("==", p(k) * (prompts(pi(b) * common) - each.lhs)),
        ("==", p(k) * (prompts(pi(b) * common) - each.rhs), each, each.lhs, each.rhs),
        ("==", 0),
    )


@proves("OURS:R7.H", statements, part=4)
def updates() -> Theorem:
    """The sums are exchanged."""
    return equal(statements()[3].lhs, statements()[3].rhs)


@proves("OURS:R9", scaling_statements, part=(1, 2))
def multiples() -> tuple[Theorem, ...]:
    """The number leaves every sum and mean: its square is in the loss and in the step."""
    return tuple(equal(statement.lhs, statement.rhs) for statement in scaling_statements())
