"""Provers decide statements over whole domains: inequalities (`forall`), identities of scalars
(`identity`) and of matrix words (`trace_identity`), and integrals (`integral`). `computed` names
what stands in a side.
"""

from __future__ import annotations

from numerics.provers.as_written import computed
from numerics.provers.identities import identity, trace_identity
from numerics.provers.inequalities import forall
from numerics.provers.integrals import integral, integral_evidence
from numerics.provers.statements.statement import Closed, Integers

__all__ = [
    "Closed",
    "Integers",
    "computed",
    "forall",
    "identity",
    "integral",
    "integral_evidence",
    "trace_identity",
]
