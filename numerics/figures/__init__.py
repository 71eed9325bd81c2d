"""Figures 1 to 8 of BB: what is trained for them, the runs themselves, and the page on which they
are drawn.

======================================  =======================================================================================
`plan`                                  which architectures are trained on which data: every length, every seed, full or reduced
`measure`, `shown`                      the runs, on every processor, kept in a folder from which they go on; how far they are
`tasks`, `schedule`, `speed`            the pieces of work, which is done when, and how long it takes
`folder`, `sources`                     where finished and unfinished work lies, and the code to which it belongs
`results`, `trainings`                  what came out: as objects, as one file, and as JSON (``measurements.schema.json``)
`failed`                                which runs ended far above the risk that the block start leads to
`lines`, `plots`, `sheet`, `words`,     the curves over several seeds, their plots, a file for each figure, and the page
`page`
======================================  =======================================================================================
"""
