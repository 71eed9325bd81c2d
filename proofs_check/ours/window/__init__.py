"""Results beside and beyond Collins et al.: the loss of a window exactly, and what the best window
adapts to.
"""
