"""The commands that read ledgers: ``blueprint``, ``errata``, ``status``, ``diff`` and others. Each
imports what it needs only when it runs, so that ``--help`` stays fast.
"""

from __future__ import annotations

import argparse
import math
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofs_check.reports.documents.scope import scope_option, scoped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from proofs_check.core.ledgers.stored import Kept
    from proofs_check.reports.documents.errata import Errata

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands to a parser; each sets ``run``, a function of the parsed arguments that
    returns the exit status.

    >>> parser = argparse.ArgumentParser()
    >>> add_commands(parser.add_subparsers())
    >>> parser.parse_args(["diff", "a", "b"]).new
    'b'
    """
    command = partial(_command, commands)
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
        _blueprint,
        "the ledger as one HTML file: the graph of what needs what, and a page a statement",
        "Writes one self-contained HTML file, with search; open it in a browser.",
        scope_option(ledger=True),
        fails="a formula could not be typeset (its source is shown)",
    ).add_argument
    add("--out", default="blueprint.html", metavar="FILE", help="file to write (default: %(default)s)")
    add(
        "--proofs",
        action="store_true",
        help="check the derivations now, and show each with its claim (half a minute)",
    )
    add = command(
        _errata,
        "what is false as printed, with counterexamples and repairs, as a document for the authors",
        "Writes errata.html and errata.md from a ledger; the witness scripts are run once more for it."
        " The first two printed pages of errata.html hold what a reader in a hurry needs. Several "
        "papers have a folder each.",
        scope_option(ledger=True),
    ).add_argument
    add("--out", default="errata", metavar="DIR", help="folder to write into (default: %(default)s)")
    add("--paper", metavar="KEY", help="key of one paper (default: each in which something is false)")
    add("--latex", action="store_true", help="also write errata.tex, a list to paste into a referee's report")
    status = command(
        _status,
        "which results stand, counts of rows and what is false; keeps files, and the ledger of the "
        "release, in step",
        "Prints them; with --check or --write compares them with the marked blocks of files, or puts them "
        "there. A file that ends in .json is the ledger of the release, proofs_check/ledger.json.",
        scope_option(ledger=True),
        fails=(
            "--check finds another table, --rules a broken rule, or --github or --badge a claim that is "
            "not in order"
        ),
    )
    what = status.add_mutually_exclusive_group()
    what.add_argument(
        "--check", nargs="+", default=[], metavar="FILE", help="whether these files hold what the ledger says"
    )
    what.add_argument(
        "--write", nargs="+", default=[], metavar="FILE", help="put it into these files, between their marks"
    )
    add = status.add_argument
    rules = (
        "also: are enough identities and inequalities of these papers decided, the others explained, few "
        "of their rows open"
    )
    add("--rules", nargs="+", default=[], metavar="KEY", help=rules)
    add("--github", action="store_true", help="print what is false or not in order as annotations of GitHub")
    add("--badge", metavar="FILE", help="write how many statements hold, as the JSON that shields.io draws")
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


def _command(
    commands: Any, run: Callable[..., int], help: str, description: str, *scope: Any, fails: str = ""
) -> Any:
    """The parser of a command, which has the options of `scope` and exits with 1 if it `fails`."""
    name = run.__name__.strip("_").replace("_", "-")
    epilog = f"exit status: 0;{f' 1 if {fails};' if fails else ''} 2 if the input is no good"
    parser = commands.add_parser(name, parents=scope, help=help, description=description, epilog=epilog)
    parser.set_defaults(run=scoped(run) if scope else run)
    return parser


def _ratio(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number in [0, 1)")
    return value


def _new_paper(options: argparse.Namespace) -> int:
    from proofs_check.reports.documents.new_paper import new_paper

    for path in new_paper(Path(options.folder), options.title, options.id, options.authors):
        print(path)
    print(f"Judge it with: pytest {options.folder}")
    return 0


def _blueprint(options: argparse.Namespace) -> int:
    from numerics.terminal.progress import progress_bar
    from proofs_check.core.ledgers.stored import find_ledger

    kept = find_ledger(options.ledger)  # before all claims are loaded, which takes longer
    from proofs_check.reports.documents.blueprint import write_blueprint

    proofs = None
    if options.proofs:
        from proofs_check.reports.documents.proof_page import all_proofs

        proofs = all_proofs()
    with progress_bar(not sys.stderr.isatty(), "drawing the pages") as advance:
        made = write_blueprint(kept.document, Path(options.out), proofs, advance)
    for formula, reason in made.failures:
        print(f"largeprompt blueprint: not typeset, because {reason}: {formula}", file=sys.stderr)
    print(
        f"{len(made.site.claims)} claims on {len(made.site.rows)} rows, from {kept.says}; written to "
        f"{options.out}"
    )
    return 1 if made.failures else 0


def _errata(options: argparse.Namespace) -> int:
    from numerics.terminal.inputs import InputError, writable_folder
    from numerics.terminal.progress import progress_bar
    from proofs_check.core.ledgers.outcomes import account
    from proofs_check.core.ledgers.stored import find_ledger
    from proofs_check.papers.statements import is_own, papers
    from proofs_check.reports.documents.errata import all_errata

    kept, out = find_ledger(options.ledger), Path(options.out)
    wrong = (k for k in papers() if not is_own(k) and account(kept.document, k).false)
    keys = [options.paper] if options.paper else list(wrong)
    if not keys:
        raise InputError(
            f"nothing was found to be false as printed, so there are no errata; this is {kept.says}"
        )
    if len(keys) > 1:
        writable_folder(out)
    with progress_bar(not sys.stderr.isatty(), "running the witness scripts") as advance:
        made = all_errata(kept.document, keys, advance)
    for key, errata in made.items():
        _write_errata(kept, errata, out if len(keys) == 1 else out / key, options.latex)
    return 0


def _write_errata(kept: Kept, errata: Errata, folder: Path, latex: bool) -> None:
    from numerics.terminal.inputs import writable_folder
    from proofs_check.core.ledgers.files import write_text
    from proofs_check.reports.documents.errata import as_html, as_latex, as_markdown

    out = writable_folder(folder)
    pages = {"errata.html": as_html(errata), "errata.md": as_markdown(errata)}
    if latex:
        pages["errata.tex"] = as_latex(errata)
    for name, text in pages.items():
        write_text(out / name, text)
    for e in (error for entry in errata.entries for error in entry.errors):
        if not e.script:
            print(f"largeprompt errata: {e.id} has no witness script yet", file=sys.stderr)
    print(f"{errata.count}\nWritten to {', '.join(str(out / name) for name in pages)}, from {kept.says}.")


def _status(options: argparse.Namespace) -> int:
    from numerics.terminal.inputs import InputError, read_bytes
    from proofs_check.core.ledgers.coverage import coverage
    from proofs_check.core.ledgers.files import write_text
    from proofs_check.core.ledgers.stored import find_ledger
    from proofs_check.reports.documents.status import blocks, headline, renewed

    kept, out = find_ledger(options.ledger), 0
    if options.github or options.badge:
        return _annotate(kept.document, options.github, options.badge)
    written = blocks(kept.document)
    try:
        reaches = [coverage(kept.document["claims"], key) for key in options.rules]
    except KeyError as error:
        raise InputError(error.args[0]) from error
    for given in (*options.check, *options.write):
        path = Path(given)
        try:
            text = read_bytes(path).decode("utf-8") if path.is_file() or path.suffix != ".json" else ""
        except (InputError, OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(
                f"cannot read {path}: {why}; name a text file such as README.md, or a ledger.json"
            ) from error
        current, differs = renewed(path, text, kept.document, written)
        if options.write and current != text:
            write_text(path, current)
        elif options.check and differs:
            again = f"largeprompt status --ledger {options.ledger or kept.path} --write {path}"
            print(
                f"largeprompt status: {path} does not hold what the ledger says ({differs}); run: {again}",
                file=sys.stderr,
            )
            out = 1
    if not (options.check or options.write):
        printed = {**written, "headline": headline(kept.document, evidence=True)}
        print("\n\n".join((*printed.values(), f"This is {kept.says}.")))
    for reach in reaches:
        print(reach.line)
        for rule in reach.broken():
            print(f"largeprompt status: {rule}", file=sys.stderr)
            out = 1
    return out


def _revise(options: argparse.Namespace) -> int:
    from numerics.terminal.inputs import InputError
    from proofs_check.core.ledgers.ledger import write_json
    from proofs_check.core.ledgers.stored import find_ledger
    from proofs_check.reports.documents.diff import changes, show
    from proofs_check.reports.documents.names import named_paper
    from proofs_check.reports.documents.revise import main_results, revised, settings, settings_of_file

    key, kept = named_paper(options.paper), find_ledger(options.ledger)
    copied = settings_of_file(Path(options.statements), key) if options.statements else ({}, (), ())
    revision, rewritten, dropped = copied
    revision = {**revision, **settings(options.set, key)}
    if not (revision or rewritten or dropped):
        raise InputError(
            "nothing is revised; give --set CLAIM:NAME=VALUE, or --statements with an edited copy"
        )
    new = revised(kept.document, revision, (*rewritten, *dropped))
    found = changes(kept.document, new)
    show(found)
    for title, before, after in main_results(kept.document, new, key):
        print(f"{title}: {before}" + (f" -> {after}" if after != before else ""))
    for word, ids in (
        ("have another formula and no number, so that nothing judges them", rewritten),
        ("are gone", dropped),
    ):
        if ids:
            print(f"Rows that {word}: {', '.join(ids)}.")
    anew = "1 claim was" if len(revision) == 1 else f"{len(revision)} claims were"
    print(f"{anew} judged anew, the others are those of {kept.says}.")
    if options.out:
        write_json(new, Path(options.out))
        print(f"The ledger of the revision is kept in {options.out}.")
    return 1 if found else 0


def _annotate(document: Mapping[str, Any], github: bool, badge_file: str | None) -> int:
    import json

    from proofs_check.core.ledgers.files import write_text
    from proofs_check.reports.documents.github import as_annotations, badge

    if github:
        print(*as_annotations(document), sep="\n")
    if badge_file:
        write_text(Path(badge_file), json.dumps(badge(document)) + "\n")
    return 1 if document["run"]["faults"] or any(c["faults"] for c in document["claims"]) else 0


def _merge(options: argparse.Namespace) -> int:
    from numerics.terminal.inputs import InputError
    from proofs_check.core.judging import load_claims
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
    judged = {c["paper"] for document in documents for c in document["claims"]}
    scope = [c for c in in_scope() if judged & {*c.keys}]
    papers = [key for c in scope for key in c.keys]
    needs = {id: claim.needs for id, claim in load_claims(scope).items() if id.split(":", 1)[0] in papers}
    document = merged(documents, needs)
    write_text(Path(options.out), as_text(document))
    print(
        f"{len(document['claims'])} of {len(needs)} claims on {', '.join(papers)}; written to {options.out}"
    )
    return 0


def _second_opinion(options: argparse.Namespace) -> int:
    from proofs_check.reports.documents.second_opinion.asking import second_opinion

    o = options
    return second_opinion(o.names, sample=o.sample, noted=o.noted, again=o.again, write=o.write)


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
