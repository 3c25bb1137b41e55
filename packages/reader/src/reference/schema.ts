import type { JsonObject } from '@octavo/specification';
import { getOwn, isObject, resolveLocal, textAt } from '@octavo/specification';

/** A resolved schema at the position where it is used. */
export interface ResolvedSchema {
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

export const getList = (value: JsonObject, key: string): unknown[] => {
  const list = getOwn(value, key);
  return Array.isArray(list) ? list : [];
};

export const getObject = (value: JsonObject, key: string): JsonObject => {
  const found = getOwn(value, key);
  return isObject(found) ? found : {};
};

const getSchemaName = (reference: string): string | undefined => {
  const last = reference.split('/').at(-1) ?? '';
  return /^#\/(?:components\/schemas|definitions|\$defs)\//.test(reference) ? last.replaceAll('~1', '/') : undefined;
};

/** Fields next to a `$ref` take precedence over those of its target. */
function withoutReference(value: JsonObject): JsonObject {
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
  read(schema: unknown, trail: readonly string[] = []): ResolvedSchema {
    this.#left -= 1;
    const value = isObject(schema) && this.#left > 0 ? schema : {};
    const reference = textAt(value, '$ref');
    if (reference === undefined) return this.#joined({ value, name: undefined, isWithinItself: false, trail });
    const [name, isWithinItself] = [getSchemaName(reference), trail.includes(reference)];
    const found = resolveLocal(this.document, { $ref: reference });
    const merged = { ...(isObject(found) ? found : {}), ...withoutReference(value) };
    const at = { value: merged, name, isWithinItself, trail: [...trail, reference] };
    return isWithinItself ? at : this.#joined(at);
  }

  /** Merges the `allOf` of a schema into it. */
  #joined(resolved: ResolvedSchema): ResolvedSchema {
    const parts = getList(resolved.value, 'allOf').slice(0, maxParts);
    if (parts.length === 0 || resolved.trail.length > maxMerges) return this.#alone(resolved);
    const { allOf: _, ...own } = resolved.value;
    const read = parts.map((part) => this.read(part, resolved.trail)).filter((part) => !part.isWithinItself);
    const all = [...read.map(({ value }) => value), own];
    const trail = [...new Set([...resolved.trail, ...read.flatMap((part) => part.trail)])].slice(0, maxParts);
    return this.#alone({
      value: {
        ...(Object.assign({}, ...all) as JsonObject),
        properties: Object.assign({}, ...all.map((each) => getObject(each, 'properties'))) as JsonObject,
        required: all.flatMap((each) => getList(each, 'required')),
      },
      name: resolved.name ?? (read.length === 1 ? read[0]?.name : undefined),
      ...{ trail, isWithinItself: false },
    });
  }

  /** Replaces a union of one schema and null by that schema. */
  #alone(resolved: ResolvedSchema): ResolvedSchema {
    for (const key of ['oneOf', 'anyOf']) {
      const given = getList(resolved.value, key);
      const some = given.filter((each) => !isNull(each));
      if (some.length !== 1 || resolved.trail.length > maxMerges) continue;
      const { [key]: _, ...own } = resolved.value;
      const only = this.read(some[0], resolved.trail);
      return { ...only, value: { ...only.value, ...own, ...(given.length > 1 ? { nullable: true } : {}) } };
    }
    return resolved;
  }

  /** Returns the variants (`oneOf`, `anyOf`) of a schema. */
  getVariants({ value, trail, isWithinItself }: ResolvedSchema): { isOne: boolean; variants: ResolvedSchema[] } {
    const isOne = getList(value, 'oneOf').length > 0;
    const given = getList(value, isOne ? 'oneOf' : 'anyOf').filter((each) => !isNull(each));
    return { isOne, variants: isWithinItself ? [] : given.slice(0, maxParts).map((each) => this.read(each, trail)) };
  }

  /** Returns the item schema of nested arrays, or the schema itself. */
  getItemSchema(resolved: ResolvedSchema): ResolvedSchema {
    let found = resolved;
    for (let level = 0; level < maxListLevels; level += 1) {
      const items = getOwn(found.value, 'items');
      if (!isObject(items) || found.isWithinItself) return found;
      found = this.read(items, found.trail);
    }
    return found;
  }
}

/** A field of an object. */
export interface SchemaField {
  name: string;
  /** Whether it stands for all other field names (`additionalProperties`). */
  isAnyName: boolean;
  schema: unknown;
  isRequired: boolean;
}

/** Returns the fields of an object, required ones first. */
export function getFields({ value }: ResolvedSchema): SchemaField[] {
  const required = new Set(getList(value, 'required').map(String));
  const field = ([name, schema]: [string, unknown]): SchemaField => ({
    ...{ name, schema, isAnyName: false, isRequired: required.has(name) },
  });
  const own = Object.entries(getObject(value, 'properties')).map(field);
  const patterns = Object.entries(getObject(value, 'patternProperties')).map(
    ([pattern, schema]): SchemaField => ({ name: `/${pattern}/`, schema, isAnyName: true, isRequired: false }),
  );
  const rest = getOwn(value, 'additionalProperties');
  const others = isObject(rest) ? [{ name: '*', schema: rest, isAnyName: true, isRequired: false }] : [];
  return [...own.filter((each) => each.isRequired), ...own.filter((each) => !each.isRequired), ...patterns, ...others];
}

const maxVariants = 4;
const maxTypeLevels = 4;
const maxLength = 120;

function getType(value: JsonObject): string {
  const type = getOwn(value, 'type');
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.filter((each) => each !== 'null').join(' | ');
  if (isObject(getOwn(value, 'properties')) || isObject(getOwn(value, 'additionalProperties'))) return 'object';
  if (getOwn(value, 'items') !== undefined) return 'array';
  const known = [getOwn(value, 'const'), ...getList(value, 'enum')].find((each) => each !== undefined && each !== null);
  return known === undefined ? 'any' : typeof known;
}

const isNullable = ({ value }: ResolvedSchema): boolean => {
  const type = getOwn(value, 'type');
  const variants = [...getList(value, 'oneOf'), ...getList(value, 'anyOf')];
  return (
    getOwn(value, 'nullable') === true ||
    (Array.isArray(type) && type.includes('null') && type.length > 1) ||
    variants.some((each) => isObject(each) && textAt(each, 'type') === 'null')
  );
};

function formatNonNullType(schemas: SchemaReader, resolved: ResolvedSchema, level: number): string {
  const { value, name } = resolved;
  const { variants } = schemas.getVariants(resolved);
  if (variants.length > 0 && level < maxTypeLevels) {
    const named = variants.slice(0, maxVariants).map((each) => formatType(schemas, each, level + 1));
    const all = [...new Set(named), ...(variants.length > maxVariants ? ['…'] : [])];
    return name ?? all.join(' | ');
  }
  const items = getOwn(value, 'items');
  const type = getType(value);
  if (type === 'array' && isObject(items) && level < maxTypeLevels) {
    const of = formatType(schemas, schemas.read(items, resolved.trail), level + 1);
    return / \| /.test(of) ? `(${of})[]` : `${of}[]`;
  }
  if (type === 'object') return name ?? 'object';
  const format = textAt(value, 'format');
  return format === undefined ? type : `${type}<${format}>`;
}

/** Describes a schema's type, such as `string<date-time> | null` or `Pet[]`. */
export function formatType(schemas: SchemaReader, resolved: ResolvedSchema, level = 0): string {
  const text = `${formatNonNullType(schemas, resolved, level)}${isNullable(resolved) ? ' | null' : ''}`;
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** A body in one media type. */
export interface BodyMedia {
  type: string;
  media: JsonObject;
}

const maxMediaTypes = 8;

/** Returns the media types of a body, the most common first. */
export function getMedia(body: JsonObject): BodyMedia[] {
  const all = Object.entries(getObject(body, 'content')).flatMap(([type, media]): BodyMedia[] =>
    isObject(media) ? [{ type, media }] : [],
  );
  const isJson = ({ type }: BodyMedia) => /[/+]json\b/.test(type);
  return [...all.filter(isJson), ...all.filter((each) => !isJson(each))].slice(0, maxMediaTypes);
}

/** A serialized example of a body. */
interface SerializedExample {
  title: string | undefined;
  text: string;
  syntax: string;
  value: unknown;
}

const maxExamples = 6;

const getSyntax = (type: string): string =>
  /json/.test(type) ? 'json' : /xml|html/.test(type) ? 'xml' : /yaml/.test(type) ? 'yaml' : '';

/** Serializes a value in a media type; undefined if the format is unknown. */
function serialize(value: unknown, type: string): string | undefined {
  if (typeof value === 'string' && !/json/.test(type)) return value;
  if (/form-urlencoded/.test(type) && isObject(value))
    return new URLSearchParams(
      Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toText(each)])),
    ).toString();
  return /xml/.test(type) ? undefined : JSON.stringify(value, null, 2);
}

export const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Returns the examples of a body: those of the specification, else one generated from its schema. */
export function getExamples(
  schemas: SchemaReader,
  { type, media }: BodyMedia,
  direction: SampleDirection,
): SerializedExample[] {
  const named = Object.entries(getObject(media, 'examples')).slice(0, maxExamples);
  const told = named.flatMap(([name, given]): [string | undefined, unknown][] => {
    const example = resolveLocal(schemas.document, given);
    if (!isObject(example) || getOwn(example, 'value') === undefined) return [];
    return [[textAt(example, 'summary') ?? name, getOwn(example, 'value')]];
  });
  const single = getOwn(media, 'example');
  const given: [string | undefined, unknown][] =
    single !== undefined ? [[undefined, single]] : told.length > 0 ? told : [];
  const all = given.length > 0 ? given : [[undefined, getSample(schemas, getOwn(media, 'schema'), direction)] as const];
  return all.flatMap(([title, value]) => {
    const text = value === undefined ? undefined : serialize(value, type);
    return text === undefined || text === '' ? [] : [{ title, text, value, syntax: getSyntax(type) }];
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

const getFirstType = (type: unknown): string | undefined =>
  (Array.isArray(type) ? type : [type]).find((each): each is string => typeof each === 'string' && each !== 'null');

/** Returns the example that a schema itself gives (example, default, const or enum); undefined if none. */
export function getOwnExample(value: JsonObject): unknown {
  const known = ['example', 'default', 'const'].map((key) => getOwn(value, key));
  return [known[0], getList(value, 'examples')[0], known[2], known[1], getList(value, 'enum')[0]].find(
    (each) => each !== undefined,
  );
}

function createNumber(value: JsonObject): number {
  const least = getOwn(value, 'minimum') ?? getOwn(value, 'exclusiveMinimum');
  return typeof least === 'number' && least > 0 ? Math.ceil(least + (getOwn(value, 'exclusiveMinimum') ? 1 : 0)) : 1;
}

function createObject(resolved: ResolvedSchema, level: number, sampling: Sampling): JsonObject {
  const hidden = sampling.direction === 'request' ? 'readOnly' : 'writeOnly';
  const entries: [string, unknown][] = [];
  for (const { name, isAnyName, schema } of getFields(resolved).slice(0, maxFields)) {
    const field = sampling.schemas.read(schema, resolved.trail);
    if (getOwn(field.value, hidden) === true || sampling.left <= 0) continue;
    const value = createSample(field, level + 1, sampling);
    if (value !== undefined) entries.push([isAnyName ? 'key' : name, value]);
  }
  return Object.fromEntries(entries);
}

function createSample(resolved: ResolvedSchema, level: number, sampling: Sampling): unknown {
  const { value } = resolved;
  sampling.left -= 1;
  const told = getOwnExample(value);
  if (told !== undefined) return told;
  if (resolved.isWithinItself || level > maxSampleLevels || sampling.left <= 0) return undefined;
  const [variant] = sampling.schemas.getVariants(resolved).variants;
  if (variant !== undefined) return createSample(variant, level + 1, sampling);
  const type = getFirstType(getOwn(value, 'type')) ?? (isObject(getOwn(value, 'properties')) ? 'object' : undefined);
  if (type === 'string') return texts[textAt(value, 'format') ?? ''] ?? 'string';
  if (type === 'integer' || type === 'number') return createNumber(value);
  if (type === 'boolean') return true;
  if (type === 'array' || isObject(getOwn(value, 'items'))) {
    const item = createSample(sampling.schemas.read(getOwn(value, 'items'), resolved.trail), level + 1, sampling);
    return item === undefined ? [] : [item];
  }
  return type === 'object' || isObject(getOwn(value, 'additionalProperties'))
    ? createObject(resolved, level, sampling)
    : undefined;
}

/** Returns a sample value for a schema, using the examples that it gives. */
export const getSample = (schemas: SchemaReader, schema: unknown, direction: SampleDirection): unknown =>
  createSample(schemas.read(schema), 0, { schemas, direction, left: maxValues });
