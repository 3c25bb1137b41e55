import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { type FrontmatterBlock, findFrontmatterBlock } from './frontmatter-block.ts';

/** What a field is set to; undefined takes it out. */
export type FrontmatterValue = string | number | boolean | undefined;

/** A change of a source, in its UTF-16 offsets. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

interface Source {
  text: string;
  newline: string;
  isToml: boolean;
}

/**
 * A text with one field of its frontmatter set, or taken out. `path` is its key, below that of the mapping that it is in.
 * All else stays byte for byte: order, comments, quoting. A text without a block gets one, and loses one that is empty.
 * Undefined where that cannot be written: a block in braces, a key that stands twice, an alias, tables of TOML, or where
 * comments alone would be left.
 */
export function setFrontmatter(markdown: string, path: string[], value: FrontmatterValue): string | undefined {
  const newline = /^[^\n]*\r\n/.test(markdown) ? '\r\n' : '\n';
  const block = findFrontmatterBlock(markdown);
  if (block === undefined) return value === undefined ? markdown : withBlock(markdown, entryOf(path, value, newline));
  const { map, sourceOffset, bodyOffset, reading } = block;
  const close = markdown.lastIndexOf('\n', bodyOffset - 2) + 1;
  const source = { text: markdown.slice(sourceOffset, close), newline, isToml: reading === 'toml' };
  if (map.flow === true || (source.isToml && path.length > 1)) return undefined;
  const edit = editOf(map, path, { value, source, end: endOfEntries(block, source) });
  if (edit === undefined) return undefined;
  const text = source.text.slice(0, edit.start) + edit.text + source.text.slice(edit.end);
  if (text.trim() !== '') {
    const written = markdown.slice(0, sourceOffset) + text + markdown.slice(close);
    return findFrontmatterBlock(written) && written;
  }
  return markdown.slice(0, markdown.startsWith('\ufeff') ? 1 : 0) + markdown.slice(bodyOffset).replace(/^\r?\n/, '');
}

/** New entries stand at the end of YAML, and above the tables of TOML. */
function endOfEntries({ map }: FrontmatterBlock, { text, isToml }: Source): number {
  const table = isToml ? map.items.find(({ key }) => isScalar(key) && String(key.value).startsWith('[')) : undefined;
  return isScalar(table?.key) ? (table.key.range?.[0] ?? text.length) : text.length;
}

function withBlock(markdown: string, entry: string): string {
  const start = markdown.startsWith('\ufeff') ? 1 : 0;
  const newline = entry.endsWith('\r\n') ? '\r\n' : '\n';
  const body = markdown.slice(start);
  const gap = body === '' || /^\r?\n/.test(body) ? '' : newline;
  return `${markdown.slice(0, start)}---${newline}${entry}---${newline}${gap}${body}`;
}

interface Wanted {
  value: FrontmatterValue;
  source: Source;
  /** Where a new entry of the mapping goes. */
  end: number;
}

function editOf(map: YAMLMap, [key = '', ...below]: string[], { value, source, end }: Wanted): Edit | undefined {
  const found = map.items.filter((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  const [pair] = found;
  if (found.length > 1) return undefined;
  if (pair === undefined) {
    const added = value === undefined ? '' : entryOf([key, ...below], value, source.newline, source.isToml);
    return { start: end, end, text: indented(added, columnOf(map, source.text)) };
  }
  const [start, keyEnd] = (isScalar(pair.key) && pair.key.range) || [0, 0];
  const was = pair.value;
  const whole = { start: lineStart(source.text, start), end: endOfEntry(pair, keyEnd, source.text) };
  const inner = below.length > 0 ? below : ['visible'];
  if (
    isMap(was) &&
    (below.length > 0 || was.items.some((each) => isScalar(each.key) && each.key.value === 'visible'))
  ) {
    if (was.flow === true) return undefined;
    if (value === undefined && was.items.length === 1) return { ...whole, text: '' };
    return editOf(was, inner, { value, source, end: whole.end });
  }
  if (value === undefined) return below.length > 0 ? { start: 0, end: 0, text: '' } : { ...whole, text: '' };
  const isNull = was === null || (isScalar(was) && was.value === null && (was.source ?? '') === '');
  if (below.length > 0) {
    const text = indented(entryOf(below, value, source.newline), `${columnOf(map, source.text)}  `);
    return isNull ? { start: whole.end, end: whole.end, text } : undefined;
  }
  if (isNull && !source.isToml) {
    const at = source.text.indexOf(':', keyEnd) + 1;
    return { start: at, end: at, text: ` ${yamlOf(value, '')}` };
  }
  if (!isScalar(was) || !was.range || was.anchor !== undefined || was.tag !== undefined) return undefined;
  const [from, to] = was.range;
  const written = source.text.slice(from, to);
  const ending = /\r?\n$/.exec(written)?.[0] ?? '';
  return { start: from, end: to, text: (source.isToml ? tomlOf : yamlOf)(value, written) + ending };
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

/** The column that the entries of a mapping begin at, as spaces. */
function columnOf({ items }: YAMLMap, text: string): string {
  const key = items[0]?.key;
  const at = (isScalar(key) && key.range?.[0]) || 0;
  return ' '.repeat(at - lineStart(text, at));
}

const indented = (entry: string, by: string): string => (by === '' ? entry : entry.replace(/^(?=.)/gm, by));

/** Where the line after an entry begins. */
function endOfEntry({ value }: YAMLMap['items'][number], keyEnd: number, text: string): number {
  const range = value !== null && typeof value === 'object' && 'range' in value ? (value.range as number[]) : undefined;
  const end = Math.max(keyEnd, range?.[1] ?? 0);
  if (text[end - 1] === '\n') return end;
  const next = text.indexOf('\n', end);
  return next < 0 ? text.length : next + 1;
}

function entryOf(path: string[], value: string | number | boolean, newline: string, isToml = false): string {
  const [key = '', ...below] = path;
  if (isToml) return `${key} = ${tomlOf(value, '')}${newline}`;
  if (below.length === 0) return `${key}: ${yamlOf(value, '')}${newline}`;
  return `${key}:${newline}${indented(entryOf(below, value, newline), '  ')}`;
}

/** A value as it stands in YAML on one line, quoted as what it takes the place of. */
function yamlOf(value: string | number | boolean, was: string): string {
  if (typeof value !== 'string') return String(value);
  if (was.startsWith("'") && !/\p{Cc}/u.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return !was.startsWith('"') && isPlain(value) ? value : JSON.stringify(value);
}

function isPlain(text: string): boolean {
  if (!/^[\p{L}\p{N}./]/u.test(text) || /[\p{Cc}\p{Zl}\p{Zp}]|:(?: |$)| #| $/u.test(text)) return false;
  // Other generators may read the YAML of before 2009, where `No` and a date are no texts.
  return (['1.1', '1.2'] as const).every((version) => {
    const { contents, errors } = parseDocument(text, { version, prettyErrors: false, logLevel: 'silent' });
    return errors.length === 0 && isScalar(contents) && contents.value === text;
  });
}

function tomlOf(value: string | number | boolean, was: string): string {
  if (typeof value !== 'string') return String(value);
  return was.startsWith("'") && !/['\p{Cc}]/u.test(value) ? `'${value}'` : JSON.stringify(value);
}
