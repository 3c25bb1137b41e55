import { attributeOf, classesOf, type Element, findElement, textOf } from './html-tree.ts';

export interface Formula {
  tex: string;
  isBlock: boolean;
}

const holders = new Set('math katex katex-display arithmatex mathjax mwe-math-element math-tex'.split(' '));

/** The TeX of a formula that KaTeX, MathJax or MathML draws; undefined where an element is none or does not say it. */
export function formulaOf(node: Element): Formula | undefined {
  const { tagName } = node;
  if (tagName === 'script') return scriptOf(node);
  const classes = classesOf(node);
  const isHolder = tagName === 'math' || tagName === 'mjx-container' || classes.some((name) => holders.has(name));
  if (!isHolder || tagName === 'pre' || tagName === 'code') return undefined;
  const math = tagName === 'math' ? node : findElement(node, (each) => each.tagName === 'math');
  const [tex, isDisplay] = writtenIn(node, math);
  if (tex === undefined || tex.trim() === '' || tex.includes('$$')) return undefined;
  const isBlock =
    isDisplay || classes.includes('katex-display') || attributeOf(node, 'display') === 'true' || isBlockMath(math);
  return { tex: tex.trim(), isBlock };
}

const isBlockMath = (math: Element | undefined): boolean =>
  math !== undefined && attributeOf(math, 'display') === 'block';

function scriptOf(node: Element): Formula | undefined {
  const type = attributeOf(node, 'type') ?? '';
  const tex = textOf(node).trim();
  if (!type.startsWith('math/tex') || tex === '' || tex.includes('$$')) return undefined;
  return { tex, isBlock: /mode\s?=\s?display/.test(type.slice(0, 100)) };
}

/** The TeX, and whether its own brackets say that it stands alone. */
function writtenIn(node: Element, math: Element | undefined): [tex: string | undefined, isDisplay: boolean] {
  const isTex = (each: Element): boolean =>
    each.tagName === 'annotation' && attributeOf(each, 'encoding') === 'application/x-tex';
  const annotation = math && findElement(math, isTex);
  if (annotation) return [textOf(annotation), false];
  if (math)
    return [attributeOf(math, 'altText') ?? attributeOf(math, 'alttext') ?? attributeOf(math, 'dataLatex'), false];
  const latex = findElement(node, (each) => attributeOf(each, 'dataLatex') !== undefined);
  if (latex) return [attributeOf(latex, 'dataLatex'), false];
  const text = textOf(node).trim();
  const isClosed = (open: string, close: string): boolean => text.startsWith(open) && text.endsWith(close);
  if (isClosed('\\(', '\\)')) return [text.slice(2, -2), false];
  if (isClosed('\\[', '\\]')) return [text.slice(2, -2), true];
  return [undefined, false];
}
