"""A folder of lemmas needs no Python: claims as text are judged as any other."""

import json
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import pytest

from numerics.evidence import Verdict
from numerics.terminal.inputs import InputError
from proofs_check.core.claim import REGISTRY
from proofs_check.core.judging import load_claims
from proofs_check.core.text_claims import claims_beside
from proofs_check.papers import registered
from proofs_check.papers.statements import add_folder
from proofs_check.reports.cli import main

pytest_plugins = "pytester"

PAPER = '[paper]\nkey = "TX"\ntitle = "On text"\n'
ROW = """
[[row]]
id = "TX:{id}"
where = "Lemma {number}"
kind = "INT"
says = 'Words.'
printed = 'x'
[[row.claim]]
id = "TX:{id}"
"""
TRUE = """statement = "cosh(x) <= exp(c*x^2) for real x"
numbers = {c = "1/2"}
sharp = "c"
"""
FALSE = """statement = "u^2/(2 + c*u) <= (1+u)*ln(1+u) - u for u >= 0"
numbers = {c = "1/3"}
repair = {c = "2/3"}
sharp = "c"
false = "false"
costs = "constants"
why = "A factor is lost."
instead = "It holds with $\\\\frac23u$."
"""


@pytest.fixture(autouse=True)
def nothing_stays_registered():
    with patch.dict(registered._named), patch.dict(REGISTRY):
        yield
    registered._forget()


def written(folder, *claims):
    """A folder with these claims, a row each."""
    rows = [ROW.format(id=f"L{n}", number=n) + text for n, text in enumerate(claims, 1)]
    path = Path(folder) / "statements.toml"
    path.write_text(PAPER + "".join(rows), encoding="utf-8")
    return path


def read(folder, *claims):
    path = written(folder, *claims)
    add_folder(path.parent)
    return claims_beside(path)


def test_the_folder_is_judged_shown_and_told(pytester, capsys):
    folder = pytester.mkdir("mine")
    written(folder, TRUE, FALSE)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest", str(folder))
    result.assert_outcomes(passed=2)
    first, second = json.loads((folder / "build" / "ledger.json").read_text())["claims"]
    assert (first["verdict"], second["verdict"], second["repair"]["verdict"]) == (
        "CERTIFIED",
        "REFUTED",
        "CERTIFIED",
    )
    assert second["line"] == f"mine/statements.toml:{_line_of(folder, 'u^2/')}"
    assert first["control"]["verdict"] == "REFUTED"
    assert main(["show", "L2", "--papers", str(folder)]) == 0
    assert "A factor is lost" in capsys.readouterr().out
    assert main(["show", "L1", "--papers", str(folder), "--set", "c=1/3"]) == 0
    assert "REFUTED" in capsys.readouterr().out


def _line_of(folder, words):
    lines = (folder / "statements.toml").read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if words in line)


def test_a_claim_of_text_is_called_with_other_numbers(tmp_path):
    (made,) = read(tmp_path, TRUE)
    assert made.numbers == {"c": Fraction(1, 2)}
    assert made().verdict.executed
    assert made(c=Fraction(49, 100)).verdict is Verdict.REFUTED
    with pytest.raises(TypeError, match="no number called d"):
        made(d=1)
    assert load_claims((add_folder(tmp_path),))["TX:L1"].numbers == made.numbers


def test_hypotheses_and_a_robust_witness_come_from_the_text(tmp_path):
    (made,) = read(tmp_path, FALSE)
    assert made.hypotheses == ("0 <= u",)
    assert made.robust.faults() == []
    assert set(made.robust.shown()) == {"u"}


def test_a_robust_witness_may_be_given(tmp_path):
    (given,) = read(tmp_path, FALSE + 'robust = {u = "3/2"}\n')
    assert given.robust.shown() == {"u": "3/2"}


def test_a_statement_that_fails_at_one_point_only_is_not_called_false(tmp_path):
    edge = FALSE.replace("u^2/(2 + c*u) <= (1+u)*ln(1+u) - u for u >= 0", "0 < c*(u-1)^2 for u >= 0")
    (made,) = read(tmp_path, edge)
    assert "fails no longer" in made.robust.faults()[0]


def test_a_true_statement_that_is_called_false_has_no_witness(tmp_path):
    (made,) = read(tmp_path, FALSE.replace('"1/3"', '"2/3"'))
    assert made.robust.faults()


def test_a_check_that_cannot_fail_is_found_out(pytester):
    folder = pytester.mkdir("mine")
    written(folder, 'statement = "x <= x + 1 for real x"\n')
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", str(folder))
    result.assert_outcomes(failed=1)


AN_EQUATION = FALSE.replace("u^2/(2 + c*u) <= (1+u)*ln(1+u) - u for u >= 0", "u = 3*c*u + c for u > 0")
WITHIN = FALSE.replace("u^2/(2 + c*u) <= (1+u)*ln(1+u) - u for u >= 0", "u <= c for u > 0 given HYPOTHESIS")


def test_an_equation_fails_robustly_on_either_side(tmp_path):
    (made,) = read(tmp_path, AN_EQUATION)
    assert made.robust.faults() == []


@pytest.mark.parametrize(
    ("hypothesis", "point", "fine"),
    [
        *(("log(u) <= 0", "2/3", True), ("log(u) <= 0", "3", False)),
        *(("cosh(u) <= 2", "2/3", True), ("cosh(u) <= 2", "3", False)),
        *(("log(u - 1) <= 0", "3/2", True), ("log(u - 1) <= 0", "1/2", False)),
    ],
)
def test_a_robust_witness_meets_every_hypothesis_of_the_text(tmp_path, hypothesis, point, fine):
    """Also one that the words of `hypotheses` do not read, or that is undefined at the point."""
    (made,) = read(tmp_path, WITHIN.replace("HYPOTHESIS", hypothesis) + f'robust = {{u = "{point}"}}\n')
    assert (made.robust.faults() == []) is fine


REFUSED = {
    FALSE.replace("for u >= 0", "for u >= 0 for some C").replace(
        "(2 + c*u)", "(2 + C*u)"
    ): "is not one relation",
    FALSE.replace("u^2/(2 + c*u) <= (1+u)*ln(1+u) - u for u >= 0", "1 <= c"): "is not one relation",
    FALSE.replace("u^2/(2 + c*u)", "sum(c, k = 1..u)").replace(
        "u >= 0", "whole u >= 1"
    ): "is not one relation",
    TRUE.replace('"1/2"', '"1e999999999"'): "exact numbers",
    'statement = "x <= 1"\n': "nothing says what x is",
    "statement = 3\n": "text",
    TRUE.replace('"1/2"', "0.5"): "exact numbers",
    TRUE.replace('"1/2"', '"half"'): "is no number",
    TRUE.replace("sharp", "dull"): "has 'dull'",
    TRUE.replace('sharp = "c"', 'sharp = "d"'): "no number called 'd'",
    TRUE + 'control = {d = "1"}\n': "no number called 'd'",
    FALSE.replace('costs = "constants"', ""): "costs=",
    FALSE + 'robust = {v = "1"}\n': "robust names v",
    'numbers = {c = "1/2"}\n': "has 'numbers'",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_wrong_with_a_claim_is_said_in_a_line(tmp_path, text):
    with pytest.raises(InputError, match=REFUSED[text]):
        read(tmp_path, text)
