"""
How long does attention take to find the right class?
=====================================================

Li, Duan & Liang train attention to look at the tokens that belong to the class of the query. They
print that it looks there with weight 1/2 after a time of order K log K for K classes. For
orthonormal features and exchangeable tasks the whole training is one number that grows, so that
the time is known in closed form: it is of order K^2.

Run it with ``--small`` for a quick look; it writes ``time_to_learn.svg``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from theory import ReducedAttention

small = "--small" in sys.argv
classes = 2 ** np.arange(2, 8 if small else 21)

# %%
# The unit of time is 1/(eta sigma_f^2), eta the learning rate and sigma_f the spread of the tasks.
times = np.array([ReducedAttention(int(K), 1.0).attention_time(0.5) for K in classes])
for K, time in zip(classes, times):
    print(
        f"K = {K:7d}: time {time:.4g}, over K log K {time / (K * np.log(K)):.4g}, over K^2 {time / K**2:.4g}"
    )

# %%
# The picture. A law of the form K log K would be a curve along the dashed one.
figure = Figure(figsize=(6.4, 4), layout="constrained")
FigureCanvasSVG(figure)
axes = figure.subplots()
axes.plot(classes, times, "o-", markersize=3, label="exact time")
axes.plot(
    classes,
    times[0] * classes * np.log(classes) / (classes[0] * np.log(classes[0])),
    "--",
    label="growth like K log K",
)
axes.plot(classes, times[0] * (classes / classes[0]) ** 2.0, ":", color="0.3", label="growth like K²")
axes.set(
    xscale="log",
    yscale="log",
    xlabel="number K of classes",
    ylabel="time",
    title="Time until the attention is 1/2",
)
axes.legend()
figure.savefig("time_to_learn.svg")
