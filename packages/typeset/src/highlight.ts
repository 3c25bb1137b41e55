import { type CodeToken, codeReader } from '@octavo/highlight';
import { colors } from './ink.ts';

const COLORS: Record<NonNullable<CodeToken['kind']>, string> = {
  keyword: '0.53 0.16 0.6',
  constant: '0.68 0.3 0.02',
  string: '0.1 0.42 0.2',
  deleted: '0.72 0.16 0.16',
  comment: colors.soft,
  name: '0.05 0.36 0.72',
  property: '0 0.4 0.45',
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
export function highlighterOf(syntax: string): Highlighter | undefined {
  const reader = codeReader(syntax);
  if (reader === undefined) return undefined;
  const colorOf = ({ kind }: CodeToken) => (kind === undefined ? colors.text : COLORS[kind]);
  return { line: (text) => reader.line(text).map((token) => ({ text: token.text, color: colorOf(token) })) };
}
