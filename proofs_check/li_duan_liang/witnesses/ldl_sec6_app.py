"""Section 6 announces three further experiments; Appendix A has two."""
announced = ["attention maps", "frequencies that are not uniform", "polynomial tasks"]
presented = ["attention maps", "polynomial tasks"]
print("announced", len(announced), "presented", len(presented))
assert len(announced) > len(presented)
