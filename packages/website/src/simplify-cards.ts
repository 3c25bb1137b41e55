import { getImageAddress, type ResolveAddress } from './addresses.ts';
import { getFormula } from './formulas.ts';
import { getHeadingId } from './heading-anchors.ts';
import { getHintStyle } from './hints.ts';
import {
  type Content,
  createElement,
  type Element,
  findElement,
  getAttribute,
  getChildElements,
  getClasses,
  getLine,
  isElement,
  type Parent,
} from './html-tree.ts';
import { isBoilerplate } from './main-content.ts';
import type { Children, Simplifier } from './simplifier.ts';

const cardClass = /^(?:card|sl-link-card|nextra-card|hextra-card|sd-card|vpfeature|fd-card|link-card)$|^cardcontainer_/;
const notInCards = new Set('pre table ul ol dl blockquote details video audio iframe embed form input'.split(' '));
const maxText = 1000;
const maxWrappers = 3;

/** The title and the text are HTML. */
interface Card {
  title: string;
  text: string;
  url?: string;
  image?: string;
}

/** Converts the children of an element with `each`. Adjacent cards become one block of cards. */
export function groupCards(parent: Parent, context: Simplifier, each: (child: Content) => Children): Children {
  const children = parent.children as Content[];
  const isInList = () => [parent, ...context.holders].some((node) => node.type === 'element' && isOfList(node));
  if (!children.some((child) => isElement(child) && findCards(child).length > 0) || isInList())
    return children.flatMap(each);
  const newChildren: Children = [];
  let row: Card[] = [];
  const end = (): void => {
    if (row.length > 0) newChildren.push(createElement('octavo-cards', [], { html: getTable(row) }));
    row = [];
  };
  for (const child of children) {
    const cards = isElement(child) ? readCards(findCards(child), context) : [];
    row.push(...cards);
    if (cards.length > 0 || (child.type === 'text' && child.value.trim() === '')) continue;
    end();
    newChildren.push(...each(child));
  }
  end();
  return newChildren;
}

const isOfList = ({ tagName }: Element): boolean => tagName === 'ul' || tagName === 'ol' || tagName === 'li';

/** If an element is a card, returns the card. If it is a list that contains only cards, returns these cards. */
function findCards(node: Element): Element[] {
  const card = findCard(node);
  if (card !== undefined) return [card];
  if (node.tagName !== 'ul' && node.tagName !== 'ol') return [];
  const cards: Element[] = [];
  for (const item of node.children) {
    const card = item.type === 'element' ? findCard(item) : undefined;
    if (card) cards.push(card);
    else if (item.type !== 'text' || item.value.trim() !== '') return [];
  }
  return cards;
}

const isCard = (node: Element): boolean => getClasses(node).some((name) => cardClass.test(name));

/** If an element is a card, returns the card. If it contains only one card, returns that card. */
function findCard(node: Element): Element | undefined {
  let current: Element | undefined = node;
  for (let depth = 0; current !== undefined && depth <= maxWrappers; depth += 1) {
    if (isCard(current)) return current;
    const inside: Children = current.children.filter((child) => child.type !== 'text' || child.value.trim() !== '');
    const [onlyChild] = inside;
    current = inside.length === 1 && onlyChild?.type === 'element' ? onlyChild : undefined;
  }
  return undefined;
}

const isTitle = (node: Element): boolean =>
  isHeading(node) ||
  getClasses(node).some((name) => /^(?:title|card-title|card-header|sd-card-title|hextra-card-title)$/.test(name));

/** Reads cards. Returns no cards if one of them contains more than a card supports. */
function readCards(cards: Element[], { resolve, images, footnotes }: Simplifier): Card[] {
  const foundCards: Card[] = [];
  for (const element of cards) {
    const card = readCard(element, resolve);
    if (card === undefined || findElement(element, (node) => footnotes.labels.has(node))) return [];
    foundCards.push(card);
  }
  for (const { image } of foundCards) if (image !== undefined) images.add(image);
  return foundCards;
}

const isHeading = ({ tagName }: Element): boolean => /^h[1-6]$/.test(tagName);

/** Whether an element does not fit in a card of a title, a text, a link and an image. */
const exceedsCard = (node: Element): boolean =>
  notInCards.has(node.tagName) ||
  getHintStyle(node) !== undefined ||
  getFormula(node) !== undefined ||
  (isHeading(node) && getHeadingId(node, undefined) !== undefined);

function readCard(card: Element, resolve: ResolveAddress): Card | undefined {
  if (isBoilerplate(card) || exceedsCard(card)) return undefined;
  const all = getVisibleChildren(card);
  if (all.some((node) => exceedsCard(node) || isCard(node)) || all.filter(isHeading).length > 1) return undefined;
  const links = [card, ...all].filter(({ tagName }) => tagName === 'a');
  const addresses = new Set(links.flatMap((node) => resolve(getAttribute(node, 'href')) ?? []));
  const pictures = all
    .filter(({ tagName }) => tagName === 'img')
    .flatMap((node) => getImageAddress(node, resolve) ?? []);
  if (addresses.size > 1 || pictures.length > 1) return undefined;
  const strongElement = all.find(({ tagName }) => tagName === 'strong' || tagName === 'b');
  const heading = all.find(isTitle) ?? strongElement ?? links[0];
  const headingElement = heading === card ? undefined : heading;
  if (getLine(card).length > 2 * maxText) return undefined;
  const title = headingElement === undefined ? '' : getWords(headingElement, { open: new Set(['strong']) });
  const text = getWords(card, { excluded: headingElement, open: new Set(title === '' ? ['strong'] : []) });
  if ((title === '' && text === '') || text.length > maxText) return undefined;
  const [[url], [image]] = [[...addresses], pictures];
  return { title: title || text, text: title && text, ...(url && { url }), ...(image && { image }) };
}

/** Returns the visible elements below an element. */
const getVisibleChildren = (node: Element): Element[] =>
  getChildElements(node).flatMap((child) => (isBoilerplate(child) ? [] : [child, ...getVisibleChildren(child)]));

/** The marks that a card's text may have. */
const marks = new Map([
  ['strong', 'strong'],
  ['b', 'strong'],
  ['em', 'em'],
  ['i', 'em'],
  ['del', 'del'],
  ['s', 'del'],
  ...['code', 'samp', 'tt'].map((name) => [name, 'code'] as const),
  ...['kbd', 'sub', 'sup'].map((name) => [name, name] as const),
]);

interface Words {
  /** An element to leave out because it is shown elsewhere. */
  excluded?: Element | undefined;
  /** The marks that are open around the text. */
  open: ReadonlySet<string>;
}

/** Returns the visible text of an element on one line, with its marks. */
const getWords = (node: Element, words: Words): string => getMarkedWords(node, words).replace(/\s+/g, ' ').trim();

function getMarkedWords(node: Element, { excluded, open }: Words): string {
  const parts = node.children.map((child) => {
    if (child.type === 'text') return escapeHtml(child.value);
    if (child.type !== 'element' || child === excluded || isBoilerplate(child)) return '';
    const mark = marks.get(child.tagName);
    const isMarked = mark !== undefined && !open.has(mark);
    const inner = getMarkedWords(child, { excluded, open: isMarked ? new Set([...open, mark]) : open });
    if (!isMarked) return mark === undefined ? `${inner} ` : inner;
    const word = inner.trim();
    const [before, after] = [/^\s/.test(inner) ? ' ' : '', /\s$/.test(inner) ? ' ' : ''];
    return word === '' ? inner : `${before}<${mark}>${word}</${mark}>${after}`;
  });
  return parts.join('');
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (each) => escapes[each] ?? each).replace(/\{(?=[%{#])/g, '&#123;');

/** Returns a table block that is rendered as cards, on one line: title, text, link, image. */
function getTable(cards: Card[]): string {
  const hasImage = cards.some(({ image }) => image !== undefined);
  const head = [
    '<th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th>',
    hasImage ? '<th data-hidden data-card-cover data-type="files"></th>' : '',
  ];
  const createLink = (url: string | undefined): string =>
    url === undefined ? '' : `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`;
  const rows = cards.map(({ title, text, url, image }) => {
    const cover = hasImage ? `<td>${createLink(image)}</td>` : '';
    return `<tr><td><strong>${title}</strong></td><td>${text}</td><td>${createLink(url)}</td>${cover}</tr>`;
  });
  return `<table data-view="cards"><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}
