"""Lemma H.3 of Collins et al.: without label noise the loss grows with the largest weight that the
spurious directions give to a token, if c <= 2; one step of its proof needs c <= 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity, integral_evidence
from proofs_check.collins.subspace.lemma_h1 import UNDER_THE_MEAN
from proofs_check.core.claim import MEANS, claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge
from theory.attention.window.low_rank import d_ab, gamma_ab, signal_of_signs

a, b, x, t = sp.symbols("a b x t", real=True)
c, first, other, rest, E = sp.symbols("c alpha_1 alpha_i R E", positive=True)
p, q = sp.symbols("p q", positive=True)  # e^{ca} and e^{cb}
SQUARE = {a: Closed(-1, 1), b: Closed(-1, 1)}
WEIGHTS = {p: (0, oo), q: (0, oo), other: (0, oo), first: (0, oo), rest: (0, oo)}
LARGER = (first, ">", other)
AB, BA = d_ab(p, q, first, other, rest), d_ab(q, p, first, other, rest)


def of_tokens(n: int, k: int) -> tuple[list[sp.Matrix], sp.Matrix, list[sp.Symbol], list[sp.Symbol]]:
    """Tokens u_i, the query u, the numbers e^{c u_i'u} and the weights, as symbols: (41) holds for
    each of them.
    """
    u = sp.Matrix(sp.symbols(f"u^1:{k + 1}", real=True))
    tokens = [sp.Matrix(sp.symbols(f"u_{i}^1:{k + 1}", real=True)) for i in range(1, n + 1)]
    return (
        tokens,
        u,
        list(sp.symbols(f"e_1:{n + 1}", positive=True)),
        list(sp.symbols(f"alpha_1:{n + 1}", positive=True)),
    )


@claim("COL:H.3a/41", control=dict(factor=1), cites=UNDER_THE_MEAN)
def derivative_of_the_signal_term(*, factor: int = 2) -> Evidence:
    r"""The derivative in $\alpha_1$ of what is averaged in (40) is `factor` = 2 times the sum of
    what is averaged in $S_{i,j}$, for all tokens and weights, every $n$ and $k$: if $\alpha_1$
    grows by $h$, the change is $h$ times that, up to $h^2$ times a number, which is given. It is
    tried for $n=3$, $k=2$.
    """
    tokens, u, e, alpha = of_tokens(3, 2)
    off = [v - u for v in tokens]
    total = sum(x * y for x, y in zip(e, alpha))
    pairs = [(i, j) for i in range(3) for j in range(3)]
    signal = sum(off[i].dot(off[j]) * e[i] * e[j] * alpha[i] * alpha[j] for i, j in pairs) / total**2
    terms = (
        sum((tokens[0] - tokens[i]).dot(off[j]) * e[0] * e[i] * e[j] * alpha[i] * alpha[j] for i, j in pairs)
        / total**3
    )
    search = identity(computed(r"\partial_{\alpha_1}", sp.diff(signal, alpha[0])), factor * terms)
    return derivation("COL:H.3a/41", search, factor=factor)


@claim("COL:H.3a/46", control=(dict(sign=-1), dict(half=1)), needs=("COL:H.3.perp",))
def pair_of_terms(*, sign: int = 1, half: int = 2) -> Evidence:
    r"""$S_{i,1}+S_{i,i}$ is $\alpha_i$ over `half` = 2 times the mean of $\mathcal G_{a,b}$, whose
    two orders have `sign` = 1 between them, for every $n$ and $k$; the double integral of (46) is
    the mean over the heights $a=u^\top u_1$ and $b=u^\top u_i$. The flip of Lemma H.3's (42) puts
    $ab$ in the place of $u_i^\top u_1$, so that the numerator is
    $e^{c(a+b)}(e^{ca}\gamma_{b,a}\alpha_1-e^{cb}\gamma_{a,b}\alpha_i)$, as in (50); it is used that
    the flip and the exchange of both tokens keep their law. It is tried after the flip, with the
    mean over both orders.
    """
    terms = lambda a, b, p, q: (1 - a - a * b + b) * p**2 * q * first + (a * b - 1 - a + b) * p * q**2 * other
    G = lambda a, b, p, q: p * q * (p * gamma_ab(b, a) * first - q * gamma_ab(a, b) * other)
    here, there = sp.symbols("d_ab d_ba", positive=True)
    orders = ((a, b, p, q), here), ((b, a, q, p), there)
    left = computed(r"S_{i,1}+S_{i,i}", other * sum(terms(*at) / d**3 for at, d in orders) / 2)
    search = identity(left, other / half * (G(*orders[0][0]) / here**3 + sign * G(*orders[1][0]) / there**3))
    return derivation("COL:H.3a/46", search, sign=sign, half=half)


@claim("COL:H.3a/51", control=dict(sign=-1))
def rearranged_into_two_terms(*, sign: int = 1) -> Evidence:
    r"""The bracket after (50) is $T_1+T_2$ as in (51)."""
    x, y = p * gamma_ab(b, a), q * gamma_ab(a, b)
    left = first * (x * BA**3 + y * AB**3) - other * (x * AB**3 + y * BA**3)
    return identity(
        left, (first - other) * (x * BA**3 + y * AB**3) + sign * other * (BA**3 - AB**3) * (x - y)
    )


@claim("COL:H.3.perp", control=dict(sign=1))
def perpendicular_parts_cancel(*, sign: int = -1) -> Evidence:
    r"""The two terms of (42) that hold $I-uu^\top$ have mean 0, which is 1 plus `sign`, for every
    $k$: the flip of the part of $u_j$ that is perpendicular to $u$ leaves $u^\top u_j$ as it is,
    $-1$ times `sign`. It is used that it keeps the law of the tokens. It is tried for $u=e_1$,
    $k=3$, with the mean over both.
    """
    s = sp.symbols("s_1 s_i s_j", real=True)
    parts = [sp.Matrix([0, *sp.symbols(f"q_{name}^2:4", real=True)]) for name in "1ij"]
    u = sp.Matrix([1, 0, 0])
    outside = sp.eye(3) - u * u.T
    v = [height * u + w for height, w in zip(s, parts)]
    flips = [s[2] * u + flip * parts[2] for flip in (1, -1)]
    height = identity(computed(r"u^{\top}u_j", flips[1].dot(u)), -sign * flips[0].dot(u))
    mean = sum((v[0] - v[1]).dot(outside * (z - u)) for z in flips) / 2
    across = identity(computed(r"\text{mean}", sp.expand(mean)) + t, 1 + sign + t)
    return derivation("COL:H.3.perp", height, across, sign=sign)


@claim("COL:H.3.S", control=dict(swapped=True), assumes=(MEANS,))
def other_terms_are_positive(*, swapped: bool = False) -> Evidence:
    r"""(44): with $a>b$, that is $e^{ca}>e^{cb}$, and $\alpha_1>\alpha_i$ the cube of the first
    denominator is the larger one; so $(a-b)(u_j^\top u-1)$ times the difference of the
    reciprocals is positive unless $u_j^\top u=1$.
    """
    larger, smaller = (BA, AB) if swapped else (AB, BA)
    order = [(p, ">", q), LARGER]
    X, Y, gap = sp.symbols("X Y a-b", positive=True)
    sign = -1 if swapped else 1
    f = lambda gap, below: gap * (t - 1) * p * q * E / below**3  # E = e^{c u_j'u}
    both = computed("f_{a,b}+f_{b,a}", f(gap, AB) + f(-gap, BA))
    same = identity(both, sign * gap * (t - 1) * (AB**-3 - BA**-3) * p * q * E)
    signs = sign * gap * (t - 1) * (X**-3 - Y**-3)
    domain = {gap: sp.Interval.Lopen(0, 2), t: sp.Interval.Ropen(-1, 1), X: (0, oo), Y: (0, oo)}
    cubes = forall(larger**3, ">", smaller**3, WEIGHTS, where=order)
    return all_of(same, cubes, forall(signs, ">", 0, domain, where=[(X, ">", Y)]))


@claim(
    "COL:H.3.G",
    **charge(false="edge", at="a = b = 1 and a = b = -1", costs="nothing"),
    repair=dict(ends=False),
    control=dict(sign=-1),
    needs=("COL:H.3a/51", "COL:H.3b/T1", "COL:H.3c", "COL:H.3e/53"),
    hypotheses=("a >= -1", "a <= 1"),
)
def G_is_positive(*, ends: bool = True, sign: int = 1) -> Evidence:
    r"""Printed, $\mathcal{G}_{a,a}$ of (48) is positive on $[-1,1]$; it is so inside."""
    value = 2 * (1 - a**2) * p**3 * sign * (first - other) / (p * (first + other) + rest) ** 3
    where = Closed(-1, 1) if ends else (-1, 1)
    return forall(
        value, ">", 0, {a: where, **{s: WEIGHTS[s] for s in (p, first, other, rest)}}, where=[LARGER]
    )


@claim("COL:H.3b/gamma", control=dict(shift=Fraction(1, 100)))
def gamma_is_not_negative(*, shift: int | Fraction = 0) -> Evidence:
    r"""$\gamma_{a,b}=(1+a)(1-b)$ is at least `shift` = 0 on $[-1,1]^2$, and positive off $a=-1$ and
    $b=1$.
    """
    factors = identity(computed(r"\gamma_{a,b}", gamma_ab(a, b)), (1 + a) * (1 - b))
    inside = {a: sp.Interval.Lopen(-1, 1), b: sp.Interval.Ropen(-1, 1)}
    return all_of(
        factors, forall(gamma_ab(a, b), ">=", shift, SQUARE), forall(gamma_ab(a, b), ">", shift, inside)
    )


@claim("COL:H.3b/T1", control=dict(sign=-1), needs=("COL:H.3b/gamma",))
def first_term_is_positive(*, sign: int = 1) -> Evidence:
    r"""$T_1>0$: of $\gamma_{a,b}$ and $\gamma_{b,a}$ none is negative and one is positive."""
    g, h = sp.symbols("gamma_ab gamma_ba", nonnegative=True)
    X, Y = sp.symbols("X Y", positive=True)  # e^{ca} d_{b,a}^3 and e^{cb} d_{a,b}^3
    positive = dict.fromkeys((first, other, X, Y), (0, oo))
    T1 = sign * (first - other) * (h * X + g * Y)
    cases = ({g: (0, oo), h: Closed(0, oo)}, {g: Closed(0, oo), h: (0, oo)})
    return all_of(*(forall(T1, ">", 0, {**positive, **case}, where=[LARGER]) for case in cases))


@claim("COL:H.3c", control=dict(c_max=Fraction(21, 10)))
def order_of_the_two_terms(*, c_max: int | Fraction = 2) -> Evidence:
    r"""(54) for $c\leq{}$`c_max` = 2 and $b>a$ in $[-1,1]$, and its converse for $b<a$: with
    $\delta=b-a$ it is $\gamma_{b,a}=\gamma_{a,b}+2\delta$, $\gamma_{a,b}\leq(1-\frac\delta2)^2$
    and $e^\delta(1-\frac\delta2)<1+\frac\delta2$. It is tried at $a=-t$ and $b=t$.
    """
    side = lambda b: sp.exp(c * b) * gamma_ab(-b, b)
    search = forall(side(t), "<", side(-t), {t: (0, 1), c: sp.Interval.Lopen(0, c_max)})
    return derivation("COL:H.3c", search, search, c_max=c_max)


@claim("COL:H.3d/derivatives", control=(dict(sign=-1),))
def derivatives_of_the_difference(*, sign: int = 1) -> Evidence:
    r"""(56) is the derivative in $b$ of $e^{ca}\gamma_{b,a}-e^{cb}\gamma_{a,b}$, (57) that of (56)
    in $a$, and at $a=-1$ the value of (56) is $2e^{-c}$.
    """
    difference = sp.exp(c * a) * gamma_ab(b, a) - sp.exp(c * b) * gamma_ab(a, b)
    printed = sp.exp(c * a) * (1 - a) + sign * sp.exp(c * b) * (1 + a + c * b - c * a - c + c * a * b)
    q_of = lambda z: sp.exp(c * z) * (1 + c * z - c)
    in_b = computed(r"\partial_b", sp.diff(difference, b))
    return all_of(
        identity(in_b, printed),
        identity(computed(r"\partial_a\partial_b", sp.diff(difference, b, a)), q_of(b) - sign * q_of(a)),
        identity(computed(r"\partial_b|_{a=-1}", sp.diff(difference, b).subs(a, -1)), sign * 2 * sp.exp(-c)),
    )


@claim(
    "COL:H.3d/increasing",
    **charge(false="gap", costs="nothing"),
    repair=dict(c_max=1),
    sharp="c_max",
    hypotheses=("c > 0", "c <= 2", "x >= -1", "x <= 1"),
)
def q_is_increasing(*, c_max: int | Fraction = 2) -> Evidence:
    r"""(58): the derivative of $q$ is not negative for $c\leq{}$`c_max` = 2."""
    slope = sp.diff(sp.exp(c * x) * (1 + c * x - c), x)
    stated = identity(computed(r"q^{\prime}(x)", slope), sp.exp(c * x) * (2 + c * x - c) * c)
    return all_of(stated, forall(2 + c * x - c, ">=", 0, {x: Closed(-1, 1), c: sp.Interval.Lopen(0, c_max)}))


@claim("COL:H.3e/52", control=dict(sign=-1))
def gamma_decreases(*, sign: int = 1) -> Evidence:
    r"""(52): the derivative of $\gamma_{a,b}$ in $b$ is $-1-a\leq0$."""
    slope = sp.diff(gamma_ab(a, b), b)
    return all_of(
        identity(computed(r"\partial_b\gamma_{a,b}", slope), -1 - sign * a),
        forall(sign * slope, "<=", 0, {a: Closed(-1, 1)}),
    )


@claim("COL:H.3e/53", control=dict(sign=-1))
def denominators_are_ordered(*, sign: int = 1) -> Evidence:
    r"""(53): $d_{b,a}-d_{a,b}=(e^{cb}-e^{ca})(\alpha_1-\alpha_i)$ is positive if $b>a$, and
    negative if $b<a$; so is the difference of the cubes.
    """
    stated = identity(computed(r"d_{b,a}-d_{a,b}", BA - AB), sign * (q - p) * (first - other))
    cubes = sign * (BA**3 - AB**3)
    up = forall(cubes, ">", 0, WEIGHTS, where=[LARGER, (q, ">", p)])
    return all_of(stated, up, forall(cubes, "<", 0, WEIGHTS, where=[LARGER, (q, "<", p)]))


@cache
def slopes_of_signs() -> list[tuple[int, sp.Expr]]:
    """The largest of the other weights, and the derivative of the signal term in the first."""
    others, free = (
        ((1, 1), (1, 2), (1, 1, 1)),
        sp.Symbol("alpha"),
    )  # SymPy asks long for the signs of what is positive
    slope = lambda w, y: sp.diff(sp.cancel(signal_of_signs([free, *w], y)), free).xreplace({free: first})
    return [(max(w), slope(w, y)) for w in others for y in (sp.Rational(3, 2), 7)]


def signal_of_several_signs(sign: int = 1) -> list[Evidence]:
    """For k = 1, n = 3 and 4 and e^c = 3/2 and 7 < e^2 the derivative for every alpha_1 above the
    other weights, by enumeration.
    """
    return [forall(sign * slope, ">", 0, {first: (largest, oo)}) for largest, slope in slopes_of_signs()]


def signal_of_two_tokens_on_the_sphere(sign: int = 1) -> list[Evidence]:
    r"""For k = 3 and n = 2 the derivative in r = log(alpha_1/alpha_2) at c = 1/2, 1, 2 and r = 1/2,
    2, by enclosure of an integral.

    The heights $s\pm\frac D2$ of the tokens over $u$ are uniform on $[-1,1]$: for $m=1-\frac D2$
    the means over $s$ in $[-m,m]$ are polynomials in D. The first weight is $g$, with the
    derivative $g(1-g)$.
    """
    m, D = 1 - x / 2, x
    both = 2 * m + 2 * m**3 / 3 - m * D**2 / 2  # of (1 - a)(1 - b)

    def at(D: sp.Expr, c: sp.Expr, r: sp.Expr) -> sp.Expr:
        g = 1 / (1 + sp.exp(-c * D - r))
        return (
            g * (1 - g) * (8 * m * (1 - D / 2) * g - 8 * m * (1 + D / 2) * (1 - g) + 2 * (1 - 2 * g) * both)
        )

    integral = lambda c, r: sign * (at(D, c, r) + at(-D, c, r)) / 4
    points = [(c, r) for c in (sp.Rational(1, 2), sp.S(1), sp.S(2)) for r in (sp.Rational(1, 2), sp.S(2))]
    return [integral_evidence(integral(c, r), x, (0, 2), ">", 0, rel=Fraction(1, 1000)) for c, r in points]


@claim(
    "COL:H.3",
    control=(dict(least=Fraction(1, 2)), dict(sign=-1)),
    needs=("COL:H.3a/41", "COL:H.3c"),
    cites=UNDER_THE_MEAN,
)
def signal_grows_with_the_largest_weight(*, least: int | Fraction = 1, sign: int = 1) -> Evidence:
    r"""The derivative of $H_{\rm signal}$ in $\alpha_1$, for every $n\geq2$ and $k$ and $c\leq2$:
    over both orders of $u_1$ and $u_i$, (41) is at least $e^{-6c}\alpha_i(\alpha_1-\alpha_i)(1-ab)$
    over the cube of $\sum\alpha_l$, up to a factor. Tried are $k=1$ and $n=2$ for every $c$ and
    $\alpha_1>{}$`least` = 1, in $E=e^{2c}>1$ at $\alpha_2=1$, three and four tokens for $k=1$, and
    two for $k=3$.
    """
    slope = sp.factor(sp.diff(sp.cancel(signal_of_signs([first, other], sp.sqrt(E))), first))
    two = forall(sign * slope.subs(other, 1), ">", 0, {first: (least, oo), E: (1, oo)})
    search = all_of(two, *signal_of_several_signs(sign), *signal_of_two_tokens_on_the_sphere(sign))
    return derivation("COL:H.3", search, sign=sign, least=least)
