"""Assumption 4.2 (ii) of Boursier & Boyer for every covariance and label noise: the mean over the
task w ~ N(0, I) of L^{-c/sigma_w^2}.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.terms import Op, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.laws import S, growth_of_the_proxy, proxy, tau2_
from proofs_check.derivations.gaussian_tokens.linear_model import h, mean, size_of_w
from proofs_check.derivations.gaussian_tokens.task_moments import c, exponential_moment, y_, z_
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import d

#: kappa, and sqrt(c ln(L)/kappa).
kappa = Op("max", (term(1), S + tau2_))
root = sqrt(c * log(L) / kappa)


def statement(k: int | Fraction = 1) -> Statement:
    """E L^{-c/sigma_w^2} <= e^{1/4} 2^{d/2} e^{-k sqrt(c ln(L)/kappa)}."""
    bound = exp(Fraction(1, 4)) * 2 ** (d / 2) * exp(-Fraction(k) * root)
    return Statement(mean(exp(-(c * log(L) / proxy())), h), "<=", bound)


@proves("OURS:LF.1", statement)
@cache
def decay() -> Theorem:
    """As sigma_w^2 <= kappa (1 + |w|^2), and -y^2/r <= r/4 - y."""
    wide = 1 + size_of_w
    line = instantiate(show(-(y_**2) / (1 + z_), "<=", (1 + z_) / 4 - y_), {y_: root, z_: size_of_w})
    each = calc(
        exp(-(c * log(L) / proxy())),
        ("<=", exp(-(c * log(L) / (kappa * wide))), growth_of_the_proxy()),
        ("==", exp(-(root**2) / wide), kappa, size_of_w),
        ("<=", exp(wide / 4 - root), line),
    )
    bound = exp(Fraction(1, 4)) * exp(-root)
    return calc(
        mean(each.lhs, h),
        ("<=", bound * mean(exp(size_of_w / 4), h), each),
        ("<=", bound * exponential_moment().rhs, exponential_moment()),
    )
