import numpy as np  # the update of q_3 after one step, features (1, -3/2), (1, -1/2), (2, -2)
V, f, eta, K = np.array([[1, 1, 2], [-3 / 2, -1 / 2, -2]]), np.array([-2, 3 / 2, 1]), 1, 3
def downhill(Q):  # minus the gradient of the loss
    w = np.exp(V.T @ Q @ V)
    w = w / w.sum(axis=0)
    return V @ (w * (f[:, None] - f @ w) * (f - f @ w) / K) @ V.T
Q = eta * downhill(np.zeros((2, 2)))
g_3 = V[:, 2] @ downhill(Q) @ V[:, 2]
print(g_3, ">= 0"); assert g_3 < 0
