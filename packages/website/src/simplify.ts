import { getImageAddress, getPictureAddress } from './addresses.ts';
import { getCodeFrame, isGutter } from './code-block.ts';
import { isNoteList } from './footnotes.ts';
import { getFormula } from './formulas.ts';
import { getAnchorId } from './heading-anchors.ts';
import { getHintStyle } from './hints.ts';
import {
  type Content,
  createElement,
  createTextNode,
  type Element,
  findElement,
  getAttribute,
  getChildElements,
  getClasses,
  getLimitedLine,
  getText,
  isElement,
  type Parent,
} from './html-tree.ts';
import { isAboutPage, isBoilerplate } from './main-content.ts';
import { WebPageError } from './measure-html.ts';
import { isPermalink } from './page-title.ts';
import { type Children, createTrimmedElement, isBlank, type Simplifier, simplifyChildren } from './simplifier.ts';
import {
  createCodeBlock,
  createFormulaBlock,
  createFramedCode,
  getDefinitions,
  getDetails,
  getEmbed,
  getFigure,
  getHeading,
  getHint,
  getSteps,
  getTabs,
  isSteps,
} from './simplify-blocks.ts';
import { groupCards } from './simplify-cards.ts';
import { simplifyTable } from './simplify-table.ts';

const maxDepth = 60;
const maxNodes = 60_000;
const keptTags = new Set('p ul ol li blockquote em i strong b del s strike code samp tt var q hr br'.split(' '));
const blocks = new Set(
  'div section article main center fieldset address hgroup form figure legend figcaption dd dt header body'.split(' '),
);
const inline = new Map([
  ...['em', 'i'].map((tagName) => [tagName, 'em'] as const),
  ...['strong', 'b'].map((tagName) => [tagName, 'strong'] as const),
  ...['del', 's', 'strike'].map((tagName) => [tagName, 'del'] as const),
  ['a', 'a'] as const,
]);
/** Elements that are converted as a whole, so their descendants are not counted. */
const literalTags = new Set(['pre', 'math', 'mjx-container']);
const players = new Set(['video', 'audio', 'iframe', 'embed']);
const headings = /^h[1-6]$/;

/**
 * Rejects a page with far too many elements before any other work. The number includes parts that may be removed later.
 */
export function checkTextSize(main: Parent): void {
  let nodes = 0;
  const stack: Parent[] = [main];
  for (let node = stack.pop(); node; node = stack.pop()) {
    nodes += node.children.length + 1;
    if (nodes > 2 * maxNodes) throw new WebPageError(`The text has more than ${maxNodes} elements.`);
    for (const child of getChildElements(node))
      if (!literalTags.has(child.tagName) && !isBoilerplate(child)) stack.push(child);
  }
}

/** Simplifies the children of an element. */
export function simplify(parent: Parent, context: Simplifier): Children {
  context.count.nodes += parent.children.length + 1;
  if (context.count.nodes > maxNodes) throw new WebPageError(`The text has more than ${maxNodes} elements.`);
  return groupCards(parent, context, (child) => simplifyNode(child, context));
}

function simplifyNode(node: Content, context: Simplifier): Children {
  if (node.type === 'text') return [createTextNode(node.value)];
  if (!isElement(node) || node === context.heading) return [];
  const formula = getFormula(node);
  if (formula) return createFormulaBlock(formula);
  if (context.tabs.sets.has(node)) return getTabs(node, context);
  if (isLeftOut(node, context)) return [];
  if (context.holders.length > maxDepth) return [createTextNode(getText(node))];
  const frame = getCodeFrame(node);
  if (frame) return createFramedCode(frame, context);
  const style = getHintStyle(node);
  if (style !== undefined) return getHint(node, style, context);
  if (isSteps(node)) return getSteps(node, context);
  const special = handlers[node.tagName];
  if (special) return special(node, context);
  if (headings.test(node.tagName)) return getHeading(node, context);
  if (players.has(node.tagName)) return getEmbed(node, context);
  return simplifyElement(node, context);
}

function isLeftOut(node: Element, { heading, tabs, footnotes }: Simplifier): boolean {
  if (tabs.panels.has(node) || footnotes.holders.has(node)) return true;
  if (isBoilerplate(node) || isGutter(node) || isAboutPage(node)) return true;
  if (node.tagName === 'header')
    return heading !== undefined && findElement(node, (element) => element === heading) !== undefined;
  if (node.tagName === 'aside') return getHintStyle(node) === undefined && !isNoteList(node);
  return false;
}

/** Whether the current element is inside emphasis of the same kind, so that its own emphasis is redundant. */
const isInside = (kind: string, { holders }: Simplifier): boolean =>
  holders.some(({ tagName }) => inline.get(tagName) === kind);

function simplifyElement(node: Element, context: Simplifier): Children {
  const { tagName } = node;
  if (tagName === 'footer' && !context.holders.some((element) => element.tagName === 'blockquote')) return [];
  const anchor = getAnchorId(node);
  const isInHeading = context.holders.some((element) => headings.test(element.tagName));
  if (anchor !== undefined) return isInHeading ? [] : [createElement('octavo-anchor', [], { id: anchor })];
  const children = simplifyChildren(node, context);
  if (tagName === 'br' || tagName === 'hr') return [createElement(tagName, [])];
  const kind = inline.get(tagName);
  if (kind !== undefined) return isInside(kind, context) ? children : createTrimmedElement(tagName, children);
  const block = blocks.has(tagName);
  if (!keptTags.has(tagName) && !block) return children;
  if (isBlank(children)) return [];
  if (tagName === 'p') return getParagraphs(children);
  const [onlyChild] = children;
  if (block && children.length === 1 && onlyChild?.type === 'element' && !inline.has(onlyChild.tagName))
    return children;
  const start = tagName === 'ol' ? Number.parseInt(getAttribute(node, 'start') ?? '', 10) : Number.NaN;
  return [createElement(block ? 'div' : tagName, children, start >= 0 && start < 1e9 ? { start } : {})];
}

/** Splits content into paragraphs. A display formula is not part of a paragraph. */
function getParagraphs(children: Children): Children {
  const parts: Children = [];
  let line: Children = [];
  const end = (): void => {
    if (!isBlank(line)) parts.push(createElement('p', line));
    line = [];
  };
  for (const child of children) {
    const isFormulaBlock =
      child.type === 'element' && child.tagName === 'octavo-formula' && child.properties.isBlock === true;
    if (isFormulaBlock) end();
    (isFormulaBlock ? parts : line).push(child);
  }
  end();
  return parts;
}

function getLink(node: Element, context: Simplifier): Children {
  const label = context.footnotes.labels.get(node);
  if (label !== undefined) return [createElement('octavo-note', [createTextNode(label)], { label })];
  const inHeading = context.holders.some(({ tagName }) => headings.test(tagName));
  const href = getAttribute(node, 'href');
  if (href === undefined) return simplifyElement(node, context);
  if ((inHeading && isPermalink(node)) || isFootnoteBackLink(node)) return [];
  const children = simplifyChildren(node, context);
  const address = context.resolve(href);
  if (address === undefined || (inHeading && href.startsWith('#'))) return children;
  if (context.holders.some(({ tagName }) => tagName === 'a')) return children;
  return createTrimmedElement('a', children, { href: address });
}

/** Whether a link in a footnote points back to its reference. */
const isFootnoteBackLink = (node: Element): boolean => /^(?:\u21a9|\ufe0e|\ufe0f|\s)+$/.test(getLimitedLine(node, 10));

function getImage(node: Element, context: Simplifier): Children {
  const isPicture = node.tagName === 'picture';
  const image = isPicture ? node.children.filter(isElement).find(({ tagName }) => tagName === 'img') : node;
  const src = isPicture ? getPictureAddress(node, context.resolve) : getImageAddress(node, context.resolve);
  if (src === undefined) return [];
  context.images.add(src);
  return [createElement('img', [], { src, alt: (image && getAttribute(image, 'alt')) ?? '' })];
}

/** Preserves the tags of keyboard keys, subscript, superscript and marks, for which markdown has no syntax. */
function getTaggedBlock(node: Element, context: Simplifier): Children {
  const children = simplifyChildren(node, context);
  const isNote = children.length === 1 && children[0]?.type === 'element' && children[0].tagName === 'octavo-note';
  if (isNote || isBlank(children) || context.holders.some(({ tagName }) => tagName === node.tagName)) return children;
  return [createElement('octavo-tag', children, { name: node.tagName })];
}

const simplifyCheckbox = (node: Element): Children =>
  getAttribute(node, 'type') === 'checkbox'
    ? [createElement('input', [], { type: 'checkbox', checked: node.properties.checked === true })]
    : [];

/** A Mermaid diagram becomes a code block. */
const getMermaid = (node: Element, context: Simplifier): Children => {
  const isDrawing = getClasses(node).includes('mermaid') && !findElement(node, ({ tagName }) => tagName === 'svg');
  return isDrawing ? createCodeBlock(node, context) : simplifyElement(node, context);
};

const handlers: Record<string, (node: Element, context: Simplifier) => Children> = {
  a: getLink,
  img: getImage,
  picture: getImage,
  figure: (node, context) => getFigure(node, context) ?? simplifyElement({ ...node, tagName: 'div' }, context),
  details: getDetails,
  dl: getDefinitions,
  pre: createCodeBlock,
  div: getMermaid,
  input: simplifyCheckbox,
  table: (node, context) => simplifyTable(node, (element) => simplifyChildren(element, context)),
  ...Object.fromEntries(['kbd', 'sub', 'sup', 'mark'].map((name) => [name, getTaggedBlock])),
};
