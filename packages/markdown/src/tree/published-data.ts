import type { Json } from '@octavo/expression';
import { type CodeLine, readHighlightedLines } from './code-lines.ts';
import { parseCodeInfo } from './compose.ts';
import type { Block, TextNode, TreeData } from './document-tree.ts';
import { createBlock, getText, getTextAt, isBlock } from './document-tree.ts';
import { mark } from './markup.ts';
import { toIconData } from './published-inlines.ts';
import type { PublishedNode } from './published-nodes.ts';
import {
  addKey,
  createParagraph,
  createPublishedNode,
  createReference,
  createText,
  getAddress,
  publishFileReference,
} from './published-nodes.ts';

/** Converts the data of a block without special children. */
export function publishData(type: string, data: TreeData): PublishedNode {
  const getData = Object.hasOwn(DATA, type) ? DATA[type] : undefined;
  return getData === undefined ? {} : getData(data);
}

/** The styles of hints. */
export const hintStyles: ReadonlySet<string> = new Set(['info', 'success', 'warning', 'danger']);

const DATA: Record<string, (data: TreeData) => PublishedNode> = {
  hint: (data) => ({
    style: hintStyles.has(String(data.style)) ? String(data.style) : 'info',
    ...toIconData(getTextAt(data, 'icon')),
  }),
  'list-ordered': (data) => (typeof data.start === 'number' ? { start: data.start } : {}),
  'list-item': (data) => (typeof data.checked === 'boolean' ? { checked: data.checked } : {}),
  tabs: (data) => pickFlags(data, 'fullWidth'),
  'tabs-item': (data) => ({ ...pickTexts(data, 'title', 'slug'), ...toIconData(getTextAt(data, 'icon')) }),
  'stepper-step': (data) => pickTexts(data, 'icon'),
  columns: (data) => pickFlags(data, 'fullWidth'),
  column: (data) => ({
    ...toLengthData('width', data.width),
    ...pickChoice(data, 'verticalAlignment', ['top', 'middle', 'bottom']),
  }),
  images: (data) => ({
    ...pickChoice(data, 'align', ['center', 'left', 'right']),
    ...pickFlags(data, 'fullWidth', 'withFrame'),
  }),
  image: (data) => ({
    ref: publishFileReference(data.ref),
    ...(data.refDark === undefined ? {} : { refDark: publishFileReference(data.refDark) }),
    ...toLengthData('width', data.width),
    ...toLengthData('height', data.height),
    ...pickTexts(data, 'alt'),
  }),
  code: (data) => ({
    ...pickTexts(data, 'title'),
    ...pickChoice(data, 'overflow', ['scroll', 'wrap']),
    ...pickFlags(data, 'lineNumbers', 'fullWidth', 'expandable'),
    ...(isCount(Number(data.collapsedLineCount)) ? { collapsedLineCount: Number(data.collapsedLineCount) } : {}),
  }),
  math: (data) => ({ formula: getTextAt(data, 'formula') ?? '' }),
  expandable: (data) => (data.open === true ? { defaultExpanded: true } : {}),
  prompt: (data) => ({
    description: getTextAt(data, 'description') ?? '',
    ...toIconData(getTextAt(data, 'icon')),
    ...pickFlags(data, 'openInAIProviders'),
    ...pickChoice(data, 'defaultExpanded', ['hidden', 'partial', 'full']),
  }),
  updates: (data) => ({ format: ['numeric', 'short'].includes(String(data.format)) ? String(data.format) : 'full' }),
};

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;

export const pickTexts = (data: TreeData, ...keys: string[]): PublishedNode =>
  Object.fromEntries(keys.flatMap((key) => (typeof data[key] === 'string' ? [[key, data[key]]] : []))) as PublishedNode;

/** Converts the attributes of a tag, which are strings, to booleans. Other values are omitted. */
export const pickFlags = (data: TreeData, ...keys: string[]): PublishedNode =>
  Object.fromEntries(
    keys.flatMap((key) => (['true', 'false'].includes(String(data[key])) ? [[key, String(data[key]) === 'true']] : [])),
  );

const pickChoice = (data: TreeData, key: string, values: string[]): PublishedNode =>
  values.includes(String(data[key])) ? { [key]: String(data[key]) } : {};

/** Converts a length: a number of pixels, or a number with another unit. */
function toLengthData(key: string, value: Json | undefined): PublishedNode {
  const [, digits, unit = ''] = /^\s*(\d{1,9}(?:\.\d{1,9})?)\s*(%|[a-z]{1,5})?\s*$/.exec(String(value ?? '')) ?? [];
  if (digits === undefined) return {};
  return { [key]: unit === '' || unit === 'px' ? Number(digits) : { unit, value: Number(digits) } };
}

/** Returns the data of updates; undefined if a date is malformed. */
export function updateData({ nodes }: Block): PublishedNode[] | undefined {
  const updates = nodes.filter(isBlock).map(({ data }) => {
    const tags = (getTextAt(data, 'tags') ?? '').split(',').map((tag) => tag.trim());
    const date = getTime(getTextAt(data, 'date') ?? '');
    return { date, tags: tags.filter((tag) => tag !== '').map((tag) => ({ kind: 'tag', tag })) };
  });
  const dated = updates.flatMap(({ date, tags }): PublishedNode[] =>
    date === undefined ? [] : [{ date, ...(tags.length === 0 ? {} : { tags }) }],
  );
  return dated.length === updates.length ? dated : undefined;
}

/** Returns the time of an ISO 8601 date or time; undefined for other strings. */
function getTime(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Returns a code block as it is shown: the attributes of its fence become its title and highlighted lines. */
export function readCode({ data, nodes }: Block): { data: TreeData; lines: CodeLine[] } {
  const { lines: highlightedLines, ...info } = parseCodeInfo(getTextAt(data, 'syntax') ?? '');
  const written = nodes.filter(isBlock);
  const isNamed = (index: number): boolean =>
    written[index]?.data.highlighted === true || highlightedLines.has(index + 1);
  return {
    data: { ...info, ...publishData('code', data) },
    lines: readHighlightedLines(written.map(getTextOfLine), isNamed),
  };
}

export function publishCode(block: Block): PublishedNode {
  const { data, lines } = readCode(block);
  const nodes = lines.map(
    (line): PublishedNode => ({
      ...createPublishedNode('block', 'code-line'),
      isVoid: false,
      data: line.highlighted ? { highlighted: true } : {},
      nodes: line.text === '' ? [] : [createText(line.text)],
    }),
  );
  return { ...createPublishedNode('block', 'code'), isVoid: false, data, nodes };
}

const getTextOfLine = (line: Block): string =>
  line.nodes.flatMap((node) => (node.object === 'text' ? node.leaves.map((leaf) => leaf.text) : [])).join('');

export const publishEmbed = (node: Block): PublishedNode => {
  const data = { url: getAddress(node.data.ref), ...pickFlags(node.data, 'fullWidth') };
  return addKey(node, { ...createPublishedNode('block', 'embed'), isVoid: true, data });
};

/** Converts a file block. A file outside of the space is published as another kind of reference. */
export function publishFile(node: Block): PublishedNode {
  const ref = publishFileReference(node.data.ref);
  return createReference(node, ref.kind === 'file' ? node.type : 'content-ref', ref);
}

export const publishMath = (node: Block): PublishedNode =>
  addKey(node, { ...createPublishedNode('block', 'math'), isVoid: true, data: publishData('math', node.data) });

/**
 * Converts an include that was not resolved. If its target was not found, and such errors were requested, the result
 * shows an error.
 */
export function publishInclude(
  node: Block,
  { address, content, reportsMissing }: { address: string; content: string | undefined; reportsMissing: boolean },
): PublishedNode[] {
  if (content !== undefined)
    return [createReference(node, 'reusable-content', { kind: 'reusable-content', reusableContent: content })];
  const missingNote = createParagraph([
    createText('The included content was not found: '),
    createText(address, 'code'),
  ]);
  const hint = {
    ...createPublishedNode('block', 'hint'),
    isVoid: false,
    data: { style: 'warning' },
    nodes: [missingNote],
  };
  return reportsMissing ? [addKey(node, hint)] : [];
}

/**
 * Converts a block that shows part of a specification, named by its slug. The block becomes text if this part is
 * unknown.
 */
export function publishOperation(node: Block): PublishedNode[] {
  const { data, type } = node;
  const part = getPart(type, data);
  const ref = getSpecification(type, data);
  if (part === undefined || ref === undefined) {
    const words = getWords(data);
    return words === '' ? [] : [addKey(node, createParagraph([createText(words)]))];
  }
  const isFile = ref.kind !== 'openapi';
  const operation = {
    ...createPublishedNode('block', isFile ? 'swagger' : type.startsWith('openapi-') ? type : 'openapi-operation'),
    isVoid: true,
    data: { ref, ...part, ...pickFlags(data, ...(isFile ? ['expanded', 'fullWidth'] : ['headless'])) },
    ...(node.meta === undefined ? {} : { meta: node.meta }),
  };
  return [addKey(node, operation)];
}

function getSpecification(type: string, data: TreeData): TreeData | undefined {
  const named = getTextAt(data.ref, 'spec');
  const spec = named ?? (type.startsWith('openapi-') ? getTextAt(data, 'spec') : undefined);
  if (spec !== undefined) return { kind: 'openapi', spec };
  const isFile = (type === 'openapi' || type === 'swagger') && data.ref !== undefined;
  return isFile ? publishFileReference(data.ref) : undefined;
}

function getPart(type: string, data: TreeData): PublishedNode | undefined {
  const [path, method, name] = [getTextAt(data, 'path'), getTextAt(data, 'method'), getTextAt(data, 'name')];
  if (type === 'openapi-schemas') {
    const { schemas } = data;
    const names = typeof schemas === 'string' ? schemas.split(',').map((each) => each.trim()) : schemas;
    if (!Array.isArray(names)) return undefined;
    return { schemas: names.map(String), ...pickFlags(data, 'grouped'), ...pickTexts(data, 'title') };
  }
  if (method === undefined) return undefined;
  if (type === 'openapi-webhook') return name === undefined ? undefined : { name, method };
  return path === undefined ? undefined : { path, method };
}

const getWords = (data: TreeData): string =>
  ['spec', 'method', 'path', 'name', 'schemas'].flatMap((key) => getTextAt(data, key) ?? []).join(' ');

const createLine = (...texts: [text: string | undefined, ...marks: string[]][]): Block[] => {
  const nodes = texts.flatMap(([text = '', ...marks]): TextNode[] => {
    const types = marks.map((type) => mark(type));
    return text === '' ? [] : [getText(text, types)];
  });
  return nodes.length === 0 ? [] : [createBlock('paragraph', {}, nodes)];
};

/** Returns an operation as blocks: its name, address, parameters and responses. */
export function createOperationBlocks({ data, nodes }: Block): Block[] {
  const address = `${getTextAt(data, 'baseUrl') ?? ''}${getTextAt(data, 'path') ?? ''}`;
  const call = [getTextAt(data, 'method')?.toUpperCase() ?? '', address].filter((each) => each !== '').join(' ');
  return [
    ...createLine([getTextAt(data, 'summary'), 'bold']),
    ...createLine([call, 'code']),
    ...nodes.filter(isBlock).flatMap(createOperationPart),
  ];
}

function createOperationPart(node: Block): Block[] {
  const { data, type, nodes } = node;
  const inner = nodes.filter(isBlock);
  if (type === 'swagger-description') return inner;
  if (type === 'swagger-response')
    return [
      ...createLine([getTextAt(data, 'status'), 'bold']),
      ...createLine([getTextAt(data, 'description')]),
      ...inner,
    ];
  if (type !== 'swagger-parameter') return [node];
  const details = ['in', 'type', 'required'].flatMap((key) => {
    const value = getTextAt(data, key);
    return value === undefined || value === 'false' ? [] : [key === 'required' ? 'required' : value];
  });
  return [
    ...createLine([getTextAt(data, 'name'), 'code'], [details.length === 0 ? '' : ` ${details.join(', ')}`]),
    ...inner,
  ];
}

/** Converts instructions for an assistant. A single code block becomes a prompt; other content becomes normal text. */
export function publishPrompt(node: Block, blocksOf: (nodes: Block[]) => PublishedNode[]): PublishedNode[] {
  const inside = node.nodes.filter(isBlock);
  if (inside[0]?.type !== 'code' || inside.length > 1)
    return blocksOf([...createLine([getTextAt(node.data, 'description'), 'bold']), ...inside]);
  const data = publishData('prompt', node.data);
  return [addKey(node, { ...createPublishedNode('block', 'prompt'), isVoid: false, data, nodes: blocksOf(inside) })];
}

/** A longer expression is omitted; the reader then sees only the condition of the branch. */
const MAX_EXPRESSION = 4096;

/** Returns the condition under which each branch is shown. */
export function getExpressions(branches: Block[]): string[] {
  let failed = '';
  return branches.map(({ data }) => {
    const condition = getTextAt(data, 'condition');
    const ownCondition = condition === undefined ? failed : failed === '' ? condition : `${failed} && (${condition})`;
    if (failed.length < MAX_EXPRESSION && condition !== undefined)
      failed += `${failed === '' ? '' : ' && '}!(${condition})`;
    return (ownCondition.length > MAX_EXPRESSION ? condition : ownCondition) || 'true';
  });
}

const maxDefinitions = 100_000;
const definitions =
  /^(?:\s*\[(?:[^[\]\\]|\\.)+\]:[ \t]*\n?[ \t]*(?:<[^<>\n]*>|(?:\{[{%][^{}\n]*\}\S*)|\S+)(?:[ \t]*\n?[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*(?:\n|$))+$/;

/** Returns markdown as one paragraph of plain text, or nothing if it consists of link reference definitions. */
export const getUnparsed = (markdown: string): PublishedNode[] =>
  markdown.length <= maxDefinitions && definitions.test(markdown) ? [] : [createParagraph([createText(markdown)])];
