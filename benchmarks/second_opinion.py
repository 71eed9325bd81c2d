"""Ask the questions that all verdicts rest on again, of z3: ``python -m benchmarks.second_opinion
[--write FILE]``.

Run it from the root of a checkout; it takes several minutes. It prints the counts, what is left by
claim, and what is contradicted or confirmed no more; then it exits with 1. z3 is given resources
and no time, so that a busy machine changes no answer.
"""

from __future__ import annotations

import argparse

from proofs_check.reports.documents.second_opinion.asking import second_opinion


def main(arguments: list[str] | None = None) -> int:
    """Ask everything and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--write", default="", metavar="FILE", help="keep the answers, as in proofs_check/second_opinion.json"
    )
    return second_opinion([], again=True, write=parser.parse_args(arguments).write)


if __name__ == "__main__":
    raise SystemExit(main())
