import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import { createPetstoreSpec, getSpecs, type SpecClient } from './spec-client.ts';

let server: OwnPlatform;
let specs: SpecClient;
beforeAll(async () => {
  server = await startOwnPlatform();
  specs = getSpecs(server, await server.makeOrganization());
});
afterAll(() => server?.remove());

test.each([
  'http://127.0.0.1/',
  'http://localhost/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
  'http://2130706433/',
  'http://user:secret@example.test/',
])('does not read a specification from %s', async (url) => {
  const spec = await specs.publish('private', { url });

  expect(spec).toMatchObject({
    lastProcessErrorCode: 'FETCH_ERROR',
    lastProcessErrorMessage: expect.stringMatching(/must not (?:point to a private address|contain credentials)/),
  });
  expect(spec).not.toHaveProperty('lastVersion');
});

test('sends no request to a server on loopback', async () => {
  const requestedPaths: string[] = [];
  const site = await serveLocally(({ url = '' }, response) => {
    requestedPaths.push(url);
    response.end(JSON.stringify(createPetstoreSpec()));
  });

  expect(await specs.publish('loopback', { url: site })).toHaveProperty('lastProcessErrorCode', 'FETCH_ERROR');
  expect(requestedPaths).toEqual([]);
});
