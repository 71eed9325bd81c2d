"""What a caller sees when a prover breaks: an answer that names the fault, and no exception that is
none of ours. A refusal says in words of ours what was wrong with the question, and passes. Anything
else that SymPy, FLINT or a prover raises is a fault of the program, and decides nothing.
"""

from __future__ import annotations

import dis
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

from numerics.evidence import Evidence, Verdict

__all__ = ["FAULT", "broken", "guarded", "refusal"]

P = ParamSpec("P")
#: How the reason of an answer begins that a fault of the program prevented.
FAULT = "internal fault"
#: Faults of SymPy 1.14 that its next release mends, by their file and words, with what avoids them.
_OF_SYMPY = {
    (
        "factor_.py",
        "is not a prime factor of",
    ): "SymPy 1.14 cannot factor a product of two close numbers that occurs"
    " (its issue 28621); write the product as its factors"
}
#: What a line compiles to that raises an error itself, and calls nothing that does.
_RAISE = dis.opmap["RAISE_VARARGS"]
#: The packages whose words are ours.
_OURS = ("numerics", "theory")


def refusal(error: Exception) -> bool:
    """Whether a line of ours raised an error on purpose, because of what it was given."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None:
        return False
    package = str(frame.tb_frame.f_globals.get("__name__")).partition(".")[0]
    ours = package in _OURS and frame.tb_frame.f_code.co_code[frame.tb_lasti] == _RAISE
    return ours and isinstance(error, (TypeError, ValueError, ArithmeticError)) and bool(str(error))


def broken(error: Exception) -> str:
    """A fault of the program in words, with what can be done."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    for (file, words), known in _OF_SYMPY.items():
        if Path(last.filename).name == file and words in str(error):
            return known
    return (
        f"{FAULT}: {type(error).__name__} in {Path(last.filename).name}, line {last.lineno} "
        f"({str(error)[:300] or 'no words'});"
        " nothing was decided. Please report the statement; writing it in another way may avoid the fault"
    )


def guarded(engine: str) -> Callable[[Callable[P, Evidence]], Callable[P, Evidence]]:
    """Let a prover answer OPEN, under the name of its engine, where it breaks."""

    def guard(prover: Callable[P, Evidence]) -> Callable[P, Evidence]:
        @wraps(prover)
        def asked(*args: P.args, **kwargs: P.kwargs) -> Evidence:
            try:
                return prover(*args, **kwargs)
            except Exception as error:
                if refusal(error):
                    raise
                return Evidence(
                    verdict=Verdict.OPEN, engine=engine, checked=_shown(args), reason=broken(error)
                )

        return asked

    return guard


def _shown(args: tuple[Any, ...]) -> str:
    """The question as far as it can be printed."""
    try:
        return ", ".join(map(str, args))[:2000]
    except Exception:  # what broke the prover may break the printer
        return "what cannot be printed"
