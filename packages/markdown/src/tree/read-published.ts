import type { Json } from '@octavo/expression';
import { slugify } from '../slug.ts';
import { type Block, block, inline, type TreeData, textAt, urlReference } from './document-tree.ts';
import { fragmentOf, nodesIn, type PublishedNode, plainText } from './published-nodes.ts';
import { readInlines, withAddresses } from './read-published-inlines.ts';
import { readPublishedTable } from './read-published-table.ts';
import { renderInlines } from './render-inlines.ts';

/**
 * The blocks of the form of `parseTree` that a published block stands for. A block that is of that form already stays as
 * it is.
 */
export function readPublished(node: PublishedNode): Block[] {
  const type = String(node.type);
  const special = Object.hasOwn(SPECIAL, type) ? SPECIAL[type]?.(node, dataIn(node)) : undefined;
  return special ?? [plain(node, dataIn(node))];
}

const dataIn = ({ data }: PublishedNode): TreeData => (data ?? {}) as TreeData;

export const readNodes = (nodes: PublishedNode[]): Block['nodes'] => {
  const inlines = nodes.filter(({ object }) => object !== 'block');
  if (inlines.length === nodes.length) return readInlines(nodes);
  return nodes.flatMap((node): Block['nodes'] => (node.object === 'block' ? readPublished(node) : readInlines([node])));
};

/** A block with the same name in both forms. */
function plain(node: PublishedNode, data: TreeData): Block {
  const { key, meta } = node as { key?: string; meta?: { id: string } };
  return {
    object: 'block',
    type: String(node.type),
    ...(key === undefined ? {} : { key }),
    data: withAddresses(data),
    nodes: readNodes(nodesIn(node)),
    isVoid: node.isVoid === true,
    ...(meta === undefined ? {} : { meta }),
  };
}

const lineOf = (nodes: PublishedNode[]): string =>
  renderInlines(readInlines(nodes.flatMap((each) => nodesIn(each))), 'html');

/** An id that its text does not give a heading is one that is written for it, as are those beside it. */
const heading = (node: PublishedNode, { id, ...data }: TreeData): Block[] => {
  const { meta: _, ...rest } = plain(node, data);
  const slug = slugify(plainText(nodesIn(node)));
  const isOwn = typeof id === 'string' && ('aliases' in data || (id !== slug && id.replace(/-\d+$/, '') !== slug));
  return [isOwn ? { ...rest, data: { id, ...rest.data } } : rest];
};

const SPECIAL: Record<string, (node: PublishedNode, data: TreeData) => Block[] | undefined> = {
  'heading-1': heading,
  'heading-2': heading,
  'heading-3': heading,
  if: (node, data) => {
    const branch = block(
      'conditional-branch',
      { condition: textAt(data, 'expression') ?? '' },
      readNodes(nodesIn(node)),
    );
    return [block('conditional', {}, [branch])];
  },
  table: (node, data) => (isObject(data.definition) ? [readPublishedTable(node, data)] : undefined),
  expandable: (node, { defaultExpanded, ...data }) => {
    if (node.fragments === undefined) return undefined;
    const title = lineOf(fragmentOf(node, 'expandable-title'));
    const body = readNodes(fragmentOf(node, 'expandable-body'));
    return [block('expandable', { ...data, title, ...(defaultExpanded === true && { open: true }) }, body)];
  },
  images: (node, data) => readImages(node, data),
  embed: (node, { url, ...data }) =>
    typeof url === 'string' && data.ref === undefined ? [plain(node, { ...data, ref: urlReference(url) })] : undefined,
  column: (node, data) => [plain(node, withLength(data, 'width'))],
  code: (node, data) => [plain(node, withLines(node, data))],
  swagger: (node, data) =>
    textAt(data.ref, 'kind') === undefined ? undefined : [{ ...plain(node, data), type: 'openapi' }],
  updates: (node, { format, ...data }) => [
    plain(node, format === undefined || format === 'full' ? data : { ...data, format }),
  ],
  update: (node, data) => [plain(node, readUpdate(data))],
  integration: () => [],
};

const isObject = (value: Json | undefined): value is TreeData =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The lines that stand out are said beside the language. */
function withLines(node: PublishedNode, data: TreeData): TreeData {
  const lines = nodesIn(node).flatMap((line, index) => (dataIn(line).highlighted === true ? [index + 1] : []));
  if (lines.length === 0) return data;
  return { ...data, syntax: `${textAt(data, 'syntax') ?? ''} {${lines.join(',')}}`.trim() };
}

/** An image without caption and size is written within a text. */
function readImages(node: PublishedNode, data: TreeData): Block[] | undefined {
  const images = nodesIn(node);
  const [image] = images;
  if (image?.fragments === undefined) return undefined;
  const read = images.map((each) => readImage(each));
  const [only] = read;
  const isPlain = only !== undefined && Object.keys(only.data).every((key) => ['ref', 'refDark', 'alt'].includes(key));
  if (!isPlain || read.length > 1 || Object.keys(data).length > 0) return [{ ...plain(node, data), nodes: read }];
  return [block('paragraph', {}, [inline('inline-image', { alt: '', ...only.data })])];
}

function readImage(node: PublishedNode): Block {
  const caption = lineOf(fragmentOf(node, 'caption'));
  const data = withLength(withLength(withAddresses(dataIn(node)), 'width'), 'height');
  return block('image', caption === '' ? data : { ...data, caption });
}

/** A length as the value of an attribute. */
function withLength(data: TreeData, key: string): TreeData {
  const value = data[key];
  if (typeof value === 'number') return { ...data, [key]: String(value) };
  return isObject(value) ? { ...data, [key]: `${String(value.value)}${String(value.unit)}` } : data;
}

function readUpdate({ date, tags, ...data }: TreeData): TreeData {
  const names = Array.isArray(tags) ? tags.flatMap((tag) => textAt(tag, 'tag') ?? []).join(',') : tags;
  return {
    ...data,
    ...(typeof date === 'string' ? { date: date.replace(/T00:00:00(?:\.0+)?Z$/, '') } : {}),
    ...(typeof names === 'string' ? { tags: names } : {}),
  };
}
