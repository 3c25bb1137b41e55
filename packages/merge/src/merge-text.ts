import { readExtents } from '@octavo/markdown';
import { findFreeMarkerLength, writeConflict } from './conflict-markers.ts';
import { mergeFrontmatter } from './merge-frontmatter.ts';
import { type MergedPiece, mergeLines, type TextVersions, toSingleConflict } from './merge-lines.ts';

/** A merged text. Its conflict markers have `markerLength` characters. They occur in none of the three texts. */
export interface MergedText {
  text: string;
  conflicts: number;
  markerLength?: number;
  /** Set if a merge by lines would leave tags crossed or unclosed although both sides are correct. */
  crossesTags?: true;
}

/**
 * Merges the frontmatter by entries and the rest by lines, without changing any byte. The end of the last line is
 * merged separately, because one side can add it while the other changes the line.
 */
export function mergeText(texts: TextVersions): MergedText {
  const { base, main, incoming } = texts;
  if (incoming === base || incoming === main) return { text: main, conflicts: 0 };
  if (main === base) return { text: incoming, conflicts: 0 };
  const newline = findDominantNewline([base, main, incoming]);
  const ended = {
    base: closeLastLine(base, newline),
    main: closeLastLine(main, newline),
    incoming: closeLastLine(incoming, newline),
  };
  const { pieces, crossesTags } = mergePieces(ended);
  const conflicts = pieces.filter((piece) => typeof piece !== 'string').length;
  if (conflicts === 0) {
    const text = pieces.join('');
    return { text: hasOpenEnd(texts) ? removeLineEnd(text) : text, conflicts };
  }
  const markerLength = findFreeMarkerLength([base, main, incoming]);
  const lines = pieces.map((piece) =>
    typeof piece === 'string' ? piece : writeConflict(piece, markerLength, newline),
  );
  const text =
    typeof pieces.findLast((piece) => piece !== '') === 'string' && hasOpenEnd(texts) ? removeLineEnd : String;
  return { text: text(lines.join('')), conflicts, markerLength, ...(crossesTags ? { crossesTags } : {}) };
}

function mergePieces(texts: TextVersions): { pieces: MergedPiece[]; crossesTags: boolean } {
  const { pieces: head, bodies } = mergeFrontmatter(texts) ?? { pieces: [], bodies: texts };
  const body = mergeLines(bodies);
  const crossesTags = (['main', 'incoming'] as const).some((side) => {
    const decided = body.map((piece) => (typeof piece === 'string' ? piece : piece[side])).join('');
    return hasNewFaults(decided, bodies);
  });
  return { pieces: [...head, ...(crossesTags ? toSingleConflict(bodies) : body)], crossesTags };
}

/** Whether the last line has no terminator. If one side changed this, its change wins. */
function hasOpenEnd({ base, main, incoming }: TextVersions): boolean {
  const [isBaseOpen, ours, theirs] = [base, main, incoming].map((text) => text !== '' && !text.endsWith('\n'));
  return (theirs === isBaseOpen ? ours : theirs) === true;
}

const closeLastLine = (text: string, newline: string): string =>
  text === '' || text.endsWith('\n') ? text : text + newline;

const removeLineEnd = (text: string): string =>
  text.slice(0, text.endsWith('\r\n') ? -2 : text.endsWith('\n') ? -1 : undefined);

function findDominantNewline(texts: string[]): string {
  const count = (ending: string): number => texts.reduce((sum, text) => sum + countOccurrences(text, ending), 0);
  return count('\r\n') * 2 > count('\n') ? '\r\n' : '\n';
}

function countOccurrences(text: string, part: string): number {
  let count = 0;
  for (let i = text.indexOf(part); i >= 0; i = text.indexOf(part, i + part.length)) count += 1;
  return count;
}

type Faults = ReadonlyMap<string, number>;

const mayHoldTags = /\{%|<\/?details/;
const noAnchors: Faults = new Map();

const countFaults = (text: string): Faults =>
  mayHoldTags.test(text) ? readExtents(text.split('\n')).faults : noAnchors;

/** Whether a merged text has more tags that are crossed, unclosed or unopened than its two sides. */
function hasNewFaults(merged: string, { base, main, incoming }: TextVersions): boolean {
  const mergedFaults = countFaults(merged);
  if (mergedFaults.size === 0) return false;
  const [baseFaults, ours, theirs] = [countFaults(base), countFaults(main), countFaults(incoming)];
  return [...mergedFaults].some(([fault, count]) => {
    const [before, one, other] = [baseFaults, ours, theirs].map((faults) => faults.get(fault) ?? 0) as [
      number,
      number,
      number,
    ];
    return count > Math.max(one, other, one + other - before);
  });
}
