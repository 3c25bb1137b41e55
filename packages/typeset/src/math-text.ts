const table = (text: string): Map<string, string> => {
  const words = text.split(/\s+/);
  return new Map(words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])));
};

/** Commands of TeX that are one sign. */
export const SIGNS = table(
  `alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ
   pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π
   Sigma Σ Phi Φ Psi Ψ Omega Ω times × div ÷ pm ± cdot · le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ propto ∝
   infty ∞ sum ∑ prod ∏ int ∫ partial ∂ nabla ∇ in ∈ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ cup ∪ cap ∩ forall ∀
   exists ∃ to → rightarrow → leftarrow ← Rightarrow ⇒ Leftrightarrow ⇔ iff ⇔ implies ⇒ ldots … dots … cdots ⋯ land ∧
   lor ∨ neg ¬ lnot ¬ perp ⊥ angle ∠ therefore ∴ because ∵ sqrt √`,
);
const ABOVE = table('0 ⁰ 1 ¹ 2 ² 3 ³ 4 ⁴ 5 ⁵ 6 ⁶ 7 ⁷ 8 ⁸ 9 ⁹ + ⁺ - ⁻ n ⁿ i ⁱ');
const BELOW = table('0 ₀ 1 ₁ 2 ₂ 3 ₃ 4 ₄ 5 ₅ 6 ₆ 7 ₇ 8 ₈ 9 ₉ + ₊ - ₋');
/** What only says how much room there is. */
const UNSEEN = new Set(['left', 'right', 'big', 'Big', 'bigl', 'bigr', 'displaystyle', 'limits']);

const COMMAND = /\\([A-Za-z]{1,40})|\\[,;:!]|([\^_])(?:\{([^{}\\]{1,20})\}|([A-Za-z\d]))/g;

/** TeX as text: what is one sign is that sign, all else stands as it is written. */
export const mathText = (tex: string): string =>
  tex.replace(COMMAND, (whole: string, command?: string, kind?: string, several?: string, single?: string) => {
    if (kind !== undefined) return raised(several ?? single ?? '', kind === '^' ? ABOVE : BELOW) ?? whole;
    if (command === undefined) return ' ';
    return UNSEEN.has(command) ? '' : (SIGNS.get(command) ?? whole);
  });

function raised(text: string, signs: Map<string, string>): string | undefined {
  const found = Array.from(text, (character) => signs.get(character));
  return found.includes(undefined) ? undefined : found.join('');
}
