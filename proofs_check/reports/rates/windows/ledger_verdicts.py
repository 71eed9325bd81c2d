"""What the ledger says of the laws of Collins et al., and of ours, that a report of windows draws.
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
        "COL:3.1-sketch/width": "REFUTED",
        "COL:T3.4/range": "REFUTED",
        "COL:T3.4.tight": "REFUTED",
        "COL:T3.5": "REFUTED",
        "COL:T3.5.iff": "REFUTED",
        "COL:E.3.txt/own": "REFUTED",
        "COL:T3.4/inference": "REFUTED",
        "COL:T3.4/affine.lower": "SUPPORTED",
        "COL:T3.4/affine.upper": "SUPPORTED",
        "COL:T3.4/relu.lower": "SUPPORTED",
        "COL:T3.4/relu.upper": "SUPPORTED",
        "COL:E.2/upper": "SUPPORTED",
        "COL:T3.4/finite": "ARGUED",
    }
)
#: The verdict of each law of ours, by its claim.
OURS: Mapping[str, str] = MappingProxyType(
    {
        "OURS:R8.relu": "PROVED",
        "OURS:R8.noise": "SUPPORTED",
        "OURS:R8.signal": "SUPPORTED",
        "OURS:R8.law": "SUPPORTED",
        "OURS:R13": "ARGUED",
        "OURS:R13.values": "SUPPORTED",
        "OURS:R13.window": "SUPPORTED",
        "OURS:R14": "ARGUED",
        "OURS:R14.law": "SUPPORTED",
        "OURS:R15": "SUPPORTED",
        "OURS:R16": "SUPPORTED",
    }
)
