import { isMap, isScalar, Pair, parseDocument, Scalar, YAMLMap, YAMLSeq } from 'yaml';

const MAX_BLOCK_BYTES = 64 * 1024;
const FENCES = [/^---[ \t]*\r?$/, /^\+\+\+[ \t]*\r?$/];

/**
 * The frontmatter block of a document, with the UTF-16 offsets of its source and of the body after it. `reading` is how
 * it was parsed: as YAML, line by line because the YAML is invalid, or as TOML between `+++`.
 */
export type FrontmatterBlock = {
  map: YAMLMap;
  sourceOffset: number;
  bodyOffset: number;
  reading: 'yaml' | 'lines' | 'toml';
};

/**
 * Finds the frontmatter block. Blocks over 64 KiB and blocks that are not mappings are ignored. Ranges of its nodes are
 * relative to `sourceOffset`.
 */
export function findFrontmatterBlock(markdown: string): FrontmatterBlock | undefined {
  const start = markdown.startsWith('\ufeff') ? 1 : 0;
  const first = readLine(markdown, start);
  const fence = FENCES.find((each) => each.test(first.text));
  if (fence === undefined) return undefined;
  for (let line = readLine(markdown, first.end); line.end > line.start; line = readLine(markdown, line.end)) {
    if (line.end - first.end > MAX_BLOCK_BYTES + 8) return undefined;
    if (!fence.test(line.text)) continue;
    const mapping = getMapping(markdown.slice(first.end, line.start), fence === FENCES[0]);
    return mapping && { ...mapping, sourceOffset: first.end, bodyOffset: line.end };
  }
  return undefined;
}

function readLine(text: string, start: number): { text: string; start: number; end: number } {
  const newline = text.indexOf('\n', start);
  const stop = newline < 0 ? text.length : newline;
  return { text: text.slice(start, Math.min(stop, start + 100)), start, end: Math.min(stop + 1, text.length) };
}

function getMapping(source: string, isYaml: boolean): Pick<FrontmatterBlock, 'map' | 'reading'> | undefined {
  if (new TextEncoder().encode(source).length > MAX_BLOCK_BYTES) return undefined;
  if (!isYaml) return getMap(parseTomlLines(source), 'toml');
  const map = parseYaml(source);
  if (map !== 'unreadable') return map && { map, reading: 'yaml' };
  return getMap(parseYamlLines(source), 'lines');
}

function getMap(items: YAMLMap['items'] | undefined, reading: 'lines' | 'toml') {
  if (items === undefined) return undefined;
  const map = new YAMLMap();
  map.items = items;
  return { map, reading };
}

function parseYaml(source: string): YAMLMap | 'unreadable' | undefined {
  try {
    const document = parseDocument(source, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
    if (document.errors.length > 0) return 'unreadable';
    return isMap(document.contents) ? keepTemplatesAsText(document.contents, source) : undefined;
  } catch {
    return 'unreadable';
  }
}

/** Entries of a block, with the ranges of their keys and values. */
type Entries = Pair[];

const YAML_LINE = /^([A-Za-z_][\w.-]{0,99}):(?:[ \t]+(.*))?$/;
/** YAML lines that do not start an entry: comments, list items, indented lines and closing brackets. */
const YAML_OTHER = /^(?:[ \t#}\])-]|$)/;
const TOML_LINE = /^([\w-]{1,100}|"[^"\\]{1,100}"|'[^']{1,100}')[ \t]*=[ \t]*(.*)$/;
const TABLE = /^\[.*\]/;
const MAX_VALUES = 200;

/**
 * Parses top-level `key: value` lines. Returns undefined if the text does not begin with such a line, or if at most
 * half of its lines are YAML.
 */
function parseYamlLines(source: string): Entries | undefined {
  const entries: Entries = [];
  let others = 0;
  for (const { text, start } of splitLines(source)) {
    const [, key, value = ''] = YAML_LINE.exec(text) ?? [];
    if (key === undefined) {
      if (entries.length === 0 && !/^[ \t]*(?:#|$)/.test(text)) return undefined;
      if (!YAML_OTHER.test(text)) others += 1;
      continue;
    }
    const offset = start + text.length - value.length;
    entries.push(
      getEntry(key, start, entries.length < MAX_VALUES ? parseScalar(value, offset) : createPlainScalar(value, offset)),
    );
  }
  return entries.length <= others ? undefined : entries;
}

/** Parses `key = value` lines before the first table, and the names of tables, whose content is ignored. */
function parseTomlLines(source: string): Entries | undefined {
  const entries: Entries = [];
  let [isInside, open] = [false, ''];
  for (const { text, start } of splitLines(source)) {
    if (open !== '') {
      if (text.includes(open)) open = '';
    } else if (TABLE.test(text)) {
      isInside = true;
      entries.push(getEntry(text, start, new Scalar(null)));
    } else {
      const [, name, value = ''] = TOML_LINE.exec(text) ?? [];
      open = getOpenQuote(value);
      if (name === undefined || isInside) continue;
      entries.push(
        getEntry(name.replace(/^["']|["']$/g, ''), start, parseTomlValue(value, start + text.length - value.length)),
      );
    }
  }
  return entries.length === 0 ? undefined : entries;
}

function* splitLines(source: string): Generator<{ text: string; start: number }> {
  let start = 0;
  for (const line of source.split('\n')) {
    yield { text: line.trimEnd(), start };
    start += line.length + 1;
  }
}

function getEntry(name: string, start: number, value: Scalar | YAMLSeq): Pair {
  const key = new Scalar(name);
  key.range = [start, start + name.length, start + name.length];
  return new Pair(key, value);
}

/** Returns a scalar or a list if the line by itself is valid YAML, otherwise the text of the line. */
function parseScalar(source: string, offset: number): Scalar | YAMLSeq {
  if (source === '') return new Scalar(null);
  if (/^[&*!|>%@`]/.test(source)) return createPlainScalar(source, offset);
  const value = parseSingleValue(source);
  if (!isScalar(value))
    return value === undefined || !/^[[{]/.test(source) ? createPlainScalar(source, offset) : new YAMLSeq();
  const [from = 0, to = source.length] = value.range ?? [];
  value.range = [offset + from, offset + to, offset + to];
  return value;
}

function parseSingleValue(source: string): unknown {
  try {
    const { contents, errors } = parseDocument(source, { prettyErrors: false, logLevel: 'silent' });
    return errors.length > 0 || contents === null ? undefined : contents;
  } catch {
    return undefined;
  }
}

/** Keeps a template expression such as `{{ x }}` as text, although YAML parses it as nested mappings. */
function keepTemplatesAsText(map: YAMLMap, source: string): YAMLMap {
  for (const pair of map.items) {
    const { value } = pair;
    const [from, to] = (isMap(value) && value.flow === true && value.range) || [0, 0];
    if (to > from && source.startsWith('{{', from)) pair.value = createPlainScalar(source.slice(from, to), from);
  }
  return map;
}

function createPlainScalar(text: string, offset: number): Scalar {
  const scalar = new Scalar(text === '' ? null : text);
  scalar.range = [offset, offset + text.length, offset + text.length];
  return scalar;
}

const STRING = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')[ \t]*(?:#.*)?$/;
const NUMBER = /^[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** Parses a string, a number or a boolean. Other TOML values become lists, which no field accepts. */
function parseTomlValue(source: string, offset: number): Scalar | YAMLSeq {
  const string = STRING.exec(source);
  if (string !== null) {
    const scalar = new Scalar(string[1] === undefined ? (string[2] ?? '') : unescapeText(string[1]));
    const end = offset + (string[1] ?? string[2] ?? '').length + 2;
    scalar.range = [offset, end, end];
    return scalar;
  }
  const value = source.replace(/[ \t]+#.*$/, '').trim();
  if (value === 'true' || value === 'false') return new Scalar(value === 'true');
  if (NUMBER.test(value)) return new Scalar(Number(value.replaceAll('_', '')));
  if (/^[\d:.TZ+-]+$/.test(value)) return new Scalar(value);
  return new YAMLSeq();
}

const ESCAPES: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' };

function unescapeText(text: string): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g, (whole, short, long, sign: string) => {
    if (sign !== undefined) return ESCAPES[sign] ?? sign;
    const code = Number.parseInt(short ?? long, 16);
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}

/** Returns the end delimiter of a multi-line value, or '' for a value on one line. */
function getOpenQuote(value: string): string {
  for (const sign of ['"""', "'''"]) if (value.startsWith(sign) && !value.slice(3).includes(sign)) return sign;
  return value.startsWith('[') && !value.includes(']') ? ']' : '';
}

/** A new value of a field; undefined removes the field. */
export type FrontmatterValue = string | number | boolean | undefined;

/** A replacement in a text, in UTF-16 offsets. */
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
 * Sets or removes a frontmatter field. `path` is the field's key, preceded by the key of its mapping if it is in one.
 * Everything else is unchanged to the byte. A text without frontmatter gets a block, and an empty block is removed.
 * Returns undefined if that is not possible: for a flow mapping, a duplicate key, an alias, a TOML table, or if only
 * comments would be left.
 */
export function setFrontmatter(markdown: string, path: string[], value: FrontmatterValue): string | undefined {
  const newline = /^[^\n]*\r\n/.test(markdown) ? '\r\n' : '\n';
  const block = findFrontmatterBlock(markdown);
  if (block === undefined)
    return value === undefined ? markdown : addBlock(markdown, createEntry(path, value, newline));
  const { map, sourceOffset, bodyOffset, reading } = block;
  const close = markdown.lastIndexOf('\n', bodyOffset - 2) + 1;
  const source = { text: markdown.slice(sourceOffset, close), newline, isToml: reading === 'toml' };
  if (map.flow === true || (source.isToml && path.length > 1)) return undefined;
  const edit = getEdit(map, path, { value, source, end: findEntriesEnd(block, source) });
  if (edit === undefined) return undefined;
  const text = source.text.slice(0, edit.start) + edit.text + source.text.slice(edit.end);
  if (text.trim() !== '') {
    const result = markdown.slice(0, sourceOffset) + text + markdown.slice(close);
    return findFrontmatterBlock(result) && result;
  }
  return markdown.slice(0, markdown.startsWith('\ufeff') ? 1 : 0) + markdown.slice(bodyOffset).replace(/^\r?\n/, '');
}

/** Returns where new entries are inserted: at the end of YAML, and before the tables of TOML. */
function findEntriesEnd({ map }: FrontmatterBlock, { text, isToml }: Source): number {
  const table = isToml ? map.items.find(({ key }) => isScalar(key) && String(key.value).startsWith('[')) : undefined;
  return isScalar(table?.key) ? (table.key.range?.[0] ?? text.length) : text.length;
}

function addBlock(markdown: string, entry: string): string {
  const start = markdown.startsWith('\ufeff') ? 1 : 0;
  const newline = entry.endsWith('\r\n') ? '\r\n' : '\n';
  const body = markdown.slice(start);
  const gap = body === '' || /^\r?\n/.test(body) ? '' : newline;
  return `${markdown.slice(0, start)}---${newline}${entry}---${newline}${gap}${body}`;
}

interface WantedEntry {
  value: FrontmatterValue;
  source: Source;
  /** The offset at which a new entry of the mapping is inserted. */
  end: number;
}

function getEdit(
  map: YAMLMap,
  [key = '', ...childKeys]: string[],
  { value, source, end }: WantedEntry,
): Edit | undefined {
  const pairs = map.items.filter((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  const [pair] = pairs;
  if (pairs.length > 1) return undefined;
  if (pair === undefined) {
    const added = value === undefined ? '' : createEntry([key, ...childKeys], value, source.newline, source.isToml);
    return { start: end, end, text: indentEntry(added, getColumn(map, source.text)) };
  }
  const [start, keyEnd] = (isScalar(pair.key) && pair.key.range) || [0, 0];
  const oldValue = pair.value;
  const entryRange = { start: findLineStart(source.text, start), end: findEntryEnd(pair, keyEnd, source.text) };
  const inner = childKeys.length > 0 ? childKeys : ['visible'];
  if (
    isMap(oldValue) &&
    (childKeys.length > 0 || oldValue.items.some((each) => isScalar(each.key) && each.key.value === 'visible'))
  ) {
    if (oldValue.flow === true) return undefined;
    if (value === undefined && oldValue.items.length === 1) return { ...entryRange, text: '' };
    return getEdit(oldValue, inner, { value, source, end: entryRange.end });
  }
  if (value === undefined) return childKeys.length > 0 ? { start: 0, end: 0, text: '' } : { ...entryRange, text: '' };
  const isNull = oldValue === null || (isScalar(oldValue) && oldValue.value === null && (oldValue.source ?? '') === '');
  if (childKeys.length > 0) {
    const text = indentEntry(createEntry(childKeys, value, source.newline), `${getColumn(map, source.text)}  `);
    return isNull ? { start: entryRange.end, end: entryRange.end, text } : undefined;
  }
  if (isNull && !source.isToml) {
    const offset = source.text.indexOf(':', keyEnd) + 1;
    return { start: offset, end: offset, text: ` ${getYaml(value, '')}` };
  }
  if (!isScalar(oldValue) || !oldValue.range || oldValue.anchor !== undefined || oldValue.tag !== undefined)
    return undefined;
  const [from, to] = oldValue.range;
  const oldText = source.text.slice(from, to);
  const ending = /\r?\n$/.exec(oldText)?.[0] ?? '';
  return { start: from, end: to, text: (source.isToml ? getToml : getYaml)(value, oldText) + ending };
}

const findLineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

/** The indentation of a mapping's entries. */
function getColumn({ items }: YAMLMap, text: string): string {
  const key = items[0]?.key;
  const offset = (isScalar(key) && key.range?.[0]) || 0;
  return ' '.repeat(offset - findLineStart(text, offset));
}

const indentEntry = (entry: string, by: string): string => (by === '' ? entry : entry.replace(/^(?=.)/gm, by));

/** Returns the start of the line after an entry. */
function findEntryEnd({ value }: YAMLMap['items'][number], keyEnd: number, text: string): number {
  const range = value !== null && typeof value === 'object' && 'range' in value ? (value.range as number[]) : undefined;
  const end = Math.max(keyEnd, range?.[1] ?? 0);
  if (text[end - 1] === '\n') return end;
  const next = text.indexOf('\n', end);
  return next < 0 ? text.length : next + 1;
}

function createEntry(path: string[], value: string | number | boolean, newline: string, isToml = false): string {
  const [key = '', ...childKeys] = path;
  if (isToml) return `${key} = ${getToml(value, '')}${newline}`;
  if (childKeys.length === 0) return `${key}: ${getYaml(value, '')}${newline}`;
  return `${key}:${newline}${indentEntry(createEntry(childKeys, value, newline), '  ')}`;
}

/** Formats a value as YAML on one line, in the same quotes as the value that it replaces. */
function getYaml(value: string | number | boolean, oldText: string): string {
  if (typeof value !== 'string') return String(value);
  if (oldText.startsWith("'") && !/\p{Cc}/u.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return !oldText.startsWith('"') && isPlainScalar(value) ? value : JSON.stringify(value);
}

function isPlainScalar(text: string): boolean {
  if (!/^[\p{L}\p{N}./]/u.test(text) || /[\p{Cc}\p{Zl}\p{Zp}]|:(?: |$)| #| $/u.test(text)) return false;
  // Other tools may use YAML 1.1, in which `No` and dates are not strings.
  return (['1.1', '1.2'] as const).every((version) => {
    const { contents, errors } = parseDocument(text, { version, prettyErrors: false, logLevel: 'silent' });
    return errors.length === 0 && isScalar(contents) && contents.value === text;
  });
}

function getToml(value: string | number | boolean, oldText: string): string {
  if (typeof value !== 'string') return String(value);
  return oldText.startsWith("'") && !/['\p{Cc}]/u.test(value) ? `'${value}'` : JSON.stringify(value);
}
