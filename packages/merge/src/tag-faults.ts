import { readExtents } from '@octavo/markdown';
import type { TextVersions } from './merge-lines.ts';

type Faults = ReadonlyMap<string, number>;

const mayHoldTags = /\{%|<\/?details/;
const none: Faults = new Map();

const faultsIn = (text: string): Faults => (mayHoldTags.test(text) ? readExtents(text.split('\n')).faults : none);

/** Whether a merged text has tags that cross, stay open or end nothing, more than its two sides brought along. */
export function addsFaults(merged: string, { base, main, incoming }: TextVersions): boolean {
  const found = faultsIn(merged);
  if (found.size === 0) return false;
  const [was, ours, theirs] = [faultsIn(base), faultsIn(main), faultsIn(incoming)];
  return [...found].some(([fault, count]) => {
    const [before, one, other] = [was, ours, theirs].map((faults) => faults.get(fault) ?? 0) as [
      number,
      number,
      number,
    ];
    return count > Math.max(one, other, one + other - before);
  });
}
