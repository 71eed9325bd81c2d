"""Training by stochastic gradient descent as in Appendix A.1 of Boursier & Boyer: `train`, what a
run leaves behind, and its parts.
"""

from numerics.training.parameters import Parameters, initial_parameters
from numerics.training.result import Training
from numerics.training.run import train

__all__ = ["Parameters", "Training", "initial_parameters", "train"]
