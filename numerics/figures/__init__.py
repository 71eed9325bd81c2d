"""Figures 1 to 8 of BB: what is trained for them, the runs themselves, and the page on which they are drawn.

==================  ===========================================================================================================
`plan`              which architectures are trained on which data: every length, every seed, full or reduced
`measure`           the runs, on every processor, kept in a folder from which they go on after a kill
`results`           what came out, as objects, as one file, and as JSON
==================  ===========================================================================================================
"""
