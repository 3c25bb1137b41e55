import type { Variables } from '@octavo/schema';
import { type Document, isMap, parseDocument } from 'yaml';

/**
 * The variables of a space as YAML: a change of a former text, whose comments and order stay, and all else that it says.
 * A name is taken away only where it is one of `held`, which the space had. Undefined where the former text is no mapping:
 * then it cannot be changed.
 */
export function writeVariables(
  former: string,
  variables: Variables,
  held: ReadonlySet<string> = new Set(),
): string | undefined {
  const read = readVariables(former);
  if (read === undefined) return undefined;
  const { document, values } = read;
  const gone = Object.keys(values).filter((name) => held.has(name) && !Object.hasOwn(variables, name));
  const changed = Object.entries(variables).filter(
    ([name, value]) => !Object.hasOwn(values, name) || values[name] !== value,
  );
  if (gone.length + changed.length === 0) return former;
  for (const name of gone) document.delete(name);
  for (const [name, value] of changed) document.set(name, value);
  return document.toString({ lineWidth: 0 });
}

/** Undefined where a text is no mapping, and where its aliases are too many. */
export function readVariables(text: string): { document: Document; values: Record<string, unknown> } | undefined {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent' });
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) return undefined;
  try {
    const values: unknown = document.toJS({ maxAliasCount: 100 });
    return { document, values: typeof values === 'object' && values !== null ? { ...values } : {} };
  } catch {
    return undefined;
  }
}
