"""``largeprompt figures`` on made-up measurements: what is judged, written and told."""

from dataclasses import replace
from pathlib import Path

import pytest

from numerics.evidence import Evidence, Verdict
from numerics.experiments.boursier_boyer.failed_runs import failed
from numerics.experiments.boursier_boyer.plan import Plan
from numerics.training.result import has_failed
from proofs_check.boursier_boyer.experiments.curves import backtracking, spread
from proofs_check.boursier_boyer.experiments.risk import linear_excess
from proofs_check.boursier_boyer.experiments.section_6 import completing_the_square
from proofs_check.boursier_boyer.experiments.training import anisotropic_covariance
from proofs_check.core import experiments
from proofs_check.core.claim import Claim
from proofs_check.core.ledgers.files import read_ledger
from proofs_check.reports.cli import main
from tests.numerics.experiments.synthetic import measurements
from theory.regression.task import RegressionTask

MEASURE = "numerics.experiments.boursier_boyer.run_plan.measure"
SEEN = Evidence(verdict=Verdict.SUPPORTED, engine="examples", covered="seen in the full runs", control=None)
NO = Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness={"x": 1}, witness_by="exact")
UNDECIDED = Evidence(verdict=Verdict.OPEN, engine="examples", reason="too few runs")


def made_up(outcome, *, open="reduced runs cannot tell"):
    """A claim that is open on the reduced runs, and comes out like this on those that are given."""

    def check(*, measured=None):
        """The curve is erratic."""
        return outcome if measured else UNDECIDED

    return Claim(id="BB:A.fig7", check=check, open=open)


@pytest.fixture
def pages(monkeypatch):
    """What was handed to the page; nothing is trained or drawn, and of the claims there are two."""
    found = []
    monkeypatch.setattr(MEASURE, lambda plan, **how: measurements(experiments.reduced_plan()))

    def page(*arguments, **how):
        found.append(arguments)
        return Path(arguments[2]) / "index.html"

    monkeypatch.setattr("proofs_check.reports.figures.boursier_boyer.page.write_page", page)
    known = (anisotropic_covariance, made_up(SEEN.replace(control=NO)), completing_the_square)
    claims = {c.id: c for c in known}
    monkeypatch.setattr(experiments, "load_claims", lambda: claims)
    return found


def test_the_sentences_are_judged_on_the_runs_given(pages, tmp_path, capsys):
    assert main(["figures", "--paper", "BB", "--out", str(tmp_path)]) == 0
    ledger = read_ledger(tmp_path / "ledger")
    # Only experiments; what is declared open for the reduced runs may be decided by the full ones.
    decided = [("BB:A.2", "SUPPORTED"), ("BB:A.fig7", "SUPPORTED")]
    assert [(c["id"], c["verdict"]) for c in ledger["claims"]] == decided
    assert ledger["run"]["partial"] is True
    assert [(id, verdict) for id, _, verdict, _ in pages[0][1]] == decided
    told = capsys.readouterr().out
    assert "measured in 12 min 34 s" in told
    assert "covariance Σ_(i,j) = 0.5^(|i−j|)." in " ".join(told.split())
    assert told.count("  SUPPORTED: ") == 2


def test_a_sentence_that_comes_out_otherwise_is_told(pages, tmp_path, monkeypatch, ran):
    monkeypatch.setattr(experiments, "load_claims", lambda: {"BB:A.fig7": made_up(NO)})
    captured = ran(1, "figures", "--paper", "BB", "--out", tmp_path, "--quiet")
    assert captured.out == ""
    assert "BB:A.fig7: as printed it came out REFUTED" in captured.err


def test_some_figures_alone_are_not_judged(pages, tmp_path):
    assert main(["figures", "--paper", "BB", "--out", str(tmp_path), "--only", "2,6"]) == 0
    assert pages[0][1] == []
    assert not (tmp_path / "ledger").exists()


def test_quick_and_full_are_other_plans_and_say_so(pages, tmp_path, monkeypatch, capsys, ran):
    asked = []

    def measure(plan, **how):
        asked.append(plan)
        return measurements(experiments.reduced_plan())

    monkeypatch.setattr(MEASURE, measure)
    for options in ([], ["--full"], ["--quick"], ["--quick", "--only", "2"]):
        capsys.readouterr()
        told = ran(0, "figures", "--paper", "BB", "--out", tmp_path, *options).out
        assert ("left out, against --full: " in told) == (options != ["--full"])
        assert ("14 of 19 prompt lengths" in told) == ("--quick" in options)
    assert asked == [Plan.usual(), Plan.full(), Plan.quick(), Plan.quick().only(2)]
    # A quick measurement judges nothing.
    assert [bool(claims) for _, claims, _ in pages] == [True, True, False, False]
    assert main(["figures", "--paper", "BB", "--out", str(tmp_path), "--quick", "--seeds", "3"]) == 2
    assert "--quick has one seed; leave out --seeds 3, or --quick" in capsys.readouterr().err


def test_ctrl_c_says_how_to_go_on(tmp_path, monkeypatch, ran):
    def interrupted(plan, **how):
        raise KeyboardInterrupt

    monkeypatch.setattr(MEASURE, interrupted)
    assert "give the same command again" in ran(130, "figures", "--paper", "BB", "--out", tmp_path).err


@pytest.mark.parametrize(
    "wrong",
    [["--only", "0"], ["--only", "two"], ["--seeds", "0"], ["--threads", "-1"]],
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(SystemExit) as stopped:
        main(["figures", "--paper", "BB", *wrong])
    assert stopped.value.code == 2


def test_a_page_of_somebody_else_is_not_overwritten(tmp_path, monkeypatch, capsys):
    plan = replace(experiments.reduced_plan(), figures=(1,), variants=("as written",))
    monkeypatch.setattr(MEASURE, lambda *arguments, **how: measurements(plan))
    again = ["figures", "--paper", "BB", "--out", str(tmp_path / "ours"), "--only", "1", "--quiet"]
    assert main(again) == main(again) == 0
    (tmp_path / "index.html").write_text("mine")
    assert main(["figures", "--paper", "BB", "--out", str(tmp_path), "--only", "1"]) == 2
    why = "is no page of this command, and would be overwritten; choose another --out"
    assert why in capsys.readouterr().err
    assert (tmp_path / "index.html").read_text() == "mine"


def test_measures_of_irregularity():
    assert backtracking([1, 2, 5]) == 0
    assert backtracking([0, 4, 2, 4, 3]) == pytest.approx(3 / 4)
    steps = [10**k for k in range(6)]
    at_once, in_stages = [1, 1, 1, 0, 0, 0], [1, 0.8, 0.6, 0.4, 0.2, 0]
    assert spread(steps, at_once) == 0 < spread(steps, in_stages)


def test_the_closed_form_is_the_limit_of_the_flow():
    from numerics.regression.flow.end_point import trained
    from theory.regression.experiment import COVARIANCES, VARIANTS

    task = RegressionTask(COVARIANCES["anisotropic"], noise=0.1, task_variance=0.2)
    drawn = VARIANTS["as coded"].drawn(task)
    end = trained(drawn, 20, attention="linear")
    excess = float(linear_excess(drawn.Sigma, drawn.query_covariance, 20))
    assert excess == pytest.approx(end.risk - 0.05, rel=1e-10)


def test_claims_and_figures_call_the_same_runs_failed():
    found = measurements(experiments.reduced_plan())
    null = found.noise_level + 1 / 2
    for key, (risk, _) in found.final.items():
        for worse in (0.0, 0.015, 0.03, 0.06):
            moved = replace(found, final={key: (risk + worse, 0.0)})
            assert failed(moved, *key) == has_failed(risk + worse, found.exact[key[:4]], null)


def test_sentences_of_the_page_name_no_parameter_of_their_checks():
    """What only the checks call power = 1 or `stable` is said in words."""
    from inspect import signature

    from proofs_check.core.judging import load_claims

    of_LDL = ("LDL:Sec6", "LDL:A.")
    judged = [c for c in load_claims().values() if experiments.is_experiment(c.id) or c.id.startswith(of_LDL)]
    assert len(judged) > 10
    for claim in judged:
        told = (claim.check.__doc__ or "").split("\n\n")[0]
        for name in signature(claim.check).parameters:
            assert f"`{name}`" not in told, claim.id
            assert f"{name} = " not in told, claim.id
            assert f"{name} times" not in told, claim.id
