"""R7: gradient descent over equiangular features of one norm, from Q = 0, for exchangeable tasks,
classes of one probability and balanced prompts: training is one number z, which a step moves.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, induction, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import FIRST, Function, Number, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import (
    by_moments,
    gradient,
    same_attention,
    steep,
)
from proofs_check.derivations.features.equiangular.gradient import gradient_on_the_line, speed, updates
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    adds_up,
    attention,
    delta,
    equiangular,
    errors,
    eta,
    exchangeable,
    here,
    i,
    j,
    k,
    kappa,
    line,
    m,
    n,
    same,
    shape,
    there,
    v,
    x,
)
from proofs_check.derivations.features.equiangular.weights import own_attention_on_the_line
from proofs_check.derivations.features.steps import scaled
from proofs_check.derivations.proof import proves

t = Variable("t", Sort.STEP)
Q, z = Function("Q", (Sort.INDEX, Sort.INDEX, Sort.STEP)), Function("z", (Sort.STEP,))
X = Q(i, j, t)
descent = assume("gradient descent", Q.after(i, j, t), "==", X + eta * gradient(X), every=(i, j, t))
from_zero = assume("descent from Q = 0", Q(i, j, FIRST), "==", 0, every=(i, j))
#: What z is.
start = assume("z starts at 0", z(FIRST), "==", 0)


def recursion(factor: int = 1, power: int = 2) -> Theorem:
    added = factor * eta * kappa**power * speed
    return assume("the scalar descent", z.after(t), "==", z(t) + instantiated(added, {x: z(t)}), every=(t,))


def statements(factor: int = 1, power: int = 2, whole: int = 1) -> tuple[Statement, ...]:
    """What Q is after t steps, and the attention of a query on its class, with a factor `whole`;
    `factor` multiplies what a step adds to z, and `power` stands for the exponent of kappa.
    """
    given = hypotheses(*delta, equiangular, exchangeable, descent, from_zero, recursion(factor, power), start)
    own, E = instantiated(attention(X), {m: k}), exp(z(t))
    return (
        Statement(X, "==", z(t) * shape, given),
        Statement(here * own, "==", whole * here * (E / (E + M)), given),
    )


@cache
def nonnegative() -> Theorem:
    """z grows from 0."""
    so_far = assume("z is not negative so far", 0, "<=", z(t), every=(t,))
    (hypothesis,) = so_far.assumptions
    step = show(0, "<=", z.after(t), recursion(), so_far, exp(z(t)))
    return induction(hypothesis, t, show(0, "<=", z(FIRST), start), step)


def same_updates(matrix: Theorem) -> Theorem:
    """The gradient by moments at a matrix is that at what it equals, as the attention is."""
    X, at = matrix.lhs, matrix.rhs
    each = same_attention(matrix)
    own, of_n_ = (instantiate(each, {m: index}) for index in (k, n))
    squares = integrate(
        "coordinates", (n,), show(of_n_.lhs**2, "==", of_n_.rhs**2, of_n_, of_n_.lhs, of_n_.rhs), (K,)
    )
    facts = (each, own, squares, adds_up(X), adds_up(at))
    letters = dict.fromkeys(e for f in facts for e in (f.lhs, f.rhs) if not isinstance(e, Number))
    one = show(
        each.lhs * errors(X).rhs, "==", each.rhs * errors(at).rhs, *facts, *letters, here, there, same(k, m)
    )
    inner = integrate("coordinates", (m,), scaled(v(m, i) * v(k, j), one), (K,))
    total = scaled(1 / K, integrate("coordinates", (k,), inner, (K,)))
    return calc(updates(X), ("==", total.lhs), ("==", total.rhs, total), ("==", updates(at)))


@proves("OURS:R7.flow/step", statements)
@cache
def on_the_line() -> Theorem:
    """Q is z times one matrix after every step, as a step leads from a multiple to another one."""
    so_far = assume("Q is on the line so far", X, "==", z(t) * shape, every=(i, j, t))
    (hypothesis,) = so_far.assumptions
    at, now = {x: z(t)}, instantiated(line, {x: z(t)})
    on_line = instantiate(gradient_on_the_line(), at, nonnegative())
    moved = calc(by_moments(X), ("==", updates(now), same_updates(so_far)), ("==", on_line.rhs, on_line))
    step = calc(
        descent,
        ("==", X + eta * moved.rhs, scaled(eta, moved)),
        ("==", z(t) * shape + instantiated(steep, at) * shape, so_far),
        ("==", (z(t) + instantiated(steep, at)) * shape),
        ("==", z.after(t) * shape, symm(scaled(shape, recursion()))),
    )
    base = calc(from_zero, ("==", z(FIRST) * shape, symm(scaled(shape, start))))
    return induction(hypothesis, t, base, step)


@proves("OURS:R7.flow/step", statements, part=2)
@cache
def own_attention() -> Theorem:
    """delta_kk A_kk = delta_kk e^z/(e^z + M)."""
    moved = scaled(here, instantiate(same_attention(on_the_line()), {m: k}))
    on_line = instantiate(own_attention_on_the_line(), {x: z(t)}, nonnegative())
    return calc(moved, ("==", on_line.rhs, on_line))
