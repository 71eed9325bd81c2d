"""Training by SGD: the run and its records, checkpoints, and the plain reference that draws every token."""

from numerics.training.parameters import Parameters, initial_parameters
from numerics.training.result import Training
from numerics.training.run import train

__all__ = ["Parameters", "Training", "initial_parameters", "train"]
