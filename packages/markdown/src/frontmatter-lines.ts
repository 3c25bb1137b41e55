import { isMap, isScalar, Pair, parseDocument, Scalar, type YAMLMap, YAMLSeq } from 'yaml';

/** The entries of a block, each with its key and value at their ranges in the source. */
type Entries = Pair[];

const YAML_LINE = /^([A-Za-z_][\w.-]{0,99}):(?:[ \t]+(.*))?$/;
/** What else stands in YAML: comments, entries of lists, what is indented, and ends of what is in brackets. */
const YAML_OTHER = /^(?:[ \t#}\])-]|$)/;
const TOML_LINE = /^([\w-]{1,100}|"[^"\\]{1,100}"|'[^']{1,100}')[ \t]*=[ \t]*(.*)$/;
const TABLE = /^\[.*\]/;
const MAX_VALUES = 200;

/**
 * The `key: value` lines of the top level; undefined where the text does not begin with one, or where lines that are
 * neither that nor any other part of YAML are as many.
 */
export function linesOfYaml(source: string): Entries | undefined {
  const entries: Entries = [];
  let others = 0;
  for (const { text, start } of linesIn(source)) {
    const [, key, value = ''] = YAML_LINE.exec(text) ?? [];
    if (key === undefined) {
      if (entries.length === 0 && !/^[ \t]*(?:#|$)/.test(text)) return undefined;
      if (!YAML_OTHER.test(text)) others += 1;
      continue;
    }
    const at = start + text.length - value.length;
    entries.push(entryOf(key, start, entries.length < MAX_VALUES ? scalarIn(value, at) : plain(value, at)));
  }
  return entries.length <= others ? undefined : entries;
}

/** The `key = value` lines above the first table, and the names of the tables, which hold nothing here. */
export function linesOfToml(source: string): Entries | undefined {
  const entries: Entries = [];
  let [isInside, open] = [false, ''];
  for (const { text, start } of linesIn(source)) {
    if (open !== '') {
      if (text.includes(open)) open = '';
    } else if (TABLE.test(text)) {
      isInside = true;
      entries.push(entryOf(text, start, new Scalar(null)));
    } else {
      const [, name, value = ''] = TOML_LINE.exec(text) ?? [];
      open = openAfter(value);
      if (name === undefined || isInside) continue;
      entries.push(
        entryOf(name.replace(/^["']|["']$/g, ''), start, tomlValue(value, start + text.length - value.length)),
      );
    }
  }
  return entries.length === 0 ? undefined : entries;
}

function* linesIn(source: string): Generator<{ text: string; start: number }> {
  let start = 0;
  for (const line of source.split('\n')) {
    yield { text: line.trimEnd(), start };
    start += line.length + 1;
  }
}

function entryOf(name: string, start: number, value: Scalar | YAMLSeq): Pair {
  const key = new Scalar(name);
  key.range = [start, start + name.length, start + name.length];
  return new Pair(key, value);
}

/** What a line gives its key: a scalar or a list as YAML reads that line alone, else the text as it is written. */
function scalarIn(written: string, at: number): Scalar | YAMLSeq {
  if (written === '') return new Scalar(null);
  if (/^[&*!|>%@`]/.test(written)) return plain(written, at);
  const read = readAlone(written);
  if (!isScalar(read)) return read === undefined || !/^[[{]/.test(written) ? plain(written, at) : new YAMLSeq();
  const [from = 0, to = written.length] = read.range ?? [];
  read.range = [at + from, at + to, at + to];
  return read;
}

function readAlone(written: string): unknown {
  try {
    const { contents, errors } = parseDocument(written, { prettyErrors: false, logLevel: 'silent' });
    return errors.length > 0 || contents === null ? undefined : contents;
  } catch {
    return undefined;
  }
}

/** A text of a template, which YAML reads as a mapping in a mapping, is a text. */
export function withoutTemplates(map: YAMLMap, source: string): YAMLMap {
  for (const pair of map.items) {
    const { value } = pair;
    const [from, to] = (isMap(value) && value.flow === true && value.range) || [0, 0];
    if (to > from && source.startsWith('{{', from)) pair.value = plain(source.slice(from, to), from);
  }
  return map;
}

function plain(text: string, at: number): Scalar {
  const scalar = new Scalar(text === '' ? null : text);
  scalar.range = [at, at + text.length, at + text.length];
  return scalar;
}

const STRING = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')[ \t]*(?:#.*)?$/;
const NUMBER = /^[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** A text, a number, true or false; anything else that TOML has is a list here, which is no value of a field. */
function tomlValue(written: string, at: number): Scalar | YAMLSeq {
  const string = STRING.exec(written);
  if (string !== null) {
    const scalar = new Scalar(string[1] === undefined ? (string[2] ?? '') : unescaped(string[1]));
    const end = at + (string[1] ?? string[2] ?? '').length + 2;
    scalar.range = [at, end, end];
    return scalar;
  }
  const bare = written.replace(/[ \t]+#.*$/, '').trim();
  if (bare === 'true' || bare === 'false') return new Scalar(bare === 'true');
  if (NUMBER.test(bare)) return new Scalar(Number(bare.replaceAll('_', '')));
  if (/^[\d:.TZ+-]+$/.test(bare)) return new Scalar(bare);
  return new YAMLSeq();
}

const ESCAPES: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g, (whole, short, long, sign: string) => {
    if (sign !== undefined) return ESCAPES[sign] ?? sign;
    const code = Number.parseInt(short ?? long, 16);
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}

/** What ends a text or a list that goes on after its line: '' where none does. */
function openAfter(value: string): string {
  for (const sign of ['"""', "'''"]) if (value.startsWith(sign) && !value.slice(3).includes(sign)) return sign;
  return value.startsWith('[') && !value.includes(']') ? ']' : '';
}
