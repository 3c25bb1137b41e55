import { languages, StringStream } from './languages.ts';

/** What a piece of code is, as far as it is told apart by a colour. */
export type TokenKind = 'keyword' | 'constant' | 'string' | 'deleted' | 'comment' | 'name' | 'property';

/** Code beyond this is not colored, nor is what is in a longer line: what reads it takes longer than its length. */
const MAX_CODE = 60_000;
const MAX_LINE = 400;
const TAB = 4;

/** By the first part of what a token is said to be. */
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
/** Names that are said to be more than that. */
const MODIFIED: Record<string, TokenKind> = {
  definition: 'name',
  standard: 'property',
  special: 'property',
};

/** A piece of a line of one kind; of none where it is plain. */
export interface CodeToken {
  text: string;
  kind?: TokenKind;
}

/** Reads code line by line, and gives the tokens of each. */
export interface CodeReader {
  line(text: string): CodeToken[];
}

/**
 * What reads code in this language, as a fence names it; undefined where it is none that is known. It takes time with the
 * length of the code: what is long, or stands in a long line, is plain.
 */
export function codeReader(syntax: string): CodeReader | undefined {
  const [name = ''] = /^[\w+#.-]{1,40}/.exec(syntax.trim()) ?? [];
  const parser = languages.get(name.toLowerCase());
  if (parser === undefined) return undefined;
  const state = parser.startState?.(TAB) ?? {};
  let left = MAX_CODE;
  const line = (text: string): CodeToken[] => {
    const plain = [{ text }];
    left -= text.length + 1;
    if (left < 0 || text.length > MAX_LINE) return plain;
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
      if (stream.pos > stream.start) put(parts, stream.current(), getKind(type));
    }
    return stream.eol() ? parts : [...parts, { text: text.slice(stream.pos) }];
  };
  return { line };
}

/** The tokens of each line of a code; in a language that is not known, each line is one. */
export function getTokens(lines: readonly string[], syntax: string): CodeToken[][] {
  const reader = codeReader(syntax);
  return lines.map((text) => reader?.line(text) ?? [{ text }]);
}

/** Whether a place is between the two halves of one character. */
const isInPair = (text: string, place: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, place - 1), place + 1));

/** Neighbours of one kind are one token. */
function put(parts: CodeToken[], text: string, kind: TokenKind | undefined): void {
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
