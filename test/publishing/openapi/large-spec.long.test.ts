import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { queryDatabase } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';
import { createUndisturbedClock, measureRuntimeTime } from '../../support/runtime-time.ts';
import { getSpecs, type SpecClient } from './spec-client.ts';

const run = promisify(execFile);
const file = createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json');
const text = readFileSync(file, 'utf8');

/**
 * Maximum memory growth. Typically it is about 180 MB from a URL, and 300 MB for a text, which is JSON within JSON. The
 * local buckets use a part of it.
 */
const mostMegabytes = 450;
/**
 * Maximum latency of other requests. Typically it is about 70 ms, and 200 ms for a text, which is parsed with its
 * request. It can double while other tests run, because threads of the garbage collector wait for a CPU.
 */
const longestWait = 700;
/** Typically about 200 ms, and 500 ms while other tests run. Parsing in the runtime would add a second. */
const mostMilliseconds = 1000;

/** Returns about 5 MB of YAML, which takes several times as long to parse as JSON. */
function createYaml(): string {
  const { paths, components, ...document } = JSON.parse(text);
  const { schemas } = components;
  const somePaths = Object.fromEntries(Object.entries(paths).slice(0, 600));
  return `# YAML\n${JSON.stringify({ ...document, paths: somePaths, components: { schemas } })}`;
}

let own: OwnPlatform;
let specs: SpecClient;
let token: string;
beforeAll(async () => {
  own = await startOwnPlatform({ allowsPrivate: true });
  const organization = await own.makeOrganization();
  token = organization.token;
  specs = getSpecs(own, organization);
  await specs.publish('warm', { text: '{"openapi": "3.1.0", "paths": {}}' });
});
afterAll(() => own?.remove());

async function measureResidentMegabytes(): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(await own.getWorkerdPid())]);
  return Number(stdout) / 1024;
}

/** Returns the peak memory growth of the runtime during some work, and the longest latency of other requests. */
async function measureDuring(work: () => Promise<unknown>): Promise<{ grown: number; waited: number }> {
  const before = await measureResidentMegabytes();
  const clock = createUndisturbedClock(own);
  const state = { isOver: false, most: before, waited: 0 };
  const watchMemory = async () => {
    while (!state.isOver) {
      state.most = Math.max(state.most, await measureResidentMegabytes());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const wait = async () => {
    while (!state.isOver) {
      const started = clock();
      await (await own.request('/v1/user', { token })).arrayBuffer();
      state.waited = Math.max(state.waited, clock() - started);
    }
  };
  const watching = [watchMemory(), wait()];
  await work().finally(() => {
    state.isOver = true;
  });
  await Promise.all(watching);
  return { grown: state.most - before, waited: state.waited };
}

test.each(['address', 'text'])(
  'processes a specification of 13 MB from its %s in bounded memory, without delaying others',
  async (from) => {
    const site = await serveLocally((_, response) => response.end(text));

    const { grown, waited } = await measureDuring(() =>
      specs.publish(from, from === 'text' ? { text } : { url: site }),
    );

    console.info(`${from}: ${Math.round(grown)} MB more, others waited ${Math.round(waited)} ms at most`);
    expect(grown).toBeLessThan(mostMegabytes);
    expect(waited).toBeLessThan(longestWait);
    const spec = await specs.get(from);
    expect(spec).not.toHaveProperty('lastProcessErrorCode');
    const counted = queryDatabase(
      own.dataDir,
      'SELECT kind, COUNT(*) AS count FROM openapi_entries WHERE version = ? GROUP BY kind ORDER BY kind',
      spec.lastVersion ?? '',
    );
    expect(counted).toEqual([
      { kind: 'model', count: 969 },
      { kind: 'operation', count: 1223 },
      { kind: 'tag', count: 49 },
      { kind: 'webhook', count: 270 },
    ]);
  },
  300_000,
);

test('reads a large specification in YAML outside of the thread that serves requests', async () => {
  const site = await serveLocally((_, response) => response.end(createYaml()));
  const before = measureRuntimeTime(own);
  await specs.put('yaml', { url: site });
  // Reads the database directly, because requests would use CPU time of the runtime.
  const readState = () =>
    queryDatabase<{ state: string }>(own.dataDir, "SELECT state FROM openapi_specs WHERE slug = 'yaml'");
  await vi.waitFor(() => expect(readState()).toEqual([{ state: 'complete' }]), { timeout: 60_000, interval: 100 });
  const milliseconds = measureRuntimeTime(own) - before;

  console.info(`YAML: ${Math.round(milliseconds)} ms of the runtime`);
  expect(milliseconds).toBeLessThan(mostMilliseconds);
  expect(await specs.get('yaml')).not.toHaveProperty('lastProcessErrorCode');
}, 300_000);

test('returns a large specification unchanged, also to many concurrent callers, without buffering it', async () => {
  const path = '/address/versions/latest/content';
  const read = async () => {
    const response = await own.request(`${specs.base}${path}`, { token });
    let bytes = 0;
    for await (const chunk of response.body ?? []) bytes += chunk.length;
    return bytes;
  };

  const { grown, waited } = await measureDuring(() => Promise.all(Array.from({ length: 8 }, read)));

  console.info(`8 readers: ${Math.round(grown)} MB more, others waited ${Math.round(waited)} ms at most`);
  expect((await specs.content('address')).filesystem[0]?.specification).toEqual(JSON.parse(text));
  expect(await specs.callJson('/address/versions/latest/content/raw')).toEqual({ text, format: 'json' });
  expect(grown).toBeLessThan(mostMegabytes);
  expect(waited).toBeLessThan(longestWait);
}, 300_000);
