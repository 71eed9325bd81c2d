"""The reports of ``rates``, by the paper whose laws they measure, and their options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType

from numerics.terminal.inputs import InputError

__all__ = ["ATTENTION", "REPORTS", "refuse_other_options"]

#: The report on the errors of softmax attention beside the bounds of Boursier & Boyer.
ATTENTION = "BB"
#: The options of each report, by the names of their arguments; those of none go with all.
REPORTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        ATTENTION: (
            *("example", "law", "Gamma", "U", "K", "Q", "score_scale", "V", "query", "query_cov"),
            *("lengths", "replicates", "threads"),
        ),
        "LDL": ("classes",),
        "COL": ("spectrum", "dimensions"),
    }
)
#: The options of every report.
COMMON = ("seed", "format", "out", "quiet")


def refuse_other_options(arguments: argparse.Namespace) -> None:
    """Refuse options that mean nothing to the report, with the report that they belong to. Of an
    option of a report None is the default, so that what is not None was given.
    """
    option = lambda name: f"--{name.replace('_', '-')}"
    for report, names in REPORTS.items():
        given = [
            name for name in names if report != arguments.paper and getattr(arguments, name, None) is not None
        ]
        if given:
            left = ", ".join(option(name) for name in (*REPORTS[arguments.paper], *COMMON))
            raise InputError(
                f"{option(given[0])} belongs to --paper {report}; with --paper {arguments.paper} leave it "
                f"out ({left} are left)"
            )
    if arguments.seed < 0 and arguments.paper != ATTENTION:
        raise InputError(f"--seed {arguments.seed} is negative; pass a whole number from 0 on")
