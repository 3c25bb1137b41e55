import type { ImportProblem } from '../import/problem.ts';
import { type Terminal, warn } from '../terminal.ts';

/** Of more with the same words these are named. */
const namedAtMost = 3;

/** Tells what was not taken as it is, in its order: all that failed, and the names of the first where many are told the same. */
export function tellProblems(terminal: Terminal, problems: readonly ImportProblem[]): void {
  for (const { kind, paths, message } of groupsOf(problems)) {
    const isLong = kind !== 'failed' && paths.length > namedAtMost;
    const names = isLong ? [`${paths.slice(0, namedAtMost).join(', ')} and ${paths.length - namedAtMost} more`] : paths;
    for (const name of names) warn(terminal, `${kind}: ${name}: ${message}`);
  }
}

function groupsOf(problems: readonly ImportProblem[]) {
  const alike = Map.groupBy(problems, ({ kind, message }) => `${kind} ${message}`);
  return [...alike.values()].flatMap((some) => {
    const [first] = some;
    return first === undefined ? [] : [{ ...first, paths: some.map(({ path }) => path) }];
  });
}
