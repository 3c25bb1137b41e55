import { textAt } from './document-tree.ts';
import { fragmentOf, nodesIn, type PublishedNode, paragraph, plainText, published, text } from './published-nodes.ts';
import { referenceText } from './published-references.ts';

const essential = ['paragraph', 'heading-1', 'heading-2', 'heading-3', 'list-ordered', 'list-unordered', 'list-tasks'];
const common = ['content-ref', 'code', 'embed', 'file', 'images', 'drawing', 'hint', 'prompt', 'blockquote', 'math'];

/** What may stand where, beside what may stand everywhere: the official description of documents. */
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
  }).map(([place, types]) => [place, new Set([...essential, 'divider', ...types])]),
);

/** Blocks as they may stand in a place: what may not is shown there by what may. */
export const fit = (blocks: PublishedNode[], place: string): PublishedNode[] =>
  blocks.flatMap((block) => (isAllowed(String(block.type), place) ? [block] : instead(block, place)));

const isAllowed = (type: string, place: string): boolean => ALLOWED[place]?.has(type) === true;

function instead(block: PublishedNode, place: string): PublishedNode[] {
  const type = String(block.type);
  const inside = fit(nodesIn(block), place);
  if (type === 'images') return nodesIn(block).flatMap(imageInText);
  if (type === 'code') {
    const title = textAt(block.data, 'title') ?? '';
    const named = title === '' ? [] : [paragraph([text(title, 'bold')])];
    return [...named, paragraph([text(plainLines(block), 'code')])];
  }
  if (type === 'table') return tableIn(block, place);
  if (type === 'hint' && isAllowed('blockquote', place))
    return [{ ...published('block', 'blockquote'), isVoid: false, data: {}, nodes: fit(nodesIn(block), 'blockquote') }];
  if (type === 'expandable')
    return [titled(fragmentOf(block, 'expandable-title')), ...fit(fragmentOf(block, 'expandable-body'), place)];
  if (type === 'tabs-item') return [paragraph([text(textAt(block.data, 'title') ?? '', 'bold')]), ...inside];
  if (type === 'math') {
    const data = { formula: textAt(block.data, 'formula') ?? '' };
    return [paragraph([{ ...published('inline', 'inline-math'), isVoid: true, data }])];
  }
  if (type === 'embed') return [linkTo({ kind: 'url', url: textAt(block.data, 'url') ?? '' })];
  if (['content-ref', 'file', 'drawing', 'reusable-content'].includes(type)) return [linkTo(dataOf(block).ref)];
  if (type.startsWith('openapi-') || type === 'swagger') return [paragraph([text(operationText(block), 'code')])];
  return inside;
}

const dataOf = (block: PublishedNode): PublishedNode => (block.data ?? {}) as PublishedNode;

const titled = (title: PublishedNode[]): PublishedNode => paragraph([text(plainText(title), 'bold')]);

const plainLines = (code: PublishedNode): string =>
  nodesIn(code)
    .map((line) => plainText([line]))
    .join('\n');

function linkTo(ref: PublishedNode[string] | undefined): PublishedNode {
  const shown = referenceText(ref);
  return paragraph([
    { ...published('inline', 'link'), isVoid: false, data: { ref: ref ?? null }, nodes: [text(shown)] },
  ]);
}

function imageInText(image: PublishedNode): PublishedNode[] {
  const { ref, refDark, alt } = dataOf(image);
  const data = {
    ref: ref ?? null,
    ...(refDark === undefined ? {} : { refDark }),
    ...(alt === undefined ? {} : { alt }),
  };
  return [
    paragraph([{ ...published('inline', 'inline-image'), isVoid: true, data }]),
    ...fragmentOf(image, 'caption').filter((caption) => nodesIn(caption).length > 0),
  ];
}

/** A table stands in a hint where it may not stand alone; else each row is an item of a list. */
function tableIn(table: PublishedNode, place: string): PublishedNode[] {
  if (isAllowed('hint', place))
    return [{ ...published('block', 'hint'), isVoid: false, data: { style: 'info' }, nodes: [table] }];
  const cells = new Map(nodesIn(table, 'fragments').map((each) => [String(each.fragment), nodesIn(each)]));
  const { definition, records } = dataOf(table) as { definition: PublishedNode; records: PublishedNode };
  const titles = Object.values(definition).map((column) => [text(textAt(column, 'title') ?? '', 'bold')]);
  const rows = Object.values(records).map((record) =>
    Object.values((record as PublishedNode).values as PublishedNode).map((value) => valueNodes(value, cells)),
  );
  const items = [titles, ...rows].map((row) => row.filter((nodes) => plainText(nodes) !== ''));
  return [
    {
      ...published('block', 'list-unordered'),
      isVoid: false,
      data: {},
      nodes: items.filter((row) => row.length > 0).map(itemOf),
    },
  ];
}

/** What a cell holds, in a line. */
function valueNodes(value: PublishedNode[string], cells: Map<string, PublishedNode[]>): PublishedNode[] {
  const held = typeof value === 'string' ? cells.get(value) : undefined;
  if (held !== undefined) return held.flatMap((each) => nodesIn(each));
  if (Array.isArray(value)) return [text(value.join(', '))];
  if (typeof value !== 'object' || value === null) return [text(String(value ?? ''))];
  return nodesIn(linkTo((value as PublishedNode).ref ?? value));
}

const itemOf = (row: PublishedNode[][]): PublishedNode => ({
  ...published('block', 'list-item'),
  isVoid: false,
  data: {},
  nodes: [paragraph(row.flatMap((nodes, index) => (index === 0 ? nodes : [text(' | '), ...nodes])))],
});

const operationText = (block: PublishedNode): string => {
  const { method, path, name, schemas } = dataOf(block);
  return [method, path, name, Array.isArray(schemas) ? schemas.join(', ') : undefined]
    .filter((part) => typeof part === 'string')
    .join(' ');
};
