import temml from 'temml';
import { dataOf, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';

/** A formula beyond this is shown as it is written. */
const maxFormula = 4000;
const maxExpand = 200;

/** A formula as MathML; undefined where it cannot be read. */
function mathOf(formula: string, displayMode: boolean): string | undefined {
  if (formula.length > maxFormula) return undefined;
  try {
    // No command of a formula may name an address, a class or a style, and what is not known is an error.
    return temml.renderToString(formula, { displayMode, throwOnError: true, trust: false, maxExpand, strict: false });
  } catch {
    return undefined;
  }
}

const math =
  (displayMode: boolean): NodeComponent =>
  ({ node }) => {
    const formula = textOf(dataOf(node), 'formula') ?? '';
    const html = mathOf(formula, displayMode);
    // What Temml writes is MathML, in which all text of the formula is escaped.
    if (html === undefined) return displayMode ? <pre class="math">{formula}</pre> : <code>{formula}</code>;
    const inside = { dangerouslySetInnerHTML: { __html: html } };
    return displayMode ? <div class="math" {...inside} /> : <span class="math" {...inside} />;
  };

export const MathBlock = math(true);
export const InlineMath = math(false);
