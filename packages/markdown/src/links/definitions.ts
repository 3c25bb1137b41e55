import { normalizeReference } from '../inline-tails.ts';
import { afterSpace, type Destination, destinationAt } from './destination.ts';
import { matchAt } from './occurrence.ts';
import type { Piece } from './pieces.ts';

const DEFINITION = /[ \t>*+-]*(?:\d{1,9}[.)][ \t]+)?\[(?!\^)((?:[^[\]\\]|\\[\s\S]){1,999})\]:/y;

/**
 * The first definition of each label, with the place of its target. Of the part that was read by the rules of blocks only
 * those count whose label is known to be defined there.
 */
export function definitionsOf(
  markdown: string,
  pieces: Piece[],
  labels: ReadonlySet<string>,
): Map<string, { line: number; destination: Destination }> {
  const found = new Map<string, { line: number; destination: Destination }>();
  for (const { kind, start } of pieces) {
    if (kind !== 'loose' && kind !== 'unread') continue;
    const match = matchAt(DEFINITION, markdown, start);
    if (!match) continue;
    const label = normalizeReference(match[1] ?? '');
    if (found.has(label) || (kind === 'loose' && !labels.has(label))) continue;
    const destination = destinationAt(markdown, afterSpace(markdown, start + match[0].length));
    if (destination !== undefined) found.set(label, { line: start, destination });
  }
  return found;
}
