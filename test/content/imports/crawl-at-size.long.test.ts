import { readFile } from 'node:fs/promises';
import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase, writeStoppedDatabase } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import { flatten, getClient } from '../space-client.ts';
import { createHtml, importState, limitDistinctUrls, startImport, waitForImport } from './site.ts';

/** Override with OCTAVO_CRAWL_PAGES, for example OCTAVO_CRAWL_PAGES=2000. */
const count = Number(process.env.OCTAVO_CRAWL_PAGES ?? 150);
const limit = 900_000;

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform({ allowsPrivate: true });
});
afterAll(() => server?.remove());

const body = 'Words that fill the page. '.repeat(200);

/** Serves a site in which each page links to ten further pages. `pass` limits how many pages it serves. */
async function serveManyPages({ pass }: ReturnType<typeof limitDistinctUrls>): Promise<string> {
  const createLinks = (first: number) =>
    Array.from({ length: 10 }, (_, index) => first + index)
      .filter((page) => page < count)
      .map((page) => `<a href="/s/${page}">Page ${page}</a>`)
      .join(' ');
  return serveLocally(async (request, response) => {
    const page = Number(/^\/s\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
    response.setHeader('content-type', 'text/html');
    if (request.url === '/') response.end(createHtml('Start', createLinks(0)));
    else if (page < count) {
      await pass(`${page}`);
      response.end(createHtml(`Page ${page}`, `<p>${body}${page}</p>${createLinks(page * 10 + 10)}`));
    } else response.writeHead(404).end();
  });
}

const readRuntimeMegabytes = async (): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${await server.getWorkerdPid()}/status`, 'utf8'))?.[1]) / 1024;

test('a large site import survives kills: it creates each page once and leaves no temporary data', {
  timeout: limit,
}, async () => {
  const site = limitDistinctUrls(0.3 * count);
  const url = await serveManyPages(site);
  const space = getClient(server, await server.makeSpace());
  const started = Date.now();
  const { body: first } = await startImport(space, { url });
  const memory = [await readRuntimeMegabytes()];

  for (const part of [0.2, 0.6]) {
    // The limit prevents the import from finishing before the last kill.
    site.open((part + 0.1) * count);
    await until(async () => (await importState(space, first.id)).importedResources > part * count || undefined, limit);
    memory.push(await readRuntimeMegabytes());
    await server.kill('SIGKILL');
    // The sweep resends unfinished jobs after a timeout. Set it to expired.
    writeStoppedDatabase(server, "UPDATE outbox SET sent_at = 0 WHERE type = 'import_content'");
    // Queue each job twice, as can happen with at-least-once delivery. Only one of two steps that start from the same
    // state may write.
    writeStoppedDatabase(
      server,
      `INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at)
        SELECT id || '2', type, organization, space, actor, request_id, data, created_at, 0 FROM outbox WHERE type = 'import_content' AND done_at IS NULL`,
    );
    await server.restart();
    await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
    expect(await space.pages()).toEqual([]);
  }
  site.open(Number.POSITIVE_INFINITY);
  const state = await waitForImport(space, first.id, undefined, limit);
  memory.push(await readRuntimeMegabytes());
  console.info(
    `${count + 1} pages in ${Date.now() - started} ms; workerd held ${memory.map(Math.round).join(', ')} MB`,
  );

  expect(state).toMatchObject({ status: 'completed', importedResources: count + 1, failedResources: 0 });
  const pages = flatten(await space.pages());
  expect(new Set(pages.filter(({ type }) => type === 'document').map(({ title }) => title)).size).toBe(count + 1);
  expect(pages.filter(({ type }) => type === 'document')).toHaveLength(count + 1);
  const countRemaining = () =>
    queryDatabase<{ left: number }>(
      server.dataDir,
      `SELECT (SELECT COUNT(*) FROM versions WHERE branch = ?)
    + (SELECT COUNT(*) FROM revisions WHERE branch = ?) + (SELECT COUNT(*) FROM import_addresses WHERE import = ?)
    AS left`,
      first.id,
      first.id,
      first.id,
    )[0]?.left;
  await until(() => countRemaining() === 0 || undefined, limit);
});
