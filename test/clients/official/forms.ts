/** The parts of an OpenAPI document that describe responses. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

interface Operation {
  operationId?: string;
  responses?: Record<string, Response>;
}

interface Response {
  $ref?: string;
  content?: Record<string, { schema?: Schema }>;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  nullable?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
}

/** One alternative of a schema. `values` is set if only certain values are allowed. */
export interface Form {
  /** Name of the enclosing schema and path from there. */
  name: string;
  types: string[];
  fields: Map<string, Schema>;
  required: Set<string>;
  items: Schema | undefined;
  values: unknown[] | undefined;
}

function resolveReference<Value extends { $ref?: string }>(document: OpenApi, value: Value): Value {
  if (value.$ref === undefined) return value;
  const [kind = '', name = ''] = value.$ref.split('/').slice(2);
  return resolveReference(document, document.components[kind]?.[name] as Value);
}

/** Returns the success response schemas by operation ID. */
export function getResponseSchemas(document: OpenApi): Map<string, Schema> {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  return new Map(
    operations.flatMap(({ operationId, responses = {} }) => {
      const success = Object.keys(responses).find((code) => code.startsWith('2'));
      const response = resolveReference(document, responses[success ?? ''] ?? {});
      const schema = response.content?.['application/json']?.schema;
      return operationId === undefined || schema === undefined ? [] : [[operationId, schema] as const];
    }),
  );
}

/** Returns all alternatives of a schema: one form for each combination of its `oneOf` and `anyOf` choices. */
export function getForms(document: OpenApi, schema: Schema, name: string): Form[] {
  if (schema.$ref !== undefined) {
    return getForms(document, resolveReference(document, schema), schema.$ref.split('/').at(-1) ?? name);
  }
  const parts = (schema.allOf ?? []).map((part) => getForms(document, part, name));
  const choices = schema.oneOf ?? schema.anyOf;
  const whole = parts.reduce(combineForms, [createOwnForm(schema, name)]).map((form) => ({ ...form, name }));
  if (choices === undefined) return whole;
  return combineForms(
    whole,
    choices.flatMap((choice) => getForms(document, choice, name)),
  );
}

const createOwnForm = (schema: Schema, name: string): Form => ({
  name,
  types: [...(schema.type === undefined ? [] : [schema.type].flat()), ...(schema.nullable ? ['null'] : [])],
  fields: new Map(Object.entries(schema.properties ?? {})),
  required: new Set(schema.required),
  items: schema.items,
  values: schema.const === undefined ? schema.enum : [schema.const],
});

const combineForms = (ones: Form[], others: Form[]): Form[] =>
  ones.flatMap((one) => others.map((other) => joinForms(one, other)));

const joinForms = (one: Form, other: Form): Form => ({
  name: one.fields.size === 0 ? other.name : one.name,
  types: [...new Set([...one.types, ...other.types])],
  fields: new Map([...one.fields, ...other.fields]),
  required: one.required.union(other.required),
  items: other.items ?? one.items,
  values: other.values ?? one.values,
});

export const isObject = (form: Form): boolean => form.fields.size > 0 || form.required.size > 0;

/** Returns the forms with the fewest required fields that are missing. */
export function findFormsMissingLeast(forms: Form[], has: (field: string) => boolean): Form[] {
  const missing = forms.map(({ required }) => [...required].filter((field) => !has(field)).length);
  return forms.filter((_, index) => missing[index] === Math.min(...missing));
}

/** Returns the allowed values of a field; undefined if any value is allowed. */
export function getValues(document: OpenApi, form: Form, field: string): unknown[] | undefined {
  const schema = form.fields.get(field);
  const forms = schema === undefined ? [] : getForms(document, schema, '');
  return forms.length > 0 && forms.every(({ values }) => values !== undefined)
    ? forms.flatMap(({ values = [] }) => values)
    : undefined;
}
