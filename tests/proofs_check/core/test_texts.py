"""What rows and claims say: mathematics is typeset, and every correction begins briefly."""

import re
from inspect import getdoc

import pytest

from numerics.terminal.mathematics import as_unicode
from proofs_check.core.instead import first_sentence
from proofs_check.core.judging import load_claims
from proofs_check.core.severity import LONGEST_REASON
from proofs_check.papers.statements import papers, place, readings_of, rows
from proofs_check.reports.documents.latex import words
from theory.shown.formulas import FORMULA, LatexError

#: What is no prose: formulas, parameters with their values, ids of claims, and labels such as (i).
NO_PROSE = re.compile(
    rf"(?:{FORMULA.pattern})|`[^`]*`(?: = [\w/.-]+)?|\b[A-Z]+:[A-Z\d][\w./]*|\([a-iv]\)", re.DOTALL
)
GREEK = (
    "alpha|beta|gamma|delta|epsilon|theta|kappa|lambda|mu|nu|rho|sigma|tau|phi|Delta|Theta|Lambda|Sigma|Phi"
)
ASCII_MATHEMATICS = re.compile(
    rf"""[<>=^_|*$]|->|\+-                                      # L >= 2, E|x|^2, S_L, U -> 0, +-n
    |[^\W\d_][(\[]|\w'[A-Z]                                     # sqrt(L), E[f], z'Uz
    |\b(?:{GREEK}|sqrt|Gamma(?!\ (?:integral|function|law)))\b  # sigma
    |\d[eE]-?\d                                                 # 1e-3
    |(?<![\w'.:])(?<!Appendix\ )(?<!Theorem\ )[B-HJ-Zb-z](?![\w':]|\.\w)          # the token z""",
    re.VERBOSE,
)
PLANTED = (
    "E|err|^2 <= c_1 sigma^12 ln(L)^2/L^{c_2/sigma^2} for $L\\geq2$.",
    "The bound holds for L >= 2.",
    "The length |x| is small.",
    "The weights are at most sqrt(d).",
    "The mean E[f] is finite.",
    "The score z'Uz is centred.",
    "The constant sigma is at least 1.",
    "Here a->b.",
    "The rate is 1e-3.",
    "The risk falls with L, to a fifth.",
    "The sum S_L is positive.",
    "Here $a$ is half of b.",
    "The price is 3$.",
)
PROSE = (
    r"For $L\geq2$ and `c` = 3/2 the bound (16) of Lemma C.4 (i) holds; see BB:F.2.Zh/fixed, Theorem B.",
    "PyTorch's start, Appendix B, the authors' code at step 30 000, \"as written\": a twentieth, as I said.",
    "The Gamma integral is finite.",
)


def ascii_mathematics(text):
    """The first piece of mathematics that the prose of a text holds."""
    found = ASCII_MATHEMATICS.search(NO_PROSE.sub(" ", text))
    return found[0] if found else ""


def cannot_be_read(text):
    """Why a page or a terminal cannot show a text."""
    try:
        words(text)
        as_unicode(text)
    except LatexError as error:
        return str(error)
    return ""


def in_short(text):
    """What is too long in the first sentence of a correction."""
    sentence = first_sentence(text)
    return f"{len(sentence)} characters: {sentence}" if len(sentence) > LONGEST_REASON else ""


def found(look, texts):
    """All faults that a look at some texts of every registered claim finds."""
    read = ((id, name, text) for id, claim in load_claims().items() for name, text in texts(claim).items())
    return [f"{id} {name}: {fault}" for id, name, text in read if (fault := look(text))]


def summary(claim):
    return {"summary": " ".join((getdoc(claim.check) or "").split("\n\n")[0].split())}


def instead(claim):
    return {"instead": claim.instead}


def everything(claim):
    names = ("why", "details", "instead", "argument", "fragment", "unproved", "open")
    return summary(claim) | {name: getattr(claim, name) for name in names}


def of_row(row):
    """What a row says, and its place; the name of a result of ours may be a letter."""
    return {"says": row.says, "reading": row.reading, "where": row.where.removeprefix(place(row)[1])}


def found_in_rows(look):
    """All faults that a look at the words of every row finds."""
    faults = [(id, name, look(text)) for id, row in rows().items() for name, text in of_row(row).items()]
    read = [r for key in papers() for r in readings_of(key)]
    faults += [(r.id, "reading", look(text)) for r in read for text in (r.place, r.decision, *r.alternatives)]
    return [f"{id} {name}: {fault}" for id, name, fault in faults if fault]


@pytest.mark.parametrize("text", PLANTED)
def test_ascii_mathematics_is_caught(text):
    assert ascii_mathematics(text)


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_let_through(text):
    assert ascii_mathematics(text) == ""


FAULTS = {
    "ASCII mathematics in a summary": lambda: found(ascii_mathematics, summary),
    "ASCII mathematics in the words of a row": lambda: found_in_rows(ascii_mathematics),
    "a formula in the words of a row that cannot be shown": lambda: found_in_rows(cannot_be_read),
    "a formula of a claim that cannot be shown": lambda: found(cannot_be_read, everything),
    "a correction whose first sentence is long": lambda: found(in_short, instead),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_no_text_has(fault):
    assert FAULTS[fault]() == []


def test_what_cannot_be_read_or_is_long_is_caught():
    assert cannot_be_read(r"a formula $\frac{1}$ that is not complete")
    assert in_short("Put $d$ for $x$" + " and so on" * 20 + ". The rest.")
    assert in_short("Put $d$ for $x$. The rest" + " and so on" * 20 + ".") == ""
