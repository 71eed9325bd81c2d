"""Derivations about the exact errors and risks of softmax attention."""
