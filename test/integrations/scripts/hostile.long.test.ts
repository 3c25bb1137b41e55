import { availableParallelism } from 'node:os';
import { beforeAll, describe, expect, test } from 'vitest';
import { platform, type TestSpace } from '../../support/platform.ts';
import { getScript, type HostRun, runOnHost } from '../../support/script-host.ts';

const server = platform();
const run = (code: string, options: Partial<HostRun> = {}) =>
  runOnHost(server.dataDir, { script: getScript(code), ...options });

let space: TestSpace;
beforeAll(async () => {
  space = await server.makeSpace();
});

/** As many tenants as the host has slots. */
const tenants = Math.max(4, Math.min(8, 2 * availableParallelism()));

/** Returns the median latency of reads until `isOver` returns true. A read checks a token and queries the database. */
async function measureMedianLatency(isOver: (answers: number) => boolean): Promise<number> {
  const times: number[] = [];
  do {
    const started = performance.now();
    const response = await server.request(`/v1/spaces/${space.id}/content/pages`, { token: space.token });
    await response.text();
    expect(response.status).toBe(200);
    times.push(performance.now() - started);
  } while (!isOver(times.length));
  return times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
}

const limits = { milliseconds: 1000 };
/** Other load on this machine may slow down some rounds, but not all of them. */
const mostTries = 8;

const hostile: [string, string, string[]][] = [
  ['loops forever', 'for (;;);', ['timeout']],
  ['loops while loading', 'LOAD', ['timeout']],
  ['waits forever', 'await new Promise(() => {}); return new Response();', ['timeout', 'exception']],
  [
    'never settles its waitUntil promise',
    'context.waitUntil(scheduler.wait(60000)); return new Response();',
    ['timeout'],
  ],
  [
    'fills the heap',
    'const all = []; for (;;) all.push({ a: [all.length, String(all.length)] });',
    ['memory', 'timeout'],
  ],
  [
    'fills buffers',
    'const all = []; for (;;) { all.push(new Uint8Array(2e7).fill(7)); await 0; }',
    ['memory', 'timeout'],
  ],
  [
    'doubles a string',
    `let s = 'x'; const all = []; for (;;) { s = (s + s).slice(0, 2 ** 24); all.push(s + all.length + s); all.at(-1).indexOf('y'); }`,
    ['memory', 'timeout'],
  ],
  [
    'sends an endless response',
    `return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(65536)); } }));`,
    ['too_large', 'timeout'],
  ],
  ['sends a response of 64 MB', `return new Response(new Uint8Array(64e6));`, ['too_large', 'timeout']],
  [
    'creates promises without end',
    'const loop = async () => { for (;;) await 0; }; await Promise.all(Array.from({ length: 10000 }, loop)); return new Response();',
    ['timeout'],
  ],
];

describe('a harmful script is stopped at its limits and does not affect other scripts', () => {
  test.each(hostile)('%s', { timeout: 300_000 }, async (_, code, faults) => {
    const script = code === 'LOAD' ? 'for (;;); export default {};' : getScript(code);
    const rounds: { quiet: number; during: number }[] = [];
    const isUnaffected = () => rounds.some(({ quiet, during }) => during < 2 * quiet);
    for (let tries = 0; tries < mostTries && !isUnaffected(); tries += 1) {
      const quiet = await measureMedianLatency((responseCount) => responseCount >= 200);
      const started = performance.now();
      let isStopped = false;
      const runs = Array.from({ length: tenants }, () => runOnHost(server.dataDir, { script, limits }));
      const stopped = Promise.all(runs).finally(() => {
        isStopped = true;
      });
      let measured = 0;
      const during = await measureMedianLatency((responseCount) => {
        measured = responseCount;
        return isStopped;
      });
      for (const outcome of await stopped) expect(outcome.ok ? outcome.status : outcome.fault).toBeOneOf(faults);
      expect(performance.now() - started).toBeLessThan(30_000);
      // A round that ends before enough reads were measured is ignored.
      if (measured > 10) rounds.push({ quiet, during });
    }

    expect(rounds).toSatisfy(isUnaffected);
    expect(await run(`return new Response('well');`)).toMatchObject({ ok: true, text: 'well' });
  });
});
