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
