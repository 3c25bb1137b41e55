import type { JsonObject } from '@octavo/specification';
import { getOwnProperty, getTextAt, isObject, resolveLocal } from '@octavo/specification';
import type { BodyMedia, ResolvedSchema, SchemaReader } from './schema.ts';
import { getFields, getList, getObject, guessType, readBounds, toText } from './schema.ts';

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

/** Returns the examples of a body: those of the specification, else one generated from its schema. */
export function getExamples(
  schemas: SchemaReader,
  { type, media }: BodyMedia,
  direction: SampleDirection,
): SerializedExample[] {
  const named = Object.entries(getObject(media, 'examples')).slice(0, maxExamples);
  const namedValues = named.flatMap(([name, examples]): [string | undefined, unknown][] => {
    const example = resolveLocal(schemas.document, examples);
    if (!isObject(example) || getOwnProperty(example, 'value') === undefined) return [];
    return [[getTextAt(example, 'summary') ?? name, getOwnProperty(example, 'value')]];
  });
  const single = getOwnProperty(media, 'example');
  const written: [string | undefined, unknown][] =
    single !== undefined ? [[undefined, single]] : namedValues.length > 0 ? namedValues : [];
  const all =
    written.length > 0
      ? written
      : [[undefined, getSample(schemas, getOwnProperty(media, 'schema'), direction)] as const];
  return all.flatMap(([title, value]) => {
    const text = value === undefined ? undefined : serialize(value, type);
    return text === undefined || text === '' ? [] : [{ title, text, value, syntax: getSyntax(type) }];
  });
}

/** Limits of a generated sample: the number of values, the nesting levels, and the number of fields of one object. */
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
  const candidates = ['example', 'default', 'const'].map((key) => getOwnProperty(value, key));
  return [candidates[0], getList(value, 'examples')[0], candidates[2], candidates[1], getList(value, 'enum')[0]].find(
    (each) => each !== undefined,
  );
}

/** Returns a number within the bounds of a schema, preferably its `multipleOf` or 1. */
function createNumber(value: JsonObject): number {
  const { low, high, isLowExclusive, isHighExclusive } = readBounds(value);
  const step = getOwnProperty(value, 'multipleOf');
  const multiple = typeof step === 'number' && step > 0 ? step : 1;
  const isInRange = (number: number) =>
    (low === undefined || (isLowExclusive ? number > low : number >= low)) &&
    (high === undefined || (isHighExclusive ? number < high : number <= high));
  const nearLow = low === undefined ? 0 : Math.ceil(low / multiple) * multiple;
  const nearHigh = high === undefined ? 0 : Math.floor(high / multiple) * multiple;
  const middle = ((low ?? 0) + (high ?? 0)) / 2;
  return [multiple, nearLow, nearLow + multiple, nearHigh, nearHigh - multiple, middle].find(isInRange) ?? 1;
}

function createObject(resolved: ResolvedSchema, level: number, sampling: Sampling): JsonObject {
  const hidden = sampling.direction === 'request' ? 'readOnly' : 'writeOnly';
  const entries: [string, unknown][] = [];
  for (const { name, isAnyName, isRequired, schema } of getFields(resolved).slice(0, maxFields)) {
    const field = sampling.schemas.read(schema, resolved.trail);
    // If an object is nested in itself, the inner object has only its required fields and is not nested again.
    if (resolved.isWithinItself && (!isRequired || field.isWithinItself)) continue;
    if (getOwnProperty(field.value, hidden) === true || sampling.left <= 0) continue;
    const isRepeated = field.isWithinItself && isRequired;
    const value = isRepeated ? createObject(field, level + 1, sampling) : createSample(field, level + 1, sampling);
    if (value !== undefined) entries.push([isAnyName ? 'key' : name, value]);
  }
  return Object.fromEntries(entries);
}

/** Creates a sample of the first variant, with the fields that all variants have. */
function createVariant(resolved: ResolvedSchema, variant: ResolvedSchema, level: number, sampling: Sampling): unknown {
  const sample = createSample(variant, level + 1, sampling);
  if (!isObject(sample)) return sample;
  const { discriminator } = variant;
  const selected = discriminator === undefined ? {} : { [discriminator.property]: discriminator.value };
  return { ...createObject(resolved, level, sampling), ...sample, ...selected };
}

function createSample(resolved: ResolvedSchema, level: number, sampling: Sampling): unknown {
  const { value } = resolved;
  sampling.left -= 1;
  const ownExample = getOwnExample(value);
  if (ownExample !== undefined) return ownExample;
  if (resolved.isWithinItself || level > maxSampleLevels || sampling.left <= 0) return undefined;
  const [variant] = sampling.schemas.getVariants(resolved).variants;
  if (variant !== undefined) return createVariant(resolved, variant, level, sampling);
  const type = getFirstType(getOwnProperty(value, 'type') ?? guessType(value));
  if (type === 'string') return texts[getTextAt(value, 'format') ?? ''] ?? 'string';
  if (type === 'integer' || type === 'number') return createNumber(value);
  if (type === 'boolean') return true;
  const tuple = getList(value, 'prefixItems').slice(0, maxFields);
  if (tuple.length > 0)
    return tuple.map((item) => createSample(sampling.schemas.read(item, resolved.trail), level + 1, sampling) ?? null);
  if (type === 'array' || isObject(getOwnProperty(value, 'items'))) {
    const item = createSample(
      sampling.schemas.read(getOwnProperty(value, 'items'), resolved.trail),
      level + 1,
      sampling,
    );
    return item === undefined ? [] : [item];
  }
  return type === 'object' || isObject(getOwnProperty(value, 'additionalProperties'))
    ? createObject(resolved, level, sampling)
    : undefined;
}

/** Returns a sample value for a schema, using the examples that it gives. */
export const getSample = (schemas: SchemaReader, schema: unknown, direction: SampleDirection): unknown =>
  createSample(schemas.read(schema), 0, { schemas, direction, left: maxValues });
