"""The part of ``ask`` that reads a transformer: its options, and the answer for its heads."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.terminal.arrays import map_array, read_array
from numerics.terminal.files import replace_together
from numerics.terminal.inputs import InputError, file_is_there, length_grid
from numerics.terminal.progress import progress_bar

if TYPE_CHECKING:
    from numerics.models.answer import AttentionHeads

__all__ = ["add_model_options", "answer_for_model", "given_beside"]

LENGTHS = "128,512,4096"
#: Options that belong to a model, and those of a setting that a model has no use for.
OWN = (
    *("layer", "head", "frequencies", "queries", "query_count", "states", "rope_distance", "name", "n_heads"),
    *("json", "csv", "plot"),
)
FOREIGN = ("example", "law", "Gamma", "U", "K", "Q", "score_scale", "V", "query", "query_cov", "mean")
PICTURES = (".svg", ".pdf", ".png")


def add_model_options(ask: argparse.ArgumentParser) -> None:
    """Add the options for the heads of a transformer."""
    add = ask.add_argument_group(
        "a transformer",
        "Its heads, in place of a setting. Files of states hold what enters a layer, before its norm if it "
        "has one there; --tokens FILE takes such states in place of the model's own table.",
    ).add_argument
    add(
        "--model",
        metavar="PATH",
        help="a folder with *.safetensors and config.json, or a file .safetensors, .npz or .onnx",
    )
    add("--layer", metavar="LIST", help="layers from 0, as 3 or 0,3,5 (default: all)")
    add("--head", metavar="LIST", help="heads from 0, as 0,1,2 (default: all)")
    add("--frequencies", metavar="FILE", help="how likely each token is, n numbers (default: all the same)")
    add(
        "--queries",
        metavar="WHICH",
        help="table (drawn like tokens), gaussian (of their mean and covariance), or a FILE of states, m x d "
        "(default: table)",
    )
    add("--query-count", metavar="N", type=int, help="how many queries are drawn (default: 64)")
    add(
        "--states",
        metavar="FILE",
        help="states of real prompts before one layer, windows x tokens x d: measured as they are, beside "
        "independent tokens",
    )
    add(
        "--rope-distance",
        metavar="N",
        type=int,
        help="how many tokens keys stand before the query, for models with rotary positions",
    )
    add(
        "--name",
        metavar="PART=NAME",
        action="append",
        help="your own name of an array, as query=blocks.{layer}.wq, with :T at its end if it is in x out; "
        "for query, key, value (or fused), norm, table, positions, types, table_norm",
    )
    add("--n-heads", metavar="N", type=int, help="heads of a layer, if no config.json says so")
    add("--json", metavar="FILE", help="write the numbers into this file, too")
    add("--csv", metavar="FILE", help="write a line for each head into this file, too")
    add("--plot", metavar="FILE", help=f"draw layers and heads into this file ({', '.join(PICTURES)})")


def given_beside(arguments: argparse.Namespace) -> None:
    """Refuse options of a model without one, and of a setting beside one."""
    option = lambda name: f"--{name.replace('_', '-')}"
    if arguments.model is None:
        for name in OWN:
            if getattr(arguments, name) is not None:
                raise InputError(f"{option(name)} is for the heads of a transformer; give --model, too")
        return
    for name in FOREIGN:
        if getattr(arguments, name) is not None:
            raise InputError(
                f"{option(name)} beside --model: a model brings its own matrices, and --queries says what "
                f"asks; leave {option(name)} out"
            )


def answer_for_model(arguments: argparse.Namespace) -> int:
    """Print the answer for the heads of a model, and write the files that are asked for."""
    lengths = length_grid(arguments.lengths or LENGTHS, "-L")
    layers, heads = (_numbers(getattr(arguments, name), f"--{name}") for name in ("layer", "head"))
    outputs = {kind: _output(kind, getattr(arguments, kind)) for kind in ("json", "csv", "plot")}
    names = _names(arguments.name or [])
    with progress_bar(False, "reading the model") as advance:
        from numerics.models.attention_heads import attention_heads
        from numerics.models.model import read_model

        try:
            model = read_model(arguments.model, names=names, n_heads=arguments.n_heads)
            found = attention_heads(
                model,
                [float(L) for L in lengths],
                layers=layers,
                heads=heads,
                **_arrays(arguments),
                rope_distance=arguments.rope_distance,
                progress=advance,
            )
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from error
        except (ArithmeticError, MemoryError) as error:
            raise InputError(
                f"the model is too large for this machine ({error}); take fewer tokens"
            ) from error
    _write(found, outputs)
    print(found.text(shutil.get_terminal_size((100, 24)).columns))
    return 0


def _arrays(arguments: argparse.Namespace) -> dict[str, Any]:
    """What stands in the files that are named, and how many queries are drawn."""
    out: dict[str, Any] = {}
    for name, reader in (("tokens", map_array), ("states", map_array), ("frequencies", read_array)):
        if (path := getattr(arguments, name)) is not None:
            out[name] = reader(path)[0]
    if (queries := arguments.queries) is not None:
        out["queries"] = queries if queries in ("table", "gaussian") else read_array(queries)[0]
    if arguments.query_count is not None:
        out["query_count"] = arguments.query_count
    return out


def _numbers(text: str | None, option: str) -> list[int] | None:
    """Whole numbers from ``0,3``; None for all."""
    if text is None or text == "all":
        return None
    try:
        return [int(word) for word in text.split(",")]
    except ValueError as error:
        raise InputError(
            f"{option} {text:.40} is neither all nor a list of whole numbers like 0,3"
        ) from error


def _names(given: list[str]) -> dict[str, str]:
    """The user's own names by part."""
    for text in given:
        if not all(text.partition("=")):
            raise InputError(f"--name {text:.60} is not PART=NAME, such as query=blocks.{{layer}}.wq")
    return {part: name for part, _, name in (text.partition("=") for text in given)}


def _output(kind: str, given: str | None) -> Path | None:
    """A file that can be written, said before the work."""
    if given is None:
        return None
    path = Path(given)
    if kind == "plot" and path.suffix.lower() not in PICTURES:
        raise InputError(f"--plot {given:.60} ends in none of {', '.join(PICTURES)}; choose one of them")
    file_is_there(path, kind, InputError)
    return path


def _write(found: AttentionHeads, outputs: dict[str, Path | None]) -> None:
    make: dict[str, Callable[[Path], str | bytes]] = {
        "json": lambda path: json.dumps(found.as_json(), indent=1) + "\n",
        "csv": lambda path: found.as_csv(),
        "plot": lambda path: _picture(found, path.suffix.lower().removeprefix(".")),
    }
    for kind, path in outputs.items():
        if path is not None:
            replace_together(path.parent, {path.name: make[kind](path)})


def _picture(found: AttentionHeads, kind: str) -> bytes:
    from io import BytesIO

    from matplotlib.figure import Figure

    figure, out = Figure(figsize=(6.4, 4), layout="constrained"), BytesIO()
    found.plot(figure.subplots())
    figure.savefig(out, format=kind)
    return out.getvalue()
