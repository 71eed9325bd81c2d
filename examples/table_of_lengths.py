"""
How long must a prompt be?  L(epsilon) of Theorem 5.2 in numbers
================================================================

Theorem 5.2: trained by gradient flow on prompts of L >= L(epsilon) tokens, softmax attention comes
within epsilon of the Bayes risk of infinite prompts. The theorem does not say how large L(epsilon)
is. Here is the least one, for w ~ N(0, I), no label noise (then the Bayes risk is 0), found from
the exact risk, the limit of the flow being taken for the least risk, which is searched for among
the positive definite U that commute with Sigma; beside it

- the bound F(lambda*)/(2 epsilon) of our R6 for the least risk, rounded up; it holds for every
  invertible covariance of that trace and dimension, and
- the logarithm of the explicit L(epsilon) that the proof gives when all its constants are followed,
  for alpha in the middle of its range.

``python examples/table_of_lengths.py > examples/table_of_lengths.md`` writes the stored table again
(``--small``: its first lines).
"""

from __future__ import annotations

import math
import sys

import numpy as np

from numerics.regression.flow.end_point import block_start, least_length
from theory.regression.experiment import kms
from theory.regression.finite_prompt import log_length
from theory.regression.task import RegressionTask
from theory.regression.valley import best_score_variance, valley_excess

small = "--small" in sys.argv
COVARIANCES = {"I": np.eye, "2^-abs(i-j)": kms}

print("| epsilon | Sigma | d | L(epsilon) | F(lambda*)/(2 epsilon) | log10 of the explicit L(epsilon) |")
print("|--:|:--|--:|--:|--:|--:|")
for epsilon in (0.1,) if small else (0.1, 0.01, 0.001):
    for name, covariance in COVARIANCES.items():
        for d in range(1, 3 if small else 6):
            Sigma = covariance(d)
            # %%
            # The least length at which the least risk is at most epsilon.
            length = least_length(RegressionTask(Sigma, noise=0.0, task_variance=1.0), epsilon)
            # %%
            # What is proved: the bound along the valley, and Theorem 4.3 with every constant.
            bound = valley_excess(best_score_variance(trace=d, d=d), trace=d, d=d) / (2 * epsilon)
            explicit = log_length(Sigma, d**-0.25 * np.eye(d), block_start(Sigma)[1], epsilon) / math.log(10)
            print(f"| {epsilon:g} | {name} | {d} | {length} | {math.ceil(bound)} | {explicit:.3g} |")
