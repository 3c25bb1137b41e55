import type { Json } from '@octavo/expression';
import { findBareAddresses } from '../links/bare-addresses.ts';
import { isAddressItself } from '../links/target-names.ts';
import { getColor } from './color-names.ts';
import type { Block, Inline, Mark, TextNode, TreeData } from './document-tree.ts';
import { createUrlReference, getTextAt, isBlock } from './document-tree.ts';
import type { PublishedNode } from './published-nodes.ts';
import {
  createParagraph,
  createPublishedNode,
  createText,
  getEmojiCodePoints,
  getFragment,
  getNodes,
  getPlainText,
  getReferenceText,
  publishFileReference,
  publishReference,
} from './published-nodes.ts';

type Nodes = Block['nodes'];
type BlocksOf = (nodes: Nodes) => PublishedNode[];

/**
 * Limits of the footnotes, in characters. The total size counts a footnote once for each of its references, each time
 * with at least the minimum size.
 */
const MAX_NOTES = 256 * 1024;
const MIN_NOTE = 100;

/** Converts inlines for renderers. A soft line break becomes a space, a hard one a line feed. */
export class PublishedInlines {
  readonly #notes = new Map<string, Block>();
  readonly #blocks: BlocksOf;
  #remainingNotes = MAX_NOTES;

  constructor(nodes: Nodes, blocks: BlocksOf) {
    this.#blocks = blocks;
    this.#collect(nodes);
  }

  /**
   * Collects the footnotes, which may be inside of other blocks. Of several footnotes with one name, the first one
   * counts.
   */
  #collect(nodes: Nodes): void {
    for (const node of nodes.filter(isBlock)) {
      const label = getTextAt(node.data, 'label') ?? '';
      if (node.type !== 'footnote') this.#collect(node.nodes);
      else if (!this.#notes.has(label)) this.#notes.set(label, node);
    }
  }

  of = (nodes: Nodes): PublishedNode[] =>
    joinTexts(nodes.flatMap((node) => (isBlock(node) ? [] : this.#convertInline(node))));

  #convertInline(node: Inline | TextNode): PublishedNode[] {
    if (node.object === 'text') return addLinks(node);
    const { type, data } = node;
    if (type === 'hard-break') return [createText('\n')];
    if (type === 'html') return createSourceText(getTextAt(data, 'html') ?? '');
    if (type === 'emoji') return [publishEmoji(getTextAt(data, 'name') ?? '')];
    if (type === 'annotation') return [this.#convertAnnotation(getTextAt(data, 'label') ?? '')];
    if (type === 'link') return [this.#convertLink(node)];
    if (type === 'mention') return [this.#convertMention(node)];
    if (type === 'button') return [publishButton(node)];
    if (type === 'inline-image') return [inlineImage(node)];
    const key = VALUES[type];
    if (key !== undefined) return [inline(type, { data: { [key]: getTextAt(data, key) ?? '' } })];
    return this.of(node.nodes);
  }

  /**
   * Converts a mention, which shows the title of its target. If it has a text other than the address, it becomes a
   * link.
   */
  #convertMention(node: Inline): PublishedNode {
    const words = getPlainText(this.of(node.nodes)).trim();
    const address = getTextAt(node.data.ref, 'href') ?? getTextAt(node.data.ref, 'url');
    const isNamed = address === undefined ? !/\s/.test(words) : isAddressItself(address, words);
    return isNamed ? inline('mention', { data: { ref: publishReference(node.data.ref) } }) : this.#convertLink(node);
  }

  /** Links contain images and texts only. */
  #convertLink(node: Inline): PublishedNode {
    const inside = joinTexts(
      node.nodes
        .flatMap((each) => (each.object === 'text' ? [createTextNode(each)] : this.#convertInline(each)))
        .map((each) =>
          each.object === 'text' || each.type === 'inline-image' ? each : createText(getPlainText([each])),
        ),
    );
    return inline('link', { isVoid: false, data: { ref: publishReference(node.data.ref) }, nodes: inside });
  }

  #convertAnnotation(label: string): PublishedNode {
    const note = this.#notes.get(label);
    if (note === undefined) return createText(`[^${label}]`);
    if (this.#remainingNotes > 0) this.#remainingNotes -= MIN_NOTE + getPlainText(note.nodes).length;
    if (this.#remainingNotes <= 0) return createText(`[^${label}]`);
    this.#notes.delete(label);
    const body = fitBlocks(this.#blocks(note.nodes), 'annotation');
    this.#notes.set(label, note);
    const type = 'annotation-body';
    const fragment = {
      object: 'fragment',
      fragment: type,
      type,
      nodes: body.length === 0 ? [createParagraph([])] : body,
    };
    return inline('annotation', { isVoid: false, data: {}, fragments: [fragment], nodes: [createText(label)] });
  }
}

/** An unknown emoji becomes its source. */
function publishEmoji(name: string): PublishedNode {
  const code = getEmojiCodePoints(name);
  return code === undefined ? createText(`:${name}:`) : inline('emoji', { data: { code } });
}

/** Inlines with a single value, and the field that contains it. */
const VALUES: Record<string, string | undefined> = {
  icon: 'icon',
  'inline-math': 'formula',
  expression: 'expression',
};

const inline = (type: string, fields: PublishedNode): PublishedNode => ({
  ...createPublishedNode('inline', type),
  isVoid: true,
  ...fields,
});

/** Addresses in a text become links, except in code. */
const addLinks = ({ object, leaves }: TextNode): PublishedNode[] =>
  leaves.flatMap((leaf) => {
    const bareAddresses = leaf.marks.some(({ type }) => type === 'code') ? [] : findBareAddresses(leaf.text);
    const slicePart = (start: number, end?: number): PublishedNode[] =>
      start === end ? [] : [createTextNode({ object, leaves: [{ ...leaf, text: leaf.text.slice(start, end) }] })];
    const links = bareAddresses.flatMap(({ start, end, url }, index) => [
      ...slicePart(bareAddresses[index - 1]?.end ?? 0, start),
      inline('link', {
        isVoid: false,
        data: { ref: publishReference(createUrlReference(url)) },
        nodes: slicePart(start, end),
      }),
    ]);
    return [...links, ...slicePart(bareAddresses.at(-1)?.end ?? 0, leaf.text.length)];
  });

const createTextNode = ({ leaves }: TextNode): PublishedNode => ({
  object: 'text',
  leaves: leaves.map((leaf) => ({
    object: 'leaf',
    text: leaf.text.replace(/\n/g, ' '),
    marks: publishMarks(leaf.marks),
  })),
});

type PublishedLeaf = { object: 'leaf'; text: string; marks: Json[] };

/** Merges adjacent text nodes, and adjacent leaves that have equal marks. */
function joinTexts(nodes: PublishedNode[]): PublishedNode[] {
  const result: PublishedNode[] = [];
  let open: PublishedLeaf[] | undefined;
  for (const node of nodes) {
    if (node.object !== 'text') {
      open = undefined;
      result.push(node);
      continue;
    }
    if (open === undefined) {
      open = [];
      result.push({ object: 'text', leaves: open });
    }
    for (const leaf of node.leaves as PublishedLeaf[]) addLeaf(open, leaf);
  }
  return result;
}

function addLeaf(leaves: PublishedLeaf[], leaf: PublishedLeaf): void {
  const last = leaves.at(-1);
  if (last === undefined || JSON.stringify(last.marks) !== JSON.stringify(leaf.marks)) leaves.push({ ...leaf });
  else last.text += leaf.text;
}

/** An unclosed comment extends to the end. Searching for its end from each nested start would take quadratic time. */
const removeTags = (source: string): string =>
  source.replace(/<br\b[^<>]*>/gi, '\n').replace(/<!--[\s\S]*?(?:-->|$)|<[^<>]*>/g, '');

function createSourceText(source: string): PublishedNode[] {
  const visibleText = removeTags(source);
  return visibleText === '' ? [] : [createText(visibleText)];
}

function publishButton(node: Inline): PublishedNode {
  const { data } = node;
  const kind = data.kind === 'secondary' ? 'secondary' : 'primary';
  const icon = getTextAt(data, 'icon');
  const ref = publishReference(data.ref);
  return inline('button', { data: { label: getPlainText(node.nodes), kind, ref, ...toIconData(icon) } });
}

/** Returns the data of an icon; empty if its name is missing or too long. */
export const toIconData = (icon: string | undefined): PublishedNode =>
  icon === undefined || icon === '' || icon.length > 50 ? {} : { icon };

function inlineImage({ data }: Inline): PublishedNode {
  const { alt, size } = data;
  return inline('inline-image', {
    data: {
      ref: publishFileReference(data.ref),
      ...(data.refDark === undefined ? {} : { refDark: publishFileReference(data.refDark) }),
      ...(typeof alt === 'string' ? { alt } : {}),
      ...(size === 'original' || size === 'line' ? { size } : {}),
    },
  });
}

const PLAIN = new Set(['bold', 'italic', 'code', 'keyboard', 'strikethrough', 'superscript', 'subscript']);

/** Returns the marks that renderers support. */
function publishMarks(marks: Mark[]): Json[] {
  return marks.flatMap((mark): Json[] => {
    if (PLAIN.has(mark.type)) return [{ object: 'mark', type: mark.type }];
    const data = mark.type === 'color' ? toColors(mark.data ?? {}) : undefined;
    return data === undefined ? [] : [{ object: 'mark', type: 'color', data }];
  });
}

function toColors(data: TreeData): TreeData | undefined {
  const [text, background] = [getColor(getTextAt(data, 'text')), getColor(getTextAt(data, 'background'))];
  return text === 'default' && background === 'default' ? undefined : { text, background };
}

const essential = ['paragraph', 'heading-1', 'heading-2', 'heading-3', 'list-ordered', 'list-unordered', 'list-tasks'];
const common = ['content-ref', 'code', 'embed', 'file', 'images', 'drawing', 'hint', 'prompt', 'blockquote', 'math'];

/** Allowed children by parent, from the official schema of documents. */
const ALLOWED: Record<string, ReadonlySet<string>> = Object.fromEntries(
  Object.entries({
    annotation: ['code'],
    blockquote: ['blockquote'],
    hint: ['embed', 'integration', 'table'],
    'list-item': ['code', 'hint', 'blockquote', 'math', 'table'],
    expandable: [
      ...['file', 'images', 'code', 'table', 'hint', 'prompt', 'blockquote', 'reusable-content', 'integration'],
    ],
    'tabs-item': [...common, 'integration'],
    'stepper-step': [...common, 'integration', 'expandable'],
    update: [...common, 'integration', 'tabs', 'expandable'],
    column: [...common, 'integration', 'table', 'expandable', 'stepper'],
    top: [
      ...[...common, 'integration', 'tabs', 'table', 'expandable', 'stepper', 'columns', 'updates', 'if'],
      ...['swagger', 'openapi-operation', 'openapi-schemas', 'openapi-webhook', 'reusable-content'],
    ],
  }).map(([container, types]) => [container, new Set([...essential, 'divider', ...types])]),
);

/**
 * Converts blocks so that the parent allows them. Code becomes a paragraph that renderers can show as code: its `meta`
 * has the data of the code.
 */
export const fitBlocks = (blocks: PublishedNode[], container: string): PublishedNode[] =>
  blocks.flatMap((block) => {
    if (isAllowed(String(block.type), container)) return [block];
    const [first, ...more] = replaceBlock(block, container);
    const { aliases } = (block.meta ?? {}) as PublishedNode;
    if (first === undefined || aliases === undefined) return first === undefined ? [] : [first, ...more];
    return [{ ...first, meta: { ...((first.meta ?? {}) as PublishedNode), aliases } }, ...more];
  });

const isAllowed = (type: string, container: string): boolean => ALLOWED[container]?.has(type) === true;

function replaceBlock(block: PublishedNode, container: string): PublishedNode[] {
  const type = String(block.type);
  const inside = fitBlocks(getNodes(block), container);
  if (type === 'images') return getNodes(block).flatMap(toTextImage);
  if (type === 'code') {
    const title = getTextAt(block.data, 'title') ?? '';
    const titleBlocks = title === '' ? [] : [createParagraph([createText(title, 'bold')])];
    const { title: _, ...code } = getData(block);
    return [...titleBlocks, { ...createParagraph([createText(getPlainLines(block), 'code')]), meta: { code } }];
  }
  if (type === 'table') return fitTable(block, container);
  if (type === 'hint' && isAllowed('blockquote', container))
    return [
      {
        ...createPublishedNode('block', 'blockquote'),
        isVoid: false,
        data: {},
        nodes: fitBlocks(getNodes(block), 'blockquote'),
      },
    ];
  if (type === 'expandable')
    return [
      toTitle(getFragment(block, 'expandable-title')),
      ...fitBlocks(getFragment(block, 'expandable-body'), container),
    ];
  if (type === 'tabs-item')
    return [createParagraph([createText(getTextAt(block.data, 'title') ?? '', 'bold')]), ...inside];
  if (type === 'math') {
    const data = { formula: getTextAt(block.data, 'formula') ?? '' };
    return [createParagraph([{ ...createPublishedNode('inline', 'inline-math'), isVoid: true, data }])];
  }
  if (type === 'embed') return [createLink({ kind: 'url', url: getTextAt(block.data, 'url') ?? '' })];
  if (['content-ref', 'file', 'drawing', 'reusable-content'].includes(type)) return [createLink(getData(block).ref)];
  if (type.startsWith('openapi-') || type === 'swagger')
    return [createParagraph([createText(getOperationText(block), 'code')])];
  return inside;
}

const getData = (block: PublishedNode): PublishedNode => (block.data ?? {}) as PublishedNode;

const toTitle = (title: PublishedNode[]): PublishedNode => createParagraph([createText(getPlainText(title), 'bold')]);

const getPlainLines = (code: PublishedNode): string =>
  getNodes(code)
    .map((line) => getPlainText([line]))
    .join('\n');

function createLink(ref: PublishedNode[string] | undefined): PublishedNode {
  const linkText = getReferenceText(ref);
  return createParagraph([
    {
      ...createPublishedNode('inline', 'link'),
      isVoid: false,
      data: { ref: ref ?? null },
      nodes: [createText(linkText)],
    },
  ]);
}

function toTextImage(image: PublishedNode): PublishedNode[] {
  const { ref, refDark, alt } = getData(image);
  const data = {
    ref: ref ?? null,
    ...(refDark === undefined ? {} : { refDark }),
    ...(alt === undefined ? {} : { alt }),
  };
  return [
    createParagraph([{ ...createPublishedNode('inline', 'inline-image'), isVoid: true, data }]),
    ...getFragment(image, 'caption').filter((caption) => getNodes(caption).length > 0),
  ];
}

/** Wraps a table in a hint if the container allows hints; otherwise its rows become list items. */
function fitTable(table: PublishedNode, container: string): PublishedNode[] {
  if (isAllowed('hint', container))
    return [{ ...createPublishedNode('block', 'hint'), isVoid: false, data: { style: 'info' }, nodes: [table] }];
  const cells = new Map(getNodes(table, 'fragments').map((node) => [String(node.fragment), getNodes(node)]));
  const { definition, records } = getData(table) as { definition: PublishedNode; records: PublishedNode };
  const titles = Object.values(definition).map((column) => [createText(getTextAt(column, 'title') ?? '', 'bold')]);
  const rows = Object.values(records).map((record) =>
    Object.values((record as PublishedNode).values as PublishedNode).map((value) => getValueNodes(value, cells)),
  );
  const items = [titles, ...rows].map((row) => row.filter((nodes) => getPlainText(nodes) !== ''));
  return [
    {
      ...createPublishedNode('block', 'list-unordered'),
      isVoid: false,
      data: {},
      nodes: items.filter((row) => row.length > 0).map(getItem),
    },
  ];
}

/** Returns the content of a cell on one line. */
function getValueNodes(value: PublishedNode[string], cells: Map<string, PublishedNode[]>): PublishedNode[] {
  const cellNodes = typeof value === 'string' ? cells.get(value) : undefined;
  if (cellNodes !== undefined) return fitBlocks(cellNodes, 'annotation').flatMap(putOnOneLine);
  if (Array.isArray(value)) return [createText(value.join(', '))];
  if (typeof value !== 'object' || value === null) return [createText(String(value ?? ''))];
  return getNodes(createLink((value as PublishedNode).ref ?? value));
}

/** Returns the texts of a block with spaces between them. */
function putOnOneLine(block: PublishedNode, index: number): PublishedNode[] {
  // The titles of the columns are data of a table, not text in it.
  if (block.type === 'table')
    return fitTable(block, 'annotation').flatMap((part, at) => putOnOneLine(part, index + at));
  const inner = [...getNodes(block), ...getNodes(block, 'fragments')];
  const hasBlocks = inner.some(({ object }) => object === 'block' || object === 'fragment');
  return [...(index === 0 ? [] : [createText(' ')]), ...(hasBlocks ? inner.flatMap(putOnOneLine) : inner)];
}

const getItem = (row: PublishedNode[][]): PublishedNode => ({
  ...createPublishedNode('block', 'list-item'),
  isVoid: false,
  data: {},
  nodes: [createParagraph(row.flatMap((nodes, index) => (index === 0 ? nodes : [createText(' | '), ...nodes])))],
});

const getOperationText = (block: PublishedNode): string => {
  const { method, path, name, schemas } = getData(block);
  return [method, path, name, Array.isArray(schemas) ? schemas.join(', ') : undefined]
    .filter((part) => typeof part === 'string')
    .join(' ');
};
