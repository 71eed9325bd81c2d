"""Lemma C.8, d = 7, w = n: the signal term of ReLU tasks is at least (L^2/42) E min (1 - t_i)^2,
over L^2 (1/w + 1/n).
"""
c = 1
for n in (3**9, 7**9, 10**18):
    w = c * n
    ratio = (2 / (5 * n)) ** (2 / 3) / 84 / (1 / w + 1 / n)
    print("d = 7, n =", n, "w =", w, "C = 1; left =", ratio, "; right = 1.0")
assert ratio > 100 / 84
