import { tokenPrefix } from '@octavo/db';
import { readVisitorToken, urlsOf } from '@octavo/runtime';
import type { ScriptEvent } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import type { EndpointPlace } from './endpoint-place.ts';

/** As the official events have them; of any other method the name is as it came. */
const lowerMethods = new Set(['GET', 'POST', 'PUT', 'DELETE']);

/** What is for the platform, or told it by what stands before it. */
const ownHeaders =
  /^(?:cookie2?|connection|host|content-length|transfer-encoding|via|octavo-.*|forwarded|x-forwarded-.*|x-real-ip|(?:true|x|x-cluster|fly)-client-ip|cf-.*|proxy-.*|(?:x-)?remote-.*|x-auth-request-.*|x-goog-iap-.*|x-goog-authenticated-.*|x-ms-client-principal.*|x-amzn-oidc-.*)$/;
/** Wherever it stands, as a name and a password too. */
const ownToken = new RegExp(`${tokenPrefix}\\w`);

const namesAndPasswords = (value: string): string => {
  const [, encoded = ''] = /^basic\s+([\w+/]+)={0,2}$/i.exec(value) ?? [];
  try {
    return atob(encoded);
  } catch {
    return '';
  }
};

/** The headers that a script may see: no cookie, and no token of ours. */
async function headersFor(headers: Headers, env: IntegrationsEnvironment): Promise<Record<string, string>> {
  const isVisitors = (await readVisitorToken(env, headers.get('authorization'))) !== undefined;
  return Object.fromEntries(
    [...headers].filter(
      ([name, value]) =>
        !ownHeaders.test(name) &&
        !ownToken.test(value) &&
        !ownToken.test(namesAndPasswords(value)) &&
        !(isVisitors && name === 'authorization'),
    ),
  );
}

/** The event by which a script answers a request. */
export async function fetchEvent(
  { method, headers, url }: Request,
  env: IntegrationsEnvironment,
  { installation, space, site }: EndpointPlace,
): Promise<ScriptEvent> {
  const { pathname, search } = new URL(url);
  return {
    eventId: newId('event'),
    type: 'fetch',
    ...(installation === undefined ? {} : { installationId: installation }),
    ...(space === undefined ? {} : { spaceId: space }),
    ...(site === undefined ? {} : { siteId: site }),
    request: {
      method: lowerMethods.has(method) ? method.toLowerCase() : method,
      url: `${urlsOf(env).page('')}${pathname}${search}`,
      headers: await headersFor(headers, env),
    },
  };
}
