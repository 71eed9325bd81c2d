"""The rules of the kernel, each stated and proved in its docstring.

All others, such as Jensen's inequality, are derived from them (`numerics.derivations.derived`).
"""

from numerics.derivations.kernel.arithmetic import arithmetic
from numerics.derivations.kernel.classes import same_classes
from numerics.derivations.kernel.flows import antitone, begin, continuation, every_number, until
from numerics.derivations.kernel.independence import independent
from numerics.derivations.kernel.integrals import (
    choose,
    exchange,
    gaussian,
    integrate,
    limit,
    open_event,
    same_covariance,
)
from numerics.derivations.kernel.judgements import assume, discharge, equal, gcongr, instantiate, trans
from numerics.derivations.kernel.steps import induction
from numerics.derivations.kernel.tasks import at_task
from numerics.derivations.kernel.uniqueness import unique

__all__ = [
    "antitone",
    "arithmetic",
    "assume",
    "at_task",
    "begin",
    "choose",
    "continuation",
    "discharge",
    "equal",
    "every_number",
    "exchange",
    "gaussian",
    "gcongr",
    "independent",
    "induction",
    "instantiate",
    "integrate",
    "limit",
    "open_event",
    "same_classes",
    "same_covariance",
    "trans",
    "unique",
    "until",
]
