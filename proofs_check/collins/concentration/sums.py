"""Lemma G.4, Corollary G.5 and Appendix I of Collins et al.: kernel sums over random tokens. Their
exponent is that of a ball of dimension d, where the sphere has dimension d - 1.
"""

from __future__ import annotations

import math
from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics import forall as for_every
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along, fails_at
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features.class_counts import within
from proofs_check.instances.outcomes import TYPO, charge, refuted_exactly, supported
from theory.attention.window.caps import mean_kernel

n = Diverging.n
r, p, i, y, a, b, l = sp.symbols("r p i y a b l", positive=True)
#: Tokens at which the probabilities of counts are computed exactly.
SIZES = (100, 200, 500)
#: d = 3, p = 0: the mean of g_0 is n (1 - e^{-4r})/(4r), and its variance at most n/(8r).
LARGE = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("c > 0", "r >= 1"),
    sequence=lambda k, c: {"c": c, "r": c * (k + 1) ** 2},
    ratio=lambda c, r: r ** sp.Rational(3, 2) / (9 * r),
    exceeds=n / 10,
)
LIKELY = (
    r"For $d=3$ and $p=0$ the mean is $n\frac{1-e^{-4r}}{4r}$ and the variance at most $\frac{n}{8r}$, so "
    r"that by Chebyshev $g_0\geq\frac{n}{9r}$ but for a probability of at most $\frac{8r}{n}$, which is far "
    r"below $1-\frac{1}{2n}$."
)


@claim(
    "COL:G.5/large",
    **charge(false="false", costs="constants"),
    robust=LARGE,
    details=LIKELY,
    needs=("COL:G.1/lower", "COL:G.4a"),
    repair=dict(dimensions=1),
    control=(dict(dimensions=Fraction(1, 2)), dict(dimensions=Fraction(3, 2))),
    hypotheses=LARGE.hypotheses,
)
def order_of_kernel_sums(*, dimensions: int | Fraction = 0) -> Evidence:
    r"""Printed (`dimensions` = 0), for $d=3$ and $p=0$ the likely value $\frac{n}{9r}$ over
    $nr^{-3/2}$ exceeds every constant. With `dimensions` = 1, which is the 1 in $d-1$, $g_p(r)$ is
    below $cnr^{-(d-1+p)/2}$ with probability at most $\frac{1}{4n}$, and above $Cnr^{-(d-1+p)/2}$
    with probability at most $\frac{1}{4n}$, for constants of $d$, every $d\geq2$, real
    $p\in[0,2]$ and $r\geq\frac{d+\sqrt d}{2}$. It is tried for the mean with $d=3$ and $p=0$, which
    is between $\frac15$ and $\frac14$ times $nr^{-1}$.
    """
    if not dimensions:
        return along(LARGE, d=3, p=0)
    share, wide = (
        mean_kernel(0, r, 3) * r ** ((3 - sp.Rational(dimensions)) / 2),
        {r: Closed(Fraction(236, 100), oo)},
    )
    tried = forall(share, ">=", Fraction(1, 5), wide), forall(share, "<=", Fraction(1, 4), wide)
    return derivation("COL:G.5/large", *tried, dimensions=dimensions)


@claim("COL:G.5/small", control=(dict(times=Fraction(3, 2)), dict(least=4000), dict(most=Fraction(1, 5))))
def small_arguments(
    *, least: int | Fraction = 1, most: int | Fraction = 1, times: int | Fraction = 1
) -> Evidence:
    r"""For $d\geq2$, $0\leq p\leq2$, $n>5$ and $r<\frac{d+\sqrt d}{2}$, times `times` = 1, it is
    $g_p(r)\leq C^bne^{-2r}$ for all tokens of the sphere that are not the query, with
    $C^b=4e^{d+\sqrt d}$ times `most` = 1, and $g_p(r)\geq C_bne^{-2r}$ but for a probability of
    $\frac{1}{2n}$, with $C_b=\frac{1}{32}e^{-d-\sqrt d}$ times `least` = 1, by Chernoff's method
    for $\sum_i\|x_i-x\|^2$; of the uniform law the first two moments are used. It is tried for
    $d=3$, from below with the mean of $g_0$, which is as large as what $g_0$ likely exceeds, and
    from above with $n$ tokens at one squared distance $s$ and $p=0,2$.
    """
    constant, in_range = sp.exp(3 + sp.sqrt(3)), {r: (0, times * Fraction(236, 100))}
    below = forall(mean_kernel(0, r, 3), ">=", least / (32 * constant) * sp.exp(-2 * r), in_range)
    s, stated = sp.Symbol("s", nonnegative=True), 4 * most * constant * sp.exp(-2 * r)
    above = [forall(s**half * sp.exp(-r * s), "<=", stated, {s: Closed(0, 4), **in_range}) for half in (0, 1)]
    return derivation("COL:G.5/small", below, all_of(*above), least=least, most=most, times=times)


ABOVE = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("c > 0", "r >= 1"),
    sequence=lambda k, c: {"c": c, "r": c * (100 * (k + 1)) ** 2},
    # over 3 (2/r)^{3/2} gamma(3/2, 2, r), whose last factor is below 1/2
    ratio=lambda c, r: 1 / (9 * r) / (sp.Rational(3, 2) * (2 / r) ** sp.Rational(3, 2)),
    exceeds=n,
)


@claim(
    "COL:G.4/upper",
    **charge(false="false", follows="COL:G.5/large", costs="constants"),
    robust=ABOVE,
    details=LIKELY,
    repair=dict(dimensions=1, three=6),
    control=dict(dimensions=1, three=Fraction(3, 2)),
    hypotheses=ABOVE.hypotheses,
)
def kernel_sums_from_above(*, dimensions: int = 0, three: int | Fraction = 3) -> Evidence:
    r"""Printed (`dimensions` = 0), a sequence for $d=3$ and $p=0$ defeats the bound by every
    factor. With `dimensions` = 1, which is the 1 in $d-1$, $g_p(r)$ is above `three` = 6 (printed:
    3) times $n(\frac2r)^q\gamma(q,2,r)$, $q=\frac{d-1+p}{2}$, with probability at most
    $\frac{1}{4n}$, for every $d\geq2$, real $p\in[0,2]$ and $r\geq1$.

    A token adds at most what the smallest cap of a height $\frac ir$ that holds it does, and by
    convexity one bound of the means of $e^{(N_i-\frac{27}{20}n\tau_i)3/10}$, where $\tau_i$ is
    above the measure of the cap, is one for all caps together. It is tried with the mean of $g_0/n$
    for $d=2$, where $\gamma\geq e^{-2}$, and $1\leq r\leq2$.
    """
    if not dimensions:
        return along(ABOVE, d=3, p=0)
    stated = three * (2 / r) ** ((2 - sp.Rational(dimensions)) / 2) * sp.exp(-2)
    return derivation(
        "COL:G.4/upper", forall(mean_kernel(0, r, 2), "<=", stated, {r: Closed(1, 2)}), three=three
    )


@claim("COL:G.4/lower", control=dict(factor=32))
def kernel_sums_from_below(*, factor: int | Fraction = 1) -> Evidence:
    r"""For every $d\geq2$ and real $p\in[0,2]$ the sum $g_p(r)$ is below `factor` = 1 times
    $(1-e^{-2})\frac{n2^{p/2}}{\sqrt{8e\pi d}}r^{-(d+p)/2}\gamma(\frac{d+p}{2},2,r)$ with
    probability at most $\frac{1}{4n}$, if $n>5$ and $n\geq45\sqrt d\,r^{d/2}\log n$.

    The sum is at least $(1-e^{-2})^2\sum_i(\frac{2i}{r})^{p/2}e^{-2i}N_i$ with $N_i$ tokens in the
    ring from a quarter of the height $\frac ir$ up to it, and by convexity the bound of the means
    of $e^{(n\sigma_i/2-N_i)2/3}$, where $\sigma_i$ is the measure of the ring, is one for all rings
    together. For $d=2$ and $d=3$ these measures are cited, from $d=4$ on they are derived from
    polar coordinates. It is tried with the mean of $g_0/n$ for $d=2,3,5$, where $\gamma\geq
    e^{-2}$.
    """
    share = (1 - sp.exp(-2)) / sp.sqrt(8 * sp.E * sp.pi) * sp.exp(-2)
    stated = lambda d: factor * share / sp.sqrt(d) * r ** -sp.Rational(d, 2)
    ends = {2: Closed(1, 2), 3: Closed(1, oo), 5: Closed(1, oo)}
    tried = [forall(mean_kernel(0, r, d), ">=", stated(d), {r: at}) for d, at in ends.items()]
    return derivation("COL:G.4/lower", *tried, factor=factor)


def binomial(sixteen: int | Fraction, power: int, share: int | Fraction, many: bool) -> Evidence:
    """The exact probability that more, or fewer, tokens than a share of their mean number lie in a
    cap beside n^{-power}, where that mean is just above sixteen log n.
    """
    for tokens in SIZES:
        mean = Fraction(math.floor(1000 * sixteen * math.log(tokens)) + 1, 1000)
        sigma, ends = mean / tokens, (Fraction(0), share * mean) if many else (share * mean, Fraction(tokens))
        if sigma < 1:
            missed = 1 - within((sigma, 1 - sigma), tokens, (ends, (Fraction(0), Fraction(tokens))))
            if missed > (bound := Fraction(tokens) ** -power):
                witness = {"n": tokens, "sigma": sigma, "missed": float(missed), "bound": float(bound)}
                return refuted_exactly(witness, "enumeration")
    return supported("enumeration", f"exact binomial probabilities at n = {SIZES}")


@claim("COL:G.4a", control=(dict(sixteen=8), dict(two=1)))
def tokens_in_a_cap(
    *,
    sixteen: int | Fraction = 16,
    two: int | Fraction = 2,
    half: int | Fraction = Fraction(1, 2),
    power: int = 2,
) -> Evidence:
    r"""If $n\sigma\geq16\log n$, more than $2n\sigma$ of $n$ independent tokens lie in a cap of the
    measure $\sigma$ with probability at most $n^{-2}$, and so do fewer than $\frac12n\sigma$.

    It is derived for every law of the tokens, and every event of a token in place of the cap, from
    $\mathbb Ee^{yN}=(1+\sigma(e^y-1))^n$ at $y=\pm\frac23$. Exact binomial probabilities are tried,
    and that $e^{-n\sigma/8}$, which bounds both of them, is at most $n^{-2}$. The 16, the 2, the
    $\frac12$ and the exponent of $n^{-2}$ are `sixteen`, `two`, `half` and `power`.
    """
    enough = forall(
        sp.exp(-y / 8), "<=", sp.exp(-power * l), {y: (0, oo), l: (0, oo)}, where=[(y, ">=", sixteen * l)]
    )
    tried = binomial(sixteen, power, two, True), binomial(sixteen, power, half, False)
    searches = [all_of(enough, exact) for exact in tried]
    return derivation("COL:G.4a", *searches, sixteen=sixteen, two=two, half=half, power=power)


@claim("COL:G.4b", control=(dict(most=40), dict(four=150)))
def numbers(*, most: int = 45, four: int = 4) -> Evidence:
    r"""$16\sqrt{2\pi}$ is at most `most` = 45, and for $n\geq45\sqrt2\,r\log6$ the number `four` =
    4 times $r$ is at most $n$.
    """
    first = forall(16 * sp.sqrt(2 * sp.pi) * r, "<=", most * r, {r: (0, oo)})
    tokens = sp.Symbol("n", positive=True)
    where = [(tokens, ">=", 45 * sp.sqrt(2) * r * sp.log(6))]
    return all_of(first, forall(four * r, "<=", tokens, {r: (0, oo), tokens: (0, oo)}, where=where))


u = sp.Symbol("u", positive=True)


@claim("COL:G.4.shell", control=dict(one=Fraction(1, 2)))
def shells(*, one: int | Fraction = 1) -> Evidence:
    r"""For a whole $r$, every $d$ and real $p\in[0,2]$ the sum over $n$ tokens is at most the sum
    over the shells and the tokens behind, times `one` = 1, and at least the sum over the shells
    with $i>0$, for $p=0$ that with $i\geq0$, over `one`: a token is in one shell or behind, where
    $2\leq\|x_i-x\|^2\leq4$. One token is tried, with $r(1-x_i^\top x)=i+u$, at $p=2$ and $p=0$.
    """
    shell, ranges = sp.Symbol("u", nonnegative=True), {i: (0, oo), r: (0, oo)}
    ranges |= {shell: Closed(0, 1)}
    term = lambda number, rate: 2 * number / r * sp.exp(-2 * rate)
    power = forall(term(i + shell, i + shell), "<=", one * term(i + 1, i), ranges)
    below = forall(term(i, i + 1), "<=", one * term(i + shell, i + shell), ranges)
    plain = forall(
        sp.exp(-2 * (i + 1)), "<=", one * sp.exp(-2 * (i + shell)), {shell: Closed(0, 1), i: (0, oo)}
    )
    s = sp.Symbol("s", positive=True)
    behind = [
        forall(s**q * sp.exp(-r * s), "<=", one * 4**q * sp.exp(-2 * r), {s: Closed(2, 4), r: (0, oo)})
        for q in (1, 0)
    ]
    return derivation("COL:G.4.shell", all_of(power, *behind), below, plain, one=one)


@claim(
    "COL:G.4.const",
    **charge(false="gap", costs="constants"),
    repair=dict(three=16),
    control=(dict(three=15), dict(least_d=1)),
    hypotheses=("X > 0", "Y > 0", "Y <= X"),
)
def constant_of_the_upper_bound(*, three: int = 3, least_d: int = 2) -> Evidence:
    r"""For the sum $X$ and the further term $Y$ over $n(\frac2r)^{d/2+p/2}$, $2e^2X+Y$ is at most
    `three` = 3 times $X$; and $Y\leq X$, as $p\leq\frac{d+p}{2}$ for $p\leq2$ and
    $d\geq{}$`least_d` = 2.
    """
    X, Y = sp.symbols("X Y", positive=True)
    d = sp.Symbol("d", positive=True)
    last = forall(p, "<=", (d + p) / 2, {p: sp.Interval.Lopen(0, 2), d: sp.Interval(least_d, oo)})
    bound = forall(2 * sp.exp(2) * X + Y, "<=", three * X, {X: (0, oo), Y: (0, oo)}, where=[(Y, "<=", X)])
    return all_of(bound, last)


index, i_ = sp.Symbol("n", integer=True, nonnegative=True), sp.Symbol("i", integer=True)
#: A unimodal function is f = m - q, where m is its largest value so far and q what it has fallen.
rise, fall, integral = (sp.Function(name, real=True) for name in "mqF")
START_AT_0 = [(integral(0), "==", 0), (fall(0), "==", 0)]


def value(at: sp.Expr) -> sp.Expr:
    return rise(at) - fall(at)


def integral_above(largest: int | Fraction, unimodal: bool) -> Evidence:
    """The sum over 0, .., n is at most the integral up to n and the largest value up to n."""
    least = integral(index) + (rise(index) - fall(index + 1) if unimodal else 0)
    sums = sp.Sum(value(i_), (i_, 0, index)) - largest * rise(index)
    where = [*START_AT_0, (integral(index + 1), ">=", least)]
    return for_every(sums, "<=", integral(index), {index: Integers(0, oo)}, where=where)


def integral_below(largest: int | Fraction, unimodal: bool) -> Evidence:
    """The integral up to n and the value at n are at most the sum over 1, .., n and the largest
    value up to n.
    """
    most = integral(index) + (rise(index + 1) - fall(index) if unimodal else rise(index))
    sums = sp.Sum(value(i_), (i_, 1, index)) + largest * rise(index)
    where = [*START_AT_0, (integral(index + 1), "<=", most)]
    return for_every(integral(index) + value(index), "<=", sums, {index: Integers(0, oo)}, where=where)


@claim("COL:I.1", control=(dict(unimodal=False), dict(largest=Fraction(1, 2))))
def sums_and_integrals(*, unimodal: bool = True, largest: int | Fraction = 1) -> Evidence:
    r"""A unimodal $f$ is $m-q$, where neither falls, $m$ is the largest value of $f$ so far, and
    $q$ starts at 0, so that its integral over $[i,i+1]$ lies between $m(i)-q(i+1)$ and
    $m(i+1)-q(i)$. For every $n$ it is $\sum_{i=0}^nf(i)-m(n)\leq\int_0^nf$ and
    $\int_0^nf+f(n)\leq\sum_{i=1}^nf(i)+m(n)$, where $m(n)$ comes `largest` = 1 times; for
    $n\to\infty$ this is the lemma. If not `unimodal`, the integral is only known to be
    nonnegative, or at most $m(i)$, over each interval.
    """
    return all_of(integral_above(largest, unimodal), integral_below(largest, unimodal))


@claim(
    "COL:I.1p",
    **TYPO,
    repair=dict(below=True),
    control=dict(below=True, largest=0),
    hypotheses=("l > 0",),
    needs=("COL:I.1",),
)
def last_line(*, below: bool = False, largest: int = 1) -> Evidence:
    r"""For $f(x)=e^{-lx}$ the sum $\frac{1}{e^l-1}$ is at most $\frac1l$ minus the largest value
    `largest` = 1. With `below` the sum over $1,\dots,n$ is at least the integral over $[0,n]$ and
    $f(n)$ minus the largest value, for every unimodal $f$ and every $n$, as in Lemma I.1.
    """
    if below:
        return integral_below(largest, True)
    return forall(1 / (sp.exp(l) - 1), "<=", 1 / l - largest, {l: (0, 20)})


@claim("COL:I.2", control=(dict(ordered=False), dict(share=2)))
def rearranged(*, ordered: bool = True, share: int = 1) -> Evidence:
    r"""For nonnegative $f$ and $g$ and every measure, $\int fg$, times `share` = 1, is at most
    $\int f^*g^*$ if, for every level, $f^*$ and $g^*$ are above it on sets as large as those of $f$
    and $g$, and, if `ordered`, on balls around 0. It is tried for two values each: in one order,
    $ay+bl$ is at least the product crosswise, $al+by$; without the order it is not.
    """
    where = [(a, ">=", b), (y, ">=", l)] if ordered else [(a, ">=", b)]
    crosswise, everywhere = share * (a * l + b * y), dict.fromkeys((a, b, y, l), (0, oo))
    search = forall(a * y + b * l, ">=", crosswise, everywhere, where=where)
    return derivation("COL:I.2", search, ordered=ordered, share=share)


@claim(
    "COL:I.3",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(positive=True),
    control=dict(positive=True, share=Fraction(9, 10)),
    hypotheses=("a_1 < a_2", "b_1 < b_2"),
)
def weights_in_one_order(*, positive: bool = False, share: int | Fraction = 1) -> Evidence:
    r"""Printed (`positive` = False): the left side is at most the right one for two numbers of any
    sign. For any number of positive numbers in one order, $(a_i-a_j)(b_i-b_j)\geq0$, it is at most
    the right one times `share` = 1: with the weights $a_i$ the numbers $a_i$ and $b_i$, and
    $a_ib_i$ and $b_i$, are ordered alike, and Chebyshev's sum inequality is derived for both. It is
    tried for two numbers $a\geq b$ and $y\geq l$.
    """
    sides = lambda a, b, y, l: (
        (a**2 + b**2) * (a * y + b * l) ** 2,
        (a**2 * y**2 + b**2 * l**2) * (a + b) ** 2,
    )
    if not positive:
        at = dict(zip(("a_1", "a_2", "b_1", "b_2"), map(sp.Integer, (2, 4, -2, -1))))
        left, right = sides(at["a_1"], at["a_2"], at["b_1"], at["b_2"])
        checked = r"\frac{\sum a_i^2}{(\sum a_i)^2}\leq\frac{\sum a_i^2b_i^2}{(\sum a_ib_i)^2}"
        return fails_at(at, (left - right) / (6 * 8) ** 2, checked)
    left, right = sides(a, b, y, l)
    where = [(a, ">=", b), (y, ">=", l)]
    search = forall(left, "<=", share * right, dict.fromkeys((a, b, y, l), (0, oo)), where=where)
    return derivation("COL:I.3", search, share=share)
