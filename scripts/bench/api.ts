import { PlatformError } from '@octavo/platform';

/** The address of a program's API, and the headers that each request carries. */
export interface Api {
  /** The URL without a trailing slash. */
  url: string;
  headers: Record<string, string>;
}

/** Placeholder in a path or a body. It is replaced by the next number in each request. */
export const counter = '@COUNTER';

/** A request as an adapter describes it. Responses that differ from it count as failures. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: unknown;
  /** The expected status; 200 by default. */
  status?: number;
  /** The start of each response body, for APIs that return failures with the same status. */
  bodyStart?: string;
  /** A part of the response body. Single calls check it; a load does not. */
  contains?: string;
}

/** A request with its body as text and all headers. */
interface PreparedRequest {
  method: ApiRequest['method'];
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

let sent = 0;

/** Returns a function that creates the next request, in which the next number replaces the counter. */
export function prepare({ headers }: Api, { method, path, body }: ApiRequest): () => PreparedRequest {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const prepared = {
    method,
    path,
    headers: text === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    body: text,
  };
  if (!`${path}${text}`.includes(counter)) return () => prepared;
  return () => {
    sent += 1;
    const digits = String(sent).padStart(counter.length, '0');
    return { ...prepared, path: path.replaceAll(counter, digits), body: text?.replaceAll(counter, digits) };
  };
}

interface ApiResponse {
  text: string;
  headers: Headers;
}

/** Sends one request. Throws if the response is not the expected one. */
export async function call(api: Api, request: ApiRequest): Promise<ApiResponse> {
  const { status = 200, bodyStart = '', contains = '' } = request;
  const { path, body, ...options } = prepare(api, request)();
  const response = await fetch(`${api.url}${path}`, body === undefined ? options : { ...options, body });
  const text = await response.text();
  if (response.status !== status || !text.startsWith(bodyStart) || !text.includes(contains))
    throw new PlatformError(`${options.method} ${api.url}${path} returned ${response.status} ${text.slice(0, 300)}`);
  return { text, headers: response.headers };
}

/** Sends one request and parses the response as JSON. The caller must know its type. */
export const callJson = async <Body>(api: Api, request: ApiRequest): Promise<Body> =>
  JSON.parse((await call(api, request)).text) as Body;

export const createAuthorization = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
