import { htmlTag } from '../links/destinations.ts';
import { namesVariable } from './conditions.ts';
import { getMarkup, type Inline, type Mark, type TextNode, type TreeData, textAt } from './document-tree.ts';
import { formulaAt } from './inline-rules.ts';
import { entity, escapeAttribute, escapeHtmlText, escapeText, getMarks, markTags, openTag } from './markup.ts';
import { gluesAfter, gluesBefore, isMention, renderMention } from './tags.ts';

/** Where inlines are rendered: markdown is not parsed in an HTML block. */
type InlineHost = 'lines' | 'cell' | 'html';
type Nodes = readonly (Inline | TextNode)[];
type Item = { marks: Mark[]; source: string };

/** Renders inlines as markdown. The caller escapes the starts and ends of lines. */
export function renderInlines(nodes: Nodes, place: InlineHost): string {
  return group(
    nodes.flatMap((node) => getItems(node, place)),
    { place, before: '', after: '' },
  );
}

function getItems(node: Inline | TextNode, place: InlineHost): Item[] {
  if (node.object === 'inline') return [{ marks: getSigns(getMarks(node.data)), source: renderInline(node, place) }];
  return node.leaves
    .filter(({ text }) => text !== '')
    .map(({ text, marks }) => {
      const isCode = marks.some(({ type }) => type === 'code');
      return {
        marks: getSigns(marks),
        source: isCode ? codeSpan(text, place) : place === 'html' ? escapeHtmlText(text) : escapeText(text),
      };
    });
}

const getSigns = (marks: Mark[]): Mark[] => marks.filter(({ type }) => type !== 'code').slice(0, 5);

/** Renders inline items. At each position, the mark with the longest run is the outermost. */
function group(items: Item[], { place, before, after }: { place: InlineHost; before: string; after: string }): string {
  const parts: string[] = [];
  for (let start = 0; start < items.length; ) {
    const item = items[start];
    if (item === undefined) break;
    const [longest, end] = longestRun(items, start);
    if (longest === undefined) {
      join(parts, item.source);
      start += 1;
      continue;
    }
    const inner = items.slice(start, end).map((each) => ({ ...each, marks: withoutMark(each.marks, longest) }));
    const next = items[end];
    const ahead = next === undefined ? after : next.marks.length > 0 ? '*' : next.source.charAt(0);
    const behind = parts.length === 0 ? before : (parts.at(-1) ?? '').slice(-1);
    parts.push(
      wrap(longest, group(inner, { place, before: '.', after: '.' }), { place, before: behind, after: ahead }),
    );
    start = end;
  }
  return parts.join('');
}

const EMOJI = /^:[\w+-]+:$/;
const ENDS_IN_EMOJI = /(?:^|[^A-Za-z\d:\\]|[^\\]:):[a-z0-9_+-]{1,50}:$/;

/** An emoji or a mention next to a letter would not be parsed. */
function join(parts: string[], after: string): void {
  const last = parts.at(-1) ?? '';
  const isAfterMention = isMention(last);
  if (isMention(after) && !isAfterMention && gluesBefore(last.slice(-1)))
    parts[parts.length - 1] = withLastAsEntity(last);
  if (isAfterMention && gluesAfter(after.slice(0, 4))) {
    parts.push(withFirstAsEntity(after));
    return;
  }
  const isAfterEmoji = ENDS_IN_EMOJI.test(last.slice(-60));
  const isEmoji = EMOJI.test(after);
  if (isEmoji && !isAfterEmoji && !isAfterMention && /[A-Za-z\d:]$/.test(last.slice(-1)))
    parts[parts.length - 1] = withLastAsEntity(last);
  const parted = isAfterEmoji && !isEmoji && /^[A-Za-z\d:]/.test(after);
  parts.push(parted ? withFirstAsEntity(after) : after);
}

/** `_` is literal between letters only. */
const withFirstAsEntity = (text: string): string => entity(text.charAt(0)) + text.slice(1).replace(/^_/, '\\_');

/** A backslash before it would be parsed as an escape or escape the entity; `_` is literal between letters only. */
function withLastAsEntity(text: string): string {
  const last = text.slice(-1);
  const before = text.slice(0, -1);
  const isSingle = /(?:^|[^\\])(?:\\\\)*\\$/.test(before.slice(-200));
  if (!isSingle) return before.replace(/((?:^|[^\\])(?:\\\\)*)_$/, '$1\\_') + entity(last);
  return (last === ':' ? before.slice(0, -1) : `${before}\\`) + entity(last);
}

const isSameMark = (one: Mark, other: Mark): boolean =>
  one.type === other.type && JSON.stringify(one.data) === JSON.stringify(other.data);
const withoutMark = (marks: Mark[], gone: Mark): Mark[] => marks.filter((each) => !isSameMark(each, gone));

function longestRun(items: Item[], start: number): [Mark | undefined, number] {
  let [longest, end]: [Mark | undefined, number] = [undefined, start];
  for (const mark of items[start]?.marks ?? []) {
    let stop = start + 1;
    while (items[stop]?.marks.some((each) => isSameMark(each, mark)) === true) stop += 1;
    if (stop > end) [longest, end] = [mark, stop];
  }
  return [longest, end];
}

const SIGNS: Record<string, string> = { bold: '**', italic: '_', strikethrough: '~~' };

function wrap(
  mark: Mark,
  inner: string,
  { place, before, after }: { place: InlineHost; before: string; after: string },
): string {
  const sign = SIGNS[mark.type];
  if (sign !== undefined && place !== 'html' && isRead(sign, inner, { before, after })) return `${sign}${inner}${sign}`;
  const [open, close] = markTags(mark);
  return `${open}${inner}${close}`;
}

/** Whether emphasis markers around a text are parsed as such; false if in doubt. */
function isRead(sign: string, inner: string, { before, after }: { before: string; after: string }): boolean {
  const [first, last] = [inner.charAt(0), inner.slice(-1)];
  if (/^\s|\s$|^$/.test(inner) || first === sign.charAt(0) || last === sign.charAt(0)) return false;
  if (/[*_~]/.test(before) || /[*_~]/.test(after)) return false;
  const isOpen = isInnerLetter(first) ? sign !== '_' || !isLetter(before) : !isLetter(before);
  return isOpen && (isInnerLetter(last) ? sign !== '_' || !isLetter(after) : !isLetter(after));
}

const isLetter = (character: string): boolean => character !== '' && /[^\s\p{P}\p{S}]/u.test(character);

/** A surrogate may be punctuation too: it counts as punctuation inside and as a letter outside. */
const isInnerLetter = (character: string): boolean => isLetter(character) && !/[\ud800-\udfff]/.test(character);

function codeSpan(text: string, place: InlineHost): string {
  if (place === 'html') return `<code>${escapeHtmlText(text)}</code>`;
  const line = text.replace(/\s*\n\s*/g, ' ');
  const fences = new Set((line.match(/`+/g) ?? []).map(({ length }) => length));
  let length = 1;
  while (fences.has(length)) length += 1;
  const pad = /^`|`$/.test(line) || /^ .*[^ ].* $/.test(line) ? ' ' : '';
  return `${'`'.repeat(length)}${pad}${line}${pad}${'`'.repeat(length)}`;
}

function renderInline(node: Inline, place: InlineHost): string {
  const { data, type } = node;
  if (type === 'link' || type === 'mention') return renderMention(node) ?? link(node, place);
  if (type === 'button') return button(node, place);
  if (type === 'inline-image') return image(data, place);
  if (type === 'hard-break') return place === 'lines' ? '\\\n' : '<br>';
  if (type === 'emoji') return `:${word(data, 'name')}:`;
  if (type === 'icon') return `<i class="fa-${word(data, 'icon')}">:${word(data, 'icon')}:</i>`;
  if (type === 'annotation') return `[^${word(data, 'label')}]`;
  if (type === 'inline-math') return formula(data);
  if (type === 'expression') return expression(data);
  return textAt(data.markup, 'text') ?? textAt(data, 'html') ?? renderInlines(node.nodes, place);
}

function formula(data: TreeData): string {
  const text = (textAt(data, 'formula') ?? '').trim().replace(/\n/g, ' ');
  const isSingle = textAt(data.markup, 'text') === `$${text}$` && formulaAt(`$${text}$`, 0)?.formula === text;
  return isSingle ? `$${text}$` : `$$${text}$$`;
}

const word = (data: TreeData, key: string): string => (textAt(data, key) ?? '').replace(/[^\w.+-]/g, '');

function expression(data: TreeData): string {
  const source = (textAt(data, 'expression') ?? '').replace(/\n/g, ' ');
  if (getMarkup(data, 'braces') === true && !/[{}]/.test(source) && namesVariable(source)) return `{{ ${source} }}`;
  return `<code class="expression">${source.replace(/[&<>]/g, (sign) => escapeAttribute(sign))}</code>`;
}

function link({ data, nodes, type }: Inline, place: InlineHost): string {
  const text = renderInlines(nodes, place);
  const url = textAt(data.ref, 'url') ?? '';
  if (place === 'html')
    return `${openTag('a', [
      ['href', url],
      ['data-mention', type === 'mention' ? '' : undefined],
    ])}${text}</a>`;
  const title = type === 'mention' ? 'mention' : textAt(data, 'title');
  return `[${text}](${target(url, title)})`;
}

function button({ data, nodes }: Inline, place: InlineHost): string {
  const kind = textAt(data, 'kind') ?? '';
  const attributes: [string, string | undefined][] = [
    ['href', textAt(data.ref, 'url') ?? ''],
    ['class', kind === '' ? 'button' : `button ${kind}`],
    ['data-icon', textAt(data, 'icon')],
  ];
  return `${openTag('a', attributes)}${renderInlines(nodes, place === 'html' ? place : 'cell')}</a>`;
}

function image(data: TreeData, place: InlineHost): string {
  const url = textAt(data.ref, 'url') ?? '';
  const dark = textAt(data.refDark, 'url');
  const size = textAt(data, 'size');
  const alt = textAt(data, 'alt') ?? '';
  const written = textAt(data.markup, 'text');
  if (written !== undefined && htmlTag(written, 0)?.found?.target === url) return written;
  if (dark === undefined && size === undefined && place !== 'html')
    return `![${escapeText(alt)}](${target(url, textAt(data, 'title'))})`;
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

function target(url: string, title: string | undefined): string {
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
