import type { JsonObject } from '@octavo/specification';
import { getOwn, isObject, resolveLocal, textAt } from '@octavo/specification';
import { goNative } from '@scalar/snippetz/plugins/go/native';
import { jsFetch } from '@scalar/snippetz/plugins/js/fetch';
import { pythonRequests } from '@scalar/snippetz/plugins/python/requests';
import { shellCurl } from '@scalar/snippetz/plugins/shell/curl';
import type { OperationDrawing } from './drawn-reference.tsx';
import type { OperationParameter } from './fields.tsx';
import { parametersOf } from './fields.tsx';
import type { OperationPart } from './parts.ts';
import { examplesOf, listAt, mediaOf, objectIn, plain, sampleOf, toldSample } from './schema.ts';

/** A server of an API. */
interface ServerOfApi {
  /** URL with the defaults of its variables, without a trailing slash. */
  url: string;
  description: string | undefined;
}

/** Returns the origins that the test page may call: HTTPS, and HTTP on the reader's own machine. */
export function testOriginsOf(servers: ServerOfApi[]): string[] {
  const origins = servers.flatMap(({ url }) => {
    if (!URL.canParse(url)) return [];
    const { protocol, hostname, origin } = new URL(url);
    const isOwnMachine = protocol === 'http:' && /^(?:localhost|127\.0\.0\.1)$/.test(hostname);
    return (protocol === 'https:' || isOwnMachine) && /^[\w:/.-]+$/.test(origin) ? [origin] : [];
  });
  return [...new Set(origins)];
}

const maxServers = 10;

/** Returns the HTTP servers of an operation. Relative URLs with an unknown base are left out. */
export function serversOf(
  document: JsonObject,
  { item, operation }: Pick<OperationPart, 'item' | 'operation'>,
): ServerOfApi[] {
  const nearest = [operation, item, document].map((each) => listAt(each, 'servers')).find((list) => list.length > 0);
  return (nearest ?? []).slice(0, maxServers).flatMap((server) => {
    const given = isObject(server) ? textAt(server, 'url') : undefined;
    if (!isObject(server) || given === undefined) return [];
    const url = given.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
      const value = getOwn(objectIn(objectIn(server, 'variables'), name), 'default');
      return value === undefined ? whole : plain(value);
    });
    const isWeb = /^https?:\/\/[^\s"'<>\\^`]+$/i.test(url) || /^\/(?!\/)[^\s"'<>\\^`]*$/.test(url);
    return isWeb ? [{ url: url.replace(/\/+$/, ''), description: textAt(server, 'description') }] : [];
  });
}

/** A security scheme with its required scopes. */
export interface SchemeOfSecurity {
  name: string;
  scheme: JsonObject;
  scopes: string[];
}

const maxWays = 10;

/** Returns the alternative security requirements. One that is empty allows anonymous access. */
export function securityOf(
  document: JsonObject,
  { operation }: Pick<OperationPart, 'operation'>,
): SchemeOfSecurity[][] {
  const schemes = objectIn(objectIn(document, 'components'), 'securitySchemes');
  const own = getOwn(operation, 'security');
  const ways = Array.isArray(own) ? own : listAt(document, 'security');
  return ways.slice(0, maxWays).flatMap((way: unknown) => {
    if (!isObject(way)) return [];
    const all = Object.entries(way).flatMap(([name, scopes]): SchemeOfSecurity[] => {
      const scheme = resolveLocal(document, getOwn(schemes, name));
      return isObject(scheme) ? [{ name, scheme, scopes: Array.isArray(scopes) ? scopes.map(String) : [] }] : [];
    });
    return all.length > 0 || Object.keys(way).length === 0 ? [all] : [];
  });
}

/** The credentials of a sample request. */
interface Credentials {
  headers: { name: string; value: string }[];
  query: { name: string; value: string }[];
  cookies: { name: string; value: string }[];
}

/** Returns placeholders for the first security requirement. */
function credentialsOf(document: JsonObject, part: OperationPart): Credentials {
  const found: Credentials = { headers: [], query: [], cookies: [] };
  const [first = []] = securityOf(document, part).filter((way) => way.length > 0);
  for (const { scheme } of first) {
    const [type, name, place] = [textAt(scheme, 'type'), textAt(scheme, 'name') ?? '', textAt(scheme, 'in')];
    const kind = textAt(scheme, 'scheme')?.toLowerCase();
    if (type === 'apiKey' && name !== '') {
      const list = place === 'query' ? found.query : place === 'cookie' ? found.cookies : found.headers;
      list.push({ name, value: 'YOUR_API_KEY' });
    } else if (type === 'http' && kind === 'basic')
      found.headers.push({ name: 'Authorization', value: 'Basic YOUR_CREDENTIALS' });
    else if (type === 'http' || type === 'oauth2' || type === 'openIdConnect')
      found.headers.push({ name: 'Authorization', value: 'Bearer YOUR_TOKEN' });
  }
  return found;
}

interface Named {
  name: string;
  value: string;
}

/** A sample request for an operation. */
interface SampleRequest {
  method: string;
  url: string;
  headers: Named[];
  query: Named[];
  body?: { mimeType: string; text?: string; params?: { name: string; value?: string; fileName?: string }[] };
}

/** Used if the specification names no server. */
const unknownServer = 'https://api.example.com';
const maxValueLength = 300;
const maxParameters = 40;
const maxPathLength = 2000;
/** Maximum length of a body in code samples: generating code takes more than linear time. */
const maxBodyLength = 8000;

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);

/** Returns the value of a parameter; undefined if it is optional and has no example. */
function setValue(
  { schemas, document }: OperationDrawing,
  { value, schema, isRequired }: OperationParameter,
): string | undefined {
  const named = Object.values(objectIn(value, 'examples')).map((each) => resolveLocal(document, each))[0];
  const own = getOwn(value, 'example') ?? (isObject(named) ? getOwn(named, 'value') : undefined);
  const told =
    own ?? (isRequired ? toldSample(schemas.read(schema).value) : getOwn(schemas.read(schema).value, 'example'));
  if (told !== undefined) return plain(told).slice(0, maxValueLength);
  return isRequired ? plain(sampleOf(schemas, schema, 'request') ?? '').slice(0, maxValueLength) : undefined;
}

/** Encodes a value for a URL. Braces mark placeholders that the reader fills in. */
const encoded = (text: string): string =>
  encodeURI(text)
    .replace(/%7B/g, '{')
    .replace(/%7D/g, '}')
    .replaceAll("'", '%27')
    .replace(/%25(?=[\da-f]{2})/gi, '%');

function pathOf(from: OperationDrawing, parameters: OperationParameter[]): string {
  return parameters
    .filter(({ place }) => place === 'path')
    .reduce((path, parameter) => {
      const value = setValue(from, parameter);
      const isTold = value !== undefined && value !== '' && value !== 'string';
      return isTold ? path.replaceAll(`{${parameter.name}}`, () => encodeURIComponent(value)) : path;
    }, from.part.name);
}

function bodyOf(from: OperationDrawing): SampleRequest['body'] {
  const body = resolveLocal(from.document, getOwn(from.part.operation, 'requestBody'));
  const [media] = isObject(body) ? mediaOf(body) : [];
  if (media === undefined) return undefined;
  const [example] = examplesOf(from.schemas, media, 'request');
  if (/form/.test(media.type) && isObject(example?.value)) {
    const fields = objectIn(from.schemas.read(media.media.schema).value, 'properties');
    const params = Object.entries(example.value)
      .slice(0, maxParameters)
      .map(([name, value]) => {
        const { value: field } = from.schemas.read(getOwn(fields, name));
        const isFile = textAt(field, 'format') === 'binary' || getOwn(field, 'contentMediaType') !== undefined;
        return isFile ? { name, fileName: 'file' } : { name, value: cut(plain(value), maxValueLength) };
      });
    return { mimeType: media.type, params };
  }
  return example === undefined ? undefined : { mimeType: media.type, text: cut(example.text, maxBodyLength) };
}

/** Returns a sample request for an operation, with required parameters and placeholder credentials. */
function sampleRequestOf(from: OperationDrawing): SampleRequest {
  const { document, part } = from;
  const all = parametersOf(document, part);
  const parameters = [...all.filter((each) => each.isRequired), ...all.filter((each) => !each.isRequired)].slice(
    0,
    maxParameters,
  );
  const [server] = serversOf(document, part);
  const base = server === undefined || server.url.startsWith('/') ? `${unknownServer}${server?.url ?? ''}` : server.url;
  const set = (place: OperationParameter['place']): Named[] =>
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

/** Code that calls an operation. */
export interface CodeSample {
  title: string;
  syntax: string;
  text: string;
}

const languages = [
  { title: 'cURL', syntax: 'bash', plugin: shellCurl, before: '' },
  { title: 'JavaScript', syntax: 'javascript', plugin: jsFetch, before: '' },
  { title: 'Python', syntax: 'python', plugin: pythonRequests, before: 'import requests\n\n' },
  { title: 'Go', syntax: 'go', plugin: goNative, before: '' },
];

const maxSamples = 8;

/** Returns the code samples of the specification itself. */
function ownSamples({ part: { operation } }: OperationDrawing): CodeSample[] {
  const given = [...listAt(operation, 'x-codeSamples'), ...listAt(operation, 'x-code-samples')];
  return given.slice(0, maxSamples).flatMap((sample) => {
    const text = isObject(sample) ? textAt(sample, 'source') : undefined;
    if (!isObject(sample) || text === undefined) return [];
    const syntax = textAt(sample, 'lang') ?? '';
    return [{ title: (textAt(sample, 'label') ?? syntax).slice(0, 60), syntax, text }];
  });
}

/** Returns the specification's code samples, or generated ones in common languages, as far as the budget allows. */
export function codeSamplesOf(from: OperationDrawing): CodeSample[] {
  const own = ownSamples(from);
  const all = own.length > 0 ? own : madeSamples(from);
  return all.filter(({ text }) => from.budget.take('code', text.length));
}

function madeSamples(from: OperationDrawing): CodeSample[] {
  const { method, url, headers, query, body } = sampleRequestOf(from);
  const request = { method, url, headers, queryString: query, ...(body === undefined ? {} : { postData: body }) };
  return languages.map(({ title, syntax, plugin, before }) => ({
    title,
    syntax,
    text: `${before}${plugin.generate(request)}`.trim(),
  }));
}
