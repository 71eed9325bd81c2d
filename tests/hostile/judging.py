"""Whether a call with hostile arguments ended well: with a result, or with an error of ours."""

from __future__ import annotations

import dataclasses
import dis
import math
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Outcome", "fault_of", "judged", "numbers"]

ROOT = Path(__file__).parents[2]
PACKAGES = tuple(str(ROOT / name) for name in ("theory", "numerics", "proofs_check"))
#: Seconds after which a call counts as one that does not end.
PATIENCE = 60.0
#: Fields of results that differ from run to run, or are not defined for samples that are constant.
UNSTEADY = ("seconds", "skewness", "kurtosis")


@dataclasses.dataclass
class Outcome:
    """What came of a call: ``fault`` is empty if it ended well."""

    fault: str = ""
    refused: bool = False
    result: Any = None
    seconds: float = 0.0


class Stuck(BaseException):
    """A call that did not end."""


def _out_of_patience(number: int, frame: Any) -> None:
    raise Stuck(f"no end after {PATIENCE:.0f} s")


def judged(call: Callable[[], Any]) -> Outcome:
    """Make a call; warnings count as errors."""
    began = time.perf_counter()
    outcome = Outcome()
    before = signal.signal(signal.SIGALRM, _out_of_patience)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            outcome.result = call()
        except Exception as error:
            outcome.fault, outcome.refused = fault_of(error), True
        except Stuck as error:
            outcome.fault = fault_of(error)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    outcome.seconds = time.perf_counter() - began
    if not outcome.fault and outcome.seconds > PATIENCE:
        outcome.fault = f"took {outcome.seconds:.0f} s"
    return outcome


def fault_of(error: BaseException) -> str:
    """What is wrong with an error: nothing if a line of ours raised it with a message."""
    trace = error.__traceback__
    assert trace is not None
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    said = str(error)
    place = "".join(traceback.format_tb(error.__traceback__)[-1:]).strip().splitlines()[0]
    ours = code.co_filename.startswith(PACKAGES)
    steps = dis.get_instructions(code)
    raised = any(i.offset == trace.tb_lasti and i.opname == "RAISE_VARARGS" for i in steps)
    exact = (ArithmeticError, RuntimeError)
    kind = isinstance(error, (ValueError, TypeError, KeyError)) or type(error) in exact
    if kind and ours and raised and said.strip():
        return ""
    ours_last = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(PACKAGES)]
    at = f"{Path(ours_last[-1].filename).relative_to(ROOT)}:{ours_last[-1].lineno}" if ours_last else place
    return f"{type(error).__name__} at {at}: {' '.join(said.split()):.150}"


def numbers(result: Any) -> Iterator[float]:
    """Every floating-point number in a result, in order."""
    if isinstance(result, (float, np.floating)):
        yield float(result)
    elif isinstance(result, np.ndarray) and result.dtype.kind in "fiu":
        yield from map(float, result.ravel())
    elif isinstance(result, (list, tuple)):
        for one in result:
            yield from numbers(one)
    elif isinstance(result, Mapping):
        yield from numbers(list(result.values()))
    elif dataclasses.is_dataclass(result) and not isinstance(result, type):
        names = (field.name for field in dataclasses.fields(result) if field.name not in UNSTEADY)
        yield from numbers([getattr(result, name) for name in names])


def differs(result: Any, reference: Any) -> str:
    """In what a result differs from that of the same numbers in another form; empty if nowhere."""
    found, known = list(numbers(result)), list(numbers(reference))
    if len(found) != len(known):
        return f"{len(found)} numbers in place of {len(known)}"
    for one, other in zip(found, known):
        both_nan = math.isnan(one) and math.isnan(other)
        if not both_nan and not math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12):
            return f"{one} in place of {other}"
    return ""
