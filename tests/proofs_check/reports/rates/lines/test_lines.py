"""What the reports of several papers share: lines, exponents, formulas and refused options."""

import argparse
from pathlib import Path

import numpy as np
import pytest

from numerics.evidence import Verdict
from numerics.terminal.inputs import InputError
from proofs_check.reports.rates.cli import add_rates
from proofs_check.reports.rates.lines.line import judged, tell
from proofs_check.reports.rates.lines.page import formula, raised
from proofs_check.reports.rates.lines.slopes import exponent
from proofs_check.reports.rates.papers import REPORTS, refuse_other_options


def test_the_exponent_of_a_power_and_of_what_is_none():
    x = 2.0 ** np.arange(4)
    assert exponent(x, 3 * x**1.5) == pytest.approx((1.5, 1.5, 1.5))
    bent = exponent(x, x**2 + 10 * x)
    assert 1 < bent.low < bent.value < bent.high < 2


@pytest.mark.parametrize(
    ("verdict", "contradicted"), [("REFUTED", True), ("SUPPORTED", False), (Verdict.ARGUED, False)]
)
def test_a_line_holds_if_a_law_is_contradicted_just_where_the_ledger_refutes_it(
    verdict, contradicted, capsys, monkeypatch
):
    monkeypatch.setattr("proofs_check.reports.rates.lines.line.verdicts", lambda: {"X": verdict})
    good, bad = (judged("X", "law", "so", c, printed=True) for c in (contradicted, not contradicted))
    assert good.holds
    assert not bad.holds
    assert tell([good], Path("p"), quiet=True) == 0
    assert tell([good, bad], Path("p"), quiet=False) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("false" if verdict == "REFUTED" else "holds")
    expected = [f"FAILS  law: so [X: {verdict}]", "1 of 2 lines come out as the ledger declares; report in p"]
    assert told[1:] == expected


def test_formulas_are_escaped_and_typeset():
    assert formula("w^* <b> Lambda^(2/(d+3))") == "w* &lt;b&gt; Λ<sup>2/(d+3)</sup>"
    assert formula("K^(2(d+2)/(d(d+4))) a") == "K<sup>2(d+2)/(d(d+4))</sup> a"
    assert raised("10^13") == "10¹³"


def test_every_option_belongs_to_one_report_or_to_all():
    parser = argparse.ArgumentParser()
    add_rates(parser.add_subparsers())
    known = vars(parser.parse_args(["rates"]))
    owned = [name for names in REPORTS.values() for name in names]
    assert len(owned) == len(set(owned))
    assert {*known} - {*owned} == {"paper", "seed", "out", "quiet", "format", "run", "interrupted"}
    for paper, names in REPORTS.items():
        for name in names:
            # What has another default would be taken for given.
            assert known[name] is None
            for other in REPORTS:
                given = argparse.Namespace(**{**known, "paper": other, name: "7"})
                if other == paper:
                    refuse_other_options(given)
                else:
                    says = f"belongs to --paper {paper}; with --paper {other} leave it out"
                    with pytest.raises(InputError, match=says):
                        refuse_other_options(given)
