"""How many exact rows are decided: the rules hold on ledgers that keep them and break on those that
do not.
"""

from __future__ import annotations

from typing import Any

import pytest

from proofs_check.core.coverage import EXACT, MOST_OPEN, coverage
from proofs_check.core.ledger import Ledger
from proofs_check.core.statements import rows
from proofs_check.core.summary import summary
from tests.proofs_check.core.ledgers import document, made_up

SHARP = [id for id, r in rows().items() if r.paper == "BB" and r.kind in EXACT]
OTHER = [id for id, r in rows().items() if r.paper == "BB" and r.kind not in EXACT]


def claims(verdicts: dict[str, str], **changes: Any) -> list[dict[str, Any]]:
    return [made_up(id, verdict, **changes) for id, verdict in verdicts.items()]


def test_every_row_decided_keeps_every_rule() -> None:
    verdicts = [("PROVED", "CERTIFIED", "REFUTED")[i % 3] for i in range(len(SHARP))]
    reach = coverage(claims(dict(zip(SHARP, verdicts))))
    assert (reach.share, reach.rows, reach.broken()) == (1.0, len(SHARP), [])


def test_nine_tenths_is_the_edge() -> None:
    most = (9 * len(SHARP) + 9) // 10  # the least whole number that is at least nine tenths
    for decided, broken in ((most, False), (most - 1, True)):
        verdicts = {id: "PROVED" if i < decided else "SUPPORTED" for i, id in enumerate(SHARP)}
        reach = coverage(claims(verdicts, unproved="a limit"))
        assert bool(reach.broken()) is broken
        assert len(reach.supported) == len(SHARP) - decided


def test_a_supported_row_says_why() -> None:
    verdicts = dict.fromkeys(SHARP, "PROVED") | {SHARP[0]: "SUPPORTED"}
    silent = coverage(claims(verdicts))
    assert silent.unexplained == (SHARP[0],)
    assert "unproved=" in silent.broken()[0]
    assert coverage(claims(verdicts, unproved="a limit")).broken() == []
    assert coverage(claims(verdicts, unproved=" ")).unexplained == (SHARP[0],)


def test_the_main_claim_counts_and_else_the_weakest_part() -> None:
    row = SHARP[0]
    part, inference = made_up(f"{row}/part", "SUPPORTED"), made_up(f"{row}/inference", "REFUTED")
    assert coverage([made_up(row, "PROVED"), part]).decided == (row,)
    assert coverage([made_up(f"{row}/other", "PROVED"), part]).supported == (row,)
    # A refuted inference decides nothing about the statement.
    assert coverage([made_up(row, "SUPPORTED"), inference]).supported == (row,)
    assert row in coverage([inference]).unsettled


def test_open_rows_settle_nothing_and_few_are_allowed() -> None:
    assert coverage([made_up(SHARP[0], "PROVED"), made_up(f"{SHARP[0]}/end", "OPEN")]).unsettled[0] == SHARP[0]
    for many, broken in ((MOST_OPEN, False), (MOST_OPEN + 1, True)):
        reach = coverage(claims(dict.fromkeys(SHARP, "PROVED") | dict.fromkeys(OTHER[:many], "OPEN")))
        assert bool(reach.broken()) is broken
    with pytest.raises(KeyError, match="no paper has the key"):
        coverage([], "XX")


def test_the_summary_of_a_whole_run_has_the_line_and_that_of_a_part_has_not() -> None:
    for partial in (False, True):
        read = document(partial=partial)
        text = "\n".join(line for line, _ in summary(Ledger(read["claims"], run=read["run"])))
        assert ("SYM and INT rows decided" in text) is not partial
