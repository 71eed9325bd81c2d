"""The colours of every plot, of pages and of results that draw themselves."""

from __future__ import annotations

__all__ = ["COLOURS"]

#: Variables of a page and their colours on a light background; pages have those for a dark one.
COLOURS = {
    "ink": "#1b1d21",
    "muted": "#666b73",
    "grid": "#e3e4e2",
    "measured": "#1b1d21",
    "exact": "#1f6fb4",
    "theorem": "#1a8a5f",
    "paper": "#c2571a",
    "gradient": "#8a4fb0",
    "run-1": "#1f6fb4",
    "run-2": "#c2571a",
    "run-3": "#1a8a5f",
    "run-4": "#8a4fb0",
    "run-5": "#a8862c",
    "run-6": "#c0408a",
}
