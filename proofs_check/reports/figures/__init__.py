"""The figures of the papers, drawn from what was trained again, beside what is claimed of them."""
