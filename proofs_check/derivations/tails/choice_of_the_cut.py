"""The last displays of the proof of Lemma D.2, item 2: the mean of the largest |z_l|^p through the
incomplete Gamma function, at any cut B >= 1 and at the one that the paper chooses.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate
from numerics.derivations.kernel.terms import Op, Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import d, k, x
from proofs_check.derivations.softmax_average.tilted import h, query
from proofs_check.derivations.tails import incomplete_gamma as G
from proofs_check.derivations.tails import largest as W
from proofs_check.derivations.tails.incomplete_gamma import X, b, c_p, e_, u_
from proofs_check.derivations.tails.largest import M_, S_, at_q, p, q, q_
from proofs_check.derivations.tails.lemma_d2 import at_least_two, power_of_the_logarithm, several

#: The level B^{2/p} of |z_l|^2, and the cut that the paper chooses.
root = exp(log(b) / q)
choice = 64**q * d**q + 32**q * power_of_the_logarithm


def statements(
    c: Fraction = Fraction(1, 2), least: int = 1, share: int | Fraction = 1, last: int | Fraction = 1
) -> tuple[Statement, ...]:
    """B^{2/p} >= c (64 d + 32 ln L) and B >= `least` for the B of the paper, and the two displays:
    `share` times that at any cut that is at least 1, and `last` times that at this one.
    """
    assumed = W.given | G.density().assumptions | G.admissible().assumptions
    far = L * exp(2 * d) * (p / 2) * 16 ** (p / 2) * c_p * exp(-(b ** (2 / p)) / 16) * b / 16 ** (p / 2)
    return (
        Statement((64 * d + 32 * log(L)) * Fraction(c), "<=", choice ** (2 / p)),
        Statement(term(least), "<=", choice),
        Statement(W.largest, "<=", Fraction(share) * (b + far), assumed),
        Statement(W.largest, "<=", Fraction(last) * ((1 + p * c_p / 2) * choice), assumed),
    )


@cache
def part_of_the_integral() -> Theorem:
    """(x + u)^{q-1} e^{-x-u} <= c_p e^{-x} x^q for x >= 1/16 and u >= 0: the integral of t^{q-1}
    e^{-t} from x on is at least that of (x + u)^{q-1} e^{-t} from x + u on.
    """
    far, near, top = Op("ind", (x - X - u_,)), Op("ind", (x - X,)), Op("max", (x, X))
    power = gcongr((X + u_ * far) ** e_, arithmetic(X + u_ * far, "<=", top))
    earlier = gcongr(far * S_, gcongr(far, arithmetic(x - X - u_, "<=", x - X)))
    point = calc(
        far * (X + u_) ** e_,
        ("<=", far * (X + u_ * far) ** e_),
        ("<=", near * (X + u_ * far) ** e_, instantiate(earlier, {S_: (X + u_ * far) ** e_})),
        ("<=", near * top**e_, power),
    )
    point = instantiate(point, {x: G.T(query), e_: q - 1}, arithmetic(0, "<=", q - 1))
    tail, front = instantiate(G.density(), {G.rate: term(1), u_: X + u_}), (X + u_) ** (q - 1)
    return calc(
        front * exp(-X - u_),
        ("<=", front * tail.lhs, gcongr(front * tail.rhs, tail)),
        ("<=", G.over_T(G.power_beyond(X)), point),
        ("<=", c_p * exp(-X) * X**q, G.admissible()),
    )


@cache
def weight() -> Theorem:
    """max(P, B) e^{-v/4} <= B q c_p e^{-B^{2/p}/16} for v = max(P, B)^{2/p} and B >= 1."""
    value, v = Op("max", (W.P(k), b)), W.level(b)
    higher, w, low = gcongr(root, arithmetic(b, "<=", value)), v / 16, root / 16
    gap, share = W.positive_part(w - low), q * c_p * exp(-low)
    start = gcongr(M_ * S_, at_q(arithmetic(M_, "==", exp(log(M_) / q_) ** q_), {}))
    same = show(w, "<=", low + gap)
    faster = show(-w, "<=", -low - gap, higher, v, root)
    power = instantiate(gcongr(w**e_, same), {e_: q - 1}, arithmetic(0, "<=", q - 1))
    least = show(Fraction(1, 16), "<=", low)
    both = calc(
        w ** (q - 1) * exp(-w),
        ("<=", (low + gap) ** (q - 1) * exp(-low - gap), power, gcongr(exp(-w), faster)),
        ("<=", c_p * exp(-low) * low**q, instantiate(part_of_the_integral(), {u_: gap, X: low}, least)),
    )
    return calc(
        instantiate(start, {M_: value, S_: exp(-v / 4)}),
        ("<=", q * 16**q * both.lhs, v),
        ("<=", q * 16**q * low**q * c_p * exp(-low), both),
        ("<=", b * share, show(16**q * low**q, "==", b)),
    )


@proves("BB:LD.2.2.B", statements, part=3)
@cache
def at_a_cut() -> Theorem:
    """E P_+ <= B + L e^{2d} (p/2) 16^{p/2} c_p e^{-B^{2/p}/16} B/16^{p/2} for every B >= 1."""
    share = q * c_p * exp(-root / 16)
    bound = b + L * exp(2 * d) * share * b
    return calc(W.mean_beyond(b, weight(), share), ("<=", bound, show(exp(h), "<=", exp(2 * d))))


def _root(e: Term) -> Term:
    """e^{2/p}, for a positive term."""
    return exp(log(e) / q)


@proves("BB:LD.2.2.B", statements, part=1)
@cache
def size_of_the_choice() -> Theorem:
    """B^{2/p} >= (64 d + 32 ln L)/2 for B = 64^{p/2} d^{p/2} + 32^{p/2} ln(L)^{p/2}, as it is at
    least each of the two.
    """
    value, logs = _root(choice), 32**q * at_least_two**q
    first = calc(64 * d, ("==", _root(64**q * d**q)), ("<=", value, show(64**q * d**q, "<=", choice)))
    back = arithmetic(M_ * S_, "==", exp(log(M_**q_ * S_**q_) / q_))
    larger = arithmetic(several * exp(log(M_) / q_), "<=", exp(log(S_ + several * M_) / q_))
    second = calc(
        32 * log(L),
        ("<=", several * (32 * at_least_two)),
        ("<=", several * _root(logs), at_q(back, {M_: term(32), S_: at_least_two})),
        ("<=", value, at_q(larger, {M_: logs, S_: 64**q * d**q})),
    )
    both = show((64 * d + 32 * log(L)) / 2, "<=", value, first, second, value, log(L))
    return calc(both, ("==", choice ** (2 / p)))


@proves("BB:LD.2.2.B", statements, part=2)
@cache
def allowed() -> Theorem:
    """B >= 1."""
    return arithmetic(1, "<=", choice)


@proves("BB:LD.2.2.B", statements, part=4)
@cache
def theorem() -> Theorem:
    """E P_+ <= (1 + p c_p/2) B at this B, where L e^{2d} e^{-B^{2/p}/16} <= 1."""
    back = at_q(arithmetic(M_ ** (1 / q_), "==", exp(log(M_) / q_)), {M_: choice})
    value, size = _root(choice), chain(size_of_the_choice(), back, _root(choice))
    faster = show(-value / 16, "<=", -2 * d - log(L), size, value, log(L))
    return calc(
        instantiate(at_a_cut(), {b: choice}, allowed()),
        ("<=", choice + q * c_p * choice * (L * exp(-log(L))), gcongr(exp(-value / 16), faster)),
        ("<=", (1 + p * c_p / 2) * choice, show(L * exp(-log(L)), "==", 1)),
    )
