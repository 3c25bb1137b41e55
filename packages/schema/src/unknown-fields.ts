import * as z from 'zod';
import type { ValueSchema } from './validate.ts';

type Schema = ValueSchema<unknown>;
type Fields = Record<string, Schema>;

/** The schema of the body for endpoints that have no body. */
export const noBody = z.object({}).nullish();

/** The schema of the query of an endpoint without parameters. */
export const noQuery = z.object({});

/** The parts of a schema's definition that contain other schemas. */
interface Definition {
  type: string;
  shape?: Fields;
  catchall?: Schema;
  innerType?: Schema;
  element?: Schema;
  items?: Schema[];
  options?: Schema[];
  discriminator?: string;
  in?: Schema;
  out?: Schema;
  left?: Schema;
  right?: Schema;
  valueType?: Schema;
  getter?: () => Schema;
}

const getDefinition = (schema: Schema): Definition => schema.def as unknown as Definition;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The options of a discriminated union, by the values of the discriminator. */
const optionsByValue = new WeakMap<Definition, Map<unknown, Schema[]>>();

/** Returns the options of a union that match the value's discriminator. Returns all options if none matches. */
function getOptions(union: Definition, value: unknown): Schema[] {
  const { options = [], discriminator = '' } = union;
  if (!isObject(value)) return options;
  let byValue = optionsByValue.get(union);
  if (byValue === undefined) {
    byValue = new Map();
    for (const option of options)
      for (const allowed of option._zod.propValues?.[discriminator] ?? [])
        byValue.set(allowed, [...(byValue.get(allowed) ?? []), option]);
    optionsByValue.set(union, byValue);
  }
  return byValue.get(value[discriminator]) ?? options;
}

const isDiscriminated = ({ discriminator }: Definition): boolean => discriminator !== undefined;

/** The results of `expand`. */
const expanded = new WeakMap<Schema, Definition[]>();

/** Returns the objects, arrays, records, plain values and discriminated unions that a schema consists of. */
function expand(schema: Schema): Definition[] {
  const definition = getDefinition(schema);
  const { type, innerType, left, right, getter, options = [], discriminator } = definition;
  if (innerType !== undefined) return expand(innerType);
  if (getter !== undefined) return expand(getter());
  if (left !== undefined && right !== undefined) return [...expand(left), ...expand(right)];
  if (type === 'union' && discriminator === undefined) return options.flatMap(expand);
  if (definition.in === undefined || definition.out === undefined) return [definition];
  return expand(getDefinition(definition.in).type === 'transform' ? definition.out : definition.in);
}

/** Returns the forms that a value of a schema can have: objects, arrays, records and plain values. */
function getForms(schema: Schema, value: unknown): Definition[] {
  let forms = expanded.get(schema);
  if (forms === undefined) {
    forms = expand(schema);
    expanded.set(schema, forms);
  }
  if (!forms.some(isDiscriminated)) return forms;
  return forms.flatMap((form) =>
    isDiscriminated(form) ? getOptions(form, value).flatMap((option) => getForms(option, value)) : [form],
  );
}

/** Types of schemas that accept any fields. */
const freeTypes: ReadonlySet<string> = new Set(['unknown', 'any', 'custom', 'transform']);

/** The schemas of the values inside of an object or an array. */
interface InnerSchemas {
  isArray: boolean;
  isObject: boolean;
  /** Whether every form of the object refuses other fields, even in responses. */
  isStrict: boolean;
  /** Whether all keys are accepted. */
  isOpen: boolean;
  fields: ReadonlyMap<string, Schema[]>;
  /** The schemas of the values of a record or an array. */
  items: Schema[];
  /** The cached results of `addForm` by form, so that many objects of the same form need little work. */
  added: WeakMap<Definition, InnerSchemas>;
}

const createEmpty = (isArray: boolean): InnerSchemas => ({
  ...{ isArray, isObject: false, isStrict: true, isOpen: isArray },
  ...{ fields: new Map(), items: [], added: new WeakMap() },
});
const [emptyObject, emptyArray] = [createEmpty(false), createEmpty(true)];

/** Returns the schemas of the values inside an object or array, extended by those of one possible form of it. */
function addForm(inside: InnerSchemas, form: Definition): InnerSchemas {
  const { type, shape = {}, catchall, valueType, element, items = [] } = form;
  const fields = new Map(inside.fields);
  for (const [name, field] of Object.entries(shape)) fields.set(name, [...(fields.get(name) ?? []), field]);
  const isFree = freeTypes.has(type) || type === 'record' || (catchall && getDefinition(catchall).type !== 'never');
  const more = inside.isArray ? [element, ...items] : [valueType];
  return {
    ...{ isArray: inside.isArray, fields, added: new WeakMap() },
    isObject: inside.isObject || type === 'object',
    isStrict: inside.isStrict && (type !== 'object' || catchall !== undefined),
    isOpen: inside.isOpen || isFree === true,
    items: [...inside.items, ...more.filter((item) => item !== undefined)],
  };
}

function getInside(schemas: readonly Schema[], value: unknown): InnerSchemas {
  let inside = Array.isArray(value) ? emptyArray : emptyObject;
  for (const schema of schemas) {
    for (const form of getForms(schema, value)) {
      let next = inside.added.get(form);
      if (next === undefined) {
        next = addForm(inside, form);
        inside.added.set(form, next);
      }
      inside = next;
    }
  }
  return inside;
}

/** A field of a value that its schema does not have. */
export interface UnknownField {
  path: PropertyKey[];
  /** The path with `*` in place of the keys of records and arrays. */
  pattern: string;
  /** Whether the response has the field. */
  isResponseField: boolean;
  /** The object that contains the field. */
  object: Record<string, unknown>;
  /** The fields that this object can have. */
  known: Iterable<string>;
}

interface SearchedValue {
  /** The possible schemas of the value. */
  schemas: Schema[];
  /** The schemas of the response, in which unknown fields are looked up. */
  responses: Schema[];
  path: PropertyKey[];
  pattern: string;
  /** The number of objects and arrays that may still be searched. It becomes negative if the value has more. */
  budget: { objects: number };
}

/**
 * Finds the fields of a value, at any depth, that no form of its schema has. Free-form values such as records are
 * skipped. It is a generator, so that callers can stop early: a body can contain a million unknown fields.
 */
export function* findUnknownFields(value: unknown, searched: SearchedValue): Generator<UnknownField> {
  const { schemas, responses, path, pattern, budget } = searched;
  if (!isObject(value) || schemas.length === 0) return;
  budget.objects -= 1;
  if (budget.objects < 0) return;
  const [inside, response] = [getInside(schemas, value), getInside(responses, value)];
  for (const [key, item] of Object.entries(value)) {
    const own = inside.fields.get(key);
    if (own === undefined && !inside.isOpen) {
      if (!inside.isObject) continue;
      const isResponseField = !inside.isStrict && response.fields.has(key);
      yield {
        ...{ path: [...path, key], pattern: `${pattern}.${key}`, isResponseField },
        ...{ object: value, known: inside.fields.keys() },
      };
    } else if (isObject(item)) {
      yield* findUnknownFields(item, {
        ...{ schemas: own ?? inside.items, responses: response.fields.get(key) ?? response.items },
        ...{ path: [...path, key], pattern: `${pattern}.${own === undefined ? '*' : key}`, budget },
      });
    }
  }
}
