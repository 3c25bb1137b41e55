import type { Repository } from '@octavo/outline';
import { maxVariables, VariableName, VariableValue } from '@octavo/schema';
import type { ImportProblem } from './problem.ts';
import type { NamedChange } from './send-changes.ts';

export interface VariablesPlan {
  changes: NamedChange[];
  unchanged: number;
  problems: ImportProblem[];
}

/** What has to be done so that a space holds the variables, each with its value. Nothing is ever removed. */
export function planVariables(
  wanted: Repository['variables'],
  present: Readonly<Record<string, unknown>>,
): VariablesPlan {
  const all = Object.entries(wanted);
  const problems = all.flatMap(([name, value]): ImportProblem[] => {
    const issue = VariableName.safeParse(name).error ?? VariableValue.safeParse(value).error;
    return issue === undefined ? [] : [{ path: pathOf(name), kind: 'failed', message: issue.issues[0]?.message ?? '' }];
  });
  const refused = new Set(problems.map(({ path }) => path));
  const fit = all.filter(([name]) => !refused.has(pathOf(name)));
  const changed = fit.filter(([name, value]) => !Object.hasOwn(present, name) || present[name] !== value);
  const changes: NamedChange[] = [];
  for (let start = 0; start < changed.length; start += maxVariables) {
    const some = changed.slice(start, start + maxVariables);
    const updated = some.filter(([name]) => Object.hasOwn(present, name)).length;
    const path = some.map(([name]) => pathOf(name)).join(', ');
    const change = { operation: 'set_variables' as const, variables: Object.fromEntries(some) };
    changes.push({ path, change, created: some.length - updated, updated });
  }
  return { changes, unchanged: fit.length - changed.length, problems };
}

const pathOf = (name: string): string => `variable ${name}`;
