"""Property tests of statements by Hypothesis: a second route beside provers and worst-case
searches, which goes where nobody thought to look and shrinks what it finds.
"""
