"""What the parts of attention are called in the files of BERT, GPT-2, LLaMA and ViT models, and
in those of a user who says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from numerics.models.files import Weights
from numerics.terminal.inputs import InputError

__all__ = ["FAMILIES", "PARTS", "Family", "at_layer", "family_of"]


@dataclass(frozen=True)
class Family:
    """Names of arrays without ``.weight`` and ``.bias``, {layer} for the number of a layer. An
    array is out x in, as PyTorch has it, or in x out if its name ends with ``:T``.
    """

    name: str
    #: Of one layer: the matrices of the queries, keys and values of all heads, or the one that has
    #: them one below the other; the norm before them, if there is one.
    matrices: tuple[str, ...]
    norm: str = ""
    #: The table of tokens, what is added to it for position and type, and the norm of the sum.
    table: str = ""
    positions: str = ""
    types: str = ""
    table_norm: str = ""
    #: Whether norms divide by the root mean square only, a token sees only those before it, and
    #: queries and keys are turned by their positions.
    rms: bool = False
    causal: bool = False
    rotary: bool = False
    #: What config.json calls models that are known to be so.
    known: tuple[str, ...] = ()


def _three(pattern: str, *parts: str) -> tuple[str, ...]:
    """The names of queries, keys and values by one pattern, with * for the part."""
    return tuple(pattern.replace("*", part) for part in parts or ("query", "key", "value"))


_LLAMA = Family(
    "LLaMA",
    _three("layers.{layer}.self_attn.*_proj", "q", "k", "v"),
    norm="layers.{layer}.input_layernorm",
    table="embed_tokens",
    rms=True,
    causal=True,
    rotary=True,
    known=("llama", "mistral", "mixtral", "qwen2", "phi3"),
)
FAMILIES = (
    Family(
        "BERT",
        _three("encoder.layer.{layer}.attention.self.*"),
        table="embeddings.word_embeddings",
        positions="embeddings.position_embeddings",
        types="embeddings.token_type_embeddings",
        table_norm="embeddings.LayerNorm",
        known=("bert", "roberta", "xlm-roberta", "camembert"),
    ),
    Family(
        "GPT-2",
        ("h.{layer}.attn.c_attn:T",),
        norm="h.{layer}.ln_1",
        table="wte",
        positions="wpe",
        causal=True,
        known=("gpt2",),
    ),
    _LLAMA,
    replace(_LLAMA, matrices=("layers.{layer}.self_attn.qkv_proj",)),
    Family(
        "ViT",
        _three("encoder.layer.{layer}.attention.attention.*"),
        norm="encoder.layer.{layer}.layernorm_before",
        known=("vit", "deit"),
    ),
    Family("ViT", ("blocks.{layer}.attn.qkv",), norm="blocks.{layer}.norm1"),
)
#: The parts that a user may name; those after the matrices in the order of `Family`.
PARTS = ("query", "key", "value", "fused", "norm", "table", "positions", "types", "table_norm")
#: What a model may be configured to do that makes its scores other than those here, by the name in
#: config.json: when, and what is then true.
REFUSED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "model_type": (lambda x: str(x).startswith(("gemma", "cohere")), "its norms are of another kind"),
    "position_embedding_type": (lambda x: x not in (None, "absolute"), "scores depend on positions"),
    "scale_attn_by_inverse_layer_idx": (bool, "scores are divided by the number of the layer"),
    "scale_attn_weights": (lambda x: x is False, "scores are not divided by the root of d_head"),
    "attn_logit_softcapping": (bool, "scores are bent by a tanh"),
    "attention_multiplier": (bool, "scores are multiplied by it"),
    "partial_rotary_factor": (lambda x: x not in (None, 1, 1.0), "a part of each head is turned"),
}


def family_of(weights: Weights, names: Mapping[str, str]) -> tuple[Family, str]:
    """The family that a model is of, and what stands before all its names; from a user's `names`
    by part, or by what is there.
    """
    for name, (wrong, why) in REFUSED.items():
        if wrong(weights.config.get(name)):
            raise InputError(
                f"the model of {weights.path} has {name} = {weights.config[name]!r:.60}: {why}, which is not "
                "read here; save the states and matrices of a head, and use --tokens, --K, --Q and --V"
            )
    if names:
        return _own(names), ""
    for family in FAMILIES:
        pattern = re.compile(r"(.*?\b|)" + re.escape(_first(family)) + r"\.weight")
        found = [match[1] for name in weights.readers if (match := pattern.fullmatch(name))]
        if found:
            prefix = min(found, key=len)
            normed = f"{prefix}{_first(family).rpartition('.')[0]}.q_norm.weight"
            if normed in weights:
                raise InputError(
                    f"{normed} says that queries and keys are normalised before scores are taken, which are "
                    "then not bilinear: no linear attention V Gamma U z belongs to them; take another model"
                )
            moved = f"{prefix}{at_layer(family.norm, 0)}.bias"
            if family.rms and moved in weights:
                raise InputError(
                    f"{moved} says that the norms of this model are no RMS norms, as those of {family.name} "
                    "models are; name its parts, as --name query=" + family.matrices[0]
                )
            return family, prefix
    some, known = ", ".join(sorted(weights.readers)[:3]), ", ".join(dict.fromkeys(f.name for f in FAMILIES))
    raise InputError(
        f"{weights.path} has none of the names of {known} (it has {some} ...); name the parts, as "
        "--name query=blocks.{layer}.wq --name key=blocks.{layer}.wk"
    )


def at_layer(name: str, layer: int) -> str:
    """The name of a part of a layer.

    >>> at_layer("h.{layer}.attn:T", 3)
    'h.3.attn:T'
    """
    return name.replace("{layer}", str(layer))


def _first(family: Family) -> str:
    return at_layer(family.matrices[0].removesuffix(":T"), 0)


def _own(names: Mapping[str, str]) -> Family:
    """The family that a user describes."""
    if unknown := [part for part in names if part not in PARTS]:
        raise InputError(f"there is no part {unknown[0]!r:.40}; the parts are {', '.join(PARTS)}")
    given = {part: name for part, name in names.items() if part in PARTS[:4]}
    if set(given) not in ({"fused"}, set(PARTS[:3])):
        raise InputError(
            f"names are given for {', '.join(given) or 'no matrix'}; needed are those of query, key and "
            "value, or that of fused, which has all three one below the other"
        )
    matrices = (names["fused"],) if "fused" in names else tuple(names[part] for part in PARTS[:3])
    norm, table, positions, types, table_norm = (names.get(part, "") for part in PARTS[4:])
    return Family("own names", matrices, norm, table, positions, types, table_norm)
