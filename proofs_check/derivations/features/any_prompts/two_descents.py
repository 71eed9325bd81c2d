"""R9: gradient descent on tasks whose values are multiplied by s, at the learning rate divided by
s^2, takes the steps of that on the tasks themselves, for any features, probabilities and prompts.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, induction, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import FIRST, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.feature_flow import K as CLASSES
from proofs_check.derivations.features.feature_flow import Q, entries, i, j, k, queries, r, v
from proofs_check.derivations.features.feature_flow import t as time
from proofs_check.derivations.features.gradient import (
    B,
    H,
    N,
    b,
    classes,
    eta,
    f,
    feature,
    l,
    log_mass,
    loss,
    m,
    mean,
    member,
    n,
    p,
    pi,
    s,
    share,
    task,
)
from proofs_check.derivations.features.steps import scaled
from proofs_check.derivations.proof import proves

o, t = Variable("o", Sort.INDEX), Variable("t", Sort.STEP)
eps = Variable("epsilon", range=POSITIVE)
#: The matrices of the two descents.
plain, steep = (Function(name, (Sort.INDEX, Sort.INDEX, Sort.STEP)) for name in ("Q", "Qs"))


def at(e: Term, X: Term) -> Term:
    """A term of R7.H at a matrix with the entries X."""
    return instantiated(e, {Q: ((i, j, time), X)})


def steeper(e: Term) -> Term:
    """For tasks whose values are multiplied by s."""
    return instantiated(e, {f: ((m, task), s * f(m, task))})


def gradient(H_: Term) -> Term:
    """An entry of minus the gradient by R7.H."""
    return queries(classes(v(m, i) * H_ * v(k, j)))


X, Y = steep(i, j, t), plain(i, j, t)
start = assume("both start at one matrix", steep(i, j, FIRST), "==", plain(i, j, FIRST), every=(i, j))
descent = assume(
    "gradient descent", plain.after(i, j, t), "==", Y + eta * gradient(at(H, Y)), every=(i, j, t)
)


def of_the_steeper(rate: int = 2) -> Theorem:
    step = eta / s**rate * gradient(at(steeper(H), X))
    return assume("gradient descent on s f", steep.after(i, j, t), "==", X + step, every=(i, j, t))


def statements(rate: int = 2, square: int = 2) -> tuple[Statement, ...]:
    """The matrices are the same after every step, and the loss of s f is s^2 times that of f."""
    given = hypotheses(start, descent, of_the_steeper(rate))
    return (
        Statement(X, "==", Y, given),
        Statement(at(steeper(loss), X), "==", s**square * at(loss, Y), given),
    )


def same_share(matrix: Theorem) -> Theorem:
    """The attention on a class at a matrix is that at what it equals."""
    moved = scaled(feature * v(k, j), matrix)
    score = lambda X: entries(feature * X * v(k, j))
    scores = chain(score(matrix.lhs), integrate("coordinates", (i, j), moved, (r, r)), score(matrix.rhs))
    odds = show(
        exp(log_mass(b, l) + scores.lhs),
        "==",
        exp(log_mass(b, l) + scores.rhs),
        scores,
        scores.lhs,
        scores.rhs,
    )
    total = integrate("coordinates", (l,), odds, (N,))
    inverse = show(1 / total.lhs, "==", 1 / total.rhs, total, total.lhs, total.rhs)
    each = calc(
        odds.lhs / total.lhs,
        ("==", 1 / total.lhs * odds.rhs, scaled(1 / total.lhs, odds)),
        ("==", odds.rhs * (1 / total.rhs), scaled(odds.rhs, inverse)),
    )
    found = integrate("coordinates", (l,), scaled(member(b, l, m), each), (N,))
    return calc(
        at(share, matrix.lhs), ("==", found.lhs), ("==", found.rhs, found), ("==", at(share, matrix.rhs))
    )


@cache
def _sums(matrix: Theorem) -> tuple[Theorem, ...]:
    """The attention on a class, the sums of it times second moments, and the double sum."""
    here = same_share(matrix)
    on_n, on_o = (instantiate(here, {m: index}) for index in (n, o))
    moment = lambda one, two: mean(f(one, task) * f(two, task))
    of_n = lambda thm: integrate("coordinates", (n,), thm, (CLASSES,))
    pair = show(
        on_n.lhs * on_o.lhs, "==", on_n.rhs * on_o.rhs, on_n, on_o, on_n.lhs, on_o.lhs, on_n.rhs, on_o.rhs
    )
    double = integrate("coordinates", (n, o), scaled(moment(n, o), pair), (CLASSES, CLASSES))
    return here, of_n(scaled(moment(k, n), on_n)), of_n(scaled(moment(m, n), on_n)), double


@cache
def same_gradient(matrix: Theorem) -> Theorem:
    here, with_k, with_m, double = _sums(matrix)
    X, Y, facts = matrix.lhs, matrix.rhs, (here, with_k, with_m, double)
    moment = mean(f(k, task) * f(m, task))
    side = lambda n: [fact.lhs if n == 0 else fact.rhs for fact in facts]
    value = lambda a, c, d, e: a * (moment - c - d + e)
    left, right = side(0), side(1)
    one = show(value(*left), "==", value(*right), *facts, *left, *right, moment)
    prompt = integrate("coordinates", (b,), scaled(pi(b), one), (B,))
    entry = scaled(v(m, i) * v(k, j) * p(k), prompt)
    total = integrate("coordinates", (k,), integrate("coordinates", (m,), entry, (CLASSES,)), (CLASSES,))
    return calc(gradient(at(H, X)), ("==", total.lhs), ("==", total.rhs, total), ("==", gradient(at(H, Y))))


def time_statements(rate: int = 2, square: int = 2) -> tuple[Statement, ...]:
    """The same, and by how much the loss of s f is below (s epsilon)^2, which is s^square times by
    how much that of f is below epsilon^2.
    """
    both, given = statements(rate, square), hypotheses(start, descent, of_the_steeper(rate))
    below, of_f = (s * eps) ** 2 - at(steeper(loss), X), eps**2 - at(loss, Y)
    return (*both, Statement(below, "==", s**square * of_f, given))


@proves("LDL:4.thr/scaling", statements)
@proves("OURS:R9.time", time_statements)
@cache
def one_path() -> Theorem:
    """Where both are so far, the steps are the same."""
    so_far = assume("the same so far", X, "==", Y, every=(i, j, t))
    same = scaled(eta, same_gradient(so_far))
    step = calc(
        of_the_steeper(),
        ("==", X + same.lhs),
        ("==", X + same.rhs, same),
        ("==", Y + same.rhs, so_far),
        ("==", plain.after(i, j, t), descent),
    )
    (hypothesis,) = so_far.assumptions
    return induction(hypothesis, t, start, step)


@proves("LDL:4.thr/scaling", statements, part=2)
@proves("OURS:R9.time", time_statements, part=2)
@cache
def losses() -> Theorem:
    _, with_k, _, double = _sums(one_path())
    square = mean(f(k, task) ** 2)
    value = lambda c, e: square - 2 * c + e
    one = show(
        value(with_k.lhs, double.lhs),
        "==",
        value(with_k.rhs, double.rhs),
        *(with_k, double, with_k.lhs, with_k.rhs, double.lhs, double.rhs, square),
    )
    prompt = scaled(p(k), integrate("coordinates", (b,), scaled(pi(b), one), (B,)))
    total = scaled(s**2 / 2, integrate("coordinates", (k,), prompt, (CLASSES,)))
    return calc(at(steeper(loss), X), ("==", total.lhs), ("==", total.rhs, total), ("==", s**2 * at(loss, Y)))


@proves("OURS:R9.time", time_statements, part=3)
@cache
def reached_together() -> Theorem:
    """Both losses are below their levels at the same steps."""
    left, right = at(steeper(loss), X), at(loss, Y)
    return show((s * eps) ** 2 - left, "==", s**2 * (eps**2 - right), losses(), left, right)
