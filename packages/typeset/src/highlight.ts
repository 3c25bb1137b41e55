import { colors } from './ink.ts';

/** Code beyond this is not colored, nor is what is in a longer line: what reads it takes longer than its length. */
const MAX_CODE = 60_000;
const MAX_LINE = 400;
const TAB = 4;

/** By the first part of what a token is said to be. */
const COLORS: Record<string, string> = {
  keyword: '0.53 0.16 0.6',
  controlKeyword: '0.53 0.16 0.6',
  operatorKeyword: '0.53 0.16 0.6',
  atom: '0.68 0.3 0.02',
  bool: '0.68 0.3 0.02',
  number: '0.68 0.3 0.02',
  integer: '0.68 0.3 0.02',
  string: '0.1 0.42 0.2',
  regexp: '0.1 0.42 0.2',
  inserted: '0.1 0.42 0.2',
  deleted: '0.72 0.16 0.16',
  comment: colors.soft,
  meta: colors.soft,
  typeName: '0.05 0.36 0.72',
  type: '0.05 0.36 0.72',
  tagName: '0.05 0.36 0.72',
  tag: '0.05 0.36 0.72',
  qualifier: '0.05 0.36 0.72',
  def: '0.05 0.36 0.72',
  propertyName: '0 0.4 0.45',
  property: '0 0.4 0.45',
  attributeName: '0 0.4 0.45',
  attribute: '0 0.4 0.45',
  builtin: '0 0.4 0.45',
  heading: '0.05 0.36 0.72',
};
/** Names that are said to be more than that. */
const MODIFIED: Record<string, string> = {
  definition: '0.05 0.36 0.72',
  standard: '0 0.4 0.45',
  special: '0 0.4 0.45',
};

/** A piece of a line in one color. */
export interface Colored {
  text: string;
  color: string;
}

/** Reads code line by line, and gives what it holds in colors. */
export interface Highlighter {
  line(text: string): Colored[];
}

/** What colors code in this language, as a fence names it; undefined where it is none that is known. */
export async function highlighterOf(syntax: string): Promise<Highlighter | undefined> {
  const [name = ''] = /^[\w+#.-]{1,40}/.exec(syntax.trim()) ?? [];
  if (name === '') return undefined;
  const { languages, StringStream } = await import('./languages.ts');
  const parser = languages.get(name.toLowerCase());
  if (parser === undefined) return undefined;
  const state = parser.startState?.(TAB) ?? {};
  let left = MAX_CODE;
  const line = (text: string): Colored[] => {
    const plain = [{ text, color: colors.text }];
    left -= text.length + 1;
    if (left < 0 || text.length > MAX_LINE) return plain;
    if (text === '') {
      parser.blankLine?.(state, TAB);
      return plain;
    }
    const stream = new StringStream(text, TAB, TAB);
    const parts: Colored[] = [];
    for (let empty = 0; !stream.eol() && empty < 10; ) {
      stream.start = stream.pos;
      const type = parser.token(stream, state);
      if (isInPair(text, stream.pos)) stream.pos += 1;
      empty = stream.pos > stream.start ? 0 : empty + 1;
      if (stream.pos > stream.start) put(parts, { text: stream.current(), color: colorOf(type) });
    }
    return stream.eol() ? parts : [...parts, { text: text.slice(stream.pos), color: colors.text }];
  };
  return { line };
}

/** Whether a place is between the two halves of one character. */
const isInPair = (text: string, place: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, place - 1), place + 1));

/** Neighbors of one color are one part. */
function put(parts: Colored[], part: Colored): void {
  const last = parts.at(-1);
  if (last?.color === part.color) last.text += part.text;
  else parts.push(part);
}

function colorOf(type: string | null): string {
  for (const each of type?.split(' ') ?? []) {
    const [name = '', ...modifiers] = each.split('.');
    const modifier = modifiers.find((modifier) => Object.hasOwn(MODIFIED, modifier));
    if (Object.hasOwn(COLORS, name)) return COLORS[name] ?? colors.text;
    if (modifier !== undefined) return MODIFIED[modifier] ?? colors.text;
  }
  return colors.text;
}
