"""Attempts to derive what is false: each broke a prototype, or is a careless proof's step."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel import rules
from numerics.derivations.kernel.binding import bind, opened
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import (
    arithmetic,
    assume,
    at_task,
    continuation,
    equal,
    exchange,
    gaussian,
    gcongr,
    instantiate,
    integrate,
    limit,
    open_event,
    trans,
)
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, ProofError, Range, Sort, whole
from numerics.derivations.kernel.terms import GAUSSIAN as xi
from numerics.derivations.kernel.terms import Bind, Bound, Defined, Function, Number, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from tests.numerics.derivations.attacks import (
    attacks_by_discharge,
    attacks_on_classes,
    attacks_on_equations,
    attacks_on_gaussian_families,
    attacks_on_independence,
    attacks_on_steps,
    attacks_on_time_and_tasks,
)
from tests.numerics.derivations.attacks.attacks_by_discharge import DISCHARGES
from tests.numerics.derivations.attacks.attacks_of_capture import CAPTURE
from tests.numerics.derivations.attacks.attacks_on_classes import CLASSES
from tests.numerics.derivations.attacks.attacks_on_equations import EQUATIONS
from tests.numerics.derivations.attacks.attacks_on_gaussian_families import GAUSSIAN_FAMILIES
from tests.numerics.derivations.attacks.attacks_on_independence import INDEPENDENCE
from tests.numerics.derivations.attacks.attacks_on_steps import STEPS
from tests.numerics.derivations.attacks.attacks_on_time_and_tasks import (
    TIME_AND_TASKS,
    K,
    chosen,
    ft,
    hyp,
    kept,
    now,
    path,
    w,
)

k, l = Variable("k", Sort.TOKEN), Variable("l", Sort.TOKEN)
i, p, query = Variable("i", Sort.INDEX), Variable("p", Sort.PROMPT), Variable("y", Sort.QUERY)
m = Variable("m", range=whole(1))
x, y, c = (Variable(name, range=REALS) for name in ("x", "real_y", "c"))
t, delta = Variable("t", range=POSITIVE), Variable("delta", range=POSITIVE)
f, g = Function("f", (Sort.TOKEN,), Fraction(4)), Function("g", (Sort.TOKEN,), Fraction(4))
h, e1 = Function("h", (Sort.TOKEN,)), Function("e1", (Sort.TOKEN,), Fraction(1))
v = Function("v", (Sort.INDEX,))
e2 = Function("e2", (Sort.TOKEN,), Fraction(1))
e3, e4 = (Function(name, (Sort.TOKEN,), None) for name in ("e3", "e4"))
gauss = Variable("gauss", Sort.NORMAL)
M = lambda body, over=k: bind("mean", (over,), body)
E = lambda body: bind("prompt", (p,), body)
U = lambda body, *over: bind("sum", over or (k,), body, (p,))
below_its_square = lambda: arithmetic(0, "<=", x**2)
HEAVY = M(h(k) ** 2)  # possibly infinite


class Text(str):
    """A text that is equal to no other."""

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = str.__hash__


class Anything:
    """An object that has the range of a positive variable, and a product of its own."""

    range = POSITIVE

    def __mul__(self, other: Any) -> Term:
        return term(5)


ANYTHING: Any = Anything()


class Disguised(Function):
    """A function that claims to be another one."""

    def __hash__(self) -> int:
        return hash(f)

    def __eq__(self, other: object) -> bool:
        return getattr(other, "name", "") == "f"


class Barrier(Assumption):
    """An assumption that claims to be any other."""

    def __hash__(self) -> int:
        return hash(next(iter(kept().assumptions)))

    def __eq__(self, other: object) -> bool:
        return True


ATTACKS: dict[str, Callable[[], Any]] = {
    "a real variable at a root of what may be negative": lambda: instantiate(
        below_its_square(), {x: sqrt(y)}
    ),
    "a real variable at a logarithm of what may be negative": lambda: instantiate(
        arithmetic(0, "<", exp(x)), {x: log(y)}
    ),
    "a real variable at what may be infinite": lambda: instantiate(arithmetic(x, "<", x + 1), {x: HEAVY}),
    "a real variable at 1/c": lambda: instantiate(below_its_square(), {x: 1 / c}),
    "a negative number for a positive one": lambda: instantiate(arithmetic(0, "<", t), {t: term(-1)}),
    "zero in place of a positive variable": lambda: instantiate(arithmetic(0, "<", t), {t: term(0)}),
    "a mean of unknown sign in place of a positive variable": lambda: instantiate(
        arithmetic(0, "<=", t), {t: M(f(k))}
    ),
    "a function of indices at a root": lambda: instantiate(below_its_square(), {v: ((i,), sqrt(y))}),
    "indices at an infinite mean": lambda: instantiate(equal(v(i) - v(i), 0), {v: ((i,), HEAVY)}),
    "a function of indices at the token of a mean": lambda: equal(
        instantiate(equal(M(v(i)), v(i)), {v: ((i,), f(k))}).lhs, M(f(k))
    ),
    "an event on two positions": lambda: arithmetic(0, "<", U(exp(v(i)), k, l)),
    "a root of a negative logarithm": lambda: equal(
        sqrt(log(term(Fraction(1, 2)))), sqrt(log(term(Fraction(1, 2))))
    ),
    "a mean of a product with one moment each": lambda: equal(M(e1(k) * e2(k)), M(e1(k) * e2(k))),
    "a function with exponential moments at an exponential": lambda: instantiate(
        equal(M(exp(e3(k))), M(exp(e3(k)))), {e3: ((k,), exp(e4(k)))}
    ),
    "two variables of one name in an equation": lambda: equal(
        x + Variable("x", range=POSITIVE), x + Variable("x", range=POSITIVE)
    ),
    "a Gaussian vector at twice itself": lambda: instantiate(
        equal(xi(i, gauss), xi(i, gauss)), {xi: ((i, gauss), 2 * xi(i, gauss))}
    ),
    "another function of a Gaussian vector": lambda: Function("eta", (Sort.INDEX, Sort.NORMAL), None),
    "a Gaussian integral of s = 1": lambda: gaussian(gauss, i, m, v(i), equal(1 + term(0), 1)),
    "a Gaussian integral without s + r = 1": lambda: gaussian(gauss, i, m, v(i), equal(term(1) + 1, 2)),
    "a Gaussian rate of unknown sign": lambda: gaussian(gauss, i, m, v(i), equal((1 - c) + c, 1)),
    "a Gaussian integral of a slope that is random": lambda: gaussian(
        gauss, i, m, xi(i, gauss), equal(term(0) + 1, 1)
    ),
    "a Gaussian integral whose rate depends on the index": lambda: gaussian(
        gauss, i, m, v(i), arithmetic((1 - exp(v(i))) + exp(v(i)), "==", 1)
    ),
    "integrals of a term without a sign exchanged": lambda: exchange(M(M(f(k) - f(l), l), k)),
    "an integral and a sum exchanged": lambda: exchange(M(U(f(k) ** 2, l), l)),
    "a function with four moments at one with one": lambda: instantiate(
        equal(M(f(k)) - M(f(k)), 0), {f: ((k,), e1(k))}
    ),
    "a function with four moments at a square": lambda: instantiate(
        equal(M(f(k)) - M(f(k)), 0), {f: ((k,), g(k) ** 2)}
    ),
    "the number of tokens at 1": lambda: instantiate(equal(L, L), {L: term(1)}),
    "a number of coordinates at 0": lambda: instantiate(arithmetic(1, "<=", m), {m: term(0)}),
    "a number of coordinates at 1/2": lambda: instantiate(
        arithmetic(1, "<=", m), {m: Number(Fraction(1, 2))}
    ),
    "a token in place of a real variable": lambda: instantiate(below_its_square(), {x: k}),
    "two hypotheses of one name": lambda: instantiate(
        arithmetic(x + y, "<=", 0, hyp(x, "<=", 0), hyp(y, "<=", 0)), {x: term(1)}
    ),
    "a variable that a hypothesis fixes": lambda: instantiate(hyp(x, "<=", 0), {x: term(1)}),
    "what a hypothesis fixes": lambda: instantiate(hyp(M(f(k)), "<=", 0), {f: ((k,), term(1))}),
    "a hypothesis about one token": lambda: hyp(f(k), "<=", 0),
    "a hypothesis about one prompt": lambda: hyp(U(f(k)), "<=", 0),
    "a binder that is no longer there": lambda: bind("layers", (t,), 1),
    "a term without tokens that may be infinite": lambda: arithmetic(HEAVY, "<", HEAVY + 1),
    "a mean of an infinite constant": lambda: arithmetic(M(HEAVY, l), "<", M(HEAVY, l) + 1),
    "a mean over the prompt of an infinite sum": lambda: arithmetic(E(U(HEAVY)), "<", E(U(HEAVY)) + 1),
    "an infinite mean less itself": lambda: equal(HEAVY - HEAVY, 0),
    "an infinite mean less itself under a mean": lambda: equal(M(h(k) ** 2 - HEAVY), 0),
    "an infinite mean in a denominator": lambda: equal(HEAVY / HEAVY, 1),
    "an infinite mean in an exponential": lambda: equal(exp(-HEAVY) * exp(HEAVY + 1), exp(1)),
    "an infinite mean in a largest value": lambda: equal(Op("max", (HEAVY, term(0))), HEAVY),
    "an infinite mean in an indicator": lambda: equal(Op("ind", (HEAVY,)), 1),
    "an infinite mean times an unknown sign": lambda: equal(c * HEAVY, c * HEAVY),
    "a mean that need not exist": lambda: equal(M(h(k)), M(h(k))),
    "f^5 with four moments": lambda: integrate("mean", (k,), arithmetic(f(k) ** 5, "<=", f(k) ** 5 + 1)),
    "an exponential without exponential moments": lambda: arithmetic(0, "<", M(exp(f(k)))),
    "strictness under a mean": lambda: integrate("mean", (k,), arithmetic(h(k) ** 2, "<", h(k) ** 2 + 1)),
    "a strict inequality over two positions": lambda: integrate("sum", (k, l), arithmetic(0, "<", 1), (p,)),
    "a relation that is none": lambda: hyp(x, "?", 0),
    "a relation the other way": lambda: hyp(x, ">=", 0),
    "a bound variable without a binder": lambda: equal(Function("f", (Sort.TOKEN,))(Bound(0, Sort.TOKEN)), 0),
    "a name of the kernel": lambda: equal(Variable("#01", range=REALS), 0),
    "the variable of an opened binder": lambda: equal(M(opened(M(f(k)))[1]), f(opened(M(f(k)))[0][0])),
    "a variable of the wrong sort": lambda: M(query * 1),
    "a mean over a query of a function of tokens": lambda: bind("query", (query,), f(query)),
    "one position twice": lambda: U(f(k), k, k),
    "a sum over coordinates without a size": lambda: bind("coordinates", (i,), v(i), (term(0),)),
    "a sum over a real number of coordinates": lambda: bind("coordinates", (i,), v(i), (c,)),
    "a number of coordinates that may be 0": lambda: bind(
        "coordinates", (i,), v(i), (Variable("m", range=whole(0)),)
    ),
    "two variables of one name": lambda: arithmetic(x, "<=", x + Variable("x", range=POSITIVE) ** 2),
    "a variable that is called as the number of tokens": lambda: equal(Variable("L", range=REALS), 0),
    "a definition that is called as a variable": lambda: arithmetic(Defined("x", term(1)), "<=", x**2 + 1),
    "two definitions of one name": lambda: arithmetic(Defined("B", term(1)), "<=", Defined("B", term(2))),
    "a float": lambda: arithmetic(x, "<=", x + 1e20),
    "an infinite number": lambda: term(float("inf")),
    "a range with a float as its end": lambda: Range(0.5),
    "an empty range": lambda: Range(Fraction(1), Fraction(0)),
    "a function of two tokens": lambda: Function("f2", (Sort.TOKEN, Sort.TOKEN), Fraction(4)),
    "a function of a function": lambda: Function("f2", (Sort.TOKEN,), Fraction(4))(f(k)),
    "a negative order": lambda: Function("f3", (Sort.TOKEN,), Fraction(-1)),
    "an infinite order as a float": lambda: Function("f3", (Sort.TOKEN,), float("inf")),
    "an irrational power of a negative number": lambda: equal(term(-1) ** sqrt(2), term(-1) ** sqrt(2)),
    "a real power of what may be negative": lambda: equal(c ** sqrt(2), c ** sqrt(2)),
    "1/x where x may be 0": lambda: arithmetic(c / c, "<=", 1),
    "a root of a mean that may be negative": lambda: equal(sqrt(M(f(k))), sqrt(M(f(k)))),
    "independence of one token": lambda: equal(M(f(k) * g(k)), M(f(k)) * M(g(k))),
    "independence of two sums": lambda: equal(E(U(f(k)) * U(g(k))), L * M(f(k)) * L * M(g(k))),
    "independence in an exponential": lambda: equal(E(exp(-(U(f(k)) ** 2))), M(exp(-(f(k) ** 2))) ** L),
    "as many pairs as positions": lambda: equal(U(1, k, l), L**2),
    "a square of a mean as a mean of squares": lambda: equal(M(f(k)) ** 2, M(f(k) ** 2)),
    "the number of tokens as 2": lambda: equal(U(f(k)), 2 * M(f(k))),
    "the limit of a term that depends on the small number": lambda: limit(
        arithmetic(t, "<=", t + delta), delta, delta, 1
    ),
    "the limit on the left side": lambda: limit(arithmetic(delta, "<=", 2 * delta), delta, 0, 2),
    "the limit with an infinite factor": lambda: limit(equal(delta * HEAVY, delta * HEAVY), delta, 0, HEAVY),
    "the limit of 1/delta": lambda: limit(arithmetic(0, "<=", 1 / delta), delta, 0, 1 / delta**2),
    "an open event from a bound that depends on the small number": lambda: open_event(
        equal(M(Op("above", (f(k) - delta,))), M(Op("above", (f(k) - delta,)))), delta, (k,), f(k)
    ),
    "an open event of another event": lambda: open_event(
        integrate("mean", (k,), arithmetic(Op("above", (f(k) - delta,)), "<=", 1)), delta, (k,), f(k) + 1
    ),
    "a closed event from open ones": lambda: open_event(
        integrate("mean", (k,), arithmetic(Op("ind", (f(k) - delta,)), "<=", 1)), delta, (k,), f(k)
    ),
    "an open event that moves with the small number": lambda: open_event(
        integrate("mean", (k,), arithmetic(Op("above", (delta * f(k) - delta,)), "<=", 1)),
        delta,
        (k,),
        delta * f(k),
    ),
    "a factor of unknown sign is not raised": lambda: gcongr(x * y, hyp(x, "<=", 1)),
    "a base that may be negative is not raised": lambda: gcongr(x**2, hyp(x, "<=", 1)),
    "a denominator is not raised": lambda: gcongr(1 / (1 + t), hyp(t, "<=", 2)),
    "two nonnegative factors are not lowered below 0": lambda: trans(
        gcongr(-(t * (1 + t)), hyp(c, "<=", t), assume("j", c, "<=", 1 + t)), equal(-(c * c), -(c**2))
    ),
    "a chain with a gap": lambda: trans(below_its_square(), below_its_square()),
    "a chain that a normal form does not join": lambda: chain(0, below_its_square(), x**3),
    "a falsehood of arithmetic": lambda: arithmetic(x, "<=", x**2),
    "a premise the wrong way": lambda: arithmetic(0, "<=", x, hyp(x, "<=", 0)),
    "indicators of overlapping events": lambda: arithmetic(Op("ind", (x,)) + Op("ind", (x - 1,)), "<=", 1),
    "a closed and an open event": lambda: equal(Op("ind", (x,)), Op("above", (x,))),
    "a premise that is no theorem": lambda: arithmetic(0, "<=", 1, Assumption("h", term(1), "<=", term(0))),
    **TIME_AND_TASKS,
    **EQUATIONS,
    **CAPTURE,
    **GAUSSIAN_FAMILIES,
    **INDEPENDENCE,
    **STEPS,
    **DISCHARGES,
    **CLASSES,
    "a value in its range by a hypothesis on a function that is replaced": lambda: instantiate(
        arithmetic(0, "<=", Variable("n", range=NONNEGATIVE)),
        {Variable("n", range=NONNEGATIVE): M(f(k)), f: ((k,), term(-1))},
        assume("E f >= 0", 0, "<=", M(f(k))),
    ),
    "a value of a task in its range by a hypothesis on one law": lambda: at_task(
        arithmetic(Variable("n", range=NONNEGATIVE), "<=", Variable("n", range=NONNEGATIVE) + 1),
        w,
        {Variable("n", range=NONNEGATIVE): M(f(k)), f: ft},
        assume("E f >= 0", 0, "<=", M(f(k))),
    ),
    "a variable that minus one binder binds": lambda: Bind("mean", (), 1, f(Bound(-1, Sort.TOKEN))),
    "an object in place of the small number": lambda: limit(arithmetic(5, "<=", term(0) + 5), ANYTHING, 0, 1),
    "a kind of binder in disguise": lambda: Bind(Text("sum"), (p,), 2, term(1)),
    "a head in disguise": lambda: Op(Text("log"), (term(1),)),
    "an object in place of the small number of an event": lambda: open_event(
        integrate("mean", (k,), arithmetic(Op("above", (f(k) - 5,)), "<=", 1)), ANYTHING, (k,), f(k)
    ),
    "a function with the name of a derivative": lambda: equal(
        path(now) + Function("path'", (Sort.TIME,), Fraction(1))(now),
        path(now) + Function("path'", (Sort.TIME,), Fraction(1))(now),
    ),
    "a function in disguise": lambda: instantiate(
        equal(M(f(k)), M(f(k))), {Disguised("f", (Sort.TOKEN,)): ((k,), g(k) ** 2)}
    ),
    "a hypothesis said for all values of an object": lambda: hyp(x, "<=", 0, Disguised("f", (Sort.INDEX,))),
    "a barrier in disguise": lambda: continuation(
        Barrier("kept", term(0), "<=", term(1), frozenset({now})),
        now,
        arithmetic(0, "<=", 0),
        arithmetic(0, "<", 1),
        arithmetic(0, "<=", 1),
        assume("false", 0, "<=", -1),
    ),
    "a binder of another kind": lambda: Bind("median", (), 1, term(1)),
    "a head of another kind": lambda: Op("sin", (x,)),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_kernel_refuses(attack):
    with pytest.raises((ProofError, AttributeError, TypeError)):
        print(ATTACKS[attack]())


def test_two_inequalities_do_not_make_an_equation():
    assert trans(arithmetic(x, "<=", x + 1), arithmetic(x + 1, "<=", x + 2)).op == "<="


def test_a_theorem_cannot_be_made_or_changed():
    made = below_its_square()
    for change in (
        lambda: Theorem(None, lhs=1, rhs=0),
        lambda: setattr(made, "rhs", term(-1)),
        lambda: delattr(made, "assumptions"),
        lambda: made.assumptions.clear(),
        lambda: setattr(x, "range", POSITIVE),
    ):
        with pytest.raises((AttributeError, TypeError)):
            change()


def test_bound_names_are_not_captured():
    """The mean of (g - x)^2 at x = g(k) is a term in the free token k, and not zero."""
    free = instantiate(equal(M((g(k) - x) ** 2), M(g(k) ** 2) - 2 * x * M(g(k)) + x**2), {x: g(k)})
    assert k in free.lhs.free
    assert free.lhs != M((g(k) - g(k)) ** 2)


def test_an_inner_prompt_is_another_one():
    """Both sums are of different prompts, so that the product of their means is no mean square."""
    assert equal(E(U(f(k)) * E(U(f(k)))), L**2 * M(f(k)) ** 2).op == "=="
    with pytest.raises(ProofError):
        equal(E(U(f(k)) * E(U(f(k)))), E(U(f(k)) ** 2))


def test_assumptions_are_shown_with_all_that_they_say():
    both = arithmetic(x + y, "<=", 0, hyp(x, "<=", 0), hyp(y, "<=", 0))
    assert {str(a) for a in both.assumptions} == {"h: x <= 0", "h: real_y <= 0"}
    assert equal(M(f(k)), M(f(k))).functions == {f}


def test_a_choice_for_one_law_is_a_hypothesis_on_all_tasks():
    """No number need be large enough for all of them."""
    assert [a.chosen for a in chosen().assumptions if a.name == "K is large"] == [K]
    lifted = at_task(chosen(), w, {attacks_on_time_and_tasks.f: ft})
    assert [a.chosen for a in lifted.assumptions if a.name == "K is large"] == [None]


def test_every_rule_is_attacked():
    rooms = (
        attacks_by_discharge,
        attacks_on_classes,
        attacks_on_equations,
        attacks_on_time_and_tasks,
        attacks_on_gaussian_families,
        attacks_on_independence,
        attacks_on_steps,
    )
    assert set(rules.__all__) <= {*globals()}.union(*map(vars, rooms))
