"""What the ledger says of the laws of Li, Duan & Liang, and of ours, that a report of times draws.
Nothing below the claims can read the ledger, so that it stands here, and a test holds it to the
ledger of the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["OURS", "PRINTED"]

#: The verdict of each printed law, by its claim.
PRINTED: Mapping[str, str] = MappingProxyType(
    {
        "LDL:P2/time.upper": "REFUTED",
        "LDL:P2/time.lower": "SUPPORTED",
        "LDL:P2.attn": "REFUTED",
        "LDL:P2/rate.lower": "REFUTED",
        "LDL:P3/rate": "REFUTED",
        "LDL:P4/rate": "REFUTED",
        "LDL:T1": "REFUTED",
        "LDL:T2": "REFUTED",
        "LDL:4.thr": "REFUTED",
        "LDL:T1.mono/faster": "REFUTED",
    }
)
#: The verdict of each law of ours, by its claim.
OURS: Mapping[str, str] = MappingProxyType(
    {
        "OURS:R7.half": "ARGUED",
        "OURS:R7.law": "ARGUED",
        "OURS:R7.time": "ARGUED",
        "OURS:R9.time": "ARGUED",
        "OURS:R10.late": "ARGUED",
        "OURS:R11": "SUPPORTED",
        "OURS:R12.cube": "ARGUED",
        "OURS:R12.polygon": "SUPPORTED",
        "OURS:R12.torus": "SUPPORTED",
        "OURS:R12.lattice": "SUPPORTED",
        "OURS:R12.lower": "CERTIFIED",
        "OURS:R12.upper": "ARGUED",
    }
)
