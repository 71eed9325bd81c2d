"""A small ledger of real claims, with every verdict among them."""

import copy
from functools import cache

from proofs_check.core.ledgers.files import SCHEMA
from proofs_check.core.ledgers.ledger import Ledger
from tests.proofs_check.core.ledgers import line

IDS = (
    *("BB:L2.1.a/mgf", "BB:L2.1.a", "BB:B.1.a", "BB:B.2/limit", "BB:B.2", "BB:2.lln", "BB:F.3.fin", "BB:12"),
    *("BB:5.block", "BB:CC.3.b", "BB:LC.1.am", "BB:LC.1.am/choice", "BB:LC.4.log", "BB:LC.4.t0"),
    *("BB:LC.4.lo", "BB:C.7.moments", "BB:C.7.fin/powers", "OURS:R1.LC4", "OURS:R4.A", "OURS:R4.b"),
)


@cache
def _judged():
    ledger = Ledger([line(id) for id in IDS], run={"seconds": 1.0, "partial": True})
    return {**ledger.to_json(), "unsettled": ["BB:F.3.fin", "BB:LC.4", "BB:S6.f1a"]}


def document():
    """What ``ledger.json`` would hold; a copy, to be spoiled at will."""
    made = copy.deepcopy(_judged())
    made["run"] |= {"date": "2026-01-01T00:00:00+00:00", "schema": SCHEMA}
    return made
