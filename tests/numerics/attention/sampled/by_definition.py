"""The squared errors of prompts by the definitions alone, beside which samplers are laid."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def squared_errors(tokens: Floats, U: Floats, V: Floats, z: Floats, h: Floats, H: Floats) -> Floats:
    """Of output, grad_V, grad_U, (3, n), of prompts (n, L, d); h, H: of the tilted law."""
    scores = tokens @ U @ z
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    m = np.einsum("rl,rld->rd", p, tokens)
    away = tokens - m[:, None]
    C = np.swapaxes(away * p[:, :, None], 1, 2) @ away
    grad_U = np.sum((V @ (C - H)) ** 2, axis=(1, 2)) * (z @ z)
    return np.stack([np.sum(((m - h) @ V.T) ** 2, axis=1), len(V) * np.sum((m - h) ** 2, axis=1), grad_U])
