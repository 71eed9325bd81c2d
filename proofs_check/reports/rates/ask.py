"""The command ``ask``, which answers how close softmax attention on L tokens is to linear
attention. Nothing heavy is imported before it runs, and it writes no file.
"""

from __future__ import annotations

import argparse
import shutil
from typing import Any

from numerics.terminal.arrays import read_array
from numerics.terminal.inputs import InputError, length_grid
from numerics.terminal.progress import progress_bar
from proofs_check.reports.rates.ask_model import LENGTHS as LENGTHS_OF_MODELS
from proofs_check.reports.rates.ask_model import add_model_options, answer_for_model, given_beside
from proofs_check.reports.rates.setting_options import add_setting_options, as_vector, given_settings

__all__ = ["add_ask"]

DEFAULT_LENGTHS = "100,1000,10000,100000"


def add_ask(commands: Any) -> None:
    """Add the command ``ask``.

    >>> parser = argparse.ArgumentParser()
    >>> add_ask(parser.add_subparsers())
    >>> parser.parse_args(["ask", "--example", "isotropic", "-L", "4000"]).lengths
    '4000'
    """
    ask = commands.add_parser(
        "ask",
        help="how far is softmax attention on L tokens from linear attention, and which L would do?",
        description=(
            "Answers in some sentences and two small tables how far softmax attention on L tokens is from "
            "the linear attention V Gamma U z, and by which parts: to its limit for infinite prompts, which "
            "for Gaussian tokens is V Gamma U z, and from there; which L brings the relative error to 10 % "
            "and 1 %; from which L on it falls as its law says; and which bound is "
            "certain. With --model the heads of a transformer are asked, and each has a line. Nothing is "
            "written, unless --json, --csv or --plot names a file."
        ),
        epilog="exit status: 0 if there is an answer, 2 if the input cannot be used, 130 if interrupted",
    )
    given = add_setting_options(ask)
    given.add_argument(
        "--tokens",
        metavar="FILE",
        help=(
            "embedding table in place of Gamma, n x d: tokens are its rows, each as likely as any other, "
            "less their mean"
        ),
    )
    given.add_argument(
        "--mean",
        metavar="FILE",
        help="mean of the tokens, d numbers, if it is not 0: it is taken out, and said so",
    )
    ask.add_argument(
        "-L",
        "--lengths",
        metavar="LIST",
        help=(
            "prompt lengths up to 1e100: 4000, or 10,30,100, or FIRST:LAST:COUNT on a logarithmic grid "
            f"(default: {DEFAULT_LENGTHS}; {LENGTHS_OF_MODELS} for a model)"
        ),
    )
    add_model_options(ask)
    ask.set_defaults(run=_answer, interrupted="interrupted")


def _answer(arguments: argparse.Namespace) -> int:
    given_beside(arguments)
    if arguments.model is not None:
        return answer_for_model(arguments)
    lengths = length_grid(arguments.lengths or DEFAULT_LENGTHS, "-L")
    if arguments.mean is not None and arguments.tokens is not None:
        raise InputError(
            "--mean beside --tokens: the mean of the table is taken out in any case; leave --mean out"
        )
    mean = None if arguments.mean is None else as_vector(read_array(arguments.mean)[0], "--mean")
    with progress_bar(arguments.tokens is None, "reading the table") as advance:
        settings, _ = given_settings(arguments, advance)
        from numerics.attention.distance.how_linear import how_linear

        answers = []
        for setting in settings:
            try:
                answers.append((setting, how_linear(setting, [float(L) for L in lengths], mean=mean)))
            except (TypeError, ValueError) as error:
                raise InputError(str(error)) from error
            except (ArithmeticError, MemoryError) as error:
                raise InputError(
                    f"theory does not reach this ({error}); take a smaller U or query"
                ) from error
    for i, (setting, found) in enumerate(answers):
        if i:
            print()
        if len(settings) > 1 or setting.name != "custom":
            print(f"{setting.name}:")
        print(found.text(shutil.get_terminal_size((100, 24)).columns))
    return 0
