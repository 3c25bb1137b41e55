import { toWebOrigin, type WebOrigin } from '@octavo/schema/web-origin';
import type { JsonObject } from '@octavo/specification';
import { getOwnProperty, getTextAt, isObject, resolveLocal } from '@octavo/specification';
import { goNative } from '@scalar/snippetz/plugins/go/native';
import { jsFetch } from '@scalar/snippetz/plugins/js/fetch';
import { pythonRequests } from '@scalar/snippetz/plugins/python/requests';
import { shellCurl } from '@scalar/snippetz/plugins/shell/curl';
import type { OperationParameter } from './fields.tsx';
import { readParameters } from './fields.tsx';
import type { OperationPart } from './parts.ts';
import type { OperationContext } from './reference-context.tsx';
import { getExamples, getOwnExample, getSample } from './samples.ts';
import { getList, getMedia, getObject, toText } from './schema.ts';

/** A server of an API. */
interface ApiServer {
  /** URL with the defaults of its variables, without a trailing slash. */
  url: string;
  description: string | undefined;
}

/** Returns the origins that the test page may call: HTTPS, and HTTP on the reader's own machine. */
export function getTestOrigins(servers: ApiServer[]): WebOrigin[] {
  const origins = servers.flatMap(({ url }) => {
    const origin = toWebOrigin(url);
    const isAllowed = origin !== undefined && /^(?:https:|http:\/\/(?:localhost|127\.0\.0\.1)(?::|$))/.test(origin);
    return isAllowed ? [origin] : [];
  });
  return [...new Set(origins)];
}

const maxServers = 10;

/** Returns the servers of an operation whose URLs use HTTP or begin with a slash. All other servers are omitted. */
export function readServers(
  document: JsonObject,
  { item, operation }: Pick<OperationPart, 'item' | 'operation'>,
): ApiServer[] {
  const nearestServers = [operation, item, document]
    .map((each) => getList(each, 'servers'))
    .find((list) => list.length > 0);
  return (nearestServers ?? []).slice(0, maxServers).flatMap((server) => {
    const urlTemplate = isObject(server) ? getTextAt(server, 'url') : undefined;
    if (!isObject(server) || urlTemplate === undefined) return [];
    const url = urlTemplate.replace(/\{([^{}]*)\}/g, (placeholder, name: string) => {
      const value = getOwnProperty(getObject(getObject(server, 'variables'), name), 'default');
      return value === undefined ? placeholder : toText(value);
    });
    const isWeb = /^https?:\/\/[^\s"'<>\\^`]+$/i.test(url) || /^\/(?!\/)[^\s"'<>\\^`]*$/.test(url);
    return isWeb ? [{ url: url.replace(/\/+$/, ''), description: getTextAt(server, 'description') }] : [];
  });
}

/** A security scheme with its required scopes. */
export interface SecurityScheme {
  name: string;
  scheme: JsonObject;
  scopes: string[];
}

const maxRequirements = 10;

/** Returns the alternative security requirements. An empty requirement allows anonymous access. */
export function readSecurity(
  document: JsonObject,
  { operation }: Pick<OperationPart, 'operation'>,
): SecurityScheme[][] {
  const schemes = getObject(getObject(document, 'components'), 'securitySchemes');
  const ownSecurity = getOwnProperty(operation, 'security');
  const alternatives = Array.isArray(ownSecurity) ? ownSecurity : getList(document, 'security');
  return alternatives.slice(0, maxRequirements).flatMap((alternative: unknown) => {
    if (!isObject(alternative)) return [];
    const all = Object.entries(alternative).flatMap(([name, scopes]): SecurityScheme[] => {
      const scheme = resolveLocal(document, getOwnProperty(schemes, name));
      return isObject(scheme) ? [{ name, scheme, scopes: Array.isArray(scopes) ? scopes.map(String) : [] }] : [];
    });
    return all.length > 0 || Object.keys(alternative).length === 0 ? [all] : [];
  });
}

/** The credentials of a sample request. */
interface Credentials {
  headers: { name: string; value: string }[];
  query: { name: string; value: string }[];
  cookies: { name: string; value: string }[];
}

/** Returns placeholders for the first security requirement. */
function createCredentials(document: JsonObject, part: OperationPart): Credentials {
  const credentials: Credentials = { headers: [], query: [], cookies: [] };
  const [first = []] = readSecurity(document, part).filter((alternative) => alternative.length > 0);
  for (const { scheme } of first) {
    const [type, name, location] = [
      getTextAt(scheme, 'type'),
      getTextAt(scheme, 'name') ?? '',
      getTextAt(scheme, 'in'),
    ];
    const kind = getTextAt(scheme, 'scheme')?.toLowerCase();
    if (type === 'apiKey' && name !== '') {
      const list =
        location === 'query' ? credentials.query : location === 'cookie' ? credentials.cookies : credentials.headers;
      list.push({ name, value: 'YOUR_API_KEY' });
    } else if (type === 'http' && kind === 'basic')
      credentials.headers.push({ name: 'Authorization', value: 'Basic YOUR_CREDENTIALS' });
    else if (type === 'http' || type === 'oauth2' || type === 'openIdConnect')
      credentials.headers.push({ name: 'Authorization', value: 'Bearer YOUR_TOKEN' });
  }
  return credentials;
}

interface NamedValue {
  name: string;
  value: string;
}

/** A sample request for an operation. */
interface SampleRequest {
  method: string;
  url: string;
  headers: NamedValue[];
  query: NamedValue[];
  body?: { mimeType: string; text?: string; params?: { name: string; value?: string; fileName?: string }[] };
}

/**
 * The server if the specification names none, and the limits of generated samples: the length of a value, the number of
 * parameters, and the length of a path.
 */
const unknownServer = 'https://api.example.com';
const maxValueLength = 300;
const maxParameters = 40;
const maxPathLength = 2000;
/** Maximum length of a body in code samples: generating code takes more than linear time. */
const maxBodyLength = 8000;

const truncate = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);

/** Returns the value of a parameter; undefined if it is optional and has no example. */
function getSampleValue(
  { schemas, document }: OperationContext,
  { value, schema, isRequired }: OperationParameter,
): string | undefined {
  const namedExample = Object.values(getObject(value, 'examples')).map((each) => resolveLocal(document, each))[0];
  const example =
    getOwnProperty(value, 'example') ?? (isObject(namedExample) ? getOwnProperty(namedExample, 'value') : undefined);
  const sampleValue =
    example ??
    (isRequired ? getOwnExample(schemas.read(schema).value) : getOwnProperty(schemas.read(schema).value, 'example'));
  if (sampleValue !== undefined) return toText(sampleValue).slice(0, maxValueLength);
  return isRequired ? toText(getSample(schemas, schema, 'request') ?? '').slice(0, maxValueLength) : undefined;
}

/** Encodes a value for a URL. Braces mark placeholders that the reader fills in. */
const encodeUrl = (text: string): string =>
  encodeURI(text)
    .replace(/%7B/g, '{')
    .replace(/%7D/g, '}')
    .replaceAll("'", '%27')
    .replace(/%25(?=[\da-f]{2})/gi, '%');

function createSamplePath(apiContext: OperationContext, parameters: OperationParameter[]): string {
  return parameters
    .filter(({ location }) => location === 'path')
    .reduce((path, parameter) => {
      const value = getSampleValue(apiContext, parameter);
      const hasValue = value !== undefined && value !== '' && value !== 'string';
      return hasValue ? path.replaceAll(`{${parameter.name}}`, () => encodeURIComponent(value)) : path;
    }, apiContext.part.name);
}

function createSampleBody(apiContext: OperationContext): SampleRequest['body'] {
  const body = resolveLocal(apiContext.document, getOwnProperty(apiContext.part.operation, 'requestBody'));
  const [media] = isObject(body) ? getMedia(body) : [];
  if (media === undefined) return undefined;
  const [example] = getExamples(apiContext.schemas, media, 'request');
  if (/form/.test(media.type) && isObject(example?.value)) {
    const fields = getObject(apiContext.schemas.read(media.media.schema).value, 'properties');
    const params = Object.entries(example.value)
      .slice(0, maxParameters)
      .map(([name, value]) => {
        const { value: field } = apiContext.schemas.read(getOwnProperty(fields, name));
        const isFile =
          getTextAt(field, 'format') === 'binary' || getOwnProperty(field, 'contentMediaType') !== undefined;
        return isFile ? { name, fileName: 'file' } : { name, value: truncate(toText(value), maxValueLength) };
      });
    return { mimeType: media.type, params };
  }
  return example === undefined ? undefined : { mimeType: media.type, text: truncate(example.text, maxBodyLength) };
}

/** Returns a sample request for an operation, with required parameters and placeholder credentials. */
function createSampleRequest(apiContext: OperationContext): SampleRequest {
  const { document, part } = apiContext;
  const all = readParameters(document, part);
  const parameters = [...all.filter((each) => each.isRequired), ...all.filter((each) => !each.isRequired)].slice(
    0,
    maxParameters,
  );
  const [server] = readServers(document, part);
  const base = server === undefined || server.url.startsWith('/') ? `${unknownServer}${server?.url ?? ''}` : server.url;
  const getSetValues = (location: OperationParameter['location']): NamedValue[] =>
    parameters.flatMap((parameter) => {
      const value = parameter.location === location ? getSampleValue(apiContext, parameter) : undefined;
      return value === undefined ? [] : [{ name: parameter.name, value }];
    });
  const credentials = createCredentials(document, part);
  const cookies = [...credentials.cookies, ...getSetValues('cookie')].map(({ name, value }) => `${name}=${value}`);
  const body = createSampleBody(apiContext);
  const isTyped = body?.text !== undefined;
  return {
    method: part.method.toUpperCase(),
    url: encodeUrl(`${base}${createSamplePath(apiContext, parameters)}`.slice(0, maxPathLength)),
    headers: [
      ...credentials.headers,
      ...getSetValues('header'),
      ...(cookies.length === 0 ? [] : [{ name: 'Cookie', value: cookies.join('; ') }]),
      ...(isTyped ? [{ name: 'Content-Type', value: body.mimeType }] : []),
    ],
    query: [...credentials.query, ...getSetValues('query')],
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
function readSamples({ part: { operation } }: OperationContext): CodeSample[] {
  const entries = [...getList(operation, 'x-codeSamples'), ...getList(operation, 'x-code-samples')];
  return entries.slice(0, maxSamples).flatMap((sample) => {
    const text = isObject(sample) ? getTextAt(sample, 'source') : undefined;
    if (!isObject(sample) || text === undefined) return [];
    const syntax = getTextAt(sample, 'lang') ?? '';
    return [{ title: (getTextAt(sample, 'label') ?? syntax).slice(0, 60), syntax, text }];
  });
}

/**
 * Returns the code samples of the specification or, if it has none, samples in common languages, as many as the budget
 * allows.
 */
export function getCodeSamples(apiContext: OperationContext): CodeSample[] {
  const declaredSamples = readSamples(apiContext);
  const all = declaredSamples.length > 0 ? declaredSamples : generateSamples(apiContext);
  return all.filter(({ text }) => apiContext.budget.spend('code', text.length));
}

function generateSamples(apiContext: OperationContext): CodeSample[] {
  const { method, url, headers, query, body } = createSampleRequest(apiContext);
  const request = { method, url, headers, queryString: query, ...(body === undefined ? {} : { postData: body }) };
  return languages.map(({ title, syntax, plugin, before }) => ({
    title,
    syntax,
    text: `${before}${plugin.generate(request)}`.trim(),
  }));
}
