"""The commands that compare and join ledgers, and that judge something else than a paper as it is:
``new-paper``, ``revise``, ``merge``, ``second-opinion`` and ``diff``.
"""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

from numerics.terminal.inputs import InputError, check_folder_around, writing_into
from numerics.terminal.progress import progress_bar
from proofs_check.reports.documents.scope import add_command, scope_option

__all__ = ["add_ledger_commands"]


def add_ledger_commands(commands: Any) -> None:
    """Add the commands to a parser, as `proofs_check.reports.documents.cli.add_commands` does.

    >>> parser = argparse.ArgumentParser()
    >>> add_ledger_commands(parser.add_subparsers())
    >>> parser.parse_args(["diff", "a", "b"]).new
    'b'
    """
    command = partial(add_command, commands)
    add = command(
        _new_paper,
        "a folder for a paper of your own, with a true and a false lemma to begin with",
        "Writes DIR with statements.toml, a module of claims and README.md. Then: pytest DIR.",
    ).add_argument
    add("folder", metavar="DIR", help="a new folder")
    add("--title", required=True, metavar="TEXT", help="title of the paper")
    add("--id", required=True, metavar="KEY", help="capital letters with which ids begin, such as ME")
    add("--authors", default="", metavar="TEXT", help="authors of the paper")
    add = command(
        _revise,
        "judge a revision of a paper: which verdicts change, and which results stand then",
        "Judges some claims with the numbers of a revision, takes the others from the ledger, and "
        "compares. A copy of"
        ' statements.toml says the numbers of a row in set = {"c" = "139"}; a row with another formula '
        "and no number is not"
        " settled.",
        scope_option(ledger=True),
        fails="something changes",
    ).add_argument
    add("paper", metavar="PAPER", help="key of the paper, or a part of its title")
    add(
        "--set",
        action="append",
        default=[],
        metavar="CLAIM:c=1",
        help="a number, as CC.3.b:c=139; repeatable",
    )
    add("--statements", metavar="FILE", help="an edited copy of the paper's statements.toml")
    add("--out", metavar="FILE", help="keep the ledger of the revision in this file")
    add = command(
        _merge,
        "the ledgers of several runs, such as halves on two machines, as one",
        "The runs may overlap, but not differ: they judged with the same code, and say the same of a claim "
        "that two of them judged. The ledger is whole if together they judged every claim.",
        scope_option(),
    ).add_argument
    add("ledgers", nargs="+", metavar="LEDGER", help="a ledger, such as ledger.partial.json")
    add("--out", required=True, metavar="FILE", help="file to write")
    add = command(
        _second_opinion,
        "who else confirms the arithmetic that verdicts rest on: z3, which shares no code with the provers",
        "Prints what was confirmed when all questions were asked last, and what is left by claim. With NAME, "
        "--sample or --again questions are asked now; this needs z3 (pip install 'largeprompt[smt]'), which "
        "is given resources, not time.",
        fails="something is contradicted, or confirmed no more, or the kept answers are of other questions",
    ).add_argument
    add("names", nargs="*", metavar="NAME", help="claims, or rows, whose questions are asked now")
    add("--again", action="store_true", help="ask the questions of all claims (several minutes)")
    add(
        "--sample",
        default="",
        metavar="WORD",
        help="ask those of some claims, which a word such as a date draws",
    )
    add(
        "--noted",
        default="",
        metavar="FILE",
        help="ask what pytest --questions FILE noted and was not asked before, and keep what it noted",
    )
    add("--write", default="", metavar="FILE", help="keep the answers in this file")
    add = command(
        _diff,
        "what changed between two ledgers",
        "Claims, verdicts, standing, sharp constants, slack, needs and settled rows that differ.",
        fails="they differ",
    ).add_argument
    add("old", metavar="OLD", help="ledger.json, or the folder that holds it")
    add("new", metavar="NEW", help="the later one")
    add("--json", action="store_true", help="as JSON: a list of changes")
    add(
        "--rounding",
        type=_ratio,
        default=1e-6,
        metavar="R",
        help="relative difference that is none (default: %(default)g)",
    )


def _new_paper(options: argparse.Namespace) -> int:
    from proofs_check.reports.documents.new_paper import new_paper

    for path in new_paper(Path(options.folder), options.title, options.id, options.authors):
        print(path)
    print(f"Judge it with: pytest {options.folder}")
    return 0


def _revise(options: argparse.Namespace) -> int:
    from numerics.terminal.console import console
    from proofs_check.core.ledgers.ledger import write_json
    from proofs_check.core.ledgers.stored import find_ledger
    from proofs_check.reports.documents.diff import changes
    from proofs_check.reports.documents.names import named_paper
    from proofs_check.reports.documents.revision import settings, settings_of_file

    key = named_paper(options.paper)
    if options.out:
        with writing_into(Path(options.out)):
            check_folder_around(Path(options.out))
    with progress_bar(False, "loading the claims") as advance:
        kept = find_ledger(options.ledger)
        copied = settings_of_file(Path(options.statements), key) if options.statements else ({}, (), ())
        revision, rewritten, dropped = copied
        revision = {**revision, **settings(options.set, key)}
        if not (revision or rewritten or dropped):
            raise InputError(
                "nothing is revised; give --set CLAIM:NAME=VALUE, or --statements with an edited copy"
            )
        from proofs_check.reports.documents.revise import revised
        from proofs_check.reports.documents.revision_told import what_became

        new = revised(kept.document, revision, (*rewritten, *dropped), advance)
    screen = console()
    for said in what_became(kept.document, new, revision, key):
        screen.print(said)
    for word, ids in (
        ("have another formula and no number, so that nothing judges them", rewritten),
        ("are gone", dropped),
    ):
        if ids:
            screen.print(f"Rows that {word}: {', '.join(ids)}.")
    anew = "1 claim was" if len(revision) == 1 else f"{len(revision)} claims were"
    screen.print(f"{anew} judged anew, the others are those of {kept.says}.")
    if options.out:
        write_json(new, Path(options.out))
        screen.print(
            f"The ledger of the revision is kept in {options.out}. Every difference: largeprompt diff "
            f"{shlex.quote(str(kept.path))} {shlex.quote(options.out)}",
            soft_wrap=True,  # a path that is broken cannot be typed
        )
    return 1 if changes(kept.document, new) else 0


def _merge(options: argparse.Namespace) -> int:
    from proofs_check.core.ledgers.files import read_ledger, write_text
    from proofs_check.core.ledgers.ledger import as_text, merged
    from proofs_check.papers.registered import in_scope

    documents = [read_ledger(Path(given)) for given in options.ledgers]
    for what in ("code", "reseed"):
        if len(found := {str(document["run"][what]) for document in documents}) > 1:
            raise InputError(
                f"the ledgers were judged with different {what} ({', '.join(sorted(found))}); judge "
                "one of them anew"
            )
    out = Path(options.out)
    with writing_into(out):
        check_folder_around(out)
    from proofs_check.core.judging import load_claims

    judged = {c["paper"] for document in documents for c in document["claims"]}
    scope = [c for c in in_scope() if judged & {*c.keys}]
    papers = [key for c in scope for key in c.keys]
    with progress_bar(False, "loading the claims"):
        claims = load_claims(scope)
    needs = {id: claim.needs for id, claim in claims.items() if id.split(":", 1)[0] in papers}
    document = merged(documents, needs)
    write_text(out, as_text(document))
    print(f"{len(document['claims'])} of {len(needs)} claims on {', '.join(papers)}; written to {out}")
    return 0


def _second_opinion(options: argparse.Namespace) -> int:
    from proofs_check.reports.documents.names import named

    o, names = options, []
    for given in o.names:
        name, slash, part = given.partition("/")
        names += [f"{row.id}{slash}{part}" for row in named(name).rows]
    if o.write:
        with writing_into(Path(o.write)):
            check_folder_around(Path(o.write))
    from proofs_check.reports.documents.second_opinion.asking import second_opinion

    return second_opinion(names, sample=o.sample, noted=o.noted, again=o.again, write=o.write)


def _diff(options: argparse.Namespace) -> int:
    import json

    from proofs_check.core.ledgers.files import read_ledger
    from proofs_check.reports.documents.diff import as_json, changes, doubts, show

    old, new = (read_ledger(Path(given), older=True) for given in (options.old, options.new))
    for doubt in doubts(old, new):
        print(f"largeprompt diff: {doubt}", file=sys.stderr)
    found = changes(old, new, options.rounding)
    if options.json:
        print(json.dumps(as_json(found), indent=1, ensure_ascii=False))
    else:
        show(found)
    return 1 if found else 0


def _ratio(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number in [0, 1)")
    return value
