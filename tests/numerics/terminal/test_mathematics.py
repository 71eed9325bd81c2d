"""Formulas for a terminal mean what the LaTeX means, and nothing of LaTeX is left."""

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.terminal.mathematics import as_unicode, formula_as_unicode
from proofs_check.core.judging import load_claims
from proofs_check.papers.statements import rows
from theory.shown.formulas import LatexError


@pytest.mark.parametrize(
    ("latex", "spelled"),
    [
        (r"\frac{a}{b}c", "(a/b)c"),
        (r"a\frac{b}{c}", "a·b/c"),
        (r"\frac{a+b}{c d}", "(a + b)/(cd)"),
        (r"a-\frac{-b}{c}", "a − (−b)/c"),
        (r"\frac{1}{\ln L}", "1/(ln L)"),
        (r"\ln\frac{a}{b}", "ln(a/b)"),
        (r"\mathbb{E}_Z\frac{a}{b}", "𝔼_Z(a/b)"),
        (r"\frac{1}{\mathbb{E}[a]}", "1/𝔼[a]"),
        (r"\sqrt{\mathbb{E}[a]}b", "√(𝔼[a])b"),
        (r"\sqrt x y", "√x y"),
        (r"\sqrt{x^2}", "√(x²)"),
        (r"\sqrt x^2", "√x²"),
        (r"\sqrt{(x-y)_+}", "√((x − y)₊)"),
        (r"\sqrt{u_i}", "√uᵢ"),
        (r"\sqrt[3]{ab}", "³√(ab)"),
        (r"e^{-2a^2}", "e^(−2a²)"),
        (r"L^{c_2/\sigma^2}", "L^(c₂/σ²)"),
        (r"x_{n+1}^2+\delta_{\min}", "xₙ₊₁² + δ_min"),
        (r"\hat\mu_L x", "μ̂_L x"),
        (r"\overline{ab}", "a̅b̅"),
        (r"z_k^\top U z'", "zₖᵀUz′"),
        (r"|a|-|b|\leq\|-x\|", "|a| − |b| ≤ ‖−x‖"),
        (r"{\rm MSE}_L=\mathbb E|{\rm err}|^2", "MSE_L = 𝔼|err|²"),
        (r"\sum_{k=1}^{L}\Big\langle q,z_k\Big\rangle", "∑ₖ₌₁ᴸ ⟨q, zₖ⟩"),
        (r"f:\mathbb{R}^d\to\mathbb{R}", "f: ℝᵈ → ℝ"),
        (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "(a, b; c, d)"),
        (r"\begin{cases}a&\text{if }b\\c\end{cases}", "{a if b; c"),
        (r"\underbrace{a+b}_{c}", "(a + b) [c]"),
        (r"x\xrightarrow{L\to\infty}y", "x →^(L→∞) y"),
    ],
)
def test_formulas(latex, spelled):
    assert formula_as_unicode(latex) == spelled


def test_prose_keeps_its_words_and_text_without_dollars_stays():
    assert as_unicode(r"for $\delta/4$, not \$4: $$\sigma\geq 1$$") == "for δ/4, not $4: σ ≥ 1"
    for plain in ("", r"a \leq b_c^2 {x}", "a dollar is no formula", "L >= 1 -> 2 * 3"):
        assert as_unicode(plain) == plain


def test_a_formula_that_cannot_be_read_is_shown_as_it_was_written():
    with pytest.raises(LatexError):
        formula_as_unicode(r"\unknown{a}")
    assert as_unicode(r"so $\unknown{a}$ and $a^2$") == r"so $\unknown{a}$ and a²"


def test_what_claims_and_proofs_say_is_spelled_out():
    texts = [text for c in load_claims().values() for text in (c.why, c.details, c.instead)]
    texts += [text for row in rows().values() for text in (row.says, row.proof)]
    spelled = [as_unicode(text) for text in texts]
    assert [text for text in spelled if re.search(r"[\\$]", text)] == []
    assert [bool(text) for text in spelled] == [bool(text) for text in texts]


#: Sums, products, quotients, powers and roots of numbers: LaTeX, and a value.
WHOLE = st.integers(1, 9).map(lambda n: (str(n), Fraction(n)))
#: By how many numbers they join; a quotient by 0 is none.
LAWS: dict[int, list[Any]] = {
    1: [lambda a: (rf"\left({a[0]}\right)^2", a[1] ** 2)],
    2: [
        lambda a, b: (rf"{a[0]}+{b[0]}", a[1] + b[1]),
        lambda a, b: (rf"{a[0]}-\left({b[0]}\right)", a[1] - b[1]),
        lambda a, b: (rf"\left({a[0]}\right)\cdot\left({b[0]}\right)", a[1] * b[1]),
        lambda a, b: b[1] and (rf"\frac{{{a[0]}}}{{{b[0]}}}", a[1] / b[1]),
    ],
    3: [
        lambda a, b, c: (
            b[1]
            and (rf"\left({a[0]}\right)\frac{{{a[0]}}}{{{b[0]}}}\left({c[0]}\right)", a[1] ** 2 / b[1] * c[1])
        )
    ],
}


def joined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    drawn = [st.tuples(st.sampled_from(laws), *[inner] * n) for n, laws in LAWS.items()]
    return st.one_of(drawn).map(lambda t: t[0](*t[1:])).filter(bool)


NUMBERS = st.recursive(WHOLE, joined, max_leaves=6)


@settings(deadline=None, max_examples=300)
@given(NUMBERS)
def test_what_is_written_has_the_value_of_the_formula(number):
    latex, value = number
    code = formula_as_unicode(latex)
    for spelled, python in (("−", "-"), ("·", "*"), ("²", "**2"), (")(", ")*(")):
        code = code.replace(spelled, python)
    numbers = re.sub(r"(?<!\*)(\d+)", r"Fraction(\1)", code.replace("**2", "**§")).replace("§", "2")
    assert eval(numbers, {"Fraction": Fraction}) == value


@settings(deadline=None)
@given(st.text(alphabet="ab1_^{}\\<>&'\" $()|,=+-~%\n", max_size=30))
def test_any_text_is_spelled_out_or_left(text):
    assert as_unicode(text) == text or "$" in text
