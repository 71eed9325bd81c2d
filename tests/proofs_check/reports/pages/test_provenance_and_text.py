"""What pages say of their origin, and how they write numbers and formulas."""

import getpass
import json
import platform

from proofs_check.reports.pages.provenance import provenance
from proofs_check.reports.pages.text import marked, sci


def test_provenance_is_neutral_and_can_be_fixed(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    found = provenance("largeprompt rates", 1.23)
    assert found["date"] == "1970-01-02 00:00 UTC"
    assert set(found["versions"]) >= {"python", "numpy", "scipy", "sympy", "numba", "largeprompt"}
    text = json.dumps(found)
    assert platform.node() not in text
    assert f"/{getpass.getuser()}" not in text


def test_exponents_are_raised_and_signs_escaped():
    assert marked("A (ln L)^0.5 L^-a, k < 1 +- 2") == "A (ln L)<sup>0.5</sup> L<sup>−a</sup>, k &lt; 1 ± 2"


def test_numbers_for_people():
    expected = ["1", "1.235·10⁷", "-3·10⁻⁹", "10¹²", "–"]
    assert [sci(v) for v in (1.0, 12345678.0, -3e-9, 1e12, float("nan"))] == expected
