"""How many exact rows are decided: the rules hold just on the ledgers that keep them."""

from math import ceil

import pytest

from numerics.evidence import Verdict
from proofs_check.core.ledgers.coverage import EXACT, coverage
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.summary import details
from proofs_check.papers.statements import paper, papers, rows
from tests.proofs_check.core.ledgers import document, made_up

SHARP = [id for id, r in rows().items() if r.paper == "BB" and r.kind in EXACT]
RULES = paper("BB")["rules"]
OTHER = [id for id, r in rows().items() if r.paper == "BB" and r.kind not in EXACT]


def claims(verdicts, **changes):
    """The claims of rows with these verdicts; rows of other kinds are proved, if not named."""
    known = dict.fromkeys(OTHER, "PROVED") | verdicts
    return [made_up(id, verdict, **changes) for id, verdict in known.items()]


def test_every_row_decided_keeps_every_rule():
    verdicts = [("PROVED", "CERTIFIED", "REFUTED")[i % 3] for i in range(len(SHARP))]
    reach = coverage(claims(dict(zip(SHARP, verdicts))), "BB")
    broken = [told for told in reach.broken() if "numbered" not in told]  # a refuted one has no repair
    assert (reach.shares, reach.rows, broken) == ((1.0, 1.0), len(SHARP), [])


@pytest.mark.parametrize("rule", ["executed", "decided"])
def test_the_least_shares_of_the_paper_are_the_edge(rule):
    least = ceil(RULES[rule] * len(SHARP))  # the least whole number of rows that is enough
    below = "SUPPORTED" if rule == "decided" else Verdict.ARGUED
    words = "rows are decided by execution alone" if rule == "executed" else "rows are decided, not"
    for enough in (least, least - 1):
        verdicts = {id: "PROVED" if i < enough else below for i, id in enumerate(SHARP)}
        reach = coverage(claims(verdicts, unproved="a limit"), "BB")
        assert any(words in told for told in reach.broken()) is (enough < least)
        assert len(reach.executed) == enough
        assert len(reach.supported if rule == "decided" else reach.argued) == len(SHARP) - enough


def test_what_is_argued_is_decided_but_not_executed():
    reach = coverage(claims(dict.fromkeys(SHARP, Verdict.ARGUED)), "BB")
    assert reach.shares == (0.0, 1.0)
    assert "decided by execution alone" in reach.broken()[0]


def test_a_supported_row_says_why():
    verdicts = dict.fromkeys(SHARP, "PROVED") | {SHARP[0]: "SUPPORTED"}
    silent = coverage(claims(verdicts), "BB")
    assert silent.unexplained == (SHARP[0],)
    assert "unproved=" in silent.broken()[0]
    assert coverage(claims(verdicts, unproved="a limit"), "BB").broken() == []
    assert coverage(claims(verdicts, fragment="d = 1 only"), "BB").broken() == []
    assert coverage(claims(verdicts, unproved=" "), "BB").unexplained == (SHARP[0],)


def test_the_main_claim_counts_and_else_the_weakest_part():
    row = SHARP[0]
    part, inference = made_up(f"{row}/part", "SUPPORTED"), made_up(f"{row}/inference", "REFUTED")
    assert coverage([made_up(row, "PROVED"), part], "BB").executed == (row,)
    assert coverage([made_up(f"{row}/other", "PROVED"), part], "BB").supported == (row,)
    # A refuted inference decides nothing about the statement.
    assert coverage([made_up(row, "SUPPORTED"), inference], "BB").supported == (row,)
    assert row in coverage([inference], "BB").unsettled


def test_open_rows_settle_nothing_and_few_are_allowed():
    half_open = [made_up(SHARP[0], "PROVED"), made_up(f"{SHARP[0]}/end", "OPEN")]
    assert coverage(half_open, "BB").unsettled[0] == SHARP[0]
    for many, broken in ((RULES["open"], False), (RULES["open"] + 1, True)):
        reach = coverage(claims(dict.fromkeys(SHARP, "PROVED") | dict.fromkeys(OTHER[:many], "OPEN")), "BB")
        assert any("rows are open" in rule for rule in reach.broken()) is broken
    with pytest.raises(KeyError, match="no paper has the key"):
        coverage([], "XX")


def test_a_numbered_statement_is_executed_if_every_row_of_it_is_as_repaired():
    """Remarks and steps of a proof do not count."""
    everything = [made_up(id, "PROVED") for id, r in rows().items() if r.paper == "LDL"]
    whole = coverage(everything, "LDL")
    assert not whole.unfinished
    assert {"Theorem 1", "Lemma 4", "Lemma 10"} <= set(whole.numbered)
    assert coverage([], "LDL").unfinished == whole.numbered
    evidence = made_up("LDL:T1", "PROVED")["evidence"]
    repaired, argued = ({"repair": {"verdict": v, "evidence": evidence}} for v in ("CERTIFIED", "ARGUED"))
    for change, done in (
        ({"LDL:T1": made_up("LDL:T1", "REFUTED", **repaired)}, True),
        ({"LDL:T1": made_up("LDL:T1", "REFUTED", **argued)}, False),
        ({"LDL:T1": made_up("LDL:T1", "REFUTED", repair=None)}, False),
        ({"LDL:T1": made_up("LDL:T1/part", "SUPPORTED", covers="LDL:T1", unproved="why")}, False),
        ({"LDL:T1.mono": made_up("LDL:T1.mono", "ARGUED")}, True),
    ):
        told = coverage([change.get(c["id"], c) for c in everything], "LDL")
        assert told.unfinished == (() if done else ("Theorem 1",)), change
    least = paper("LDL")["rules"]["numbered"]
    several = {id for id, r in rows().items() if r.paper == "LDL" and "Lemma" in r.where}
    few = coverage([made_up(c["id"], "ARGUED") if c["id"] in several else c for c in everything], "LDL")
    assert (few.numbered_share < least) is any("numbered statements" in rule for rule in few.broken())
    assert few.numbered_share < least


def test_the_details_of_a_run_have_the_line_of_every_paper():
    read = document()
    told = details(Ledger(read["claims"], run=read["run"]), 500)
    text = "\n".join(piece for pieces in told for piece, _ in pieces)
    for key in papers():
        assert coverage(read["claims"], key).line in text
