"""Attempts to give two ways of dividing tokens into classes one law that they do not have."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, equal, instantiate, same_classes
from numerics.derivations.kernel.sorts import REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem

P, other_prompt = (Variable(name, Sort.PROMPT) for name in ("P", "P2"))
x, other = (Variable(name, Sort.TOKEN) for name in ("x", "x2"))
i, j, n = (Variable(name, Sort.INDEX) for name in "ijn")
q, task = Variable("q", Sort.QUERY), Variable("w", Sort.TASK)
K, m = Variable("K", range=whole(1)), Variable("m", range=whole(1))
c = Variable("c", range=REALS)
y, of, of_too = (Function(name, (Sort.INDEX, Sort.TOKEN)) for name in ("y", "of", "of2"))
a, h, v = Function("a", (Sort.INDEX,)), Function("h", (Sort.TOKEN,)), Function("v", (Sort.QUERY,))
A, B = (Op("ind", (family(i, x),)) for family in (of, of_too))
U = lambda body, prompt=P: bind("sum", (x,), body, (prompt,))
classes = lambda body, size=K: bind("coordinates", (i,), body, (size,))
mean = lambda body: bind("mean", (x,), body)
own = classes(a(i) * y(i, x))
softmax = U(own * exp(c * own)) / U(exp(c * own))


def square(X: Term) -> Theorem:
    return arithmetic(X**2, "==", X)


def total(X: Term, size: Variable = K) -> Theorem:
    return assume(f"{X} adds up to 1", classes(X, size), "==", 1, every=(x,))


def one_law(X: Term = A, Y: Term = B, op: str = "==", every: Any = (i,)) -> Theorem:
    return assume(f"{X} and {Y} have one law", mean(X), op, mean(Y), every=every)


def rule(
    e: Any = softmax,
    f: Function = y,
    at: Any = (P, i, x),
    size: Any = K,
    families: Any = (A, B),
    squares: Any = None,
    totals: Any = None,
    shares: Theorem | None = None,
) -> Theorem:
    X, Y = families
    return same_classes(
        e,
        f,
        at,
        size,
        families,
        squares or (square(X), square(Y)),
        totals or (total(X), total(Y)),
        shares or one_law(X, Y),
    )


HEAVY = mean(h(x) ** 2)
OF_PROMPT = Op("ind", (U(h(x)) * of(i, x),))
twice = arithmetic((2 * B) * (2 * B), "==", 4 * B)

CLASSES: dict[str, Callable[[], Any]] = {
    "classes whose means are less": lambda: rule(shares=one_law(op="<=")),
    "classes with the means of one of them": lambda: rule(shares=equal(mean(A), mean(A))),
    "classes one of which has one mean": lambda: rule(shares=instantiate(one_law(), {i: j})),
    "a family that is 0 or 2": lambda: rule(families=(A, 2 * B), squares=(square(A), twice)),
    "one family's squares for both": lambda: rule(squares=(square(A), square(A))),
    "squares that are only less": lambda: rule(
        squares=(square(A), assume("less", B**2, "<=", B, every=(i, x)))
    ),
    "one family's total for both": lambda: rule(totals=(total(A), total(A))),
    "a total of another number of classes": lambda: rule(totals=(total(A), total(B, m))),
    "totals that are 2": lambda: rule(totals=(total(A), assume("two", classes(B), "==", 2, every=(x,)))),
    "one class": lambda: rule(U(y(j, x)) ** 2),
    "as many classes as another number says": lambda: rule(classes(U(y(i, x)) ** 2, m)),
    "an index that another sum binds": lambda: rule(
        bind("coordinates", (i, j), U(y(i, x)) * U(y(j, x)), (K, m))
    ),
    "one token": lambda: rule(classes(a(i) * y(i, other))),
    "the tokens of another prompt": lambda: rule(U(own, other_prompt)),
    "the family itself in the term": lambda: rule(U(classes(Op("ind", (of(i, x),)) * y(i, x))) ** 2),
    "another function of the token": lambda: rule(U(own * Op("ind", (h(x),)))),
    "a function of a query": lambda: rule(softmax * Op("ind", (v(q),))),
    "a mean over queries": lambda: rule(bind("query", (q,), softmax**2)),
    "a mean over tasks": lambda: rule(bind("task", (task,), softmax**2)),
    "a family of one index": lambda: rule(f=a),
    "a family of the token alone": lambda: rule(classes(U(h(x))), h),
    "a token as the index": lambda: rule(at=(P, x, x)),
    "an index as the token": lambda: rule(at=(P, i, i)),
    "no number of classes": lambda: rule(size=c),
    "an object as the number of classes": lambda: rule(size=whole(1)),
    "families that may be infinite": lambda: rule(
        families=(A, B + HEAVY),
        squares=(square(A), assume("infinite", (B + HEAVY) ** 2, "==", B + HEAVY, every=(i, x))),
    ),
    "a family of another token": lambda: rule(families=(A, Op("ind", (of(i, other),)))),
    "a family that is put": lambda: rule(families=(A, Op("ind", (y(i, x),)))),
    "a family that depends on the prompt": lambda: rule(
        families=(A, OF_PROMPT),
        totals=(total(A), assume("one of them", classes(OF_PROMPT), "==", 1, every=(x, P))),
        shares=one_law(A, OF_PROMPT, every=(i, P)),
    ),
    "a mean that need not exist": lambda: rule(U(own) / U(exp(c * own) - 1)),
    "a mean of c over a sum that may be small": lambda: equal(
        bind("prompt", (P,), c / U(exp(-(h(x) ** 2)))), bind("prompt", (P,), c / U(exp(-(h(x) ** 2))))
    ),
    "a mean of c e^f for an f with four moments": lambda: equal(
        mean(c * exp(Function("f4", (Sort.TOKEN,), Fraction(4))(x))),
        mean(c * exp(Function("f4", (Sort.TOKEN,), Fraction(4))(x))),
    ),
    "the inverse of a sum over two positions": lambda: equal(
        bind("prompt", (P,), c / bind("sum", (x, other), term(1), (P,))), c
    ),
}
