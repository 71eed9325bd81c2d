"""Moments of every whole order of tilted Gaussian tokens (Lemma F.1 (iii) of Boursier & Boyer)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.linear_model import shift as shifted_length
from proofs_check.derivations.lemmas_c6_and_c9 import norms
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.gaussian_tokens import R, n, rank
from proofs_check.derivations.softmax_average.query_average import U, b, l, norm_U, operator_norm
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, m, over, v
from proofs_check.derivations.tails.whole_powers import TWO, Powers, at_least_one, compared, p, power_of_a_sum

#: An outcome: of the Gaussian vector Y, or of the query.
y = Variable("mu", Sort.TASK)
#: The norm of Gamma = R R', and the query, or the vector Y at an outcome.
top = Variable("normGamma", range=NONNEGATIVE)
query, Y = Function("x", (Sort.INDEX,)), Function("Y", (Sort.TASK, Sort.INDEX))


def over_outcomes(body: Term) -> Term:
    return bind("task", (y,), body)


def length(body: Term, index: Variable = i, size: Variable = d) -> Term:
    return sqrt(over(index, size, body**2))


# The vectors Gamma U x, Gamma^{1/2} Y and Y, and their lengths.
def covariance(body: Term) -> Term:
    """The coordinate of Gamma v for a vector v with terms in l."""
    return over(n, rank, R(i, n) * over(l, d, R(l, n) * body))


score = over(j, d, U(l, j) * query(j))
shift, gauss = covariance(score), over(n, rank, R(i, n) * Y(y, n))
SUM = Powers("a", "|Gamma U x + RY|", length(shift + gauss), y)
SHIFT, GAUSS = Powers("s", "|Gamma U x|", length(shift)), Powers("g", "|RY|", length(gauss), y)
NORMAL, ROOT = Powers("h", "|Y|", length(Y(y, n), n, rank), y), Powers("k", "|Gamma|^(1/2)", sqrt(top))
OF_U, QUERY = Powers("u", "|U|", norm_U), Powers("r", "|x|", length(query(i)))

norm_of_the_covariance = assume(
    "|Gamma| is its operator norm",
    over(i, d, covariance(v(l)) ** 2),
    "<=",
    top**2 * over(l, d, v(l) ** 2),
    every=(v,),
)
norm_of_U = operator_norm(U, norm_U, d)
#: The moment of order p of the tilted token.
tilted = Function("tilted", (Sort.STEP,))(p) ** 2
law_of_the_tilted_token = assume(
    "the tilted token has the law N(Gamma U x, Gamma)",
    tilted,
    "==",
    over_outcomes(SUM.power),
    every=(p,),
    argument="By BB:29 its generating function is that of N(Gamma U x, Gamma), which determines its law.",
)


@cache
def triangle() -> Theorem:
    """|s + RY| <= |s| + |RY|."""
    return instantiate(norms.triangle(), {m: d, norms.X: ((i,), shift), norms.Y: ((i,), gauss)})


@cache
def length_of_gauss() -> Theorem:
    """|RY| <= |Gamma|^{1/2} |Y|, from |R'v|^2 = v.Gamma v <= |Gamma||v|^2 at v = RY."""
    square, of_Y = over(i, d, gauss**2), over(n, rank, Y(y, n) ** 2)
    form, pulled = over(i, d, v(i) * covariance(v(l))), over(i, d, R(i, n) * v(i))
    size = over(i, d, v(i) ** 2)
    of_form = calc(
        form**2,
        (
            "<=",
            size * over(i, d, covariance(v(l)) ** 2),
            cauchy_schwarz("coordinates", (i,), v(i), covariance(v(l)), (d,)),
        ),
        ("<=", size * (top**2 * size), norm_of_the_covariance),
    )
    below = show(form, "<=", top * size, of_form, form, size)
    below = instantiate(
        calc(over(n, rank, pulled**2), ("==", form), ("<=", top * size, below)), {v: ((i,), gauss)}
    )
    twice = calc(
        square**2,
        ("==", over(n, rank, Y(y, n) * instantiated(pulled, {v: ((i,), gauss)})) ** 2),
        (
            "<=",
            of_Y * below.lhs,
            cauchy_schwarz("coordinates", (n,), Y(y, n), instantiated(pulled, {v: ((i,), gauss)}), (rank,)),
        ),
        ("<=", of_Y * (top * square), below),
    )
    once = show(square, "<=", top * of_Y, twice, square, of_Y)
    return show(sqrt(square), "<=", sqrt(top) * sqrt(of_Y), once, square, of_Y)


@cache
def length_of_the_shift() -> Theorem:
    """|Gamma U x| <= |Gamma||U||x|."""
    of_x = over(i, d, query(i) ** 2)
    square = calc(
        over(i, d, shift**2),
        ("<=", top**2 * over(l, d, score**2), instantiate(norm_of_the_covariance, {v: ((l,), score)})),
        ("<=", top**2 * (norm_U**2 * of_x), instantiate(norm_of_U, {b: ((l,), query(l))})),
    )
    return show(
        length(shift), "<=", sqrt(top) * sqrt(top) * norm_U * sqrt(of_x), square, over(i, d, shift**2), of_x
    )


#: 2^p, which is twice the 2^{p-1} of the paper, and max(1, |Gamma|^p).
larger = Op("max", (term(1), ROOT.power**2))
of_gauss, of_normal = over_outcomes(GAUSS.power), over_outcomes(NORMAL.power)


def _given(*powers: Powers) -> frozenset[Assumption]:
    return hypotheses(*(thm for P in powers for thm in P.given))


def convexity_statement(share: int | Fraction = 1) -> Statement:
    """2 |s + RY|^p <= share 2^p (|s|^p + |RY|^p)."""
    right = Fraction(share) * (TWO.power * (SHIFT.power + GAUSS.power))
    return Statement(2 * SUM.power, "<=", right, _given(TWO, SUM, SHIFT, GAUSS))


@proves("BB:LF.1.iii.a/convexity", convexity_statement)
@cache
def convexity() -> Theorem:
    return power_of_a_sum(SUM, SHIFT, GAUSS, triangle())


def root_statement(k: int | Fraction = 1) -> Statement:
    """E|RY|^p <= k |Gamma|^{p/2} E|Y|^p."""
    given = _given(GAUSS, ROOT, NORMAL) | norm_of_the_covariance.assumptions
    return Statement(of_gauss, "<=", Fraction(k) * (ROOT.power * of_normal), given)


@proves("BB:LF.1.iii.a/root", root_statement)
@cache
def power_of_the_root() -> Theorem:
    point = compared((GAUSS,), (ROOT, NORMAL), length_of_gauss())
    return chain(of_gauss, integrate("task", (y,), point), ROOT.power * of_normal)


def maximum_statement(k: int | Fraction = 1) -> Statement:
    """|s|^p + |Gamma|^{p/2} E|Y|^p <= k max(1, |Gamma|^p)(|U|^p |x|^p + E|Y|^p)."""
    right = Fraction(k) * (larger * (OF_U.power * QUERY.power + of_normal))
    given = _given(SHIFT, ROOT, OF_U, QUERY) | hypotheses(norm_of_the_covariance, norm_of_U)
    return Statement(SHIFT.power + ROOT.power * of_normal, "<=", right, given)


@proves("BB:LF.1.iii.a/maximum", maximum_statement)
@cache
def below_the_maximum() -> Theorem:
    """|s|^p <= |Gamma|^p |U|^p |x|^p, and x and x^2 are at most max(1, x^2)."""
    of_shift = compared((SHIFT,), (ROOT, ROOT, OF_U, QUERY), length_of_the_shift())
    number = Variable("number", range=NONNEGATIVE)
    most = Op("max", (term(1), number**2))
    first, second = (instantiate(show(e, "<=", most), {number: ROOT.power}) for e in (number, number**2))
    own = ROOT.power**2 * (OF_U.power * QUERY.power)
    of_shift = chain(SHIFT.power, of_shift, own, gcongr(own, second))
    goal = maximum_statement()
    return chain(goal.lhs, gcongr(goal.lhs, of_shift, first), goal.rhs)


def display_statements(share: int | Fraction = 1) -> tuple[Statement, Statement, Statement]:
    """Twice the members of the display; share multiplies the larger one of two."""
    share = Fraction(share)
    second, third = (
        TWO.power * (SHIFT.power + of_gauss),
        TWO.power * (SHIFT.power + ROOT.power * of_normal),
    )
    last = TWO.power * (larger * (OF_U.power * QUERY.power + of_normal))
    law = law_of_the_tilted_token.assumptions
    return (
        Statement(2 * tilted, "<=", share * second, law | convexity_statement().assumptions),
        Statement(second, "<=", share * third, root_statement().assumptions),
        Statement(third, "<=", share * last, maximum_statement().assumptions),
    )


@proves("BB:LF.1.iii.a", display_statements, part=(1, 2, 3))
@cache
def display() -> tuple[Theorem, Theorem, Theorem]:
    first, second, third = display_statements()
    point = integrate("task", (y,), convexity())
    return (
        chain(first.lhs, gcongr(first.lhs, law_of_the_tilted_token), point, first.rhs),
        chain(gcongr(second.lhs, power_of_the_root()), second.rhs),
        chain(gcongr(third.lhs, below_the_maximum()), third.rhs),
    )


# -- at the tasks of in-context regression ---------------------------------------------------------

w, q = Function("w", (Sort.INDEX,)), Variable("q", Sort.STEP)
Sigma, of_Sigma, last = (
    Function("Sigma", (Sort.INDEX, Sort.INDEX)),
    Variable("top", range=NONNEGATIVE),
    Variable("b0", range=REALS),
)
image = lambda body: over(l, d, Sigma(i, l) * body)
norm_of_Sigma = assume(
    "|Sigma| is its operator norm",
    over(i, d, image(v(l)) ** 2),
    "<=",
    of_Sigma**2 * over(l, d, v(l) ** 2),
    every=(v,),
)
size_of_w = over(i, d, w(i) ** 2)
norm_at_the_task = of_Sigma * (1 + size_of_w)
#: The query and its length at an outcome; the tilted moment there, and C_{d,p}.
SHORT = Powers("k", "(|Sigma|(1 + |w|^2))^(1/2)", sqrt(norm_at_the_task))
LENGTH = Powers("r", "|x|", length(Function("xq", (Sort.TASK, Sort.INDEX))(y, i)), y)
length_to_q = LENGTH.root(y, q) ** 2
moment = Function("moment", (Sort.TASK, Sort.STEP))(y, p) ** 2
constant = Function("C", (Sort.STEP,))(p) ** 2
at_each_query = assume(
    "the display before at each query",
    2 * moment,
    "<=",
    TWO.power * (Op("max", (term(1), SHORT.power**2)) * (OF_U.power * LENGTH.power + constant)),
    every=(y, p),
    argument="LF.1.iii.a at the root R of Gamma_w = RR' and the query (x, 0), with the norm of part 1",
)


def width(k: int | Fraction = 1) -> Powers:
    """The powers of sigma_mu^2 = max(1, k |Sigma|(1 + |w|^2))."""
    return Powers("e", "sigma_mu^2", Op("max", (term(1), Fraction(k) * norm_at_the_task)))


def task_statements(k: int | Fraction = 1) -> tuple[Statement, Statement]:
    """|Gamma_w v|^2 <= (k |Sigma|(1 + |w|^2))^2 |v|^2 for v = (a, b), and twice the mean over the
    query of |x|^q times the tilted moment of order p is at most 2^p sigma_mu^{2p} (|U|^p
    E|x|^{p+q} + C_{d,p} E|x|^q).
    """
    moved = image(v(l) + last * w(l))
    left = over(i, d, moved**2) + over(i, d, w(i) * moved) ** 2
    bound = OF_U.power * over_outcomes(LENGTH.power * length_to_q) + constant * over_outcomes(length_to_q)
    sigma2 = width(k)
    return (
        Statement(
            left,
            "<=",
            (Fraction(k) * norm_at_the_task) ** 2 * (over(i, d, v(i) ** 2) + last**2),
            norm_of_Sigma.assumptions,
        ),
        Statement(
            2 * over_outcomes(moment * length_to_q),
            "<=",
            TWO.power * (sigma2.power * bound),
            _given(SHORT, sigma2) | at_each_query.assumptions,
        ),
    )


@proves("BB:LF.1.iii", task_statements, part=1)
def norm_of_the_token() -> Theorem:
    """With c = a + b w, Gamma_w v is (Sigma c, w.Sigma c), and |c|^2 <= (1 + |w|^2)|v|^2."""
    goal, c = task_statements()[0], v(i) + last * w(i)
    moved = image(instantiated(c, {i: l}))
    square = over(i, d, moved**2)
    schwarz = cauchy_schwarz("coordinates", (i,), w(i), moved, (d,))
    return calc(
        goal.lhs,
        ("<=", (1 + size_of_w) * square, schwarz),
        (
            "<=",
            (1 + size_of_w) * (of_Sigma**2 * over(i, d, c**2)),
            instantiate(norm_of_Sigma, {v: ((i,), c)}),
        ),
        (
            "<=",
            (1 + size_of_w) * of_Sigma**2 * shifted_length(v(i), last, w(i)).rhs,
            shifted_length(v(i), last, w(i)),
        ),
        ("==", goal.rhs),
    )


@proves("BB:LF.1.iii", task_statements, part=2)
def moments_at_the_task() -> Theorem:
    """max(1, |Gamma_w|^p) <= sigma_mu^{2p}."""
    goal, sigma2, N = task_statements()[1], width(), Variable("number", range=NONNEGATIVE)
    base = show(sqrt(N) * sqrt(N), "<=", Op("max", (term(1), N)))
    above = compared((SHORT, SHORT), (sigma2,), instantiate(base, {N: norm_at_the_task}))
    one = at_least_one(sigma2, show(1, "<=", sigma2.base))
    most = Op("max", (term(1), SHORT.power**2))
    below = show(most, "<=", sigma2.power, one, above, SHORT.power, sigma2.power)
    e = at_each_query.rhs * length_to_q
    point = chain(
        at_each_query.lhs * length_to_q,
        gcongr(at_each_query.lhs * length_to_q, at_each_query),
        gcongr(e, below),
    )
    return chain(goal.lhs, integrate("task", (y,), point), goal.rhs)
