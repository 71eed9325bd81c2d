"""Lemmas as text are read as mathematicians mean them, or not at all."""

from contextlib import suppress
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics import forall
from numerics.evidence import Verdict
from numerics.lemmas import lemma, read_lemma
from numerics.provers import Integers

REPEATABLE = settings(derandomize=True, database=None, deadline=None)


def sides(text):
    ((a, op, b),) = read_lemma(text).relations
    return a, op, b


def number(text):
    """The value of a formula."""
    return sp.nsimplify(sides(f"{text} <= 0")[0].doit())


PRECEDENCE = {
    "-2^2": -4,
    "2^3^2": 512,
    "2^-1": Fraction(1, 2),
    "8/4/2": 1,
    "8-4-2": 2,
    "2*3!": 12,
    "3!^2": 36,
    "-3!": -6,
    "1/2*4": 2,
    "0.1 + .2": Fraction(3, 10),
    "1e-3": Fraction(1, 1000),
    "2.5e2": 250,
    "|3-5|*2": 4,
    "|1 - |2 - 4||": 1,
    "sum(k^2, k = 1..4)": 30,
    "prod(k, k in 1..5)": 120,
    "ln(e^2)": 2,
    "log(e) − 1": 0,
    "max(1, 2, 3) - min(4, 5)": -1,
    "sqrt(16)**2": 16,
    "+3 - -2": 5,
    "-2^-2^2": Fraction(-1, 16),
    "2^3!": 64,
    "1/2!*3": Fraction(3, 2),
    "||2|-|5||": 3,
    "|2|-|5|": -3,
    "5/-1*2": -10,
}


@pytest.mark.parametrize("text", PRECEDENCE)
def test_operations_bind_as_they_do_in_a_book(text):
    assert number(text) == sp.Rational(PRECEDENCE[text])


@st.composite
def formulas(draw, depth=3):
    """A formula with every operation in parentheses, and its value."""
    if depth == 0 or draw(st.booleans()):
        value = draw(st.integers(0, 9))
        return str(value), Fraction(value)
    a, x = draw(formulas(depth - 1))
    b, y = draw(formulas(depth - 1))
    sign = draw(st.sampled_from("+-*/^"))
    if sign == "/" and y == 0:
        sign = "+"
    if sign == "^":
        y = Fraction(draw(st.integers(0, 3)))
        return f"({a})^{y}", x**y if x or y else Fraction(1)
    value = {"+": x + y, "-": x - y, "*": x * y}[sign] if sign != "/" else x / y
    return f"({a}){sign}({b})", value


@REPEATABLE
@given(formulas())
def test_a_formula_has_the_value_that_arithmetic_gives_it(drawn):
    text, value = drawn
    assert number(text) == sp.Rational(value.numerator, value.denominator)


def ranges(text):
    return {str(x): r for x, r in read_lemma(text).domain.items()}


RANGES = {
    "x <= 1 for 0 < x < 1": sp.Interval.open(0, 1),
    "x <= 1 for x in [0, 1)": sp.Interval.Ropen(0, 1),
    "x <= 1 for x > 0, x <= 1": sp.Interval.Lopen(0, 1),
    "x <= 1 for real x": sp.Interval.open(-sp.oo, sp.oo),
    "x <= 1 for every x >= 0": sp.Interval(0, sp.oo),
    "x <= 1 for 1 > x": sp.Interval.open(-sp.oo, 1),
    "x <= 1 for whole x >= 1": Integers(1, sp.oo),
    "x <= 1 for whole x > 1": Integers(2, sp.oo),
    "x <= 1 for x in 1..20": Integers(1, 20),
    "x <= 1 for x, y in (0, 1)": sp.Interval.open(0, 1),
    "x <= 1 for y > 3, x, z >= 2": sp.Interval(2, sp.oo),
    "x <= 1 for x >= 1/2 given x <= 5": sp.Interval(sp.Rational(1, 2), sp.oo),
    "x <= 1 for y > x, x > 0": sp.Interval.open(0, sp.oo),
    "x <= 1 for 0 < x, x < 1": sp.Interval.open(0, 1),
    "x <= 1 for real x, y and x < y, x > 2": sp.Interval.open(2, sp.oo),
    "x <= 1 for 0 < y and x < 1": sp.Interval.open(-sp.oo, 1),
    "x <= 1 for x < max(2, 3)": sp.Interval.open(-sp.oo, 3),
    "x <= 1 for whole y, x > 1/2": Integers(1, sp.oo),
}


@pytest.mark.parametrize("text", RANGES)
def test_conditions_become_ranges(text):
    assert ranges(text)["x"] == RANGES[text]


def test_what_is_said_of_a_sample_or_a_matrix_is_not_lost():
    laws = {
        "X iid 2 in 0..1": Integers(0, 1),
        "whole X iid 2 in [0, 3)": Integers(0, 2),
        "X iid 2 in (0, 1]": sp.Interval.Lopen(0, 1),
        "X iid 2, X >= 0": sp.Interval(0, sp.oo),
        "X iid 2": sp.S.Reals,
    }
    for words, on in laws.items():
        assert ranges(f"E(X^2) >= E(X) for {words}")["X"].on == on
    bernoulli = "E(X^2) >= E(X) for X iid 1 in {}"
    assert lemma(bernoulli.format("0..1")).verdict is Verdict.SUPPORTED
    assert lemma(bernoulli.format("[0, 1]")).verdict is Verdict.REFUTED
    assert lemma("E(max(X, 0)) >= E(X) for X iid 1").verdict is Verdict.SUPPORTED
    assert lemma("det(A) > 0 for A > 0, psd A of size 2").verdict.executed
    assert lemma("det(A) > 0 for psd A of size 2").verdict is Verdict.REFUTED
    assert lemma("det(A) > 0 for psd A of size 2 given A > 0").verdict.executed


def test_a_limit_from_one_side_is_one_of_the_range():
    assert lemma("sqrt(x) = O(1) as x -> 0+").verdict.executed
    assert not lemma("sqrt(x) = O(1) as x -> 0-").verdict.accepted
    assert lemma("1/x >= C for some C as x -> 0+").verdict.executed
    assert lemma("1/x >= C for some C as x -> 0-").verdict is Verdict.REFUTED


def test_a_name_has_one_meaning():
    with pytest.raises(ValueError, match="c is among the numbers="):
        lemma("c <= 1 for real c", numbers={"c": 2})
    assert lemma("c <= x for x >= c", numbers={"c": 2}).verdict.executed
    assert ranges("n >= k for whole n >= k, whole k >= 0")["k"] == Integers(0, sp.oo)


def test_what_bounds_two_variables_is_a_hypothesis_and_a_range_of_neither():
    read = read_lemma("x <= y for 0 < x < y < 1")
    assert ranges("x <= y for 0 < x < y < 1") == {
        "x": sp.Interval.open(0, sp.oo),
        "y": sp.Interval.open(-sp.oo, 1),
    }
    assert [(str(a), op, str(b)) for a, op, b in read.where] == [("x", "<", "y")]
    assert lemma("x <= y for 0 < x < y < 1").verdict is Verdict.PROVED
    assert lemma("y <= x for 0 < x < y < 1").verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "text",
    [
        "y >= 0 for x > y, z > 0",
        "a <= d for a <= b, c <= d",
        "P(X >= 1/2 or X <= 1/4 and X >= 3) <= 0 for X iid 1 in [0, 1]",
        "P(X < 0 and X < 1 or X >= 0) <= 0 for X iid 1 in [0, 1]",
    ],
)
def test_what_a_mathematician_reads_is_false(text):
    """Conditions do not run on over a comma, and "and" binds before "or"."""
    assert lemma(text).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "text",
    [
        *("((-1)^(1/2))^2 = -1", "|(-1)^(1/2)| <= 1", "(-8)^(2/3) >= 0"),
        *("0*log(-1) = 0", "x <= 1 for x < 1 + 0*log(-1)"),
    ],
)
def test_a_number_that_is_undefined_is_not_put_together(text):
    assert not lemma(text).verdict.executed


@pytest.mark.parametrize(
    "text",
    [
        *("1000000000! >= 1", "(10^300)! >= 1", "((9^1000)^1000)^1000 >= 1", "1 <= 2 for x < 10^7!"),
        *("x <= 1 for x in (0, 1e99999999)", "1e-99999999 >= 0", "x <= 1 for x < gamma(10^9)"),
        *("x <= 1 for x < floor(e^(10^9))", "x <= 1 for x < 2^2^2^2^2^2", "1" * 5000 + " >= 1"),
    ],
)
def test_numbers_that_are_too_long_are_not_written_out(text):
    with pytest.raises(ValueError, match=r"digits|bits|is not decided"):
        lemma(text)


def test_a_text_is_the_statement_that_python_would_write():
    x = sp.Symbol("x", positive=True)
    own = forall(sp.exp(-x), "<=", 4 * x**-4, {x: (0, sp.oo)})
    read = lemma("exp(-x) <= 4/x^4 for x > 0")
    assert (read.verdict, read.checked, read.witness) == (own.verdict, own.checked, own.witness)


def test_a_chain_says_each_of_its_relations():
    assert lemma("x - x^2/2 <= ln(1+x) <= x for x >= 0").verdict.executed
    refuted = lemma("x <= ln(1+x) <= x for x >= 0")
    assert refuted.verdict is Verdict.REFUTED
    assert refuted.parts[1].verdict.executed


def test_an_equation_holds_on_its_domain_and_is_not_asked_elsewhere():
    assert lemma("sqrt((1-x)^2) = 1 - x for x in (0, 1)").verdict.executed
    assert lemma("sqrt((1-x)^2) = 1 - x for x in (0, 2)").verdict is Verdict.REFUTED
    assert lemma("x/x = 1 for real x").verdict is Verdict.OPEN  # of 0/0 nothing is said


@pytest.mark.parametrize(
    "text",
    [
        "sum(k/k, k = 0..n) <= n + 1 for whole n >= 1",
        "P(X >= s/s) <= 1 for s >= 0, X iid 1 in [0, 1]",
        "E(X/X) <= 1 for X iid 1 in [0, 1]",
        "a(n)/a(n) <= 1 for whole n >= 1 given a(n) >= 0",
        "x/x <= C for real x for some C",
        "lim 1 + 0*log(x) = 1 as x -> 0 for real x",
        "tr(A*inv(A)) <= 2 for psd A of size 2",
    ],
)
def test_what_is_undefined_somewhere_is_not_proved(text):
    assert not lemma(text).verdict.executed


def test_numbers_are_exact_and_may_be_named():
    assert lemma("cosh(x) <= exp(c*x^2) for real x", numbers={"c": "1/2"}).verdict.executed
    assert (
        lemma("cosh(x) <= exp(c*x^2) for real x", numbers={"c": Fraction(49, 100)}).verdict is Verdict.REFUTED
    )
    assert lemma("0.1*3 = 0.3").verdict is Verdict.PROVED
    with pytest.raises(TypeError, match="not exact; write"):
        lemma("c <= 1", numbers={"c": 0.5})
    for value in ("half", "1/0", "1e999999999", "oo"):
        with pytest.raises(ValueError, match="cannot be read; write"):
            lemma("c <= 1", numbers={"c": value})
    for name, text in (("pi", "x <= pi for x in (0, 9)"), ("C", "x <= C for x in (0, 1) for some C")):
        with pytest.raises(ValueError, match="call one of the two otherwise"):
            lemma(text, numbers={name: "9"})


REFUSED = {
    "n!! >= n for whole n >= 1": "double factorial",
    "n!=n*(n-1)! for whole n >= 1": "n! = with a blank",
    "x <= 1 for 0 < x, y < 1": "one condition on x, y, or two",
    "x <= 1 for x in (0, 1) given 0 < x, y < 1": "one condition on x, y, or two",
    "x <= y for real x, y, x < y": "write 'and' before a condition",
    "x <= y for real y, x < y": "write 'and' before a condition",
    "gamma(1 - gamma) <= 1/4 for gamma in (0, 1)": "a variable and a function",
    "E*E(X) >= 0 for X iid 1, E > 0": "a variable and a function",
    "a(n) <= a for whole n >= 1, a > 0 given a(n) <= 1": "a variable and a function",
    "sqrt(x, 3) <= x for x >= 1": "sqrt has one argument",
    "log(x, 2) <= x for x >= 1": "log has one argument; .* log\\(x\\)/log\\(b\\)",
    "inv(A, 2) >= 0 for definite A of size 2": "inv has one argument",
    "binomial(n) <= 1 for whole n >= 1": "binomial has two arguments",
    "n = O(n, 5) as n -> oo for whole n >= 1": "O has one argument",
    "n <= 5 for n in 0...9": "1..n for a range",
    "sum(k, k = 1...5) <= 1": "1..n for a range",
    "[x] = x for real x": "floor\\(x\\)",
    "x² <= x for 0 < x² < 1, x > 1": "write x\\^2",
    "½ <= x for x > 0": "1/2",
    "π <= 3 for π > 0": "is the name of a number",
    "x^2 = O(x) as x -> oo, x -> 0": "tends to two limits",
    "x <= pi for x in (0, 9) for some pi": "is the name of a number",
    "x <= C for some C, x > 0": "a constant is positive",
    "tr(A) >= 0 for psd A of size 2, symmetric A of size 2": "said to be two things",
    "E(X) <= 1 for X iid 2 in [0, 1], X iid 3": "said to be two things",
    "tr(A) >= 0 for psd A of size 2 by 3": "is square",
    "tr(A) >= 0 for psd A of size 5/2": "is not whole",
    "E(X) <= 1 for X iid 2*e in [0, 1]": "is not whole",
    "A/B >= 0 for definite A, B of size 2": "write A\\*inv\\(B\\)",
    "||A|| <= 1 for psd A of size 2": "write tr, det or norm",
    "x' <= 1 for x > 0": "transpose of a matrix",
    "n <= 9 for whole n >= 1 given log2(n) <= 3": "the function log2",
    "n <= 9 for whole n >= 1 given Log(n) <= 2": "the function Log",
    "x <= 4 for x in (0, pi)": "give it behind given",
    "": "a number, a name or a formula",
    "x": "a sign such as <=",
    "x <= ": "a number, a name or a formula",
    "x <= 1": "add 'for real x'",
    "2x <= 1 for x > 0": "write 2\\*x",
    "2(x+1) <= 1 for x > 0": "write 2\\*x",
    "(x <= 1 for x > 0": "'\\)' is expected",
    "x <= 1 for x real": "real or whole before a name",
    "x <= 1 for x": "a sign such as <=",
    "x <= 1 for x, y": "say what x is",
    "x <= 1 where x > 0": "a sign is missing",
    "x $ 1 for x > 0": "this sign is not read",
    "sine(x) <= 1 for real x": "no function is called sine; there are .*abs",
    "__import__(x) <= 1 for real x": "no function is called __import__",
    "x.real <= 1 for real x": "this sign is not read",
    "x <= 1 for x in (0, y)": "is no rational number; give it behind given",
    "x <= 1 for x in (0; 1)": "',' is expected",
    "x <= 1 for 2 < x < 1": "no number lies between",
    "x <= 1/0 for x > 0": "divides by 0",
    "x <= 1 for e > 0": "is the name of a number",
    "lim x = 1 for x > 0": "is no limit; write",
    "sum(k, k = 1) <= 1": "'..' is expected",
    "sum(k, 2, k = 1..3) <= 1": "one summand",
    "max() <= 1": "a number, a name or a formula",
    "(" * 80 + "1" + ")" * 80 + " <= 1": "nested more than",
    "-" * 400 + "1 <= 1": "nested more than",
    "1" + "^1" * 200 + " <= 1": "nested more than",
    "1" + "+1" * 5000 + " <= 1": "give it in parts",
    "x <= C for x > 0 for some C > 1": "a constant is positive",
    "x <= C for C > 5, x > 0 for some C": "C is a constant that exists",
    "x <= C for x <= C for some C": "C is a constant that exists",
    "E(X^2) <= C*Var(X) for X iid 1 for some C": "not looked for in a bound on samples; give a number",
    "tr(A) <= C for psd A of size 2 for some C": "not looked for in a bound on matrices; give a number",
    "lim E(X) = 0 as n -> oo for whole n >= 1, X iid n": "a limit is not looked for",
    "lim sum(1/k^2, k = 1..n) = pi^2/6 as n -> oo for whole n >= 1": "bound the distance",
    "A >= 0 for psd A": "'of size 2' behind it",
    "A >= 0 for A of size 2": "write psd",
    "A >= 0 for whole A of size 2": "write psd",
    "k <= n for whole n >= k": "is k whole",
    "1/x <= 1 as x -> oo for x > 0": "says where something tends to",
    "lim C*x = 0 as x -> 0 for real x for some C": "is no limit",
    "C*x = O(x) as x -> 0 for real x for some C": "has a constant beside O",
    "sum(1/k, k = 1..n) = O(ln(n)) as n -> oo for whole n >= 2": "say it with a constant",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_understood_is_refused_with_the_place(text):
    with pytest.raises(ValueError, match=REFUSED[text]):
        lemma(text)


@pytest.mark.parametrize("text", [None, 3, b"x <= 1", ["x <= 1"]])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(TypeError):
        lemma(text)


def test_the_longest_formulas_are_built():
    assert number("1" + "+1" * 240) == 241
    assert number("(" * 50 + "1" + " + 1 - 1)" * 50) == 1


@REPEATABLE
@given(st.text(alphabet="x1 <=+-*/^()|!,.for givenasumk", max_size=30))
def test_any_text_is_read_or_refused_in_words(text):
    with suppress(ValueError):
        read_lemma(text)


@pytest.mark.parametrize(
    "goal",
    [
        *("tr(A*inv(A)) >= 2", "tr(A^-1*A*A) >= 0", "inv(A) - inv(A) >= 0", "inv(A)*det(A)*A >= 0"),
        *("A/tr(A)*tr(A) >= 0", "A/(1/tr(A)) >= 0", "tr(A)/tr(A) <= 1", "(A^-1)^-1 >= 0"),
    ],
)
def test_an_inverse_that_cancels_is_asked_for(goal):
    """Where the matrix is singular the side is undefined, whatever SymPy makes of it."""
    assert not lemma(f"{goal} for psd A of size 2").verdict.executed
    assert lemma(f"{goal} for definite A of size 2").verdict.executed


@pytest.mark.parametrize(("word", "verdicts"), [("x/2", ()), ("2*x", ("PROVED",)), ("sqrt(x)", ("REFUTED",))])
def test_a_chain_has_one_constant(word, verdicts):
    """C = 1 is enough for the first relation, C = 1/2 for the second with x/2: none is for both."""
    found = lemma(f"x <= C*x <= {word} for x > 0 for some C").verdict
    assert found.value in verdicts if verdicts else not found.executed


def test_an_order_keeps_what_its_sides_need_and_its_range():
    assert not lemma("exp(log(x)) = O(1) as x -> 0 for real x").verdict.executed
    assert lemma("sqrt(x - 2) = O(1) as x -> 2 for x > 2").verdict.executed
    with pytest.raises(ValueError, match="does not come near"):
        lemma("x = O(1) as x -> oo for x in (0, 1)")
