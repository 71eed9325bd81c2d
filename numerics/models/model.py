"""A transformer whose heads are looked at: its weights, split into heads, and the states of its
tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.models.families import Family, at_layer, family_of
from numerics.models.files import Weights, open_weights
from numerics.models.head import Head
from numerics.terminal.inputs import InputError, path_of
from theory.inputs.whole_numbers import read_whole
from theory.shown.result import in_a_table

__all__ = ["Model", "read_model"]

Floats = NDArray[np.float64]
#: What config.json may call the number of heads, that of their keys, and what norms add below the
#: root, with what is taken where it says nothing.
HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads")
EPSILONS, EPSILON = ("layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps"), 1e-6
#: Seed of the positions at which tokens stand.
SEED = 0


@dataclass(frozen=True)
class Model:
    """The attention of a transformer, read from its weights; made by `numerics.read_model`."""

    weights: Weights
    family: Family
    prefix: str
    heads: int
    layers: int
    #: Dimension of a state.
    d: int

    def __repr__(self) -> str:
        return (
            f"Model({self.name}: {self.family.name}, {self.layers} layers of {self.heads} heads, "
            f"states of {self.d} numbers)"
        )

    _repr_html_ = in_a_table

    @property
    def name(self) -> str:
        """What the file or folder is called."""
        return self.weights.path.resolve().name

    def head(self, layer: int, number: int, *, rope_distance: int | None = None) -> Head:
        """A head of a layer, both counted from 0. `rope_distance` is how many tokens keys stand
        before the query, where rotary positions turn them; needed there and only there.
        """
        return self.heads_of(layer, [number], rope_distance=rope_distance)[0]

    def heads_of(self, layer: int, numbers: Iterable[int], *, rope_distance: int | None = None) -> list[Head]:
        """Heads of a layer, read together."""
        last = self.layers - 1
        read_whole("layer", layer, f"layers are 0 to {last}", least=0, most=last)
        base = self._base(rope_distance)
        (W_Q, b_Q), (W_K, b_K), (W_V, b_V) = self._parts(layer)
        k = len(W_Q) // self.heads
        of_keys = len(W_K) // k  # heads may share keys and values
        v = len(W_V) // of_keys
        out = []
        for number in numbers:
            most = self.heads - 1
            read_whole("head", number, f"heads are 0 to {most}", least=0, most=most)
            shared = number * of_keys // self.heads
            places = ((number, k), (shared, k), (shared, v))
            q, at, to = (slice(i * size, (i + 1) * size) for i, size in places)
            biases = b_Q[q], b_K[at], b_V[to]
            out.append(Head(layer, number, W_Q[q], W_K[at], W_V[to], *biases, base, rope_distance))
        return out

    def _parts(self, layer: int) -> list[tuple[Floats, Floats]]:
        """Weight and bias of the queries, keys and values of a layer."""
        parts = [self._linear(name, layer) for name in self.family.matrices]
        if len(parts) == 1:
            weight, bias = parts[0]
            of_keys = int(self.weights.config.get("num_key_value_heads") or self.heads)
            k, rest = divmod(len(weight), self.heads + 2 * of_keys)
            if rest:
                raise InputError(
                    f"{len(weight)} rows do not split into queries, keys and values of {self.heads} heads "
                    f"({of_keys} of keys); say the right number by --n-heads"
                )
            ends = [self.heads * k, (self.heads + of_keys) * k]
            parts = list(zip(np.split(weight, ends), np.split(bias, ends)))
        rows = [len(weight) for weight, _ in parts]
        k, rest = divmod(rows[0], self.heads)
        if rest or rows[1] % k or self.heads % (rows[1] // k) or rows[2] % (rows[1] // k):
            raise InputError(
                f"queries, keys and values have {rows} rows, which {self.heads} heads do not share evenly; "
                "say the right number by --n-heads"
            )
        return parts

    def _linear(self, name: str, layer: int) -> tuple[Floats, Floats]:
        """The weight (out, d) and the bias of a part of a layer."""
        plain, _, turned = at_layer(name, layer).partition(":")
        weight = self._array(plain).astype(float)
        weight = weight.T if turned else weight
        if weight.ndim != 2 or weight.shape[1] != self.d:
            raise InputError(
                f"{plain} has shape {weight.shape[:: -1 if turned else 1]}, and states have {self.d} "
                "numbers; a name that ends in :T says that an array is in x out"
            )
        return weight, self._bias(plain, len(weight))

    def _bias(self, name: str, size: int) -> Floats:
        """The bias of a part, zero where there is none."""
        full = f"{self.prefix}{name.removesuffix('.weight')}.bias"
        bias = self.weights[full].astype(float) if full in self.weights else np.zeros(size)
        if bias.shape != (size,):
            raise InputError(f"{full} has shape {bias.shape}; it must be {size} numbers")
        return bias

    def _array(self, name: str) -> NDArray[np.float32]:
        full = self._full(name)
        if full is None:
            raise InputError(
                f"{self.weights.path} has no array {self.prefix}{name}.weight, as {self.family.name} models "
                "do; if it is of another family, name its parts by --name"
            )
        return self.weights[full]

    def _full(self, name: str) -> str | None:
        """The name in the file of what a family calls so, if it is there."""
        known = (f"{self.prefix}{name}{end}" for end in (".weight", ""))
        return next((full for full in known if full in self.weights), None)

    def _base(self, distance: int | None) -> float | None:
        """The base of rotary positions, if the model has them."""
        if not self.family.rotary:
            if distance is not None:
                raise InputError(
                    f"{self.family.name} models have no rotary positions; leave --rope-distance out"
                )
            return None
        if distance is None:
            raise InputError(
                "this model turns queries and keys by their positions (RoPE), so that scores depend on how "
                "far tokens are apart, which the theory does not cover; give the number of tokens by which "
                "all keys are taken to stand before the query, as --rope-distance 0"
            )
        read_whole("rope_distance", distance, "it is a number of tokens", least=0)
        if distance and self.stretched:
            raise InputError(
                "this model stretches its rotary positions, which is not read here; give --rope-distance 0, "
                "for which that makes no difference"
            )
        nested = self.weights.config.get("rope_parameters") or {}
        return float(self.weights.config.get("rope_theta") or nested.get("rope_theta") or 1e4)

    @property
    def stretched(self) -> bool:
        """Whether rotary positions are other than the plain ones."""
        config = self.weights.config
        nested = config.get("rope_scaling") or config.get("rope_parameters") or {}
        return bool(nested.get("rope_type", nested.get("type", "default")) != "default")

    def table(self) -> NDArray[np.float32]:
        """The states (n, d) of all tokens before the first layer: the rows of the table, each at a
        position drawn once and of the first type, after the norm of the embeddings if there is one.
        """
        family = self.family
        if not family.table:
            raise InputError(
                f"no table of tokens is known of {family.name} models; give states before a layer by "
                "--tokens or --states"
            )
        states = self._array(family.table)
        if states.ndim != 2 or states.shape[1] != self.d:
            raise InputError(
                f"{family.table} has shape {states.shape}, and states have {self.d} numbers; give the states "
                "before a layer by --tokens"
            )
        if family.types and self._full(family.types):
            states = states + self._array(family.types)[0]
        if family.positions and self._full(family.positions):
            positions = self._array(family.positions)
            states = states + positions[np.random.default_rng(SEED).integers(0, len(positions), len(states))]
        return self._normed(states, family.table_norm) if family.table_norm else states

    @property
    def says_table(self) -> str:
        """What `table` takes for the states of tokens, as a sentence for reports."""
        family = self.family
        added = [
            words
            for name, words in (
                (family.types, "the embedding of the first type"),
                (family.positions, "that of a position which is drawn once for each row"),
            )
            if name and self._full(name)
        ]
        normed = ", after the norm of the embeddings" if family.table_norm else ""
        return f"the rows of {family.table}" + "".join(f", plus {words}" for words in added) + normed

    def seen(self, states: NDArray[Any], layer: int) -> NDArray[Any]:
        """States (n, d) before a layer as its queries, keys and values see them: after its norm, if
        it has one before attention.
        """
        return self._normed(states, at_layer(self.family.norm, layer)) if self.family.norm else states

    def _normed(self, states: NDArray[Any], name: str) -> NDArray[Any]:
        x = states if self.family.rms else states - states.mean(-1, keepdims=True)
        epsilon = next((self.weights.config[e] for e in EPSILONS if e in self.weights.config), EPSILON)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)
        return np.asarray(x * self._array(name) + self._bias(name, self.d), dtype=states.dtype)


def read_model(path: Any, *, names: Mapping[str, str] | None = None, n_heads: int | None = None) -> Model:
    """Read the attention of a transformer from its weights.

    Parameters
    ----------
    path : str or Path
        A folder with ``*.safetensors`` and ``config.json``, as Hugging Face keeps it, or a file
        ``.safetensors``, ``.npz`` or ``.onnx``. Names of BERT, GPT-2, LLaMA and ViT are known.
    names : mapping of str to str, optional
        Own names by part: ``query``, ``key`` and ``value``, or ``fused`` for all three in one
        matrix, and where they exist ``norm``, ``table``, ``positions``, ``types``, ``table_norm``.
        ``{layer}`` stands for the number of a layer, and ``:T`` at the end of a name says that the
        array is in x out. The bias of ``NAME.weight`` is ``NAME.bias``.
    n_heads : int, optional
        Heads of a layer; by default what config.json says.

    Returns
    -------
    Model
        With ``heads``, ``layers`` and ``d``, the states ``table()`` of its tokens, ``seen(states,
        layer)``, which applies the norm before a layer, and ``head(layer, number)``, whose
        ``setting(table, state)`` is what `how_linear` takes.

    Raises
    ------
    TypeError
        If the path is none, or a number is not whole.
    ValueError
        If no file can be read as weights, no names are known, or shapes do not fit. It is an
        `InputError`, whose message says what to do.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> rng, folder = np.random.default_rng(0), pathlib.Path(tempfile.mkdtemp())
    >>> parts = {f"layers.0.{part}": rng.standard_normal((4, 4)) for part in "qkv"}
    >>> np.savez(folder / "tiny.npz", table=rng.standard_normal((9, 4)), **parts)
    >>> names = dict(query="layers.{layer}.q", key="layers.{layer}.k", value="layers.{layer}.v")
    >>> read_model(folder / "tiny.npz", names=names | {"table": "table"}, n_heads=2)
    Model(tiny.npz: own names, 1 layers of 2 heads, states of 4 numbers)
    """
    weights = open_weights(path_of("path", path))
    family, prefix = family_of(weights, dict(names or {}))
    known = next((weights.config[name] for name in HEADS if name in weights.config), None)
    if n_heads is None and known is None:
        raise InputError(f"no config.json says how many heads {weights.path} has; give --n-heads (n_heads)")
    heads = read_whole(
        "n_heads", known if n_heads is None else n_heads, "it is the number of heads of a layer"
    )
    plain, _, turned = family.matrices[0].partition(":")
    shape = re.compile(re.escape(prefix + plain).replace(r"\{layer\}", r"(\d+)") + r"(\.weight)?")
    layers = {
        int(m[1]): name for name in weights.readers if (m := shape.fullmatch(name)) and shape.groups == 2
    }
    if set(layers) != set(range(len(layers))) or not layers:
        raise InputError(
            f"{weights.path} has no layers 0, 1, ... of the name {prefix}{plain}; write {{layer}} where the "
            "number of the layer stands"
        )
    first = weights[layers[0]]
    if first.ndim != 2:
        raise InputError(f"{layers[0]} has shape {first.shape}; a matrix is needed, with two axes")
    return Model(weights, family, prefix, heads, len(layers), first.shape[0 if turned else 1])
