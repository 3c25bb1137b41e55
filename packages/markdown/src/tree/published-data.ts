import type { Json } from '@octavo/expression';
import { steerLines } from './code-lines.ts';
import { codeInfo } from './compose.ts';
import type { Block, TextNode, TreeData } from './document-tree.ts';
import { block, getText, isBlock, textAt } from './document-tree.ts';
import { mark } from './markup.ts';
import { iconData } from './published-inlines.ts';
import type { PublishedNode } from './published-nodes.ts';
import { fileReference, getAddress, paragraph, published, reference, text, withKey } from './published-nodes.ts';

/** Converts the data of a block without special children. */
export function publishedData(type: string, data: TreeData): PublishedNode {
  const of = Object.hasOwn(DATA, type) ? DATA[type] : undefined;
  return of === undefined ? {} : of(data);
}

const hints = new Set(['info', 'warning', 'danger', 'success']);

const DATA: Record<string, (data: TreeData) => PublishedNode> = {
  hint: (data) => ({
    style: hints.has(String(data.style)) ? String(data.style) : 'info',
    ...iconData(textAt(data, 'icon')),
  }),
  'list-ordered': (data) => (typeof data.start === 'number' ? { start: data.start } : {}),
  'list-item': (data) => (typeof data.checked === 'boolean' ? { checked: data.checked } : {}),
  tabs: (data) => flags(data, 'fullWidth'),
  'tabs-item': (data) => ({ ...texts(data, 'title', 'slug'), ...iconData(textAt(data, 'icon')) }),
  'stepper-step': (data) => texts(data, 'icon'),
  columns: (data) => flags(data, 'fullWidth'),
  column: (data) => ({
    ...lengthData('width', data.width),
    ...readOne(data, 'verticalAlignment', ['top', 'middle', 'bottom']),
  }),
  images: (data) => ({
    ...readOne(data, 'align', ['center', 'left', 'right']),
    ...flags(data, 'fullWidth', 'withFrame'),
  }),
  image: (data) => ({
    ref: fileReference(data.ref),
    ...(data.refDark === undefined ? {} : { refDark: fileReference(data.refDark) }),
    ...lengthData('width', data.width),
    ...lengthData('height', data.height),
    ...texts(data, 'alt'),
  }),
  code: (data) => ({
    ...texts(data, 'title'),
    ...readOne(data, 'overflow', ['scroll', 'wrap']),
    ...flags(data, 'lineNumbers', 'fullWidth', 'expandable'),
    ...(isCount(Number(data.collapsedLineCount)) ? { collapsedLineCount: Number(data.collapsedLineCount) } : {}),
  }),
  math: (data) => ({ formula: textAt(data, 'formula') ?? '' }),
  expandable: (data) => (data.open === true ? { defaultExpanded: true } : {}),
  prompt: (data) => ({
    description: textAt(data, 'description') ?? '',
    ...iconData(textAt(data, 'icon')),
    ...flags(data, 'openInAIProviders'),
    ...readOne(data, 'defaultExpanded', ['hidden', 'partial', 'full']),
  }),
  updates: (data) => ({ format: ['numeric', 'short'].includes(String(data.format)) ? String(data.format) : 'full' }),
};

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;

export const texts = (data: TreeData, ...keys: string[]): PublishedNode =>
  Object.fromEntries(keys.flatMap((key) => (typeof data[key] === 'string' ? [[key, data[key]]] : []))) as PublishedNode;

/** Attributes of tags are strings. */
export const flags = (data: TreeData, ...keys: string[]): PublishedNode =>
  Object.fromEntries(
    keys.flatMap((key) => (['true', 'false'].includes(String(data[key])) ? [[key, String(data[key]) === 'true']] : [])),
  );

const readOne = (data: TreeData, key: string, values: string[]): PublishedNode =>
  values.includes(String(data[key])) ? { [key]: String(data[key]) } : {};

/** A number of pixels, or a number with another unit. */
function lengthData(key: string, value: Json | undefined): PublishedNode {
  const [, digits, unit = ''] = /^\s*(\d{1,9}(?:\.\d{1,9})?)\s*(%|[a-z]{1,5})?\s*$/.exec(String(value ?? '')) ?? [];
  if (digits === undefined) return {};
  return { [key]: unit === '' || unit === 'px' ? Number(digits) : { unit, value: Number(digits) } };
}

/** Returns the data of updates; undefined if a date is malformed. */
export function updateData({ nodes }: Block): PublishedNode[] | undefined {
  const updates = nodes.filter(isBlock).map(({ data }) => {
    const tags = (textAt(data, 'tags') ?? '').split(',').map((tag) => tag.trim());
    const date = getTime(textAt(data, 'date') ?? '');
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

/** A code block: the attributes of its fence become its title and highlighted lines. */
export function publishedCode({ data, nodes }: Block): PublishedNode {
  const { lines: named, ...info } = codeInfo(textAt(data, 'syntax') ?? '');
  const written = nodes.filter(isBlock);
  const isNamed = (index: number): boolean => written[index]?.data.highlighted === true || named.has(index + 1);
  const lines = steerLines(written.map(textOfLine), isNamed).map(
    (line): PublishedNode => ({
      ...published('block', 'code-line'),
      isVoid: false,
      data: line.highlighted ? { highlighted: true } : {},
      nodes: line.text === '' ? [] : [text(line.text)],
    }),
  );
  return {
    ...published('block', 'code'),
    isVoid: false,
    data: { ...info, ...publishedData('code', data) },
    nodes: lines,
  };
}

const textOfLine = (line: Block): string =>
  line.nodes.flatMap((node) => (node.object === 'text' ? node.leaves.map((leaf) => leaf.text) : [])).join('');

export const publishedEmbed = (node: Block): PublishedNode => {
  const data = { url: getAddress(node.data.ref), ...flags(node.data, 'fullWidth') };
  return withKey(node, { ...published('block', 'embed'), isVoid: true, data });
};

/** A file outside of the space is published as another reference. */
export function publishedFile(node: Block): PublishedNode {
  const ref = fileReference(node.data.ref);
  return reference(node, ref.kind === 'file' ? node.type : 'content-ref', ref);
}

export const publishedMath = (node: Block): PublishedNode =>
  withKey(node, { ...published('block', 'math'), isVoid: true, data: publishedData('math', node.data) });

/** An unresolved include. If it was not found, its error is shown on request. */
export function publishedInclude(
  node: Block,
  { address, content, isTold }: { address: string; content: string | undefined; isTold: boolean },
): PublishedNode[] {
  if (content !== undefined)
    return [reference(node, 'reusable-content', { kind: 'reusable-content', reusableContent: content })];
  const told = paragraph([text('The included content was not found: '), text(address, 'code')]);
  const hint = { ...published('block', 'hint'), isVoid: false, data: { style: 'warning' }, nodes: [told] };
  return isTold ? [withKey(node, hint)] : [];
}

/** A block of a specification, with its slug. It becomes text if its part of the specification is unknown. */
export function publishedOperation(node: Block): PublishedNode[] {
  const { data, type } = node;
  const part = getPart(type, data);
  const ref = getSpecification(type, data);
  if (part === undefined || ref === undefined) {
    const words = getWords(data);
    return words === '' ? [] : [withKey(node, paragraph([text(words)]))];
  }
  const isFile = ref.kind !== 'openapi';
  const operation = {
    ...published('block', isFile ? 'swagger' : type),
    isVoid: true,
    data: { ref, ...part, ...flags(data, ...(isFile ? ['expanded', 'fullWidth'] : ['headless'])) },
    ...(node.meta === undefined ? {} : { meta: node.meta }),
  };
  return [withKey(node, operation)];
}

function getSpecification(type: string, data: TreeData): TreeData | undefined {
  const spec = textAt(data.ref, 'spec') ?? textAt(data, 'spec');
  if (spec !== undefined && type.startsWith('openapi-')) return { kind: 'openapi', spec };
  const isFile = (type === 'openapi' || type === 'swagger') && data.ref !== undefined;
  return isFile ? fileReference(data.ref) : undefined;
}

function getPart(type: string, data: TreeData): PublishedNode | undefined {
  const [path, method, name] = [textAt(data, 'path'), textAt(data, 'method'), textAt(data, 'name')];
  if (type === 'openapi-schemas') {
    const { schemas } = data;
    const names = typeof schemas === 'string' ? schemas.split(',').map((each) => each.trim()) : schemas;
    if (!Array.isArray(names)) return undefined;
    return { schemas: names.map(String), ...flags(data, 'grouped'), ...texts(data, 'title') };
  }
  if (method === undefined) return undefined;
  if (type === 'openapi-webhook') return name === undefined ? undefined : { name, method };
  return path === undefined ? undefined : { path, method };
}

const getWords = (data: TreeData): string =>
  ['spec', 'method', 'path', 'name', 'schemas'].flatMap((key) => textAt(data, key) ?? []).join(' ');

const line = (...texts: [text: string | undefined, ...marks: string[]][]): Block[] => {
  const nodes = texts.flatMap(([text = '', ...marks]): TextNode[] => {
    const types = marks.map((type) => mark(type));
    return text === '' ? [] : [getText(text, types)];
  });
  return nodes.length === 0 ? [] : [block('paragraph', {}, nodes)];
};

/** An operation written as blocks: its name, address, parameters and responses. */
export function writtenOperation({ data, nodes }: Block): Block[] {
  const address = `${textAt(data, 'baseUrl') ?? ''}${textAt(data, 'path') ?? ''}`;
  const call = [textAt(data, 'method')?.toUpperCase() ?? '', address].filter((each) => each !== '').join(' ');
  return [
    ...line([textAt(data, 'summary'), 'bold']),
    ...line([call, 'code']),
    ...nodes.filter(isBlock).flatMap(partOfOperation),
  ];
}

function partOfOperation(node: Block): Block[] {
  const { data, type, nodes } = node;
  const inner = nodes.filter(isBlock);
  if (type === 'swagger-description') return inner;
  if (type === 'swagger-response')
    return [...line([textAt(data, 'status'), 'bold']), ...line([textAt(data, 'description')]), ...inner];
  if (type !== 'swagger-parameter') return [node];
  const said = ['in', 'type', 'required'].flatMap((key) => {
    const value = textAt(data, key);
    return value === undefined || value === 'false' ? [] : [key === 'required' ? 'required' : value];
  });
  return [...line([textAt(data, 'name'), 'code'], [said.length === 0 ? '' : ` ${said.join(', ')}`]), ...inner];
}

/** Instructions for an assistant: a description, and the text if it is code; otherwise it becomes normal text. */
export function publishedPrompt(node: Block, blocksOf: (nodes: Block[]) => PublishedNode[]): PublishedNode[] {
  const inside = node.nodes.filter(isBlock);
  if (inside[0]?.type !== 'code' || inside.length > 1)
    return blocksOf([...line([textAt(node.data, 'description'), 'bold']), ...inside]);
  const data = publishedData('prompt', node.data);
  return [withKey(node, { ...published('block', 'prompt'), isVoid: false, data, nodes: blocksOf(inside) })];
}

/** A longer expression is omitted; the reader then sees the condition of the branch only. */
const MAX_EXPRESSION = 4096;

/** Returns the condition under which each branch is shown. */
export function getExpressions(branches: Block[]): string[] {
  let failed = '';
  return branches.map(({ data }) => {
    const condition = textAt(data, 'condition');
    const own = condition === undefined ? failed : failed === '' ? condition : `${failed} && (${condition})`;
    if (failed.length < MAX_EXPRESSION && condition !== undefined)
      failed += `${failed === '' ? '' : ' && '}!(${condition})`;
    return (own.length > MAX_EXPRESSION ? condition : own) || 'true';
  });
}

const normalized = (title: string): string => {
  const words = title.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu);
  return words === null ? title.trim() : words.join(' ');
};

/**
 * Whether two titles are equal except for case and punctuation, as titles in a table of contents and in headings often
 * are.
 */
export const isSameTitle = (one: string, other: string | undefined): boolean =>
  other !== undefined && normalized(one) === normalized(other);

const maxDefinitions = 100_000;
const definitions =
  /^(?:\s*\[(?:[^[\]\\]|\\.)+\]:[ \t]*\n?[ \t]*(?:<[^<>\n]*>|(?:\{[{%][^{}\n]*\}\S*)|\S+)(?:[ \t]*\n?[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*(?:\n|$))+$/;

/** Returns text without blocks. Link reference definitions show nothing. */
export const unread = (markdown: string): PublishedNode[] =>
  markdown.length <= maxDefinitions && definitions.test(markdown) ? [] : [paragraph([text(markdown)])];
