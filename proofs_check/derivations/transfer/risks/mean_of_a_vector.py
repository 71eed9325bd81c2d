"""The norm of a mean vector of parameters: Cauchy-Schwarz, and the triangle inequality."""

from __future__ import annotations

from functools import reduce

from numerics.derivations.derived import D_, cauchy_schwarz, chain, integrated, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate, limit
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from proofs_check.derivations.transfer.risks.outcomes import (
    a,
    both_signs,
    i,
    k,
    mean,
    mean_of_a_product,
    p,
    parameters,
    square_bounded,
)


def norm(v: Term) -> Term:
    """The Euclidean norm of a vector of parameters."""
    return sqrt(parameters(v**2))


def _inner(u: Term, w: Term) -> Theorem:
    """u.w <= |u||w| for vectors of parameters."""
    near = square_bounded(cauchy_schwarz("coordinates", (i,), u, w, (p,)), parameters(u * w))
    squares = parameters(u**2), parameters(w**2)
    return chain(both_signs(near)[0], arithmetic(near.rhs, "==", norm(u) * norm(w), hide=squares))


def _cancelled(thm: Theorem, W: Term, B: Term) -> Theorem:
    """From W^2 <= W B to W <= B for nonnegative W and B, of which B may be infinite: W <= W^2/(W +
    delta) + delta.
    """
    near = instantiate(arithmetic(a, "<=", a**2 / (a + D_) + D_), {a: W})
    share = instantiate(arithmetic(a / (a + D_), "<=", 1), {a: W})
    near = chain(near, gcongr(near.rhs, thm), share.lhs * B + D_)
    return limit(chain(near, gcongr(near.rhs, share)), D_, B, 1)


def norm_of_a_mean(X: Term, first: Term, second: Term, bound: Theorem) -> Theorem:
    """|E X| <= sqrt(E N^2) sqrt(E G^2) for a random vector X with |X|^2 <= N^2 G^2, where N^2 and
    G^2 are the terms `first` and `second`, by the mean of X.E X.
    """
    centre = mean(X)
    along = _inner(centre, X)
    size = gcongr(sqrt(bound.lhs), bound)
    size = chain(size, arithmetic(size.rhs, "==", sqrt(first) * sqrt(second), hide=(first, second)))
    along = chain(along, gcongr(along.rhs, size))
    product = mean_of_a_product(sqrt(first), sqrt(second))
    square = integrated("mean", (k,), along, parameters(centre**2), norm(centre) * product.lhs)
    square = chain(square, gcongr(square.rhs, product))
    return _cancelled(chain(norm(centre) ** 2, square), norm(centre), product.rhs)


def mean_of_a_norm(kind: str, names: tuple[Variable, ...], X: Term, bound: Theorem) -> Theorem:
    """|E X| <= E B for a random vector X with |X| <= B, where E is a mean of that kind."""
    centre, larger = bind(kind, names, X), bind(kind, names, bound.rhs)
    along = _inner(centre, X)
    along = chain(along, gcongr(along.rhs, bound))
    square = integrated(kind, names, along, parameters(centre**2), norm(centre) * larger)
    return _cancelled(chain(norm(centre) ** 2, square), norm(centre), larger)


def triangle(*parts: tuple[Term, Theorem]) -> Theorem:
    """|u_1 + .. + u_n| <= b_1 + .. + b_n for vectors u_n of parameters, each with |u_n| <= b_n."""
    return reduce(_of_two, parts)[1]


def _of_two(one: tuple[Term, Theorem], other: tuple[Term, Theorem]) -> tuple[Term, Theorem]:
    (u, first), (w, second) = one, other
    root = norm_of_a_sum(u, w)
    return u + w, chain(root, gcongr(root.rhs, first, second))


def norm_of_a_sum(u: Term, w: Term) -> Theorem:
    """|u + w| <= |u| + |w| for vectors of parameters."""
    squares = parameters(u**2), parameters(w**2)
    product = _inner(u, w)
    total = squares[0] + 2 * product.lhs + squares[1]
    square = chain(parameters((u + w) ** 2), total, gcongr(total, product), (norm(u) + norm(w)) ** 2)
    root = gcongr(norm(u + w), square)
    return chain(root, arithmetic(root.rhs, "==", norm(u) + norm(w), hide=squares))
