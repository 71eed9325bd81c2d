"""The norm of a mean vector of parameters: Cauchy-Schwarz, and the triangle inequality."""

from __future__ import annotations

from functools import reduce

from numerics.derivations.derived import D_, cauchy_schwarz, integrated, root, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import instantiate, limit
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.transfer.risks.outcomes import (
    OUTCOME,
    a,
    i,
    mean,
    mean_of_a_product,
    p,
    parameters,
)


def norm(v: Term) -> Term:
    """The Euclidean norm of a vector of parameters."""
    return sqrt(parameters(v**2))


def _inner(u: Term, w: Term) -> Theorem:
    return root(cauchy_schwarz("coordinates", (i,), u, w, (p,)), parameters(u * w), norm(u) * norm(w))


def _cancelled(thm: Theorem, W: Term, B: Term) -> Theorem:
    """From W^2 <= W B to W <= B for nonnegative W and B, of which B may be infinite."""
    near = calc(
        W,
        ("<=", W**2 / (W + D_) + D_, instantiate(show(a, "<=", a**2 / (a + D_) + D_), {a: W})),
        ("<=", W / (W + D_) * B + D_, thm),
        ("<=", B + D_, instantiate(show(a / (a + D_), "<=", 1), {a: W})),
    )
    return limit(near, D_, B, 1)


def mean_of_a_norm(kind: str, names: tuple[Variable, ...], X: Term, bound: Theorem) -> Theorem:
    """|E X| <= E B for a random vector X with |X| <= B, where E is a mean of that kind, by the mean
    of X.E X.
    """
    centre, larger = bind(kind, names, X), bind(kind, names, bound.rhs)
    along = calc(_inner(centre, X), ("<=", norm(centre) * bound.rhs, bound))
    square = integrated(kind, names, along, norm(centre) ** 2, norm(centre) * larger)
    return _cancelled(square, norm(centre), larger)


def norm_of_a_mean(X: Term, first: Term, second: Term, bound: Theorem) -> Theorem:
    """|E X| <= sqrt(E N^2) sqrt(E G^2) for a random vector X with |X|^2 <= N^2 G^2, where N^2 and
    G^2 are the terms `first` and `second`.
    """
    N, G = sqrt(first), sqrt(second)
    size = calc(norm(X), ("<=", sqrt(first * second), bound), ("==", N * G, first, second))
    return calc(
        mean_of_a_norm(*OUTCOME, X, size),
        ("<=", sqrt(mean(first)) * sqrt(mean(second)), mean_of_a_product(N, G)),
    )


def triangle(*parts: tuple[Term, Theorem]) -> Theorem:
    """|u_1 + .. + u_n| <= b_1 + .. + b_n for vectors u_n of parameters, each with |u_n| <= b_n."""

    def with_the_next(one: tuple[Term, Theorem], other: tuple[Term, Theorem]) -> tuple[Term, Theorem]:
        (u, first), (w, second) = one, other
        return u + w, calc(norm_of_a_sum(u, w), ("<=", first.rhs + second.rhs, first, second))

    return reduce(with_the_next, parts)[1]


def norm_of_a_sum(u: Term, w: Term) -> Theorem:
    """|u + w| <= |u| + |w| for vectors of parameters."""
    first, second = parameters(u**2), parameters(w**2)
    square = calc(
        parameters((u + w) ** 2),
        ("==", first + 2 * parameters(u * w) + second),
        ("<=", first + 2 * (norm(u) * norm(w)) + second, _inner(u, w)),
        ("==", (norm(u) + norm(w)) ** 2),
    )
    return calc(
        norm(u + w), ("<=", sqrt((norm(u) + norm(w)) ** 2), square), ("==", norm(u) + norm(w), first, second)
    )
