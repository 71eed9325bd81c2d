"""Instances of the attention window: classes of tasks, caps of the sphere, sums over few tokens."""
