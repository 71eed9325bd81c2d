"""R14 in the words of degrees: the loss from its definition, B^2, V, and the variance of the class.

Each feature i has one degree n, which deg_ni = 1 says. A task, turned by a random rotation, has
uncorrelated coefficients of variance 1. The eigenvalue rho_n of the weights W is E W P_n/(E W), and
that of W^2 is E W^2 P_n/(E W^2), by the formula of Funk and Hecke.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, discharge, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import scaled, times
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import (
    S_L,
    expectation,
    i,
    k,
    m,
    m0,
    mean,
    over,
    prompt,
    q,
    total,
    w,
)
from proofs_check.derivations.window import long_prompts
from proofs_check.derivations.window.long_prompts import (
    B2,
    F,
    F_x,
    centre,
    definition_of_tau,
    error,
    loss,
    m2,
    n,
    noise,
    of_the_class,
    v_t,
    variance,
    weights_squared,
)

y, h, D = Variable("y", Sort.QUERY), Variable("h", Sort.INDEX), Variable("D", range=whole(1))
deg, b = Function("deg", (Sort.INDEX, Sort.INDEX)), Function("b", (Sort.INDEX,))
P = Function("P", (Sort.INDEX, Sort.TOKEN), None)
c = Function("c_y", (Sort.INDEX, Sort.QUERY), Fraction(2))
A = Function("A", (Sort.INDEX, Sort.INDEX))
eps = Function("eps", (Sort.TOKEN,), Fraction(2))
degrees = lambda e: bind("coordinates", (n,), e, (D,))
tasks = lambda e: bind("query", (y,), e)
rho = mean(w * P(n, k)) / m0
g = deg(n, i)

own_degree = (
    assume("deg is 0 or 1", g**2, "==", g, every=(n, i)),
    assume("each feature has one degree", degrees(g), "==", 1, every=(i,)),
)
addition = (
    assume(
        "addition theorem: sum F_i(x) F_i(x_k) = b P(x.x_k)",
        over(i, m, g * F_x(i) * F(i, k)),
        "==",
        b(n) * P(n, k),
        every=(n, k),
        cited=True,
    ),
    assume(
        "addition theorem at one point, the query: sum F_i(x)^2 = b",
        over(i, m, g * F_x(i) ** 2),
        "==",
        b(n),
        every=(n,),
        cited=True,
    ),
    assume(
        "addition theorem at one point, a token: sum F_i(x_k)^2 = b",
        over(i, m, g * F(i, k) ** 2),
        "==",
        b(n),
        every=(n, k),
        cited=True,
    ),
)
funk_hecke = assume(
    "formula of Funk and Hecke: E W F_i = F_i(x) E W P",
    g * mean(w * F(i, k)),
    "==",
    g * F_x(i) * mean(w * P(n, k)),
    every=(n, i),
    cited=True,
)
at_least = assume("Gegenbauer polynomials are at least -1", -1, "<=", P(n, k), every=(n, k), cited=True)
total_variance = assume("v is the sum of the b_k", degrees(b(n)), "==", variance)


def by_degrees(e: Term) -> Theorem:
    """The sum of e over the features, degree by degree."""
    return calc(
        over(i, m, e),
        ("==", over(i, m, e * degrees(g)), own_degree[1]),
        ("==", degrees(over(i, m, g * e))),
    )


@cache
def in_eigenvalues() -> Theorem:
    """deg_ni centre_i = deg_ni F_i(x) rho_n."""
    return calc(
        g * centre,
        ("==", 1 / m0 * funk_hecke.lhs),
        ("==", 1 / m0 * funk_hecke.rhs, scaled(1 / m0, funk_hecke)),
        ("==", g * F_x(i) * rho),
    )


def of_squares(of: Term) -> tuple[Theorem, Term]:
    """deg_ni (f - centre_i)^2 = deg_ni (f - F_i(x) rho_n)^2."""
    known, zero_or_one = in_eigenvalues(), own_degree[0]
    left, right = g * of - known.lhs, g * of - known.rhs
    each = show(left**2, "==", right**2, known, known.lhs, known.rhs, g * of)
    gate = lambda e: calc(
        g * e**2, ("==", e**2 * g**2, scaled(e**2, symm(zero_or_one))), ("==", (g * e) ** 2)
    )
    near, far = of - centre, of - F_x(i) * rho
    return (
        calc(
            g * near**2,
            ("==", (g * near) ** 2, gate(near)),
            ("==", each.lhs),
            ("==", each.rhs, each),
            ("==", (g * far) ** 2),
            ("==", g * far**2, symm(gate(far))),
        ),
        far,
    )


@cache
def bias() -> Theorem:
    """B^2 = sum b (1 - rho)^2."""
    each = of_squares(F_x(i))[0]
    split, query = by_degrees((F_x(i) - centre) ** 2), addition[1]
    inner = integrate("coordinates", (n,), integrate("coordinates", (i,), each, (m,)), (D,))
    last = integrate("coordinates", (n,), scaled((1 - rho) ** 2, query), (D,))
    return calc(
        B2,
        ("==", split.lhs),
        ("==", split.rhs, split),
        ("==", inner.lhs),
        ("==", inner.rhs, inner),
        ("==", last.lhs),
        ("==", last.rhs, last),
        ("==", degrees(b(n) * (1 - rho) ** 2)),
    )


@cache
def squared_length() -> Theorem:
    """v(t) = sum b (1 - 2 rho P + rho^2)."""
    each, far = of_squares(F(i, k))
    split, (across, query, token) = by_degrees((F(i, k) - centre) ** 2), addition
    inner = integrate("coordinates", (n,), integrate("coordinates", (i,), each, (m,)), (D,))
    of_a_degree = calc(
        over(i, m, g * far**2),
        ("==", token.lhs - 2 * rho * across.lhs + rho**2 * query.lhs),
        ("==", token.rhs - 2 * rho * across.lhs + rho**2 * query.lhs, token),
        ("==", token.rhs - 2 * rho * across.rhs + rho**2 * query.lhs, scaled(2 * rho, across)),
        ("==", token.rhs - 2 * rho * across.rhs + rho**2 * query.rhs, scaled(rho**2, query)),
        ("==", b(n) * (1 - 2 * rho * P(n, k) + rho**2)),
    )
    last = integrate("coordinates", (n,), of_a_degree, (D,))
    return calc(
        v_t,
        ("==", split.lhs),
        ("==", split.rhs, split),
        ("==", inner.lhs),
        ("==", inner.rhs, inner),
        ("==", last.lhs),
        ("==", last.rhs, last),
    )


@cache
def spread_of_a_token() -> Theorem:
    """E W^2 v(t) = E W^2 V, with V = sum b (1 - 2 rho rho' + rho^2) and rho' = E W^2 P/(E W^2)."""
    point = integrate("mean", (k,), scaled(w**2, squared_length()))
    return calc(
        m2,
        ("==", point.lhs),
        ("==", point.rhs, point),
        ("==", q * degrees(b(n) * (1 - 2 * rho * (mean(w**2 * P(n, k)) / q) + rho**2))),
    )


@cache
def of_one_class() -> Theorem:
    """sum (F_i(x) - F_i(x_k))^2 = 2 sum b (1 - P) <= 4 v."""
    across, query, token = addition
    split = by_degrees((F_x(i) - F(i, k)) ** 2)
    zero_or_one = own_degree[0]
    own = integrate("coordinates", (i,), scaled(F_x(i) ** 2, zero_or_one), (m,))
    some = calc(0, ("<=", own.lhs), ("==", own.rhs, own), ("==", query.lhs), ("==", b(n), query))
    of_a_degree = calc(
        over(i, m, g * (F_x(i) - F(i, k)) ** 2),
        ("==", query.lhs - 2 * across.lhs + token.lhs),
        ("==", query.rhs - 2 * across.lhs + token.lhs, query),
        ("==", query.rhs - 2 * across.rhs + token.lhs, scaled(term(2), across)),
        ("==", query.rhs - 2 * across.rhs + token.rhs, token),
        ("==", 2 * b(n) + 2 * (b(n) * -P(n, k))),
        ("<=", 2 * b(n) + 2 * (b(n) * 1), times(b(n), show(-P(n, k), "<=", 1, at_least), some)),
        ("==", 4 * b(n)),
    )
    last = integrate("coordinates", (n,), of_a_degree, (D,))
    return calc(
        split,
        ("==", last.lhs),
        ("<=", last.rhs, last),
        ("==", 4 * total_variance.lhs),
        ("==", 4 * variance, scaled(term(4), total_variance)),
    )


pairs = lambda e: bind("coordinates", (i, h), e, (m, m))
#: The error of a feature, that of a task, and what the prediction adds of the noise.
missed = F_x(i) - total(w * F(i, k)) / S_L
of_a_task, added = over(i, m, c(i, y) * missed), total(w * eps(k)) / S_L
isotropic = assume(
    "Schur: query and tokens are jointly invariant, so that the query may be fixed and the task "
    "turned by a random rotation, which leaves uncorrelated coefficients, E c'Ac = tr A",
    tasks(pairs(c(i, y) * c(h, y) * A(i, h))),
    "==",
    over(i, m, A(i, i)),
    every=(A,),
    cited=True,
)
independent_noise = assume(
    "noise that is centred, independent of the rest and of the variance sigma^2",
    expectation(tasks((of_a_task - added) ** 2)),
    "==",
    expectation(tasks(of_a_task**2) + noise * weights_squared),
)


@cache
def from_the_definition() -> Theorem:
    """The loss is the mean over prompts, noise and tasks of the squared error."""
    inner = instantiate(isotropic, {A: ((i, h), missed * instantiated(missed, {i: h}))})
    each = calc(
        tasks(of_a_task**2) + noise * weights_squared,
        ("==", inner.lhs + noise * weights_squared),
        ("==", inner.rhs + noise * weights_squared, inner),
        ("==", error + noise * weights_squared),
    )
    return calc(independent_noise, ("==", loss, integrate("prompt", (prompt,), each)))


def statements(share: int | Fraction = 1, two: int = 2, four: int = 4, one: int = 1) -> tuple[Statement, ...]:
    """R14: the loss is at most B^2 + eps (V + sigma^2) + share times the bound, and at least the
    difference; it is `one` times the mean squared error; B^2 is the sum of b (1 - rho)^2, where
    `two` stands for the exponent; and v(t) and E W^2 v(t) = E W^2 V are the displayed sums, where
    it stands for the 2.
    """
    given = (*own_degree, *addition)
    above, below = long_prompts.statements(share)
    of_class = hypotheses(*given, at_least, total_variance)
    of_tau = definition_of_tau().assumptions
    eigenvalue = mean(w**2 * P(n, k)) / q
    of_a_token = degrees(b(n) * (1 - two * rho * P(n, k) + rho**2))
    V = degrees(b(n) * (1 - two * rho * eigenvalue + rho**2))
    return (
        Statement(above.lhs, above.op, above.rhs, of_tau | of_class),
        Statement(below.lhs, below.op, below.rhs, of_tau),
        Statement(
            one * expectation(tasks((of_a_task - added) ** 2)),
            "==",
            loss,
            hypotheses(isotropic, independent_noise),
        ),
        Statement(
            B2, "==", degrees(b(n) * (1 - rho) ** two), hypotheses(*own_degree, addition[1], funk_hecke)
        ),
        Statement(v_t, "==", of_a_token, hypotheses(*given, funk_hecke)),
        Statement(m2, "==", q * V, hypotheses(*given, funk_hecke)),
    )


@proves("OURS:R14", statements, part=(1, 2))
@cache
def unified_form() -> tuple[Theorem, Theorem]:
    above, below = long_prompts.theorem()
    (bounded,) = of_the_class().assumptions
    return discharge(above, bounded, of_one_class()), below


proves("OURS:R14", statements, part=3)(from_the_definition)
proves("OURS:R14", statements, part=4)(bias)
proves("OURS:R14", statements, part=5)(squared_length)
proves("OURS:R14", statements, part=6)(spread_of_a_token)
