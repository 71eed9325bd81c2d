"""Three steps of Bernstein's inequality: one of them as it is often misquoted."""

from fractions import Fraction

import sympy as sp

from numerics.provers import Closed, forall
from proofs_check import claim
from proofs_check.core.robust import Robust

x, u = sp.Symbol("x", real=True), sp.Symbol("u", nonnegative=True)
#: Bennett's function, the rate of the Poisson distribution.
bennett = (1 + u) * sp.log(1 + u) - u


@claim("BERN:L1", sharp="c")
def the_hyperbolic_cosine_is_below_a_gaussian(*, c=Fraction(1, 2)):
    r"""$\cosh x\leq e^{cx^2}$ for every real $x$, where Hoeffding's lemma has `c` = $\frac12$."""
    return forall(sp.cosh(x), "<=", sp.exp(c * x**2), {x: (-sp.oo, sp.oo)})


@claim(
    "BERN:L2",
    false="false",
    costs="constants",
    repair={"c": Fraction(2, 3)},
    sharp="c",
    hypotheses=("u >= 0",),
    robust=Robust(
        point={"u": Fraction(1)},
        hypotheses=("u >= 0",),
        violation=lambda u: u**2 / (2 + u / 3) - (1 + u) * sp.log(1 + u) + u,
    ),
)
def bennett_gives_bernstein(*, c=Fraction(1, 3)):
    r"""$\frac{u^2}{2+cu}\leq(1+u)\ln(1+u)-u$ for $u\geq0$, where the list has `c` = $\frac13$."""
    return forall(u**2 / (2 + c * u), "<=", bennett, {u: Closed(0, sp.oo)})


@claim("BERN:L3", sharp="c")
def two_regimes(*, c=Fraction(3, 4)):
    r"""$\min(\frac{u^2}4,cu)\leq\frac{u^2}{2+2u/3}$ for $u\geq0$; the list has `c` = $\frac34$."""
    return forall(sp.Min(u**2 / 4, c * u), "<=", u**2 / (2 + 2 * u / 3), {u: Closed(0, sp.oo)})
