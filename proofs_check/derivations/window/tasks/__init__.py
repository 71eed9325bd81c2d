"""The laws of affine and ReLU tasks: Lemmas B.1, C.7 and F.1 of Collins et al.; and the loss of any
class of tasks in the words of its degrees: R13 and R14.
"""
