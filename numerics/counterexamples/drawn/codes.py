"""The range of the codes by which numbers are drawn."""

from __future__ import annotations

__all__ = ["MOST", "OCTAVE"]

#: Codes between a power of two and the next; the largest code stands for 20 powers of two.
OCTAVE, MOST = 256, 5120
