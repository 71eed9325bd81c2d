"""Where tables and paragraphs are printed: as wide as the terminal, 100 columns where there is
none.
"""

from __future__ import annotations

import os

from rich.console import Console

__all__ = ["WIDTH", "console"]

#: Columns of what is piped or written to a file, unless ``COLUMNS`` says otherwise.
WIDTH = 100


def console() -> Console:
    """A console of rich that colours nothing by guessing; ``NO_COLOR`` is kept.

    >>> console().is_terminal or console().width == int(os.environ.get("COLUMNS") or WIDTH)
    True
    """
    made = Console(highlight=False, markup=False, emoji=False)
    if not made.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        made.width = WIDTH
    return made
