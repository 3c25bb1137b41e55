import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Killed } from './fake-api.ts';
import type { FakeCloudflare } from './fake-cloudflare.ts';

export interface FakeServer {
  /** The value of CLOUDFLARE_API_BASE_URL. */
  url: string;
  close(): Promise<void>;
}

/** Serves the fake at a local port, for wrangler. */
export async function serveFake(fake: FakeCloudflare): Promise<FakeServer> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const { method = 'GET', headers } = incoming;
      const visited = headers['octavo-visit'];
      if (typeof visited === 'string') {
        const response = await fake.fetch(visited, { headers: headers as Record<string, string> });
        outgoing.writeHead(response.status).end(await response.text());
        return;
      }
      const { status, body } = await fake.handle({
        method,
        url: new URL(incoming.url ?? '/', 'http://fake'),
        body: await buffer(incoming),
        contentType: headers['content-type'] ?? '',
        authorization: headers.authorization ?? '',
      });
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    } catch (error) {
      if (!(error instanceof Killed)) console.error(error);
      incoming.socket.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/client/v4`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
