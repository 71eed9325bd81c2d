"""R7: gradient descent over equiangular features of one norm, from Q = 0, for exchangeable tasks,
classes of one probability and balanced prompts: training is one number z, which a step moves.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import arithmetic, assume, induction
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import FIRST, Function, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import steep
from proofs_check.derivations.features.equiangular.gradient import speed
from proofs_check.derivations.features.equiangular.multiples import (
    gradient,
    gradient_of,
    loss,
    loss_of,
    own_attention_of,
)
from proofs_check.derivations.features.equiangular.phases import K_, others
from proofs_check.derivations.features.equiangular.reached import Rational
from proofs_check.derivations.features.equiangular.score_updates import scores_of, two_classes
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    attention,
    delta,
    equiangular,
    eta,
    exchangeable,
    here,
    i,
    j,
    k,
    kappa,
    m,
    score,
    shape,
    x,
)
from proofs_check.derivations.features.steps import scaled, times
from proofs_check.derivations.proof import proves

t = Variable("t", Sort.STEP)
Q, z = Function("Q", (Sort.INDEX, Sort.INDEX, Sort.STEP)), Function("z", (Sort.STEP,))
X = Q(i, j, t)
score_own = instantiated(score(X), {m: k})
descent = assume("gradient descent", Q.after(i, j, t), "==", X + eta * gradient(X), every=(i, j, t))
from_zero = assume("descent from Q = 0", Q(i, j, FIRST), "==", 0, every=(i, j))
#: What z is.
start = assume("z starts at 0", z(FIRST), "==", 0)


def recursion(factor: int = 1, power: int = 2) -> Theorem:
    added = factor * eta * kappa**power * speed
    return assume("the scalar descent", z.after(t), "==", z(t) + instantiated(added, {x: z(t)}), every=(t,))


def given(moved: Theorem | None = None) -> frozenset[Assumption]:
    return hypotheses(*delta, equiangular, exchangeable, descent, from_zero, moved or recursion(), start)


def statements(factor: int = 1, power: int = 2, whole: int = 1) -> tuple[Statement, ...]:
    """What Q is after t steps, and the attention of a query on its class, with a factor `whole`;
    `factor` multiplies what a step adds to z, and `power` stands for the exponent of kappa.
    """
    own, E, setting = instantiated(attention(X), {m: k}), exp(z(t)), given(recursion(factor, power))
    return (
        Statement(X, "==", z(t) * shape, setting),
        Statement(here * own, "==", whole * here * (E / (E + M)), setting),
    )


@cache
def nonnegative() -> Theorem:
    """z grows from 0."""
    so_far = assume("z is not negative so far", 0, "<=", z(t), every=(t,))
    step = show(0, "<=", z.after(t), recursion(), so_far, exp(z(t)))
    (hypothesis,) = so_far.assumptions
    return induction(hypothesis, t, show(0, "<=", z(FIRST), start), step)


def one_step(so_far: Theorem) -> Theorem:
    """The matrix after a step from what it has been so far."""
    added, moved = instantiated(steep, {x: z(t)}), gradient_of(so_far, nonnegative())
    return calc(
        descent,
        ("==", X + eta * moved.rhs, scaled(eta, moved)),
        ("==", z(t) * shape + added * shape, so_far),
        ("==", (z(t) + added) * shape),
        ("==", z.after(t) * shape, symm(scaled(shape, recursion()))),
    )


@proves("OURS:R7.flow/step", statements)
@cache
def on_the_line() -> Theorem:
    """Q is z times one matrix after every step, as a step leads from a multiple to another one."""
    so_far = assume("Q is on the line so far", X, "==", z(t) * shape, every=(i, j, t))
    base = calc(from_zero, ("==", z(FIRST) * shape, symm(scaled(shape, start))))
    (hypothesis,) = so_far.assumptions
    return induction(hypothesis, t, base, one_step(so_far))


@proves("OURS:R7.flow/step", statements, part=2)
@cache
def own_attention() -> Theorem:
    """delta_kk A_kk = delta_kk e^z/(e^z + M)."""
    return own_attention_of(on_the_line(), nonnegative())


def loss_statement(sign: int = 1) -> Statement:
    """A step makes the loss smaller; the sign is that of both sides."""
    return Statement(sign * loss(Q.after(i, j, t)), "<", sign * loss(X), given())


@proves("LDL:cmp2", loss_statement)
def loss_falls() -> Theorem:
    """The loss falls in z, and z grows."""
    grown = show(z(t), "<", z.after(t), recursion(), exp(z(t)))
    positive = calc(0, ("<=", z(t), nonnegative()), ("<=", z.after(t), grown))
    before, after = (
        loss_of(*at) for at in ((on_the_line(), nonnegative()), (one_step(on_the_line()), positive))
    )
    falls = show(after.rhs, "<", before.rhs, grown)
    return calc(after, ("<", before.rhs, falls), ("==", before.lhs, symm(before)))


def score_statements(factor: Rational = 2, least: Rational = 1, classes: int = 1) -> tuple[Statement, ...]:
    """For two different classes (K - classes) q_km = -q_k, and |q_km| is between `least` and
    `factor` times q_k/K.
    """
    share, other = others * score_own / K_, -(others * score(X))
    return (
        Statement(others * ((K_ - classes) * score(X)), "==", -(others * score_own), given()),
        Statement(least * share, "<=", other, given()),
        Statement(other, "<=", factor * share, given()),
    )


@proves("LDL:L3.sym", score_statements, part=(1, 2, 3))
@cache
def scores() -> tuple[Theorem, ...]:
    own, other = scores_of(on_the_line(), nonnegative())
    gap, less = z(t) / K, arithmetic(0, "<=", z(t) / K, nonnegative())
    by_own, by_other = scaled(1 / K_, own), scaled(term(-1), other)
    low, high = show(gap * (M / K_), "<=", gap, less, gap), show(gap, "<=", 2 * (gap * (M / K_)), less, gap)
    return (
        calc(
            others * (M * score(X)),
            ("==", M * (others * score(X))),
            ("==", M * other.rhs, scaled(M, other)),
            ("==", -own.rhs),
            ("==", -(others * score_own), symm(scaled(term(-1), own))),
        ),
        calc(
            others * score_own / K_,
            ("==", others * (gap * (M / K_)), by_own),
            ("<=", others * gap, times(others, low, two_classes())),
            ("==", -(others * score(X)), symm(by_other)),
        ),
        calc(
            -(others * score(X)),
            ("==", others * gap, by_other),
            ("<=", others * (2 * (gap * (M / K_))), times(others, high, two_classes())),
            ("==", 2 * (others * score_own / K_), symm(scaled(term(2), by_own))),
        ),
    )
