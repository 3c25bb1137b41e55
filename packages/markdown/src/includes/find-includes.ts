import { codeRuns, codeSpan } from '../inline-syntax.ts';
import { findComponentUses } from './component-uses.ts';
import { type Include, readBracketPart, readColonPart, readRegionPart } from './select-part.ts';

const maxIncludes = 500;
const fence = /^(?:[ \t>]|[-+*] |\d{1,9}[.)] ){0,40}(`{3,}|~{3,})(.*)$/;
const mayInclude = /<<<|\{\{#|8<-|@include:|\{!|^import[ \t]/m;

/**
 * Returns the includes of a text: `{{#include}}` of mdBook, `--8<--` of MkDocs, `{!file!}` of markdown-include, `<<<`
 * and `<!--@include-->` of VitePress, and components that are imported from markdown files. Linear in the length.
 */
export function findIncludes(markdown: string): Include[] {
  if (!mayInclude.test(markdown)) return [];
  const found: Include[] = [];
  const code: [start: number, end: number][] = [];
  let open: string | undefined;
  let isBlock = false;
  let start = 0;
  for (const line of markdown.split('\n')) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    const [, mark, after = ''] = fence.exec(text) ?? [];
    if (open !== undefined) code.at(-1)?.splice(1, 1, start + line.length);
    if (mark !== undefined && open === undefined && !(mark.startsWith('`') && after.includes('`'))) {
      open = mark;
      code.push([start, start + line.length]);
    } else if (mark !== undefined && open !== undefined && mark.startsWith(open) && after.trim() === '')
      open = undefined;
    const scissors = readScissors(text, isBlock);
    if (scissors === 'block') isBlock = !isBlock;
    for (const each of [scissors, ...readLine(text, open !== undefined)])
      if (typeof each === 'object') found.push({ ...each, start: start + each.start, end: start + each.end });
    if (scissors === 'block') found.push({ ...nothing, start, end: start + text.length });
    start += line.length + 1;
  }
  let block = 0;
  const isCode = (offset: number): boolean => {
    while ((code[block]?.[1] ?? Number.POSITIVE_INFINITY) < offset) block += 1;
    return (code[block]?.[0] ?? Number.POSITIVE_INFINITY) <= offset;
  };
  for (const each of findComponentUses(markdown, isCode)) found.push(each);
  const ordered = found.sort((one, other) => one.start - other.start);
  return ordered.filter(({ start: from }, index) => from >= (ordered[index - 1]?.end ?? 0)).slice(0, maxIncludes);
}

/** A mark that encloses a list of files: no content replaces it. */
const nothing = { address: '', indent: '' };

const scissorsLine = /^([ \t]{0,40})-{1,10}8<-{1,10}(?:[ \t]{1,20}["']([^"'\n]{1,500})["'])?[ \t]{0,20}$/;

/** Reads `--8<-- "file"`, a mark around a list of files, or a line of such a list. */
function readScissors(line: string, isBlock: boolean): Include | 'block' | undefined {
  const [whole, indent = '', written] = scissorsLine.exec(line) ?? [];
  if (whole !== undefined && written === undefined) return 'block';
  const name = written ?? (isBlock ? line.trim().slice(0, 500) : '');
  if (name === '' || /^;|^[a-z]+:\/\//i.test(name)) return undefined;
  const own = written === undefined ? (/^[ \t]*/.exec(line)?.[0] ?? '') : indent;
  return { start: 0, end: line.length, indent: own, ...readColonPart(name, 'snippet') };
}

/** VitePress: path, region, lines with language and attributes, title. */
const codeLine =
  /^([ \t]{0,20})<<<(?!<)[ \t]{0,20}(\S[^\n{[]{0,500}?)(#[\w-]{1,100})?[ \t]?(?:\{([^{}\n]{0,200})\})?[ \t]?(?:\[([^\]\n]{1,200})\])?[ \t]*$/;
const commented = /<!--[ \t]{0,20}@include:[ \t]{0,20}([^\n]{1,500}?)[ \t]{0,20}-->/g;
const braced =
  /(\\?)\{\{#(rustdoc_include|include|playground|playpen)[ \t]{1,20}([^\s{}]{1,500})(?:[ \t][^\n{}]{0,200})?\}\}/g;
const exclaimed = /(\\?)\{!>?[ \t]{0,20}([^\s{}!]{1,500})[ \t]{0,20}!\}/g;

/** Returns the includes in a line, with offsets in that line. A code span only mentions an include. */
function readLine(line: string, isCode: boolean): Include[] {
  const found: Include[] = [];
  if (!/<<<|\{\{#|@include:|\{!/.test(line)) return found;
  const code = isCode ? null : codeLine.exec(line);
  if (code) found.push(readCode(line, code));
  for (const { index, 0: whole, 1: written = '' } of line.matchAll(commented))
    found.push({ start: index, end: index + whole.length, indent: '', ...readBracketPart(written) });
  for (const { index, 0: whole, 1: backslash, 2: kind = '', 3: written = '' } of line.matchAll(braced)) {
    if (backslash !== '') continue;
    const info = kind.startsWith('play') ? { info: 'rust' } : {};
    found.push({ start: index, end: index + whole.length, indent: '', ...info, ...readColonPart(written, 'anchor') });
  }
  for (const { index, 0: whole, 1: backslash, 2: address = '' } of line.matchAll(exclaimed))
    if (backslash === '') found.push({ start: index, end: index + whole.length, indent: '', address });
  return isCode || found.length === 0 || !line.includes('`') ? found : withoutSpans(found, line);
}

/** Removes the includes in code spans. Linear in the length of the line. */
function withoutSpans(found: Include[], line: string): Include[] {
  const runs = codeRuns(line);
  const spans: number[] = [];
  for (let at = line.indexOf('`'); at !== -1; ) {
    const { length, close } = codeSpan(runs, line, at);
    if (close !== undefined) spans.push(at, close);
    at = line.indexOf('`', (close ?? at) + length);
  }
  let passed = 0;
  return found
    .toSorted((one, other) => one.start - other.start)
    .filter(({ start }) => {
      while ((spans[passed] ?? Number.POSITIVE_INFINITY) < start) passed += 1;
      return passed % 2 === 0;
    });
}

function readCode(line: string, [, indent = '', path = '', region, braces = '', title]: RegExpExecArray): Include {
  const [, lines = '', words = ''] = /^([\d,-]*)[ \t]*(.*)$/.exec(braces) ?? [];
  const [, ending = ''] = /\.([a-z\d]+)$/i.exec(path.trim()) ?? [];
  const language = words === '' ? ending : words;
  const info = `${language}${lines === '' ? '' : `{${lines}}`}${title === undefined ? '' : ` [${title}]`}`;
  return { start: 0, end: line.length, indent, info, address: path.trim(), part: readRegionPart(region) };
}
