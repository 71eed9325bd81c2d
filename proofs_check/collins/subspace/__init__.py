"""Tasks of low rank: Section 4 and Appendix H of Collins et al., and Lemma B.5 on the matrices that
minimise the loss.
"""
