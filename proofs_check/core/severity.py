"""How grave an error is, what it costs the paper, and what a claim must say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["COSTS", "SEVERITIES", "by_severity", "counted", "in_words", "lost", "misdeclared"]

#: What can be wrong, the gravest first: the statement fails in its own regime; a step of a proof
#: fails or a hypothesis is missing; the statement fails at degenerate points only; the authors'
#: code does otherwise than the text says; a slip of notation.
SEVERITIES = ("false", "gap", "edge", "text and code", "typo")
_NAMES = {
    "false": ("false", "false"),
    "gap": ("gap", "gaps"),
    "edge": ("edge case", "edge cases"),
    "text and code": ("text against code", "text against code"),
    "typo": ("typo", "typos"),
    "not declared": ("not declared", "not declared"),
}
#: What an error costs once it is mended, the least first.
COSTS = ("nothing", "constants", "a hypothesis", "the theorem")
_LOST = {
    "nothing": "",
    "constants": "constants change",
    "a hypothesis": "it needs a hypothesis more",
    "the theorem": "the theorem is lost",
}
#: The longest reason that can be read at a glance.
LONGEST_REASON = 200


def by_severity(entry: Mapping[str, Any]) -> tuple[int, int]:
    """Key that sorts entries of a ledger, the gravest error first, of equal ones that which costs
    most, and what is declared no error last.

    >>> errors = [("", ""), ("gap", "nothing"), ("gap", "a hypothesis"), ("false", "nothing")]
    >>> entries = [{"severity": severity, "costs": costs} for severity, costs in errors]
    >>> [f"{e['severity']}, {e['costs']}" for e in sorted(entries, key=by_severity)]
    ['false, nothing', 'gap, a hypothesis', 'gap, nothing', ', ']
    """
    known = SEVERITIES.index(entry["severity"]) if entry["severity"] else len(SEVERITIES)
    return known, -COSTS.index(entry["costs"]) if entry["costs"] in COSTS else 0


def in_words(error: Mapping[str, Any]) -> str:
    """What is wrong with a refuted entry of a ledger, in a few words.

    >>> in_words({"id": "BB:X/inference", "severity": "gap", "costs": "constants"})
    'a gap in its proof'
    >>> in_words({"id": "BB:X", "severity": "gap", "costs": "a hypothesis"})
    'a missing hypothesis'
    """
    severity = error["severity"]
    if severity == "gap":
        if error["id"].endswith("/inference"):
            return "a gap in its proof"
        return "a missing hypothesis" if error["costs"] == "a hypothesis" else "a false step"
    if severity == "edge":
        return f"false at {error['at']} only"
    words = {
        "false": "false in its own regime",
        "text and code": "text and code differ",
        "typo": "a slip of notation",
    }
    return words.get(severity, "false, which its claim does not declare")


def lost(costs: str) -> str:
    """What the paper loses by an error that is mended, a sentence without capital and full stop;
    empty if nothing.

    >>> lost("the theorem")
    'the theorem is lost'
    """
    return _LOST.get(costs, "what the paper loses is not declared")


def counted(errors: Iterable[tuple[str, bool]]) -> str:
    """How many errors there are of each severity; those that follow from others, as the second of
    each pair says, are counted apart.

    >>> counted([("false", False), ("edge", False), ("edge", False), ("gap", True)])
    '1 false, 2 edge cases (1 more follows from these)'
    >>> counted([])
    'nothing is false as printed'
    """
    listed = list(errors)
    found = Counter(severity for severity, follows in listed if not follows)
    parts = [f"{n} {(one if n == 1 else more)}" for s, (one, more) in _NAMES.items() if (n := found[s])]
    following = sum(follows for _, follows in listed)
    tail = f" ({following} more follow{'s' if following == 1 else ''} from these)" if following else ""
    return (", ".join(parts) + tail) or "nothing is false as printed"


def misdeclared(said: Mapping[str, Any]) -> str:
    """What is wrong with the declaration of an error, in the keywords of
    `proofs_check.core.claim.claim`; empty if nothing is.

    >>> misdeclared({"false": "slip"})
    "false='slip' is none of false, gap, edge, text and code, typo; say how grave the error is"
    >>> misdeclared({"false": "edge", "why": "ln 1 = 0", "instead": "L >= 2", "costs": "nothing"})
    "an edge names its degenerate points: give at=, such as 'L = 1'"
    """
    false, why = said.get("false", ""), said.get("why", "")
    of_errors = [
        k for k in ("at", "follows", "why", "details", "instead", "costs", "repair", "robust") if said.get(k)
    ]
    if not false:
        return (
            f"{', '.join(of_errors)} belong to a false statement; declare false= or drop them"
            if of_errors
            else ""
        )
    if false not in SEVERITIES:
        return f"false={false!r} is none of {', '.join(SEVERITIES)}; say how grave the error is"
    if said.get("open"):
        return "a claim is declared false or open, not both; drop one"
    if not (why.strip() and said.get("instead", "").strip()):
        return "tell the author why the printed line fails (why=) and what is true instead (instead=)"
    if len(why) > LONGEST_REASON or "\n" in why:
        return (
            f"why= has {len(why)} characters; say in one line of at most {LONGEST_REASON} what fails, the "
            "rest in details="
        )
    if said.get("costs") not in COSTS:
        return (
            f"costs={said.get('costs')!r} is none of {', '.join(COSTS)}; say what the error costs the paper"
        )
    if false == "false" and said["costs"] == "a hypothesis":
        return (
            "what costs a hypothesis is a gap, for the statement lacks one: give false='gap' without "
            "robust=, or another cost"
        )
    if (false == "edge") != bool(said.get("at")):
        return (
            "an edge names its degenerate points: give at=, such as 'L = 1'"
            if false == "edge"
            else "at= belongs to an edge"
        )
    if (false == "false") != (said.get("robust") is not None):
        need = "false='false' needs a robust witness: give robust=, or call it a gap or an edge"
        return need if false == "false" else "robust= belongs to false='false'"
    return ""
