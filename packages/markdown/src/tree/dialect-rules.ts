import type MarkdownIt from 'markdown-it';
import type { StateBlock } from 'markdown-it';
import { linkKeys } from '../links/destinations.ts';
import { parseAttributeLine } from './attributes.ts';
import { parseComponent, pushCodeBlock, tokenizeLines } from './component-rules.ts';
import { mayBeConditional } from './conditions.ts';
import type { BlockMeaning } from './dialects.ts';
import {
  addParagraph,
  addSilentToken,
  close,
  getAlertStyle,
  getMeaningByName,
  getStyle,
  openBlock,
  openTag,
} from './dialects.ts';
import { createUrlReference } from './document-tree.ts';
import {
  findExtent,
  getLine,
  getOpening,
  isIndented,
  isUnknownLine,
  parseInside,
  recordUnknownLines,
} from './extents.ts';
import { escapeAttribute } from './markup.ts';
import { parseScript } from './script-rule.ts';

/** Adds the rules of blocks of other dialects. */
export function addDialectRules({ block: { ruler } }: InstanceType<typeof MarkdownIt>): void {
  const ends = { alt: ['paragraph', 'reference', 'blockquote', 'list'] };
  ruler.before('code', 'jsx', parseComponent, ends);
  ruler.before('fence', 'colons', readColonContainer, ends);
  ruler.before('fence', 'exclamation', parseAdmonition, ends);
  ruler.before('fence', 'equals', parseIndentedTabs, ends);
  ruler.before('blockquote', 'alert', parseAlert, { alt: ['paragraph', 'reference', 'list'] });
  ruler.before('fence', 'script', parseScript);
  ruler.before('fence', 'attributes', parseAttributeLine, ends);
  ruler.before('fence', 'shortcode', parseShortcode, ends);
  ruler.before('fence', 'markdown html', parseMarkdownWrapperTag, ends);
}

function readColonContainer(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = getLine(state, line);
  const opening = /^(?::::|\{\{[<%])/.test(text) ? getOpening(text) : undefined;
  if (opening === undefined) return false;
  if (opening.closes) return isUnknownLine(state, line) && (silent || addSilentToken(state, line, line + 1));
  const meaning = getMeaningByName(opening.name, opening.rest);
  if (meaning === undefined && isUnknown(text, opening.name)) return parseUnknown(state, line, endLine, silent);
  const extent = meaning && findExtent(state, line, endLine);
  if (meaning === undefined || extent === undefined || mayBeConditional(text)) return false;
  if (silent) return true;
  openBlock(state, {
    meaning,
    markup: { open: text, close: getLine(state, extent.end) },
    span: { line, end: extent.end + 1 },
  });
  parseInside(state, line + 1, extent.end);
  close(state, meaning.type);
  state.line = extent.end + 1;
  return true;
}

/** Whether a container or shortcode has no known meaning. Code shortcodes are handled by another rule. */
const isUnknown = (text: string, name: string): boolean =>
  text.startsWith('{')
    ? !/^(?:highlight|mermaid)$/.test(name) && !mayBeConditional(text)
    : /^:+[ \t]*[a-zA-Z][\w-]*$/.test(text);

/** Replaces a container without a known meaning by its content. */
function parseUnknown(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const extent = findExtent(state, line, endLine);
  if (extent === undefined) return false;
  recordUnknownLines(state, extent.end);
  return silent || addSilentToken(state, line, line + 1);
}

const ADMONITION = /^(!!!|\?\?\?\+?)[ \t]+([a-zA-Z][\w-]*)(?:[ \t]+[a-zA-Z][\w-]*)*(?:[ \t]+"(.*)")?$/;

/** Parses an admonition of MkDocs, whose content is indented. */
function parseAdmonition(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = getLine(state, line);
  const [, sign = '', name = '', title] = /^[!?]/.test(text) ? (ADMONITION.exec(text) ?? []) : [];
  if (sign === '' || mayBeConditional(text)) return false;
  if (silent) return true;
  const fold = {
    type: 'expandable',
    data: { title: title || capitalize(name), ...(sign.endsWith('+') && { open: true }) },
  };
  const meaning =
    sign === '!!!' ? { type: 'hint', data: { style: getStyle(name) ?? 'info' }, title: title ?? '' } : fold;
  readIndentedBlock(state, { line, endLine, meaning, text });
  return true;
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function readIndentedBlock(
  state: StateBlock,
  { line, endLine, meaning, text }: { line: number; endLine: number; meaning: BlockMeaning; text: string },
): void {
  const end = findIndentedEnd(state, line, endLine);
  openBlock(state, { meaning, markup: { open: text, prefix: '    ' }, span: { line, end } });
  const { blkIndent } = state;
  state.blkIndent = (state.sCount[line] ?? 0) + 4;
  parseInside(state, line + 1, end);
  state.blkIndent = blkIndent;
  close(state, meaning.type);
  state.line = end;
}

/** Returns the line after the indented lines below a line. */
function findIndentedEnd(state: StateBlock, line: number, endLine: number): number {
  const indent = (state.sCount[line] ?? 0) + 4;
  let end = line + 1;
  for (let next = end; next < endLine; next += 1) {
    if (state.isEmpty(next)) continue;
    if ((state.sCount[next] ?? 0) < indent) break;
    end = next + 1;
  }
  return end;
}

const TAB = /^===[!+]?[ \t]+"(.*)"$/;

function parseIndentedTabs(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line) || (!getLine(state, line).startsWith('=== ') && !/^===[!+]/.test(getLine(state, line))))
    return false;
  if (!TAB.test(getLine(state, line)) || mayBeConditional(getLine(state, line))) return false;
  if (silent) return true;
  const indent = state.sCount[line];
  const token = state.push('tag_open', '', 1);
  token.meta = { type: 'tabs', data: {}, markup: { open: '' } };
  let next = line;
  let end = line;
  while (next < endLine) {
    const text = getLine(state, next);
    const title = state.sCount[next] === indent && !mayBeConditional(text) ? TAB.exec(text)?.[1] : undefined;
    if (title === undefined) break;
    readIndentedBlock(state, { line: next, endLine, meaning: { type: 'tabs-item', data: { title } }, text });
    end = state.line;
    next = end;
    while (next < endLine && state.isEmpty(next)) next += 1;
  }
  token.map = [line, end];
  state.push('tag_close', '', -1);
  state.line = end;
  return true;
}

const ALERT = /^>[ \t]?\[!([a-zA-Z][\w-]{0,30})\]([+-]?)(?:[ \t]+(.*))?$/;

/** Parses an alert of GitHub or Obsidian: the first line of a quote is the type of the hint. */
function parseAlert(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = getLine(state, line);
  const [, name = '', fold = '', title] = text.startsWith('>') ? (ALERT.exec(text) ?? []) : [];
  const style = getAlertStyle(name);
  if (style === undefined || mayBeConditional(text)) return false;
  if (silent) return true;
  const last = findQuotationEnd(state, line, endLine);
  const meaning: BlockMeaning =
    fold === ''
      ? { type: 'hint', data: { style }, ...(title && { title }) }
      : {
          type: 'expandable',
          data: { title: title || capitalize(name.toLowerCase()), ...(fold === '+' && { open: true }) },
        };
  const token = openBlock(state, { meaning, markup: { open: text, prefix: '> ' }, span: { line, end: last } });
  const end = last > line + 1 ? readQuoted(state, line + 1, last) : last;
  token.map = [line, end];
  close(state, meaning.type);
  state.line = end;
  return true;
}

const isQuoted = (state: StateBlock, line: number): boolean =>
  getLine(state, line).startsWith('>') && !isIndented(state, line);

/** Returns the line after a quote, lazy continuation lines included. */
function findQuotationEnd(state: StateBlock, line: number, endLine: number): number {
  const enders = state.md.block.ruler.getRules('blockquote');
  let end = line + 1;
  for (; end < endLine && !state.isEmpty(end); end += 1) {
    if (isQuoted(state, end)) continue;
    if (end === line + 1 || /^>[ \t]*$/.test(getLine(state, end - 1))) break;
    if (enders.some((ender) => ender(state, end, endLine, true))) break;
  }
  return end;
}

/** Parses quoted lines without their markers. Returns the line after them. */
function readQuoted(state: StateBlock, start: number, end: number): number {
  const { bMarks, tShift, sCount, bsCount, blkIndent } = state;
  const savedState = [bMarks, tShift, sCount, bsCount].map((each) => each.slice(start, end));
  for (let line = start; line < end; line += 1) {
    if (!isQuoted(state, line)) {
      // markdown-it marks a lazy continuation line in this way.
      sCount[line] = -1;
      continue;
    }
    const begin = (bMarks[line] ?? 0) + (tShift[line] ?? 0) + 1;
    const after = begin + (state.src.charAt(begin) === ' ' ? 1 : 0);
    const stop = state.eMarks[line] ?? after;
    let offset = Math.min(after, stop);
    while (offset < stop && ' \t'.includes(state.src.charAt(offset))) offset += 1;
    bMarks[line] = Math.min(after, stop);
    tShift[line] = offset - (bMarks[line] ?? 0);
    sCount[line] = offset - (bMarks[line] ?? 0);
    bsCount[line] = 0;
  }
  state.blkIndent = 0;
  parseInside(state, start, end);
  state.blkIndent = blkIndent;
  [bMarks, tShift, sCount, bsCount].forEach((each, index) => {
    each.splice(start, end - start, ...(savedState[index] ?? []));
  });
  return Math.min(end, Math.max(state.line, start));
}

const IN_LINE =
  /^\{\{[<%][ \t]{0,9}(tab|tab-item|button)(?![\w-])([^{}]{0,300})[>%]\}\}(.*)\{\{[<%][ \t]{0,9}\/[ \t]{0,9}\1[ \t]{0,9}[>%]\}\}$/;

/** Parses Hugo shortcodes that are blocks: on a line of their own, around code, or opened and closed on one line. */
function parseShortcode(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? '' : getLine(state, line);
  if (!/^\{\{[<%]/.test(text) || mayBeConditional(text)) return false;
  const [, tab = '', rest = '', content = ''] = IN_LINE.exec(text) ?? [];
  if (tab === 'button') return parseButton(state, line, { rest, content }, silent);
  if (tab !== '') return silent || pushTab(state, line, { rest, from: text.indexOf('}}') + 2, content });
  const opening = getOpening(text);
  if (opening === undefined || opening.closes) return false;
  const { name } = opening;
  if (/^(?:highlight|mermaid)$/.test(name))
    return parseCode(state, { line, endLine, silent, name, rest: opening.rest });
  return pushSingleTag(state, line, { name, rest: opening.rest, text }, silent);
}

type ContentOfLine = { rest: string; from: number; content: string };

function pushTab(state: StateBlock, line: number, { rest, from, content }: ContentOfLine): boolean {
  const meaning = getMeaningByName('tab', rest.trim()) ?? { type: 'tabs-item', data: { title: '' } };
  const tag = getLine(state, line);
  const markup = { open: tag.slice(0, from), close: tag.slice(from + content.length) };
  openTag(state, { meaning, markup, span: { line, end: line + 1 } });
  tokenizeLines(state, line, { from, to: from + content.length });
  close(state, 'tabs-item');
  state.line = line + 1;
  return true;
}

function parseButton(
  state: StateBlock,
  line: number,
  { rest, content }: { rest: string; content: string },
  silent: boolean,
): boolean {
  const address = findOptionValue(rest, linkKeys);
  if (address === '' || content.trim() === '') return false;
  if (silent) return true;
  addParagraph(state, line, `<a href="${escapeAttribute(address)}" class="button primary">${content.trim()}</a>`);
  state.line = line + 1;
  return true;
}

type CodeStart = { line: number; endLine: number; silent: boolean; name: string; rest: string };

function parseCode(state: StateBlock, { line, endLine, silent, name, rest }: CodeStart): boolean {
  const extent = findExtent(state, line, endLine);
  if (extent === undefined) return false;
  const content = state.getLines(line + 1, extent.end, state.blkIndent, true);
  if (mayBeConditional(content)) return false;
  const info = name === 'mermaid' ? name : rest.replace(/"([^"]*)"$/, '{$1}');
  if (!silent) pushCodeBlock(state, { line, end: extent.end + 1, info, content });
  return true;
}

/** A gist is identified by owner and id. */
const getGistUrl = (rest: string): string => {
  const [, owner, id] = /^"?([\w-]{1,64})"?[ \t]+"?(\w{1,64})"?(?=[ \t]|$)/.exec(rest) ?? [];
  return id === undefined ? '' : `https://gist.github.com/${owner}/${id}`;
};

const PLAYERS: Record<string, string> = { youtube: 'https://www.youtube.com/watch?v=', vimeo: 'https://vimeo.com/' };

type SingleTag = { name: string; rest: string; text: string };

function pushSingleTag(state: StateBlock, line: number, { name, rest, text }: SingleTag, silent: boolean): boolean {
  const getOption = (...keys: string[]): string => findOptionValue(rest, keys);
  const source = /^(?:figure|img|image)$/.test(name) ? getOption('src') : '';
  const id = Object.hasOwn(PLAYERS, name) ? getOption('id') || (/^"?([\w-]{1,64})"?$/.exec(rest)?.[1] ?? '') : '';
  const embedded = id === '' ? (name === 'gist' ? getGistUrl(rest) : '') : `${PLAYERS[name] ?? ''}${id}`;
  const isCard = name === 'card' && getOption('title', 'link') !== '';
  if (source === '' && embedded === '' && !isCard) return false;
  if (silent) return true;
  const span = { line, end: line + 1 };
  if (source !== '') {
    const caption = [getOption('title'), getOption('caption')].filter((each) => each !== '').join(': ');
    const width = /^\d+(?:px|%)?$/.test(getOption('width')) ? ` width="${getOption('width')}"` : '';
    const image = `<img src="${escapeAttribute(source)}" alt="${escapeAttribute(getOption('alt'))}"${width}>`;
    const token = state.push('html_block', '', 0);
    token.content = `<figure>${image}<figcaption>${escapeAttribute(caption)}</figcaption></figure>`;
    token.map = [line, line + 1];
  } else if (embedded !== '') {
    const token = state.push('tag', '', 0);
    token.meta = { name: 'embed', data: { ref: createUrlReference(embedded) } };
    token.map = [line, line + 1];
  } else {
    const link = getOption(...linkKeys);
    const texts = { title: getOption('title'), description: getOption('subtitle', 'description') };
    const data = { ...texts, ...(link !== '' && { ref: createUrlReference(link) }) };
    openTag(state, { meaning: { type: 'card', data }, markup: { open: text }, span });
    addSilentToken(state, line, line + 1, true);
    close(state, 'card');
  }
  state.line = line + 1;
  return true;
}

function findOptionValue(rest: string, keys: string[]): string {
  for (const key of keys) {
    const value = new RegExp(`(?:^|[ \\t])${key}=(?:"([^"]*)"|([^\\s"]+))`).exec(rest);
    if (value !== null) return value[1] ?? value[2] ?? '';
  }
  return '';
}

const OPENING =
  /^<(?:div|section|figure|article|aside|center)\b[^<>]{0,400}\smarkdown(?:="?(?:1|span|block)"?)?(?=[\s>])[^<>]{0,400}>$/;

/** Drops an HTML tag around markdown, as in kramdown and MkDocs. */
function parseMarkdownWrapperTag(state: StateBlock, line: number, _endLine: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? '' : getLine(state, line);
  if (!text.startsWith('<') || !OPENING.test(text) || mayBeConditional(text)) return false;
  return silent || addSilentToken(state, line, line + 1);
}
