import {
  attributeOf,
  childElements,
  classesOf,
  type Element,
  elementsOf,
  findElement,
  isElement,
  type Parent,
  type Root,
} from './html-tree.ts';
import { isNoise } from './noise.ts';

interface Traits {
  tagName: string;
  id: string | undefined;
  classes: readonly string[];
  role: string | undefined;
  property: string | undefined;
}

const hasClass = (name: string) => (node: Traits) => node.classes.includes(name);
const hasId = (name: string) => (node: Traits) => node.id === name;
const isTag = (name: string) => (node: Traits) => node.tagName === name;

/** What pages call their text, the narrowest first. */
const signs: ((node: Traits) => boolean)[] = [
  (node) => node.property === 'articleBody',
  hasClass('theme-doc-markdown'),
  hasClass('markdown-body'),
  hasClass('md-content__inner'),
  hasClass('vp-doc'),
  hasClass('sl-markdown-content'),
  hasClass('rst-content'),
  hasId('mw-content-text'),
  hasId('wiki-content'),
  (node) => node.tagName === 'article' && !node.classes.some((name) => name === 'card' || name === 'col'),
  isTag('main'),
  (node) => node.role === 'main',
  hasId('main-content'),
  hasId('content'),
  hasClass('markdown'),
  ...[
    'document',
    'page-content',
    'post-content',
    'entry-content',
    'article-content',
    'docs-content',
    'doc-content',
  ].map(hasClass),
  hasClass('content'),
];
/** A sign is believed where its element holds so much of the text that the page has beside navigation. */
const enough = 0.4;

/** The element that holds the text of a page. */
export function mainContent(tree: Root): Parent {
  const body = findElement(tree, ({ tagName }) => tagName === 'body') ?? tree;
  const lengths = textLengths(body);
  const lengthOf = (node: Parent | undefined): number => (node && lengths.get(node)) ?? 0;
  const largest: (Element | undefined)[] = [];
  for (const node of elementsOf(body)) {
    const traits = traitsOf(node);
    signs.forEach((isSign, index) => {
      if (isSign(traits) && lengthOf(node) > lengthOf(largest[index])) largest[index] = node;
    });
  }
  const least = Math.max(1, enough * lengthOf(body));
  return largest.find((node) => lengthOf(node) >= least) ?? densest(body, lengthOf);
}

const traitsOf = (node: Element): Traits => ({
  tagName: node.tagName,
  id: attributeOf(node, 'id'),
  classes: classesOf(node),
  role: attributeOf(node, 'role'),
  property: attributeOf(node, 'itemProp'),
});

/** How much text outside of links and of what is no text stands below each element. */
function textLengths(body: Parent): Map<Parent, number> {
  const lengths = new Map<Parent, number>();
  const measure = (node: Parent): number => {
    let length = 0;
    for (const child of node.children) {
      if (child.type === 'text') length += child.value.trim().length;
      if (isElement(child) && !isAround(child)) length += measure(child);
    }
    lengths.set(node, length);
    return length;
  };
  measure(body);
  return lengths;
}

const isAround = (node: Element): boolean =>
  node.tagName === 'a' || node.tagName === 'footer' || node.tagName === 'header' || isNoise(node);

/** Goes down while one child holds nearly all of the text. */
function densest(body: Parent, lengthOf: (node: Parent) => number): Parent {
  let at = body;
  for (;;) {
    const least = 0.9 * lengthOf(at);
    const next = childElements(at).find((child) => lengthOf(child) > least && isHolder(child));
    if (!next) return at;
    at = next;
  }
}

const holders = new Set(['div', 'section', 'article', 'main', 'center', 'form']);
const isHolder = ({ tagName }: Element): boolean => holders.has(tagName);
