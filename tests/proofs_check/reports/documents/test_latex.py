"""LaTeX as MathML: every formula of the papers is read, and what is unknown is an error."""

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import proofs_check
from proofs_check.papers.statements import rows
from proofs_check.reports.documents.latex import FORMULA, LatexError, block, inline, words


def seen(markup):
    """What a reader sees of markup."""
    return "".join(ElementTree.fromstring(f"<div>{markup}</div>").itertext())


def excluded():
    files = sorted(Path(proofs_check.__file__).parent.rglob("statements.toml"))
    read = (tomllib.loads(f.read_text(encoding="utf-8")) for f in files)
    return [e["printed"] for data in read for e in data.get("excluded", [])]


@pytest.mark.parametrize("id", rows())
def test_every_printed_statement_is_typeset(id):
    text = seen(block(rows()[id].printed))
    assert text.strip()
    assert not re.search(r"\\|[{}]\s*\\|\bmathbb|\bfrac|\bbegin", text)


@pytest.mark.parametrize("id", [r.id for r in rows().values() if r.proof])
def test_every_formula_of_a_proof_is_typeset(id):
    found = list(FORMULA.finditer(rows()[id].proof))
    assert all("\\" not in seen(block(f["block"]) if f["block"] else inline(f["inline"])) for f in found)
    assert "$" not in FORMULA.sub("", rows()[id].proof)


def test_displays_that_are_no_row_are_typeset():
    assert all("\\" not in seen(block(text)) for text in excluded())


WRONG = [
    *(r"\unknown", r"a_b_c", r"{a", r"a}", r"\left( a", r"\right)", r"a & b", r"a \\ b", r"\frac{a}"),
    *(r"\sqrt", r"\not x", "a # b", "%", r"\begin{aligned}a", r"\begin{tikzpicture}\end{tikzpicture}"),
    *(r"\begin{matrix}a\end{pmatrix}", r"\text{\unknown}", r"\left\alpha b\right)"),
    *(r"\href{https://example.org}{a}", r"\unicode{C}"),
]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_or_unknown_is_an_error(wrong):
    with pytest.raises(LatexError):
        block(wrong)


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("x_k^2", "<msubsup><mi>x</mi><mi>k</mi><mn>2</mn></msubsup>"),
        (r"\tfrac12", '<mstyle displaystyle="false"><mfrac><mn>1</mn><mn>2</mn></mfrac></mstyle>'),
        (r"\frac1d", "<mfrac><mn>1</mn><mi>d</mi></mfrac>"),
        (r"\mathbb{R}^d", "<msup><mi>ℝ</mi><mi>d</mi></msup>"),
        ("3.25", "<mn>3.25</mn>"),
        ("L^12", "<msup><mi>L</mi><mn>1</mn></msup><mn>2</mn>"),
        (r"{\rm err}", '<mrow><mi mathvariant="normal">err</mi></mrow>'),
        (r"\mathrm{d}", '<mrow><mi mathvariant="normal">d</mi></mrow>'),
        ("2pt", "<mn>2</mn><mrow /><mi>p</mi><mi>t</mi>"),
        ("a<b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
    ],
)
def test_trees(source, tree):
    assert inline(source) == f"<math>{tree}</math>"


def test_an_index_at_a_bracket_stands_as_high_as_at_a_letter():
    """A browser lowers an index by what hangs below the line, which of a bracket is much."""
    for source in (r"\|U\|_{2}", "(x)_{2}^{3}", "|x|_{2}", "[x]_{2}"):
        base = re.search(r"<msub(?:sup)?>(.*?)<mn>2", inline(source))
        assert base[1].startswith('<mpadded depth="0"><mo')
    assert "mpadded" not in inline(r"x_{2} + \|U\|^{2}")


def test_a_sign_in_front_of_a_term_is_not_binary():
    assert '<mo form="prefix"' in inline("-a")
    assert '<mo form="prefix"' in inline("a = -b")
    assert "<mo>−</mo>" in inline("a - b")


@pytest.mark.parametrize("name", [r"\max", r"\liminf", r"\sum"])
def test_limits_stand_below_their_operator(name):
    assert "<munder>" in inline(name + "_{k} a_k")


def test_words_in_a_statement_are_words_of_the_page():
    made = block(r"\begin{aligned}&\text{Then for any }\delta\in(0,1),\\ &a \leq b\end{aligned}")
    assert "Then for any <math" in made
    assert made.count('class="line') == 2


def test_numbers_in_words_stay_in_words():
    assert "Assumption 4.2 holds" in block(r"\text{Assumption 4.2 holds}")


def test_aligned_signs_stay_aligned():
    assert "<mtable" in block(r"\begin{aligned}a&=b\\&=c\end{aligned}")


@pytest.mark.parametrize("inside", [r"a&=b\\&=c", r"&\text{if }a\\&b"])
@pytest.mark.parametrize("stop", [",", "."])
def test_a_stop_behind_aligned_lines_is_kept(inside, stop):
    assert seen(block(rf"\begin{{aligned}}{inside}\end{{aligned}}{stop}")).endswith(stop)


def test_columns_of_an_array_keep_their_sides():
    made = ElementTree.fromstring(block(r"\begin{array}{l|cr}a&b&c\end{array}"))
    assert [cell.get("columnalign") for cell in made.iter("mtd")] == ["left", "center", "right"]


def test_a_long_formula_may_break():
    assert block(" + ".join(["a_{k} b_{k} c_{k}"] * 30)).count("<math") > 3


def test_nothing_in_words_is_markup():
    made = words("<b>bold</b> & $a<b$ costs \\$3")
    assert "<b>" not in made
    assert "&lt;b&gt;" in made
    assert seen(made) == "<b>bold</b> & a<b costs $3"


@settings(deadline=None)
@given(st.text(alphabet="ab1_^{}\\<>&'\" $()|,=+-~%\n", max_size=30))
def test_any_text_gives_well_formed_markup_or_an_error(text):
    for make in (block, inline, words):
        try:
            made = make(text)
        except LatexError:
            continue
        ElementTree.fromstring(f"<div>{made}</div>")
