"""Propositions 3.1 and 3.4, Lemmas C.6 and C.9 in the form of the paper, from L = 2 on."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import show
from proofs_check.derivations.softmax_average import query_average, weighted_errors
from proofs_check.derivations.softmax_average.query_average import kappa, norm_U, norm_V
from proofs_check.derivations.softmax_average.softmax_average import d, m, sigma
from proofs_check.derivations.softmax_average.tilted import QUERY, h
from proofs_check.derivations.softmax_average.weighted_errors import C_f, size_of_g
from theory.bounds.query_average_constants import paper_constants_C6, paper_constants_C9, paper_constants_V

A_, B_, D_, X_ = (Variable(name, range=NONNEGATIVE) for name in ("A_", "B_", "D_", "X_"))
R_, S_ = (Variable(name, range=Range(Fraction(1), lo_open=False)) for name in ("R_", "S_"))
M_ = Variable("M_", range=POSITIVE)


@cache
def long_prompts() -> tuple[Theorem, Theorem]:
    """The hypotheses L >= 2 and sigma >= 1."""
    return assume("L >= 2", 2, "<=", L), assume("sigma >= 1", 1, "<=", sigma)


def bracket(A: Term, B: Term, D: Term | int, p: int, low: int, high: int) -> Theorem:
    """sigma^low (A + D ln(L)^p + B sigma^{2p}) <= sigma^high ln(L)^p ((A + B)/ln(2)^p + D), where
    high is at least low + 2p.
    """
    two, one = long_prompts()
    longer = chain(1, gcongr(log(2) / log(2), gcongr(log(2), two)), log(L) / log(2))
    line = arithmetic(A_ + D_ * R_**p * M_**p + B_ * S_, "<=", S_ * R_**p * M_**p * ((A_ + B_) / M_**p + D_))
    line = instantiate(
        line, {A_: A, B_: B, D_: term(D), S_: sigma ** (2 * p), M_: log(2), R_: log(L) / log(2)}, one, longer
    )
    form = log(L) ** p * ((A + B) / log(2) ** p + D)
    line = chain(A + D * log(L) ** p + B * sigma ** (2 * p), line, sigma ** (2 * p) * form)
    line = chain(gcongr(sigma**low * line.lhs, line), sigma ** (low + 2 * p) * form)
    if high == low + 2 * p:
        return line
    return chain(line, gcongr(line.rhs, arithmetic(sigma ** (low + 2 * p), "<=", sigma**high, one)))


def decay(c: int, e: int = 1) -> Theorem:
    """L^{-e theta} <= L^{-c_2/sigma^2} with theta = min(1, 1/(c kappa)) and c_2 = e min(1, 1/(c
    |U|^2)).
    """
    power = 1 / Op("max", (term(1), c * kappa))
    rate = 1 / Op("max", (term(1), c * norm_U**2)) / sigma**2
    as_exponential = arithmetic(L ** (-e * power), "==", exp(-e * power * log(L)))
    each, both = (Op("max", (term(1), value)) for value in (X_, S_ * X_))
    larger = show(1 / each, "<=", S_ / both, arithmetic(both, "<=", S_ * each), each, both)
    larger = instantiate(larger, {S_: sigma**2, X_: c * norm_U**2}, long_prompts()[1])
    larger = chain(rate, gcongr(larger.lhs / sigma**2, larger), power)
    slower = gcongr(as_exponential.rhs, larger)
    return chain(as_exponential, slower, arithmetic(slower.rhs, "==", L ** (-e * rate)))


def _in_the_form(thm: Theorem, front: Term, larger: Theorem, slower: Theorem) -> Theorem:
    """A bound front bracket L^{-e theta} in the form of the paper."""
    split = front * larger.lhs * slower.lhs
    return chain(thm, split, gcongr(split, larger, slower))


def _of_the_output(thm: Theorem, front: Term, power: int = 6) -> Theorem:
    larger = bracket(300 * (1 + h), 20 * (d + 1) * norm_U**2, 8, 1, 2, power)
    return _in_the_form(thm, front * 2 ** (d / 2), larger, decay(16))


@cache
def output() -> Theorem:
    """Proposition 3.1 for L >= 2 and sigma >= 1."""
    return _of_the_output(query_average.theorem(), norm_V**2)


@cache
def our_output() -> Theorem:
    """The same with sigma^4 in place of sigma^6."""
    return _of_the_output(query_average.theorem(), norm_V**2, 4)


@cache
def gradient() -> Theorem:
    """Proposition 3.4 for the gradient in V, for L >= 2 and sigma >= 1."""
    return _of_the_output(query_average.gradient(), m)


def _of_g(order: int) -> Term:
    """sqrt(E|g|^{2 order}) 2^{d/4}."""
    return sqrt(QUERY.mean(size_of_g(order) ** order)) * 2 ** (d / 4)


@cache
def lemma_c6(p: int) -> Theorem:
    """Lemma C.6 for L >= 2 and sigma >= 1."""
    B = 2 * p * (4 * norm_U**2 * (d + 2 * p) * exp(Fraction(-1, 2))) ** p
    larger = bracket(75 * (2 * p - 1 + h) ** p, B, 2 * p, p, 2 * p, 6 * p)
    return _in_the_form(weighted_errors.lemma_c6(p), C_f**2 * 4**p * _of_g(2), larger, decay(32))


@cache
def lemma_c9() -> Theorem:
    """Lemma C.9 for L >= 2 and sigma >= 1."""
    B = 16 * (4 * norm_U**2 * (d + 4) * exp(Fraction(-1, 2))) ** 2
    larger = bracket(8000 * (3 + h) ** 2, B, 16, 2, 4, 12)
    return _in_the_form(weighted_errors.lemma_c9(), 16 * C_f**4 * _of_g(4), larger, decay(128, 2))


def _statement(
    of: Statement,
    c: int | Fraction,
    logs: int,
    power: int,
    constants: tuple[sp.Expr, sp.Expr],
    values: dict[sp.Symbol, Term],
) -> Statement:
    """E <= c c_1 sigma^power ln(L)^logs L^{-c_2/sigma^2} with the constants of `theory`."""
    first, second = (from_sympy(e, values) for e in constants)
    bound = Fraction(c) * first * sigma**power * log(L) ** logs * L ** (-second / sigma**2)
    return Statement(of.lhs, "<=", bound, of.assumptions.union(*(x.assumptions for x in long_prompts())))


_U, _V2, _d, _C, _g = sp.symbols("U V2 d C_f g", positive=True)


def _output_statement(of: Statement, rows: Term, c: int | Fraction, power: int) -> Statement:
    return _statement(
        of, c, 1, power, paper_constants_V(_U, sp.sqrt(_V2), _d), {_U: norm_U, _V2: rows, _d: d}
    )


def output_constants() -> tuple[Term, Term]:
    """c_1 and c_2 of Proposition 3.1."""
    first, second = (
        from_sympy(e, {_U: norm_U, _V2: norm_V**2, _d: d}) for e in paper_constants_V(_U, sp.sqrt(_V2), _d)
    )
    return first, second


def output_statement(c: int | Fraction = 1, power: int = 6) -> Statement:
    """Proposition 3.1 for L >= 2."""
    return _output_statement(query_average.statement(), norm_V**2, c, power)


def our_statements(c: int | Fraction = 1) -> tuple[Statement, Statement]:
    """P3.1 with our constants, and for L >= 2 and sigma >= 1 in the form of the paper with sigma^4
    in place of sigma^6.
    """
    return query_average.statement(c), output_statement(c, 4)


def gradient_statement(c: int | Fraction = 1, power: int = 6) -> Statement:
    """Proposition 3.4 for the gradient in V and L >= 2."""
    return _output_statement(query_average.gradient_statement(), m, c, power)


def _values(order: int) -> dict[sp.Symbol, Term]:
    return {_U: norm_U, _C: C_f, _d: d, _g: sqrt(QUERY.mean(size_of_g(order) ** order))}


def statement_c6(p: int, c: int | Fraction = 1) -> Statement:
    """Lemma C.6 for L >= 2."""
    return _statement(
        weighted_errors.statement_c6(p), c, p, 6 * p, paper_constants_C6(_U, _C, _d, p, _g), _values(2)
    )


def statement_c9(c: int | Fraction = 1) -> Statement:
    """Lemma C.9 for L >= 2."""
    return _statement(
        weighted_errors.statement_c9(), c, 2, 12, paper_constants_C9(_U, _C, _d, _g), _values(4)
    )
