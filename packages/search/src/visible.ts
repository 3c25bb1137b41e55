import type { SegmentIndex } from './segment.ts';
import { getConditionSet } from './segment.ts';

/** A segment to search, and which of its sections the searcher may see. */
export interface SearchedSegment {
  id: string;
  index: SegmentIndex;
  /** An entry for each section: 1 if it is visible. */
  visible: Uint8Array;
  /** The number of visible sections. */
  count: number;
}

export interface Visibility {
  /** The numbers of pages that are no longer in the index. */
  removed: number[];
  isVisibleSpace: (space: string) => boolean;
  /** Whether the searcher meets all conditions of a section. */
  areMet: (conditions: string[]) => boolean;
}

/** Returns a segment with the sections that a searcher may see. */
export function restrictSegment(
  id: string,
  index: SegmentIndex,
  { removed, isVisibleSpace, areMet }: Visibility,
): SearchedSegment {
  const { header, firstSections } = index;
  const visible = new Uint8Array(header.sections);
  for (const [number, [space, page]] of header.spaces.entries()) {
    if (!isVisibleSpace(space)) continue;
    const next = header.spaces[number + 1]?.[1] ?? header.pages;
    visible.fill(1, firstSections[page], firstSections[next]);
  }
  for (const page of removed) visible.fill(0, firstSections[page], firstSections[page + 1]);
  for (const [number, [start, set]] of header.runs.entries()) {
    const end = header.runs[number + 1]?.[0] ?? header.sections;
    // Conditions of other spaces are not evaluated, so that they don't count towards the limit of conditions.
    const hasVisible = visible.subarray(start, end).includes(1);
    if (hasVisible && !areMet(getConditionSet(header, set))) visible.fill(0, start, end);
  }
  return { id, index, visible, count: visible.reduce((sum, each) => sum + each, 0) };
}
