"""Lemmas that are not one inequality between numbers. The general `forall` also takes sums up to a
variable, sequences, samples of a law, and matrices.
"""

from __future__ import annotations

from numerics.lemmas.every import forall

__all__ = ["forall"]
