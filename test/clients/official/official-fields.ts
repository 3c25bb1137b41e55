import type { Endpoint, ValueSchema } from '@octavo/schema';
import { findUnknownFields, noBody } from '@octavo/schema';
import { operations } from '../../support/endpoints.ts';
import type { Form, OpenApi, Schema } from './forms.ts';
import { getForms, getValues } from './forms.ts';
import { officials } from './versions.ts';

interface Parameter {
  $ref?: string;
  in: string;
  name: string;
}

interface Described {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { $ref?: string; content?: Record<string, { schema?: Schema }> };
}

const document: OpenApi = officials['0.202.0'];

function resolveReference<Value extends { $ref?: string }>(value: Value): Value {
  const [kind = '', name = ''] = value.$ref?.split('/').slice(2) ?? [];
  return value.$ref === undefined ? value : resolveReference(document.components[kind]?.[name] as Value);
}

const described = new Map(
  Object.values(document.paths).flatMap(({ parameters = [], ...methods }) =>
    Object.values(methods as Record<string, Described>).map((operation) => [
      operation.operationId,
      { ...operation, parameters: [...(parameters as Parameter[]), ...(operation.parameters ?? [])] },
    ]),
  ),
);

/**
 * A field name that no schema contains. It is reported as unknown only if our contract lists the fields of an object.
 */
const probe = 'qqq';

interface Position {
  schema: ValueSchema<unknown>;
  /** Creates a body with this value at the position. */
  wrap(value: unknown): unknown;
  /** Names of the official schemas on the path to the position. */
  names: string[];
}

const findPatterns = (schema: ValueSchema<unknown>, body: unknown): string[] => {
  const searched = { schemas: [schema], responses: [], path: ['body'], pattern: 'body', budget: { objects: 1000 } };
  return [...findUnknownFields(body, searched)].map(({ pattern }) => pattern);
};

/** Returns the fields of the official schema that our contract lacks, at any depth that both schemas describe. */
function findUnsupported(official: Schema, position: Position): string[] {
  const { schema, wrap, names } = position;
  return getForms(document, official, '').flatMap((form): string[] => {
    if (form.items !== undefined) return findUnsupported(form.items, { ...position, wrap: (value) => wrap([value]) });
    const base = getConstants(form);
    const listsFields = findPatterns(schema, wrap({ ...base, [probe]: null })).some((each) => each.endsWith(probe));
    if (!listsFields) return [];
    if (form.name !== '' && names.includes(form.name))
      throw new Error(`${form.name} contains itself. List its fields at any depth.`);
    return [...form.fields].flatMap(([field, inner]) => {
      const patterns = findPatterns(schema, wrap({ [field]: null, ...base }));
      if (patterns.length > 0 || field in base) return patterns;
      const wrapField = (value: unknown) => wrap({ ...base, [field]: value });
      return findUnsupported(inner, { schema, wrap: wrapField, names: [...names, form.name] });
    });
  });
}

/** Returns the fields of a form that allow only one value. They distinguish the forms of a schema. */
const getConstants = (form: Form): Record<string, unknown> =>
  Object.fromEntries(
    [...form.fields.keys()].flatMap((field) => {
      const values = getValues(document, form, field);
      return values?.length === 1 ? [[field, values[0]]] : [];
    }),
  );

function listUnsupportedBodyFields({ requestBody }: Described, schema: ValueSchema<unknown>): string[] {
  const official = requestBody && resolveReference(requestBody).content?.['application/json']?.schema;
  return official === undefined ? [] : findUnsupported(official, { schema, wrap: (value) => value, names: [] });
}

function listUnsupportedParameters({ parameters = [] }: Described, { query }: Endpoint): string[] {
  const names = parameters
    .map(resolveReference)
    .flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : []));
  return names.filter((name) => query?.shape[name] === undefined).map((name) => `query.${name}`);
}

/** Returns the fields and parameters of the official client that our contracts do not have, by operation. */
export function listUnsupportedFields(): Record<string, string[]> {
  const patternsByOperation = operations.flatMap(({ id, endpoint }) => {
    const official = described.get(id);
    if (official === undefined) return [];
    const fields = [
      ...listUnsupportedParameters(official, endpoint),
      ...listUnsupportedBodyFields(official, endpoint.body ?? noBody),
    ];
    return fields.length === 0 ? [] : [[id, [...new Set(fields)].sort()] as const];
  });
  return Object.fromEntries(patternsByOperation.sort(([one], [other]) => one.localeCompare(other)));
}
