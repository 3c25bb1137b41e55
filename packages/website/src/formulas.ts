import { type Element, findElement, getAttribute, getClasses, getText } from './html-tree.ts';

export interface Formula {
  tex: string;
  isBlock: boolean;
}

const holders = new Set('math katex katex-display arithmatex mathjax mwe-math-element math-tex'.split(' '));

/**
 * Returns the TeX source of a formula rendered by KaTeX, MathJax or MathML, or undefined if the element is not a
 * formula or has no source.
 */
export function getFormula(node: Element): Formula | undefined {
  const { tagName } = node;
  if (tagName === 'script') return getScript(node);
  const classes = getClasses(node);
  const isLinkOrButton = tagName === 'math' || tagName === 'mjx-container' || classes.some((name) => holders.has(name));
  if (!isLinkOrButton || tagName === 'pre' || tagName === 'code') return undefined;
  const math = tagName === 'math' ? node : findElement(node, (element) => element.tagName === 'math');
  const [tex, isDisplay] = readTex(node, math);
  if (tex === undefined || tex.trim() === '' || tex.includes('$$')) return undefined;
  const isBlock =
    isDisplay || classes.includes('katex-display') || getAttribute(node, 'display') === 'true' || isBlockMath(math);
  return { tex: tex.trim(), isBlock };
}

const isBlockMath = (math: Element | undefined): boolean =>
  math !== undefined && getAttribute(math, 'display') === 'block';

function getScript(node: Element): Formula | undefined {
  const type = getAttribute(node, 'type') ?? '';
  const tex = getText(node).trim();
  if (!type.startsWith('math/tex') || tex === '' || tex.includes('$$')) return undefined;
  return { tex, isBlock: /mode\s?=\s?display/.test(type.slice(0, 100)) };
}

/** Returns the TeX source and whether its delimiters make it a display formula. */
function readTex(node: Element, math: Element | undefined): [tex: string | undefined, isDisplay: boolean] {
  const isTex = (element: Element): boolean =>
    element.tagName === 'annotation' && getAttribute(element, 'encoding') === 'application/x-tex';
  const annotation = math && findElement(math, isTex);
  if (annotation) return [getText(annotation), false];
  if (math)
    return [getAttribute(math, 'altText') ?? getAttribute(math, 'alttext') ?? getAttribute(math, 'dataLatex'), false];
  const latex = findElement(node, (element) => getAttribute(element, 'dataLatex') !== undefined);
  if (latex) return [getAttribute(latex, 'dataLatex'), false];
  const text = getText(node).trim();
  const isClosed = (open: string, close: string): boolean => text.startsWith(open) && text.endsWith(close);
  if (isClosed('\\(', '\\)')) return [text.slice(2, -2), false];
  if (isClosed('\\[', '\\]')) return [text.slice(2, -2), true];
  return [undefined, false];
}
