import { once } from 'node:events';
import { createServer } from 'node:http';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { expect, onTestFinished, test } from 'vitest';
import { createNetworkWorker, OUTSIDE_WORKER } from './network-worker.ts';

const script = `
export default {
  async fetch(request) {
    try {
      const { status } = await fetch(await request.text());
      return Response.json({ status });
    } catch {
      return Response.json({ refused: true });
    }
  },
};
`;

/** Fetches an address through a worker whose outbound requests go through the network worker. */
async function fetchThroughWorker(allowsPrivate: boolean, address: string): Promise<unknown> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        { name: 'asks', modules: true, script, compatibilityDate: '2026-08-01', outboundService: OUTSIDE_WORKER },
        createNetworkWorker(allowsPrivate),
      ],
    }),
  );
  try {
    const response = await miniflare.dispatchFetch('http://asks/', { method: 'POST', body: address });
    return await response.json();
  } finally {
    await miniflare.dispose();
  }
}

test('the network does not connect to a name that resolves to loopback', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end('inside');
  }).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const url = `http://localhost:${typeof address === 'object' ? address?.port : ''}/`;

  expect(await fetchThroughWorker(false, url)).toEqual({ refused: true });
  expect(asked).toBe(0);
  expect(await fetchThroughWorker(true, url)).toEqual({ status: 200 });
});
