const FORM = /\$((?![\s\d$])(?:[^$\\\n`]|\\[^\n]){1,300})\$(?![\w$({])/y;
const START = /^[a-zA-Z\\(\p{Script=Greek}]/u;
/** What only a formula has: commands, and signs that are raised or lowered. */
const SIGNS = /\\[a-zA-Z]|[\w)}]\^[\w{(\\-]|(?:^|[^a-zA-Z])[a-zA-Z]_[\w{\\]/;
/** Letters that stand alone, between operators. */
const LETTERS = /^(?!.*[a-zA-Z]{2})[-+/=<>()[\],.!'\s\da-zA-Z\p{Script=Greek}]+$/u;

/**
 * The formula that stands between single dollars at a place of a text, as other generators write it. Prices, variables and
 * words are none: what is not plainly a formula stays a text.
 */
export function formulaAt(text: string, position: number): { formula: string; end: number } | undefined {
  if (/[\w$\\]/.test(text.charAt(position - 1))) return undefined;
  FORM.lastIndex = position;
  const formula = FORM.exec(text)?.[1];
  if (formula === undefined || /\s$/.test(formula) || !START.test(formula) || formula.includes('{%')) return undefined;
  return SIGNS.test(formula) || LETTERS.test(formula) ? { formula, end: position + formula.length + 2 } : undefined;
}
