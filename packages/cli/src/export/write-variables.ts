import type { Variables } from '@octavo/schema';
import { isMap, parseDocument } from 'yaml';

/** The variables of a space as YAML: a change of a former text, whose comments and order stay. */
export function writeVariables(former: string, variables: Variables): string {
  const document = parseDocument(former, { uniqueKeys: false });
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents)))
    return writeVariables('', variables);
  const known: unknown = document.toJS({ maxAliasCount: 100 });
  const values: Record<string, unknown> = typeof known === 'object' && known !== null ? { ...known } : {};
  const gone = Object.keys(values).filter((name) => !Object.hasOwn(variables, name));
  const changed = Object.entries(variables).filter(
    ([name, value]) => !Object.hasOwn(values, name) || values[name] !== value,
  );
  if (gone.length + changed.length === 0) return former;
  for (const name of gone) document.delete(name);
  for (const [name, value] of changed) document.set(name, value);
  return document.toString({ lineWidth: 0 });
}
