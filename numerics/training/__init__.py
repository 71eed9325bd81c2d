"""Training by SGD: the run and its records, checkpoints, and the plain reference that draws every
token.

=================  =============================================================================================
`run`              `train`: the loop over pieces of compiled steps (`numerics.training.kernels.loop`), progress, divergence
`setup`            its door: arguments checked, defaults filled in
`parameters`       O, V, K, Q, their start, and the array in which kernels keep them
`records`          where a run stands, and the risk and parameters on the way
`result`           `Training`, what the run leaves behind
`checkpoint`       the file from which a killed run goes on
`full_tokens`      the same steps in plain NumPy over all tokens, for tests
`initial_gap`      how far both attentions are apart at the start, output and gradients (Figures 1 and 5)
=================  =============================================================================================
"""

from numerics.training.parameters import Parameters, initial_parameters
from numerics.training.result import Training
from numerics.training.run import train

__all__ = ["Parameters", "Training", "initial_parameters", "train"]
