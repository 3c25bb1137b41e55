import { once } from 'node:events';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { getClient } from '../space-client.ts';
import { startImport } from './site.ts';

test('gives up on an endless body after 10 s and writes nothing', { timeout: 120_000 }, async () => {
  const url = await serveLocally(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).write('<p>');
    await once(response, 'close');
  });
  const space = getClient(platform(), await platform().makeSpace());
  const before = await space.head();

  const { status, body } = await startImport(space, { url });

  expect(status).toBe(400);
  expect(body.error.issues).toEqual([{ path: 'body.url', message: expect.stringContaining('within 10 s') }]);
  expect(query('SELECT * FROM imports WHERE space = ?', space.space)).toEqual([]);
  expect(await space.head()).toEqual(before);
});
