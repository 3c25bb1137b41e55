import { imageAddress } from './addresses.ts';
import {
  attributeOf,
  type Content,
  classesOf,
  type Element,
  element,
  elementsOf,
  findElement,
  isElement,
  lineOf,
  type Parent,
} from './html-tree.ts';
import { isNoise } from './noise.ts';
import type { Children, Simplifier } from './simplifier.ts';

const cardClass = /^(?:card|sl-link-card|nextra-card|hextra-card|sd-card|vpfeature|fd-card|link-card)$|^cardcontainer_/;
const notInCards = new Set('pre table ul ol blockquote details video iframe form input'.split(' '));
const maxText = 1000;
const maxWrappers = 3;

interface Card {
  title: string;
  text: string;
  url?: string;
  image?: string;
}

/** The children of an element by `each`; cards that stand beside each other are one block of cards. */
export function withCards(parent: Parent, context: Simplifier, each: (child: Content) => Children): Children {
  if (!parent.children.some((child) => isElement(child) && cardIn(child) !== undefined))
    return (parent.children as Content[]).flatMap(each);
  const written: Children = [];
  let row: Card[] = [];
  const end = (): void => {
    if (row.length > 0) written.push(element('octavo-cards', [], { html: tableOf(row) }));
    row = [];
  };
  for (const child of parent.children as Content[]) {
    const found = isElement(child) ? cardIn(child) : undefined;
    const card = found && readCard(found, context);
    if (card) row.push(card);
    else if (child.type !== 'text' || child.value.trim() !== '') {
      end();
      written.push(...each(child));
    }
  }
  end();
  return written;
}

/** The card that an element is, or all that it holds. */
function cardIn(node: Element): Element | undefined {
  let at: Element | undefined = node;
  for (let depth = 0; at !== undefined && depth <= maxWrappers; depth += 1) {
    if (classesOf(at).some((name) => cardClass.test(name))) return at;
    const inside: Children = at.children.filter((child) => child.type !== 'text' || child.value.trim() !== '');
    const [only] = inside;
    at = inside.length === 1 && only?.type === 'element' ? only : undefined;
  }
  return undefined;
}

const isTitle = (node: Element): boolean =>
  /^h[1-6]$/.test(node.tagName) ||
  classesOf(node).some((name) => /^(?:title|card-title|card-header|sd-card-title|hextra-card-title)$/.test(name));

/** What a card says; undefined where it holds more than a card of ours can. */
function readCard(card: Element, { resolve, images }: Simplifier): Card | undefined {
  if (isNoise(card) || findElement(card, ({ tagName }) => notInCards.has(tagName))) return undefined;
  const all = [...elementsOf(card)];
  const link = card.tagName === 'a' ? card : all.find((node) => node.tagName === 'a');
  const heading = all.find(isTitle) ?? all.find(({ tagName }) => tagName === 'strong' || tagName === 'b') ?? link;
  const title = heading && heading !== card ? seen(heading) : '';
  const text = seen(card, heading === card ? undefined : heading);
  if ((title === '' && text === '') || text.length > maxText) return undefined;
  const [picture] = all.filter(({ tagName }) => tagName === 'img');
  const image = picture && imageAddress(picture, resolve);
  const url = link && resolve(attributeOf(link, 'href'));
  if (image !== undefined) images.add(image);
  return { title: title || text, text: title && text, ...(url && { url }), ...(image && { image }) };
}

/** The text of an element on one line, without another element and what nobody sees. */
function seen(node: Element, without?: Element): string {
  const strip = (each: Element): Element => ({
    ...each,
    children: each.children.flatMap((child): Children => {
      if (child.type !== 'element') return [child];
      return child === without || isNoise(child) ? [] : [strip(child), { type: 'text', value: ' ' }];
    }),
  });
  return lineOf(strip(node));
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (each) => escapes[each] ?? each).replaceAll('{%', '&#123;%');

/** A table that is drawn as cards, on one line: title, text, where it leads to, and the image above. */
function tableOf(cards: Card[]): string {
  const hasImage = cards.some(({ image }) => image !== undefined);
  const head = [
    '<th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th>',
    hasImage ? '<th data-hidden data-card-cover data-type="files"></th>' : '',
  ];
  const link = (url: string | undefined): string =>
    url === undefined ? '' : `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`;
  const rows = cards.map(({ title, text, url, image }) => {
    const cover = hasImage ? `<td>${link(image)}</td>` : '';
    return `<tr><td><strong>${escapeHtml(title)}</strong></td><td>${escapeHtml(text)}</td><td>${link(url)}</td>${cover}</tr>`;
  });
  return `<table data-view="cards"><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}
