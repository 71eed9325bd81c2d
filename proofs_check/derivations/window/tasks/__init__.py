"""The laws of affine and ReLU tasks: Lemmas B.1, C.7 and F.1 of Collins et al."""
