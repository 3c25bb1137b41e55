import { isObject, ownOf, resolveLocal, textAt } from '@octavo/specification';
import type { OperationDrawing } from './drawn-reference.ts';
import { examplesOf, mediaOf, plain } from './media.ts';
import { type Parameter, parametersOf } from './parameters.tsx';
import { sampleOf, toldSample } from './sample-value.ts';
import { objectIn } from './schema.ts';
import { credentialsOf } from './security.ts';
import { serversOf } from './servers.ts';

interface Named {
  name: string;
  value: string;
}

/** A request as an example of an operation. */
export interface SampleRequest {
  method: string;
  url: string;
  headers: Named[];
  query: Named[];
  body?: { mimeType: string; text?: string; params?: { name: string; value?: string; fileName?: string }[] };
}

/** Where nothing says where an API is. */
const unknownServer = 'https://api.example.com';
const maxValueLength = 300;
const maxParameters = 40;
const maxPathLength = 2000;
/** What writes code takes longer than its length for a body. */
const maxBodyLength = 8000;

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);

/** What a parameter is set to; undefined for one that may be left out and of which no value is told. */
function setValue(
  { schemas, document }: OperationDrawing,
  { value, schema, isRequired }: Parameter,
): string | undefined {
  const named = Object.values(objectIn(value, 'examples')).map((each) => resolveLocal(document, each))[0];
  const own = ownOf(value, 'example') ?? (isObject(named) ? ownOf(named, 'value') : undefined);
  const told =
    own ?? (isRequired ? toldSample(schemas.read(schema).value) : ownOf(schemas.read(schema).value, 'example'));
  if (told !== undefined) return plain(told).slice(0, maxValueLength);
  return isRequired ? plain(sampleOf(schemas, schema, 'request') ?? '').slice(0, maxValueLength) : undefined;
}

/** As it stands in an address, where braces stand for what the reader sets. */
const encoded = (text: string): string =>
  encodeURI(text)
    .replace(/%7B/g, '{')
    .replace(/%7D/g, '}')
    .replaceAll("'", '%27')
    .replace(/%25(?=[\da-f]{2})/gi, '%');

function pathOf(from: OperationDrawing, parameters: Parameter[]): string {
  return parameters
    .filter(({ place }) => place === 'path')
    .reduce((path, parameter) => {
      const value = setValue(from, parameter);
      const isTold = value !== undefined && value !== '' && value !== 'string';
      return isTold ? path.replaceAll(`{${parameter.name}}`, () => encodeURIComponent(value)) : path;
    }, from.part.name);
}

function bodyOf(from: OperationDrawing): SampleRequest['body'] {
  const body = resolveLocal(from.document, ownOf(from.part.operation, 'requestBody'));
  const [media] = isObject(body) ? mediaOf(body) : [];
  if (media === undefined) return undefined;
  const [example] = examplesOf(from.schemas, media, 'request');
  if (/form/.test(media.type) && isObject(example?.value)) {
    const fields = objectIn(from.schemas.read(media.media.schema).value, 'properties');
    const params = Object.entries(example.value)
      .slice(0, maxParameters)
      .map(([name, value]) => {
        const { value: field } = from.schemas.read(ownOf(fields, name));
        const isFile = textAt(field, 'format') === 'binary' || ownOf(field, 'contentMediaType') !== undefined;
        return isFile ? { name, fileName: 'file' } : { name, value: cut(plain(value), maxValueLength) };
      });
    return { mimeType: media.type, params };
  }
  return example === undefined ? undefined : { mimeType: media.type, text: cut(example.text, maxBodyLength) };
}

/** A request that an operation takes, with what it asks for and placeholders of what lets one in. */
export function sampleRequestOf(from: OperationDrawing): SampleRequest {
  const { document, part } = from;
  const all = parametersOf(document, part);
  const parameters = [...all.filter((each) => each.isRequired), ...all.filter((each) => !each.isRequired)].slice(
    0,
    maxParameters,
  );
  const [server] = serversOf(document, part);
  const base = server === undefined || server.url.startsWith('/') ? `${unknownServer}${server?.url ?? ''}` : server.url;
  const set = (place: Parameter['place']): Named[] =>
    parameters.flatMap((parameter) => {
      const value = parameter.place === place ? setValue(from, parameter) : undefined;
      return value === undefined ? [] : [{ name: parameter.name, value }];
    });
  const credentials = credentialsOf(document, part);
  const cookies = [...credentials.cookies, ...set('cookie')].map(({ name, value }) => `${name}=${value}`);
  const body = bodyOf(from);
  const isTyped = body?.text !== undefined;
  return {
    method: part.method.toUpperCase(),
    url: encoded(`${base}${pathOf(from, parameters)}`.slice(0, maxPathLength)),
    headers: [
      ...credentials.headers,
      ...set('header'),
      ...(cookies.length === 0 ? [] : [{ name: 'Cookie', value: cookies.join('; ') }]),
      ...(isTyped ? [{ name: 'Content-Type', value: body.mimeType }] : []),
    ],
    query: [...credentials.query, ...set('query')],
    ...(body === undefined ? {} : { body }),
  };
}
