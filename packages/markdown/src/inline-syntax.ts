import MarkdownIt from 'markdown-it';

const { normalizeReference, unescapeAll } = new MarkdownIt().utils;

/**
 * `normalizeReference` normalizes the label of a definition for comparison. `unescapeAll` unescapes a text and decodes
 * its entities.
 */
export { normalizeReference, unescapeAll };

export const ENTITY = /&(?:#[xX][\da-fA-F]{1,6}|#\d{1,7}|[a-zA-Z][a-zA-Z\d]{1,31});/y;
const ENTITIES = new RegExp(ENTITY.source, 'g');

/** Decodes HTML entities. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITIES, (entity) => unescapeAll(entity));
}

/** Positions of backtick runs by their length, last first. */
export type CodeRuns = Map<number, number[]>;

export function findCodeRuns(source: string): CodeRuns {
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
 * Returns the backtick run at `position` and the start of the run that closes it; undefined if no run closes it.
 * Positions must not decrease from call to call, because earlier runs are dropped.
 */
export function findCodeSpan(runs: CodeRuns, source: string, position: number): { length: number; close?: number } {
  const length = countRepetitions(source, position);
  const starts = runs.get(length) ?? [];
  while ((starts.at(-1) ?? Number.POSITIVE_INFINITY) <= position) starts.pop();
  const close = starts.at(-1);
  return close === undefined ? { length } : { length, close };
}

/** Returns how often the character at `position` is repeated. */
export function countRepetitions(source: string, position: number): number {
  let end = position + 1;
  while (source[end] === source[position]) end += 1;
  return end - position;
}

const BLOCK_ELEMENTS = new Set(
  'address article aside blockquote body br center dd details div dl dt embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html iframe li main meta nav ol p pre section summary table tbody td tfoot th thead title tr ul video audio'.split(
    ' ',
  ),
);

/** Whether an element is a block, so that its content is not inline with the surrounding text. */
export const isBlockElement = (name: string): boolean => BLOCK_ELEMENTS.has(name.toLowerCase());

/** If the text is a single tag of a block element, returns the match with its slash and its name. */
export function matchBlockTag(html: string): RegExpExecArray | undefined {
  const tagMatch = /^<(\/?)([a-zA-Z][\w-]*)(?:\s[^<>]*)?\/?>$/.exec(html);
  return tagMatch !== null && isBlockElement(tagMatch[2] ?? '') ? tagMatch : undefined;
}
