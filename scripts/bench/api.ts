import { PlatformError } from '@octavo/platform';
import { type ApiRequest, counter } from './api-request.ts';

/** Where a program answers, and what each request to it carries. */
export interface Api {
  /** Without a slash at the end. */
  url: string;
  headers: Record<string, string>;
}

export interface Answered {
  text: string;
  headers: Headers;
}

let called = 0;

const numbered = (text: string): string => text.replaceAll(counter, String(called).padStart(counter.length, '9'));

/** Sends one request, and throws where its answer is not as it says. */
export async function call({ url, headers }: Api, request: ApiRequest): Promise<Answered> {
  const { method, path, body, status = 200, bodyStart = '', contains = '' } = request;
  called += 1;
  const answer = await fetch(`${url}${numbered(path)}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: numbered(JSON.stringify(body)) }),
  });
  const text = await answer.text();
  if (answer.status !== status || !text.startsWith(bodyStart) || !text.includes(contains))
    throw new PlatformError(`${method} ${url}${path} answered ${answer.status} ${text.slice(0, 300)}`);
  return { text, headers: answer.headers };
}

/** What an answer holds as JSON, which the caller knows the shape of. */
export const callJson = async <Body>(api: Api, request: ApiRequest): Promise<Body> =>
  JSON.parse((await call(api, request)).text) as Body;

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
