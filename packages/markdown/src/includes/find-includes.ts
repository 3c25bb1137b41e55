import { findCodeRuns, findCodeSpan } from '../inline-syntax.ts';
import { findComponentUses, getFileEnding } from './component-uses.ts';
import { type Include, readBracketPart, readColonPart, readRegionPart } from './select-part.ts';

const maxIncludes = 500;
const fence = /^(?:[ \t>]|[-+*] |\d{1,9}[.)] ){0,40}(`{3,}|~{3,})(.*)$/;
const mayInclude = /<<<|\{\{#|8<-|@include:|\{!|^import[ \t]|\{%-?[ \t]+include|\{\{[<%][ \t]+readfile/m;

/**
 * Returns the includes of a text: `{{#include}}` of mdBook, `--8<--` of MkDocs, `{!file!}` of markdown-include, `<<<`
 * and `<!--@include-->` of VitePress, `{% include file %}` of Jekyll, `readfile` of Docsy, and files that a page
 * imports as components or as text. Linear in the length.
 */
export function findIncludes(markdown: string): Include[] {
  if (!mayInclude.test(markdown)) return [];
  const includes: Include[] = [];
  const code: [start: number, end: number][] = [];
  let open: string | undefined;
  let isBlock = false;
  let isRaw = false;
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
    const tags = open === undefined && !isRaw && !opensRaw.test(text) ? readTags(text) : [];
    if (text.includes('{%')) isRaw = (isRaw || opensRaw.test(text)) && !/\{%-?[ \t]{0,9}endraw/.test(text);
    for (const each of [scissors, ...readLine(text, open !== undefined, tags)])
      if (typeof each === 'object') includes.push({ ...each, start: start + each.start, end: start + each.end });
    if (scissors === 'block') includes.push({ ...nothing, start, end: start + text.length });
    start += line.length + 1;
  }
  let block = 0;
  const isCode = (offset: number): boolean => {
    while ((code[block]?.[1] ?? Number.POSITIVE_INFINITY) < offset) block += 1;
    return (code[block]?.[0] ?? Number.POSITIVE_INFINITY) <= offset;
  };
  for (const each of findComponentUses(markdown, isCode)) includes.push(each);
  const ordered = includes.sort((one, other) => one.start - other.start);
  return ordered.filter(({ start: from }, index) => from >= (ordered[index - 1]?.end ?? 0)).slice(0, maxIncludes);
}

/** A marker around a list of files. The marker is removed. */
const nothing = { address: '', indent: '' };

const scissorsLine = /^([ \t]{0,40})-{1,10}8<-{1,10}(?:[ \t]{1,20}["']([^"'\n]{1,500})["'])?[ \t]{0,20}$/;

/** Parses `--8<-- "file"`, a marker around a list of files, or a line of such a list. */
function readScissors(line: string, isBlock: boolean): Include | 'block' | undefined {
  const [whole, indent = '', written] = scissorsLine.exec(line) ?? [];
  if (whole !== undefined && written === undefined) return 'block';
  const name = written ?? (isBlock ? line.trim().slice(0, 500) : '');
  if (name === '' || /^;|^[a-z]+:\/\//i.test(name)) return undefined;
  const own = written === undefined ? (/^[ \t]*/.exec(line)?.[0] ?? '') : indent;
  return { start: 0, end: line.length, indent: own, ...readColonPart(name, 'snippet') };
}

/** VitePress: matches the path, the region, the lines with language and attributes, and the title. */
const codeLine =
  /^([ \t]{0,20})<<<(?!<)[ \t]{0,20}(\S[^\n{[]{0,500}?)(#[\w-]{1,100})?[ \t]?(?:\{([^{}\n]{0,200})\})?[ \t]?(?:\[([^\]\n]{1,200})\])?[ \t]*$/;
const commented = /<!--[ \t]{0,20}@include:[ \t]{0,20}([^\n]{1,500}?)[ \t]{0,20}-->/g;
const braced =
  /(\\?)\{\{#(rustdoc_include|include|playground|playpen)[ \t]{1,20}([^\s{}]{1,500})(?:[ \t][^\n{}]{0,200})?\}\}/g;
const exclaimed = /(\\?)\{!>?[ \t]{0,20}([^\s{}!]{1,500})[ \t]{0,20}!\}/g;

/** Jekyll and Docsy: matches a file, and parameters with plain values. */
const jekyllTag =
  /\{%-?[ \t]{1,9}include(_relative|_cached)?[ \t]{1,9}([\w./-]{1,300}\.\w{1,10})([ \t][^%{}\n]{0,2000})?-?%\}/g;
const readFile = /\{\{[<%][ \t]{1,9}readfile[ \t]{1,9}(?:(?:file=)?"([^"\n]{1,300})")([^{}<>\n]{0,300})[>%]\}\}/g;
const parameter = /([\w-]{1,100})=(?:"([^"]{0,1000})"|'([^']{0,1000})')/g;

const readParameters = (written: string): Record<string, string> =>
  Object.fromEntries(
    [...written.matchAll(parameter)].map(([, name = '', double, single = '']) => [name, double ?? single]),
  );

const opensRaw = /\{%-?[ \t]{0,9}raw/;

/** Returns the includes of Jekyll and Docsy in a line. An include that is alone on its line becomes blocks. */
function readTags(line: string): Include[] {
  const toInclude = (index: number, text: string, include: Omit<Include, 'start' | 'end' | 'indent'>): Include => {
    const before = line.slice(0, index);
    const isAlone = before.trim() === '' && line.slice(index + text.length).trim() === '';
    return { start: isAlone ? 0 : index, end: index + text.length, indent: isAlone ? before : undefined, ...include };
  };
  const ofJekyll = [...line.matchAll(jekyllTag)].map(({ index, 0: text, 1: kind, 2: name = '', 3: written = '' }) => {
    const address = kind === '_relative' ? name : `_includes/${name}`;
    return toInclude(index, text, { address, properties: readParameters(written) });
  });
  const ofDocsy = [...line.matchAll(readFile)].map(({ index, 0: text, 1: address = '', 2: written = '' }) => {
    const { code, lang = getFileEnding(address) } = readParameters(written);
    return toInclude(index, text, { address, ...(code === 'true' ? { info: lang } : { properties: {} }) });
  });
  return [...ofJekyll, ...ofDocsy];
}

/** Returns the includes in a line, with offsets in that line. Includes in code spans are ignored. */
function readLine(line: string, isCode: boolean, tags: Include[]): Include[] {
  const includes: Include[] = [...tags];
  if (tags.length === 0 && !/<<<|\{\{#|@include:|\{!/.test(line)) return includes;
  const code = isCode ? null : codeLine.exec(line);
  if (code) includes.push(readCode(line, code));
  for (const { index, 0: whole, 1: written = '' } of line.matchAll(commented))
    includes.push({ start: index, end: index + whole.length, indent: '', ...readBracketPart(written) });
  for (const { index, 0: whole, 1: backslash, 2: kind = '', 3: written = '' } of line.matchAll(braced)) {
    if (backslash !== '') continue;
    const info = kind.startsWith('play') ? { info: 'rust' } : {};
    includes.push({
      start: index,
      end: index + whole.length,
      indent: '',
      ...info,
      ...readColonPart(written, 'anchor'),
    });
  }
  for (const { index, 0: whole, 1: backslash, 2: address = '' } of line.matchAll(exclaimed))
    if (backslash === '') includes.push({ start: index, end: index + whole.length, indent: '', address });
  return isCode || includes.length === 0 || !line.includes('`') ? includes : removeSpans(includes, line);
}

/** Removes the includes in code spans. Linear in the length of the line. */
function removeSpans(includes: Include[], line: string): Include[] {
  const runs = findCodeRuns(line);
  const spans: number[] = [];
  for (let at = line.indexOf('`'); at !== -1; ) {
    const { length, close } = findCodeSpan(runs, line, at);
    if (close !== undefined) spans.push(at, close);
    at = line.indexOf('`', (close ?? at) + length);
  }
  let passed = 0;
  return includes
    .toSorted((one, other) => one.start - other.start)
    .filter(({ start }) => {
      while ((spans[passed] ?? Number.POSITIVE_INFINITY) < start) passed += 1;
      return passed % 2 === 0;
    });
}

function readCode(line: string, [, indent = '', path = '', region, braces = '', title]: RegExpExecArray): Include {
  const [, lines = '', words = ''] = /^([\d,-]*)[ \t]*(.*)$/.exec(braces) ?? [];
  const language = words === '' ? getFileEnding(path.trim()) : words;
  const info = `${language}${lines === '' ? '' : `{${lines}}`}${title === undefined ? '' : ` [${title}]`}`;
  return { start: 0, end: line.length, indent, info, address: path.trim(), part: readRegionPart(region) };
}
