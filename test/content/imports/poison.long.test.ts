import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import { resumeJobs } from '../retention/trash.ts';
import { getClient } from '../space-client.ts';
import { createHtml, importState, startImport, waitForImport } from './site.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform({ allowsPrivate: true });
});
afterAll(() => server?.remove());

test('keeps the stored state of an import within its limits', async () => {
  const items = Array.from({ length: 5000 }, (_, index) => `<li><a href="/n${index}">${'漢'.repeat(40)}</a></li>`);
  const url = await serveLocally(({ url: path }, response) => {
    if (path === '/robots.txt') return void response.end(Buffer.alloc(499_000, 0xff));
    if (path !== '/') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<body><nav><ul>${items.join('')}</ul></nav>${createHtml('Start')}</body>`);
  });
  const newSpace = await server.makeSpace();
  const space = getClient(server, newSpace);

  const { status, body } = await startImport(space, { url });
  const path = `/v1/spaces/${newSpace.id}/content/import/${body.id}`;
  await server.request(path, { token: newSpace.token, method: 'DELETE' });

  expect(status).toBe(201);
  const [row] = queryDatabase<{ bytes: number }>(
    server.dataDir,
    'SELECT LENGTH(CAST(robots AS BLOB)) + LENGTH(CAST(navigation AS BLOB)) AS bytes FROM imports WHERE id = ?',
    body.id,
  );
  expect(row?.bytes).toBeLessThanOrEqual(1_000_000);
});

test('keeps the links of a page unchanged if resolving them repeatedly crashes the worker, and imports the next page', async () => {
  const url = await serveLocally(({ url: path }, response) => {
    if (path === '/robots.txt') return void response.end('User-agent: *\nCrawl-delay: 10\n');
    const page =
      path === '/'
        ? createHtml('Start', '<a href="/a">a</a> <a href="/b">b</a>')
        : createHtml('A', '<a href="/">up</a>');
    response.writeHead(path === '/sitemap.xml' ? 404 : 200, { 'content-type': 'text/html' }).end(page);
  });
  const newSpace = await server.makeSpace();
  const space = getClient(server, newSpace);
  const { body } = await startImport(space, { url });
  await until(async () => ((await importState(space, body.id)).importedResources === 2 ? true : undefined));
  await writeDatabase(
    server,
    `UPDATE import_addresses SET slug = 's' || ordinal, position = 'a' || ordinal,
      status = CASE status WHEN 'pending' THEN 'skipped' ELSE status END WHERE import = ?`,
    body.id,
  );
  await writeDatabase(server, "UPDATE imports SET phase = 'link', cursor = -1 WHERE id = ?", body.id);
  await writeDatabase(server, 'UPDATE outbox SET attempts = 3 WHERE done_at IS NULL AND space = ?', newSpace.id);

  await resumeJobs(server);

  expect(await waitForImport(space, body.id)).toMatchObject({ status: 'completed', importedResources: 2 });
  const [start, a] = await space.pages();
  expect((await space.page(start?.id ?? '')).markdown).toBe(`[a](${url}/a) [b](${url}/b)`);
  expect((await space.page(a?.id ?? '')).markdown).toBe(`[up](/pages/${start?.id})`);
});

test('skips a page that repeatedly crashes the worker, and imports the others', {
  timeout: 300_000,
}, async () => {
  let killed = 0;
  const url = await serveLocally((request, response) => {
    const path = request.url ?? '';
    if (path === '/poison') {
      killed += 1;
      void server.kill('SIGKILL', 'workerd').catch(() => undefined);
      return;
    }
    const links = path === '/' ? '<a href="/poison">p</a> <a href="/a">a</a> <a href="/b">b</a>' : '';
    response
      .writeHead(/^\/\w?$/.test(path) ? 200 : 404, { 'content-type': 'text/html' })
      .end(createHtml(`At ${path}`, links));
  });
  const newSpace = await server.makeSpace();
  const space = getClient(server, newSpace);

  await startImport(space, { url }).catch(() => undefined);
  const [{ id } = { id: '' }] = queryDatabase<{ id: string }>(
    server.dataDir,
    'SELECT id FROM imports WHERE space = ?',
    newSpace.id,
  );
  await writeDatabase(server, 'UPDATE imports SET updated_at = 1 WHERE id = ?', id);
  let resumed = 0;
  const state = await until(async () => {
    const now = await importState(space, id).catch(() => undefined);
    if (now === undefined) return undefined;
    if (resumed < killed) {
      const seen = killed;
      await resumeJobs(server).then(
        () => {
          resumed = seen;
        },
        () => undefined,
      );
    }
    return now.status === 'running' ? undefined : now;
  });

  expect(state).toMatchObject({ status: 'completed', importedResources: 3, failedResources: 1 });
  expect(state.failures).toEqual([{ url: `${url}/poison`, error: 'could not be read' }]);
  expect(killed).toBeLessThanOrEqual(5);
  expect((await space.pages()).map(({ title }) => title).toSorted()).toEqual(['At /', 'At /a', 'At /b']);
});
