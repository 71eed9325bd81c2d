"""R7: if G H G = H for all tasks and probabilities of queries, the features are orthonormal.

The task (A_lk at class k, -A_kk at class l, and 0 elsewhere) has the prediction 0 at the query k,
and its column of H is a positive multiple of e_k - e_l.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves

k, l, q, m, x, y, i = (Variable(name, Sort.INDEX) for name in "klqmxyi")
K, r = Variable("K", range=whole(1)), Variable("r", range=whole(1))
#: Features, values of a task, logarithms of the attention and of the probabilities, any vectors.
v, log_attention = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("v", "loga"))
f, log_p, alpha, beta, phi = (Function(name, (Sort.INDEX,)) for name in ("f", "logp", "alpha", "beta", "phi"))

classes = lambda index, e: bind("coordinates", (index,), e, (K,))


def delta(one: Variable, other: Variable) -> Term:
    """1 if both are one class, and 0 else: an index beyond K is none."""
    return Op("ind", (Function("same", (Sort.INDEX, Sort.INDEX))(one, other),))


picks = assume(
    "delta_lk is 1 if k = l, and 0 else",
    classes(q, delta(k, q) * phi(q)),
    "==",
    delta(k, k) * phi(k),
    every=(k, phi),
)
symmetric = assume("delta is symmetric", delta(l, k), "==", delta(k, l), every=(l, k))


def gram(one: Variable, other: Variable) -> Term:
    return bind("coordinates", (i,), v(one, i) * v(other, i), (r,))


def attention(of: Variable, query: Variable) -> Term:
    return exp(log_attention(of, query)) / classes(m, exp(log_attention(m, query)))


prediction = classes(m, attention(m, q) * f(m))
#: The column q of H over p_q, under alpha and under alpha'G, and the row q of G beta.
column = attention(m, q) * (f(q) - prediction) * (f(m) - prediction)
under = classes(m, alpha(m) * column)
under_G = classes(m, classes(x, alpha(x) * gram(x, m)) * column)
row = classes(y, gram(q, y) * beta(y))
exact = assume(
    "GHG = H",
    classes(q, exp(log_p(q)) * (under_G * row)),
    "==",
    classes(q, exp(log_p(q)) * (under * beta(q))),
    every=(f, log_p, alpha, beta),
)
#: Whether k and l are two classes.
two = delta(k, k) * delta(l, l) * (1 - delta(k, l))


def statement(own: int | Fraction = 1) -> Statement:
    """If k and l are two classes, the entry k of G beta is own times that of beta, for every vector
    beta.
    """
    at, given = instantiated(row, {q: k}), hypotheses(picks, symmetric, exact)
    return Statement(two * at, "==", Fraction(own) * two * beta(k), given)


@cache
def column_by_column() -> Theorem:
    """delta_kk (alpha'G h_k (G beta)_k - alpha'h_k beta_k) = 0: double the probability of k."""
    gap = under_G * row - under * beta(q)
    sums = []
    for power in (term(0), delta(k, q) * log(2)):
        at = instantiate(exact, {log_p: ((q,), power)})
        sums.append(show(at.lhs - at.rhs, "==", 0, at, at.lhs, at.rhs))
    doubled = show(exp(delta(k, q) * log(2)) * gap, "==", gap + delta(k, q) * gap, gap)
    once, twice = classes(q, gap), classes(q, doubled.lhs)
    first = calc(once, ("==", sums[0].lhs), ("==", 0, sums[0]))
    second = calc(twice, ("==", sums[1].lhs), ("==", 0, sums[1]))
    chosen = instantiate(picks, {phi: ((q,), gap)})
    split = calc(twice, ("==", classes(q, doubled.rhs), doubled), ("==", once + chosen.lhs))
    return show(chosen.rhs, "==", 0, chosen, split, first, second, chosen.lhs, once, twice, chosen.rhs)


#: The task, A_kk and A_lk, and the factor of e_k - e_l.
value = lambda of: attention(l, k) * delta(k, of) - attention(k, k) * delta(l, of)
own, other = attention(k, k), attention(l, k)
front = own * other**2


def for_the_task(e: Term) -> Term:
    return instantiated(e, {f: ((q,), value(q))})


@cache
def column_of_the_task() -> Theorem:
    """The sum of phi_m h_mk is A_kk A_lk^2 (phi_k - phi_l), for any phi, if k and l are two."""
    total = classes(m, phi(m) * for_the_task(instantiated(column, {q: k})))
    guess = for_the_task(classes(m, attention(m, k) * f(m)))
    weighted = for_the_task(classes(m, phi(m) * attention(m, k) * f(m)))
    plain = classes(m, phi(m) * attention(m, k))
    at_k, at_l = picks, instantiate(picks, {k: l})
    parts = []
    for of, e in ((lambda n: attention(n, k), guess), (lambda n: phi(n) * attention(n, k), weighted)):
        first, second = (instantiate(p, {phi: ((q,), of(q))}) for p in (at_k, at_l))
        known = other * first.rhs - own * second.rhs
        line = calc(e, ("==", other * first.lhs - own * second.lhs))
        parts.append(calc(line, ("==", known, first, second, first.lhs, second.lhs, own, other)))
    at_its_class = show(value(k), "==", other * delta(k, k) - own * delta(k, l), symmetric)
    missed, rest = value(k) - guess, weighted - guess * plain
    split = calc(total, ("==", missed * rest))
    letters = (guess, weighted, plain, own, other, phi(k), phi(l))
    error = show(missed, "==", at_its_class.rhs - guess, at_its_class, guess, value(k), own, other)
    split = calc(split, ("==", error.rhs * rest, error, missed, *letters))
    return calc(
        two * total,
        ("==", two * split.rhs, split, total, *letters),
        ("==", two * (front * (phi(k) - phi(l))), *parts, *letters),
    )


N_, u_ = Variable("N", range=NONNEGATIVE), Variable("u", range=REALS)
size = bind("coordinates", (i,), v(k, i) ** 2, (r,))
G_kk, G_kl, X = gram(k, k), gram(k, l), instantiated(row, {q: k})


@cache
def at_two_classes() -> Theorem:
    """(G_kk - G_kl)(G beta)_k = beta_k, for alpha = e_k."""
    unit = {alpha: ((x,), delta(k, x))}
    found = instantiate(column_by_column(), {f: ((q,), value(q)), **unit})
    G = lambda n: classes(x, delta(k, x) * gram(x, n))
    sides = [instantiate(column_of_the_task(), {phi: ((m,), of(m))}) for of in (G, lambda n: delta(k, n))]
    A, B = (side.lhs for side in sides)
    zero = calc(A * X - B * beta(k), ("==", two * found.lhs), ("==", 0, found, found.lhs, X))
    picked = [instantiate(picks, {phi: ((q,), gram(q, n))}) for n in (k, l)]
    letters = (G(k), G(l), G_kk, G_kl, X, beta(k), own, other)
    goal = calc(
        two * (front * ((G_kk - G_kl) * X - beta(k))),
        ("==", sides[0].rhs * X - sides[1].rhs * beta(k), *picked, *letters),
        ("==", A * X - B * beta(k), *sides, A, B, X, beta(k)),
        ("==", 0, zero),
    )
    by_front = ("==", 1 / front * goal.lhs, G_kk, G_kl, X, beta(k), own, other)
    return calc(two * ((G_kk - G_kl) * X - beta(k)), by_front, ("==", 0, goal, goal.lhs, own, other))


@cache
def entries() -> tuple[Theorem, Theorem]:
    """(G_kk - G_kl) G_kk = 1 and (G_kk - G_kl) G_kl = 0: beta = e_k and e_l."""
    found = []
    for n, entry, unit in ((k, G_kk, delta(k, k)), (l, G_kl, delta(k, l))):
        given = instantiate(at_two_classes(), {beta: ((y,), delta(n, y))})
        known = instantiate(picks, {phi: ((q,), gram(k, q)), k: n})
        line = classes(y, gram(k, y) * delta(n, y))
        same = calc(line, ("==", known.lhs), ("==", known.rhs, known))
        letters, given_at = (G_kk, G_kl, line), (G_kk - G_kl) * line
        value_, turned = (1, ()) if n == k else (0, (instantiate(symmetric, {k: l, l: k}),))
        found.append(
            calc(
                two * ((G_kk - G_kl) * entry - value_),
                ("==", two * ((G_kk - G_kl) * known.rhs - unit), G_kk, G_kl),
                ("==", two * (given_at - unit), same, *letters),
                ("==", two * (given_at - delta(n, k)), *turned),
                ("==", given.lhs),
                ("==", 0, given),
            )
        )
    return found[0], found[1]


@proves("OURS:R7.only", statement)
@cache
def theorem() -> Theorem:
    """G_kl = 0 and G_kk = 1, since G_kk is not negative; so (G beta)_k = beta_k."""
    (one, none), every, letters = entries(), at_two_classes(), (G_kk, G_kl, X, beta(k))
    ones = one.lhs, none.lhs, *letters
    apart = calc(two * G_kl, ("==", G_kk * none.lhs - G_kl * one.lhs, *letters), ("==", 0, one, none, *ones))
    square = calc(
        two * (G_kk**2 - 1),
        ("==", one.lhs + G_kk * apart.lhs, *letters),
        ("==", 0, one, apart, *ones, apart.lhs),
    )
    root = instantiate(
        show(u_ * (N_ - 1), "==", 1 / (N_ + 1) * (u_ * (N_**2 - 1))),
        {N_: size, u_: two},
    )
    unit = calc(
        two * (G_kk - 1),
        ("==", root.lhs),
        ("==", root.rhs, root),
        ("==", 1 / (size + 1) * square.lhs),
        ("==", 0, square, square.lhs, size),
    )
    parts = every.lhs, apart.lhs, unit.lhs
    gap = calc(
        two * (X - beta(k)),
        ("==", every.lhs + X * apart.lhs - X * unit.lhs, *letters),
        ("==", 0, every, apart, unit, *parts, *letters),
    )
    return calc(two * X, ("==", gap.lhs + two * beta(k)), ("==", two * beta(k), gap, gap.lhs, beta(k)))
