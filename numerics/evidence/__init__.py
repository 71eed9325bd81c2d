"""What an engine found out about a statement, as a record that cannot claim too much."""

from __future__ import annotations

from numerics.evidence.joined import Contradiction, all_of, confirmed
from numerics.evidence.record import Evidence, plain
from numerics.evidence.verdict import CEILING, Verdict

__all__ = ["CEILING", "Contradiction", "Evidence", "Verdict", "all_of", "confirmed", "plain"]
