"""Training by stochastic gradient descent as in Appendix A.1 of Boursier & Boyer: `train`, what a
run leaves behind, and its parts.

================  ==================================================================================
`run`             `train`: the loop over pieces of compiled steps, progress, checkpoints, divergence
`setup`           the arguments of `train`, checked and with all defaults filled in
`parameters`      O, V, K, Q, their start, and the array in which the kernels keep them
`records`         where a run stands, and the risks and parameters that it has recorded
`result`          `Training`, what a run leaves behind, and when it counts as failed
`checkpoint`      the file from which a killed run goes on
`full_tokens`     the same steps in plain NumPy over all tokens, the reference of the kernels
`kernels`         the compiled steps
================  ==================================================================================
"""

from numerics.training.parameters import Parameters, initial_parameters
from numerics.training.result import Training
from numerics.training.run import train

__all__ = ["Parameters", "Training", "initial_parameters", "train"]
