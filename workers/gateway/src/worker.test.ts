import { afterEach, expect, test, vi } from 'vitest';
import type { GatewayEnvironment } from './environment.ts';
import worker from './worker.ts';

afterEach(() => void vi.restoreAllMocks());

const env = {
  OCTAVO_PUBLIC_URL: 'https://octavo.test',
  OCTAVO_ONE_ISOLATE: '1',
  OCTAVO_RATE_LIMITS: 'jobs=1',
  ORG_ADMIN: { fetch: async () => new Response() },
  CONTENT: { fetch: async () => new Response() },
} as unknown as GatewayEnvironment;

/** Sends a request of the app with a body of ten chunks. Returns the response and the number of chunks that were read. */
async function sendFromApp(path: string, headers: Record<string, string>) {
  let chunks = 0;
  const body = new ReadableStream({
    pull(controller) {
      chunks += 1;
      if (chunks > 10) controller.close();
      else controller.enqueue(new Uint8Array(1024));
    },
  });
  const request = new Request(`https://octavo.test${path}`, {
    method: 'POST',
    headers: {
      ...{ 'octavo-app': '1', origin: 'https://octavo.test' },
      cookie: `__Host-octavo_session=octavo_${'a'.repeat(40)}.1700000000`,
      ...headers,
    },
    body,
    ...{ duplex: 'half' },
  });
  const { fetch } = worker as { fetch: (request: Request, env: GatewayEnvironment) => Promise<Response> };
  return { status: (await fetch(request, env)).status, chunks: chunks - 1 };
}

test('reads the body of a rejected request of the app, so that the browser receives the error', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const path = '/v1/spaces/spc_a/duplicate';

  expect(await sendFromApp(path, { 'content-length': '8000000' })).toEqual({ status: 413, chunks: 10 });
  await sendFromApp(path, {});
  expect(await sendFromApp(path, {})).toEqual({ status: 429, chunks: 10 });
});
