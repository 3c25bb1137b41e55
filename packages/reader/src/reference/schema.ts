import type { JsonObject } from '@octavo/specification';
import { getOwn, isObject, resolveLocal, textAt } from '@octavo/specification';

/** A resolved schema at the position where it is used. */
export interface SchemaAt {
  value: JsonObject;
  /** Its name, if it was referenced by one. */
  name: string | undefined;
  /** Whether the schema is nested in itself, so that it was already shown. */
  isWithinItself: boolean;
  /** The references that were followed to it. */
  trail: readonly string[];
}

const maxParts = 50;
const maxMerges = 10;
const maxListLevels = 5;
/** Maximum number of schemas read for one page, which bounds schemas that refer to themselves in many ways. */
const maxReads = 100_000;

export const listAt = (value: JsonObject, key: string): unknown[] => {
  const list = getOwn(value, key);
  return Array.isArray(list) ? list : [];
};

export const objectIn = (value: JsonObject, key: string): JsonObject => {
  const found = getOwn(value, key);
  return isObject(found) ? found : {};
};

const nameOf = (reference: string): string | undefined => {
  const last = reference.split('/').at(-1) ?? '';
  return /^#\/(?:components\/schemas|definitions|\$defs)\//.test(reference) ? last.replaceAll('~1', '/') : undefined;
};

/** Fields next to a `$ref` take precedence over those of its target. */
function besides(value: JsonObject): JsonObject {
  const { $ref: _, ...others } = value;
  return others;
}

const isNull = (value: unknown): boolean => isObject(value) && textAt(value, 'type') === 'null';

/** Reads the schemas of a document and resolves their references. */
export class SchemaReader {
  readonly document: JsonObject;
  #left = maxReads;

  constructor(document: JsonObject) {
    this.document = document;
  }

  /** Resolves a schema's reference and merges its `allOf`. */
  read(given: unknown, trail: readonly string[] = []): SchemaAt {
    this.#left -= 1;
    const value = isObject(given) && this.#left > 0 ? given : {};
    const reference = textAt(value, '$ref');
    if (reference === undefined) return this.#joined({ value, name: undefined, isWithinItself: false, trail });
    const [name, isWithinItself] = [nameOf(reference), trail.includes(reference)];
    const found = resolveLocal(this.document, { $ref: reference });
    const merged = { ...(isObject(found) ? found : {}), ...besides(value) };
    const at = { value: merged, name, isWithinItself, trail: [...trail, reference] };
    return isWithinItself ? at : this.#joined(at);
  }

  /** Merges the `allOf` of a schema into it. */
  #joined(at: SchemaAt): SchemaAt {
    const parts = listAt(at.value, 'allOf').slice(0, maxParts);
    if (parts.length === 0 || at.trail.length > maxMerges) return this.#alone(at);
    const { allOf: _, ...own } = at.value;
    const read = parts.map((part) => this.read(part, at.trail)).filter((part) => !part.isWithinItself);
    const all = [...read.map(({ value }) => value), own];
    const trail = [...new Set([...at.trail, ...read.flatMap((part) => part.trail)])].slice(0, maxParts);
    return this.#alone({
      value: {
        ...(Object.assign({}, ...all) as JsonObject),
        properties: Object.assign({}, ...all.map((each) => objectIn(each, 'properties'))) as JsonObject,
        required: all.flatMap((each) => listAt(each, 'required')),
      },
      name: at.name ?? (read.length === 1 ? read[0]?.name : undefined),
      ...{ trail, isWithinItself: false },
    });
  }

  /** Replaces a union of one schema and null by that schema. */
  #alone(at: SchemaAt): SchemaAt {
    for (const key of ['oneOf', 'anyOf']) {
      const given = listAt(at.value, key);
      const some = given.filter((each) => !isNull(each));
      if (some.length !== 1 || at.trail.length > maxMerges) continue;
      const { [key]: _, ...own } = at.value;
      const only = this.read(some[0], at.trail);
      return { ...only, value: { ...only.value, ...own, ...(given.length > 1 ? { nullable: true } : {}) } };
    }
    return at;
  }

  /** Returns the variants (`oneOf`, `anyOf`) of a schema. */
  variantsOf({ value, trail, isWithinItself }: SchemaAt): { isOne: boolean; variants: SchemaAt[] } {
    const isOne = listAt(value, 'oneOf').length > 0;
    const given = listAt(value, isOne ? 'oneOf' : 'anyOf').filter((each) => !isNull(each));
    return { isOne, variants: isWithinItself ? [] : given.slice(0, maxParts).map((each) => this.read(each, trail)) };
  }

  /** Returns the item schema of nested arrays, or the schema itself. */
  withoutLists(at: SchemaAt): SchemaAt {
    let found = at;
    for (let level = 0; level < maxListLevels; level += 1) {
      const items = getOwn(found.value, 'items');
      if (!isObject(items) || found.isWithinItself) return found;
      found = this.read(items, found.trail);
    }
    return found;
  }
}

/** A field of an object. */
export interface FieldOfSchema {
  name: string;
  /** Whether it stands for all other field names (`additionalProperties`). */
  isAnyName: boolean;
  schema: unknown;
  isRequired: boolean;
}

/** Returns the fields of an object, required ones first. */
export function fieldsOf({ value }: SchemaAt): FieldOfSchema[] {
  const required = new Set(listAt(value, 'required').map(String));
  const field = ([name, schema]: [string, unknown]): FieldOfSchema => ({
    ...{ name, schema, isAnyName: false, isRequired: required.has(name) },
  });
  const own = Object.entries(objectIn(value, 'properties')).map(field);
  const patterns = Object.entries(objectIn(value, 'patternProperties')).map(
    ([pattern, schema]): FieldOfSchema => ({ name: `/${pattern}/`, schema, isAnyName: true, isRequired: false }),
  );
  const rest = getOwn(value, 'additionalProperties');
  const others = isObject(rest) ? [{ name: '*', schema: rest, isAnyName: true, isRequired: false }] : [];
  return [...own.filter((each) => each.isRequired), ...own.filter((each) => !each.isRequired), ...patterns, ...others];
}

const maxNamed = 4;
const maxTypeLevels = 4;
const maxLength = 120;

function plainType(value: JsonObject): string {
  const type = getOwn(value, 'type');
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.filter((each) => each !== 'null').join(' | ');
  if (isObject(getOwn(value, 'properties')) || isObject(getOwn(value, 'additionalProperties'))) return 'object';
  if (getOwn(value, 'items') !== undefined) return 'array';
  const known = [getOwn(value, 'const'), ...listAt(value, 'enum')].find((each) => each !== undefined && each !== null);
  return known === undefined ? 'any' : typeof known;
}

const isNullable = ({ value }: SchemaAt): boolean => {
  const type = getOwn(value, 'type');
  const variants = [...listAt(value, 'oneOf'), ...listAt(value, 'anyOf')];
  return (
    getOwn(value, 'nullable') === true ||
    (Array.isArray(type) && type.includes('null') && type.length > 1) ||
    variants.some((each) => isObject(each) && textAt(each, 'type') === 'null')
  );
};

function withoutNull(schemas: SchemaReader, at: SchemaAt, level: number): string {
  const { value, name } = at;
  const { variants } = schemas.variantsOf(at);
  if (variants.length > 0 && level < maxTypeLevels) {
    const named = variants.slice(0, maxNamed).map((each) => typeText(schemas, each, level + 1));
    const all = [...new Set(named), ...(variants.length > maxNamed ? ['…'] : [])];
    return name ?? all.join(' | ');
  }
  const items = getOwn(value, 'items');
  const type = plainType(value);
  if (type === 'array' && isObject(items) && level < maxTypeLevels) {
    const of = typeText(schemas, schemas.read(items, at.trail), level + 1);
    return / \| /.test(of) ? `(${of})[]` : `${of}[]`;
  }
  if (type === 'object') return name ?? 'object';
  const format = textAt(value, 'format');
  return format === undefined ? type : `${type}<${format}>`;
}

/** Describes a schema's type, such as `string<date-time> | null` or `Pet[]`. */
export function typeText(schemas: SchemaReader, at: SchemaAt, level = 0): string {
  const text = `${withoutNull(schemas, at, level)}${isNullable(at) ? ' | null' : ''}`;
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** A body in one media type. */
export interface MediaOfBody {
  type: string;
  media: JsonObject;
}

const maxMediaTypes = 8;

/** Returns the media types of a body, the most common first. */
export function mediaOf(body: JsonObject): MediaOfBody[] {
  const all = Object.entries(objectIn(body, 'content')).flatMap(([type, media]): MediaOfBody[] =>
    isObject(media) ? [{ type, media }] : [],
  );
  const isJson = ({ type }: MediaOfBody) => /[/+]json\b/.test(type);
  return [...all.filter(isJson), ...all.filter((each) => !isJson(each))].slice(0, maxMediaTypes);
}

/** A serialized example of a body. */
interface WrittenExample {
  title: string | undefined;
  text: string;
  syntax: string;
  value: unknown;
}

const maxExamples = 6;

const syntaxOf = (type: string): string =>
  /json/.test(type) ? 'json' : /xml|html/.test(type) ? 'xml' : /yaml/.test(type) ? 'yaml' : '';

/** Serializes a value in a media type; undefined if the format is unknown. */
function written(value: unknown, type: string): string | undefined {
  if (typeof value === 'string' && !/json/.test(type)) return value;
  if (/form-urlencoded/.test(type) && isObject(value))
    return new URLSearchParams(
      Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)])),
    ).toString();
  return /xml/.test(type) ? undefined : JSON.stringify(value, null, 2);
}

export const plain = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Returns the examples of a body: those of the specification, else one generated from its schema. */
export function examplesOf(
  schemas: SchemaReader,
  { type, media }: MediaOfBody,
  direction: SampleDirection,
): WrittenExample[] {
  const named = Object.entries(objectIn(media, 'examples')).slice(0, maxExamples);
  const told = named.flatMap(([name, given]): [string | undefined, unknown][] => {
    const example = resolveLocal(schemas.document, given);
    if (!isObject(example) || getOwn(example, 'value') === undefined) return [];
    return [[textAt(example, 'summary') ?? name, getOwn(example, 'value')]];
  });
  const single = getOwn(media, 'example');
  const given: [string | undefined, unknown][] =
    single !== undefined ? [[undefined, single]] : told.length > 0 ? told : [];
  const all = given.length > 0 ? given : [[undefined, sampleOf(schemas, getOwn(media, 'schema'), direction)] as const];
  return all.flatMap(([title, value]) => {
    const text = value === undefined ? undefined : written(value, type);
    return text === undefined || text === '' ? [] : [{ title, text, value, syntax: syntaxOf(type) }];
  });
}

/** Limits of a generated sample: values, levels, fields of one object. */
const maxValues = 200;
const maxSampleLevels = 7;
const maxFields = 40;

/** Direction of the sample. Read-only fields are left out of requests, write-only fields out of responses. */
export type SampleDirection = 'request' | 'response';

const texts: Record<string, string> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'ann@example.com',
  'idn-email': 'ann@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  byte: 'U2FtcGxl',
  password: '********',
};

interface Sampling {
  schemas: SchemaReader;
  direction: SampleDirection;
  left: number;
}

const firstOf = (type: unknown): string | undefined =>
  (Array.isArray(type) ? type : [type]).find((each): each is string => typeof each === 'string' && each !== 'null');

/** Returns the example that a schema itself gives (example, default, const or enum); undefined if none. */
export function toldSample(value: JsonObject): unknown {
  const known = ['example', 'default', 'const'].map((key) => getOwn(value, key));
  return [known[0], listAt(value, 'examples')[0], known[2], known[1], listAt(value, 'enum')[0]].find(
    (each) => each !== undefined,
  );
}

function numberLike(value: JsonObject): number {
  const least = getOwn(value, 'minimum') ?? getOwn(value, 'exclusiveMinimum');
  return typeof least === 'number' && least > 0 ? Math.ceil(least + (getOwn(value, 'exclusiveMinimum') ? 1 : 0)) : 1;
}

function objectLike(at: SchemaAt, level: number, sampling: Sampling): JsonObject {
  const hidden = sampling.direction === 'request' ? 'readOnly' : 'writeOnly';
  const entries: [string, unknown][] = [];
  for (const { name, isAnyName, schema } of fieldsOf(at).slice(0, maxFields)) {
    const field = sampling.schemas.read(schema, at.trail);
    if (getOwn(field.value, hidden) === true || sampling.left <= 0) continue;
    const value = sampleAt(field, level + 1, sampling);
    if (value !== undefined) entries.push([isAnyName ? 'key' : name, value]);
  }
  return Object.fromEntries(entries);
}

function sampleAt(at: SchemaAt, level: number, sampling: Sampling): unknown {
  const { value } = at;
  sampling.left -= 1;
  const told = toldSample(value);
  if (told !== undefined) return told;
  if (at.isWithinItself || level > maxSampleLevels || sampling.left <= 0) return undefined;
  const [variant] = sampling.schemas.variantsOf(at).variants;
  if (variant !== undefined) return sampleAt(variant, level + 1, sampling);
  const type = firstOf(getOwn(value, 'type')) ?? (isObject(getOwn(value, 'properties')) ? 'object' : undefined);
  if (type === 'string') return texts[textAt(value, 'format') ?? ''] ?? 'string';
  if (type === 'integer' || type === 'number') return numberLike(value);
  if (type === 'boolean') return true;
  if (type === 'array' || isObject(getOwn(value, 'items'))) {
    const item = sampleAt(sampling.schemas.read(getOwn(value, 'items'), at.trail), level + 1, sampling);
    return item === undefined ? [] : [item];
  }
  return type === 'object' || isObject(getOwn(value, 'additionalProperties'))
    ? objectLike(at, level, sampling)
    : undefined;
}

/** Returns a sample value for a schema, using the examples that it gives. */
export const sampleOf = (schemas: SchemaReader, schema: unknown, direction: SampleDirection): unknown =>
  sampleAt(schemas.read(schema), 0, { schemas, direction, left: maxValues });
