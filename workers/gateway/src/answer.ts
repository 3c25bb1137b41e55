import { defaultMaxBodyBytes, forward, log, readInput, respondConstant } from '@octavo/runtime';
import type { UserId } from '@octavo/schema';
import { ApiError, bodyTooLarge, unmatchedPath, uploadHint } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';
import { admit } from './limits/admit.ts';
import { getSiteKey, matchRoute } from './route.ts';

const maxUrlLength = 16_384;

/** The sender of a request, for the log, as far as it is known. */
export interface LoggedClient {
  user?: UserId;
  address?: string;
}

export interface ReceivedRequest {
  request: Request;
  url: URL;
  env: GatewayEnvironment;
  requestId: string;
  client: LoggedClient;
}

/** Routes a request to a worker, or responds itself. @throws ApiError */
export async function serveRequest({ request, url, env, requestId, client }: ReceivedRequest): Promise<Response> {
  if (request.url.length > maxUrlLength)
    throw new ApiError('too_large', `The URL must have at most ${maxUrlLength} characters.`);
  const match = matchRoute(request.method, url, env);
  if (match === undefined) throw unmatchedPath('path', (method) => matchRoute(method, url, env) !== undefined);
  const { target, params } = match;
  if ('page' in target) return target.page(env);
  const { headers } = request;
  const limit = target.endpoint.maxBodyBytes ?? defaultMaxBodyBytes;
  if (Number(headers.get('content-length') ?? 0) > limit) {
    throw bodyTooLarge(limit, 'operation' in target ? uploadHint : undefined);
  }
  const authorization = headers.get('authorization');
  const sent = readClientAddress(headers, env);
  const address = sent === unknownAddress ? undefined : sent;
  if (address !== undefined) client.address = address;
  const kind = target.endpoint.rate ?? 'requests';
  const site = 'binding' in target && target.isOfSite ? getSiteKey(url) : undefined;
  const identify = () => requestUser(env, authorization, { requestId, address });
  const { pathname } = url;
  const visit = { authorization, address: sent, pathname, kind, site, env, requestId, identify, client };
  return admit(visit, async () => {
    if ('constant' in target) {
      await readInput('', target.endpoint, request, url);
      return respondConstant({ endpoint: target.endpoint, request, env, requestId }, target.constant(env));
    }
    const { binding, isOfSite = false, operation: name } = target;
    const operation = name === undefined ? undefined : { name, params };
    return forward(request, env[binding], { requestId, address, isOfSite, operation, url });
  });
}

/** Requests the user of a token from the worker that knows it. Returns a response that names the user. */
const requestUser = (
  { OCTAVO_PUBLIC_URL, ORG_ADMIN }: GatewayEnvironment,
  authorization: string | null,
  context: { requestId: string; address: string | undefined },
): Promise<Response> => {
  const url = new URL('/v1/user', OCTAVO_PUBLIC_URL);
  const request = new Request(url, { headers: authorization === null ? {} : { authorization } });
  return forward(request, ORG_ADMIN, { ...context, url, operation: { name: 'getAuthenticatedUser', params: {} } });
};

/** IPv4 and IPv6 addresses, also with the port that some proxies append. */
const addressPattern =
  /^(?:(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?|\[([0-9a-f.:]{2,45})\](?::\d{1,5})?|([0-9a-f.:]{2,45}))$/i;
/** The key under which all clients are counted together whose address the proxy sends in an unsupported form. */
const unknownAddress = 'unknown';
let isReported = false;

/**
 * Returns the client's address from the configured header; undefined without the header. If the header is a list,
 * returns the last entry, which the trusted proxy has appended. The client may have sent the others.
 */
function readClientAddress(headers: Headers, env: GatewayEnvironment): string | undefined {
  const trusted = env.OCTAVO_CLIENT_ADDRESS_HEADER;
  const value = trusted ? headers.get(trusted) : null;
  if (value === null) return undefined;
  const [, v4, bracketed, plain] = addressPattern.exec(value.split(',').at(-1)?.trim() ?? '') ?? [];
  const address = v4 ?? bracketed ?? plain;
  if (address === undefined && !isReported) {
    isReported = true;
    log('warn', 'the configured header has no client address, so its clients share one rate limit', {
      header: trusted,
    });
  }
  return address ?? unknownAddress;
}
