"""Tiny transformers with random weights in the files of each family, and what a layer of each does,
written down from its definition and without the package.
"""

from __future__ import annotations

import json

import numpy as np

__all__ = ["FAMILIES", "REFERENCES", "arrays_of", "save"]

D, HEADS, LAYERS, TOKENS = 8, 4, 2, 30
ROPE = 100.0
CONFIGS = {
    "BERT": dict(num_attention_heads=HEADS, layer_norm_eps=1e-3),
    "GPT-2": dict(n_head=HEADS, layer_norm_epsilon=1e-3),
    "LLaMA": dict(num_attention_heads=HEADS, num_key_value_heads=2, rms_norm_eps=1e-3, rope_theta=ROPE),
    "Phi-3": dict(num_attention_heads=HEADS, num_key_value_heads=2, rms_norm_eps=1e-3, rope_theta=ROPE),
    "ViT": dict(num_attention_heads=HEADS, layer_norm_eps=1e-3),
    "timm": dict(num_heads=HEADS),
}
FAMILIES = list(CONFIGS)


def arrays_of(family, seed=0):
    """The arrays of a model by their names, in single precision."""
    rng = np.random.default_rng(seed)
    draw = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    out = {}

    def linear(name, rows, *, conv=False, bias=True):
        out[f"{name}.weight"] = draw(D, rows) if conv else draw(rows, D)
        if bias:
            out[f"{name}.bias"] = draw(rows)

    def norm(name, *, bias=True):
        out[f"{name}.weight"] = 1 + draw(D) / 4
        if bias:
            out[f"{name}.bias"] = draw(D)

    for i in range(LAYERS):
        if family == "BERT":
            for part in ("query", "key", "value"):
                linear(f"bert.encoder.layer.{i}.attention.self.{part}", D)
        elif family == "GPT-2":
            linear(f"transformer.h.{i}.attn.c_attn", 3 * D, conv=True)
            norm(f"transformer.h.{i}.ln_1")
        elif family == "LLaMA":
            for part, rows in (("q", D), ("k", D // 2), ("v", D // 2)):
                linear(f"model.layers.{i}.self_attn.{part}_proj", rows)
            norm(f"model.layers.{i}.input_layernorm", bias=False)
        elif family == "Phi-3":
            linear(f"model.layers.{i}.self_attn.qkv_proj", 2 * D, bias=False)
            norm(f"model.layers.{i}.input_layernorm", bias=False)
        elif family == "ViT":
            for part in ("query", "key", "value"):
                linear(f"vit.encoder.layer.{i}.attention.attention.{part}", D)
            norm(f"vit.encoder.layer.{i}.layernorm_before")
        else:
            linear(f"blocks.{i}.attn.qkv", 3 * D)
            norm(f"blocks.{i}.norm1")
    if family == "BERT":
        embeddings = "bert.embeddings"
        out[f"{embeddings}.word_embeddings.weight"] = draw(TOKENS, D)
        out[f"{embeddings}.position_embeddings.weight"] = draw(12, D)
        out[f"{embeddings}.token_type_embeddings.weight"] = draw(2, D)
        norm(f"{embeddings}.LayerNorm")
    elif family == "GPT-2":
        out |= {"transformer.wte.weight": draw(TOKENS, D), "transformer.wpe.weight": draw(12, D)}
    elif family in ("LLaMA", "Phi-3"):
        out["model.embed_tokens.weight"] = draw(TOKENS, D)
    return out


def save(family, folder, kind="npz", arrays=None):
    """Write a model with its config.json, and return the file."""
    arrays = arrays_of(family) if arrays is None else arrays
    path = folder / f"model.{kind}"
    if kind == "npz":
        np.savez(path, **arrays)
    elif kind == "safetensors":
        from safetensors.numpy import save_file

        save_file(arrays, path)
    else:
        import onnx

        made = [onnx.numpy_helper.from_array(x, name) for name, x in arrays.items()]
        onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], made)), path)
    (folder / "config.json").write_text(json.dumps(CONFIGS[family]))
    return path


def layer_norm(x, arrays, name, eps):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt(centred.var(-1, keepdims=True) + eps)
    return scaled * arrays[f"{name}.weight"] + arrays[f"{name}.bias"]


def rms_norm(x, arrays, name, eps):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * arrays[f"{name}.weight"]


def split(arrays, name, x, *, conv=False):
    """Rows of W x + b."""
    W = arrays[f"{name}.weight"].astype(float)
    return x @ (W if conv else W.T) + arrays.get(f"{name}.bias", 0.0)


def bert(arrays, x, i):
    name = f"bert.encoder.layer.{i}.attention.self"
    return [split(arrays, f"{name}.{part}", x) for part in ("query", "key", "value")]


def gpt2(arrays, x, i):
    x = layer_norm(x, arrays, f"transformer.h.{i}.ln_1", 1e-3)
    return np.split(split(arrays, f"transformer.h.{i}.attn.c_attn", x, conv=True), 3, axis=-1)


def llama(arrays, x, i):
    x = rms_norm(x, arrays, f"model.layers.{i}.input_layernorm", 1e-3)
    return [split(arrays, f"model.layers.{i}.self_attn.{part}_proj", x) for part in "qkv"]


def phi3(arrays, x, i):
    x = rms_norm(x, arrays, f"model.layers.{i}.input_layernorm", 1e-3)
    return np.split(split(arrays, f"model.layers.{i}.self_attn.qkv_proj", x), [D, D + D // 2], axis=-1)


def vit(arrays, x, i):
    x = layer_norm(x, arrays, f"vit.encoder.layer.{i}.layernorm_before", 1e-3)
    name = f"vit.encoder.layer.{i}.attention.attention"
    return [split(arrays, f"{name}.{part}", x) for part in ("query", "key", "value")]


def timm(arrays, x, i):
    x = layer_norm(x, arrays, f"blocks.{i}.norm1", 1e-6)
    return np.split(split(arrays, f"blocks.{i}.attn.qkv", x), 3, axis=-1)


PARTS = {"BERT": bert, "GPT-2": gpt2, "LLaMA": llama, "Phi-3": phi3, "ViT": vit, "timm": timm}


def rotate(x, position):
    """Pairs (x_j, x_{j + k/2}) turned by position / base^{2j/k}, as complex numbers."""
    k = x.shape[-1]
    z = x[..., : k // 2] + 1j * x[..., k // 2 :]
    z = z * np.exp(1j * position / ROPE ** (2 * np.arange(k // 2) / k))
    return np.concatenate([z.real, z.imag], axis=-1)


def reference(family):
    """A function (arrays, prompt (L, d), query state (d,), layer, head, distance) to T_L."""

    def answer(arrays, prompt, state, i, head, distance=0):
        k = D // HEADS
        _, keys, values = PARTS[family](arrays, prompt, i)
        query = PARTS[family](arrays, state, i)[0][head * k : (head + 1) * k]
        own = head if keys.shape[-1] == D else head // 2
        keys, values = (x[:, own * k : (own + 1) * k] for x in (keys, values))
        if family in ("LLaMA", "Phi-3"):
            query, keys = rotate(query, 7 + distance), rotate(keys, 7)
        scores = keys @ query / np.sqrt(k)
        p = np.exp(scores - scores.max())
        return p / p.sum() @ values

    return answer


REFERENCES = {family: reference(family) for family in FAMILIES}
