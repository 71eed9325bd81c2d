"""The late law R11 for every law of tasks with E(f_k - f_m)(f_k - f_n) > 0."""
