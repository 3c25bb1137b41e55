import type MarkdownIt from 'markdown-it';
import type { StateBlock } from 'markdown-it';
import { extentAt, inside, isIndented, lineOf, noteOpen } from './block-state.ts';
import { component } from './component-rule.ts';
import { alertStyle, type Meaning, meaningOfName, styleOf } from './dialects.ts';
import { openingOf } from './extents.ts';
import { close, open, put } from './foreign-blocks.ts';
import { mayBeConditional } from './strict-tree.ts';

/** Adds the rules of blocks as other families write them. */
export function withDialects({ block: { ruler } }: InstanceType<typeof MarkdownIt>): void {
  const ends = { alt: ['paragraph', 'reference', 'blockquote', 'list'] };
  ruler.before('code', 'jsx', component, ends);
  ruler.before('fence', 'colons', between, ends);
  ruler.before('fence', 'exclamation', admonition, ends);
  ruler.before('fence', 'equals', indentedTabs, ends);
  ruler.before('blockquote', 'alert', alert, { alt: ['paragraph', 'reference', 'list'] });
  ruler.before('fence', 'script', script);
}

function between(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = lineOf(state, line);
  const opening = /^(?::::|\{\{[<%])/.test(text) ? openingOf(text) : undefined;
  const meaning = opening && !opening.closes ? meaningOfName(opening.name, opening.rest) : undefined;
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
  let end = line + 1;
  while (end < endLine && lineOf(state, end).startsWith('>') && !isIndented(state, end)) end += 1;
  const meaning: Meaning =
    fold === ''
      ? { type: 'hint', data: { style }, ...(title && { title }) }
      : {
          type: 'expandable',
          data: { title: title || capitalized(name.toLowerCase()), ...(fold === '+' && { open: true }) },
        };
  open(state, { meaning, written: { open: text, prefix: '> ' }, place: { line, end } });
  if (end > line + 1) quoted(state, line + 1, end);
  close(state, meaning.type);
  state.line = end;
  return true;
}

/** Reads lines without the signs of a quotation before them. */
function quoted(state: StateBlock, start: number, end: number): void {
  const { bMarks, tShift, sCount, bsCount, blkIndent } = state;
  const kept = [bMarks, tShift, sCount, bsCount].map((each) => each.slice(start, end));
  for (let line = start; line < end; line += 1) {
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
}

const IMPORT = /^import\s(?:[^"'`<>]*\sfrom\s+)?["'][^"']+["'];?$/;
const EXPORT =
  /^export\s+(?:(?:const|let|var)\s+[\w$[{]|(?:default\s+)?(?:async\s+)?function\b|(?:default\s+)?class\s|\{|\*\s|default\s+(?:\(|[\w$]+;?$))/;
const COMMENT = /^\{\/\*/;
const MAX_SCRIPT_LINES = 100;

/** Imports, exports and comments of mdx are no content. */
function script(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line) || silent) return false;
  const text = lineOf(state, line);
  const isComment = COMMENT.test(text);
  const isPlain = /^(?:im|ex)port\s/.test(text) && (IMPORT.test(text) || EXPORT.test(text) || isOpenImport(text));
  if (!isComment && !isPlain) return false;
  let end = line;
  const last = Math.min(endLine, line + MAX_SCRIPT_LINES);
  if (isComment) while (end < last && !lineOf(state, end).endsWith('*/}')) end += 1;
  else while (end + 1 < last && !state.isEmpty(end + 1)) end += 1;
  if (isComment && end >= last) noteOpen(state, line, endLine);
  if (end >= last || mayBeConditional(state.getLines(line, end + 1, 0, false))) return false;
  return put(state, line, end + 1);
}

const isOpenImport = (text: string): boolean => /^import\s+(?:[\w$]+\s*,\s*)?\{[^{}]*$/.test(text);
