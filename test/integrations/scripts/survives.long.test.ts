import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';
import { getScript, runOnHost } from '../../support/script-host.ts';

let server: OwnPlatform;

beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

/** Returns the outcome of a script, and checks that the server process survives. */
async function runScript(script: string, environment: object, milliseconds = 20_000): Promise<unknown> {
  const tenant = `of ${script}`;
  const before = await server.getServerPid();
  const outcome = await runOnHost(server.dataDir, { script, tenant, environment, limits: { milliseconds } });
  expect((await server.request('/v1/')).status).toBe(200);
  expect(await server.getServerPid()).toBe(before);
  return outcome.ok ? outcome.text : outcome.fault;
}

/** Larger than the buffers between the two processes. */
const large = { filling: 'x'.repeat(4_000_000) };
const leaves: [name: string, code: string, expected: string, milliseconds?: number][] = [
  ['answers at once', `return new Response('early');`, 'early'],
  ['fails at once', `throw new Error('early');`, 'exception'],
  ['cancels it', `await request.body.cancel(); return new Response('early');`, 'early'],
  ['reads a part', `await request.body.getReader().read(); return new Response('early');`, 'early'],
  ['never ends', 'for (;;);', 'timeout', 1500],
  [
    'answers without end',
    `return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(65536)); } }));`,
    'too_large',
  ],
];

test('a script that does not read a large request stops only itself', async () => {
  for (const [name, code, expected, milliseconds] of leaves) {
    const script = `export default { async fetch(request) { ${code} } };`;
    for (const environment of [{}, { filling: 'x'.repeat(250_000) }, large])
      expect(await runScript(script, environment, milliseconds), `${name}, ${JSON.stringify(environment).length}`).toBe(
        expected,
      );
  }
  expect(await runScript(getScript(`return new Response(String(environment.filling.length));`), large)).toBe('4000000');
});

async function measureResidentBytes(): Promise<number> {
  const status = await readFile(`/proc/${await server.getServerPid()}/status`, 'latin1');
  return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1]) * 1024;
}

test('queued and oversized requests are not buffered', async () => {
  const waits = getScript(`await scheduler.wait(200); return new Response('waited');`);
  const before = await measureResidentBytes();
  const runWaitingScript = (tenant: number, bytes: number) =>
    runOnHost(server.dataDir, {
      script: waits,
      tenant: `of ${tenant}`,
      environment: { filling: 'x'.repeat(bytes) },
      limits: { milliseconds: 20_000 },
    });
  const runs = Array.from({ length: 44 }, (_, each) => runWaitingScript(each, each < 40 ? 7_900_000 : 40_000_000));
  let most = 0;
  let isOver = false;
  const all = Promise.allSettled(runs).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    most = Math.max(most, await measureResidentBytes());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  await all;
  const outcomes = (await Promise.all(runs)).map((outcome) => (outcome.ok ? outcome.text : outcome.fault));
  for (const outcome of outcomes.slice(0, 40)) expect(['waited', 'busy']).toContain(outcome);
  for (const outcome of outcomes.slice(40)) expect(['too_large', 'busy']).toContain(outcome);
  expect(await runWaitingScript(44, 40_000_000)).toMatchObject({ ok: false, fault: 'too_large' });
  // The memory contains the forms of concurrent runs, and garbage that is not collected yet. All forms together exceed
  // 316 MB.
  expect((most - before) / 1e6).toBeLessThan(300);
});
