import MarkdownIt from 'markdown-it';

const { normalizeReference, unescapeAll } = new MarkdownIt().utils;

/** The label of a definition, in the form in which labels are equal; and a text without its escapes and entities. */
export { normalizeReference, unescapeAll };

export const ENTITY = /&(?:#[xX][\da-fA-F]{1,6}|#\d{1,7}|[a-zA-Z][a-zA-Z\d]{1,31});/y;
const ENTITIES = new RegExp(ENTITY.source, 'g');

/** HTML entities as the characters they name. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITIES, (entity) => unescapeAll(entity));
}

/** Where the runs of backticks of each length begin, the last first. */
export type CodeRuns = Map<number, number[]>;

export function codeRuns(source: string): CodeRuns {
  const runs: CodeRuns = new Map();
  for (const { 0: run, index } of source.matchAll(/`+/g)) {
    const starts = runs.get(run.length);
    if (starts) starts.push(index);
    else runs.set(run.length, [index]);
  }
  for (const starts of runs.values()) starts.reverse();
  return runs;
}

/**
 * The run of backticks at `position` and where the run that closes it begins; undefined when none does. Positions must
 * be asked for in order: runs that lie behind are forgotten.
 */
export function codeSpan(runs: CodeRuns, source: string, position: number): { length: number; close?: number } {
  const length = runLength(source, position);
  const starts = runs.get(length) ?? [];
  while ((starts.at(-1) ?? Number.POSITIVE_INFINITY) <= position) starts.pop();
  const close = starts.at(-1);
  return close === undefined ? { length } : { length, close };
}

/** How often the character at `position` is repeated. */
export function runLength(source: string, position: number): number {
  let end = position + 1;
  while (source[end] === source[position]) end += 1;
  return end - position;
}
