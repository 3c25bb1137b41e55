import type { ServerResponse } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import { insertFiles } from './file-client.ts';

// Tests fetching files from servers that misbehave.

let space: SpaceClient;
beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

const readMessages = async (...urls: string[]) => {
  const { status, body } = await insertFiles(
    space,
    urls.map((url) => ({ name: 'a', url })),
  );
  expect([status, (await space.callJson<{ items: unknown[] }>('/content/files')).items]).toEqual([400, []]);
  return body.error.issues?.map(({ message }) => message);
};

const chunk = Buffer.alloc(256 * 1024);
/** Sends data without end, as fast as the client reads it. */
function sendEndlessly(response: ServerResponse): void {
  response.on('drain', () => sendEndlessly(response));
  while (!response.destroyed && response.write(chunk));
}

test('stops reading an endless body at the size limit', async () => {
  const url = await serveLocally((_, response) => sendEndlessly(response));

  expect(await readMessages(url)).toEqual(['is larger than 10485760 bytes']);
});

test('gives up after 10 s on slow, stalled and missing responses', async () => {
  const url = await serveLocally(({ url: path }, response) => {
    if (path === '/silent') return;
    response.write('x');
    if (path !== '/trickling') return;
    const timer = setInterval(() => response.write('x'), 200);
    response.on('close', () => clearInterval(timer));
  });

  const late = 'did not respond within 10 s';
  expect(await readMessages(`${url}/trickling`, `${url}/still`, `${url}/silent`)).toEqual([late, late, late]);
}, 180_000);

test('rejects redirects to another scheme or with credentials, and too many redirects', async () => {
  const targets: Record<string, string> = {
    '/round': '/round',
    '/file': 'file:///etc/passwd',
    '/credentials': 'http://user:secret@files.example.test/',
    '/nonsense': 'http://[',
  };
  const url = await serveLocally(({ url: path = '' }, response) => {
    response.writeHead(302, { location: targets[path] ?? '/' }).end();
  });

  expect(await readMessages(...Object.keys(targets).map((path) => url + path))).toEqual([
    'redirects more than 5 times',
    'must be an http or https URL',
    'must not contain credentials',
    'redirects to an invalid URL',
  ]);
});
