"""Provers: inequalities over whole domains (`forall`), identities, and enclosures of integrals."""

from __future__ import annotations

# Not lazily: a module that is imported after its namesake would take the function's place in this
# package.
from numerics.provers.forall import forall
from numerics.provers.identity import identity, trace_identity
from numerics.provers.integral import integral, integral_evidence
from numerics.provers.statement import Closed, Integers

__all__ = ["Closed", "Integers", "forall", "identity", "integral", "integral_evidence", "trace_identity"]
