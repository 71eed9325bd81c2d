"""Appendix C of Li, Duan & Liang, the first half of the proof of Lemma 2: the gradient of the loss
in Q as a mean over prompts, tasks and queries of sums over tokens, for every law of them.

A gradient is said along any path of Q, and the loss by the second moments of the tasks, which it is
by R7.H.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import equal, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.feature_flow import K as CLASSES
from proofs_check.derivations.features.feature_flow import Q, entries, i, j, k, queries, t, v
from proofs_check.derivations.features.gradient import (
    B,
    N,
    attention,
    b,
    by_moments,
    c,
    classes,
    error,
    feature,
    l,
    loss,
    m,
    mean,
    member,
    n,
    p,
    pi,
    prompts,
    share,
    task,
    tokens,
    value,
)
from proofs_check.derivations.features.steps import scaled
from proofs_check.derivations.proof import proves

#: What the score of a token moves, and the same of another token, and the value of a task there.
moves = entries(feature * Q.rate(i, j, t) * v(k, j))
other_moves, other_attention = (instantiated(e, {l: n}) for e in (moves, attention))
pairs = lambda e: bind("coordinates", (l, n), e, (N, N))


def over_all(e: Term) -> Term:
    """The mean over queries, prompts and tasks."""
    return queries(p(k) * prompts(pi(b) * mean(e)))


def loss_statements(half: Fraction = Fraction(1, 2)) -> tuple[Statement, ...]:
    """With `half` for the factor of the loss: what it is by moments; its derivative, which is the
    mean of the error times the derivative of the prediction; and the latter, as a sum over tokens.
    """
    moved = tokens(derivative(attention, t) * value)
    return (
        Statement(2 * half * loss, "==", by_moments()),
        Statement(2 * half * derivative(by_moments(), t), "==", over_all(-error * moved)),
        Statement(
            2 * half * derivative(classes(share * c(m)), t),
            "==",
            tokens(derivative(attention, t) * classes(member(b, l, m) * c(m))),
        ),
    )


def attention_statement(factor: int = 1) -> Statement:
    """The attention on a token moves by itself times what its score moves, less `factor` times the
    mean of this.
    """
    mean_ = tokens(attention * moves)
    return Statement(derivative(attention, t), "==", attention * (moves - factor * mean_))


def pair_statement(sign: int = 1) -> Statement:
    """The derivative of the loss as a sum over pairs of tokens, with `sign` times the second."""
    each = attention * other_attention * value * (moves - sign * other_moves)
    return Statement(derivative(by_moments(), t), "==", over_all(-error * pairs(each)))


@proves("LDL:C.start", loss_statements, part=(1, 2, 3))
@cache
def of_the_loss() -> tuple[Theorem, ...]:
    """The square is expanded, means are linear, and what a token adds to its class is collected."""
    return tuple(equal(s.lhs, s.rhs) for s in loss_statements())


@proves("LDL:C.attn", attention_statement)
def of_the_attention() -> Theorem:
    """By the quotient rule."""
    s = attention_statement()
    return show(s.lhs, "==", s.rhs)


@proves("LDL:C.grad", pair_statement)
@cache
def over_pairs() -> Theorem:
    """The attention adds up to 1."""
    first = of_the_loss()[1]
    unit = show(tokens(attention), "==", 1)
    own, mean_ = tokens(attention * value * moves), tokens(attention * value) * tokens(attention * moves)
    moved = integrate("coordinates", (l,), scaled(value, of_the_attention()), (N,))
    x, y, z = (Function(name, (Sort.INDEX,)) for name in "xyz")
    double = pairs(x(l) * x(n) * y(l) * (z(l) - z(n)))
    split = show(
        double, "==", tokens(x(l) * y(l) * z(l)) * tokens(x(l)) - tokens(x(l) * y(l)) * tokens(x(l) * z(l))
    )
    split = instantiate(split, {x: ((l,), attention), y: ((l,), value), z: ((l,), moves)})
    in_prompt = calc(
        moved,
        ("==", own - mean_),
        ("==", own * unit.lhs - mean_, symm(scaled(own, unit))),
        ("==", split.rhs),
        ("==", split.lhs, symm(split)),
    )
    in_mean = integrate("mean", (task,), scaled(-error, in_prompt))
    of_prompts = integrate("coordinates", (b,), scaled(pi(b), in_mean), (B,))
    return chain(
        first, integrate("coordinates", (k,), scaled(p(k), of_prompts), (CLASSES,)), pair_statement().rhs
    )
