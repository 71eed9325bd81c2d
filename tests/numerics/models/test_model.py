"""Models of each family are read so that their heads do what the family's definition says."""

import json
import sys

import numpy as np
import pytest

from numerics import attention_heads, how_linear, read_model
from numerics.terminal.inputs import InputError
from tests.numerics.models.layers import FAMILIES, HEADS, LAYERS, REFERENCES, TOKENS, D, arrays_of, save
from tests.numerics.models.needed import need

RNG = np.random.default_rng(3)
PROMPT, STATE = RNG.standard_normal((9, D)), RNG.standard_normal(D)
ROTARY = ("LLaMA", "Phi-3")


def output(model, prompt, state, layer, number, distance):
    """T_L of a head as it was read."""
    head = model.head(layer, number, rope_distance=distance)
    seen = model.seen(prompt, layer)
    scores = seen @ head.W_K.T @ head.queries(model.seen(state[None], layer))[0]
    p = np.exp(scores - scores.max())
    return p / p.sum() @ (seen @ head.W_V.T + head.b_V)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_head_answers_as_its_family_defines(family, tmp_path):
    arrays = arrays_of(family)
    model = read_model(save(family, tmp_path))
    assert (model.heads, model.layers, model.d) == (HEADS, LAYERS, D)
    distance = 3 if family in ROTARY else None
    for layer in range(LAYERS):
        for number in range(HEADS):
            expected = REFERENCES[family](arrays, PROMPT, STATE, layer, number, distance or 0)
            found = output(model, PROMPT, STATE, layer, number, distance)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_a_bias_of_the_keys_changes_nothing_and_one_of_the_queries_does(tmp_path):
    arrays = arrays_of("BERT")
    outputs = []
    for part in ("", "key", "query"):
        changed = dict(arrays)
        if part:
            changed[f"bert.encoder.layer.0.attention.self.{part}.bias"] = RNG.standard_normal(D) * 3
        folder = tmp_path / f"_{part}"
        folder.mkdir()
        outputs.append(output(read_model(save("BERT", folder, arrays=changed)), PROMPT, STATE, 0, 1, None))
    np.testing.assert_array_equal(outputs[0], outputs[1])
    assert np.abs(outputs[0] - outputs[2]).max() > 0.01


def test_the_setting_of_a_head_has_its_scores(tmp_path):
    model = read_model(save("GPT-2", tmp_path))
    head, table = model.head(1, 2), model.seen(model.table(), 1)
    setting = head.setting(table, model.seen(STATE[None], 1)[0])
    z = table[:5].astype(float)
    scores = z @ setting.U @ setting.query
    expected = (z @ head.W_K.T) @ head.queries(model.seen(STATE[None], 1))[0]
    np.testing.assert_allclose(scores, expected, rtol=1e-9)
    assert how_linear(setting, [100]).relative_error[0] > 0


def test_the_table_of_bert_is_what_its_first_layer_sees(tmp_path):
    arrays, model = arrays_of("BERT"), read_model(save("BERT", tmp_path))
    table = model.table()
    embeddings = {name.removeprefix("bert.embeddings."): x for name, x in arrays.items()}
    words, positions = embeddings["word_embeddings.weight"], embeddings["position_embeddings.weight"]
    for row, word in zip(table, words):
        sums = word + positions + embeddings["token_type_embeddings.weight"][0]
        centred = sums - sums.mean(1, keepdims=True)
        normed = centred / np.sqrt(centred.var(1, keepdims=True) + 1e-3)
        normed = normed * embeddings["LayerNorm.weight"] + embeddings["LayerNorm.bias"]
        assert np.abs(normed - row).max(1).min() < 1e-5  # at one of the positions
    assert len(table) == TOKENS
    assert "a position which is drawn" in model.says_table


def test_rotary_positions_are_refused_or_taken_at_a_distance(tmp_path):
    model = read_model(save("LLaMA", tmp_path))
    with pytest.raises(InputError, match="--rope-distance 0"):
        model.head(0, 0)
    near, far = (model.head(0, 0, rope_distance=i).queries(STATE[None]) for i in (0, 5))
    np.testing.assert_allclose(np.linalg.norm(near), np.linalg.norm(far))
    assert np.abs(near - far).max() > 0.01
    (tmp_path / "bert").mkdir()
    with pytest.raises(InputError, match="no rotary positions"):
        read_model(save("BERT", tmp_path / "bert")).head(0, 0, rope_distance=1)


def test_stretched_rotary_positions_are_right_at_distance_0_only(tmp_path):
    path = save("LLaMA", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    plain = read_model(path).head(0, 0, rope_distance=0).W_Q
    (tmp_path / "config.json").write_text(json.dumps(config | {"rope_scaling": {"rope_type": "llama3"}}))
    model = read_model(path)
    np.testing.assert_array_equal(model.head(0, 0, rope_distance=0).W_Q, plain)
    with pytest.raises(InputError, match="stretches"):
        model.head(0, 0, rope_distance=1)


def test_own_names_and_an_array_that_is_in_x_out(tmp_path):
    arrays = arrays_of("BERT")
    own = {}
    for i in range(LAYERS):
        for part in ("query", "key", "value"):
            before = f"bert.encoder.layer.{i}.attention.self.{part}"
            own |= {
                f"L{i}/{part}": arrays[f"{before}.weight"].T,
                f"L{i}/{part}.bias": arrays[f"{before}.bias"],
            }
    np.savez(tmp_path / "own.npz", **own)
    names = {part: f"L{{layer}}/{part}:T" for part in ("query", "key", "value")}
    model = read_model(tmp_path / "own.npz", names=names, n_heads=HEADS)
    for number in range(HEADS):
        expected = REFERENCES["BERT"](arrays, PROMPT, STATE, 1, number)
        np.testing.assert_allclose(
            output(model, PROMPT, STATE, 1, number, None), expected, rtol=1e-5, atol=1e-5
        )
    with pytest.raises(InputError, match="no table of tokens is known"):
        model.table()


@pytest.mark.parametrize("kind", ["safetensors", "onnx"])
def test_every_kind_of_file_gives_the_same_head(kind, tmp_path):
    need(kind)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    one = read_model(save("GPT-2", tmp_path / "one")).head(1, 1)
    other = read_model(save("GPT-2", tmp_path / "other", kind).parent).head(1, 1)
    for x, y in zip(one, other):
        np.testing.assert_array_equal(x, y)


def test_several_files_of_a_folder_are_one_model(tmp_path):
    safetensors = need("safetensors.numpy")
    arrays = arrays_of("LLaMA")
    names = sorted(arrays)
    save("LLaMA", tmp_path).unlink()
    for i, some in enumerate((names[::2], names[1::2])):
        safetensors.save_file({name: arrays[name] for name in some}, tmp_path / f"part-{i}.safetensors")
    assert read_model(tmp_path).layers == LAYERS


def test_half_precision_of_brains_is_read(tmp_path):
    need("safetensors")
    ml_dtypes = need("ml_dtypes")
    arrays = {name: x.astype(ml_dtypes.bfloat16) for name, x in arrays_of("LLaMA").items()}
    path = save("LLaMA", tmp_path, "safetensors", arrays_of("LLaMA"))
    header = {}
    content = b""
    for name, x in arrays.items():  # safetensors.numpy writes no bfloat16
        end = len(content) + x.nbytes
        header[name] = dict(dtype="BF16", shape=list(x.shape), data_offsets=[len(content), end])
        content += x.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + content)
    head = read_model(path).head(0, 3, rope_distance=0)
    rows = arrays["model.layers.0.self_attn.q_proj.weight"][6:].astype(float)
    np.testing.assert_array_equal(head.W_Q, rows)


def test_matrices_of_an_exported_graph_are_known_by_their_nodes(tmp_path):
    onnx = need("onnx")
    made, nodes = [], []
    for name, x in arrays_of("BERT").items():
        if "attention.self" in name and name.endswith(".weight"):
            made.append(onnx.numpy_helper.from_array(np.ascontiguousarray(x.T), f"onnx::MatMul_{len(made)}"))
            node = (
                "/"
                + name.removeprefix("bert.").removesuffix(".weight").replace(".self.", "/self/")
                + "/MatMul"
            )
            inputs = [f"in{len(made)}", made[-1].name]
            nodes.append(onnx.helper.make_node("MatMul", inputs, [f"out{len(made)}"], name=node))
        else:
            made.append(onnx.numpy_helper.from_array(x, name.removeprefix("bert.")))
    graph = onnx.helper.make_graph(nodes, "g", [], [], made)
    onnx.save(onnx.helper.make_model(graph), save("BERT", tmp_path).with_suffix(".onnx"))
    (tmp_path / "model.npz").unlink()
    expected = REFERENCES["BERT"](arrays_of("BERT"), PROMPT, STATE, 1, 3)
    found = output(read_model(tmp_path), PROMPT, STATE, 1, 3, None)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


WRONG = {
    "pickle": (lambda f: (f / "pytorch_model.bin").touch() or f, "is a pickle"),
    "pickled file": (lambda f: (f / "model.pt").touch() or f / "model.pt", "a pickle, which may"),
    "empty folder": (lambda f: f, "holds no weights"),
    "no file": (lambda f: f / "model.npz", "there is no file"),
    "long name": (lambda f: f / ("x" * 5000), "cannot look at"),
    "other kind": (lambda f: (f / "model.txt").touch() or f / "model.txt", "holds no weights as"),
    "broken": (lambda f: (f / "model.npz").write_bytes(b"PK\3\4broken") and f, "cannot be read as weights"),
    "an array": (
        lambda f: np.save(f / "x.npy", np.ones(2)) or (f / "x.npy").rename(f / "x.npz"),
        "no archive",
    ),
    "other names": (lambda f: np.savez(f / "model.npz", a=np.ones(2)) or f, "--name query=blocks"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_read_is_refused(case, tmp_path):
    make, says = WRONG[case]
    with pytest.raises(InputError, match=says):
        read_model(make(tmp_path))


@pytest.mark.parametrize("kind", ["safetensors", "onnx"])
def test_a_broken_file_of_a_package_is_refused(kind, tmp_path):
    need(kind)
    (tmp_path / f"model.{kind}").write_bytes(b"\xff" * 40)
    with pytest.raises(InputError, match="cannot be read as weights"):
        read_model(tmp_path)


@pytest.mark.parametrize(("kind", "package"), [("safetensors", "safetensors"), ("onnx", "onnx")])
def test_a_missing_package_is_named(kind, package, tmp_path, monkeypatch):
    (tmp_path / f"model.{kind}").touch()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"takes the package {package}.*largeprompt\[models\]"):
        read_model(tmp_path)


CONFIGURED = [
    (dict(model_type="gemma2"), "norms are of another kind"),
    (dict(position_embedding_type="relative_key"), "scores depend on positions"),
    (dict(scale_attn_weights=False), "not divided"),
    (dict(num_attention_heads=3), "do not share evenly"),
    (dict(num_attention_heads=0), "n_heads"),
    (dict(num_attention_heads=99), "do not share evenly"),
]


@pytest.mark.parametrize(("config", "says"), CONFIGURED)
def test_a_model_with_other_scores_is_refused(config, says, tmp_path):
    path = save("BERT", tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(dict(num_attention_heads=HEADS) | config))
    with pytest.raises(ValueError, match=says):
        read_model(path).head(0, 0)


def test_normed_queries_are_refused(tmp_path):
    arrays = arrays_of("LLaMA") | {"model.layers.0.self_attn.q_norm.weight": np.ones(2, dtype=np.float32)}
    with pytest.raises(InputError, match="not bilinear"):
        read_model(save("LLaMA", tmp_path, arrays=arrays))


def test_a_norm_with_a_bias_is_no_rms_norm(tmp_path):
    name = "model.layers.0.input_layernorm.bias"
    with pytest.raises(InputError, match="no RMS norms"):
        read_model(save("LLaMA", tmp_path, arrays=arrays_of("LLaMA") | {name: np.ones(8, dtype=np.float32)}))


@pytest.mark.parametrize(("called", "told"), [("mistral", False), ("unheard-of", True)])
def test_a_model_of_an_unknown_type_is_read_with_a_warning(called, told, tmp_path):
    path = save("LLaMA", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text()) | dict(model_type=called)
    (tmp_path / "config.json").write_text(json.dumps(config))
    notes = attention_heads(path, [10], layers=[0], heads=[0], rope_distance=0).notes
    assert any("only its documents say" in note for note in notes) == told


NAMES = [
    (dict(query="a{layer}"), "needed are those of query, key and value"),
    (dict(fused="a{layer}", key="b"), "needed are those of query"),
    (dict(fused="a{layer}", nothing="b"), "there is no part"),
    (dict(fused="a"), "write {layer}"),
    (dict(fused="b{layer}"), "write {layer}"),
    (dict(fused="{other}"), "write {layer}"),
    (dict(fused="a{layer}"), "do not split"),
]


@pytest.mark.parametrize(("names", "says"), NAMES)
def test_wrong_names_are_refused(names, says, tmp_path):
    np.savez(tmp_path / "m.npz", a0=np.ones((4, 3)), a=np.ones(3))
    with pytest.raises(InputError, match=says):
        read_model(tmp_path / "m.npz", names=names, n_heads=2).head(0, 0)


def test_a_model_without_config_needs_the_number_of_heads(tmp_path):
    path = save("BERT", tmp_path)
    (tmp_path / "config.json").unlink()
    with pytest.raises(InputError, match="--n-heads"):
        read_model(path)
    assert read_model(path, n_heads=2).heads == 2


def test_a_family_that_lacks_a_part_is_pointed_to_names(tmp_path):
    arrays = {name: x for name, x in arrays_of("LLaMA").items() if "layernorm" not in name}
    model = read_model(save("LLaMA", tmp_path, arrays=arrays))
    with pytest.raises(InputError, match="name its parts by --name"):
        model.seen(model.table(), 0)


@pytest.mark.parametrize("dtype", [np.int8, bool, complex, "U3", object])
def test_weights_that_are_no_floats_are_refused(dtype, tmp_path):
    names = {part: f"{part}{{layer}}" for part in ("query", "key", "value")}
    np.savez(tmp_path / "m.npz", key0=np.eye(2), value0=np.eye(2), query0=np.eye(2).astype(dtype))
    with pytest.raises(InputError, match=r"query0 of .*(no floats|cannot be read)"):
        read_model(tmp_path / "m.npz", names=names, n_heads=1)


def test_weights_too_large_for_single_precision_are_refused(tmp_path):
    names = {part: f"{part}{{layer}}" for part in ("query", "key", "value")}
    np.savez(tmp_path / "m.npz", key0=np.eye(2), value0=np.eye(2), query0=1e300 * np.eye(2))
    with pytest.raises(InputError, match="not finite"):
        read_model(tmp_path / "m.npz", names=names, n_heads=1)
