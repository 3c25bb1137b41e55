import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { receive } from './receiver.ts';
import { getWebhooks } from './webhook-client.ts';

/** Writes a chunk at intervals without ever ending the response. */
function sendSlowly(response: ServerResponse, first: string, piece: string): void {
  response.socket?.write(first);
  const timer = setInterval(() => response.socket?.write(piece), 300);
  response.socket?.once('close', () => clearInterval(timer));
}

const slow: [string, string, string, object][] = [
  [
    ...(['headers', 'HTTP/1.1 200 OK\r\n', 'x-more: x\r\n'] as const),
    {
      status: 'pending',
      error: expect.stringMatching(/^(?:did not respond within 10 s|could not be reached)$/),
    },
  ],
  [
    ...(['a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 'x'] as const),
    { attempts: 1, status: 'delivered' },
  ],
];

test.concurrent.each(slow)(
  'times out a receiver that sends %s slowly after ten seconds',
  async (_, first, piece, expected) => {
    const organization = await platform().makeOrganization();
    const hooks = getWebhooks(organization);
    const receiver = await receive((__, response) => sendSlowly(response, first, piece));
    const { id } = await hooks.create(receiver.url, { events: ['webhook.created'] });
    const delivery = await until(async () => (await hooks.deliveries(id)).items.find(({ attempts }) => attempts > 0));
    const { log } = await hooks.delivery(id, delivery.id);

    expect(delivery).toMatchObject(expected);
    expect(log[0]?.milliseconds).toBeLessThan(25_000);
  },
);
