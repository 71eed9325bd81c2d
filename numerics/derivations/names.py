"""Names of variables, functions and definitions as LaTeX; different names never look alike."""

from __future__ import annotations

import re

__all__ = ["dotted", "indexed", "printed", "steps_later"]

GREEK = (
    *(
        "alpha",
        "beta",
        "gamma",
        "delta",
        "zeta",
        "eta",
        "theta",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "sigma",
        "tau",
    ),
    *("phi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Sigma", "Phi", "Psi", "Omega"),
)
#: Names that are written as no other name is.
WRITTEN = {
    "normU": r"\|U\|",
    "normV": r"\|V\|",
    "gq": r"\mathbf{g}",
    "zq": "z_{q}",
    "err2": r"\|\mathrm{err}\|^2",
    "thetaL": r"\theta^L",
    "gL": r"\nabla\mathcal{R}_L(\theta^L)",
    "gS": r"\nabla\mathcal{R}_{\infty}(\theta^L)",
    "gI": r"\nabla\mathcal{R}_{\infty}(\theta)",
    "top": r"\|\Sigma\|",
    "epsilon": r"\varepsilon",
    "eps": r"\epsilon",
}


def _head(word: str) -> str:
    return "\\" + word if word in GREEK else word if len(word) == 1 else rf"\mathrm{{{word}}}"


def _parts(name: str) -> tuple[str, str]:
    """What a name is written as, and its own index: P2 has the index 2, P_2 the index (2), and c_f
    an upright f, as an italic one is an index that a function is taken at.
    """
    if name in WRITTEN:
        return WRITTEN[name], ""
    if found := re.fullmatch(r"([A-Za-z]+)(\d*)", name):
        return _head(found[1]), found[2]
    if found := re.fullmatch(r"([A-Za-z]+)_(\d+)", name):
        return _head(found[1]), f"({found[2]})"
    if found := re.fullmatch(r"([A-Za-z]+)_([A-Za-z][A-Za-z0-9]*)", name):
        return _head(found[1]), rf"\mathrm{{{found[2]}}}"
    if found := re.fullmatch(r"([A-Za-z]+)_", name):
        return rf"\bar{{{_head(found[1])}}}", ""
    if name.endswith("'") and re.fullmatch(r"\w+", name[:-1]):
        head, own = _parts(name[:-1])
        return head + "'", own
    escaped = re.sub(r"([_{}%#&$])", r"\\\1", name)
    return rf"\text{{{escaped}}}", ""


def indexed(parts: tuple[str, str], indices: str = "") -> str:
    """A name with its own index and others, which stand behind a semicolon."""
    head, own = parts
    inside = ";".join(x for x in (own, indices) if x)
    return f"{head}_{{{inside}}}" if inside else head


def printed(name: str, indices: str = "") -> str:
    r"""A name with indices.

    >>> print(printed("P2"), printed("P_2"), printed("c_f"), printed("b_"), printed("m2", "ij"))
    P_{2} P_{(2)} c_{\mathrm{f}} \bar{b} m_{2;ij}
    """
    return indexed(_parts(name), indices)


def steps_later(name: str) -> int:
    """How many steps later the values of a sequence of this name are."""
    return len(name) - len(name.rstrip("+"))


def dotted(name: str, indices: str = "") -> str:
    """The derivative of a function of time."""
    head, own = _parts(name)
    return indexed((rf"\dot{{{head}}}", own), indices)
