"""The rules of the kernel, each stated and proved in its docstring.

All others, such as Jensen's inequality, are derived from them (`numerics.derivations.derived`).
"""

from numerics.derivations.kernel.arithmetic import arithmetic
from numerics.derivations.kernel.flows import begin, continuation, every_number, fall, until
from numerics.derivations.kernel.integrals import (
    choose,
    exchange,
    gaussian,
    integrate,
    limit,
    open_event,
    same_covariance,
)
from numerics.derivations.kernel.judgements import assume, equal, replace, specialise, then
from numerics.derivations.kernel.tasks import at_task

__all__ = [
    "arithmetic",
    "assume",
    "at_task",
    "begin",
    "choose",
    "continuation",
    "equal",
    "every_number",
    "exchange",
    "fall",
    "gaussian",
    "integrate",
    "limit",
    "open_event",
    "replace",
    "same_covariance",
    "specialise",
    "then",
    "until",
]
