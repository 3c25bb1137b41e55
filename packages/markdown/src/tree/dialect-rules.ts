import type MarkdownIt from 'markdown-it';
import type { StateBlock } from 'markdown-it';
import { attributeLine } from './attribute-lists.ts';
import { extentAt, inside, isIndented, isOfUnknown, lineOf, noteUnknown } from './block-state.ts';
import { component } from './component-rule.ts';
import { mayBeConditional } from './conditions.ts';
import { alertStyle, type Meaning, meaningOfName, styleOf } from './dialects.ts';
import { openingOf } from './extents.ts';
import { close, open, put } from './foreign-blocks.ts';
import { markdownHtml } from './markdown-html-rule.ts';
import { script } from './script-rule.ts';
import { shortcode } from './shortcode-rules.ts';

/** Adds the rules of blocks as other families write them. */
export function withDialects({ block: { ruler } }: InstanceType<typeof MarkdownIt>): void {
  const ends = { alt: ['paragraph', 'reference', 'blockquote', 'list'] };
  ruler.before('code', 'jsx', component, ends);
  ruler.before('fence', 'colons', between, ends);
  ruler.before('fence', 'exclamation', admonition, ends);
  ruler.before('fence', 'equals', indentedTabs, ends);
  ruler.before('blockquote', 'alert', alert, { alt: ['paragraph', 'reference', 'list'] });
  ruler.before('fence', 'script', script);
  ruler.before('fence', 'attributes', attributeLine, ends);
  ruler.before('fence', 'shortcode', shortcode, ends);
  ruler.before('fence', 'markdown html', markdownHtml, ends);
}

function between(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = lineOf(state, line);
  const opening = /^(?::::|\{\{[<%])/.test(text) ? openingOf(text) : undefined;
  if (opening === undefined) return false;
  if (opening.closes) return isOfUnknown(state, line) && (silent || put(state, line, line + 1));
  const meaning = meaningOfName(opening.name, opening.rest);
  if (meaning === undefined && isUnknown(text, opening.name)) return unknown(state, line, endLine, silent);
  const extent = meaning && extentAt(state, line, endLine);
  if (meaning === undefined || extent === undefined || mayBeConditional(text)) return false;
  if (silent) return true;
  open(state, {
    meaning,
    written: { open: text, close: lineOf(state, extent.end) },
    place: { line, end: extent.end + 1 },
  });
  inside(state, line + 1, extent.end);
  close(state, meaning.type);
  state.line = extent.end + 1;
  return true;
}

/** Shortcodes of code are read elsewhere. */
const isUnknown = (text: string, name: string): boolean =>
  text.startsWith('{')
    ? !/^(?:highlight|mermaid)$/.test(name) && !mayBeConditional(text)
    : /^:+[ \t]*[a-zA-Z][\w-]*$/.test(text);

/** A container that means nothing here is what it holds. */
function unknown(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const extent = extentAt(state, line, endLine);
  if (extent === undefined) return false;
  noteUnknown(state, extent.end);
  return silent || put(state, line, line + 1);
}

const ADMONITION = /^(!!!|\?\?\?\+?)[ \t]+([a-zA-Z][\w-]*)(?:[ \t]+[a-zA-Z][\w-]*)*(?:[ \t]+"(.*)")?$/;

/** As MkDocs writes them: what belongs to one is indented. */
function admonition(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = lineOf(state, line);
  const [, sign = '', name = '', title] = /^[!?]/.test(text) ? (ADMONITION.exec(text) ?? []) : [];
  if (sign === '' || mayBeConditional(text)) return false;
  if (silent) return true;
  const fold = {
    type: 'expandable',
    data: { title: title || capitalized(name), ...(sign.endsWith('+') && { open: true }) },
  };
  const meaning =
    sign === '!!!' ? { type: 'hint', data: { style: styleOf(name) ?? 'info' }, title: title ?? '' } : fold;
  indentedBlock(state, { line, endLine, meaning, text });
  return true;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function indentedBlock(
  state: StateBlock,
  { line, endLine, meaning, text }: { line: number; endLine: number; meaning: Meaning; text: string },
): void {
  const end = indentedEnd(state, line, endLine);
  open(state, { meaning, written: { open: text, prefix: '    ' }, place: { line, end } });
  const { blkIndent } = state;
  state.blkIndent = (state.sCount[line] ?? 0) + 4;
  inside(state, line + 1, end);
  state.blkIndent = blkIndent;
  close(state, meaning.type);
  state.line = end;
}

/** The line after what is indented below a line. */
function indentedEnd(state: StateBlock, line: number, endLine: number): number {
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

function indentedTabs(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line) || (!lineOf(state, line).startsWith('=== ') && !/^===[!+]/.test(lineOf(state, line))))
    return false;
  if (!TAB.test(lineOf(state, line)) || mayBeConditional(lineOf(state, line))) return false;
  if (silent) return true;
  const indent = state.sCount[line];
  const token = state.push('tag_open', '', 1);
  token.meta = { type: 'tabs', data: {}, written: { open: '' } };
  let next = line;
  let end = line;
  while (next < endLine) {
    const text = lineOf(state, next);
    const title = state.sCount[next] === indent && !mayBeConditional(text) ? TAB.exec(text)?.[1] : undefined;
    if (title === undefined) break;
    indentedBlock(state, { line: next, endLine, meaning: { type: 'tabs-item', data: { title } }, text });
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

/** As GitHub and Obsidian write hints: the first line of a quotation says what it is. */
function alert(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = lineOf(state, line);
  const [, name = '', fold = '', title] = text.startsWith('>') ? (ALERT.exec(text) ?? []) : [];
  const style = alertStyle(name);
  if (style === undefined || mayBeConditional(text)) return false;
  if (silent) return true;
  const last = quotationEnd(state, line, endLine);
  const meaning: Meaning =
    fold === ''
      ? { type: 'hint', data: { style }, ...(title && { title }) }
      : {
          type: 'expandable',
          data: { title: title || capitalized(name.toLowerCase()), ...(fold === '+' && { open: true }) },
        };
  const token = open(state, { meaning, written: { open: text, prefix: '> ' }, place: { line, end: last } });
  const end = last > line + 1 ? quoted(state, line + 1, last) : last;
  token.map = [line, end];
  close(state, meaning.type);
  state.line = end;
  return true;
}

const isQuoted = (state: StateBlock, line: number): boolean =>
  lineOf(state, line).startsWith('>') && !isIndented(state, line);

/** The line after a quotation; a paragraph in it goes on without signs until something else begins. */
function quotationEnd(state: StateBlock, line: number, endLine: number): number {
  const enders = state.md.block.ruler.getRules('blockquote');
  let end = line + 1;
  for (; end < endLine && !state.isEmpty(end); end += 1) {
    if (isQuoted(state, end)) continue;
    if (end === line + 1 || /^>[ \t]*$/.test(lineOf(state, end - 1))) break;
    if (enders.some((ender) => ender(state, end, endLine, true))) break;
  }
  return end;
}

/** Reads lines without the signs of a quotation before them; gives the line after those that are of it. */
function quoted(state: StateBlock, start: number, end: number): number {
  const { bMarks, tShift, sCount, bsCount, blkIndent } = state;
  const kept = [bMarks, tShift, sCount, bsCount].map((each) => each.slice(start, end));
  for (let line = start; line < end; line += 1) {
    if (!isQuoted(state, line)) {
      // As markdown-it tells a line that may only go on with a paragraph.
      sCount[line] = -1;
      continue;
    }
    const begin = (bMarks[line] ?? 0) + (tShift[line] ?? 0) + 1;
    const after = begin + (state.src.charAt(begin) === ' ' ? 1 : 0);
    const stop = state.eMarks[line] ?? after;
    let at = Math.min(after, stop);
    while (at < stop && ' \t'.includes(state.src.charAt(at))) at += 1;
    bMarks[line] = Math.min(after, stop);
    tShift[line] = at - (bMarks[line] ?? 0);
    sCount[line] = at - (bMarks[line] ?? 0);
    bsCount[line] = 0;
  }
  state.blkIndent = 0;
  inside(state, start, end);
  state.blkIndent = blkIndent;
  [bMarks, tShift, sCount, bsCount].forEach((each, index) => {
    each.splice(start, end - start, ...(kept[index] ?? []));
  });
  return Math.min(end, Math.max(state.line, start));
}
