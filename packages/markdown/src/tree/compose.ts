import type { Block, Inline, TextNode, TreeData } from './document-tree.ts';
import { addTagIds, createBlock, getMarkup, getTagIds, getText, getTextAt, inline, isBlock } from './document-tree.ts';
import { addMark, mark } from './markup.ts';

type Inlines = (Inline | TextNode)[];

/** Converts a parsed block of another dialect. */
export function convertDialectBlock(node: Block): void {
  const ids = getTagIds(node);
  if (node.type === 'stepper') composeSteps(node);
  else if (node.type === 'tabs') composeTabs(node);
  else if (node.type === 'card') Object.assign(node, createCards([node]));
  else if (node.type === 'cards') composeCards(node);
  else if (node.type === 'columns') composeColumns(node);
  node.data = addTagIds(node.data, [...ids, ...getTagIds(node)]);
}

const isInvisibleHtml = (node: Block): boolean => node.type === 'html' && node.data.html === '';
const removeMarkup = ({ markup: _, ...data }: TreeData): TreeData => data;

/** Composes steps: the items of one list, or sections with a heading each. */
function composeSteps(node: Block): void {
  const children = node.nodes.filter(isBlock).filter((block) => !isInvisibleHtml(block));
  if (children.length === 0 || children.some(({ type }) => type === 'stepper-step')) return;
  const [first] = children;
  const level = /^heading-\d$/.test(first?.type ?? '') ? first?.type : undefined;
  const isList = first?.type === 'list-ordered' && children.length === 1;
  const steps: Block[] = isList
    ? first.nodes.filter(isBlock).map((item) => createBlock('stepper-step', {}, item.nodes))
    : [];
  if (!isList)
    for (const each of children) {
      if (steps.length === 0 || (level !== undefined && each.type === level)) steps.push(createBlock('stepper-step'));
      steps.at(-1)?.nodes.push(each);
    }
  Object.assign(node, { data: removeMarkup(node.data), nodes: steps });
}

const LABEL =
  /\{\s*(?:label:\s*(["'])([^"'{}]*)\1\s*,\s*value:\s*(["'])([^"'{}]*)\3|value:\s*(["'])([^"'{}]*)\5\s*,\s*label:\s*(["'])([^"'{}]*)\7)/g;

/** Labels of a set of tabs, by value. */
const readLabels = (tag: string): Map<string, string> =>
  new Map([...tag.matchAll(LABEL)].map((match) => [match[4] ?? match[6] ?? '', match[2] ?? match[8] ?? ''] as const));

/** Composes tabs: each code block of a group becomes a tab with the code's title. */
function composeTabs(node: Block): void {
  const children = node.nodes.filter(isBlock).filter((block) => !isInvisibleHtml(block));
  const openingTag = String(getMarkup(node.data, 'open') ?? '');
  const labels = readLabels(openingTag);
  const items = /\bitems="([^"]*)"/.exec(openingTag)?.[1]?.split(',') ?? [];
  node.nodes = children.map((each, index) => {
    const title = getTextAt(each.data, 'title') ?? '';
    const label = labels.get(title) ?? (title === '' ? items[index]?.trim() : undefined);
    if (each.type === 'tabs-item' && label !== undefined) return { ...each, data: { ...each.data, title: label } };
    if (each.type === 'tabs-item') return each;
    return createBlock('tabs-item', { title: getCodeTitle(each) }, [each]);
  });
}

/** Composes columns, which are separated by a line `<--->` or are the items of one list. */
function composeColumns(node: Block): void {
  const children = node.nodes.filter(isBlock).filter((block) => !isInvisibleHtml(block));
  const [first] = children;
  const isList = first?.type === 'list-unordered' && children.length === 1;
  const columns = isList
    ? first.nodes.filter(isBlock).map((item) => createBlock('column', {}, item.nodes))
    : [createBlock('column')];
  for (const each of isList ? [] : children) {
    const [text, ...others] = each.nodes;
    const isParted =
      text?.object === 'text' && others.length === 0 && text.leaves.every((leaf) => leaf.text === '<--->');
    if (each.type === 'paragraph' && isParted) columns.push(createBlock('column'));
    else columns.at(-1)?.nodes.push(each);
  }
  Object.assign(node, { data: removeMarkup(node.data), nodes: columns });
}

function getCodeTitle({ data }: Block): string {
  const { title, syntax } = parseCodeInfo(getTextAt(data, 'syntax') ?? '');
  return getTextAt(data, 'title') ?? title ?? syntax ?? 'Code';
}

/** Merges cards, which were parsed as separate tables, into one grid. */
function composeCards(node: Block): void {
  const tables = node.nodes.filter(isBlock).filter((block) => getTextAt(block.data, 'view') === 'cards');
  const rows = tables.flatMap(({ nodes }) => nodes.filter(isBlock).slice(1));
  const others = node.nodes.filter(isBlock).filter((block) => !isInvisibleHtml(block) && !tables.includes(block));
  Object.assign(node, createCardTable([...rows, ...others.map((block) => getRow([], getInlines(block), undefined))]));
  node.data = addTagIds(removeMarkup(node.data), tables.flatMap(getTagIds));
}

const createCards = (nodes: Block[]): Partial<Block> => createCardTable(nodes.map(toCardRow));

function toCardRow({ data, nodes }: Block): Block {
  const [title = '', description = ''] = [getTextAt(data, 'title'), getTextAt(data, 'description')];
  const body = nodes.filter(isBlock).filter((block) => !isInvisibleHtml(block));
  const words = body.flatMap(
    (block, index): Inlines => [...(index === 0 ? [] : [inline('hard-break', {})]), ...getInlines(block)],
  );
  const texts = description === '' ? words : [getText(description), ...words];
  return getRow(title === '' ? [] : [getText(title, [mark('bold')])], texts, data.ref);
}

/** Creates the table row of a card from its title, text and target. */
export function getRow(title: Inlines, words: Inlines, ref: TreeData[string] | undefined): Block {
  const target = ref === undefined ? [] : [inline('link', { ref }, [getText(getTextAt(ref, 'url') ?? '')])];
  return createBlock(
    'table-row',
    {},
    [title, words, target].map((nodes) => createBlock('table-cell', {}, nodes)),
  );
}

export function createCardTable(rows: Block[]): Partial<Block> {
  const hidden = { attributes: { 'data-hidden': '', 'data-card-target': '', 'data-type': 'content-ref' } };
  const header = createBlock('table-row', { header: true }, [
    createBlock('table-cell'),
    createBlock('table-cell'),
    createBlock('table-cell', hidden),
  ]);
  return { type: 'table', data: { view: 'cards' }, nodes: [header, ...rows], isVoid: false };
}

/** Returns the text of blocks, line by line. */
export function getInlines(node: Block): Inlines {
  const inner: Inlines = [];
  for (const each of node.nodes) {
    if (!isBlock(each)) inner.push(each);
    else inner.push(...(inner.length === 0 ? [] : [inline('hard-break', {})]), ...getInlines(each));
  }
  return inner;
}

/** Makes the text of a title bold. */
export const toBold = (nodes: Inlines): Inlines =>
  nodes.map((node): Inline | TextNode =>
    node.object === 'text'
      ? { ...node, leaves: node.leaves.map((leaf) => ({ ...leaf, marks: addMark(leaf.marks, mark('bold')) })) }
      : { ...node, nodes: toBold(node.nodes) },
  );

/** Attributes of a fenced code block. */
interface CodeInfo {
  syntax?: string;
  title?: string;
  /** Highlighted lines, counted from 1. */
  lines: ReadonlySet<number>;
  lineNumbers?: boolean;
}

/** Maximum number of highlighted lines. */
const MAX_LINES = 10_000;
/** Text after this many characters of an info string is ignored. Bounds the cost of hostile input. */
const MAX_INFO = 1_000;

const TITLE = /(?:^|[\s,{])(?:title|filename|file|name|caption)=(?:"([^"]*)"|'([^']*)'|([^\s"'{},]+))/;
/** VitePress: the label of a tab. */
const BRACKETS = /(?:^|[\s}])\[([^[\]]{1,200})\]/;
const RANGES = [
  /(?:^|[^=])\{([\d,\s-]{1,200})\}/,
  /\bhl_lines=["[']([\d,\s"'-]{1,200})["'\]]/,
  /\b(?:highlight|ins|mark)=\{([\d,\s-]{1,200})\}/,
];
const NUMBERED =
  /(?:^|[\s,{:])(?:line-?numbers|showLineNumbers|numberLines|linenums|linenos)(?:(?=[\s,}]|$)|=(?:"[^"]*"|'[^']*'|\{true\}|true|table|inline|\d+))/i;
const UNNUMBERED = /(?:^|[\s,{:])(?:no-line-numbers|(?:showLineNumbers|linenos)=\{?false\}?)/;

/** Parses the info string of a fence, in any dialect. */
export function parseCodeInfo(infoString: string): CodeInfo {
  const info = infoString.slice(0, MAX_INFO).trim();
  const [syntax, languageName] = parseLanguage(info);
  const title = TITLE.exec(info)?.slice(1).find(Boolean) ?? BRACKETS.exec(info)?.[1]?.trim() ?? languageName;
  const ranges = RANGES.map((pattern) => pattern.exec(info)?.[1]).find((each) => each !== undefined) ?? '';
  const lineNumbers = UNNUMBERED.test(info) ? false : NUMBERED.test(info) ? true : undefined;
  return {
    ...(syntax && { syntax }),
    ...(title && { title }),
    lines: parseLineRanges(ranges),
    ...(lineNumbers !== undefined && { lineNumbers }),
  };
}

/** Parses the language with an optional title: `js`, `rust,ignore`, `js:a.js`, `{ .js title="a" }`. */
function parseLanguage(info: string): [syntax: string | undefined, title?: string | undefined] {
  const braceLanguage =
    /^\{(?:[^{}.]*\s)?\.([\w+#-]{1,50})/.exec(info)?.[1] ?? /^\{([a-zA-Z][\w+#-]{0,49})\}/.exec(info)?.[1];
  if (braceLanguage !== undefined)
    return [
      /^(?:code|code-block|code-cell|sourcecode)$/.test(braceLanguage)
        ? /^\{[^}]*\}\s*([\w+#-]{1,50})/.exec(info)?.[1]
        : braceLanguage,
    ];
  const word = /^[^\s,{[]{1,200}/.exec(info)?.[0] ?? '';
  if (/^[\w-]+=/.test(word)) return [undefined];
  const [language = '', suffix = ''] = word.split(/:(.*)/s);
  return [language.slice(0, 50) || undefined, /^[\w@/-]*\.[\w.]+$/.test(suffix) ? suffix : undefined];
}

function parseLineRanges(ranges: string): Set<number> {
  const lines = new Set<number>();
  for (const range of ranges.replace(/["']/g, '').split(/[,\s]+/)) {
    const [, first = '', last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(range) ?? [];
    for (let line = Number(first); first !== '' && line <= Number(last) && lines.size < MAX_LINES; line += 1)
      lines.add(line);
  }
  return lines;
}
