import type { Token } from 'markdown-it';
import { matchHtmlTag } from '../links/destinations.ts';
import {
  createUrlReference,
  getText,
  type Inline,
  inline,
  type Leaf,
  type Mark,
  type TextNode,
} from './document-tree.ts';
import type { BlockReading } from './extents.ts';
import { readInline } from './inline-rules.ts';
import { addMark, createColorMark, getAttributes, getTag, mark } from './markup.ts';

type Nodes = (Inline | TextNode)[];

/** Returns the inlines of a paragraph, heading or cell. */
export function getInlines(text: string, reading: BlockReading): Nodes {
  if (text === '') return [];
  const tokens = readInline(text, reading);
  return tokens === undefined ? [getText(text)] : new Builder(tokens).build();
}

/** Returns the inlines of HTML, in which markdown is not parsed. */
export function getHtmlInlines(html: string, reading: BlockReading): Nodes {
  const tokens = html === '' ? [] : readInline(html, reading, true);
  return tokens === undefined ? [getText(html)] : new Builder(tokens).build();
}

const MARKS: Record<string, string> = { strong: 'bold', em: 'italic', s: 'strikethrough' };
const HTML_MARKS: Record<string, string> = {
  strong: 'bold',
  b: 'bold',
  em: 'italic',
  i: 'italic',
  del: 'strikethrough',
  s: 'strikethrough',
  kbd: 'keyboard',
  code: 'code',
  sub: 'subscript',
  sup: 'superscript',
};

class Builder {
  readonly #tokens: Token[];
  readonly #pairs: Map<number, Opened>;
  readonly #root: Nodes = [];
  readonly #parents: Nodes[] = [this.#root];
  readonly #marks: Mark[][] = [[]];

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
    this.#pairs = findHtmlPairs(tokens);
  }

  build(): Nodes {
    this.#tokens.forEach((token, index) => {
      this.#addToken(token, index);
    });
    return this.#root;
  }

  get #nodes(): Nodes {
    return this.#parents.at(-1) ?? this.#root;
  }

  #addToken(token: Token, index: number): void {
    if (token.type === 'text' || token.type === 'text_special') this.#addText(token.content);
    else if (token.type === 'softbreak') this.#addText('\n');
    else if (token.type === 'hardbreak') this.#nodes.push(inline('hard-break', {}));
    else if (token.type === 'code_inline') this.#addText(token.content, mark('code'));
    else if (token.type === 'html_inline') this.#addHtml(token.content, this.#pairs.get(index));
    else if (token.type === 'form') this.#addInline((token.meta as { node: Inline | TextNode }).node);
    else if (token.type === 'image') this.#nodes.push(getImage(token));
    else if (token.type === 'link_open') this.#open(getLink(token));
    else if (token.type === 'link_close') this.#parents.pop();
    else if (token.nesting === 1) this.#marks.push(addMark(this.#active, mark(MARKS[token.tag] ?? token.tag)));
    else if (token.nesting === -1) this.#marks.pop();
  }

  get #active(): Mark[] {
    return this.#marks.at(-1) ?? [];
  }

  /** Adds a node. An expression also gets the marks around it. */
  #addInline(node: Inline | TextNode): void {
    if (node.object === 'text') {
      for (const { text, marks } of node.leaves) this.#addText(text, marks[0]);
      return;
    }
    const isMarked = node.type === 'expression' && this.#active.length > 0;
    this.#nodes.push(isMarked ? { ...node, data: { ...node.data, marks: this.#active } } : node);
  }

  #open(node: Inline): void {
    this.#nodes.push(node);
    this.#parents.push(node.nodes);
  }

  #addText(text: string, extra?: Mark): void {
    if (text === '') return;
    const marks = extra === undefined ? this.#active : addMark(this.#active, extra);
    addText(this.#nodes, { object: 'leaf', text, marks });
  }

  #addHtml(html: string, opened: Opened | undefined): void {
    if (opened === undefined) this.#nodes.push(inline('html', { html }));
    else if (opened === 'close link') this.#parents.pop();
    else if (opened === 'close mark') this.#marks.pop();
    else if ('object' in opened && opened.object === 'inline') this.#open(structuredClone(opened));
    else this.#marks.push(addMark(this.#active, opened));
  }
}

function addText(nodes: Nodes, leaf: Leaf): void {
  const last = nodes.at(-1);
  if (last?.object !== 'text') {
    nodes.push({ object: 'text', leaves: [leaf] });
    return;
  }
  const before = last.leaves.at(-1);
  if (before !== undefined && JSON.stringify(before.marks) === JSON.stringify(leaf.marks)) before.text += leaf.text;
  else last.leaves.push(leaf);
}

function getLink(token: Token): Inline {
  const title = token.attrGet('title');
  const data = { ref: createUrlReference(String(token.attrGet('href') ?? '')) };
  if (title === 'mention') return inline('mention', data, []);
  return inline('link', title === null ? data : { ...data, title: String(title) });
}

function getImage(token: Token): Inline {
  const title = token.attrGet('title');
  const alt = (token.children ?? []).map(({ content, type }) => (type === 'softbreak' ? '\n' : content)).join('');
  const data = { ref: createUrlReference(String(token.attrGet('src') ?? '')), alt };
  return inline('inline-image', title === null ? data : { ...data, title: String(title) });
}

const MAX_HTML_DEPTH = 20;

type Opened = Inline | Mark | 'close link' | 'close mark';

/** Matches opening and closing HTML tags that become marks or links. Other tags are kept as HTML. */
function findHtmlPairs(tokens: Token[]): Map<number, Opened> {
  const pairs = new Map<number, Opened>();
  const open: { name: string; index: number; meaning: Inline | Mark; level: number }[] = [];
  let level = 0;
  tokens.forEach((token, index) => {
    level += token.nesting;
    if (token.type !== 'html_inline') return;
    const tag = getTag(token.content);
    if (tag === undefined) return;
    if (!tag.closes) {
      const meaning = /^<(?:Link|NavLink|Button)/.test(token.content)
        ? readTagLink(token.content)
        : getMeaning(tag.name, tag.attributes);
      if (meaning !== undefined && open.length < MAX_HTML_DEPTH) open.push({ name: tag.name, index, meaning, level });
      return;
    }
    while (open.length > 0 && (open.at(-1)?.level ?? 0) > level) open.pop();
    const last = open.at(-1);
    if (last?.name !== tag.name || last.level !== level) return;
    open.pop();
    pairs.set(last.index, last.meaning);
    pairs.set(index, last.meaning.object === 'inline' ? 'close link' : 'close mark');
  });
  return pairs;
}

/** Converts components that are links or buttons: `<Link to="...">`. */
function readTagLink(html: string): Inline | undefined {
  const { target } = matchHtmlTag(html, 0)?.occurrence ?? {};
  if (target === undefined) return undefined;
  const ref = createUrlReference(target);
  if (!/^<(?:LinkButton|Button)\b/.test(html)) return inline('link', { ref });
  return inline('button', {
    ref,
    kind: /\s(?:variant|kind|theme)="(?:secondary|minimal|alt)"/.test(html) ? 'secondary' : 'primary',
  });
}

function getMeaning(name: string, source: string): Inline | Mark | undefined {
  const attributes = getAttributes(source);
  if (attributes === undefined) return undefined;
  if (name === 'mark')
    return attributes.size === 0 ? mark('color', { background: 'yellow' }) : createColorMark(attributes);
  if (name === 'a') return readAnchor(attributes);
  const type = Object.hasOwn(HTML_MARKS, name) ? HTML_MARKS[name] : undefined;
  return type === undefined || attributes.size > 0 ? undefined : mark(type);
}

function readAnchor(attributes: Map<string, string>): Inline | undefined {
  const href = attributes.get('href');
  const kind = attributes.get('class');
  const icon = attributes.get('data-icon');
  const mention = attributes.get('data-mention');
  const attributeCount = [href, kind, icon, mention].filter((value) => value !== undefined).length;
  if (href === undefined || attributeCount !== attributes.size) return undefined;
  const ref = createUrlReference(href);
  if (kind === undefined && icon === undefined) return inline(mention === undefined ? 'link' : 'mention', { ref });
  if (kind === undefined || mention !== undefined) return undefined;
  if (kind !== 'button' && !kind.startsWith('button ')) return undefined;
  return inline('button', { ref, kind: kind.slice(7), ...(icon !== undefined && { icon }) });
}
