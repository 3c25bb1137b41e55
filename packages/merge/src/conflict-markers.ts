import type { Block } from '@octavo/markdown';
import { getResult, parseTree, renderTree } from '@octavo/markdown';
import { splitLines } from './lines.ts';
import { findRegions } from './pair-blocks.ts';

/** The texts of both sides and of their base at one location, in whole lines. */
export interface Conflict {
  base: string;
  main: string;
  incoming: string;
}

const shortest = 7;
const markerLine = /^(?:(<+) change request|(\|+) base|(=+)|(>+) main)\r?$/gm;

const createMarkers = (length: number) => ({
  incoming: `${'<'.repeat(length)} change request`,
  base: `${'|'.repeat(length)} base`,
  main: '='.repeat(length),
  end: `${'>'.repeat(length)} main`,
});

/**
 * Returns the shortest length of conflict markers that occurs in no line of the texts, so that no existing line is
 * mistaken for a marker.
 */
export function findFreeMarkerLength(texts: readonly string[]): number {
  const used = new Set<number>();
  for (const text of texts) {
    for (const [, ...runs] of text.matchAll(markerLine)) used.add(runs.find((run) => run !== undefined)?.length ?? 0);
  }
  let length = shortest;
  while (used.has(length)) length += 1;
  return length;
}

export function writeConflict(conflict: Conflict, length: number, newline: string): string {
  const markers = createMarkers(length);
  const formatSide = (side: keyof Conflict) => markers[side] + newline + conflict[side];
  return `${formatSide('incoming')}${formatSide('base')}${formatSide('main')}${markers.end}${newline}`;
}

/**
 * Whether the text has a marker of this length as a whole line. The middle marker is ignored, because it can also
 * underline a heading.
 */
export function hasMarkers(text: string, length: number): boolean {
  const { incoming, base, end } = createMarkers(length);
  return [incoming, base, end].some((marker) => hasLine(text, marker));
}

function hasLine(text: string, line: string): boolean {
  for (let start = text.indexOf(line); start >= 0; start = text.indexOf(line, start + 1)) {
    const end = start + line.length;
    const isLineStart = start === 0 || text[start - 1] === '\n';
    if (isLineStart && (end === text.length || text[end] === '\n' || text.startsWith('\r\n', end))) return true;
  }
  return false;
}

/**
 * Splits a text with markers of this length into its conflicts and the lines between them. Returns undefined if the
 * markers are incomplete.
 */
export function splitConflicts(text: string, length: number): (string | Conflict)[] | undefined {
  const markers = createMarkers(length);
  const order = [markers.incoming, markers.base, markers.main, markers.end];
  const sections = ['incoming', 'base', 'main'] as const;
  const parts: (string | Conflict)[] = [];
  let lines = '';
  let conflict: Conflict = { base: '', main: '', incoming: '' };
  /** The number of markers of the current conflict that were read. */
  let depth = 0;
  for (const line of splitLines(text)) {
    const marker = order.indexOf(line.replace(/\r?\n$/, ''));
    const section = sections[depth - 1];
    const isText = marker < 0 || (marker === 2 && depth !== 2);
    if (isText && section === undefined) lines += line;
    else if (isText && section !== undefined) conflict[section] += line;
    else if (marker !== depth) return undefined;
    else {
      if (depth === 0) parts.push(lines);
      if (depth === 3) parts.push(conflict);
      if (depth === 0) [lines, conflict] = ['', { base: '', main: '', incoming: '' }];
      depth = (depth + 1) % order.length;
    }
  }
  return depth === 0 ? [...parts, lines].filter((part) => part !== '') : undefined;
}

/** Returns the text with one side of each conflict, or undefined if the markers are incomplete. */
export const selectSide = (text: string, length: number, side: 'main' | 'incoming'): string | undefined =>
  splitConflicts(text, length)
    ?.map((part) => (typeof part === 'string' ? part : part[side]))
    .join('');

/** The reverted text, and the keys that match no block of either text. */
interface RevertedBlocks {
  markdown: string;
  unknown: string[];
}

/**
 * Reverts single top-level blocks to their state in `before`. A key names a block of either text. An added block is
 * removed, a deleted one restored, a changed one reset; all others remain unchanged.
 */
export function revertBlocks(markdown: string, before: string, keys: readonly string[]): RevertedBlocks {
  const [now, then] = [parseTree(markdown), parseTree(before)];
  const selected = new Set(keys);
  const foundKeys = new Set([...now.nodes, ...then.nodes].map(({ key }) => key));
  const nodes = getResult(findRegions(then.nodes, now.nodes)).flatMap(({ keptPair: kept, former, current }) => [
    ...Array.from({ length: Math.max(former.length, current.length) }, (_, index) =>
      isSelected(former[index], selected) || isSelected(current[index], selected) ? former[index] : current[index],
    ),
    kept?.[1],
  ]);
  const reverted = { ...now, nodes: nodes.filter((node) => node !== undefined) };
  return { markdown: renderTree(reverted), unknown: keys.filter((key) => !foundKeys.has(key)) };
}

const isSelected = (node: Block | undefined, selected: ReadonlySet<string>): boolean =>
  node?.key !== undefined && selected.has(node.key);
