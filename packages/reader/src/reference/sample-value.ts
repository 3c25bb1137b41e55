import { isObject, type JsonObject, ownOf, textAt } from '@octavo/specification';
import { fieldsOf, listAt, type SchemaAt, type SchemaReader } from './schema.ts';

/** How much of a sample is made up at most: values, levels, fields of one object. */
const maxValues = 200;
const maxLevels = 7;
const maxFields = 40;

/** Who is given the sample: fields that only one of them may give are not in the other's. */
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

/** What a schema says itself that its values are like; undefined where it says nothing. */
export function toldSample(value: JsonObject): unknown {
  const known = ['example', 'default', 'const'].map((key) => ownOf(value, key));
  return [known[0], listAt(value, 'examples')[0], known[2], known[1], listAt(value, 'enum')[0]].find(
    (each) => each !== undefined,
  );
}

function numberLike(value: JsonObject): number {
  const least = ownOf(value, 'minimum') ?? ownOf(value, 'exclusiveMinimum');
  return typeof least === 'number' && least > 0 ? Math.ceil(least + (ownOf(value, 'exclusiveMinimum') ? 1 : 0)) : 1;
}

function objectLike(at: SchemaAt, level: number, sampling: Sampling): JsonObject {
  const hidden = sampling.direction === 'request' ? 'readOnly' : 'writeOnly';
  const entries: [string, unknown][] = [];
  for (const { name, isAnyName, schema } of fieldsOf(at).slice(0, maxFields)) {
    const field = sampling.schemas.read(schema, at.trail);
    if (ownOf(field.value, hidden) === true || sampling.left <= 0) continue;
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
  if (at.isWithinItself || level > maxLevels || sampling.left <= 0) return undefined;
  const [variant] = sampling.schemas.variantsOf(at).variants;
  if (variant !== undefined) return sampleAt(variant, level + 1, sampling);
  const type = firstOf(ownOf(value, 'type')) ?? (isObject(ownOf(value, 'properties')) ? 'object' : undefined);
  if (type === 'string') return texts[textAt(value, 'format') ?? ''] ?? 'string';
  if (type === 'integer' || type === 'number') return numberLike(value);
  if (type === 'boolean') return true;
  if (type === 'array' || isObject(ownOf(value, 'items'))) {
    const item = sampleAt(sampling.schemas.read(ownOf(value, 'items'), at.trail), level + 1, sampling);
    return item === undefined ? [] : [item];
  }
  return type === 'object' || isObject(ownOf(value, 'additionalProperties'))
    ? objectLike(at, level, sampling)
    : undefined;
}

/** A value as a schema has it, with what it says as an example where it does. */
export const sampleOf = (schemas: SchemaReader, schema: unknown, direction: SampleDirection): unknown =>
  sampleAt(schemas.read(schema), 0, { schemas, direction, left: maxValues });
