import { isObject, type JsonObject, ownOf, resolveLocal, textAt } from '@octavo/specification';
import { type SampleDirection, sampleOf } from './sample-value.ts';
import { objectIn, type SchemaReader } from './schema.ts';

/** What a body is in one media type. */
export interface MediaOfBody {
  type: string;
  media: JsonObject;
}

const maxMediaTypes = 8;

/** The media types of a body; what clients most often want first. */
export function mediaOf(body: JsonObject): MediaOfBody[] {
  const all = Object.entries(objectIn(body, 'content')).flatMap(([type, media]): MediaOfBody[] =>
    isObject(media) ? [{ type, media }] : [],
  );
  const isJson = ({ type }: MediaOfBody) => /[/+]json\b/.test(type);
  return [...all.filter(isJson), ...all.filter((each) => !isJson(each))].slice(0, maxMediaTypes);
}

/** An example of a body as it is written. */
export interface WrittenExample {
  title: string | undefined;
  text: string;
  syntax: string;
  value: unknown;
}

const maxExamples = 6;

export const syntaxOf = (type: string): string =>
  /json/.test(type) ? 'json' : /xml|html/.test(type) ? 'xml' : /yaml/.test(type) ? 'yaml' : '';

/** A value as a text of a media type; undefined where it cannot be told how it is written. */
function written(value: unknown, type: string): string | undefined {
  if (typeof value === 'string' && !/json/.test(type)) return value;
  if (/form-urlencoded/.test(type) && isObject(value))
    return new URLSearchParams(
      Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)])),
    ).toString();
  return /xml/.test(type) ? undefined : JSON.stringify(value, null, 2);
}

export const plain = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The examples of a body: those that the specification gives, else one as its schema has it. */
export function examplesOf(
  schemas: SchemaReader,
  { type, media }: MediaOfBody,
  direction: SampleDirection,
): WrittenExample[] {
  const named = Object.entries(objectIn(media, 'examples')).slice(0, maxExamples);
  const told = named.flatMap(([name, given]): [string | undefined, unknown][] => {
    const example = resolveLocal(schemas.document, given);
    if (!isObject(example) || ownOf(example, 'value') === undefined) return [];
    return [[textAt(example, 'summary') ?? name, ownOf(example, 'value')]];
  });
  const single = ownOf(media, 'example');
  const given: [string | undefined, unknown][] =
    single !== undefined ? [[undefined, single]] : told.length > 0 ? told : [];
  const all = given.length > 0 ? given : [[undefined, sampleOf(schemas, ownOf(media, 'schema'), direction)] as const];
  return all.flatMap(([title, value]) => {
    const text = value === undefined ? undefined : written(value, type);
    return text === undefined || text === '' ? [] : [{ title, text, value, syntax: syntaxOf(type) }];
  });
}
