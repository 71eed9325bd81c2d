"""Theorem H.5 of Collins et al.: where Fx has the direction of u for almost all queries, the block
A = B'MB of the symmetric M is a nonnegative multiple of I.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import d, j, l, over, q
from proofs_check.derivations.window.subspace.cosines import sides
from proofs_check.derivations.window.subspace.equal_weights import (
    M_uu,
    M_vu,
    c_u,
    c_v,
    class_hypotheses,
    cosine,
    e_,
    level,
    m,
    of_the_class,
    of_the_tokens,
    out,
    query,
    tilt,
    u,
    v,
)

#: How far c_u Fx is from the direction of u.
off = query(level * tilt)
#: A matrix in a quadratic form, the trace and the squared size of A, and the parts of c_u Fx.
form, size = Function("S", (Sort.INDEX, Sort.INDEX)), over(over(M_uu(j, l) ** 2, l))
trace = over(M_uu(j, j))
part_u, part_v = c_u**2 * over(M_uu(j, l) * u(l, q), l), c_u * c_v * out(M_vu(m, j) * v(m, q))
quadratic = over(over(form(j, l) * u(j, q) * u(l, q), l))


@cache
def forms_of_the_query() -> tuple[Theorem, ...]:
    """Second and fourth moments of the query; A is symmetric, as M is."""
    fourth = (trace**2 + 2 * size) / (d * (d + 2))
    along = over(u(j, q) * part_u) * over(u(j, q) * part_v)
    of_A = over(over(M_uu(j, l) * u(j, q) * u(l, q), l))
    return (
        assume(
            "uniform query: E u'Su = tr(S)/k", query(quadratic), "==", over(form(j, j)) / d, every=(form,)
        ),
        assume("uniform query: E (u'Au)^2 for a symmetric A", query(of_A**2), "==", fourth),
        assume("v and -v have one law: E u.N'v = 0", query(over(u(j, q) * part_v)), "==", 0),
        assume(
            "v and -v have one law: E Au.N'v = E u'Au u.N'v",
            query(over(part_u * part_v)),
            "==",
            query(along),
        ),
    )


def direction_statement(times: int = 1) -> Statement:
    """`times` c_u^4 (k|A|^2 - (tr A)^2)/(k(k + 2)) is at most the mean of lambda^2 (1 - cos^2)."""
    given = hypotheses(*forms_of_the_query(), *class_hypotheses()[:2], of_the_tokens()[0])
    spread_ = times * c_u**4 * (d * size - trace**2) / (d * (d + 2))
    return Statement(spread_, "<=", query(level**2 * (1 - cosine**2)), given)


def length_statement(times: int = 1) -> Statement:
    """The mean of lambda is `times` c_u^2 tr(A)/k, and that of lambda (1 - cos)."""
    given = hypotheses(*forms_of_the_query(), *class_hypotheses()[:2])
    return Statement(query(level), "==", times * c_u**2 * trace / d + off, given)


@cache
def along_the_query() -> Theorem:
    """c_u u.Fx = lambda cos."""
    known = of_the_class()[0]
    each = show(u(j, q) * known.lhs, "==", u(j, q) * known.rhs, known, *sides(known), u(j, q))
    whole = integrate("coordinates", (j,), each, (d,))
    return chain(over(u(j, q) * (part_u + part_v)), whole, level * cosine)


@cache
def length() -> Theorem:
    """|c_u Fx| = lambda."""
    known, unit = of_the_class()[:2]
    each = show(known.lhs**2, "==", known.rhs**2, known, *sides(known))
    whole = integrate("coordinates", (j,), each, (d,))
    return calc(
        over((part_u + part_v) ** 2), ("==", whole.lhs), ("==", whole.rhs, whole), ("==", level**2, unit)
    )


@proves("COL:T4.4/length", length_statement)
@cache
def mean_length() -> Theorem:
    """E lambda = c_u^2 tr(A)/k + E lambda (1 - cos)."""
    trace_, _, odd, _ = forms_of_the_query()
    at_A = instantiate(trace_, {form: ((j, l), M_uu(j, l))})
    whole = integrate("query", (q,), along_the_query())
    value = calc(
        query(level * cosine),
        ("==", whole.rhs),
        ("==", whole.lhs, whole, *sides(whole)),
        ("==", c_u**2 * at_A.lhs + odd.lhs),
        ("==", c_u**2 * trace / d, at_A, odd, at_A.lhs, odd.lhs),
    )
    return calc(query(level), ("==", value.lhs + off), ("==", value.rhs + off, value, value.lhs, off))


@proves("COL:T4.4/direction", direction_statement)
@cache
def spread_of_A() -> Theorem:
    """E (|W|^2 - (u.W)^2) for W = c_u Fx, of which the part of v adds what is not negative."""
    trace_, fourth, _, mixed = forms_of_the_query()
    unit = of_the_tokens()[0]
    square = instantiate(trace_, {form: ((j, l), over(M_uu(e_, j) * M_uu(e_, l), e_))})
    along_u, along_v = over(u(j, q) * part_u), over(u(j, q) * part_v)
    across = over((part_v - along_v * u(j, q)) ** 2)
    rest = calc(
        across,
        ("==", over(part_v**2) - 2 * along_v**2 + along_v**2 * unit.lhs),
        ("==", over(part_v**2) - along_v**2, unit, over(part_v**2), along_v),
    )
    rest = chain(show(0, "<=", across), rest)
    whole = calc(
        over(part_u**2) - along_u**2 + 2 * (over(part_u * part_v) - along_u * along_v),
        (
            "<=",
            over(part_u**2) - along_u**2 + 2 * (over(part_u * part_v) - along_u * along_v) + rest.rhs,
            rest,
            rest.rhs,
            over(part_u**2),
            along_u,
            over(part_u * part_v),
            along_v,
        ),
        ("==", over((part_u + part_v) ** 2) - over(u(j, q) * (part_u + part_v)) ** 2),
    )
    long, high = length(), along_the_query()
    point = calc(
        whole,
        ("==", level**2 - (level * cosine) ** 2, long, high, *sides(long), *sides(high)),
        ("==", level**2 * (1 - cosine**2)),
    )
    means = integrate("query", (q,), point)
    odd = mixed.lhs - mixed.rhs
    return calc(
        c_u**4 * (d * size - trace**2) / (d * (d + 2)),
        ("==", c_u**4 * (size / d - fourth.rhs) + 2 * odd, mixed, size, trace, mixed.lhs, mixed.rhs),
        ("==", c_u**4 * (square.rhs - fourth.rhs) + 2 * odd),
        (
            "==",
            c_u**4 * (square.lhs - fourth.lhs) + 2 * odd,
            square,
            fourth,
            *sides(square),
            *sides(fourth),
            odd,
        ),
        ("==", means.lhs),
        ("<=", means.rhs, means),
    )
