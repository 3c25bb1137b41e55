import { languages, StringStream } from './languages.ts';

/** The kinds of token that have a color. */
export type TokenKind = 'keyword' | 'constant' | 'string' | 'deleted' | 'comment' | 'name' | 'property';

/**
 * Code that exceeds `MAX_CODE` characters, or has a line of more than `MAX_LINE` characters, is not highlighted,
 * because parsing takes superlinear time.
 */
const MAX_CODE = 60_000;
const MAX_LINE = 400;
const TAB = 4;

/** Kinds by the first part of a token's style. */
const KINDS: Record<string, TokenKind> = {
  keyword: 'keyword',
  controlKeyword: 'keyword',
  operatorKeyword: 'keyword',
  atom: 'constant',
  bool: 'constant',
  number: 'constant',
  integer: 'constant',
  string: 'string',
  regexp: 'string',
  inserted: 'string',
  deleted: 'deleted',
  comment: 'comment',
  meta: 'comment',
  typeName: 'name',
  type: 'name',
  tagName: 'name',
  tag: 'name',
  qualifier: 'name',
  def: 'name',
  propertyName: 'property',
  property: 'property',
  attributeName: 'property',
  attribute: 'property',
  builtin: 'property',
  heading: 'name',
};
/** Kinds by a modifier of the style, which take precedence. */
const MODIFIED: Record<string, TokenKind> = {
  definition: 'name',
  standard: 'property',
  special: 'property',
};

/** A part of a line. Plain text has no kind. */
export interface CodeToken {
  text: string;
  kind?: TokenKind;
}

/** Reads code line by line and returns the tokens of each line. */
export interface CodeReader {
  highlightLine(text: string): CodeToken[];
}

/**
 * Returns a reader for a language, named as in a code fence, or undefined if the language is unknown. The time grows
 * linearly with the code: long code, and code on long lines, is returned as plain text.
 */
export function createCodeReader(syntax: string): CodeReader | undefined {
  const [name = ''] = /^[\w+#.-]{1,40}/.exec(syntax.trim()) ?? [];
  const parser = languages.get(name.toLowerCase());
  if (parser === undefined) return undefined;
  const state = parser.startState?.(TAB) ?? {};
  let remaining = MAX_CODE;
  const highlightLine = (text: string): CodeToken[] => {
    const plain = [{ text }];
    remaining -= text.length + 1;
    if (remaining < 0 || text.length > MAX_LINE) return plain;
    if (text === '') {
      parser.blankLine?.(state, TAB);
      return plain;
    }
    const stream = new StringStream(text, TAB, TAB);
    const parts: CodeToken[] = [];
    for (let empty = 0; !stream.eol() && empty < 10; ) {
      stream.start = stream.pos;
      const type = parser.token(stream, state);
      if (isInPair(text, stream.pos)) stream.pos += 1;
      empty = stream.pos > stream.start ? 0 : empty + 1;
      if (stream.pos > stream.start) addToken(parts, stream.current(), getKind(type));
    }
    return stream.eol() ? parts : [...parts, { text: text.slice(stream.pos) }];
  };
  return { highlightLine };
}

/** Returns the tokens of each line. In an unknown language, each line is one token. */
export function getTokens(lines: readonly string[], syntax: string): CodeToken[][] {
  const reader = createCodeReader(syntax);
  return lines.map((text) => reader?.highlightLine(text) ?? [{ text }]);
}

/** Whether a position is between the two halves of a surrogate pair. */
const isInPair = (text: string, offset: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, offset - 1), offset + 1));

/** Adds a token. Adjacent tokens of the same kind are merged. */
function addToken(parts: CodeToken[], text: string, kind: TokenKind | undefined): void {
  const last = parts.at(-1);
  if (last !== undefined && last.kind === kind) last.text += text;
  else parts.push(kind === undefined ? { text } : { text, kind });
}

function getKind(type: string | null): TokenKind | undefined {
  for (const each of type?.split(' ') ?? []) {
    const [name = '', ...modifiers] = each.split('.');
    const modifier = modifiers.find((modifier) => Object.hasOwn(MODIFIED, modifier));
    if (Object.hasOwn(KINDS, name)) return KINDS[name];
    if (modifier !== undefined) return MODIFIED[modifier];
  }
  return undefined;
}
