import type { Issue, UnknownField, ValueSchema } from '@octavo/schema';
import { findNearestWord, findUnknownFields, invalid, validate } from '@octavo/schema';
import { officialFields } from './official-fields.ts';

/** The response header that lists fields and parameters that were ignored. */
export const ignoredFieldsHeader = 'octavo-ignored-fields';

/** Maximum number of issues, and of ignored fields, that are returned. */
const maxIssues = 20;
const maxIgnored = 100;

/**
 * Maximum number of objects and arrays in a body, excluding free-form values. It bounds the search for unknown fields.
 */
const maxObjects = 20_000;

interface InputDescription {
  /** The name of the operation. */
  name: string;
  root: 'query' | 'body';
  /** The schema of the object as a read returns it. The body may contain the same fields. */
  response?: ValueSchema<unknown> | undefined;
}

/**
 * Validates a query or a body. Fields that the official client has and we do not support, and fields of the response,
 * are removed from the value and ignored. @throws ApiError invalid
 */
export function parseInput(
  value: unknown,
  schema: ValueSchema<unknown>,
  { name, root, response }: InputDescription,
): { value: unknown; ignored: string[] } {
  const official = officialFields[name] ?? [];
  const ignored = new Set<string>();
  const refused: Issue[] = [];
  const responses = response === undefined ? [] : [response];
  const budget = { objects: maxObjects };
  const searched = { schemas: [schema], responses, path: [root], pattern: root, budget };
  for (const field of findUnknownFields(value, searched)) {
    if (field.isOfResponse || official.includes(field.pattern)) {
      if (ignored.size < maxIgnored) ignored.add(field.pattern);
      // Strict schemas would reject the ignored field.
      delete field.object[String(field.path.at(-1))];
    } else if (refused.push(describeUnknownField(field, root)) === maxIssues) break;
  }
  if (budget.objects < 0) throw invalid([{ path: root, message: `must have at most ${maxObjects} objects and lists` }]);
  const result = validate(schema, value);
  if (result.success && refused.length === 0) return { value: result.data, ignored: [...ignored] };
  const issues = result.success
    ? []
    : result.issues.map(({ path, message }) => ({ path: toPath([root, ...path]), message }));
  const paths = new Set(refused.map(({ path }) => path));
  throw invalid([...issues.filter(({ path }) => !paths.has(path)), ...refused].slice(0, maxIssues));
}

const maxKeyLength = 100;

const toPath = (keys: PropertyKey[]): string => keys.map((key) => String(key).slice(0, maxKeyLength)).join('.');

function describeUnknownField({ path, known }: UnknownField, root: InputDescription['root']): Issue {
  const message = `is not a known ${root === 'query' ? 'parameter' : 'field'}`;
  const nearest = findNearestWord(String(path.at(-1)), [...known]);
  return { path: toPath(path), message: nearest === undefined ? message : `${message}. Did you mean \`${nearest}\`?` };
}
