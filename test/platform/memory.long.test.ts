import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getClient, insertPage } from '../content/space-client.ts';
import { type OwnPlatform, startOwnPlatform } from '../support/own-platform.ts';

const run = promisify(execFile);
/**
 * Memory limit after the load below: typically about 350 MB, 455 MB with V8's default limits, and 535 MB with a
 * separate worker before the gateway.
 */
const mostMegabytes = 430;
const connections = 8;

let own: OwnPlatform;

beforeAll(async () => {
  own = await startOwnPlatform();
});

afterAll(() => own?.remove());

async function measureResidentMegabytes(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}

async function repeat(count: number, path: string, { token }: { token: string } = own): Promise<void> {
  let left = count;
  const sendRequests = async () => {
    while (left-- > 0) {
      const response = await own.request(path, { token });
      await response.arrayBuffer();
      expect(response.status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendRequests));
}

/** Size of a response below, and the number of requests, whose responses would take 200 MB together. */
const largeResponseBytes = 50_000;
const largeResponses = 4000;
/** Maximum growth during these requests: typically about 40 MB, and 200 MB if responses are freed by full collections. */
const mostGrowthMegabytes = 100;

// This test is the first, because other requests leave free memory in the process.
test('frees the body of a response without a full garbage collection', async () => {
  const space = await own.makeSpace();
  const markdown = 'Walrus. '.repeat(largeResponseBytes / 8);
  const [page] = await getClient(own, space).change([{ ...insertPage('Walrus'), document: { markdown } }]);
  const path = `/v1/spaces/${space.id}/content/page/${page}?format=markdown`;
  const pid = await own.getWorkerdPid();
  await repeat(200, path, space);
  const before = await measureResidentMegabytes(pid);

  await repeat(largeResponses, path, space);

  expect((await measureResidentMegabytes(pid)) - before).toBeLessThan(mostGrowthMegabytes);
}, 600_000);

test('frees memory when no more requests arrive', async () => {
  await repeat(1500, '/v1/user');
  const pid = await own.getWorkerdPid();
  const busy = await measureResidentMegabytes(pid);

  await expect.poll(() => measureResidentMegabytes(pid), { timeout: 60_000, interval: 500 }).toBeLessThan(busy - 8);
}, 600_000);

test('frees the memory of finished requests while other requests arrive', async () => {
  await repeat(6000, '/v1/');
  await repeat(1500, '/v1/user');

  const measureAfterMoreRequests = async () => {
    await repeat(100, '/v1/');
    return measureResidentMegabytes(await own.getWorkerdPid());
  };
  await expect.poll(measureAfterMoreRequests, { timeout: 60_000, interval: 500 }).toBeLessThan(mostMegabytes);
}, 600_000);
