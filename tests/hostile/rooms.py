"""The packages whose public names are called, and the names that take nothing from a caller."""

from __future__ import annotations

__all__ = ["ROOMS", "UNTRIED"]

OF_NUMERICS = ("token_laws", "provers", "lemmas", "training", "evidence", "strategies")
ROOMS = ["theory", "numerics", *(f"numerics.{room}" for room in OF_NUMERICS), "proofs_check"]
#: Public names that take nothing from a caller, and why.
UNTRIED = {
    "SaddleError": "an error that is raised, not called",
    "Contradiction": "an error that is raised, not called",
    "CEILING": "a table",
    "Verdict": "an enumeration of Python",
    "Matrices": "an enumeration of Python",
    "Parameters": "a named tuple without checks; `train` checks what is in it",
    "ExactErrors": "what `exact_errors` returns",
    "HowLinear": "what `how_linear` returns",
    "AttentionHeads": "what `attention_heads` returns",
    "LimitParameters": "what `limit_parameters` returns",
    "Training": "what `train` returns",
    "Claim": "made by `claim`",
    "Lemma": "made by `read_lemma`",
}
