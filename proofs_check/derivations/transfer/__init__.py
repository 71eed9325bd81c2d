"""From errors at one prompt to those of risks and of training."""
