import { findFrontmatterBlock } from '../frontmatter-block.ts';
import { slugify } from '../slug.ts';

/** Selects a part of a file: ranges of lines (counted from 1, both ends included), or the text between two markers. */
export type Part = { lines: [from: number, to: number][] } | { name: string; marks: 'anchor' | 'snippet' | 'region' };

/** An include of a file, in the syntax of another tool. */
export interface Include {
  /** The offsets of the text that the content replaces. */
  start: number;
  end: number;
  /** The path of the file as it is written, without the part. */
  address: string;
  part?: Part | undefined;
  /** The text to add before each line of the content. Undefined if the content is inserted within a line. */
  indent: string | undefined;
  /** Set if the content becomes a code block: its info string. */
  info?: string | undefined;
  /** The properties of the component that includes the content, by name. Undefined for other includes. */
  properties?: Record<string, string>;
  /** The text between the tags of that component. */
  children?: string;
}

const toNumber = (text: string | undefined, otherwise: number): number => (text ? Number(text) : otherwise);

/** Splits `path:2:5` or `path:name`, as mdBook (`anchor`) and MkDocs (`snippet`) write it. */
export function readColonPart(written: string, marks: 'anchor' | 'snippet'): { address: string; part?: Part } {
  const [, address = written, suffix] = /^([^:]*):(.*)$/.exec(written) ?? [];
  if (suffix === undefined || suffix === '') return { address };
  if (!/^[\d:,]+$/.test(suffix)) return { address, part: { name: suffix, marks } };
  const lines = suffix.split(',').map((range): [number, number] => {
    const [from, to] = range.split(':', 2);
    const single = marks === 'anchor' && to === undefined;
    return [toNumber(from, 1), single ? toNumber(from, 1) : toNumber(to, Number.POSITIVE_INFINITY)];
  });
  return { address, part: { lines } };
}

/** Splits `path#region{2,5}`, as VitePress writes it in comments. */
export function readBracketPart(written: string): { address: string; part?: Part | undefined } {
  const [, path = written, from, comma, to] = /^(.*?)\{(\d*)(,?)(\d*)\}$/.exec(written) ?? [];
  const [, address = path, region] = /^([^#]*)(#[\w-]+)$/.exec(path.trim()) ?? [];
  if (from === undefined) return { address: address.trim(), part: readRegionPart(region) };
  const first = toNumber(from, 1);
  const last = comma === '' ? first : toNumber(to, Number.POSITIVE_INFINITY);
  return { address: address.trim(), part: { lines: [[first, last]] } };
}

export const readRegionPart = (region: string | undefined): Part | undefined =>
  region === undefined ? undefined : { name: region.slice(1), marks: 'region' };

/** Markers of parts. The first group matches only in an end marker; the second group is the name. */
const markerPatterns = {
  anchor: /ANCHOR(_END)?:[ \t]{0,9}([\w-]{1,100})/,
  snippet: /-{1,10}8<-{1,10}[ \t]{0,9}\[[ \t]{0,9}(?:start|(end))[ \t]{0,9}:[ \t]{0,9}([\w.-]{1,100})[ \t]{0,9}\]/,
  region: /#[ \t]?(?:pragma[ \t]{1,9})?(?:region|(endregion))\b[ \t]{0,9}([\w*-]{0,100})/,
};

/**
 * Returns the part of a file that a page includes, without the markers of parts. Undefined if the file does not have
 * this part.
 */
export function selectPart(
  path: string,
  text: string,
  { part, info }: { part?: Part | undefined; info?: string | undefined },
): string | undefined {
  const isRead = /\.(?:mdx?|markdown)$/i.test(path) && info === undefined && part === undefined;
  const body = isRead ? text.slice(findFrontmatterBlock(text)?.bodyOffset ?? 0) : text;
  const lines = body.replace(/^\ufeff/, '').split(/\r\n|\n/);
  if (lines.at(-1) === '') lines.pop();
  if (part === undefined) return lines.join('\n');
  if ('lines' in part) {
    const selectedLines = part.lines.flatMap(([from, to]) => lines.slice(Math.max(0, from - 1), to));
    return selectedLines.length === 0 ? undefined : selectedLines.join('\n');
  }
  return selectMarkedLines(lines, part) ?? (part.marks === 'region' ? selectSection(lines, part.name) : undefined);
}

function selectMarkedLines(lines: string[], { name, marks }: Extract<Part, { name: string }>): string | undefined {
  const selectedLines: string[] = [];
  let isOpen = false;
  let isFound = false;
  for (const line of lines) {
    const [whole, end, named] = markerPatterns[marks].exec(line) ?? [];
    if (whole === undefined) {
      if (isOpen) selectedLines.push(line);
    } else if (named === name || (end !== undefined && named === '')) {
      isOpen = end === undefined;
      isFound ||= isOpen;
    }
  }
  if (!isFound) return undefined;
  return (marks === 'region' ? removeIndent(selectedLines) : selectedLines).join('\n');
}

/** Removes the indentation that all lines share. */
function removeIndent(lines: string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const least = Math.min(...indents, 100);
  return lines.map((line) => line.slice(Math.min(least, line.length - line.trimStart().length)));
}

/** Returns the section of a markdown file whose heading has this anchor. */
function selectSection(lines: string[], anchor: string): string | undefined {
  const getLevel = (line: string): number => /^#{1,6}(?=[ \t])/.exec(line)?.[0].length ?? 0;
  const getId = (line: string): string =>
    /\{#([\w-]{1,100})\}[ \t]*$/.exec(line)?.[1] ?? slugify(line.slice(getLevel(line)));
  const first = lines.findIndex((line) => getLevel(line) > 0 && getId(line) === anchor);
  if (first < 0) return undefined;
  const own = getLevel(lines[first] ?? '');
  const rest = lines.slice(first + 1);
  const after = rest.findIndex((line) => getLevel(line) > 0 && getLevel(line) <= own);
  return [lines[first], ...(after < 0 ? rest : rest.slice(0, after))].join('\n').trimEnd();
}
