"""Gradient descent from Q = 0 over orthonormal features, for every law of tasks and of prompts:
what a step adds to a score, and that no score of a query on its own class is ever negative.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, induction, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import FIRST, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.any_prompts.setting import (
    VHV,
    positive,
    prompts_weighted,
    queries_weighted,
    update,
)
from proofs_check.derivations.features.any_prompts.two_descents import at
from proofs_check.derivations.features.any_prompts.updates import entry
from proofs_check.derivations.features.equiangular.setting import (
    entries,
    eta,
    here,
    i,
    j,
    k,
    m,
    mean,
    r,
    score,
    v,
    zero_or_one,
)
from proofs_check.derivations.features.feature_flow import Q
from proofs_check.derivations.features.feature_flow import t as time
from proofs_check.derivations.features.gradient import B as PROMPTS
from proofs_check.derivations.features.gradient import b, error, l, log_mass, p, pi, share
from proofs_check.derivations.features.steps import product, scaled, times

t = Variable("t", Sort.STEP)
matrix = Function("Q", (Sort.INDEX, Sort.INDEX, Sort.STEP))
X = matrix(i, j, t)


def now(body: Term, entry: Term = X) -> Term:
    """A term of R7.H at a matrix, in prompts whose tokens all have the mass 1."""
    return instantiated(at(body, entry), {log_mass: ((b, l), term(0))})


descent = assume("gradient descent", matrix.after(i, j, t), "==", X + eta * now(VHV), every=(i, j, t))
from_zero = assume("descent from Q = 0", matrix(i, j, FIRST), "==", 0, every=(i, j))
q = score(X)
later_q, own_score = score(matrix.after(i, j, t)), instantiated(q, {m: k})
A = now(share)


@cache
def at_this_matrix(thm: Theorem) -> Theorem:
    """What holds at every matrix, at that of a step."""
    return instantiate(thm, {Q: ((i, j, time), X), log_mass: ((b, l), term(0))})


@cache
def moved() -> Theorem:
    """A step adds eta g_km to q_km."""
    return calc(
        later_q,
        ("==", entries(v(m, i) * (X + eta * now(VHV)) * v(k, j)), descent),
        ("==", q + eta * now(update)),
    )


@cache
def at_first() -> Theorem:
    """q_km = 0 at the first step."""
    first = integrate("coordinates", (i, j), scaled(v(m, i) * v(k, j), from_zero), (r, r))
    return calc(score(matrix(i, j, FIRST)), ("==", first.lhs), ("==", first.rhs, first), ("==", 0))


@cache
def own_score_grows() -> Theorem:
    """0 <= delta_kk q_k at every step, as g_k is a mean of squares."""
    A_k, so_far = (
        instantiated(A, {m: k}),
        assume("the own score so far", 0, "<=", here * own_score, every=(k, t)),
    )
    here_ = calc(0, ("<=", here**2), ("==", here, instantiate(zero_or_one, {m: k})))
    masses = product(p(k), pi(b), queries_weighted, prompts_weighted)
    mass = product(p(k) * pi(b), A_k, masses, instantiate(at_this_matrix(positive()), {m: k}))
    squared = product(p(k) * pi(b) * A_k, mean(now(error) ** 2), mass)
    total_ = calc(0, ("<=", bind("coordinates", (b,), squared.rhs, (PROMPTS,)), squared))
    g = instantiate(at_this_matrix(entry()), {m: k})
    grows = calc(
        0,
        ("<=", here**2 * (here * total_.rhs), product(here, total_.rhs, here_, total_)),
        ("==", here * g.rhs),
        ("==", here * g.lhs, scaled(here, symm(g))),
    )
    start = calc(
        0,
        ("==", here * 0),
        (
            "==",
            here * instantiated(at_first().lhs, {m: k}),
            scaled(here, symm(instantiate(at_first(), {m: k}))),
        ),
    )
    step = calc(
        0,
        ("<=", here * own_score, so_far),
        ("<=", here * own_score + eta * (here * g.lhs), times(eta, grows)),
        ("==", here * (own_score + eta * g.lhs)),
        ("==", here * instantiated(later_q, {m: k}), scaled(here, symm(instantiate(moved(), {m: k})))),
    )
    (hypothesis,) = so_far.assumptions
    return induction(hypothesis, t, start, step)
