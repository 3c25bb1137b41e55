/** The parser's state: what the next token may be. */
type State = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

const space = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Describes the first syntax error in a text that `JSON.parse` rejects, with its line and column. */
export function describeJsonError(text: string): string {
  const offset = findError(text);
  const before = text.slice(0, offset).split('\n');
  const position = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
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

/** Returns the first character of the next token and the offset after it. An invalid token is empty and ends at its error. */
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

/** Returns the offset after the match of a sticky expression, or `start` if there is none. */
function match(expression: RegExp, text: string, start: number): number {
  expression.lastIndex = start;
  return expression.test(text) ? expression.lastIndex : start;
}
