"""Lemma D.1, proof: mu = N(0, I), d = 2, V = I, z = (0, 1). Then grad Psi(a) = a, the mean of the law tilted by a."""
import numpy as np

K, Q, z = np.array([[1, 0], [0, 0]]), np.array([[0, 1], [0, 0]]), np.array([0, 1])
z1 = np.array([3, 5])  # any token: its score is <Qz, K z1> = z1'K'Qz
assert (Q @ z) @ (K @ z1) == z1 @ (K.T @ Q @ z)
print("T(z) =", K.T @ Q @ z, "= V grad Psi(Q'K z) =", Q.T @ K @ z)
assert (K.T @ Q @ z != Q.T @ K @ z).any()
