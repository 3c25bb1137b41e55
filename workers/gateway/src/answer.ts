import { answerConstant, defaultMaxBodyBytes, handOver, isOfSites } from '@octavo/runtime';
import { ApiError, notFound } from '@octavo/schema';
import { clientAddress } from './client-address.ts';
import type { GatewayEnvironment } from './environment.ts';
import { admit } from './limits/admit.ts';
import { pageAt } from './pages.ts';
import { targetOf } from './route.ts';

const maxUrlLength = 16_384;

export interface Received {
  request: Request;
  url: URL;
  env: GatewayEnvironment;
  requestId: string;
}

/** Answers what has an address, by whoever keeps it. @throws ApiError */
export async function answer({ request, url, env, requestId }: Received): Promise<Response> {
  if (request.url.length > maxUrlLength)
    throw new ApiError('too_large', `The URL is longer than ${maxUrlLength} characters.`);
  const { hostname, pathname } = url;
  const page = isOfSites(env, hostname) ? undefined : pageAt(request.method, pathname, env);
  if (page !== undefined) return page;
  const route = targetOf(request.method, url, env);
  if (route === undefined) throw notFound('path');
  const { headers } = request;
  const limit = route.endpoint.maxBodyBytes ?? defaultMaxBodyBytes;
  if (Number(headers.get('content-length') ?? 0) > limit) {
    throw new ApiError('too_large', `The body is larger than ${limit} bytes.`);
  }
  const [authorization, address] = [headers.get('authorization'), clientAddress(headers, env)];
  const kind = route.endpoint.rate ?? 'requests';
  return admit({ authorization, address, pathname, kind, env, requestId }, async () =>
    'constant' in route
      ? answerConstant({ endpoint: route.endpoint, request, env, requestId }, route.constant(env))
      : handOver(request, env[route.binding], { requestId, address, isOfSite: 'isOfSite' in route }),
  );
}
