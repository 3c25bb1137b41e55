import type { PageContext, ServedPage } from '@octavo/runtime';
import { hashText, readMetrics } from '@octavo/runtime';
import { ApiError, notFound } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';

/** Serves the measurements of the installation to a monitoring system that has its token. */
async function serveMetrics({ headers }: Request, { env, db }: PageContext<ContentEnvironment>): Promise<Response> {
  const { OCTAVO_METRICS_TOKEN: token } = env;
  if (!token) throw notFound('page');
  const sent = headers.get('authorization') ?? '';
  // Hashes are compared, because this takes the same time for each wrong token.
  if ((await hashText(sent)) !== (await hashText(`Bearer ${token}`)))
    throw new ApiError('unauthenticated', 'Send the value of OCTAVO_METRICS_TOKEN as `Authorization: Bearer <token>`.');
  const type = 'text/plain; version=0.0.4; charset=utf-8';
  return new Response(await readMetrics(db), { headers: { 'content-type': type, 'cache-control': 'no-store' } });
}

export const metricsPages: ServedPage<ContentEnvironment>[] = [
  { method: 'GET', path: '/metrics', errors: 'json', handler: serveMetrics },
];
