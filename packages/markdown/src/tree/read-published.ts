import type { Json } from '@octavo/expression';
import { slugify } from '../slug.ts';
import { getInlines } from './compose.ts';
import type { Block, Inline, Leaf, Mark, TextNode, TreeData } from './document-tree.ts';
import { createBlock, createUrlReference, getText, getTextAt, inline } from './document-tree.ts';
import type { PublishedNode } from './published-nodes.ts';
import { getAddress, getCharacters, getFragment, getName, getNodes, getPlainText } from './published-nodes.ts';
import { renderInlines } from './render-inlines.ts';

type Nodes = (Inline | TextNode)[];

/** Converts published inlines to inlines of `parseTree`. Inlines of `parseTree` are accepted too. */
const readInlines = (nodes: PublishedNode[]): Nodes => nodes.flatMap(readInline);

function readInline(node: PublishedNode): Nodes {
  if (node.object === 'text') return readText(node);
  const [type, data] = [String(node.type), addAddresses((node.data ?? {}) as TreeData)];
  const code = type === 'emoji' ? getTextAt(data, 'code') : undefined;
  if (code !== undefined) return [getEmoji(code)];
  const label = type === 'button' ? getTextAt(data, 'label') : undefined;
  if (label !== undefined) {
    const { label: _, ...rest } = data;
    return [inline('button', rest, [getText(label)])];
  }
  if (type === 'annotation' && node.fragments !== undefined) return [inline('annotation', { label: getLabel(node) })];
  return [{ object: 'inline', type, data, nodes: readInlines(getNodes(node)), isVoid: node.isVoid === true }];
}

/** A line feed in a published text is a hard break, unless it is at the start or end. */
function readText(node: PublishedNode): Nodes {
  const result: Nodes = [];
  const leaves = getNodes(node, 'leaves') as unknown as Leaf[];
  let open: Leaf[] = [];
  const put = () => {
    if (open.length > 0) result.push({ object: 'text', leaves: open });
    open = [];
  };
  for (const [index, leaf] of leaves.entries()) {
    const marks = leaf.marks.map(readMark);
    const isCode = marks.some(({ type }) => type === 'code');
    const lines = isCode ? [leaf.text] : leaf.text.split(/\n+/);
    const isOuter = (index === 0 && lines[0] === '') || (index === leaves.length - 1 && lines.at(-1) === '');
    for (const [line, words] of (isOuter ? [leaf.text] : lines).entries()) {
      if (line > 0) put();
      if (line > 0) result.push(inline('hard-break', {}));
      if (words !== '') open.push({ ...leaf, text: words, marks });
    }
  }
  put();
  return result;
}

function readMark(mark: Mark): Mark {
  if (mark.type !== 'color' || mark.data === undefined) return mark;
  const data = Object.entries(mark.data).flatMap(([key, value]) =>
    value === 'default' ? [] : [[key, typeof value === 'string' ? value.replace(/^\$/, '') : value]],
  );
  return { ...mark, data: Object.fromEntries(data) as TreeData };
}

/** Writes references as their address, if they have one. */
function addAddresses(data: TreeData): TreeData {
  const changed = ['ref', 'refDark'].filter((key) => {
    const kind = getTextAt(data[key], 'kind');
    return kind !== undefined && !['url', 'user', 'openapi'].includes(kind);
  });
  const addresses = changed.map((key) => [key, createUrlReference(getAddress(data[key]))]);
  return changed.length === 0 ? data : { ...data, ...(Object.fromEntries(addresses) as TreeData) };
}

function getEmoji(code: string): Inline | TextNode {
  const name = getName(code);
  return name === undefined ? getText(getCharacters(code)) : inline('emoji', { name });
}

/** Returns the label that marks the position of a footnote. */
export const getLabel = (annotation: PublishedNode): string => {
  const label = getNodes(annotation)
    .flatMap((node) => getNodes(node, 'leaves'))
    .map(({ text }) => String(text))
    .join('');
  return label.replace(/[^\w.+-]/g, '').slice(0, 100) || 'note';
};

/** Converts a table. If it is not a grid of texts, it is written as HTML. */
function readPublishedTable(node: PublishedNode, { view, definition, records }: TreeData): Block {
  const columns = Object.entries((definition ?? {}) as PublishedNode).map(([id, column]) => ({ id, column }));
  const indexesById = new Map(getValues(getField(view, 'columns')).map((id, index) => [String(id), index]));
  const getIndex = ({ id }: { id: string }): number => indexesById.get(id) ?? indexesById.size;
  const ordered = [...columns].sort((one, other) => getIndex(one) - getIndex(other));
  const isCards = getTextAt(view, 'type') === 'cards';
  const isTyped =
    isCards || ordered.some(({ id, column }) => getTextAt(column, 'type') !== 'text' || !indexesById.has(id));
  const cells = new Map(getNodes(node, 'fragments').map((node) => [String(node.fragment), getNodes(node)]));
  const head = ordered.map(({ id, column }) => {
    const title = getTextAt(column, 'title') ?? '';
    const attributes = isTyped ? getAttributes(id, { column, view, isShown: indexesById.has(id) }) : {};
    const nodes = title === '' ? [] : [getText(title)];
    return createBlock('table-cell', Object.keys(attributes).length === 0 ? {} : { attributes }, nodes);
  });
  const rows = Object.values((records ?? {}) as PublishedNode)
    .sort((one, other) => (String(getTextAt(one, 'orderIndex')) < String(getTextAt(other, 'orderIndex')) ? -1 : 1))
    .map((record) => {
      const values = getField(record, 'values');
      return createBlock(
        'table-row',
        {},
        ordered.map(({ id, column }) =>
          createBlock('table-cell', {}, getCell(getField(values, id), getTextAt(column, 'type') ?? 'text', cells)),
        ),
      );
    });
  const sides = ordered.map(({ column }) => {
    const side = getTextAt(column, 'textAlignment');
    return side === 'center' || side === 'right' ? side : '';
  });
  const data: TreeData = {
    ...(isTyped ? { view: isCards ? 'cards' : 'grid' } : sides.some(Boolean) ? { align: sides } : {}),
    ...(isCards && getTextAt(view, 'cardSize') === 'large' ? { attributes: { 'data-card-size': 'large' } } : {}),
  };
  return createBlock('table', data, [createBlock('table-row', { header: true }, head), ...rows]);
}

const getField = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? value[key]
    : undefined;

const getValues = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

type Head = { column: Json; view: Json | undefined; isShown: boolean };

function getAttributes(id: string, { column, view, isShown }: Head): { [name: string]: string } {
  const type = getTextAt(column, 'type') ?? 'text';
  return {
    ...(isShown ? {} : { 'data-hidden': '' }),
    ...(getTextAt(view, 'targetDefinition') === id ? { 'data-card-target': '' } : {}),
    ...(getTextAt(view, 'coverDefinition') === id ? { 'data-card-cover': '' } : {}),
    ...(getTextAt(view, 'coverDefinitionDark') === id ? { 'data-card-cover-dark': '' } : {}),
    ...(type === 'text' ? {} : { 'data-type': type }),
    ...(getField(column, 'multiple') === true ? { 'data-multiple': '' } : {}),
    ...(type === 'rating' ? { 'data-max': String(getField(column, 'max') ?? 5) } : {}),
  };
}

function getCell(value: Json | undefined, type: string, cells: Map<string, PublishedNode[]>): Nodes {
  if (type === 'text') {
    return (cells.get(String(value)) ?? []).flatMap((each, index) => [
      ...(index === 0 ? [] : [inline('hard-break', {})]),
      ...readPublishedNode(each).flatMap(getInlines),
    ]);
  }
  const address = readAddress(value);
  if (address !== undefined) return [inline('link', { ref: createUrlReference(address) }, [getText(address)])];
  const values = getValues(value);
  if (type === 'files')
    return values.map((file) =>
      inline('link', { ref: createUrlReference(`/files/${encodeURI(String(file))}`) }, [getText(String(file))]),
    );
  const label = Array.isArray(value) ? values.join(', ') : String(value ?? '');
  return label === '' ? [] : [getText(label)];
}

const readAddress = (value: Json | undefined): string | undefined => {
  const ref = getField(value, 'ref') ?? value;
  return getTextAt(ref, 'kind') === undefined ? undefined : getAddress(ref);
};

/** Converts a published block to blocks of `parseTree`. Blocks of `parseTree` are accepted too. */
export function readPublishedNode(node: PublishedNode): Block[] {
  const type = String(node.type);
  const special = Object.hasOwn(SPECIAL, type) ? SPECIAL[type]?.(node, getData(node)) : undefined;
  return special ?? [readPlainBlock(node, getData(node))];
}

const getData = ({ data }: PublishedNode): TreeData => (data ?? {}) as TreeData;

export const readNodes = (nodes: PublishedNode[]): Block['nodes'] => {
  const inlines = nodes.filter(({ object }) => object !== 'block');
  if (inlines.length === nodes.length) return readInlines(nodes);
  return nodes.flatMap((node): Block['nodes'] =>
    node.object === 'block' ? readPublishedNode(node) : readInlines([node]),
  );
};

/** Converts a block whose type has the same name in both formats. */
function readPlainBlock(node: PublishedNode, data: TreeData): Block {
  const { key, meta } = node as { key?: string; meta?: { id: string } };
  return {
    object: 'block',
    type: String(node.type),
    ...(key === undefined ? {} : { key }),
    data: addAddresses(data),
    nodes: readNodes(getNodes(node)),
    isVoid: node.isVoid === true,
    ...(meta === undefined ? {} : { meta }),
  };
}

const getLine = (nodes: PublishedNode[]): string =>
  renderInlines(readInlines(nodes.flatMap((node) => getNodes(node))), 'html');

/** An id that the heading's text does not produce is an explicit id, as are its aliases. */
const createHeading = (node: PublishedNode, { id, ...data }: TreeData): Block[] => {
  const { meta: _, ...rest } = readPlainBlock(node, data);
  const slug = slugify(getPlainText(getNodes(node)));
  const hasOwnId = typeof id === 'string' && ('aliases' in data || (id !== slug && id.replace(/-\d+$/, '') !== slug));
  return [hasOwnId ? { ...rest, data: { id, ...rest.data } } : rest];
};

/** Converts a paragraph with the data of code to a code block. */
function readCode(node: PublishedNode): Block[] | undefined {
  const { code } = (node.meta ?? {}) as PublishedNode;
  if (!isObject(code)) return undefined;
  const lines = getPlainText(getNodes(node)).split('\n');
  const nodes = lines.map((line) => createBlock('code-line', {}, line === '' ? [] : [getText(line)]));
  return [{ ...createBlock('code', code, nodes), ...(typeof node.key === 'string' && { key: node.key }) }];
}

const SPECIAL: Record<string, (node: PublishedNode, data: TreeData) => Block[] | undefined> = {
  paragraph: readCode,
  'heading-1': createHeading,
  'heading-2': createHeading,
  'heading-3': createHeading,
  if: (node, data) => {
    const branch = createBlock(
      'conditional-branch',
      { condition: getTextAt(data, 'expression') ?? '' },
      readNodes(getNodes(node)),
    );
    return [createBlock('conditional', {}, [branch])];
  },
  table: (node, data) => (isObject(data.definition) ? [readPublishedTable(node, data)] : undefined),
  expandable: (node, { defaultExpanded, ...data }) => {
    if (node.fragments === undefined) return undefined;
    const title = getLine(getFragment(node, 'expandable-title'));
    const body = readNodes(getFragment(node, 'expandable-body'));
    return [createBlock('expandable', { ...data, title, ...(defaultExpanded === true && { open: true }) }, body)];
  },
  images: (node, data) => readImages(node, data),
  embed: (node, { url, ...data }) =>
    typeof url === 'string' && data.ref === undefined
      ? [readPlainBlock(node, { ...data, ref: createUrlReference(url) })]
      : undefined,
  column: (node, data) => [readPlainBlock(node, addLength(data, 'width'))],
  code: (node, data) => [readPlainBlock(node, addLines(node, data))],
  swagger: (node, data) =>
    getTextAt(data.ref, 'kind') === undefined ? undefined : [{ ...readPlainBlock(node, data), type: 'openapi' }],
  updates: (node, { format, ...data }) => [
    readPlainBlock(node, format === undefined || format === 'full' ? data : { ...data, format }),
  ],
  update: (node, data) => [readPlainBlock(node, readUpdate(data))],
  integration: () => [],
};

const isObject = (value: Json | undefined): value is TreeData =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Highlighted lines are part of the info string. */
function addLines(node: PublishedNode, data: TreeData): TreeData {
  const lines = getNodes(node).flatMap((line, index) => (getData(line).highlighted === true ? [index + 1] : []));
  if (lines.length === 0) return data;
  return { ...data, syntax: `${getTextAt(data, 'syntax') ?? ''} {${lines.join(',')}}`.trim() };
}

/** Converts a block of images. An image without caption and size is inline. */
function readImages(node: PublishedNode, data: TreeData): Block[] | undefined {
  const images = getNodes(node);
  const [image] = images;
  if (image?.fragments === undefined) return undefined;
  const blocks = images.map((node) => readImage(node));
  const [onlyBlock] = blocks;
  const isPlain =
    onlyBlock !== undefined && Object.keys(onlyBlock.data).every((key) => ['ref', 'refDark', 'alt'].includes(key));
  if (!isPlain || blocks.length > 1 || Object.keys(data).length > 0)
    return [{ ...readPlainBlock(node, data), nodes: blocks }];
  return [createBlock('paragraph', {}, [inline('inline-image', { alt: '', ...onlyBlock.data })])];
}

function readImage(node: PublishedNode): Block {
  const caption = getLine(getFragment(node, 'caption'));
  const data = addLength(addLength(addAddresses(getData(node)), 'width'), 'height');
  return createBlock('image', caption === '' ? data : { ...data, caption });
}

/** Converts a length to the value of an attribute. */
function addLength(data: TreeData, key: string): TreeData {
  const value = data[key];
  if (typeof value === 'number') return { ...data, [key]: String(value) };
  return isObject(value) ? { ...data, [key]: `${String(value.value)}${String(value.unit)}` } : data;
}

function readUpdate({ date, tags, ...data }: TreeData): TreeData {
  const names = Array.isArray(tags) ? tags.flatMap((tag) => getTextAt(tag, 'tag') ?? []).join(',') : tags;
  return {
    ...data,
    ...(typeof date === 'string' ? { date: date.replace(/T00:00:00(?:\.0+)?Z$/, '') } : {}),
    ...(typeof names === 'string' ? { tags: names } : {}),
  };
}
