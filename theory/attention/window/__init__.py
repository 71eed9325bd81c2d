"""The attention window (Collins et al.): softmax attention between tokens on the sphere as a kernel
estimator of random tasks, its bias and noise, and the laws of the best width.
"""

from __future__ import annotations
