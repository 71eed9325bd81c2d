"""The signal term of an attention window: ReLU tasks beside affine ones, and a bound from below
that holds for every prompt length.
"""
