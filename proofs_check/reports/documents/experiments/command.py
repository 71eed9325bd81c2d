"""The command ``figures`` trains what the figures of a paper show, draws them, and judges the
paper's sentences about them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from proofs_check.reports.pages.formats import add_format

__all__ = ["add_figures"]

#: The figures of each paper; they stand here too, so that ``--help`` need not load NumPy.
FIGURES = {"BB": (1, 2, 3, 4, 5, 6, 7, 8), "LDL": (1, 2, 3, 4), "COL": (1, 2, 3, 4, 5, 7, 9)}
#: The options that only one of the papers has.
ONLY = {
    "BB": ("seeds", "full"),
    "LDL": ("width", "optimiser", "rate", "cosine_rate", "polynomial_rate", "runs"),
    "COL": ("L", "sigmas", "lengths", "noise", "steps", "trials"),
}
#: How the title of our page begins, by which it is told from a page of somebody else.
TITLE = b"<title>Training of softmax and linear attention"


def add_figures(commands: Any) -> None:
    """Add the command to a parser.

    >>> parser = argparse.ArgumentParser()
    >>> add_figures(parser.add_subparsers())
    >>> parser.parse_args(["figures", "--paper", "BB", "--only", "2,6"]).only
    [2, 6]
    """
    figures = commands.add_parser(
        "figures",
        help="train what a paper's figures show, draw them, and judge what the paper says about them",
        description="Boursier & Boyer: trains softmax and linear attention as in Appendix A.1 ('as "
        "written') and "
        "as in the"
        " authors' code ('as coded'); about six minutes on two processors. Li, Duan & Liang: trains "
        "attention alone, which their"
        " theorems analyse, and a transformer block; about two minutes. Collins et al.: trains "
        "attention windows with Adam as"
        " their Appendix J does, beside the exact minimisers; about a minute and a half. All write "
        "DIR/index.html with all figures,"
        " their numbers, and DIR/ledger/ledger.json with a verdict on every sentence."
        " DIR/measured keeps every finished run: the same command goes on after a kill, and a second "
        "process may help.",
        epilog=(
            "exit status: 0; 1 if a sentence came out otherwise than declared; 2 if the input is no good; "
            "130 if interrupted"
        ),
    )
    figures.add_argument(
        "--paper",
        type=str.upper,
        choices=tuple(FIGURES),
        required=True,
        help="Boursier & Boyer, Li, Duan & Liang, or Collins et al.",
    )
    figures.add_argument(
        "--out", default="figures", metavar="DIR", help="where everything goes (default: %(default)s)"
    )
    add_format(figures)
    figures.add_argument("--only", type=_figures, metavar="LIST", help="some figures, such as 1,2")
    figures.add_argument(
        "--quick",
        action="store_true",
        help=(
            "fewer runs and steps, and no sentence is judged: a minute and a half for BB, half a minute for "
            "the others"
        ),
    )
    figures.add_argument(
        "--threads",
        type=_positive,
        metavar="N",
        help="default: one per processor; the numbers do not depend on it",
    )
    figures.add_argument(
        "--quiet", action="store_true", help="print errors and sentences that came out otherwise only"
    )
    of_BB = figures.add_argument_group("Boursier & Boyer")
    of_BB.add_argument(
        "--seeds",
        type=_positive,
        metavar="N",
        help="runs at every length (default: 1, of a chosen seed, and 3 at L = 10 and 100)",
    )
    of_BB.add_argument(
        "--full",
        action="store_true",
        help="every run to its last step, and 5 seeds at L = 10 and 100: twelve minutes",
    )
    of_LDL = figures.add_argument_group("Li, Duan & Liang", "what the paper does not say")
    of_LDL.add_argument("--width", type=_positive, metavar="N", help="of the block (default: 32)")
    of_LDL.add_argument("--optimiser", choices=("adam", "gd"), help="of the block (default: adam)")
    of_LDL.add_argument("--rate", type=_rate, metavar="X", help="learning rate of the block (default: 0.002)")
    of_LDL.add_argument(
        "--cosine-rate",
        type=_rate,
        metavar="X",
        help="of the attention alone, Figures 1 to 3 (default: 0.02)",
    )
    of_LDL.add_argument(
        "--polynomial-rate", type=_rate, metavar="X", help="of the attention alone, Figure 4 (default: 0.5)"
    )
    of_LDL.add_argument(
        "--runs", type=_positive, metavar="N", help="over which Figure 4 is averaged (default: 30)"
    )
    of_COL = figures.add_argument_group("Collins et al.", "what only the pictures show, or nothing")
    of_COL.add_argument(
        "--L", type=_numbers, metavar="LIST", help="Lipschitz constants of Figure 3 (default: 0.3,1,3,10)"
    )
    of_COL.add_argument(
        "--sigmas", type=_numbers, metavar="LIST", help="noises of Figure 4 (default: 0.01,0.1,0.3,1)"
    )
    of_COL.add_argument(
        "--lengths", type=_whole_numbers, metavar="LIST", help="tokens of Figure 4 (default: 5,20,50,200)"
    )
    of_COL.add_argument(
        "--noise", type=_rate, metavar="X", help="standard deviation of the noise in Figure 1 (default: 0.1)"
    )
    of_COL.add_argument(
        "--steps",
        type=_steps,
        metavar="N",
        help="of Figures 3 to 5; Figure 9 has four times as many (default: 5000)",
    )
    of_COL.add_argument(
        "--trials", type=_positive, metavar="N", help="of which Figure 9 has half (default: 10)"
    )
    figures.set_defaults(
        run=_run, interrupted="interrupted; every finished run is kept; give the same command again to go on"
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 1 to 1000")
    return int(text)


def _steps(text: str) -> int:
    if not text.isdecimal() or not 50 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 50 to 1000000")
    return int(text)


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(_rate(part) for part in text.split(","))


def _whole_numbers(text: str) -> tuple[int, ...]:
    return tuple(_positive(part.strip()) for part in text.split(","))


def _rate(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no positive number, such as 0.01")
    return value


def _figures(text: str) -> list[int]:
    found = [int(part) if part.strip().isdecimal() else 0 for part in text.split(",")]
    if 0 in found:
        raise argparse.ArgumentTypeError(f"{text} is no list of figures, such as 1,2")
    return sorted(set(found))


def _run(arguments: argparse.Namespace) -> int:
    """Refuse what the paper does not have, and measure its figures."""
    from numerics.terminal.inputs import InputError
    from proofs_check.reports.documents.experiments.trained import measure_and_judge

    paper = arguments.paper
    for other in set(ONLY) - {paper}:
        for name in ONLY[other]:
            if getattr(arguments, name):
                raise InputError(
                    f"--{name.replace('_', '-')} belongs to --paper {other}; leave it out, or choose "
                    "that paper"
                )
    if unknown := [number for number in arguments.only or [] if number not in FIGURES[paper]]:
        raise InputError(
            f"--only {unknown[0]}: {paper} has the figures {', '.join(map(str, FIGURES[paper]))}; pass "
            "some of these"
        )
    if paper == "BB":
        return _measure_and_judge(arguments)
    choices = {name: getattr(arguments, name) for name in ONLY[paper] if getattr(arguments, name) is not None}
    return measure_and_judge(arguments, choices)


def _measure_and_judge(arguments: argparse.Namespace) -> int:
    from numerics.terminal.inputs import InputError, writable_folder, writing_into
    from numerics.terminal.progress import duration, progress_bar
    from proofs_check.reports.documents.experiments.pages import as_html, check_no_other_page, tell

    seeds = arguments.seeds or 1
    if arguments.quick and seeds > 1:
        raise InputError(f"--quick has one seed; leave out --seeds {seeds}, or --quick")
    if arguments.quick and arguments.full:
        raise InputError("--full makes every run, and --quick few of them; leave one of them out")
    out = writable_folder(Path(arguments.out))
    check_no_other_page(out / "index.html", TITLE)
    from numerics.experiments.boursier_boyer.plan import Plan
    from numerics.experiments.boursier_boyer.run_plan import measure
    from proofs_check.core.experiments import judge, sentences
    from proofs_check.core.ledgers.ledger import write_json
    from proofs_check.reports.figures.boursier_boyer.captions import left_out
    from proofs_check.reports.figures.boursier_boyer.page import write_page

    plan = Plan.quick() if arguments.quick else Plan.full(seeds) if arguments.full else Plan.usual(seeds)
    if arguments.only:
        plan = plan.only(*arguments.only)
    with writing_into(out), progress_bar(arguments.quiet, "timing a step") as advance:
        show = lambda state: state.show(advance)
        measured = measure(plan, folder=out / "measured", threads=arguments.threads, progress=show)
    say = (lambda line: None) if arguments.quiet else print
    say(
        f"measured in {duration(measured.seconds)} ({duration(measured.work_seconds)} of processor "
        "time, earlier runs included)"
    )
    if missing := left_out(plan):
        say(f"left out, against --full: {'; '.join(missing + ['every verdict'] * arguments.quick)}")
    if arguments.only or arguments.quick:
        with writing_into(out), progress_bar(arguments.quiet, "drawing the figures"):
            page = write_page(measured, [], out, formats=arguments.format)
        say(
            f"figures in {page}; the sentences are judged when all figures are "
            f"measured{' without --quick' * arguments.quick}"
        )
        return 0
    with progress_bar(arguments.quiet, "judging the sentences"):
        ledger = judge(measured)
    write_json(ledger.to_json(), out / "ledger" / "ledger.json")
    with writing_into(out), progress_bar(arguments.quiet, "drawing the figures"):
        page = write_page(measured, sentences(ledger), out, words=as_html, formats=arguments.format)
    wrong = tell(ledger, arguments.quiet)
    say(f"figures in {page}, ledger in {out / 'ledger' / 'ledger.json'}")
    return 1 if wrong else 0
