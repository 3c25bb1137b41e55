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

function resolved<Value extends { $ref?: string }>(value: Value): Value {
  const [kind = '', name = ''] = value.$ref?.split('/').slice(2) ?? [];
  return value.$ref === undefined ? value : resolved(document.components[kind]?.[name] as Value);
}

const described = new Map(
  Object.values(document.paths).flatMap(({ parameters = [], ...methods }) =>
    Object.values(methods as Record<string, Described>).map((operation) => [
      operation.operationId,
      { ...operation, parameters: [...(parameters as Parameter[]), ...(operation.parameters ?? [])] },
    ]),
  ),
);

/** Returns values of a form: objects with one field each, and the fields that have only certain values. */
function getSamples(form: Form, depth: number): unknown[] {
  if (form.items !== undefined)
    return getForms(document, form.items, '')
      .flatMap((each) => getSamples(each, depth))
      .map((each) => [each]);
  const kinds = [...form.fields.keys()].flatMap((field) => {
    const values = getValues(document, form, field);
    return values?.length === 1 ? [[field, values[0]] as const] : [];
  });
  const base = Object.fromEntries(kinds);
  const fields = [...form.fields].filter(([name]) => !(name in base));
  const deeper = ([name, schema]: [string, Schema]) =>
    depth === 0 ? [null] : [null, ...getForms(document, schema, name).flatMap((each) => getSamples(each, depth - 1))];
  return [base, ...fields.flatMap((field) => deeper(field).map((value) => ({ ...base, [field[0]]: value })))];
}

/** Nesting of objects below which fields of the official client are not compared. */
const maxDepth = 4;

const root = { responses: [], path: ['body'], pattern: 'body' };

function bodyFields({ requestBody }: Described, schema: ValueSchema<unknown>): string[] {
  const official = requestBody && resolved(requestBody).content?.['application/json']?.schema;
  const samples =
    official === undefined ? [] : getForms(document, official, '').flatMap((form) => getSamples(form, maxDepth));
  return samples
    .flatMap((sample) => [...findUnknownFields(sample, { ...root, schemas: [schema], budget: { objects: 1000 } })])
    .map(({ pattern }) => pattern);
}

function queryFields({ parameters = [] }: Described, { query }: Endpoint): string[] {
  const names = parameters.map(resolved).flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : []));
  return names.filter((name) => query?.shape[name] === undefined).map((name) => `query.${name}`);
}

/** Returns the fields and parameters of the official client that our contracts do not have, by operation. */
export function unsupportedFields(): Record<string, string[]> {
  const found = operations.flatMap(({ id, endpoint }) => {
    const official = described.get(id);
    if (official === undefined) return [];
    const fields = [...queryFields(official, endpoint), ...bodyFields(official, endpoint.body ?? noBody)];
    return fields.length === 0 ? [] : [[id, [...new Set(fields)].sort()] as const];
  });
  return Object.fromEntries(found.sort(([one], [other]) => one.localeCompare(other)));
}
