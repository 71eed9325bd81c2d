"""What Hypothesis draws for bounds on softmax attention: laws of tokens on few rational atoms,
matrices, queries, functions, lengths, tasks, covariances and starts of flows.
"""
