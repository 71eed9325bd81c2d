"""The compiled flow of the infinite-prompt risk against LSODA on the gradient of theory, both until
they stand still: `python -m benchmarks.flows`.
"""

import time
from functools import partial

import numpy as np

from benchmarks._ratio import ratio
from numerics.regression.flow.infinite_prompt import integrate_flow
from numerics.regression.flow.integrator import follow
from theory.regression.risk import risk_and_gradient


def by_lsoda(S: np.ndarray, U0: np.ndarray, u0: float) -> None:
    """The same flow, to the same distance from the same end."""
    d, least = len(S), float(np.linalg.eigvalsh(S)[0])
    _, gradient = risk_and_gradient(S)

    def motion(y: np.ndarray) -> np.ndarray:
        to_U, to_u = gradient(y[:-1].reshape(d, d), y[-1])
        return -np.append(to_U.ravel(), to_u)

    def still(y: np.ndarray) -> float:
        return float(np.linalg.norm(motion(y)) - 1e-8 * least**3 * y[-1] ** 2 * np.linalg.norm(y))

    follow(motion, still, np.append(U0.ravel(), u0), 1e9, rtol=1e-11)


if __name__ == "__main__":
    for d, condition in ((1, 1), (3, 4), (4, 8)):
        S, U0 = np.diag(np.geomspace(1.0, 1 / condition, d)), np.full((d, d), 0.3) + 0.2 * np.eye(d)
        ours, theirs = partial(integrate_flow, S, U0, 0.5), partial(by_lsoda, S, U0, 0.5)
        print(f"d = {d}, condition {condition}: {ratio(ours, theirs, clock=time.process_time)}")
