"""n = 1: the only number c v_1'v_2 is equal to itself for every c."""
n, c, v = 1, 1, 1
numbers = [c * v * v_i for v_i in [1] * n]
print(n, c, set(numbers))
assert len(set(numbers)) == 1 and c != 0
