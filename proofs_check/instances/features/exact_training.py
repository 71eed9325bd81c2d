"""What is true of the phases of Li, Duan & Liang where training is known exactly (our R7): for
orthonormal features, exchangeable tasks, balanced prompts and the flow from Q = 0. Their statements
are repaired with these checks.

With M = K - 1 and the score gap z = log(M r) the attention on the query's class is r/(1 + r). Times
are in units of 1/(eta sigma_f^2), and updates of scores in units of sigma_f^2. The keywords of a
check are the numbers of the statement.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import Rational, log, oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall, identity
from theory.regression.features.reduced import ReducedAttention

__all__ = [
    "R7",
    "UPDATES",
    "attention_at_the_start",
    "attention_from_one_half",
    "early_updates",
    "every_rest",
    "half_before",
    "half_in_time",
    "late_rest",
    "late_updates",
    "other_attention",
    "other_updates",
    "scores_at_one_half",
    "speed_of_the_attention",
    "time_of_the_order",
    "time_to_one_half",
    "updates",
    "updates_at_late_times",
]

Number = int | Fraction
#: What a repair rests on: one number and its time; or that number alone.
R7, UPDATES = ("OURS:R7.flow", "OURS:R7.time"), ("OURS:R7.flow",)
M, r, y = sp.symbols("M r y", positive=True)
K, WHOLE = M + 1, sp.Symbol("K", integer=True, positive=True)
TRAINING = ReducedAttention(K, sp.S.One)
CLASSES = {WHOLE: Integers(2, oo)}


def attention(r: sp.Expr) -> sp.Expr:
    """Attention on the class of the query."""
    return r / (1 + r)


def update(r: sp.Expr) -> sp.Expr:
    """g_k."""
    return r / (M * (1 + r) ** 3)


def time(r: sp.Expr) -> sp.Expr:
    """Time of the flow, times K."""
    return ((M * r) ** 2 - 1) / 2 + 3 * M * (M * r - 1) + 3 * M**2 * log(M * r) + M**3 * (1 - 1 / (M * r))


def of_whole(e: sp.Expr) -> sp.Expr:
    """The expression in the number of classes."""
    return e.subs(M, WHOLE - 1)


def is_the_time() -> Evidence:
    """The formula of the time is that of the flow."""
    return identity(computed(r"K\,T", K * TRAINING.time(log(M * r))), time(r))


def updates(power: int = 2) -> Evidence:
    r"""$g_k=\frac1K\mathrm{Attn}_k(1-\mathrm{Attn}_k)^2\frac K{K-1}$ with `power` for the
    exponent: it is the share $\frac{K-1}K$ of the speed of the gap.
    """
    moved = computed(r"\frac{K-1}K\dot z", TRAINING.slope(log(M * r)) * M / K)
    return identity(moved, attention(r) * (1 - attention(r)) ** power / M)


def time_to_one_half(below: Number = 5, logs: Number = 3) -> Evidence:
    r"""$K^2+3K\log K-5K\leq T\leq K^2+3K\log K$ at $\mathrm{Attn}_k=\frac12$, with `below` for the
    5 and `logs` for the 3 above.
    """
    half, law = of_whole(time(sp.S.One)) / WHOLE, WHOLE**2 + 3 * WHOLE * log(WHOLE)
    return all_of(
        is_the_time(),
        forall(half, ">=", law - sp.Rational(below) * WHOLE, CLASSES),
        forall(half, "<=", WHOLE**2 + sp.Rational(logs) * WHOLE * log(WHOLE), CLASSES),
    )


def half_in_time(logs: Number = 3, least: Number = Fraction(1, 2)) -> Evidence:
    r"""From $K^2+3K\log K$ on $\mathrm{Attn}_k$ is at least `least` = 1/2, also times $\frac1{1+x}$
    for every $x>0$; `logs` stands for the 3.
    """
    half = of_whole(time(sp.S.One)) / WHOLE
    return all_of(
        is_the_time(),
        forall(half, "<=", WHOLE**2 + sp.Rational(logs) * WHOLE * log(WHOLE), CLASSES),
        attention_from_one_half(least),
    )


def half_before(most: Number = 3) -> Evidence:
    r"""$K^2+3K\log K\leq\frac{cKl}{x}$ for $x\leq\frac{cl}{3K}$, with `most` for the last 3: the
    time to one half comes before a printed one.
    """
    c, l, x = sp.symbols("c l x", positive=True)
    box = {WHOLE: Integers(2, oo), c: (0, oo), l: (0, oo), x: (0, oo)}
    return forall(
        WHOLE**2 + 3 * WHOLE * log(WHOLE),
        "<=",
        c * WHOLE * l / x,
        box,
        where=[(x, "<=", c * l / (most * WHOLE))],
    )


def attention_from_one_half(least: Number = Fraction(1, 2)) -> Evidence:
    r"""From the gap $\log(K-1)$ on the attention is at least `least` = 1/2, times $\frac1{1+x}$ for
    every $x>0$.
    """
    x = sp.Symbol("x", positive=True)
    return forall(attention(r), ">=", sp.Rational(least) / (1 + x), {r: Closed(1, oo), x: (0, oo)})


def speed_of_the_attention(sign: int = 1) -> Evidence:
    """The attention increases; `sign` stands for the sign of its speed."""
    return forall(
        sign * attention(r) * (1 - attention(r)) * update(r), ">", 0, {M: Closed(1, oo), r: (0, oo)}
    )


def scores_at_one_half(share: Number = Fraction(1, 2), least: Number = Fraction(3, 5)) -> Evidence:
    r"""For $q_k=\frac{K-1}K\log(K-1)$ and $q_{k,m}=-\frac{q_k}{K-1}$ the attention is `share` =
    1/2, and the gap is $\log(K-1)$, at least `least` = 3/5 times $\log K$ for $K\geq3$.
    """
    q = M / K * log(M)
    found = computed(r"\mathrm{Attn}_k", TRAINING.attention(q + q / M))
    return all_of(
        identity(found, sp.Rational(share)),
        identity(q + q / M, log(M)),
        forall(log(WHOLE - 1), ">=", sp.Rational(least) * log(WHOLE), {WHOLE: Integers(3, oo)}),
    )


def every_rest(whole: int = 1) -> Evidence:
    r"""The gap $\log((K-1)\frac{1-a}a)$ leaves $1-\mathrm{Attn}_k=a$, for every $a$; `whole` stands
    for the 1.
    """
    a = sp.Symbol("a", positive=True)
    return identity(computed(r"\mathrm{Attn}_k", TRAINING.attention(log(M * (1 - a) / a))), whole - a)


def early_updates(least: Number = Fraction(1, 2), most: Number = 1, gap: int = 1) -> Evidence:
    r"""While $\mathrm{Attn}_k\leq\frac12$ and $e^z\leq C$, $\frac1{2K^2}\leq g_k\leq\frac C{K^2}$,
    with `least` for the 1/2 and `most` = 1 times $C$; and $q_k-q_{k,m}$ is `gap` = 1 times $z$ for
    $q_k=\frac{K-1}Kz$ and $q_{k,m}=-\frac zK$.
    """
    g, box = update(y / M), {M: Closed(1, oo), y: Closed(1, oo)}
    z = sp.Symbol("z", real=True)
    return all_of(
        updates(),
        forall(g, ">=", sp.Rational(least) / K**2, box, where=[(y, "<=", M)]),
        forall(g, "<=", sp.Rational(most) * y / K**2, box),
        identity(M / K * z + z / K, gap * z),
    )


def attention_at_the_start(
    least: Number = 1, most: Number = 3, share: Number = Fraction(2, 3), twice: Number = 2
) -> Evidence:
    r"""$\frac1K\leq\mathrm{Attn}_k\leq\frac3K$ up to the time $\frac23K^2$, which is at least
    $CK\log K$ for $C\leq\sqrt{K/2}$. Here `least`, `most`, `share` and `twice` stand for the 1, 3,
    2/3 and 2.
    """
    early, longest = {M: Closed(1, oo), y: Closed(1, 3)}, Rational(2, 3) * WHOLE**2
    return all_of(
        is_the_time(),
        forall(attention(y / M), ">=", sp.Rational(least) / K, early),
        forall(attention(y / M), "<=", sp.Rational(most) / K, early),
        forall(of_whole(time(3 / M)) / WHOLE, ">=", sp.Rational(share) * WHOLE**2, CLASSES),
        forall(sp.sqrt(WHOLE / twice) * WHOLE * log(WHOLE), "<=", longest, CLASSES),
    )


def other_updates(classes: int = 1, sign: int = -1) -> Evidence:
    r"""$g_{k,m}=-\frac{g_k}{K-1}<0$, with `classes` for the 1 and `sign` for that of $g_{k,m}$: by
    R7 $g_k=\frac1Ka(1-2a+|w|^2)$, and by R11 $-g_{k,m}=\frac1Kw_m(a+w_m-|w|^2)$, where the
    attentions are $a$ and $w_m=\frac{1-a}{K-1}$.
    """
    a = sp.Symbol("a", positive=True)
    w = (1 - a) / M
    squares = a**2 + M * w**2
    own, other = a * (1 - 2 * a + squares) / K, w * (a + w - squares) / K
    return all_of(
        identity(other * (K - classes), own), forall(-sign * other, ">", 0, {M: Closed(1, oo), a: (0, 1)})
    )


def other_attention(least: Number = 1, most: Number = 2) -> Evidence:
    r"""$\mathrm{Attn}_n=\frac{1-\mathrm{Attn}_k}{K-1}$ is between `least` = 1 and `most` = 2 times
    $\frac{1-\mathrm{Attn}_k}K$.
    """
    a = sp.Symbol("a", positive=True)
    other, box = (1 - a) / (WHOLE - 1), {**CLASSES, a: (0, 1)}
    return all_of(
        *(forall(other, op, sp.Rational(c) * (1 - a) / WHOLE, box) for op, c in ((">=", least), ("<=", most)))
    )


def _late(quantity: sp.Expr, limit: sp.Expr, first: Number, last: Number, least: Number) -> Evidence:
    """A quantity is at least its limit, which may be scaled, and above it by a share that tends to
    0; l stands for log((K-1) r), which is at least 1/2 where K >= 3.
    """
    l = sp.Symbol("l", positive=True)
    over = 1 + sp.Rational(first) / r + (sp.Rational(last) * K + 6 * l) / r**2
    box = {M: Closed(2, oo), r: Closed(1, oo), l: Closed(Rational(1, 2), oo)}
    left = sp.expand(quantity.subs(log(M * r), l))
    return all_of(forall(left, ">=", sp.Rational(least) * limit, box), forall(left, "<=", limit * over, box))


def late_updates(first: Number = 3, last: Number = 2, least: Number = 1) -> Evidence:
    r"""For $K\geq3$ and $r=\frac{\mathrm{Attn}_k}{1-\mathrm{Attn}_k}\geq1$, $\frac{K-1}{2KT}\leq
    g_k\leq\frac{K-1}{2KT}(1+\frac3r+\frac{2K+6\log((K-1)r)}{r^2})$, with `first` and `last` for the
    3 and the 2, and `least` = 1 times the left side.
    """
    return all_of(is_the_time(), updates(), _late(2 * r * time(r), M**2 * (1 + r) ** 3, first, last, least))


def late_rest(first: Number = 4, last: Number = 2, least: Number = 1) -> Evidence:
    r"""For $K\geq3$ and $r\geq1$ as in `late_updates`,
    $\frac{(K-1)^2}{2KT}\leq(1-\mathrm{Attn}_k)^2
    \leq\frac{(K-1)^2}{2KT}(1+\frac4r+\frac{2K+6\log((K-1)r)}{r^2})$.
    """
    return all_of(is_the_time(), _late(2 * time(r), M**2 * (1 + r) ** 2, first, last, least))


def updates_at_late_times(most: Number = 1, by: Number = 1) -> tuple[Evidence, Evidence]:
    r"""For $K\geq8$ $r=K$ is reached by the time `by` = 1 times $K^3$, and from then
    on $g_kT$ is at most `most` = 1.
    """
    (k, s), a = sp.symbols("K s", positive=True), sp.Symbol("a", nonnegative=True)
    classes, part = {k: Closed(8, oo)}, (M * r / 20 + 2) * a
    bounded = lambda e, at: sp.expand(e.subs(log(M * r), part)).subs({r: at, M: k - 1})
    product = bounded(time(r), k * s) * update(k * s).subs(M, k - 1) / k
    small = forall(log(y), "<=", y / 20 + 2, {y: Closed(1, oo)})
    box = {**classes, a: Closed(0, 1)}
    return (
        all_of(is_the_time(), small, forall(bounded(time(r), k) / k, "<=", sp.Rational(by) * k**3, box)),
        all_of(small, forall(product, "<=", sp.Rational(most), {**box, s: Closed(1, oo)})),
    )


def time_of_the_order(least: Number = Fraction(1, 6), most: Number = Fraction(3, 2)) -> Evidence:
    r"""For $K\geq3$ the time to $1-\mathrm{Attn}_k=a\leq\frac12$ is between `least` = 1/6 and
    `most` = 3/2 times $K^2+\frac K{a^2}$.
    """
    order, box = K**2 + K * (1 + r) ** 2, {M: Closed(2, oo), r: Closed(1, oo)}
    bounds = (forall(time(r) / K, op, sp.Rational(c) * order, box) for op, c in ((">=", least), ("<=", most)))
    return all_of(is_the_time(), *bounds)
