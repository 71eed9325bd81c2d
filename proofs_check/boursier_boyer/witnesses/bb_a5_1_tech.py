import numpy as np; from scipy.integrate import solve_ivp  # flow of linear attention's risk, d = 5, w ~ N(0, I/5), noise 1/10, PyTorch's start
L, seed, n, x = 100, 0, 6, np.stack(np.meshgrid(*5 * [[-(3**0.5), 0, 3**0.5]]), -1).reshape(-1, 5)  # tasks: a rule for degree 5
start = np.random.Generator(np.random.Philox(key=np.array([seed, 0x696E6974], np.uint64))).uniform(-(n**-0.5), n**-0.5, (1 + 3 * n, n))  # O; V; K; Q
w, p = x / 5**0.5, np.where(x == 0, 2 / 3, 1 / 6).prod(1); G = np.array([np.block([[np.eye(5), v[:, None]], [v, v @ v + 0.1]]) for v in w])
def risk(y):  # and its gradient; G is the covariance of a token, b = V'O, a = N x with N = K'Q, h = H x the mean of the output
    O, (V, K, Q) = y[:n], y[n:].reshape(3, n, n); b, N = V.T @ O, K.T @ Q[:, :5]; Gb, GN = G @ b, G @ N; H, t, s = Gb @ N, Gb @ b, (GN * N).sum((1, 2))
    A = (1 + 1 / L) * H - w; B, C = p @ ((GN @ A[:, :, None])[:, :, 0] + s[:, None] * Gb / L), np.tensordot(p, Gb[:, :, None] * A[:, None] + t[:, None, None] * GN / L, 1)
    return (p @ (((A - w) * H + w * w).sum(1) + t * s / L) + 0.1) / 2, np.concatenate([V @ B, np.outer(O, B).ravel(), (Q[:, :5] @ C.T).ravel(), np.pad(K @ C, ((0, 0), (0, 1))).ravel()])
end, block = risk(solve_ivp(lambda _, y: -risk(y)[1], (0, 500), start.ravel(), method="LSODA", rtol=1e-8, atol=1e-10).y[:, -1])[0], 0.55 - 0.5 / (1 + 6.5 / L)
print("the flow from seed", seed, "ends at", end, "from a block start at", block); assert end - block > (0.55 - block) / 10
