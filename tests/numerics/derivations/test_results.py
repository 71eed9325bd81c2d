"""A hypothesis that is a result is cited or argued; what rests on an argued one is ARGUED."""

from fractions import Fraction

import pytest

from numerics.derivations.derived import chain, read_up_to
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, at_task, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, ProofError, Sort
from numerics.derivations.kernel.terms import CLOCK, Function, Variable
from numerics.derivations.statements import Statement, derived
from numerics.evidence import Evidence, Verdict

k, w, t = Variable("k", Sort.TOKEN), Variable("w", Sort.TASK), Variable("t", Sort.TIME)
f = Function("f", (Sort.TOKEN,), Fraction(2))
x, y, T = (Variable(name, range=NONNEGATIVE) for name in "xyT")
SEARCH = Evidence(verdict=Verdict.SUPPORTED, engine="quadrature", covered="some")
judged = lambda thm: derived(Statement(thm.lhs, thm.op, thm.rhs, thm.assumptions), lambda: thm, SEARCH)


@pytest.mark.parametrize("name", [
    "OURS:R4.c", "BB:LC.9 for X", "Lemma C.9 for X", "Proposition 3.1", "Theorem A", "Corollary C.3",
    "R4.limit says", "by OURS:R4.c", "theorem A", "Prop. 3.1", "R4 (e)",
])  # fmt: skip
def test_a_hypothesis_that_is_named_after_a_result_is_cited_or_argued(name):
    with pytest.raises(
        ProofError, match="is a result: instantiate its theorem, cite it, or give its argument"
    ):
        assume(name, x, "<=", y)
    assert judged(assume(name, x, "<=", y, argument="it is read off")).verdict is Verdict.ARGUED


def test_a_row_is_not_cited_as_a_theorem_of_others():
    with pytest.raises(ProofError, match="is a result"):
        assume("OURS:R4.c", x, "<=", y, cited=True)
    cited = judged(assume("Lemma 2 of Somebody", x, "<=", y, cited=True))
    assert (cited.verdict, cited.cites) == (Verdict.PROVED, ("Lemma 2 of Somebody",))


@pytest.mark.parametrize(
    "name", ["R is orthogonal: |Rv| = |v|", "c1 is at least the constant of Proposition 3.1", "x <= y"]
)
def test_other_hypotheses_need_no_argument(name):
    assert judged(assume(name, x, "<=", y)).verdict is Verdict.PROVED


def test_what_rests_on_an_argued_hypothesis_is_argued():
    near = assume("near", x, "<=", y, argument="first"), assume("far", y, "<=", T, argument="second")
    found = judged(chain(*near))
    assert (found.verdict, found.weakest, found.argument) == (Verdict.ARGUED, Verdict.PROVED, "first; second")


def test_no_rule_forgets_the_argument():
    mean = bind("mean", (k,), f(k) ** 2)
    small = assume("small", mean, "<=", x, argument="so it is")
    of_task = Function("f_w", (Sort.TASK, Sort.TOKEN), Fraction(2))
    each = at_task(small, w, {f: of_task, x: Function("s", (Sort.TASK,), Fraction(1))(w) ** 2})
    assert judged(integrate("task", (w,), each)).argument == "so it is"
    path = Function("p", (Sort.TIME,), Fraction(1))(t)
    horizon = assume("times up to T", CLOCK(t), "<=", T, every=(t,))
    bounded = arithmetic(
        path, "<=", y + x, assume("p is small", path, "<=", y, every=(t,), argument="as shown"), horizon
    )
    assert judged(bounded).argument == "as shown"
    assert judged(read_up_to(T, bounded, horizon)).argument == "as shown"
