import numpy as np; n, B, rate = 6, 128, 0.05; rng = np.random.default_rng(0)  # d = 5, isotropic, w ~ N(0, I/5), label noise 1/10, PyTorch's start with
start = np.random.Generator(np.random.Philox(key=np.array([4, 0x696E6974], np.uint64))).uniform(-(n**-0.5), n**-0.5, (1 + 3 * n, n))  # seed 4: O; V; K; Q
def distance(L):  # after 600 steps of SGD with rate 1/20 in place of 30000 with 1/1000: the same time, with 7 times the noise of the batches
    theta = np.stack([start, start])  # softmax and normalised linear attention see the same prompts; for each O, V, K, Q one below the other
    for _ in range(600):
        w, z, x = rng.normal(0, 0.2**0.5, (B, 5, 1)), rng.standard_normal((B, L, n)), np.pad(rng.standard_normal((B, 5)), ((0, 0), (0, 1))); z[:, :, 5:] = z[:, :, :5] @ w + 0.1**0.5 * z[:, :, 5:]; y = (x[:, :5] * w[:, :, 0]).sum(1) + rng.normal(0, 0.1**0.5, B)
        for i, (O, V, K, Q) in enumerate((t[0], *t[1:].reshape(3, n, n)) for t in theta):  # m: mean of the tokens, g: the output's gradient in K'Q x
            v, s = z @ (V.T @ O), (z @ (x @ Q.T @ K)[:, :, None])[:, :, 0]; e = np.exp(s - s.max(1, keepdims=True)); p = (e / e.sum(1, keepdims=True), s / L)[i]; m, g = (np.einsum("bl,bli->bi", q, z) for q in (p, (p * (v - (p * v).sum(1, keepdims=True)), v / L)[i])); r = ((m @ V.T @ O - y) / B)[:, None]; theta[i] -= rate * np.concatenate([[(r * m @ V.T).sum(0)], np.outer(O, (r * m).sum(0)), (x @ Q.T).T @ (r * g), (K @ (r * g).T) @ x])
    return ((theta[0] - theta[1]) ** 2).sum()
near, far = distance(50), distance(100); print("step 30000, squared distance at L = 50:", near, "at L = 100:", far); assert far > 1.5 * near
