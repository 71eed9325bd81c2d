"""The texts beside the figures: keys, captions, and the sentences of the paper, each with what a
check says of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from numerics.experiments.boursier_boyer.failed_runs import Failures
from numerics.experiments.boursier_boyer.plan import Plan, RunKey
from numerics.experiments.boursier_boyer.results import Measurements
from proofs_check.reports.figures.boursier_boyer.plots import Figure
from proofs_check.reports.pages.text import spaced

__all__ = [
    "Key",
    "Sentence",
    "caption",
    "diverged",
    "figure_of",
    "keys",
    "left_out",
    "sentences",
    "where_failed",
]

#: Verdicts, strongest first, as the ledger counts them.
VERDICTS = ("PROVED", "CERTIFIED", "ARGUED", "SUPPORTED", "REFUTED", "OPEN")


class Key(NamedTuple):
    """An entry of the key of a figure: what is drawn, in which colour, and what it means."""

    mark: str
    variable: str
    dashes: str
    text: str


class Sentence(NamedTuple):
    """What the paper says, and what a check says of it."""

    #: The claim in the ledger.
    id: str
    #: The sentence of the paper, in short.
    says: str
    verdict: str
    because: str
    figure: int | None
    #: Whether the claim before speaks of the same sentence.
    again: bool = False


def figure_of(id: str) -> int | None:
    """The figure that a claim speaks about, None if it speaks about the experiments as a whole.

    >>> figure_of("BB:S6.f2a"), figure_of("BB:A.fig7/short"), figure_of("BB:A.2.stab")
    (2, 7, None)
    """
    found = re.match(r"BB:(?:S6\.f|A\.fig)([1-8])(?!\d)", id)
    return int(found[1]) if found else None


def sentences(
    claims: Sequence[tuple[str, str, str, str]], figure_of: Callable[[str], int | None] = figure_of
) -> list[Sentence]:
    """Check the claims (id, says, verdict, sentence), and order them: figure by figure, then those
    on the experiments as a whole.
    """
    found = []
    for claim in claims:
        if len(claim) != 4 or not all(isinstance(part, str) for part in claim):
            raise TypeError(f"{claim!r} is no claim; pass (id, says, verdict, sentence), all of them texts")
        id, says, verdict, because = claim
        if verdict not in VERDICTS:
            raise ValueError(f"{id} has the verdict {verdict!r}; take one of {', '.join(VERDICTS)}")
        found.append(Sentence(id, says, verdict, because, figure_of(id)))
    found.sort(key=lambda s: (s.figure is None, s.figure or 0))
    return [s._replace(again=i > 0 and s.says == found[i - 1].says) for i, s in enumerate(found)]


def keys(figure: Figure, plan: Plan) -> list[Key]:
    """The key of a figure: every curve of its panels once, then what else is drawn."""
    found: dict[str, Key] = {}
    for panel in figure.panels:
        for line in panel.lines:
            if line.x.size or line.lost:
                name = line.failed or line.curve
                found.setdefault(name, Key(line.mark or "line", line.variable, line.dashes, name))
    named = list(found.values())
    lines = [line for panel in figure.panels for line in panel.lines]
    if figure.kind == 1 and named:
        named.append(Key("line", "theorem", "5 3", "fitted: c/L above, c/L² below"))
    if any((~line.clear & (line.ceiling > 0)).any() for line in lines):
        named.append(Key("triangle", "muted", "", "no more than this (95 %): not told from 0"))
    if figure.kind in (2, 4) and plan.noise > 0:
        named.append(Key("line", "muted", "1.5 2", f"label noise, {plan.noise / 2:g}"))
    if figure.kind == 2:
        named = [
            key._replace(text=key.text.replace("limit of the flow", "exact limit of the gradient flow"))
            for key in named
        ]
    if figure.kind == 4 and any(line.limit is not None for line in lines):
        named.append(Key("left", "muted", "", "exact limit of the gradient flow"))
    if figure.kind == 2 and plan.settle:
        named.append(
            Key(
                "band",
                "muted",
                "",
                "bar: range of the seeds, and of a run that ended early over its later half",
            )
        )
    elif any((line.seeds > 1).any() for line in lines):
        named.append(Key("band", "muted", "", "range of the seeds, line: the median"))
    if any(line.failed for line in lines):
        named.append(
            Key(
                "open",
                "muted",
                "",
                "hollow: a run that failed, in no median" if figure.kind != 3 else FAILED_PAIR,
            )
        )
    if any(line.lost for line in lines):
        named.append(Key("cross", "muted", "", "a run diverged"))
    return named


#: What a caption adds to the end of the exact flow, and a key to a pair of which a run failed.
ASSUMED_LIMIT = (
    "For softmax attention that is taken to be the least risk: integrated in single cases, not proved."
)
FAILED_PAIR = "hollow: one or both runs of the pair failed, in no median"
CAPTIONS = {
    1: (
        "Both architectures at the same random parameters. Above: the mean square of the difference of their "
        "outputs; below: the squared norm of the difference of the gradients of their risks in (O, V, K, Q), "
        "means over all prompts."
    ),
    2: (
        "Above: the risk E (T − y)² / 2 of the trained models on fresh prompts of the length on which they "
        "were trained; below: the same minus the risk of ridge regression, the best "
        "estimator from the prompt."
    ),
    3: (
        "|θ − θ′|² over all of O, V, K, Q, θ of softmax and θ′ of linear attention. Both start from the same "
        "parameters and see the same prompts."
    ),
    4: "The risk E (T − y)² / 2 on the fresh prompts of each step, averaged between two records.",
}


def caption(figure: Figure, measurements: Measurements) -> str:
    """The caption of a figure: what is drawn, and from how many runs."""
    text = CAPTIONS[figure.kind]
    exact = any(key[0] == figure.covariance for key in measurements.exact)
    if figure.kind == 2 and exact:
        text += (
            " Dashed: where exact gradient flow from the block start of Assumption 5.1 ends; SGD starts "
            f"elsewhere. {ASSUMED_LIMIT}"
        )
    if figure.kind == 4 and exact:
        text += (
            " Triangles: where exact gradient flow from the block start ends (softmax filled, linear "
            f"open). {ASSUMED_LIMIT}"
        )
    plan = measurements.plan
    if figure.kind == 2 and measurements.spread:
        text += (
            " A run of one architecture ends once its risk has settled at that limit. From then on the risk "
            "is drawn as stationary: the point is its value at the last step, and the bar, which most points "
            "hide, its range over the later half of the steps."
        )
    if figure.kind in (3, 4):
        text += f" Runs: {', '.join(f'{plan.seeds_at(L)} at L = {L}' for L in plan.curve_lengths)}."
    if figure.kind > 1 and any(
        plan.seeds_at(L) == 1 for L in (plan.lengths if figure.kind == 2 else plan.curve_lengths)
    ):
        text += (
            f" Single runs have the seed {plan.first_seed}. It was chosen because from others a run fails, "
            "as the paper trained failed runs again with other seeds."
        )
    if figure.kind in (3, 4) and len({plan.steps(panel.variant) for panel in figure.panels}) > 1:
        text += " Grey: beyond the last step of this reading."
    return text


def left_out(plan: Plan) -> list[str]:
    """What the plan leaves out of the whole experiment, `Plan.full`, for the page and the
    terminal.
    """
    full, found = Plan.full(plan.seeds), []
    ends = [(name, full.steps(name)) for name in plan.variants if plan.steps(name) < full.steps(name)]
    if lost := len(set(full.lengths) - set(plan.lengths)):
        found.append(f"{lost} of {len(full.lengths)} prompt lengths of Figures 1, 2, 5 and 6")
    if plan.most_steps is not None and ends:
        to = " and ".join(f"{spaced(steps)} ({name})" for name, steps in ends)
        found.append(f"the steps from {spaced(plan.most_steps)} on to {to}")
    if plan.settle:
        found.append(
            "the steps of a run of one architecture alone after its risk has settled at its exact limit"
        )
    if fewer := [L for L in plan.band_lengths if plan.seeds_at(L) < full.seeds_at(L)]:
        of, at = full.seeds_at(fewer[0]), " and ".join(map(str, fewer))
        found.append(f"{of - plan.seeds_at(fewer[0])} of {of} seeds at L = {at}")
    if plan.gap_seeds < full.gap_seeds:
        found.append(f"{full.gap_seeds - plan.gap_seeds} of {full.gap_seeds} starts of Figures 1 and 5")
    return found


def diverged(measurements: Measurements) -> list[tuple[RunKey, int]]:
    """The runs that did not stay finite, with the step; not a coupled run whose architectures were
    then trained alone.
    """
    runs = measurements.runs
    return [
        (key, run.diverged)
        for key, run in runs.items()
        if run.diverged is not None
        and not (key.attention == "coupled" and key._replace(attention="linear") in runs)
    ]


def where_failed(entry: Failures) -> str:
    """The prompt lengths at which runs failed, with their number where not all of several did.

    >>> failures = {10: [0, 3], 70: [0]}
    >>> where_failed(Failures("isotropic", "as coded", "linear", failures, {10: 5, 20: 1, 70: 1}))
    'L = 10 (2 of 5), 70'
    """
    parts = [
        f"{L}" + (f" ({len(seeds)} of {entry.runs[L]})" if entry.runs[L] > 1 else "")
        for L, seeds in entry.failed.items()
    ]
    return f"L = {', '.join(parts)}"
