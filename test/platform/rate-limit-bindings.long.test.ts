import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPlatform } from '@octavo/platform';
import { defaultRateLimits } from '@octavo/schema';
import { expect, test } from 'vitest';
import { pickFreePort } from '../support/free-port.ts';
import { createServerClient } from '../support/platform.ts';

const root = path.resolve(import.meta.dirname, '../..');
const most = defaultRateLimits['sign-ins'];

/**
 * Sends twice the limit of sign-ins per minute, plus one, from one address. The isolate's own limit is disabled. The
 * binding counts by clock minute, so even if the requests are spread over two minutes, one minute exceeds the limit.
 */
async function sendSignIns(shape: 'machine' | 'workers', vars: Record<string, string> = {}): Promise<Response[]> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'octavo-limits-'));
  const own = { OCTAVO_CLIENT_ADDRESS_HEADER: 'x-real-ip', OCTAVO_RATE_LIMITS: 'sign-ins=1000000', ...vars };
  const platform = await startPlatform({ root, dataDir, port: await pickFreePort(), vars: own, shape });
  try {
    const { request } = createServerClient(platform.url, dataDir);
    const open = (_: unknown, sent: number) =>
      request(`/sign-in/nothing${sent}`, { headers: { 'x-real-ip': '203.0.113.7' } });
    return await Promise.all(Array.from({ length: 2 * most + 1 }, open));
  } finally {
    await platform.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

test("with many isolates, the platform's rate limiter rejects like the local one", async () => {
  const responses = await sendSignIns('workers', { OCTAVO_ONE_ISOLATE: '' });
  const response = responses.find(({ status }) => status === 429);

  expect(responses.filter(({ status }) => status === 404).length).toBeGreaterThanOrEqual(most);
  expect(response?.headers.get('x-ratelimit-remaining')).toBe('0');
  expect(Number(response?.headers.get('retry-after'))).toBeGreaterThan(0);
});

test.each(['machine', 'workers'] as const)(
  'on a single machine, only the local rate limiter is used (%s)',
  async (shape) => {
    expect((await sendSignIns(shape)).map(({ status }) => status)).not.toContain(429);
  },
);
