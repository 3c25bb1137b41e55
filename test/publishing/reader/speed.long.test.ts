import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { runLoad } from '../../../scripts/bench/load.ts';
import { json } from '../../support/content.ts';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';
import { measureRuntimeTime } from '../../support/runtime-time.ts';
import { toUncachedUrl } from './reads.ts';

const share = 0.4;
const rounds = 5;
const coldReads = 25;
/**
 * Maximum ratio to the duration of a static response, which takes 0.2 ms on an idle processor. The limit is then 30 ms.
 */
const mostConstants = 150;

/** A platform as users run it, without the response headers that only tests get. */
let server: OwnPlatform | undefined;
afterAll(async () => {
  await server?.remove();
});

async function publishBookPage(of: OwnPlatform): Promise<string> {
  const { token, organization } = of;
  const send = <Made>(at: string, body: object = {}) => json<Made>(at, { token, body }, of);
  const { id: space } = await send<{ id: string }>(`/v1/orgs/${organization}/spaces`, { title: 'Book' });
  const text = await readFile(path.join(inject('root'), 'docs/reference/published-content.md'), 'utf8');
  const chapters = Array.from({ length: 100 }, (_, index) => ({ title: `Chapter ${index}`, markdown: 'Words.\n' }));
  const pages = [{ title: 'Published content', markdown: text.replace(/^# .*\n/, '') }, ...chapters];
  for (const part of [pages.slice(0, 50), pages.slice(50, 100)])
    await send(`/v1/spaces/${space}/content`, {
      changes: part.map(({ title, markdown }) => ({ operation: 'insert_page', title, document: { markdown } })),
    });
  const sites = `/v1/orgs/${organization}/sites`;
  const { id } = await send<{ id: string }>(sites, { title: 'Book', spaces: [space], visibility: 'public' });
  const { urls } = await send<{ urls: { published: string } }>(`${sites}/${id}/publish`);
  return urls.published;
}

const getMedian = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

test('serves a cached page nearly as fast as a static response, and renders a page quickly', async () => {
  server = await startOwnPlatform();
  const { url, dataDir, request } = server;
  const address = await publishBookPage(server);
  const headers = { 'accept-encoding': 'gzip' };
  const fetchAndTime = async (at: string) => {
    const api = { url, headers };
    const done = await runLoad({ api, requests: [{ method: 'GET', path: at }], connections: 8, seconds: 0.5 });
    expect(done.failures).toEqual({});
    return done;
  };
  const shares: number[] = [];
  const constants: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = measureRuntimeTime({ dataDir });
    const constant = await fetchAndTime('/v1/');
    constants.push((measureRuntimeTime({ dataDir }) - before) / constant.succeeded);
    shares.push((await fetchAndTime(new URL(address).pathname)).perSecond / constant.perSecond);
  }
  const measureRendering = async () => {
    const before = measureRuntimeTime({ dataDir });
    for (let cold = 0; cold < coldReads; cold += 1) expect((await request(toUncachedUrl(address))).status).toBe(200);
    return (measureRuntimeTime({ dataDir }) - before) / coldReads;
  };
  const milliseconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) milliseconds.push(await measureRendering());

  // Other load on the machine only lowers the share, so one good round is enough.
  expect(Math.max(...shares)).toBeGreaterThanOrEqual(share);
  expect(getMedian(milliseconds) / getMedian(constants)).toBeLessThan(mostConstants);
}, 120_000);
