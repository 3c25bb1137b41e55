import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPast, writePast } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { ownPlatform, until } from '../../support/own-platform.ts';
import { resume } from '../retention/trash.ts';
import { clientOf } from '../space-client.ts';
import { html, importState, startImport } from './site.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await ownPlatform({ allowsPrivate: true });
});
afterAll(() => server?.remove());

test('a page that ends its worker each time it is read is given up, and the others are imported', {
  timeout: 120_000,
}, async () => {
  let killed = 0;
  const url = await serveLocally((request, response) => {
    const path = request.url ?? '';
    if (path === '/poison') {
      killed += 1;
      void server.kill('SIGKILL', 'workerd');
      return;
    }
    const links = path === '/' ? '<a href="/poison">p</a> <a href="/a">a</a> <a href="/b">b</a>' : '';
    response
      .writeHead(/^\/\w?$/.test(path) ? 200 : 404, { 'content-type': 'text/html' })
      .end(html(`At ${path}`, links));
  });
  const made = await server.makeSpace();
  const space = clientOf(server, made);

  await startImport(space, { url }).catch(() => undefined);
  const [{ id } = { id: '' }] = readPast<{ id: string }>(
    server.dataDir,
    'SELECT id FROM imports WHERE space = ?',
    made.id,
  );
  const state = await until(async () => {
    writePast(server.dataDir, 'UPDATE imports SET updated_at = 1 WHERE id = ?', id);
    await resume(server).catch(() => undefined);
    const now = await importState(space, id).catch(() => undefined);
    return now === undefined || now.status === 'running' ? undefined : now;
  });

  expect(state).toMatchObject({ status: 'completed', importedResources: 3, failedResources: 1 });
  expect(state.failures).toEqual([{ url: `${url}/poison`, error: 'could not be read' }]);
  expect(killed).toBeLessThanOrEqual(5);
  expect((await space.pages()).map(({ title }) => title).toSorted()).toEqual(['At /', 'At /a', 'At /b']);
});
