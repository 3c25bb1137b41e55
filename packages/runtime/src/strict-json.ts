import { invalid } from '@octavo/schema';

const maxDepth = 64;

/** The error for valid JSON that is rejected nevertheless. */
class Refusal extends Error {}

const createRefusal = (message: string): Error => new Refusal(message);

/**
 * Parses JSON by RFC 8259, and rejects input that parsers can interpret differently: repeated keys, `__proto__`, lone
 * surrogates, and nesting deeper than 64 levels. Takes linear time. `location` is the path of the value in the request.
 * @throws ApiError invalid
 */
export function parseStrictJson(text: string, location: string): unknown {
  try {
    inspect(text);
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Refusal ? error.message : `is not valid JSON: ${describeJsonError(text)}`;
    throw invalid([{ path: location, message }]);
  }
}

interface Level {
  keys: Set<string> | undefined;
  expectsKey: boolean;
}

/** Checks the structure only; the parser reports malformed JSON. */
function inspect(text: string): void {
  const levels: Level[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    const level = levels.at(-1);
    if (char === '"') {
      const end = findStringEnd(text, index);
      if (end === -1) return;
      inspectString(text.slice(index, end + 1), level);
      index = end;
    } else if (char === '{' || char === '[') {
      if (levels.length >= maxDepth) throw createRefusal(`must have at most ${maxDepth} levels of nesting`);
      levels.push({ keys: char === '{' ? new Set() : undefined, expectsKey: char === '{' });
    } else if (char === '}' || char === ']') levels.pop();
    else if (char === ',' && level !== undefined) level.expectsKey = level.keys !== undefined;
  }
}

/**
 * Returns the end of the string that starts at `start`, or -1. A regular expression would overflow the stack in a long
 * string.
 */
function findStringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

function inspectString(token: string, level: Level | undefined): void {
  const isKey = level?.keys !== undefined && level.expectsKey;
  // A string can have many megabytes, so it is decoded only if it contains an escape that can change a key or encode a
  // surrogate.
  const value = token.includes(isKey ? '\\' : '\\u') ? parseString(token) : token.slice(1, -1);
  if (value === undefined) return;
  if (!value.isWellFormed()) throw createRefusal('must not contain lone surrogates');
  if (level?.keys === undefined || !isKey) return;
  level.expectsKey = false;
  if (value === '__proto__') throw createRefusal('must not have the key __proto__');
  if (level.keys.has(value)) throw createRefusal(`must not repeat the key ${JSON.stringify(value.slice(0, 64))}`);
  level.keys.add(value);
}

function parseString(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}

/** The parser's state: what the next token may be. */
type State = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

const space = /[ \t\n\r]*/y;

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

const escapeSequence = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Describes the first syntax error in a text that `JSON.parse` rejects, with its line and column. */
export function describeJsonError(text: string): string {
  const offset = findError(text);
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = end + 1;
  }
  const position = `line ${line}, column ${offset - lineStart + 1}`;
  const sign = text.codePointAt(offset);
  if (sign === undefined) return `it ends too early, at ${position}`;
  return `unexpected ${JSON.stringify(String.fromCodePoint(sign))} at ${position}`;
}

function findError(text: string): number {
  const open: string[] = [];
  let state: State | undefined = 'value';
  for (let index = match(space, text, 0); ; index = match(space, text, index)) {
    if (index >= text.length) return text.length;
    const [token, end] = readToken(text, index);
    state = token === '' ? undefined : getNextState(state, token, open);
    if (state === undefined) return token === '' ? end : index;
    index = end;
  }
}

/**
 * Returns the first character of the next token and the offset after it. An invalid token is empty and ends at its
 * error.
 */
function readToken(text: string, start: number): [token: string, end: number] {
  const sign = text[start] ?? '';
  if ('{}[]:,'.includes(sign)) return [sign, start + 1];
  if (sign !== '"') {
    const end = match(scalar, text, start);
    return [end === start ? '' : '0', end];
  }
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === '"') return ['"', index + 1];
    if ((text[index] ?? '') < ' ') return ['', index];
    if (text[index] !== '\\') continue;
    const end = match(escapeSequence, text, index);
    if (end === index) return ['', index];
    index = end - 1;
  }
  return ['', text.length];
}

function getNextState(state: State, token: string, open: string[]): State | undefined {
  if (state === 'colon') return token === ':' ? 'value' : undefined;
  const isClosing = (token === '}' && open.at(-1) === '{') || (token === ']' && open.at(-1) === '[');
  if (isClosing && (state === 'comma or end' || state.endsWith(token))) {
    open.pop();
    return 'comma or end';
  }
  if (state === 'comma or end') {
    if (token !== ',' || open.length === 0) return;
    return open.at(-1) === '{' ? 'key' : 'value';
  }
  if (state.startsWith('key')) return token === '"' ? 'colon' : undefined;
  if (token === '"' || token === '0') return 'comma or end';
  if (token !== '{' && token !== '[') return;
  open.push(token);
  return token === '{' ? 'key or }' : 'value or ]';
}

/** Matches a sticky expression at `start`. Returns the end of the match, or `start` if the text does not match. */
function match(expression: RegExp, text: string, start: number): number {
  expression.lastIndex = start;
  return expression.test(text) ? expression.lastIndex : start;
}
