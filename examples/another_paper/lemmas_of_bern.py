"""Steps of concentration inequalities: those that are not written as text in statements.toml."""

from fractions import Fraction

import sympy as sp

from numerics import Closed, Integers, forall
from numerics.lemmas import E, Iid, P, SampleMean
from proofs_check import claim
from proofs_check.core.robust import Robust

u, s = sp.Symbol("u", nonnegative=True), sp.Symbol("s", positive=True)
X, n = sp.Symbol("X", real=True), sp.Symbol("n", integer=True, positive=True)
#: Bennett's function, the rate of the Poisson distribution.
bennett = (1 + u) * sp.log(1 + u) - u


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


def of_a_fair_coin(n, s):
    """How far the mean of n throws exceeds the bound, for both sides together."""
    far = [k for k in range(int(n) + 1) if abs(sp.Rational(k, n) - sp.Rational(1, 2)) >= s]
    return sum(sp.binomial(n, k) for k in far) / sp.Integer(2) ** n - sp.exp(-2 * n * s**2)


@claim(
    "BERN:L8",
    false="false",
    costs="constants",
    repair={"c": 2},
    sharp="c",
    hypotheses=("s > 0", "n in Integers", "n >= 1"),
    robust=Robust(
        point={"n": 1, "s": Fraction(9, 20)}, hypotheses=("s > 0", "n >= 1"), violation=of_a_fair_coin
    ),
)
def two_sides_of_hoeffding(*, c=1):
    r"""$P(|\bar X-p|\geq s)\leq ce^{-2ns^2}$ for variables in $[0,1]$; the list has `c` = 1."""
    far = sp.Abs(SampleMean(X) - E(X)) >= s
    domain = {X: Iid(n, on=Closed(0, 1)), n: Integers(1, sp.oo), s: (0, sp.oo)}
    return forall(P(far), "<=", c * sp.exp(-2 * n * s**2), domain)
