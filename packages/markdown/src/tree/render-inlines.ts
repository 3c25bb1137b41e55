import { matchHtmlTag } from '../links/destinations.ts';
import { namesVariable } from './conditions.ts';
import { getMarkup, getTextAt, type Inline, type Mark, type TextNode, type TreeData } from './document-tree.ts';
import { readFormula } from './inline-rules.ts';
import { escapeAttribute, escapeHtmlText, escapeText, getMarks, markTags, openTag, toEntity } from './markup.ts';
import { blocksMention, gluesAfter, isMention, renderMention } from './tags.ts';

/** The context in which inlines are rendered. In an HTML block, markdown is not parsed. */
type InlineHost = 'lines' | 'cell' | 'html';
type Nodes = readonly (Inline | TextNode)[];
type Item = { marks: Mark[]; source: string };

/** Renders inlines as markdown. The caller escapes the starts and ends of lines. */
export function renderInlines(nodes: Nodes, host: InlineHost): string {
  return group(
    nodes.flatMap((node) => getItems(node, host)),
    { host, before: '', after: '' },
  );
}

function getItems(node: Inline | TextNode, host: InlineHost): Item[] {
  if (node.object === 'inline') return [{ marks: getSigns(getMarks(node.data)), source: renderInline(node, host) }];
  return node.leaves
    .filter(({ text }) => text !== '')
    .map(({ text, marks }) => {
      const isCode = marks.some(({ type }) => type === 'code');
      return {
        marks: getSigns(marks),
        source: isCode ? renderCodeSpan(text, host) : host === 'html' ? escapeHtmlText(text) : escapeText(text),
      };
    });
}

const getSigns = (marks: Mark[]): Mark[] => marks.filter(({ type }) => type !== 'code').slice(0, 5);

/** Renders inline items. At each position, the mark with the longest run is the outermost. */
function group(items: Item[], { host, before, after }: { host: InlineHost; before: string; after: string }): string {
  const parts: string[] = [];
  for (let start = 0; start < items.length; ) {
    const item = items[start];
    if (item === undefined) break;
    const [longest, end] = findLongestRun(items, start);
    if (longest === undefined) {
      appendText(parts, item.source);
      start += 1;
      continue;
    }
    const inner = items.slice(start, end).map((item) => ({ ...item, marks: removeMark(item.marks, longest) }));
    const next = items[end];
    const ahead = next === undefined ? after : next.marks.length > 0 ? '*' : next.source.charAt(0);
    const previous = parts.length === 0 ? before : (parts.at(-1) ?? '').slice(-1);
    parts.push(
      wrap(longest, group(inner, { host, before: '.', after: '.' }), { host, before: previous, after: ahead }),
    );
    start = end;
  }
  return parts.join('');
}

const EMOJI = /^:[\w+-]+:$/;
const ENDS_IN_EMOJI = /(?:^|[^A-Za-z\d:\\]|[^\\]:):[a-z0-9_+-]{1,50}:$/;

/**
 * Appends a part. An emoji or a mention next to a letter would not be parsed, so the letter is written as an entity.
 */
function appendText(parts: string[], after: string): void {
  const last = parts.at(-1) ?? '';
  const isAfterMention = isMention(last);
  if (isMention(after) && !isAfterMention && blocksMention(last.slice(-1))) parts[parts.length - 1] = escapeLast(last);
  if (isAfterMention && gluesAfter(after.slice(0, 4))) {
    parts.push(escapeFirst(after));
    return;
  }
  const isAfterEmoji = ENDS_IN_EMOJI.test(last.slice(-60));
  const isEmoji = EMOJI.test(after);
  if (isEmoji && !isAfterEmoji && !isAfterMention && /[A-Za-z\d:]$/.test(last.slice(-1)))
    parts[parts.length - 1] = escapeLast(last);
  const needsSeparator = isAfterEmoji && !isEmoji && /^[A-Za-z\d:]/.test(after);
  parts.push(needsSeparator ? escapeFirst(after) : after);
}

/** Writes the first character as an entity. A `_` after it is escaped, because `_` is literal only between letters. */
const escapeFirst = (text: string): string => toEntity(text.charAt(0)) + text.slice(1).replace(/^_/, '\\_');

/**
 * Writes the last character as an entity. A backslash before it would be parsed as an escape or would escape the
 * entity, and `_` is literal only between letters.
 */
function escapeLast(text: string): string {
  const last = text.slice(-1);
  const before = text.slice(0, -1);
  const isSingle = /(?:^|[^\\])(?:\\\\)*\\$/.test(before.slice(-200));
  if (!isSingle) return before.replace(/((?:^|[^\\])(?:\\\\)*)_$/, '$1\\_') + toEntity(last);
  return (last === ':' ? before.slice(0, -1) : `${before}\\`) + toEntity(last);
}

const isSameMark = (one: Mark, other: Mark): boolean =>
  one.type === other.type && JSON.stringify(one.data) === JSON.stringify(other.data);
const removeMark = (marks: Mark[], mark: Mark): Mark[] => marks.filter((each) => !isSameMark(each, mark));

function findLongestRun(items: Item[], start: number): [Mark | undefined, number] {
  let [longest, end]: [Mark | undefined, number] = [undefined, start];
  for (const mark of items[start]?.marks ?? []) {
    let stop = start + 1;
    while (items[stop]?.marks.some((each) => isSameMark(each, mark)) === true) stop += 1;
    if (stop > end) [longest, end] = [mark, stop];
  }
  return [longest, end];
}

const SIGNS: Record<string, string[]> = { bold: ['**', '__'], italic: ['_', '*'], strikethrough: ['~~'] };

/**
 * Returns the signs that can enclose a mark, the preferred one first. The preferred one is the sign in the source, if
 * it is known.
 */
function getMarkSigns({ type, data }: Mark): string[] {
  const signs = SIGNS[type] ?? [];
  const own = getTextAt(data?.markup, 'sign');
  return own !== undefined && signs.includes(own) ? [own, ...signs.filter((sign) => sign !== own)] : signs.slice(0, 1);
}

function wrap(
  mark: Mark,
  inner: string,
  { host, before, after }: { host: InlineHost; before: string; after: string },
): string {
  const sign = getMarkSigns(mark).find((each) => host !== 'html' && isRead(each, inner, { before, after }));
  if (sign !== undefined) return `${sign}${inner}${sign}`;
  const [open, close] = markTags(mark);
  return `${open}${inner}${close}`;
}

/** Whether emphasis markers around a text are parsed as emphasis; false if this is uncertain. */
function isRead(sign: string, inner: string, { before, after }: { before: string; after: string }): boolean {
  const [first, last] = [inner.charAt(0), inner.slice(-1)];
  if (/^\s|\s$|^$/.test(inner) || first === sign.charAt(0) || last === sign.charAt(0)) return false;
  if (/[*_~]/.test(before) || /[*_~]/.test(after)) return false;
  const isBetweenLetters = !sign.startsWith('_');
  const isOpen = isInnerLetter(first) ? isBetweenLetters || !isLetter(before) : !isLetter(before);
  return isOpen && (isInnerLetter(last) ? isBetweenLetters || !isLetter(after) : !isLetter(after));
}

const isLetter = (character: string): boolean => character !== '' && /[^\s\p{P}\p{S}]/u.test(character);

/**
 * Half of a surrogate pair can belong to a letter or to punctuation. To be safe, it counts as punctuation inside the
 * markers and as a letter outside of them.
 */
const isInnerLetter = (character: string): boolean => isLetter(character) && !/[\ud800-\udfff]/.test(character);

function renderCodeSpan(text: string, host: InlineHost): string {
  if (host === 'html') return `<code>${escapeHtmlText(text)}</code>`;
  const line = text.replace(/\s*\n\s*/g, ' ');
  const fences = new Set((line.match(/`+/g) ?? []).map(({ length }) => length));
  let length = 1;
  while (fences.has(length)) length += 1;
  const pad = /^`|`$/.test(line) || /^ .*[^ ].* $/.test(line) ? ' ' : '';
  return `${'`'.repeat(length)}${pad}${line}${pad}${'`'.repeat(length)}`;
}

function renderInline(node: Inline, host: InlineHost): string {
  const { data, type } = node;
  if (type === 'link' || type === 'mention') return renderMention(node) ?? link(node, host);
  if (type === 'button') return renderButton(node, host);
  if (type === 'inline-image') return renderImage(data, host);
  if (type === 'hard-break') return host === 'lines' ? '\\\n' : '<br>';
  if (type === 'emoji') return `:${toWord(data, 'name')}:`;
  if (type === 'icon') return `<i class="fa-${toWord(data, 'icon')}">:${toWord(data, 'icon')}:</i>`;
  if (type === 'annotation') return `[^${toWord(data, 'label')}]`;
  if (type === 'inline-math') return renderFormula(data);
  if (type === 'expression') return renderExpression(data);
  return getTextAt(data.markup, 'text') ?? getTextAt(data, 'html') ?? renderInlines(node.nodes, host);
}

function renderFormula(data: TreeData): string {
  const text = (getTextAt(data, 'formula') ?? '').trim().replace(/\n/g, ' ');
  const isSingle = getTextAt(data.markup, 'text') === `$${text}$` && readFormula(`$${text}$`, 0)?.formula === text;
  return isSingle ? `$${text}$` : `$$${text}$$`;
}

const toWord = (data: TreeData, key: string): string => (getTextAt(data, key) ?? '').replace(/[^\w.+-]/g, '');

function renderExpression(data: TreeData): string {
  const source = (getTextAt(data, 'expression') ?? '').replace(/\n/g, ' ');
  if (getMarkup(data, 'braces') === true && !/[{}]/.test(source) && namesVariable(source)) return `{{ ${source} }}`;
  return `<code class="expression">${source.replace(/[&<>]/g, (sign) => escapeAttribute(sign))}</code>`;
}

function link({ data, nodes, type }: Inline, host: InlineHost): string {
  const text = renderInlines(nodes, host);
  const url = getTextAt(data.ref, 'url') ?? '';
  if (host === 'html')
    return `${openTag('a', [
      ['href', url],
      ['data-mention', type === 'mention' ? '' : undefined],
    ])}${text}</a>`;
  const title = type === 'mention' ? 'mention' : getTextAt(data, 'title');
  return `[${text}](${renderTarget(url, title)})`;
}

function renderButton({ data, nodes }: Inline, host: InlineHost): string {
  const kind = getTextAt(data, 'kind') ?? '';
  const attributes: [string, string | undefined][] = [
    ['href', getTextAt(data.ref, 'url') ?? ''],
    ['class', kind === '' ? 'button' : `button ${kind}`],
    ['data-icon', getTextAt(data, 'icon')],
  ];
  return `${openTag('a', attributes)}${renderInlines(nodes, host === 'html' ? host : 'cell')}</a>`;
}

function renderImage(data: TreeData, host: InlineHost): string {
  const url = getTextAt(data.ref, 'url') ?? '';
  const dark = getTextAt(data.refDark, 'url');
  const size = getTextAt(data, 'size');
  const alt = getTextAt(data, 'alt') ?? '';
  const markupText = getTextAt(data.markup, 'text');
  if (markupText !== undefined && matchHtmlTag(markupText, 0)?.occurrence?.target === url) return markupText;
  if (dark === undefined && size === undefined && host !== 'html')
    return `![${escapeText(alt)}](${renderTarget(url, getTextAt(data, 'title'))})`;
  const tag = openTag('img', [
    ['src', url],
    ['alt', alt],
    ['data-size', size],
  ]);
  if (dark === undefined) return tag;
  const source = openTag('source', [
    ['srcset', dark],
    ['media', '(prefers-color-scheme: dark)'],
  ]);
  return `<picture>${source}${tag}</picture>`;
}

function renderTarget(url: string, title: string | undefined): string {
  const oneLine = url
    .replace(/[\r\n]/g, '')
    .replace(/&(?=[#A-Za-z])/g, (sign, index: number) =>
      /^&(?:#\w{1,8}|[A-Za-z][A-Za-z0-9]{1,31});/.test(url.slice(index, index + 40)) ? '&amp;' : sign,
    );
  const isPlain = /^[^\s<>()\\\p{Cc}]+$/u.test(oneLine);
  const address = isPlain
    ? oneLine
    : oneLine === '' && title === undefined
      ? ''
      : `<${oneLine.replace(/[<>\\]/g, '\\$&')}>`;
  if (title === undefined) return address;
  const quoted = title.replace(/["\\&]/g, '\\$&').replace(/\n(?=\n)/g, '&#10;');
  return `${address} "${quoted}"`;
}
