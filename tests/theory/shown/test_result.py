"""Results in a terminal and in Jupyter: short, escaped, typeset."""

from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

from theory.shown.result import Drawn, brief, few, in_a_line, mathml, words


class Rude(Drawn):
    """A result whose every text is markup."""

    FORMULAS = frozenset({"formula", "broken"})

    def heading(self):
        return "<script>alert(1)</script> of $x<y$"

    def table(self):
        return [["<b>", "b"], *few([[str(i), "&"] for i in range(50)])]

    def rows(self):
        typeset = [("formula", r"\frac{1}{L}"), ("broken", r"\frac{<u>")]
        return [("<i>", "<img src=x>"), *typeset, ("covered", r"1 < 2; L \in \{1\}")]


def test_a_page_is_well_formed_and_holds_no_markup_of_a_result():
    page = Rude()._repr_html_()
    tags = {e.tag for e in fromstring(f"<div>{page}</div>").iter()}
    assert not tags & {"script", "b", "i", "img", "u"}
    assert {"table", "math", "mfrac", "code"} <= tags


def test_a_page_and_a_text_are_short():
    assert Rude()._repr_html_().count("<tr>") == 1 + 5 + 4
    assert len(repr(Rude()).splitlines()) == 1 + 6 + 4


def test_formulas_within_words_are_typeset_and_their_commands_gone():
    assert "<math>" in words(r"for $\delta\leq1$")
    assert "\\" not in words(r"for $\delta\leq1$")
    assert mathml(r"\text{<b>}").count("&lt;b&gt;") == 1
    assert "“so”" in mathml(r"\text{``so''}f''")  # and two primes are no quotation mark
    assert "”" not in mathml("f''")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.array([1.0, np.nan, 2.0, 3.0, np.inf]), "5 values from 1 to 3, 2 of them not finite"),
        (np.full(9, np.nan), "9 values, 9 of them not finite"),
        (np.array([]), "[]"),
        (np.zeros((0, 3)), "0 x 3 array"),
        (np.array(2.5), "2.5"),
        (np.array(["a", "b"]), "2 values"),
        (list(range(1000)), "1000 entries"),
        ({"a": 1}, "1 entry"),
    ],
)
def test_values_in_a_few_words(value, said):
    assert brief(value) == said


def test_a_named_tuple_in_a_line():
    from numerics.training import Parameters

    assert repr(Parameters(*np.zeros((4, 300, 7, 7)))).count("300 x 7 x 7 array") == 4
    assert in_a_line(Parameters(*np.zeros((4, 2, 2)))).startswith("Parameters(O=2 x 2 array, ")
