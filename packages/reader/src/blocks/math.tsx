import temml from 'temml';
import { dataOf, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';
import type { Sheet } from '../theme/sheet.ts';

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

const declaration = /^[a-z-]{1,40}:[-+#.%\w\s()/]{1,80}$/;

/** Declarations as the styles of a page may have them: no more than numbers, lengths, names and colours. */
const safeDeclarations = (style: string): string =>
  style
    .split(';')
    .map((each) => each.trim())
    .filter((each) => declaration.test(each) && !/url|expression|image|var\(/i.test(each))
    .join(';');

/** MathML whose elements have classes in the place of styles of their own, which the policy of a page does not allow. */
const withClasses = (math: string, sheet: Sheet): string =>
  math.replace(/<(\w+)((?:\s[^<>]*?)?)\sstyle="([^"<>]*)"([^<>]*)>/g, (_, tag, before, style, after) => {
    const declarations = safeDeclarations(style);
    if (declarations === '') return `<${tag}${before}${after}>`;
    const name = sheet.classOf(declarations);
    const attributes = `${before}${after}`;
    return /\sclass="/.test(attributes)
      ? `<${tag}${attributes.replace(/\sclass="/, ` class="${name} `)}>`
      : `<${tag} class="${name}"${attributes}>`;
  });

const math =
  (displayMode: boolean): NodeComponent =>
  ({ node, at }) => {
    const formula = textOf(dataOf(node), 'formula') ?? '';
    const read = mathOf(formula, displayMode);
    // What Temml writes is MathML, in which all text of the formula is escaped.
    if (read === undefined) return displayMode ? <pre class="math">{formula}</pre> : <code>{formula}</code>;
    const inside = { dangerouslySetInnerHTML: { __html: withClasses(read, at.sheet) } };
    return displayMode ? <div class="math" tabIndex={0} {...inside} /> : <span class="math" {...inside} />;
  };

export const MathBlock = math(true);
export const InlineMath = math(false);
