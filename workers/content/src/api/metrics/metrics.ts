import type { PageContext, ServedPage } from '@octavo/runtime';
import { readHealth, readMetrics, requireSettingToken } from '@octavo/runtime';
import type { ContentEnvironment } from '../../environment.ts';

/** Serves the measurements of the installation. */
async function serveMetrics(request: Request, { env, db }: PageContext<ContentEnvironment>): Promise<Response> {
  await requireSettingToken(request, env, 'OCTAVO_METRICS_TOKEN');
  const type = 'text/plain; version=0.0.4; charset=utf-8';
  return new Response(await readMetrics(db), { headers: { 'content-type': type, 'cache-control': 'no-store' } });
}

/** Serves the ages of queues and crons. The status is 503 if there are problems. */
async function serveHealth(request: Request, { env, db }: PageContext<ContentEnvironment>): Promise<Response> {
  await requireSettingToken(request, env, 'OCTAVO_METRICS_TOKEN');
  const health = await readHealth(db);
  return Response.json(health, {
    status: health.status === 'ok' ? 200 : 503,
    headers: { 'cache-control': 'no-store' },
  });
}

export const metricsPages: ServedPage<ContentEnvironment>[] = [
  { method: 'GET', path: '/metrics', errors: 'json', isServedDuringImport: true, handler: serveMetrics },
  { method: 'GET', path: '/health/details', errors: 'json', isServedDuringImport: true, handler: serveHealth },
];
