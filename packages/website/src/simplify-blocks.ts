import { type CodeFrame, getCode, getLanguage } from './code-block.ts';
import type { Formula } from './formulas.ts';
import { getHeadingId } from './heading-anchors.ts';
import { getHintTitle, isHintSign } from './hints.ts';
import {
  createElement,
  createTextNode,
  type Element,
  findElement,
  getAttribute,
  getChildElements,
  getClasses,
  getLine,
  isElement,
} from './html-tree.ts';
import { type Children, createTrimmedElement, isBlank, type Simplifier, simplifyChildren } from './simplifier.ts';

const removeChild = (node: Element, removedChild: Element | undefined): Element =>
  removedChild === undefined ? node : { ...node, children: node.children.filter((child) => child !== removedChild) };

/** Returns the visible text of an element on one line. */
const getVisibleLine = (node: Element, context: Simplifier): string =>
  getLine(createElement('div', simplifyChildren(node, context)));

export function getHeading(node: Element, context: Simplifier): Children {
  const children = simplifyChildren(node, context);
  if (isBlank(children)) return [];
  const suffix = context.ids.createSuffix(
    getLine(createElement('div', children)),
    getHeadingId(node, context.holders[0]),
  );
  return [
    createElement(node.tagName, suffix === '' ? children : [...children, createElement('octavo-id', [], { suffix })]),
  ];
}

/** Returns an image with its caption as the title. Undefined if the figure contains something other than an image. */
export function getFigure(node: Element, context: Simplifier): Children | undefined {
  const caption = findElement(node, ({ tagName }) => tagName === 'figcaption');
  const rest = removeChild(node, caption);
  if (!caption || rest.children.length === node.children.length) return undefined;
  if (!findElement(rest, ({ tagName }) => tagName === 'img') || getLine(rest) !== '') return undefined;
  const children = simplifyChildren(rest, context);
  const image = findElement(createElement('div', children), ({ tagName }) => tagName === 'img');
  if (image === undefined)
    return [createElement('div', [...children, createElement('div', simplifyChildren(caption, context))])];
  image.properties.title = getVisibleLine(caption, context);
  return [createElement('p', children)];
}

export function getEmbed(node: Element, context: Simplifier): Children {
  const source = getChildElements(node).find(({ tagName }) => tagName === 'source');
  const address = getAttribute(node, 'src') ?? getAttribute(node, 'dataSrc') ?? (source && getAttribute(source, 'src'));
  const url = context.resolve(address);
  return url === undefined ? [] : [createElement('octavo-embed', [], { url })];
}

export function getHint(node: Element, style: string, context: Simplifier): Children {
  const title = getHintTitle(node);
  const content = getClasses(node).includes('admonitionblock') ? findElement(node, isContentCell) : undefined;
  const [first] = getChildElements(node);
  const body = content ?? removeChild(node, first && isHintSign(first) ? first : undefined);
  const inner = { ...context, heading: title?.element ?? context.heading, holders: [node, ...context.holders] };
  const children = context.simplify(body, inner);
  const titleNodes = title?.text ? [createElement('p', [createElement('strong', [createTextNode(title.text)])])] : [];
  if (titleNodes.length === 0 && isBlank(children)) return [];
  return [createElement('octavo-hint', [...titleNodes, ...children], { style })];
}

/** Some sites lay out a hint as a table with an icon and its text. */
const isContentCell = (node: Element): boolean => node.tagName === 'td' && getClasses(node).includes('content');

export function getDetails(node: Element, context: Simplifier): Children {
  const summary = getChildElements(node).find(({ tagName }) => tagName === 'summary');
  const children = simplifyChildren(removeChild(node, summary), context);
  const isTree = context.holders.some(({ tagName }) => tagName === 'starlight-file-tree');
  if (isTree && summary) return [...simplifyChildren(summary, context), ...children];
  return [
    createElement('octavo-details', children, { summary: (summary && getVisibleLine(summary, context)) || 'Details' }),
  ];
}

/** Converts a definition list to a list: the term in bold, its definitions below it. */
export function getDefinitions(node: Element, context: Simplifier): Children {
  const items: Element[] = [];
  const add = (parent: Element): void => {
    for (const child of getChildElements(parent)) {
      if (child.tagName === 'div') add(child);
      if (child.tagName === 'dt') items.push(createElement('li', [createElement('p', getTerm(child, context))]));
      if (child.tagName !== 'dd') continue;
      if (items.length === 0) items.push(createElement('li', []));
      items.at(-1)?.children.push(createElement('div', simplifyChildren(child, context)));
    }
  };
  add(node);
  return items.length > 0 ? [createElement('ul', items)] : [];
}

const getTerm = (term: Element, context: Simplifier): Children => {
  const id = getAttribute(term, 'id');
  const anchor = id !== undefined && /^[\w.:-]{1,200}$/.test(id) ? [createElement('octavo-anchor', [], { id })] : [];
  return [...anchor, ...createTrimmedElement('strong', simplifyChildren(term, context))];
};

export function createCodeBlock(node: Element, { holders }: Simplifier): Children {
  return createCodeElement(getCode(node), getLanguage(node, holders.slice(0, 4)), '');
}

export function createFramedCode({ pre, holders, title }: CodeFrame, context: Simplifier): Children {
  return createCodeElement(getCode(pre), getLanguage(pre, [...holders, ...context.holders].slice(0, 8)), title);
}

function createCodeElement(code: string, language: string | undefined, title: string): Children {
  if (code.trim() === '') return [];
  const codeAttributes = { ...(language !== undefined && { language }), ...(title !== '' && { title }) };
  return [createElement('octavo-code', [], { code, ...codeAttributes })];
}

export function getTabs(node: Element, context: Simplifier): Children {
  const tabs = (context.tabs.sets.get(node) ?? []).flatMap(({ title, panel }) => {
    const { id: _, hidden, style, role, ariaHidden, ...properties } = panel.properties;
    const children = simplifyChildren(createElement('div', [{ ...panel, properties }]), context);
    return isBlank(children) ? [] : [createElement('octavo-tab', children, { title })];
  });
  return tabs.length > 0 ? [createElement('octavo-tabs', tabs)] : [];
}

const stepLists = new Set(['sl-steps', 'nextra-steps', 'hextra-steps', 'steps', 'fd-steps']);

/** Whether an element is a series of steps: an ordered list, or headings with content. */
export function isSteps(node: Element): boolean {
  if (!getClasses(node).some((name) => stepLists.has(name))) return false;
  if (node.tagName === 'ol') return getChildElements(node).every(({ tagName }) => tagName === 'li');
  return node.tagName === 'div' && /^h[2-5]$/.test(getChildElements(node)[0]?.tagName ?? '');
}

export function getSteps(node: Element, context: Simplifier): Children {
  const parts =
    node.tagName === 'ol'
      ? getChildElements(node).map((item) => simplifyChildren(item, context))
      : splitSteps(node, context);
  const steps = parts.flatMap((children) => (isBlank(children) ? [] : [createElement('octavo-step', children)]));
  return steps.length > 0 ? [createElement('octavo-stepper', steps)] : [];
}

function splitSteps(node: Element, context: Simplifier): Children[] {
  const level = getChildElements(node)[0]?.tagName;
  const parts: Children[] = [];
  for (const child of simplifyChildren(node, context)) {
    if (parts.length === 0 || (isElement(child) && child.tagName === level)) parts.push([]);
    parts.at(-1)?.push(child);
  }
  return parts;
}

export const createFormulaBlock = ({ tex, isBlock }: Formula): Children => [
  createElement('octavo-formula', [createTextNode(tex)], { tex, isBlock }),
];
