"""
How does the size of U matter, and the law of the tokens?
=========================================================

At a fixed query L E|T_L - T|^2 tends to e^{Lambda(2a) - 2 Lambda(a)} (tr V C V' + |V m|^2), where a
= Uz, Lambda is the log-mgf of the tokens, C their covariance under the law tilted by 2a, and m the
difference of its mean from that of the law tilted by a. For N(0, I) that is e^s (tr V V' + |V a|^2)
with s = |a|^2: large parameters need long prompts. For random signs, which have the same
covariance, it falls: tilted far enough they hardly vary. A sweep measures both over a grid of sizes
of U. It keeps its results in a file: run again, or with more sizes, lengths or replicates, it
computes only what is new.

Run it with ``--small`` for a quick look; it writes ``sweep.svg``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from numerics import AttentionSetting
from numerics.jobs.store import Store
from numerics.sweep.grid import read_grid
from numerics.sweep.run import sweep

small = "--small" in sys.argv

# %% The grid, as it would stand in a file for
# ``largeprompt sweep grid.toml --store results.sqlite --out``.
GRID = f"""
lengths = [10, 100, {200 if small else 3000}]
replicates = {500 if small else 20_000}

[[tokens]]
name = "Gaussian"
Gamma = {{ identity = 2 }}

[[tokens]]
name = "signs"
law = "rademacher"
d = 2

[[U]]
identity = 2
scales = [0.2, 0.4, 0.6, 0.8, 1.0, 1.2]

[[V]]
identity = 2

[[query]]
vector = [1.0, -0.5]
"""

# %%
# A folder that goes away at the end; a sweep worth its name has a store that stays.
with TemporaryDirectory() as folder, Store(Path(folder) / "results.sqlite") as store:
    file = Path(folder) / "grid.toml"
    file.write_text(GRID)
    results = sweep(read_grid(file), store)


# %%
# The limit, from the law alone.
def limit(setting: AttentionSetting) -> float:
    law, a, V = setting.law, setting.U @ setting.query, setting.V
    (near, far), (_, C) = law.tilted(np.stack([a, 2 * a]))
    growth = law.log_mgf(2 * a) - 2 * law.log_mgf(a)
    return float(np.exp(growth) * (np.trace(V @ C @ V.T) + np.sum((V @ (far - near)) ** 2)))


# %%
# The picture: L E|T_L - T|^2 over s = |Uz|^2, for each length.
figure = Figure(figsize=(8, 4), layout="constrained")
FigureCanvasSVG(figure)
for axes, law in zip(figure.subplots(1, 2), ("Gaussian", "signs")):
    runs = [(setting, errors) for setting, errors in results if setting.name.startswith(law)]
    s = [setting.score_variance for setting, _ in runs]
    for i, L in enumerate(runs[0][1].lengths):
        scaled = [L * errors.output.mean[i] for _, errors in runs]
        error = [1.96 * L * errors.output.standard_error[i] for _, errors in runs]
        axes.errorbar(s, scaled, error, fmt="o-", label=f"L = {L}")
        print(law, f"L = {L}:", *(f"{value:.2f}" for value in scaled))
    print(law, "limit:", *(f"{limit(setting):.2f}" for setting, _ in runs))
    axes.plot(s, [limit(setting) for setting, _ in runs], "k--", label="limit")
    axes.set(
        yscale="log" if law == "Gaussian" else "linear",
        xlabel="variance s of the scores",
        title=f"{law}: L E|T_L - T|^2",
    )
    axes.legend()
figure.savefig("sweep.svg")
