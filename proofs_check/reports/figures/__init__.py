"""The figures of the papers, drawn from what was trained again, each beside what is claimed of it."""
