"""The papers that ``rates`` reports on, and which of its options belong to which of them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType

from numerics.terminal.inputs import InputError

__all__ = ["PAPERS", "refuse_other_options"]

#: The options of each paper, by the names of their arguments; those of no paper go with all.
PAPERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "BB": (
            *("example", "law", "Gamma", "U", "K", "Q", "score_scale", "V", "query", "query_cov"),
            *("lengths", "replicates", "threads"),
        ),
        "LDL": ("classes",),
        "COL": ("spectrum", "dimensions"),
    }
)
#: The options of every paper.
COMMON = ("seed", "format", "out", "quiet")


def refuse_other_options(arguments: argparse.Namespace) -> None:
    """Refuse options that mean nothing to the paper.

    Parameters
    ----------
    arguments : argparse.Namespace
        With ``paper`` and ``seed``; of an option of a paper None is the default, so that what is
        not None was given.

    Raises
    ------
    InputError
        With the paper that the option belongs to, and what is left; or if the seed is negative.

    Examples
    --------
    >>> refuse_other_options(argparse.Namespace(paper="LDL", spectrum="0,1"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    numerics.terminal.inputs.InputError: --spectrum belongs to --paper COL; with ...
    """
    option = lambda name: f"--{name.replace('_', '-')}"
    for paper, names in PAPERS.items():
        given = [name for name in names if paper != arguments.paper and getattr(arguments, name, None) is not None]
        if given:
            left = ", ".join(option(name) for name in (*PAPERS[arguments.paper], *COMMON))
            raise InputError(
                f"{option(given[0])} belongs to --paper {paper}; with --paper {arguments.paper} leave it out ({left} are left)"
            )
    if arguments.seed < 0 and arguments.paper != "BB":
        raise InputError(f"--seed {arguments.seed} is negative; pass a whole number from 0 on")
