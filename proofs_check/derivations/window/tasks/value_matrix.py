"""Lemma B.1 of Collins et al.: what the covariates add to the prediction has a positive mean
square, unless the last row of W_V is (0, c); and tasks that are as likely as their opposites.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, root
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, equal, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.affine import minus, plus
from proofs_check.derivations.window.kernel_sums import X, d, j, k, mean, over, prompt, total

l, q = Variable("l", Sort.INDEX), Variable("q", Sort.QUERY)
#: Sigma^{1/2}, the row v of W_V, and Sigma^{1/2} M x for a query x.
R, v = Function("R", (Sort.INDEX, Sort.INDEX)), Function("v", (Sort.INDEX,))
z = Function("z", (Sort.INDEX, Sort.QUERY), None)
kappa, a = Variable("kappa", range=NONNEGATIVE), Variable("a", range=REALS)
score = over(X(j, k) * z(j, q))
W, S = exp(score), total(exp(score))
#: v.x_k for the token x_k = Sigma^{1/2} X_k, and Sigma^{1/2} v.
along = bind("coordinates", (l,), v(l) * over(R(l, j) * X(j, k)), (d,))
image = bind("coordinates", (l,), R(l, j) * v(l), (d,))
added = total(W * along) / S


@cache
def tokens() -> tuple[Theorem, ...]:
    return (
        assume("tokens on the sphere", over(X(j, k) ** 2), "==", 1, every=(k,)),
        assume(
            "uniform tokens: E (v.x_k)^2 = |v|^2/d",
            mean(over(v(j) * X(j, k)) ** 2),
            "==",
            over(v(j) ** 2) / d,
            every=(v,),
        ),
        assume("|Sigma^{1/2} M x| <= kappa", over(z(j, q) ** 2), "<=", kappa**2, every=(q,)),
    )


@cache
def scores() -> tuple[Theorem, Theorem]:
    """-kappa <= the score <= kappa."""
    sphere, _, bound = tokens()
    schwarz = cauchy_schwarz("coordinates", (j,), X(j, k), z(j, q), (d,))
    square = calc(schwarz, ("==", over(z(j, q) ** 2), sphere), ("<=", kappa**2, bound))
    length = (score**2) ** Fraction(1, 2)
    size = root(chain(score**2, square), length, kappa)
    up, down = (chain(show(sign * score, "<=", length, score), size) for sign in (1, -1))
    return chain(score, up), show(-kappa, "<=", score, down, score)


def statement(least: int = 1) -> Statement:
    """least e^{-4 kappa} |Sigma^{1/2} v|^2/(n d) <= E B^2, for B = v.sum beta_i x_i."""
    bound = least * exp(-4 * kappa) * over(image**2) / (n * d)
    B = bind("query", (q,), bind("prompt", (prompt,), added**2))
    return Statement(bound, "<=", B, hypotheses(*tokens()))


@cache
def what_is_added() -> Theorem:
    """E B^2 >= E (sum W_k y_k)^2/(n e^kappa)^2 >= n E W^2 y^2/(n e^kappa)^2, with y = v.x_k."""
    _, isotropic, _ = tokens()
    up, down = scores()
    most = chain(S, integrate("sum", (k,), gcongr(W, up), (prompt,)), n * exp(kappa))
    V, y = total(W * along), along
    point = gcongr(V**2 * most.rhs**-2, most)
    pairs, own, square = mean(W * y), mean(W**2 * y**2), mean(y**2)
    light = gcongr(exp(2 * -kappa) * y**2, down)
    light = chain(light, W**2 * y**2)
    law = instantiate(isotropic, {v: ((j,), image)})
    law = chain(square, law)
    scale = most.rhs**-2
    found = calc(
        exp(-4 * kappa) * law.rhs / n,
        ("==", scale * n * (exp(-2 * kappa) * law.rhs)),
        ("==", scale * n * (exp(-2 * kappa) * square), law, law.rhs, square),
        ("<=", scale * n * own, light),
        ("<=", scale * (n * own + n * (n - 1) * pairs**2), own, pairs),
        ("==", bind("prompt", (prompt,), V**2 * scale)),
        ("<=", bind("prompt", (prompt,), V**2 * S**-2), point),
        ("==", bind("prompt", (prompt,), added**2)),
    )
    bound = statement().lhs
    return chain(bound, integrate("query", (q,), found), statement().rhs)


#: Functions G of independent variables and H of the opposite ones, for outcomes of their own.
other, third = Variable("k1", Sort.TOKEN), Variable("k2", Sort.TOKEN)
_of = lambda name: Function(name, (Sort.TOKEN,), None)
FACTORS = tuple((_of(f"G_{n}")(at), _of(f"H_{n}")(at), at) for n, at in enumerate((k, other, third), 1))
slope, slope_, offset = (Variable(name, range=REALS) for name in ("l_1", "l_2", "b_"))


@cache
def even_laws() -> tuple[Theorem, ...]:
    """E G(l) = E G(-l) for each of three variables, such as l_1, l_2 and b."""
    name = "l and -l have one law: E G(-l) = E G(l)"
    return tuple(
        assume(f"{name} ({n})", bind("mean", (at,), H), "==", bind("mean", (at,), G))
        for n, (G, H, at) in enumerate(FACTORS, 1)
    )


def opposite_statements(sign: int = -1) -> tuple[Statement, ...]:
    """-f is the task of sign times the slopes and the offset, for ReLU and for affine tasks, and
    products of functions of -l_1, -l_2 and -b have -sign times the means of those with l_1, l_2, b.
    """
    relu = lambda times: times * slope * plus(a) + times * slope_ * minus(a) + times * offset
    affine = lambda times: times * slope * a + times * offset
    jointly = lambda n: bind(
        "mean", (third,), bind("mean", (other,), mean(FACTORS[0][n] * FACTORS[1][n] * FACTORS[2][n]))
    )
    return (
        Statement(-relu(1), "==", relu(sign)),
        Statement(-affine(1), "==", affine(sign)),
        Statement(jointly(1), "==", -sign * jointly(0), hypotheses(*even_laws())),
    )


@proves("COL:B.sym", opposite_statements, part=(1, 2, 3))
@cache
def equally_likely() -> tuple[Theorem, ...]:
    """The mean of a product of functions of independent variables is that of their means."""
    first, second, law = opposite_statements()
    known = even_laws()
    means = [(thm.lhs, thm.rhs) for thm in known]
    left, right = (means[0][n] * means[1][n] * means[2][n] for n in (0, 1))
    letters = tuple(e for pair in means for e in pair)
    same = arithmetic(left, "==", right, *known, hide=letters)
    return (
        equal(first.lhs, first.rhs),
        equal(second.lhs, second.rhs),
        chain(law.lhs, same, law.rhs),
    )
