"""The LaTeX commands that papers and engines write, and the Unicode signs they stand for."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "ACCENTS",
    "BINARY",
    "DELIMITERS",
    "FUNCTIONS",
    "LARGE",
    "LIMITS",
    "ORDINARY",
    "RELATIONS",
    "SIZES",
    "SPACES",
    "alphabet",
]


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2]))


ORDINARY: Mapping[str, str] = _pairs(
    """
    alpha α beta β gamma γ delta δ zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ
    chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
    epsilon ϵ varepsilon ε phi ϕ varphi φ vartheta ϑ varrho ϱ varsigma ς ell ℓ infty ∞ partial ∂ nabla ∇ forall ∀ exists ∃
    emptyset ∅ varnothing ∅ dagger † top ⊤ bot ⊥ prime ′ ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ neg ¬ lnot ¬ checkmark ✓
    imath ı jmath ȷ hbar ℏ # # % % & & _ _ $ $
    """
)

RELATIONS: Mapping[str, str] = _pairs(
    """
    = = < < > > : : le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ lt < gt > leqslant ≤ geqslant ≥ ll ≪ gg ≫ sim ∼ simeq ≃ approx ≈ equiv ≡
    cong ≅ propto ∝ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ preceq ⪯ succeq ⪰ prec ≺ succ ≻ lesssim ≲ gtrsim ≳
    to → rightarrow → leftarrow ← gets ← mapsto ↦ longmapsto ⟼ longrightarrow ⟶ leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐
    Leftrightarrow ⇔ implies ⟹ Longrightarrow ⟹ iff ⟺ Longleftrightarrow ⟺ coloneqq ≔ eqqcolon ≕ mid ∣ perp ⊥ parallel ∥
    models ⊨ vdash ⊢ downarrow ↓ uparrow ↑ searrow ↘ nearrow ↗ asymp ≍ doteq ≐
    """
)

BINARY: Mapping[str, str] = _pairs(
    """
    + + - − * ∗ times × cdot ⋅ otimes ⊗ oplus ⊕ wedge ∧ land ∧ vee ∨ lor ∨ ast ∗ star ⋆ circ ∘ pm ± mp ∓ cup ∪ cap ∩
    setminus ∖ odot ⊙ div ÷ bullet ∙
    """
)

#: Operators that grow in a display; those below also take their limits above and below there.
LARGE: Mapping[str, str] = _pairs(
    """
    sum ∑ prod ∏ bigcup ⋃ bigcap ⋂ bigotimes ⨂ bigoplus ⨁ bigwedge ⋀ bigvee ⋁ int ∫ iint ∬ oint ∮
    """
)

FUNCTIONS = frozenset(("exp", "ln", "log", "lg", "sin", "cos", "tan", "cot", "sec", "sinh", "cosh", "tanh", "coth")) | frozenset(
    ("arcsin", "arccos", "arctan", "deg", "dim", "ker", "hom", "arg")
)
LIMITS: Mapping[str, str] = {
    **{name: name for name in ("lim", "max", "min", "sup", "inf", "det", "gcd", "Pr")},
    "limsup": "lim\u2009sup",
    "liminf": "lim\u2009inf",
}

DELIMITERS: Mapping[str, str] = {".": ""} | _pairs(
    r"""
    ( ( ) ) [ [ ] ] | | / / < ⟨ > ⟩ { { } } \| ‖ \{ { \} } lbrace { rbrace } langle ⟨ rangle ⟩ lvert | rvert | vert |
    lVert ‖ rVert ‖ Vert ‖ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrack [ rbrack ]
    """
)

SIZES: Mapping[str, str] = {"big": "1.2em", "Big": "1.623em", "bigg": "2.047em", "Bigg": "2.470em"}

#: In ems.
SPACES: Mapping[str, float] = {
    **{",": 0.167, ":": 0.222, ">": 0.222, ";": 0.278, "!": -0.167, " ": 0.25, "~": 0.25},
    **{"enspace": 0.5, "quad": 1.0, "qquad": 2.0},
}

ACCENTS: Mapping[str, str] = _pairs(
    """
    hat ^ widehat ^ tilde ~ widetilde ~ bar ¯ overline ¯ dot ˙ ddot ¨ vec → check ˇ mathring ˚
    """
)

#: Letters that Unicode encoded before the mathematical alphabets.
_EARLIER = {
    "bb": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ")),
    "cal": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ")),
    "frak": dict(zip("CHIRZ", "ℭℌℑℜℨ")),
}
#: Where A, a and 0 of each alphabet stand.
_START = {
    "bb": (0x1D538, 0x1D552, 0x1D7D8),
    "cal": (0x1D49C, 0x1D4B6, 0),
    "bf": (0x1D400, 0x1D41A, 0x1D7CE),
    "frak": (0x1D504, 0x1D51E, 0),
    "sf": (0x1D5A0, 0x1D5BA, 0x1D7E2),
}


def alphabet(style: str, char: str) -> str:
    """A letter or digit in another alphabet: ``bb``, ``cal``, ``bf``, ``frak`` or ``sf``; others
    stay as they are.

    Examples
    --------
    >>> alphabet("bb", "R"), alphabet("bf", "0"), alphabet("cal", "+")
    ('ℝ', '𝟎', '+')
    """
    if char in _EARLIER.get(style, {}):
        return _EARLIER[style][char]
    upper, lower, digit = _START[style]
    if "A" <= char <= "Z":
        return chr(upper + ord(char) - ord("A"))
    if "a" <= char <= "z":
        return chr(lower + ord(char) - ord("a"))
    return chr(digit + ord(char) - ord("0")) if digit and "0" <= char <= "9" else char
