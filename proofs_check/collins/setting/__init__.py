"""The setting of Collins et al.: attention as a nearest-neighbour estimator, the classes of tasks,
and which matrices minimise the loss (Section 2, Appendix B).
"""
