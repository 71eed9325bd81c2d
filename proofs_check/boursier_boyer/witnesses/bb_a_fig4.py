from scipy.integrate import solve_ivp  # linear attention, L = 10, d = 5, w ~ N(0, I/5), noise 1/10, from a start within PyTorch's range
L, start, time = 10, (1 / 10, 1 / 10), 50  # K = Q = k I, o = V's corner = r, both 1/10; 50 000 steps of 1e-3 are a time of 50
g = 1 + 1 / L + 5.5 / L
risk = lambda k, r: 0.5 * (r**4 * k**4 * g - 2 * r * r * k * k + 1) + 0.05
slope = lambda t, y: [-(y[1] ** 4 * y[0] ** 3 * g - y[1] ** 2 * y[0]) / 5, -(y[1] ** 3 * y[0] ** 4 * g - y[1] * y[0] ** 2)]
now, end = (risk(*solve_ivp(slope, (0, t), start, rtol=1e-11, atol=1e-13).y[:, -1]) for t in (time, 50 * time))
print("risk at the start", risk(*start), "at step 50000", now, "at the end", end, "missing: more than a tenth of", 0.55 - end)
assert now - end > (0.55 - end) / 10
