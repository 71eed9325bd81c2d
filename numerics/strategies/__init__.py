"""What Hypothesis draws for bounds on softmax attention, and for regression over finitely many
features. Every strategy shrinks to its simplest object: the law on the atoms 1 and -1, the prompt
of one token, the zero matrix, the identity as covariance. Queries, matrices and covariances are
binary fractions which floats hold without rounding; laws keep their atoms and weights as fractions.
"""

from numerics.strategies.arrays import covariances as covariances
from numerics.strategies.arrays import matrices as matrices
from numerics.strategies.arrays import queries as queries
from numerics.strategies.features import feature_problems as feature_problems
from numerics.strategies.features import reduced_problems as reduced_problems
from numerics.strategies.prompts import functions as functions
from numerics.strategies.prompts import laws as laws
from numerics.strategies.prompts import lengths as lengths
from numerics.strategies.regression import gaussian_tasks as gaussian_tasks
from numerics.strategies.regression import starts as starts
from numerics.strategies.regression import tasks as tasks

__all__ = [
    *(
        "covariances",
        "feature_problems",
        "functions",
        "gaussian_tasks",
        "laws",
        "lengths",
        "matrices",
        "queries",
    ),
    *("reduced_problems", "starts", "tasks"),
]
