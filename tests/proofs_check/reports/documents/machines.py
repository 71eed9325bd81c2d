"""Entries of claims whose numbers depend on the processor, and the settings of a plain one.

``python -m tests.proofs_check.reports.documents.machines`` prints the entries as JSON.
"""

import json
import os
from dataclasses import replace
from importlib import import_module

import numpy as np
import sympy as sp

from numerics.attention.exact.softmax_average import error_squared, symbol
from numerics.counterexamples.worst_case.families import TWO_ATOMS
from numerics.counterexamples.worst_case.statement import Tail
from numerics.counterexamples.worst_case.worst_average import worst_ratio
from proofs_check.core.claim import REGISTRY
from proofs_check.core.judging import entry, row_of
from theory.bounds.concentration import beta

#: Claims whose tightest points, slacks, or witnesses of controls move, and their modules.
MOVING = {
    "BB:LF.1.iii": "boursier_boyer.dynamics.lemma_f1",
    "COL:G.3/small.upper": "collins.concentration.caps",
    "LDL:eq9-u": "li_duan_liang.setting.concentration",
}


def plain():
    """The environment in which this processor counts as one without wide vectors and FMA."""
    core = import_module(f"{'numpy._core' if hasattr(np, '_core') else 'numpy.core'}._multiarray_umath")
    wide = [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]
    blas = {"OPENBLAS_CORETYPE": "Nehalem", "OPENBLAS_NUM_THREADS": "2"}
    return {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(wide), "NUMBA_CPU_NAME": "generic", **blas}


def searched():
    """What a search says of Lemma C.1's bound: it climbs the same peak and stops elsewhere."""
    L, a2, K, delta = *map(symbol, ("L", "a2", "F4")), sp.Symbol("delta", positive=True)
    tail = Tail(error_squared, ">", 27 * beta(L, a2, delta, K, c=1) ** 2, delta)
    return worst_ratio(tail, "<=", 4 * delta, families=(replace(TWO_ATOMS, lengths=(300,)),)).to_json()


def judged():
    """The entries of the claims."""
    for module in MOVING.values():
        import_module(f"proofs_check.{module}")
    claims = [REGISTRY[id] for id in MOVING]
    return [entry(claim, claim.judge(), row_of(claim)) for claim in claims]


if __name__ == "__main__":
    print(json.dumps({"judged": judged(), "searched": searched()}))
