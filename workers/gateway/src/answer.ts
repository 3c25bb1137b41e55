import { defaultMaxBodyBytes, forward, respondConstant } from '@octavo/runtime';
import type { UserId } from '@octavo/schema';
import { ApiError, bodyTooLarge, unmatchedPath, uploadHint } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';
import { admit } from './limits/admit.ts';
import { matchRoute } from './route.ts';

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
  const [authorization, address] = [headers.get('authorization'), readClientAddress(headers, env)];
  if (address !== undefined) client.address = address;
  const kind = target.endpoint.rate ?? 'requests';
  return admit({ authorization, address, pathname: url.pathname, kind, env, requestId, client }, async () => {
    if ('constant' in target)
      return respondConstant({ endpoint: target.endpoint, request, env, requestId }, target.constant(env));
    const { binding, isOfSite = false, operation: name } = target;
    const operation = name === undefined ? undefined : { name, params };
    return forward(request, env[binding], { requestId, address, isOfSite, operation, url });
  });
}

/** Characters of IPv4 and IPv6 addresses. */
const addressPattern = /^[0-9a-f.:]{2,45}$/i;

/** Returns the client's address from the configured header. */
function readClientAddress(
  headers: Headers,
  env: Pick<GatewayEnvironment, 'OCTAVO_CLIENT_ADDRESS_HEADER'>,
): string | undefined {
  const trusted = env.OCTAVO_CLIENT_ADDRESS_HEADER;
  const address = trusted ? headers.get(trusted)?.trim() : undefined;
  return address !== undefined && addressPattern.test(address) ? address : undefined;
}
