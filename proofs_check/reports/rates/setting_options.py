"""The options by which ``ask`` and ``rates`` are told a setting: an example, or files."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from numerics.terminal.arrays import FORMATS, map_array, read_array
from numerics.terminal.inputs import InputError
from numerics.terminal.progress import Advance

if TYPE_CHECKING:
    from numerics.attention.setting import AttentionSetting

__all__ = ["EXAMPLES", "LAWS", "Given", "add_setting_options", "as_vector", "given_settings", "setting_words"]

# Known here too, so that --help need not load NumPy; a test holds the lists together.
EXAMPLES = ("anisotropic", "isotropic", "singular", "averaged", "averaged-slow")
LAWS = ("gaussian", "rademacher", "uniform", "sphere", "ball")
#: The files, in the order of the formulas.
FILES = ("Gamma", "tokens", "U", "K", "Q", "V", "query", "query_cov")


class Given(NamedTuple):
    """What the options describe."""

    #: Every example, or the setting from files, with every law.
    settings: list[AttentionSetting]
    #: Name and SHA-256 of each file that was read.
    inputs: list[tuple[str, str]]


def add_setting_options(command: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the options that describe a setting, and return their group, for more options."""
    given = command.add_argument_group(
        "the setting", f"An example, or your own matrices from files: {FORMATS}."
    )
    given.add_argument(
        "--example",
        metavar="NAME",
        action="append",
        help=f"one of {', '.join(EXAMPLES)} (default: {EXAMPLES[0]}); may be given several times",
    )
    given.add_argument(
        "--law",
        metavar="NAME",
        action="append",
        help=f"tokens of another law with the same covariance: {', '.join(LAWS)}; may be given several times",
    )
    given.add_argument("--Gamma", metavar="FILE", help="covariance of the tokens, d x d")
    given.add_argument("--U", metavar="FILE", help="score of token z_k for the query z is z_k'Uz, d x d")
    given.add_argument(
        "--K",
        metavar="FILE",
        help="key matrix, d_k x d, in place of U = K'Q; tokens are columns: k_i = K z_i",
    )
    given.add_argument("--Q", metavar="FILE", help="query matrix, d_k x d")
    given.add_argument(
        "--score-scale",
        metavar="SCALE",
        help=(
            "what K'Q is divided by: sqrt for the root of d_k (the rows of K), as in transformers, or a "
            "number (default: 1)"
        ),
    )
    given.add_argument("--V", metavar="FILE", help="value matrix, d_out x d")
    query = given.add_mutually_exclusive_group()
    query.add_argument("--query", metavar="FILE", help="a fixed query, d numbers")
    query.add_argument("--query-cov", metavar="FILE", help="covariance of a Gaussian query, d x d")
    return given


def given_settings(arguments: argparse.Namespace, progress: Advance | None = None) -> Given:
    """Read the setting that the arguments describe, with every law that is asked for. `progress` is
    told how far the work with a table of tokens is, now and later.
    """
    paths = {name: path for name in FILES if (path := getattr(arguments, name, None)) is not None}
    if not paths:
        if arguments.score_scale is not None:
            raise InputError("--score-scale divides K'Q; give --K and --Q with it, and the other matrices")
        return _with_laws(_examples(arguments.example or EXAMPLES[:1]), [], arguments.law)
    if arguments.example is not None:
        raise InputError(
            f"--example {arguments.example[0]} brings its own matrices; leave it out or leave out the files"
        )
    _complete(paths, arguments.score_scale)
    if "tokens" in paths and arguments.law:
        raise InputError("--law changes the law of the tokens, which --tokens gives; leave one of them out")
    one, inputs = _from_files(paths, arguments.score_scale, progress)
    return _with_laws([one], inputs, arguments.law)


def as_vector(array: Any, option: str) -> Any:
    """A vector (d,); a row or a column of a table is one. `option` is what an error calls it.

    >>> import numpy as np
    >>> as_vector(np.ones((1, 3)), "--query")
    array([1., 1., 1.])
    """
    if array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    if array.ndim != 1:
        raise InputError(f"{option} has shape {array.shape}; it must have shape (d,)")
    return array


def setting_words(arguments: argparse.Namespace) -> list[str]:
    """The words of a command line that describe the same setting, with file names only.

    >>> parser = argparse.ArgumentParser()
    >>> group = add_setting_options(parser)
    >>> setting_words(parser.parse_args(["--example", "averaged", "--law", "ball"]))
    ['--example', 'averaged', '--law', 'ball']
    """
    words: list[str] = []
    for name in FILES:
        if path := getattr(arguments, name, None):
            words += [f"--{name.replace('_', '-')}", Path(path).name]
    if not words:
        for name in arguments.example or EXAMPLES[:1]:
            words += ["--example", name]
    if arguments.score_scale is not None:
        words += ["--score-scale", arguments.score_scale]
    for law in arguments.law or []:
        words += ["--law", law]
    return words


def _with_laws(
    settings: list[AttentionSetting], inputs: list[tuple[str, str]], laws: list[str] | None
) -> Given:
    try:
        return Given(
            [setting.with_law(law) for setting in settings for law in dict.fromkeys(laws or [])] or settings,
            inputs,
        )
    except ValueError as error:
        raise InputError(str(error)) from error


def _examples(names: Any) -> list[AttentionSetting]:
    from numerics.attention.examples import EXAMPLES as BUILT_IN

    for name in names:
        if name not in BUILT_IN:
            raise InputError(f"there is no example {name!r}; choose one of {', '.join(EXAMPLES)}")
    return [BUILT_IN[name]() for name in dict.fromkeys(names)]


def _complete(paths: dict[str, str], scale: str | None) -> None:
    """Refuse matrices that make no setting, or more than one."""
    if "U" in paths and ("K" in paths or "Q" in paths):
        raise InputError(
            "--U beside --K or --Q: the scores are z_k'Uz with U = K'Q; give --U alone, or --K and --Q"
        )
    missing = [] if "U" in paths else [f"--{name}" for name in ("K", "Q") if name not in paths]
    missing = ["--U (or --K and --Q)"] if len(missing) == 2 else missing
    if "Gamma" in paths and "tokens" in paths:
        raise InputError(
            "--Gamma beside --tokens: a table of tokens has a covariance of its own; leave one of them out"
        )
    law = [] if "Gamma" in paths or "tokens" in paths else ["--Gamma"]
    missing = [*law, *missing, *(["--V"] if "V" not in paths else [])]
    if "query" not in paths and "query_cov" not in paths:
        missing.append("--query or --query-cov")
    if missing:
        raise InputError(f"also needed: {', '.join(missing)} (or use --example for a built-in one)")
    if scale is not None and "U" in paths:
        raise InputError(
            "--score-scale divides K'Q, and --U is taken as it is; divide U yourself, or give --K and --Q"
        )


def _from_files(
    paths: dict[str, str], scale: str | None, progress: Advance | None
) -> tuple[AttentionSetting, list[tuple[str, str]]]:
    """A setting from files, with name and digest of each."""
    from numerics.attention.setting import AttentionSetting

    arrays: dict[str, Any] = {}
    inputs = []
    for name, path in paths.items():
        array, digest = (map_array if name == "tokens" else read_array)(path)
        arrays[name] = (
            as_vector(array, "--query") if name == "query" else _matrix(array, f"--{name.replace('_', '-')}")
        )
        inputs.append((Path(path).name, digest))
    if "K" in arrays:
        _check_heads(arrays)
        arrays["K"] = arrays["K"] / _divisor(scale, arrays["K"].shape[0])
    try:
        if "tokens" in arrays:
            arrays["Gamma"] = _law_of_tokens(arrays.pop("tokens"), arrays["V"].shape[1], progress)
        return AttentionSetting(**{"U": None, **arrays}), inputs
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error


def _law_of_tokens(table: Any, d: int, progress: Advance | None) -> Any:
    """The law of the rows of a table."""
    from numerics.token_laws import embedding_table

    if table.ndim == 2 and table.shape[1] != d:
        raise InputError(
            f"--tokens has rows of {table.shape[1]} numbers and --V has {d} columns; both must be d"
        )
    return embedding_table(table) if progress is None else embedding_table(table, progress=progress)


def _matrix(array: Any, option: str) -> Any:
    """A matrix; a single number counts as one of shape (1, 1)."""
    if array.size == 1 and array.ndim < 2:
        array = array.reshape(1, 1)
    if array.ndim != 2:
        raise InputError(f"{option} has shape {array.shape}; it must be a matrix, with two axes")
    return array


def _check_heads(arrays: dict[str, Any]) -> None:
    """Refuse K and Q whose product is no U, with a hint where they are transposed."""
    d, K, Q = arrays["V"].shape[1], arrays["K"].shape, arrays["Q"].shape
    if K[0] == Q[0] and K[1] == Q[1] == d:
        return
    hint = (
        "; transpose them: here tokens are columns, k_i = K z_i" if K[1] == Q[1] and K[0] == Q[0] == d else ""
    )
    raise InputError(
        f"--K has shape {K} and --Q has shape {Q}; both must have shape (d_k, {d}), since V "
        f"has {d} columns{hint}"
    )


def _divisor(scale: str | None, d_k: int) -> float:
    """What K'Q is divided by."""
    if scale is None:
        return 1.0
    if scale == "sqrt":
        return math.sqrt(d_k)
    try:
        number = float(scale)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise InputError(
            f"--score-scale {scale:.40} is neither sqrt nor a positive number; K'Q is divided by it"
        )
    return number
