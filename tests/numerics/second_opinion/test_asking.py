"""The second opinion confirms what is true, never what it does not know."""

from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from numerics.provers import Integers, forall, identity
from numerics.provers.eigenbasis import entrywise, l_i, l_j, motion, p_i, p_j
from numerics.provers.remembered import Note, noting
from numerics.second_opinion.asking import Answer, ask
from numerics.second_opinion.goals import Goal, NotAsked, Span
from proofs_check.reports.documents.second_opinion.questions import goals_of, questions

pytest.importorskip("z3")
x, y = sp.symbols("x y")
n = sp.Symbol("n")
r, whole = sp.Symbol("r", real=True), sp.Symbol("k", integer=True)
REALS, WHOLE = Span(), Span(Fraction(1), None, whole=True)
POSITIVE, NONNEGATIVE = Span(Fraction(0), None, True), Span(Fraction(0))
UNIT = Span(Fraction(0), Fraction(1))


def said(lhs: Any, op: str, rhs: Any, given: Any = (), defined: bool = True, **domain: Span) -> Answer:
    spans = tuple((sp.Symbol(name), span) for name, span in domain.items())
    return ask(Goal(spans, tuple(given), sp.sympify(lhs), op, sp.sympify(rhs), defined))


TRUE = [
    (2 * x * y, "<=", x**2 + y**2, dict(x=REALS, y=REALS)),
    (sp.sqrt(x * y), "<=", (x + y) / 2, dict(x=NONNEGATIVE, y=NONNEGATIVE)),
    (sp.sqrt(x + sp.sqrt(x)), "<=", sp.sqrt(x) + 1, dict(x=NONNEGATIVE)),
    (sp.cbrt(x), "<=", (x + 2) / 3, dict(x=NONNEGATIVE)),
    (sp.Max(x, -x) * sp.Min(x, -x), "==", -(x**2), dict(x=REALS)),
    (sp.sqrt(2) + sp.sqrt(3), "==", sp.sqrt(5 + 2 * sp.sqrt(6)), {}),
    (n, "<=", n**2, dict(n=Span(whole=True))),
    (2**n, ">=", n + 1, dict(n=WHOLE)),
    (1 + x, "<=", sp.exp(x), dict(x=REALS)),
    (sp.exp(-x), "<=", 5 / x**4, dict(x=POSITIVE)),
    (sp.cosh(x), "<=", sp.exp(x**2 / 2), dict(x=REALS)),
    (sp.log(x), "<=", x - 1, dict(x=POSITIVE)),
    (x**y, "<=", 1 + y * (x - 1), dict(x=POSITIVE, y=UNIT)),
    (sp.exp(4 * y / (2 * n + 8)), "==", sp.exp(2 * y / (n * (1 + 4 / n))), dict(y=REALS, n=WHOLE)),
    (
        sp.exp(n * sp.log(1 + (n + 4) / n) / 2),
        "==",
        2 ** (n / 2) * sp.exp(n * sp.log(1 + 2 / n) / 2),
        dict(n=WHOLE),
    ),
    (sp.pi, "<", sp.Rational(22, 7), {}),
    (sp.exp(sp.pi), ">", sp.Rational(231, 10), {}),
]


@pytest.mark.parametrize(("lhs", "op", "rhs", "domain"), TRUE)
def test_what_is_true_is_confirmed(lhs, op, rhs, domain):
    assert said(lhs, op, rhs, **domain).word == "confirmed"


FALSE = {
    "strict where both are equal": (2 * x * y, "<", x**2 + y**2, dict(x=REALS, y=REALS)),
    "strict where a tangent touches": (1 + x, "<", sp.exp(x), dict(x=REALS)),
    "an end that belongs to the domain": (x, "<", 1, dict(x=UNIT)),
    "real where whole was meant": (x, "<=", x**2, dict(x=NONNEGATIVE)),
    "a whole number between the roots": ((n - 2) * (n - 4), ">=", 0, dict(n=WHOLE)),
    "1/0": (1 / x, "<=", 2 + 1 / x, dict(x=REALS)),
    "a root of a negative number": (sp.sqrt(x), ">=", 0, dict(x=REALS)),
    "a root inside a root": (sp.sqrt(1 - sp.sqrt(x)), "<=", 1, dict(x=NONNEGATIVE)),
    "0 to the power 0": (x**y, ">=", 0, dict(x=NONNEGATIVE, y=NONNEGATIVE)),
    "the logarithm of 0": (x * sp.log(x), ">=", -1, dict(x=NONNEGATIVE)),
    "the smaller for the larger": (sp.Max(x, y), "<=", sp.Min(x, y), dict(x=REALS, y=REALS)),
    "the sign of a square root": (sp.sqrt(x**2), "==", x, dict(x=REALS)),
    "a constant that is too small": (sp.exp(-x), "<=", 4 / x**4, dict(x=POSITIVE)),
    "a quotient that cancels as it is written": (sp.Mul(x, 1 / x, evaluate=False), "<=", 1, dict(x=REALS)),
    "an exponent that cancels as it is written": (
        sp.exp(sp.Mul(x, 1 / x, evaluate=False), evaluate=False),
        "<=",
        3,
        dict(x=REALS),
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_contradicted_at_a_point(name):
    lhs, op, rhs, domain = FALSE[name]
    answer = said(lhs, op, rhs, **domain)
    assert answer.word == "contradicted"
    point = {sp.Symbol(s): Fraction(q) for s, q in answer.point.items()}
    assert all(domain[s.name].contains(q) for s, q in point.items())


@pytest.mark.parametrize(
    ("hi", "hi_open", "word"), [(1, True, "confirmed"), (1, False, "contradicted"), (2, True, "contradicted")]
)
def test_the_ends_of_the_domain_count(hi, hi_open, word):
    assert said(x**2, "<", 1, x=Span(Fraction(0), Fraction(hi), False, hi_open)).word == word


def test_what_is_given_is_used_where_it_is_defined_only():
    assert said(1 / x, "<=", 1, [(sp.S.One, "<=", x)], x=REALS).word == "confirmed"
    assert said(x, "<=", 1, [(1 / x, ">=", sp.S.One)], x=REALS).word == "confirmed"
    assert said(x, "<", 1, [(1 / x, ">=", sp.S.One)], x=REALS).point == {"x": "1"}


def test_an_equation_speaks_of_where_it_is_defined_and_an_inequality_of_all_points():
    cancelled = sp.Mul(x, 1 / x, evaluate=False)
    assert said(cancelled, "==", 1, defined=False, x=REALS).word == "confirmed"
    assert said(cancelled, "==", 1, x=REALS).word == "contradicted"


def test_what_is_not_known_is_never_confirmed():
    hard = (sp.exp(-x), "<=", 5 / x**4)
    assert said(*hard, x=POSITIVE).word == "confirmed"
    goal = Goal(((x, POSITIVE),), (), *hard)
    assert ask(goal, resources=1_000).word == "unknown"
    assert said(sp.gamma(x), ">", 0, x=POSITIVE).word == "unknown"  # no facts about it
    assert said(sp.erf(x), "<=", 1, x=REALS).word == "unknown"
    # Equal at an irrational point, which no rational one witnesses.
    assert said((x**2 - 2) ** 2, ">", 0, x=REALS).word == "unknown"


UNEVALUATED_TWO = sp.Add(1, 1, evaluate=False)
AROUND_0 = {x: (-1, 1)}
NOT_TRUE = {
    "log(u**2) asks no sign": ("forall", (x, ">=", 0, AROUND_0), [(sp.log(x**2), "<=", 9)], "contradicted"),
    "log(x y) asks no sign of x": ("forall", (x, ">=", 0, {x: (-5, 5), y: (-5, 5)}),
        [(sp.log(x * y), ">=", 0)], "contradicted"),
    "the same in an equation": ("identity", (sp.Abs(r) + sp.log(r**2), r + sp.log(r**2)), (), "contradicted"),
    "an exponent that is worked out": ("forall", (x, ">=", 0, AROUND_0),
        [(sp.Pow(x, UNEVALUATED_TWO, evaluate=False), "<=", 1)], "contradicted"),
    "a whole power": ("forall", (x, ">=", 0, {x: (-1, 1), n: Integers(1)}), [(x**n, "<=", 1)], "unknown"),
    "a power of 0": ("forall", (x, ">", 0, {x: sp.Interval(0, 1), y: (1, 2)}), [(x**y, "<=", 1)], "unknown"),
    "a power of -1": ("identity", ((-1) ** whole, 5), (), "unknown"),
    "a power of -2": ("identity", ((-2) ** whole, 9), (), "unknown"),
    "a root that is nowhere": ("identity", (sp.sqrt(-1 - r**2), 3), (), "unknown"),
    "a logarithm that is nowhere": ("identity", (sp.log(-1 - r**2), 3), (), "unknown"),
    "a quotient that is nowhere": ("identity", (1 / ((r + 1) ** 2 - r**2 - 2 * r - 1), 5), (), "unknown"),
    "a hypothesis nowhere": ("forall", (x, ">=", 0, AROUND_0), [(sp.sqrt(x - 2), ">=", 0)], "unknown"),
    "sin of 1/0": ("forall", (sp.sin(1 / x), "<=", 1, AROUND_0), (), "contradicted"),
    "cos of a logarithm": ("forall", (sp.cos(sp.log(x)), "<=", 1, AROUND_0), (), "contradicted"),
    "erf of a root": ("forall", (sp.erf(sp.sqrt(x)) ** 2, ">=", 0, AROUND_0), (), "contradicted"),
    "tanh of what cancels": ("forall", (sp.tanh(sp.Add(1 / x, (x - 1) / x, evaluate=False)), "<=", 1,
        AROUND_0), (), "contradicted"),
    "an exact constant": ("forall", (1 + sp.sin(0, evaluate=False), "<=", 0, AROUND_0), (), "contradicted"),
    "exp of a logarithm that is nowhere": ("forall", (sp.exp(sp.Add(3 * sp.log(x), y, evaluate=False),
        evaluate=False), ">=", -10, {x: (-2, 0), y: (-1, 1)}), [(x**2, "==", 2)], "unknown"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_TRUE)
def test_what_is_needed_of_a_side_takes_no_point_away_and_hides_none(name):
    who, sides, met, word = NOT_TRUE[name]
    (goal,) = goals_of(Note(who, (sides, {"where" if who == "forall" else "given": met}), None))
    assert ask(goal).word == word


def test_hypotheses_that_contradict_each_other_by_themselves_are_the_authors():
    assert said(x, ">=", 5, [(x, ">", sp.S(3)), (x, "<", sp.S(2))], x=REALS).word == "confirmed"
    assert said(x, ">=", 5, [(x, ">", sp.S(3)), (1 / x, ">", sp.S(1))], x=REALS).word == "confirmed"


def test_a_power_is_read_where_its_base_is_seen_to_be_positive():
    base = 1 + x**2 - x
    made = said(x, "<=", 2, [(base**n, "<=", base**n), (x, "<=", sp.S.One)], x=REALS, n=WHOLE)
    assert made.word == "confirmed"


def test_numbers_beyond_all_floats_are_left():
    assert said(sp.exp(x), "<=", sp.exp(x - 1), [(x, ">=", sp.Integer(10) ** 400)], x=REALS).word == "unknown"


@pytest.mark.parametrize("resources", [3_000, 30_000, 300_000])
def test_resources_say_where_it_ends_and_not_the_clock(resources):
    goal = Goal(((x, POSITIVE), (y, UNIT)), (), x**y, "<=", 1 + y * (x - 1) + sp.exp(-x) / 100)
    assert ask(goal, resources) == ask(goal, resources)


def test_complex_numbers_are_asked_for_rational_functions_only():
    z = sp.Symbol("z")
    (polynomial,) = goals_of(Note("identity", (((z + 1) ** 2, z**2 + 2 * z + 1), {}), None))
    (root,) = goals_of(Note("identity", ((sp.sqrt(z) ** 4, sp.sqrt(z**4)), {}), None))
    assert ask(polynomial).word == "confirmed"
    assert ask(root).word == "unknown"


def test_questions_are_those_of_the_provers_and_each_has_one_name():
    u = sp.Symbol("u", positive=True)
    with noting() as notes:
        forall(u * n, "<=", u**2 + n**2, {u: (0, sp.oo), n: Integers(1, 5)}, where=[(u, "<=", n)])
        identity(sp.log(u**2), 2 * sp.log(u))
        forall(u**2, "<=", u, {u: (0, sp.oo)})  # refuted: no verdict rests on it
    found = [goal for note in questions(notes) for goal in goals_of(note)]
    assert [g.op for g in found] == ["<=", "=="]
    assert [ask(g).word for g in found] == ["confirmed", "confirmed"]
    assert dict(found[0].domain)[n] == Span(Fraction(1), Fraction(5), whole=True)
    assert dict(found[1].domain)[u] == Span(Fraction(0), None, True, True)
    again = [goal for note in questions(notes) for goal in goals_of(note)]
    assert [g.digest for g in found] == [g.digest for g in again]
    dummies = [Goal(((d, REALS),), (), d, "<=", d**2 + 1) for d in (sp.Dummy("t"), sp.Dummy("t"))]
    assert dummies[0].digest == dummies[1].digest
    assert len({g.digest for g in (*found, *dummies)}) == 3


def test_cases_of_an_entry_are_asked_and_their_controls_are_not():
    with noting() as notes:
        entrywise(l_i * p_i * motion * l_j * p_j, motion)
    found = [goal for note in questions(notes) for goal in goals_of(note)]
    assert found
    assert {ask(g).word for g in found} == {"confirmed"}


def test_what_is_of_another_kind_says_so():
    with pytest.raises(NotAsked, match="matrix words"):
        list(goals_of(Note("trace_identity", ((), {}), None)))


def test_a_power_of_e_that_is_not_evaluated_is_an_exponential():
    written = sp.Pow(sp.E, x, evaluate=False)
    assert said(written, ">=", 1 + x, x=REALS).word == "confirmed"
    assert said(written, ">=", 3 + x, x=REALS).word == "contradicted"
