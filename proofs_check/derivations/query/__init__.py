"""Softmax attention on Gaussian tokens over Gaussian queries (our R4)."""
