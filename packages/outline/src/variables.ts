import { VariableName, VariableValue } from '@octavo/schema';
import { folderOf } from './paths.ts';
import type { SourceReader } from './reader.ts';
import type { Repository } from './repository.ts';

const maxVariables = 100;

/** The variables that GitBook keeps with a space; of several files the one nearest to the root is first. */
export async function readVariables(reader: SourceReader): Promise<Repository['variables']> {
  const variables: Repository['variables'] = Object.create(null);
  const files = reader.source.paths.filter((path) => /(?:^|\/)\.gitbook\/vars\.ya?ml$/.test(path));
  files.sort((one, other) => folderOf(one).length - folderOf(other).length || (one < other ? -1 : 1));
  for (const path of files) {
    const data = (await reader.data(path)) ?? {};
    for (const [name, given] of Object.entries(data)) {
      const fault = faultOf(name, given) ?? (Object.keys(variables).length < maxVariables ? undefined : tooMany);
      if (fault !== undefined) reader.warn(path, `The variable ${JSON.stringify(name.slice(0, 100))} ${fault}.`);
      else if (!(name in variables)) variables[name] = VariableValue.parse(given);
    }
  }
  return variables;
}

const tooMany = `is left out: a space may have ${maxVariables}`;

function faultOf(name: string, value: unknown): string | undefined {
  const { error } = VariableName.safeParse(name);
  if (error) return `is left out: its name ${error.issues[0]?.message}`;
  return VariableValue.safeParse(value).success ? undefined : 'is left out: it must be a text, a number, true or false';
}
