"""R8 on tasks of low rank: when the noise term of two tokens grows with the larger weight, the
range of (54), and the polynomial (66).
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.attention.window.low_rank import noise_of_signs, polynomial_66

first, second, p, q, x, z, E, alpha, c = sp.symbols("alpha_1 alpha_2 p q x z E alpha c", positive=True)
r, v, t = sp.symbols("r v t", real=True)


@claim(
    "OURS:R8.H4",
    control=dict(sign=-1),
    needs=("OURS:R8.H4/signs",),
    cites=("Khinchin: a symmetric unimodal law is a mixture of uniform laws on [-m, m]",),
)
def noise_of_two_tokens_grows(*, sign: int = 1) -> Evidence:
    r"""The squares of the two weights sum to $1-\frac12\mathrm{sech}^2$ of half the difference of
    their logarithms, and $\mathrm{sech}^2\frac{r+m}{2}<\mathrm{sech}^2\frac{r-m}{2}$ for $r,m>0$.
    """
    noise = (p**2 * first**2 + q**2 * second**2) / (p * first + q * second) ** 2
    ratio = p * first / (q * second)  # e^{X + r}
    sech2 = lambda y: 4 * y / (1 + y) ** 2
    return all_of(
        identity(noise, 1 - sign * sech2(ratio) / 2),
        forall(sign * sech2(x * z), "<", sign * sech2(x / z), {x: (1, oo), z: (1, oo)}),
    )


@claim("OURS:R8.H4/sphere", control=dict(sign=-1))
def noise_of_two_tokens_on_the_sphere(*, sign: int = 1) -> Evidence:
    r"""For $k=3$ the law of $X$ is triangular on $[-2c,2c]$, and the derivative of $H_{\rm noise}$
    in $r$ is $2\tanh\frac r2-\tanh(\frac r2-c)-\tanh(\frac r2+c)$ over $4c^2$: positive for every
    $c$, here in $x=e^r>1$ and $z=e^{2c}>1$.

    The second derivative of the triangle is $\delta_{-2c}-2\delta_0+\delta_{2c}$ over $4c^2$, and
    $\mathrm{sech}^2\frac y2$ is the derivative of $2\tanh\frac y2$.
    """
    tanh = lambda y: (y - 1) / (y + 1)  # of half the logarithm of y
    return forall(sign * (2 * tanh(x) - tanh(x / z) - tanh(x * z)), ">", 0, {x: (1, oo), z: (1, oo)})


@claim("OURS:R8.H4/signs", sharp="c_max")
def noise_of_two_tokens_on_signs(*, c_max: int | Fraction = Fraction(191, 100)) -> Evidence:
    r"""For $k=1$ the derivative of $H_{\rm noise}$ in $\alpha_1>\alpha_2=1$ is positive for
    $c\leq{}$ `c_max` = 1.91, and not for all $c\leq1.92$, as the search finds. This is all that
    the row says of $k=1$.
    """
    slope = sp.diff(sp.cancel(noise_of_signs([first, 1], sp.sqrt(E))), first)
    numerator = sp.cancel(sp.fraction(sp.factor(slope))[0] / (first - 1))
    # Palindromic of degree 6 in alpha_1, so that it is a polynomial in s = alpha_1 + 1/alpha_1 >=
    # 2.
    poly, s = sp.Poly(numerator, first), sp.Symbol("s", positive=True)
    a = poly.all_coeffs()[:4]
    in_s = a[0] * (s**3 - 3 * s) + a[1] * (s**2 - 2) + a[2] * s + a[3]
    left = computed(r"\text{numerator}/\alpha_1^3", sp.expand(numerator / first**3))
    same = identity(left, in_s.subs(s, first + 1 / first))
    return all_of(same, forall(in_s, ">", 0, {s: (2, oo), E: sp.Interval.Lopen(1, _bound(c_max))}))


def _bound(c_max: int | Fraction) -> sp.Rational:
    """e^(2 c_max) to eight digits, rounded upwards."""
    return sp.ceiling(sp.exp(2 * sp.Rational(c_max)) * 10**6) / sp.Integer(10) ** 6


@claim("OURS:R8.54", control=(dict(c_max=Fraction(21, 10)), dict(share=Fraction(9, 10))))
def range_of_54(*, c_max: int | Fraction = 2, share: int | Fraction = 1) -> Evidence:
    r"""(54) holds for all $b>a$ if $c\leq{}$`c_max` = 2, and for every $c>2$ it fails at $-b$
    and $b$ with $b^2=1-\frac2c$, where its left side is at most `share` = 1 times the right
    one. It is tried with $\psi^{\prime}/\psi=c-\frac{2}{1-t^2}\leq0$ on $(-1,1)$, and with
    $\frac{1+b}{1-b}\leq e^{2b/(1-b^2)}$.
    """
    psi = sp.exp(c * t) * (1 - t) / (1 + t)
    slope = identity(computed(r"\psi^{\prime}/\psi", sp.simplify(sp.diff(psi, t) / psi)), c - 2 / (1 - t**2))
    inside = all_of(slope, forall(c, "<=", 2 / (1 - t**2), {t: (-1, 1), c: sp.Interval.Lopen(0, c_max)}))
    beyond = forall((1 + p) / (1 - p), "<=", share * sp.exp(2 * p / (1 - p**2)), {p: (0, 1)})
    return derivation("OURS:R8.54", inside, beyond, c_max=c_max, share=share)


@claim("OURS:R8.66", control=(dict(r_max=Fraction(11)), dict(sign=-1)))
def certificate_of_66(*, r_max: Fraction = Fraction(377, 50), sign: int = 1) -> Evidence:
    r"""The four coefficients in $v$ of (66), divided by $y^3\alpha^3$, are positive for
    $2\leq r\leq{}$`r_max`, which $y+\frac1y$ does not exceed on $[1,e^2]$.
    """
    y = x
    coefficients = (r + 1, (14 - r) * (r + 1), 76 + 44 * r - 5 * r**2, (r + 2) * (r**2 - 12 * r + 68))
    printed = sum(a * v ** (3 - k) for k, a in enumerate(coefficients))
    at = {r: y + 1 / y, v: alpha + 1 / alpha - 2}
    left = computed("(66)/(y^3\\alpha^3)", sp.expand(polynomial_66(alpha, y) / (y * alpha) ** 3))
    stated = identity(left, printed.subs(at))
    largest = forall(sign * (sp.exp(2) + sp.exp(-2)), "<", sign * r_max, {})
    return all_of(stated, largest, *(forall(sign * a, ">", 0, {r: Closed(2, r_max)}) for a in coefficients))
