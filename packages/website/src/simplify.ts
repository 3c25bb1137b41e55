import { imageAddress, pictureAddress, type ResolveAddress } from './addresses.ts';
import { codeOf, isGutter, languageOf } from './code-block.ts';
import {
  attributeOf,
  type Content,
  type Element,
  element,
  findElement,
  isElement,
  lineOf,
  type Parent,
  textNode,
  textOf,
} from './html-tree.ts';
import { WebPageError } from './measure-html.ts';
import { hintStyle, isHintTitle, isNoise } from './noise.ts';
import { isPermalink } from './page-title.ts';
import { simplifyTable } from './simplify-table.ts';

type Children = Element['children'];

/** What the text of a page becomes: elements without attributes that say how it looks, all addresses absolute. */
export interface Simplifier {
  resolve: ResolveAddress;
  /** The heading that is the title, left out of the text. */
  heading: Element | undefined;
  /** The addresses of the images that were seen. */
  images: Set<string>;
  /** The elements that hold the one that is looked at, the nearest first. */
  holders: Element[];
  /** How much of the text was looked at. */
  count: { nodes: number };
}

const maxDepth = 60;
const maxNodes = 60_000;
const kept = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote em i strong b del s strike code kbd samp tt var q hr br'.split(' '),
);
const blocks = new Set(
  'div section article main center fieldset address hgroup form figure legend figcaption dd dt header body'.split(' '),
);
const inline = new Map([
  ...['em', 'i'].map((tagName) => [tagName, 'em'] as const),
  ...['strong', 'b'].map((tagName) => [tagName, 'strong'] as const),
  ...['del', 's', 'strike'].map((tagName) => [tagName, 'del'] as const),
  ['a', 'a'] as const,
]);
const players = new Set(['video', 'audio', 'iframe', 'embed']);

/** The children of an element, simplified. */
export function simplify(parent: Parent, context: Simplifier): Children {
  context.count.nodes += parent.children.length + 1;
  if (context.count.nodes > maxNodes) throw new WebPageError(`The text has more than ${maxNodes} elements.`);
  return parent.children.flatMap((child) => simplifyNode(child, context));
}

function simplifyNode(node: Content, context: Simplifier): Children {
  if (node.type === 'text') return [textNode(node.value)];
  if (!isElement(node) || node === context.heading || isLeftOut(node, context)) return [];
  if (context.holders.length > maxDepth) return [textNode(textOf(node))];
  const style = hintStyle(node);
  if (style !== undefined) return hintOf(node, style, context);
  const special = handlers[node.tagName];
  if (special) return special(node, context);
  if (players.has(node.tagName)) return embedOf(node, context);
  return plainElement(node, context);
}

function isLeftOut(node: Element, { heading }: Simplifier): boolean {
  if (isNoise(node) || isGutter(node)) return true;
  if (node.tagName === 'header')
    return heading !== undefined && findElement(node, (each) => each === heading) !== undefined;
  if (node.tagName === 'aside') return hintStyle(node) === undefined;
  return false;
}

const within = (node: Element, context: Simplifier): Children =>
  simplify(node, { ...context, holders: [node, ...context.holders] });

/** Emphasis in emphasis of its kind says nothing more. */
const isWithin = (kind: string, { holders }: Simplifier): boolean =>
  holders.some(({ tagName }) => inline.get(tagName) === kind);

function plainElement(node: Element, context: Simplifier): Children {
  const { tagName } = node;
  if (tagName === 'footer' && !context.holders.some((each) => each.tagName === 'blockquote')) return [];
  const children = within(node, context);
  if (tagName === 'br' || tagName === 'hr') return [element(tagName, [])];
  const kind = inline.get(tagName);
  if (kind !== undefined) return isWithin(kind, context) ? children : trimmed(tagName, children);
  const block = blocks.has(tagName);
  if (!kept.has(tagName) && !block) return children;
  if (children.every((child) => child.type === 'text' && child.value.trim() === '')) return [];
  const [only] = children;
  if (block && children.length === 1 && only?.type === 'element' && !inline.has(only.tagName)) return children;
  const start = tagName === 'ol' ? Number.parseInt(attributeOf(node, 'start') ?? '', 10) : Number.NaN;
  return [element(block ? 'div' : tagName, children, start >= 0 && start < 1e9 ? { start } : {})];
}

/** Emphasis and links without the white space at their ends, which stands beside them. */
export function trimmed(tagName: string, children: Children, properties: Element['properties'] = {}): Children {
  const [first] = children;
  const last = children.at(-1);
  const before = first?.type === 'text' && /^\s/.test(first.value);
  const after = last?.type === 'text' && /\s$/.test(last.value);
  if (first?.type === 'text') first.value = first.value.trimStart();
  if (last?.type === 'text') last.value = last.value.trimEnd();
  const inside = children.filter((child) => child.type !== 'text' || child.value !== '');
  if (inside.length === 0) return before || after ? [textNode(' ')] : [];
  return [...(before ? [textNode(' ')] : []), element(tagName, inside, properties), ...(after ? [textNode(' ')] : [])];
}

const headings = /^h[1-6]$/;

function linkOf(node: Element, context: Simplifier): Children {
  const inHeading = context.holders.some(({ tagName }) => headings.test(tagName));
  const href = attributeOf(node, 'href');
  if (inHeading && isPermalink(node)) return [];
  const children = within(node, context);
  const address = context.resolve(href);
  if (address === undefined || (inHeading && href?.startsWith('#'))) return children;
  if (context.holders.some(({ tagName }) => tagName === 'a')) return children;
  return trimmed('a', children, { href: address });
}

function imageOf(node: Element, context: Simplifier): Children {
  const isPicture = node.tagName === 'picture';
  const image = isPicture ? node.children.filter(isElement).find(({ tagName }) => tagName === 'img') : node;
  const src = isPicture ? pictureAddress(node, context.resolve) : imageAddress(node, context.resolve);
  if (src === undefined) return [];
  context.images.add(src);
  return [element('img', [], { src, alt: (image && attributeOf(image, 'alt')) ?? '' })];
}

/** A figure of one image has its caption as the title of the image. */
function figureOf(node: Element, context: Simplifier): Children {
  const caption = findElement(node, ({ tagName }) => tagName === 'figcaption');
  const rest = { ...node, children: node.children.filter((child) => child !== caption) };
  const children = within(rest, context);
  const image = findElement(element('div', children), ({ tagName }) => tagName === 'img');
  const isImage = image !== undefined && lineOf(element('div', children)) === '';
  if (!caption || !isImage) return plainElement({ ...node, tagName: 'div' }, context);
  image.properties.title = lineOf(caption);
  return [element('p', children)];
}

function embedOf(node: Element, context: Simplifier): Children {
  const source = node.children.filter(isElement).find(({ tagName }) => tagName === 'source');
  const written = attributeOf(node, 'src') ?? attributeOf(node, 'dataSrc') ?? (source && attributeOf(source, 'src'));
  const url = context.resolve(written);
  return url === undefined ? [] : [element('octavo-embed', [], { url })];
}

function hintOf(node: Element, style: string, context: Simplifier): Children {
  const title = findElement(node, isHintTitle);
  const said = title ? lineOf(title) : '';
  const isName =
    /^(?:note|tip|info|information|warning|caution|danger|important|attention|hint|success|error)?:?$/i.test(said);
  const children = simplify(node, {
    ...context,
    heading: title ?? context.heading,
    holders: [node, ...context.holders],
  });
  const first = isName ? [] : [element('p', [element('strong', [textNode(said)])])];
  if (isName && children.length === 0) return [];
  return [element('octavo-hint', [...first, ...children], { style })];
}

function detailsOf(node: Element, context: Simplifier): Children {
  const summary = node.children.filter(isElement).find(({ tagName }) => tagName === 'summary');
  const rest = { ...node, children: node.children.filter((child) => child !== summary) };
  return [element('octavo-details', within(rest, context), { summary: (summary && lineOf(summary)) || 'Details' })];
}

/** Terms and what they mean are a list: the term strong, its meanings below it. */
function definitionsOf(node: Element, context: Simplifier): Children {
  const items: Element[] = [];
  const add = (parent: Element): void => {
    for (const child of parent.children.filter(isElement)) {
      if (child.tagName === 'div') add(child);
      if (child.tagName === 'dt') items.push(element('li', [element('p', trimmed('strong', within(child, context)))]));
      if (child.tagName !== 'dd') continue;
      if (items.length === 0) items.push(element('li', []));
      items.at(-1)?.children.push(element('div', within(child, context)));
    }
  };
  add(node);
  return items.length > 0 ? [element('ul', items)] : [];
}

const codeBlock = (node: Element, { holders }: Simplifier): Children => {
  const code = codeOf(node);
  if (code.trim() === '') return [];
  const language = languageOf(node, holders.slice(0, 4));
  return [element('octavo-code', [], { code, ...(language !== undefined && { language }) })];
};

const checkbox = (node: Element): Children =>
  attributeOf(node, 'type') === 'checkbox'
    ? [element('input', [], { type: 'checkbox', checked: node.properties.checked === true })]
    : [];

const handlers: Record<string, (node: Element, context: Simplifier) => Children> = {
  a: linkOf,
  img: imageOf,
  picture: imageOf,
  figure: figureOf,
  details: detailsOf,
  dl: definitionsOf,
  pre: codeBlock,
  input: checkbox,
  table: (node, context) => simplifyTable(node, (each) => within(each, context)),
};
