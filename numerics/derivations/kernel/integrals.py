"""The rules that speak of integrals: what they keep, how they converge and change places, and the
one that has a closed form. Each is stated and proved in its docstring.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numerics.derivations.kernel.binding import bind, instantiated, last_fresh, opened
from numerics.derivations.kernel.judgements import equal
from numerics.derivations.kernel.normal_form import LENGTH
from numerics.derivations.kernel.sorts import POSITIVE, ProofError, Sort
from numerics.derivations.kernel.terms import GAUSSIAN, Bind, Function, Number, Op, Term, Variable, text
from numerics.derivations.kernel.theorems import Assumption, Theorem, _prove, check_arbitrary, read, speaks_of
from numerics.derivations.kernel.values import MEANS, finite, nonnegative, positive

__all__ = ["choose", "exchange", "gaussian", "integrate", "limit", "open_event", "same_covariance"]


def integrate(kind: str, names: tuple[Variable, ...], thm: Theorem, heads: tuple[Term, ...] = ()) -> Theorem:
    """From X <= Y for all values of variables to the same for their integrals.

    An integral of a smaller function is not larger wherever both have a value in ``(-oo, oo]``,
    which is checked. No assumption may fix the variables.

    Parameters
    ----------
    kind : str
        One of `numerics.derivations.kernel.sorts.KINDS`.
    names : tuple of Variable
        What is integrated over.
    heads : tuple of Term
        The prompt of a sum over positions, or the sizes of a sum over coordinates.

    Raises
    ------
    ProofError
        If the relation is strict, an assumption fixes a variable, or an integral may not exist.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numerics.derivations.kernel.rules import arithmetic, integrate, instantiate
    >>> from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
    >>> from numerics.derivations.kernel.terms import Function, Variable
    >>> k, f = Variable("k", Sort.TOKEN), Function("f", (Sort.TOKEN,), Fraction(2))
    >>> x = Variable("x", range=NONNEGATIVE)
    >>> line = instantiate(arithmetic(2 * x, "<=", x**2 + 1), {x: f(k) ** 2})
    >>> print(integrate("mean", (k,), line).lhs)
    mean[1: (2*(f(_0)^2))]
    """
    if thm.op == "<":
        raise ProofError("<= or == is needed under an integral")
    check_arbitrary(thm, names)
    left, right = (bind(kind, names, e, heads) for e in (thm.lhs, thm.rhs))
    return _prove(left, thm.op, right, f"integrate: {kind}", (thm,))


def limit(thm: Theorem, delta: Variable, Y: Any, Z: Any) -> Theorem:
    """From X <= Y + delta Z for every delta > 0 to X <= Y.

    Z is finite and delta occurs in none of X, Y, Z. If Y is infinite there is nothing to show;
    otherwise the right side tends to Y as delta tends to 0.

    Raises
    ------
    ProofError
        If the small number occurs elsewhere, Z may be infinite, or the right side is not Y + delta
        Z.

    Examples
    --------
    >>> from numerics.derivations.kernel.rules import arithmetic, limit
    >>> from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
    >>> from numerics.derivations.kernel.terms import Variable
    >>> x, d = Variable("x", range=NONNEGATIVE), Variable("d", range=POSITIVE)
    >>> print(limit(arithmetic(x, "<=", x + d), d, x, 1))
     |- x <= x
    """
    Y, Z = read(Y), read(Z)
    check_arbitrary(thm, (delta,))
    if (
        type(delta) is not Variable
        or delta.range != POSITIVE
        or delta in thm.lhs.free | Y.free | Z.free
        or not finite(Z)
        or thm.op == "=="
    ):
        raise ProofError(f"{delta} is no positive variable, occurs elsewhere, or its factor may be infinite")
    same = equal(thm.rhs, Y + delta * Z)
    return _prove(thm.lhs, "<=", Y, "limit", (thm, same))


def open_event(thm: Theorem, eta: Variable, names: tuple[Variable, ...], u: Any) -> Theorem:
    """From P(u > eta) <= Y for every eta > 0 to P(u > 0) <= Y, where P is a mean over `names`.

    The events {u > eta} grow to {u > 0} as eta falls to 0, so that their probabilities converge to
    its own; eta occurs neither in u nor in Y.

    Raises
    ------
    ProofError
        If the left side is no such probability, or eta occurs elsewhere.

    Examples
    --------
    >>> from numerics.derivations.kernel.judgements import equal, instantiate, trans
    >>> from numerics.derivations.kernel.rules import arithmetic, integrate
    >>> from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort
    >>> from numerics.derivations.kernel.terms import Function, Variable
    >>> k, f = Variable("k", Sort.TOKEN), Function("f", (Sort.TOKEN,))
    >>> eta = Variable("eta", range=POSITIVE)
    >>> x = Variable("x", range=NONNEGATIVE)
    >>> event = lambda u: Op("above", (u,))
    >>> line = instantiate(arithmetic(event(x - eta), "<=", 1), {x: f(k) ** 2})
    >>> line = integrate("mean", (k,), line)
    >>> line = trans(line, equal(line.rhs, 1))
    >>> print(open_event(line, eta, (k,), f(k) ** 2))
     |- mean[1: above((f(_0)^2))] <= 1
    """
    u = read(u)
    check_arbitrary(thm, (eta,))
    mean = thm.lhs
    if (
        not isinstance(mean, Bind)
        or mean.kind not in MEANS
        or thm.op == "<"
        or type(eta) is not Variable
        or eta.range != POSITIVE
        or eta in u.free | thm.rhs.free
    ):
        raise ProofError(f"a probability is needed, and a positive {eta} that occurs in nothing else")
    same = equal(bind(mean.kind, names, Op("above", (u - eta,))), mean)
    return _prove(bind(mean.kind, names, Op("above", (u,))), "<=", thm.rhs, "open event", (thm, same))


def choose(
    name: str, bound: Theorem, names: tuple[Variable, ...], X: Any, u: Any, K: Variable, delta: Any
) -> Theorem:
    """From E X <= S for X >= 0 to E[X; u >= K] <= delta for a number K, which is chosen so.

    X times the indicator of u >= K is at most X, whose mean is finite, and tends to 0 as K grows,
    for u is finite; so do the means, by dominated convergence. Hence there is such a K for every
    delta > 0, and every larger number is one, too, so that one K can serve for several choices.
    This is an assumption of what follows, marked as a choice: K depends on nothing but what the
    assumption shows, so that no prompt may stand in it, whose length it does not show, and nothing
    that makes the mean finite may speak of K.

    Parameters
    ----------
    name : str
        What the choice is called wherever it is shown.
    bound : Theorem
        ``E X <= S``, for a mean over `names`, a nonnegative X and a finite S.
    K : Variable
        Positive, and new.
    delta : Term
        A positive number.

    Raises
    ------
    ProofError
        If the bound is not that of a mean of a nonnegative term, a number may be infinite, K is not
        new, or the choice would depend on the length of a prompt, or on a token, query, task, index
        or time.

    Examples
    --------
    >>> from numerics.derivations.kernel.rules import assume, choose
    >>> from numerics.derivations.kernel.sorts import POSITIVE, Sort
    >>> from numerics.derivations.kernel.terms import Function, Variable
    >>> k, f = Variable("k", Sort.TOKEN), Function("f", (Sort.TOKEN,))
    >>> S, K, d = (Variable(name, range=POSITIVE) for name in ("S", "K", "delta"))
    >>> finite = assume("E f^2 <= S", bind("mean", (k,), f(k) ** 2), "<=", S)
    >>> print(choose("K is large", finite, (k,), f(k) ** 2, f(k), K, d))
    E f^2 <= S, K is large |- mean[1: ((f(_0)^2)*ind((f(_0) + (-1*K))))] <= delta
    """
    X, u, delta, mean = read(X), read(u), read(delta), bound.lhs
    if not isinstance(mean, Bind) or mean.kind not in MEANS or bind(mean.kind, names, X) != mean:
        raise ProofError(f"{bound} does not bound a mean of {text(X)}")
    if not (nonnegative(X) and finite(bound.rhs) and finite(u) and finite(delta) and positive(delta)):
        raise ProofError(f"{text(X)} may be negative, {text(delta)} may be 0, or a number may be infinite")
    left = bind(mean.kind, names, X * Op("ind", (u - K,)))
    if LENGTH in speaks_of(left, delta):
        raise ProofError(
            f"the choice of {K} would depend on the number of tokens of a prompt; choose {K} for terms "
            "without prompts"
        )
    told = {v for a in bound.assumptions for e in (a.lhs, a.rhs) for v in e.free}.union(
        bound.rhs.free, X.free, u.free, delta.free
    )
    if type(K) is not Variable or K.range != POSITIVE or K in told:
        raise ProofError(f"{K} is no new positive variable")
    return _prove(
        left, "<=", delta, f"choice: {name}", (bound,), own=(Assumption(name, left, "<=", delta, chosen=K),)
    )


def exchange(e: Any) -> Theorem:
    """Two means of a nonnegative term in the other order, by Tonelli's theorem.

    Raises
    ------
    ProofError
        If the term is not a mean of a mean of a nonnegative term.

    Examples
    --------
    >>> from numerics.derivations.kernel.binding import bind
    >>> from numerics.derivations.kernel.rules import exchange
    >>> from numerics.derivations.kernel.sorts import Sort
    >>> from numerics.derivations.kernel.terms import Function, Variable
    >>> k, y = Variable("k", Sort.TOKEN), Variable("y", Sort.QUERY)
    >>> f = Function("f", (Sort.TOKEN,))
    >>> print(exchange(bind("mean", (k,), bind("query", (y,), f(k) ** 2))).rhs)
    query[1: mean[1: (f(_0)^2)]]
    """
    outer = read(e)
    if not isinstance(outer, Bind) or outer.kind not in MEANS:
        raise ProofError(f"{text(outer)} is no mean")
    first, inner = opened(outer)
    if not isinstance(inner, Bind) or inner.kind not in MEANS:
        raise ProofError(f"{text(inner)} is no mean")
    second, body = opened(inner, last_fresh(*first))
    if not nonnegative(body):
        raise ProofError(f"{text(body)} is not known to be nonnegative")
    return _prove(outer, "==", bind(inner.kind, second, bind(outer.kind, first, body)), "Tonelli")


def gaussian(g: Variable, index: Variable, size: Variable, slope: Any, one: Theorem) -> Theorem:
    """The mean over a Gaussian vector of exp(sum_j b_j xi_j + s xi_j^2/2) is r^{-d/2} exp(sum_j
    b_j^2/(2 r)), for s + r = 1, which is a premise, and r > 0.

    In one coordinate the density makes the exponent b x - r x^2/2, whose square is completed, and
    the coordinates are independent; neither b nor r depends on the vector, nor r on the index.

    Parameters
    ----------
    g : Variable
        The Gaussian vector.
    index, size : Variable
        The coordinate j and their number d.
    slope : Term
        The coefficient b_j.
    one : Theorem
        ``s + r == 1``.

    Raises
    ------
    ProofError
        If r is not known to be positive and finite, or b, s or r depend on what they must not.

    Examples
    --------
    >>> from numerics.derivations.kernel.binding import bind
    >>> from numerics.derivations.kernel.normal_form import normal_form
    >>> from numerics.derivations.kernel.rules import equal, gaussian
    >>> from numerics.derivations.kernel.sorts import Sort, whole
    >>> from numerics.derivations.kernel.terms import Function, Op, Variable, term
    >>> j, g = Variable("j", Sort.INDEX), Variable("g", Sort.NORMAL)
    >>> b, d = Function("b", (Sort.INDEX,)), Variable("d", range=whole(1))
    >>> mgf = gaussian(g, j, d, b(j), equal(term(0) + 1, 1))
    >>> square = bind("coordinates", (j,), b(j) ** 2, (d,))
    >>> normal_form(mgf.rhs) == normal_form(Op("exp", (square / 2,)))
    True
    """
    b, x = read(slope), GAUSSIAN(index, g)
    if not isinstance(one.lhs, Op) or (one.lhs.head, len(one.lhs.args), one.op, one.rhs) != (
        "add",
        2,
        "==",
        Number(Fraction(1)),
    ):
        raise ProofError(f"{one} does not say that two terms add up to 1")
    s, r = one.lhs.args
    if (
        not (finite(b) and finite(r) and positive(r))
        or g in b.free | r.free | s.free
        or index in r.free | s.free
    ):
        raise ProofError(
            f"{text(b)} and {text(r)} are finite and free of {g}, and the second is positive and free "
            f"of {index}"
        )
    total = lambda body: bind("coordinates", (index,), body, (size,))
    mean = bind("normal", (g,), Op("exp", (total(b * x + s / 2 * x**2),)))
    value = Op("exp", (-(size / 2) * Op("log", (r,)),)) * Op("exp", (total(b**2 / (2 * r)),))
    return _prove(mean, "==", value, "Gaussian integral", (one,))


def same_covariance(
    e: Any,
    y: Function,
    vectors: tuple[Variable, Variable],
    indices: tuple[Variable, Variable, Variable],
    size: Variable,
    coefficients: tuple[Any, Any, Any],
    same: Theorem,
) -> Theorem:
    """The mean of a nonnegative term in numbers y_j is the same for y_j = sum_n A_jn xi_n as for
    y_j = sum_n B_jn xi_n + sum_n C_jn xi'_n, if these have the same covariances.

    The vectors xi and xi' are independent, and both families are Gaussian with mean 0, so that
    their covariances determine their laws.

    Parameters
    ----------
    e : Term
        The nonnegative term.
    y : Function
        A function of one index, in whose place the sums are put.
    vectors, indices : tuple of Variable
        The Gaussian vectors xi and xi'; the index j, another one k, and the coordinate n.
    size : Variable
        The number of coordinates.
    coefficients : tuple of Term
        A_jn, B_jn and C_jn.
    same : Theorem
        ``sum_n A_jn A_kn == sum_n B_jn B_kn + sum_n C_jn C_kn``, for all j and k.

    Raises
    ------
    ProofError
        If the term may be negative or speaks of the vectors, a coefficient may be infinite or
        depends on them, or the premise says something else or fixes j or k.

    Examples
    --------
    A normal number has the law of 3/5 of one and 4/5 of another.

    >>> from numerics.derivations.kernel.binding import bind
    >>> from numerics.derivations.kernel.rules import equal, same_covariance
    >>> from numerics.derivations.kernel.sorts import Sort, whole
    >>> from numerics.derivations.kernel.terms import Function, Variable, term
    >>> g, h = (Variable(name, Sort.NORMAL) for name in "gh")
    >>> j, k, n = (Variable(name, Sort.INDEX) for name in "jkn")
    >>> a, y = Function("a", (Sort.INDEX,) * 2), Function("y", (Sort.INDEX,))
    >>> d = Variable("d", range=whole(1))
    >>> dot = lambda c: bind("coordinates", (n,), (c * a(j, n)) * (c * a(k, n)), (d,))
    >>> parts = tuple(term(Fraction(c, 5)) * a(j, n) for c in (5, 3, 4))
    >>> same = equal(dot(term(Fraction(1))), dot(term(Fraction(3, 5))) + dot(term(Fraction(4, 5))))
    >>> print(same_covariance(y(j) ** 2, y, (g, h), (j, k, n), d, parts, same).lhs)
    normal[1: (coordinates[d, 1: ((1*a(j, _0))*xi(_0, _1))]^2)]
    """
    e, (g, h), (j, k, n) = read(e), vectors, indices
    parts = tuple(map(read, coefficients))
    if type(y) is not Function or y.sorts != (Sort.INDEX,) or g == h or len({j, k, n}) < 3:
        raise ProofError(f"{y} is no function of one index, or the vectors or indices are not distinct")
    if not nonnegative(e) or {g, h} & e.free:
        raise ProofError(f"{text(e)} may be negative, or speaks of the vectors")
    if any(not finite(c) or {g, h, k} & c.free or y in c.functions for c in parts):
        raise ProofError(f"a coefficient may be infinite, or depends on {g}, {h}, {k} or {y.name}")
    sums = [
        bind("coordinates", (n,), c * GAUSSIAN(n, v), (size,)) for c, v in zip(parts, (g, g, h), strict=True)
    ]
    first, *rest = (bind("coordinates", (n,), c * instantiated(c, {j: k}), (size,)) for c in parts)
    if (same.lhs, same.op, same.rhs) != (first, "==", Op("add", tuple(rest))):
        raise ProofError(f"{same} does not say that the covariances are the same")
    check_arbitrary(same, (j, k))
    left, right = (instantiated(e, {y: ((j,), value)}) for value in (sums[0], sums[1] + sums[2]))
    return _prove(
        bind("normal", (g,), left),
        "==",
        bind("normal", (g,), bind("normal", (h,), right)),
        "same covariance",
        (same,),
    )
