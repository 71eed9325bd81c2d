"""The witness scripts need nothing of ours, break what was printed, and agree with the claims."""

from collections import Counter

import pytest

from proofs_check.core.judging import load_claims
from proofs_check.papers.witnesses import MOST_LINES, Output, differing, faults, run, script, scripts, slug

FALSE = sorted(id for id, claim in load_claims().items() if claim.false)


def test_every_false_claim_of_a_paper_has_a_script():
    assert not [id for id in FALSE if script(id) is None]


def test_every_script_belongs_to_a_false_claim():
    names = Counter(slug(id) for id in load_claims())
    assert not [name for name in scripts() if names[name] != 1]
    assert not set(scripts()) - {slug(id) for id in FALSE}


@pytest.mark.parametrize("name", scripts())
def test_a_script_is_short_and_breaks_what_was_printed(name, outputs):
    assert not faults(scripts()[name])
    assert outputs[name].error == ""
    assert outputs[name].printed.strip()


@pytest.fixture(scope="module")
def found(release):
    """The evidence of each claim in the ledger of the release."""
    return {c["id"]: c["evidence"] for c in release["claims"]}


@pytest.mark.parametrize("id", [id for id in FALSE if script(id)])
def test_script_and_claim_have_the_same_witness(id, found, outputs):
    """Of a run just made, `largeprompt errata` asks the same before it writes a line."""
    text, sampled = script(id), found[id]["witness_by"] == "statistics"
    assert found[id]["witness"]
    assert not differing(found[id]["witness"], text, outputs[slug(id)].printed, sampled=sampled)


def test_ours_cannot_be_reached():
    reach = {
        "plain": "import theory",
        "inner": "import numpy\nfrom numerics.evidence import Evidence",
        "behind": "__import__('theory.bounds.concentration')",
        "late": "import numpy\n__builtins__['__import__']('proofs_check')",
        "alien": "import flint",
    }
    outcome = run(reach)
    assert all(o.error.startswith("ImportError") for o in outcome.values()), outcome


def test_an_assertion_that_fails_is_seen():
    wrong = "print(1)\nassert 1 > 2, 'no violation'"
    outcome = run({"no": wrong, "quit": "raise SystemExit(0)", "yes": "print(3)"})
    assert (outcome["no"].printed, outcome["no"].error) == ("1\n", "AssertionError: no violation")
    assert outcome["quit"].error.startswith("SystemExit")
    assert (outcome["yes"].printed, outcome["yes"].error) == ("3\n", "")


def test_a_script_that_loops_is_stopped():
    with pytest.raises(RuntimeError, match="for ever took more than 1 s of processor time"):
        run({"short": "print(1)", "for ever": "while True: pass"}, seconds=1)


def test_a_script_whose_process_breaks_is_named():
    with pytest.raises(RuntimeError, match="breaks stopped with status 3"):
        run({"breaks": "__builtins__['__import__']('os')._exit(3)"})


def test_no_script_sees_what_another_did():
    sets = "import numpy, mpmath\nnumpy.set_printoptions(precision=2)\nmpmath.mp.dps = 40\nprint(1)"
    reads = "import numpy, mpmath\nprint(numpy.array([1 / 3]), mpmath.mp.dps)"
    told = []
    outcome = run({"sets": sets, "reads": reads}, advance=lambda done, total, *_: told.append((done, total)))
    assert outcome["reads"] == run({"reads": reads})["reads"] == Output("[0.33333333] 15\n")
    assert told == [(1, 2), (2, 2)]


def test_what_is_no_witness_script_is_named():
    text = "\n".join(["import os", "from . import x", *["x = 1"] * MOST_LINES])
    told = "; ".join(faults(text))
    for word in (f"{MOST_LINES + 2} lines", "imports ., os", "prints nothing", "no assert"):
        assert word in told
    assert "no Python" in faults("print(")[0]
    assert "it calls eval" in faults("print(1)\nassert eval('1')")


def test_numbers_are_compared_where_there_are_any():
    witness = {"law": "Rademacher", "L": 3, "delta": "1/5", "P": 0.25, "flag": True}
    assert differing(witness, "L, delta = 3, Fraction(1, 5)", "0.2501") == []
    assert differing(witness, "L, delta = 2, 1 / 5", "0.26") == ["L = 3", "P = 0.25"]
    assert differing({"x": "-3/2"}, "x = -3 / 2", "") == []
