"""The record of one check: an engine's verdict on a statement, with everything a reader needs to
judge it. Every engine returns an `Evidence`; claims join and compare them.
"""

from __future__ import annotations

from numerics.evidence.joined import Contradiction, all_of, as_one, confirmed
from numerics.evidence.record import Evidence, plain
from numerics.evidence.verdict import CEILING, Verdict

__all__ = ["CEILING", "Contradiction", "Evidence", "Verdict", "all_of", "as_one", "confirmed", "plain"]
