import { connect, tokenPrefix } from '@octavo/db';
import {
  createErrorResponse,
  createUrls,
  discardBody,
  readBytes,
  readGatewayContext,
  readVisitorToken,
} from '@octavo/runtime';
import type { ContentSecurityPolicy, ScriptEvent, SiteId, SpaceId } from '@octavo/schema';
import { createId, notFound } from '@octavo/schema';
import type { ScriptOutcome } from '@octavo/script-isolate';
import type { IntegrationsEnvironment } from '../environment.ts';
import { callScript } from '../scripts/call-script.ts';
import type { ScriptTarget } from '../scripts/script-target.ts';
import { readTarget } from '../scripts/script-target.ts';

const maxBodyBytes = 5_000_000;
const scriptKeptSeconds = 300;

/** Whether the endpoint exists and is not paused. */
function isServed({ installed, onSpace, onSite }: ScriptTarget, endpointTarget: EndpointTarget): boolean {
  const { installation, space, site, isPublishedScript } = endpointTarget;
  if (installation !== undefined && (installed === undefined || installed.installation.status === 'paused'))
    return false;
  if (space !== undefined && (onSpace === undefined || onSpace.status === 'paused')) return false;
  if (site !== undefined && (onSite === undefined || onSite.status === 'paused')) return false;
  if (!isPublishedScript) return true;
  const isActive = installed?.installation.status === 'active' && onSite?.status === 'active';
  return isActive && installed.installation.scopes.includes('site:script:inject');
}

const createScriptEvent = ({ installation = '', site = '' }: EndpointTarget): ScriptEvent => ({
  eventId: createId('event'),
  type: 'fetch_published_script',
  installationId: installation,
  siteId: site,
});

/** Turns a response into JavaScript for published sites that caches may keep for a while. */
function toScriptResponse(response: Response): Response {
  if (response.status !== 200) return response;
  response.headers.set('content-type', 'text/javascript; charset=utf-8');
  response.headers.set('cache-control', `public, max-age=${scriptKeptSeconds}`);
  return response;
}

async function serve(request: Request, env: IntegrationsEnvironment): Promise<Response> {
  const endpointTarget = parseEndpoint(new URL(request.url).pathname);
  if (endpointTarget === undefined || (endpointTarget.isPublishedScript && request.method !== 'GET'))
    throw notFound('path');
  const { db } = connect(env.DB, { intent: 'write', requiresComplete: true });
  const urls = createUrls(env);
  const target = await readTarget(db, endpointTarget);
  if (target === undefined || !isServed(target, endpointTarget)) throw notFound('path');
  const { isPublishedScript: isFrequent } = endpointTarget;
  const event = isFrequent ? createScriptEvent(endpointTarget) : await createFetchEvent(request, env, endpointTarget);
  const fetchBody = isFrequent || request.body === null ? null : await readBytes(request, maxBodyBytes);
  const outcome = await callScript({ env, db, urls }, target, { event, fetchBody, isFrequent });
  const response = serveOutcome(outcome, target.visibleIntegration.integration.contentSecurityPolicy);
  return isFrequent ? toScriptResponse(response) : response;
}

/** Serves the public endpoints of integrations, with responses of their scripts. */
export async function servePublicEndpoint(request: Request, env: IntegrationsEnvironment): Promise<Response> {
  try {
    return await serve(request, env);
  } catch (error) {
    await discardBody(request);
    return createErrorResponse(error, readGatewayContext(request).requestId);
  }
}

/** GitBook passes these methods to scripts in lower case, so this runtime does too. Others are unchanged. */
const lowerMethods = new Set(['GET', 'POST', 'PUT', 'DELETE']);

/** Headers that scripts do not receive: for the platform itself, or added by proxies in front of it. */
const ownHeaders =
  /^(?:cookie2?|connection|host|content-length|transfer-encoding|via|octavo-.*|forwarded|x-forwarded-.*|x-real-ip|(?:true|x|x-cluster|fly)-client-ip|cf-.*|proxy-.*|(?:x-)?remote-.*|x-auth-request-.*|x-goog-iap-.*|x-goog-authenticated-.*|x-ms-client-principal.*|x-amzn-oidc-.*)$/;
/** Headers with a token of the platform are removed, including tokens in basic authentication. */
const ownToken = new RegExp(`${tokenPrefix}\\w`);

const findCredentials = (value: string): string => {
  const [, encoded = ''] = /^basic\s+([\w+/]+)={0,2}$/i.exec(value) ?? [];
  try {
    return atob(encoded);
  } catch {
    return '';
  }
};

/** Returns the headers that a script may see: no cookies and no tokens of the platform. */
async function filterHeaders(headers: Headers, env: IntegrationsEnvironment): Promise<Record<string, string>> {
  const isVisitors = (await readVisitorToken(env, headers.get('authorization'))) !== undefined;
  return Object.fromEntries(
    [...headers].filter(
      ([name, value]) =>
        !ownHeaders.test(name) &&
        !ownToken.test(value) &&
        !ownToken.test(findCredentials(value)) &&
        !(isVisitors && name === 'authorization'),
    ),
  );
}

/** Returns the event for a request to a public endpoint. */
async function createFetchEvent(
  { method, headers, url }: Request,
  env: IntegrationsEnvironment,
  { installation, space, site }: EndpointTarget,
): Promise<ScriptEvent> {
  const { pathname, search } = new URL(url);
  return {
    eventId: createId('event'),
    type: 'fetch',
    ...(installation === undefined ? {} : { installationId: installation }),
    ...(space === undefined ? {} : { spaceId: space }),
    ...(site === undefined ? {} : { siteId: site }),
    request: {
      method: lowerMethods.has(method) ? method.toLowerCase() : method,
      url: `${createUrls(env).page('')}${pathname}${search}`,
      headers: await filterHeaders(headers, env),
    },
  };
}

/** Headers of a script's response that clients receive. Others could affect the platform's whole origin. */
const forwardedHeaders =
  /^(?:allow|cache-control|content-(?:disposition|language|location|type)|etag|expires|last-modified|link|location|pragma|vary|webhook-.*|x-.*)$/i;
/** Exceptions: proxies in front of the platform would obey these, or clients would attribute them to the platform. */
const excludedHeaders =
  /^x-(?:accel-.*|sendfile.*|lighttpd-.*|litespeed-.*|reproxy-.*|middleware-.*|forwarded-.*|real-ip|ratelimit-.*|octavo-.*|request-id|dns-prefetch-control|permitted-cross-domain-policies)$/i;

/** Gives the response an opaque origin, without access to the platform's cookies and storage. */
const sandbox =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads';

const formatPolicy = (policy: ContentSecurityPolicy | null): string => {
  if (policy === null) return '';
  return typeof policy === 'string'
    ? policy
    : Object.entries(policy)
        .map(([name, value]) => `${name} ${value}`)
        .join('; ');
};

/** Removes characters that would end the header or begin another policy. */
const toSingleLine = (text: string): string => text.replace(/[^\x20-\x7e]+/g, ' ').replaceAll(',', ' ');

/** Combines the platform's sandbox with the policies of the integration and of its script. All of them apply. */
function getPolicies(outcome: Extract<ScriptOutcome, { ok: true }>, policy: ContentSecurityPolicy | null): string {
  const policies = outcome.headers
    .filter(([name]) => name.toLowerCase() === 'content-security-policy')
    .map(([, value]) => value);
  return [sandbox, formatPolicy(policy), ...policies]
    .map(toSingleLine)
    .filter((each) => each.trim() !== '')
    .join(', ');
}

const statusOfFault = { timeout: 504, memory: 502, exception: 502, too_large: 502, busy: 503, unavailable: 503 };

/** The response to a failed run. The owner finds the reason in the event log. */
function createFailure(fault: keyof typeof statusOfFault): Response {
  const status = statusOfFault[fault];
  const headers = { 'cache-control': 'no-store', ...(status === 503 ? { 'retry-after': '5' } : {}) };
  return new Response('The integration does not respond.\n', { status, headers });
}

/** Serves the response of a script so that none of it runs with the platform's origin. */
function serveOutcome(outcome: ScriptOutcome, policy: ContentSecurityPolicy | null): Response {
  if (!outcome.ok) return createFailure(outcome.fault);
  const headers = new Headers(
    outcome.headers.filter(([name]) => forwardedHeaders.test(name) && !excludedHeaders.test(name)),
  );
  headers.set('content-security-policy', getPolicies(outcome, policy));
  headers.set('cross-origin-resource-policy', 'cross-origin');
  headers.set('x-content-type-options', 'nosniff');
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  const { status } = outcome;
  const isBodiless = status === 204 || status === 205 || status === 304;
  return new Response(isBodiless ? null : (outcome.body as Uint8Array<ArrayBuffer>), { status, headers });
}

/** The resource that a public endpoint belongs to. */
interface EndpointTarget {
  integration: string;
  installation?: string;
  space?: SpaceId;
  site?: SiteId;
  /** Whether it is the script of a published site. */
  isPublishedScript: boolean;
}

const id = '[\\w-]{1,100}';
const address = new RegExp(
  `^/integrations/(?<integration>[\\w.-]{1,100})` +
    `(?:/installations/(?<installation>${id})(?:/spaces/(?<space>${id})|/sites/(?<site>${id})(?<script>/script\\.js$)?)?)?(?:/.*)?$`,
);

/** Returns undefined if the path is not that of a public endpoint. */
function parseEndpoint(pathname: string): EndpointTarget | undefined {
  const { integration, installation, space, site, script } = address.exec(pathname)?.groups ?? {};
  if (integration === undefined) return undefined;
  return {
    integration,
    ...(installation === undefined ? {} : { installation }),
    ...(space === undefined ? {} : { space }),
    ...(site === undefined ? {} : { site }),
    isPublishedScript: script !== undefined,
  };
}
