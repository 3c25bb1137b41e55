import { unescapeAll } from '../entities.ts';
import { templateAddress } from './template-address.ts';

/** White space, also over the end of a line, with the marks of a quotation before the next. */
const SPACE = /[ \t]*(?:\r?\n[ \t>]*)?/y;
const ANGLE = /<((?:[^<>\n\\]|\\.)*)>/y;
const BARE = /(?:[^\s()\\]|\\[^\s]|\\(?=\s|$)|\((?:[^\s()\\]|\\[^\s])*\))+/y;
const TITLE = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\((?:[^()\\]|\\[\s\S])*\)/y;

/** Where a target is written, as it is meant. */
export interface WrittenTarget {
  start: number;
  end: number;
  target: string;
}

/** The target that begins at `position`; none when there is nothing of that form. */
export function destinationAt(source: string, position: number): WrittenTarget | undefined {
  const template = templateAddress(source, position);
  if (template) return { start: position, ...template };
  const angle = matchAt(ANGLE, source, position);
  if (angle) return { start: position, end: position + angle[0].length, target: unescapeAll(angle[1] ?? '') };
  if (source[position] === '<') return undefined;
  const bare = matchAt(BARE, source, position)?.[0];
  return bare === undefined ? undefined : { start: position, end: position + bare.length, target: unescapeAll(bare) };
}

/** The target in the parentheses that begin at `position`, with a title or none, and where they end. */
export function parenthesesAt(
  source: string,
  position: number,
): { end: number; destination?: WrittenTarget } | undefined {
  if (source[position] !== '(') return undefined;
  const start = afterSpace(source, position + 1);
  const destination = destinationAt(source, start);
  let end = afterSpace(source, destination?.end ?? start);
  if (destination !== undefined && end > destination.end) {
    const title = matchAt(TITLE, source, end)?.[0] ?? '';
    end = afterSpace(source, end + title.length);
  }
  if (source[end] !== ')') return undefined;
  return { end: end + 1, ...(destination === undefined ? {} : { destination }) };
}

export const afterSpace = (source: string, position: number): number =>
  position + (matchAt(SPACE, source, position)?.[0].length ?? 0);

/** How strongly a place needs what it links to: a text that is included belongs to the page itself. */
export type LinkRelation = 'reference' | 'dependsOn';
export type LinkKind = 'link' | 'image' | 'embed' | 'file' | 'include' | 'cover';

/** How the text of a target is written where it stands. */
export type TargetStyle = 'destination' | 'attribute' | 'script' | 'plain' | 'autolink' | 'yaml';

/** A target where it stands in a text, with the offsets (UTF-16 units) of what is written for it. */
export interface Occurrence {
  start: number;
  end: number;
  target: string;
  relation: LinkRelation;
  kind: LinkKind;
  style: TargetStyle;
}

/** An occurrence `by` further on. */
export const shifted = (occurrence: Occurrence, by: number): Occurrence => ({
  ...occurrence,
  start: occurrence.start + by,
  end: occurrence.end + by,
});

/** A match at exactly this position. */
export function matchAt(pattern: RegExp, source: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(source);
}
