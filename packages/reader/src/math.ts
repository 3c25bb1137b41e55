import temml from 'temml';

/** Longer formulas, and formulas with more macro expansions, are shown as source text. */
const maxFormula = 4000;
const maxExpand = 200;

/** Converts a formula to MathML; undefined if it is invalid. */
export function toMathMl(formula: string, displayMode: boolean): string | undefined {
  if (formula.length > maxFormula) return undefined;
  try {
    // A formula may not set a URL, class or style, and unknown commands are errors.
    return temml.renderToString(formula, { displayMode, throwOnError: true, trust: false, maxExpand, strict: false });
  } catch {
    return undefined;
  }
}
