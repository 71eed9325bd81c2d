"""A formula whose parts are read once each is the formula as the library reads it whole."""

from html import unescape
from xml.etree.ElementTree import tostring

from hypothesis import given
from hypothesis import strategies as st
from latex2mathml.converter import convert_to_element

from tests.refusing import refusals
from theory.shown.formulas import LatexError, tree

_LETTERS = st.sampled_from(
    ["a", "B", r"\alpha ", "(x)", "+", "=", r"\,", r"\langle x,y\rangle ", r"\{z\}", "7+", r"\log ", "f'"]
)
_SHAPES = (
    *(r"\frac{%s}{%s}", r"\dfrac {%s} {%s}", r"\sqrt{%s}+{%s}", r"\sqrt[3]{%s}%s", r"a_{%s}^{%s}", "%s%s"),
    *(r"\sum_{%s}^{%s}", "{%s}^{%s}", r"\mathbf{%s}\hat{%s}", r"{\rm %s}%s", r"\mathit{%s\frac{%s}{c}}"),
    *(r"\mathcal{W_{%s}^{%s}}", r"{\bf a}_{%s}%s", r"\left(%s\right)_{%s}", r"\underbrace{%s}_{%s}"),
    *(r"\text{where}%s%s", r"\begin{pmatrix}%s&%s\\e&f\end{pmatrix}", r"\text{of _ these}%s%s"),
    *(r"\mit{x_{%s}%s}", r"{\mit 2_{%s}%s}", r"\displaystyle %s\frac{%s}{d}"),
)
_filled = lambda inner: st.builds(lambda s, a, b: s % (a, b), st.sampled_from(_SHAPES), inner, inner)
_FORMULAS = st.recursive(_LETTERS, _filled, max_leaves=12)


def _said(row):
    for e in row.iter():
        e.text = unescape(e.text or "")
    return tostring(row, encoding="unicode")


@given(_FORMULAS)
def test_parts_read_for_themselves_change_nothing(latex):
    try:
        whole = _said(convert_to_element(latex)[0])
    except Exception:  # the library raises whatever happens
        whole = ""
    for _ in range(2):  # a part that was read before is as good as one that is new
        try:
            assert _said(tree(latex)) == whole
        except LatexError:
            assert not whole


WRONG = (r"a_{b+c+d+e+\unknown}", r"\frac{a+b+c+d}{x_y_z+w+v+u}", r"\sqrt{a & b & c & d}", r"a^{b+c+\\d+e}")
test_an_error_in_a_part_is_one_of_the_formula = refusals(
    *((latex, "known|cannot read") for latex in WRONG), error=LatexError, of=tree
)


def test_what_a_caller_changes_is_its_own():
    first = tree(r"a_{b+c+d+e+f}")
    for e in first.iter():
        e.text = "changed"
    assert "changed" not in _said(tree(r"a_{b+c+d+e+f}"))


def test_each_element_is_drawn_once_and_after_its_parts():
    def draw(e):
        e.set("parts", " ".join(part.get("parts", "missing") for part in e) + "." if len(e) else "0")
        e.set("times", e.get("times", "") + "x")

    for _ in range(2):
        row = tree(r"\frac{a+b+c+d}{\sqrt{e_{f+g+h+i+j}+k}}", draw)
        assert {e.get("times") for e in row.iter()} == {"x"}
        assert "missing" not in tostring(row, encoding="unicode")
