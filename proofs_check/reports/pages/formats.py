"""The formats of plots as files: the option ``--format`` of the commands that draw, and what writes
the files beside their page.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numerics.terminal.files import replace_together

__all__ = ["FORMATS", "add_format", "replace_with_plots"]

#: The first is always written, because the page links to it.
FORMATS = ("svg", "pdf", "png")


def add_format(parser: Any) -> None:
    """Add the option ``--format`` to a command."""
    parser.add_argument(
        "--format",
        type=_formats,
        default=FORMATS[:1],
        metavar="LIST",
        help=(
            f"formats of the plots, some of {','.join(FORMATS)}; svg, to which the page links, is always "
            "written (default: svg)"
        ),
    )


def _formats(text: str) -> tuple[str, ...]:
    given = [part.strip().lower() for part in text.split(",")]
    if unknown := [part for part in given if part not in FORMATS]:
        raise argparse.ArgumentTypeError(
            f"{unknown[0]!r} is no format of plots; pass some of {', '.join(FORMATS)}, with commas"
        )
    return tuple(kind for kind in FORMATS if kind in given or kind == FORMATS[0])


def replace_with_plots(
    folder: Path,
    pictures: Mapping[str, Mapping[str, str | bytes]],
    files: Mapping[str, str],
    earlier: Sequence[str] = (),
) -> None:
    """Write plots (their contents by format, under names without endings) and the page that shows
    them together, and remove those of the `earlier` names that the page before has left.
    """
    drawn = {f"{name}.{kind}": content for name, of in pictures.items() for kind, content in of.items()}
    replace_together(folder, drawn | dict(files))
    for name in {f"{name}.{kind}" for name in (*pictures, *earlier) for kind in FORMATS} - set(drawn):
        (folder / name).unlink(missing_ok=True)
