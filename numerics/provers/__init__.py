"""Provers: inequalities over whole domains (`forall`), identities, and enclosures of integrals."""

from __future__ import annotations

from numerics.provers.identities import identity, trace_identity
from numerics.provers.inequalities import forall
from numerics.provers.integrals import integral, integral_evidence
from numerics.provers.statements.statement import Closed, Integers

__all__ = ["Closed", "Integers", "forall", "identity", "integral", "integral_evidence", "trace_identity"]
