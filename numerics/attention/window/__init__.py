"""The loss of an attention window (Collins et al.) at every prompt length, and the best width."""

from __future__ import annotations
