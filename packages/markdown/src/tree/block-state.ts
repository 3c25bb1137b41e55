import type { StateBlock } from 'markdown-it';
import type { Extent } from './extents.ts';

/** What markdown-it carries along while it reads one document, or a piece of one. */
export interface BlockReading {
  references?: Record<string, { title: string; href: string }>;
  /** By the lines of the whole document. */
  extents?: ReadonlyMap<number, Extent>;
  inlineTokens?: number;
  /** The images that scripts of mdx import, by their names. */
  imports?: Map<string, string>;
  /** The lines at which containers end that mean nothing here, and those of the parts of such. */
  unknownEnds?: Set<number>;
  /** Whether all conditions of the document are those of another generator. */
  isForeign?: boolean;
  /** Where in the document the piece begins; 0 for all of it. */
  firstLine?: number;
  /** From this line of the piece on, what comes after the piece may say what stands there. */
  openAt?: number;
  maxTokens?: number;
  /** A longer text of one block stays flat. */
  maxInlineLength?: number;
}

export const lineOf = (state: StateBlock, line: number): string =>
  state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trimEnd();

export const isIndented = (state: StateBlock, line: number): boolean =>
  (state.sCount[line] ?? 0) - state.blkIndent >= 4;

/** The extent of the tag at a line, if it ends before `endLine`; parts and end as lines of what is read. */
export function extentAt(state: StateBlock, line: number, endLine: number): Extent | undefined {
  const { extents, firstLine = 0 } = state.env as BlockReading;
  const extent = extents?.get(line + firstLine);
  if (extent === undefined) return undefined;
  if (extent.end - firstLine < endLine)
    return { ...extent, end: extent.end - firstLine, parts: extent.parts.map((part) => part - firstLine) };
  noteOpen(state, line, endLine);
  return undefined;
}

/** Notes that lines of what is read are of a container that means nothing here. */
export function noteUnknown(state: StateBlock, ...lines: number[]): void {
  const reading = state.env as BlockReading;
  reading.unknownEnds ??= new Set();
  for (const line of lines) reading.unknownEnds.add(line + (reading.firstLine ?? 0));
}

/** Whether a line is one of those. */
export function isOfUnknown(state: StateBlock, line: number): boolean {
  const { unknownEnds, firstLine = 0 } = state.env as BlockReading;
  return unknownEnds?.has(line + firstLine) === true;
}

/** Notes that no end was found up to the end of what is read. */
export function noteOpen(state: StateBlock, line: number, endLine: number): void {
  const reading = state.env as BlockReading;
  if (endLine >= state.bMarks.length - 1) reading.openAt = Math.min(reading.openAt ?? line, line);
}

/** Reads the lines of a container as blocks. */
export function inside(state: StateBlock, start: number, end: number): void {
  const { lineMax, parentType, blkIndent, tight } = state;
  state.lineMax = end;
  state.parentType = 'root';
  state.md.block.tokenize(state, start, end);
  Object.assign(state, { lineMax, parentType, blkIndent, tight });
}

/** Reads the lines of a container up to its end, also those before a closing tag in its last line. */
export function insideUntil(state: StateBlock, start: number, { end, closing }: Pick<Extent, 'end' | 'closing'>): void {
  const { eMarks } = state;
  const [begin = 0, stop = 0] = [state.bMarks[end], eMarks[end]];
  if (closing !== undefined) eMarks[end] = begin + state.src.slice(begin, stop).trimEnd().length - closing.length;
  inside(state, start, closing === undefined ? end : end + 1);
  eMarks[end] = stop;
}
