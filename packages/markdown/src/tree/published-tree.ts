import type { Json } from '@octavo/expression';
import { slugAllocator, slugify } from '../slug.ts';
import type { Block, DocumentTree, Inline, TextNode, TreeData } from './document-tree.ts';
import { isBlock, textAt } from './document-tree.ts';
import { inlinesOf } from './inlines.ts';
import { publishedTable } from './published-table.ts';

type Published = { [key: string]: Json };
type Node = Block['nodes'][number];

/** A document in the form in which renderers of the API family take one: what they do not know is text. */
export function publishedTree(
  { data, nodes }: DocumentTree,
  includes: IncludeOf,
): { object: 'document'; data: TreeData; nodes: Json[] } {
  const { schemaVersion = null } = data;
  return { object: 'document', data: { schemaVersion }, nodes: new Publisher(nodes, includes).document() };
}

/** The id of the reusable content that an address names; undefined where it is not to be told. */
type IncludeOf = (address: string) => string | undefined;

const block = (node: Block, more: Published): Published => ({
  object: 'block',
  type: node.type,
  ...(node.key === undefined ? {} : { key: node.key }),
  isVoid: false,
  ...more,
});

const paragraph = (nodes: Json[]): Published => ({
  object: 'block',
  type: 'paragraph',
  isVoid: false,
  data: {},
  nodes,
});
const text = (value: string): Published => ({
  object: 'text',
  leaves: [{ object: 'leaf', text: value, marks: [] }],
});

class Publisher {
  readonly #nodes: Block[];
  readonly #includes: IncludeOf;
  readonly #notes = new Map<string, Block>();
  readonly #anchor = slugAllocator();

  constructor(nodes: Block[], includes: IncludeOf) {
    this.#nodes = nodes;
    this.#includes = includes;
    for (const node of nodes) if (node.type === 'footnote') this.#notes.set(textAt(node.data, 'label') ?? '', node);
  }

  document = (): Json[] => this.blocks(this.#nodes, true);

  blocks(nodes: Node[], isTop = false): Json[] {
    return nodes.flatMap((node) => (isBlock(node) ? this.#block(node, isTop) : []));
  }

  inlines = (nodes: Node[]): Json[] => nodes.flatMap((node) => (isBlock(node) ? [] : this.#inline(node)));

  #block(node: Block, isTop: boolean): Json[] {
    const { markup: _, ...data } = node.data;
    const { type } = node;
    if (type === 'footnote') return [];
    if (type === 'paragraph') return [block(node, { data: {}, nodes: this.inlines(node.nodes) })];
    const level = /^heading-(\d)$/.exec(type)?.[1];
    if (level !== undefined) return [this.#heading(node, Number(level), isTop)];
    if (type === 'conditional') return node.nodes.filter(isBlock).map((branch) => this.#branch(branch));
    if (type === 'table') return [publishedTable(node, this.inlines)];
    if (type === 'html' || type === 'markdown') return this.#source(textAt(data, type) ?? '');
    if (type === 'code-frame') return this.blocks(node.nodes);
    if (type === 'image') return [this.#image(node, data)];
    if (type === 'expandable') return [this.#expandable(node, data)];
    if (type === 'embed') return [block(node, { isVoid: true, data: embedData(data) })];
    if (type === 'reusable-content') return this.#include(node);
    if (type.startsWith('openapi')) return [block(node, { isVoid: true, data: operationData(data) })];
    if (voids.has(type)) return [block(node, { isVoid: true, data })];
    if (type === 'code' || type === 'code-line') return [block(node, { data, nodes: this.#code(node) })];
    return [block(node, { data: dataOf(type, data), nodes: this.blocks(node.nodes) })];
  }

  #include(node: Block): Json[] {
    const reusableContent = this.#includes(textAt(node.data.ref, 'url') ?? '');
    if (reusableContent === undefined) return [];
    return [block(node, { isVoid: true, data: { ref: { kind: 'reusable-content', reusableContent } } })];
  }

  #heading(node: Block, level: number, isTop: boolean): Published {
    const nodes = this.inlines(node.nodes);
    const id = level <= 3 && isTop ? this.#anchor(slugify(flat(node.nodes))) : undefined;
    return block(node, {
      type: `heading-${Math.min(level, 3)}`,
      data: id === undefined ? {} : { id },
      ...(id === undefined ? {} : { meta: { id } }),
      nodes,
    });
  }

  #branch(node: Block): Published {
    const expression = textAt(node.data, 'condition') ?? 'true';
    return block(node, { type: 'if', data: { expression }, nodes: this.blocks(node.nodes) });
  }

  #source(source: string): Json[] {
    const shown = withoutTags(source).trim();
    return shown === '' ? [] : [paragraph([text(shown)])];
  }

  #image(node: Block, { caption, ...data }: TreeData): Published {
    const words = typeof caption === 'string' && caption !== '' ? this.inlines(inlinesOf(caption, {})) : [];
    const fragment = { object: 'fragment', fragment: 'caption', type: 'caption', nodes: [paragraph(words)] };
    const sizes = Object.fromEntries(
      ['width', 'height'].flatMap((key) => {
        const value = Number(data[key]);
        return data[key] === undefined || !Number.isFinite(value) ? [] : [[key, value]];
      }),
    );
    const { width: _, height: __, ...rest } = data;
    return block(node, { isVoid: true, data: { ...rest, ...sizes }, fragments: words.length === 0 ? [] : [fragment] });
  }

  #expandable(node: Block, data: TreeData): Published {
    const title = this.inlines(inlinesOf(textAt(data, 'title') ?? '', {}));
    const body = this.blocks(node.nodes);
    const fragment = (name: string, nodes: Json[]): Published => ({
      object: 'fragment',
      fragment: name,
      type: name,
      nodes,
    });
    return block(node, {
      isVoid: true,
      data: data.open === true ? { open: true } : {},
      fragments: [
        fragment('expandable-title', [paragraph(title)]),
        fragment('expandable-body', body.length === 0 ? [paragraph([])] : body),
      ],
    });
  }

  #code = (node: Block): Json[] => (node.type === 'code' ? this.blocks(node.nodes) : this.inlines(node.nodes));

  #inline(node: Inline | TextNode): Json[] {
    if (node.object === 'text') return [{ object: 'text', leaves: node.leaves } as unknown as Json];
    const { markup: _, ...data } = node.data;
    const { type } = node;
    if (type === 'hard-break') return [text('\n')];
    if (type === 'html') return this.#sourceInline(textAt(data, 'html') ?? '');
    if (type === 'emoji') return [text(`:${textAt(data, 'name') ?? ''}:`)];
    if (type === 'annotation') return this.#annotation(textAt(data, 'label') ?? '');
    if (type === 'link') return [inline(type, { data: { ref: data.ref ?? null }, nodes: this.inlines(node.nodes) })];
    if (type === 'mention') return [inline(type, { isVoid: true, data })];
    if (type === 'button') {
      const kind = data.kind === 'secondary' ? 'secondary' : 'primary';
      return [inline(type, { isVoid: true, data: { ...data, kind, label: flat(node.nodes) } })];
    }
    return [inline(type, { isVoid: true, data })];
  }

  #sourceInline(source: string): Json[] {
    const shown = withoutTags(source);
    return shown === '' ? [] : [text(shown)];
  }

  #annotation(label: string): Json[] {
    const note = this.#notes.get(label);
    if (note === undefined) return [];
    this.#notes.delete(label);
    const body = this.blocks(note.nodes);
    this.#notes.set(label, note);
    const fragment = { object: 'fragment', fragment: 'annotation-body', type: 'annotation-body', nodes: body };
    return [inline('annotation', { data: {}, fragments: [fragment], nodes: [text(label)] })];
  }
}

/** A comment that nothing ends goes on to the end: looking for its end again from each that begins in it takes too long. */
const withoutTags = (source: string): string => source.replace(/<!--[\s\S]*?(?:-->|$)|<[^<>]*>/g, '');

const inline = (type: string, more: Published): Published => ({ object: 'inline', type, isVoid: false, ...more });

const voids = new Set(['divider', 'math', 'file', 'drawing', 'content-ref', 'integration', 'swagger']);

const flat = (nodes: Node[]): string =>
  nodes
    .map((node) => (node.object === 'text' ? node.leaves.map((leaf) => leaf.text).join('') : flat(node.nodes)))
    .join('');

/** An embed names its address itself. */
const embedData = ({ ref, ...data }: TreeData): TreeData => ({ ...data, url: textAt(ref, 'url') ?? '' });

/** A specification is named by its slug, whatever the tag calls it. */
function operationData({ spec, src, schemas, ...data }: TreeData): TreeData {
  const slug = typeof spec === 'string' ? spec : typeof src === 'string' ? src : undefined;
  const named = typeof schemas === 'string' ? schemas.split(',').map((name) => name.trim()) : schemas;
  return {
    ...data,
    ...(named === undefined ? {} : { schemas: named }),
    ...(slug === undefined ? {} : { ref: { kind: 'openapi', spec: slug } }),
  };
}

const hints = new Set(['info', 'warning', 'danger', 'success']);

function dataOf(type: string, data: TreeData): TreeData {
  if (type === 'hint') return { ...data, style: hints.has(String(data.style)) ? (data.style ?? 'info') : 'info' };
  return data;
}
