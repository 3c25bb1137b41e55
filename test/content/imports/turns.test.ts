import { expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { getClient } from '../space-client.ts';
import { createHtml, importAll } from './site.ts';

const atOnce = 4;
const answersAfterMilliseconds = 40;
const pages = Array.from({ length: 24 }, (_, index) => index);

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Serves a slow site with several folders of pages and images, and records the highest number of concurrent requests.
 */
async function serveSlowly() {
  const seen = { atOnce: 0, most: 0 };
  const { promise: isFull, resolve: fill } = Promise.withResolvers<void>();
  const url = await serveLocally(async ({ url: path = '' }, response) => {
    seen.atOnce += 1;
    seen.most = Math.max(seen.most, seen.atOnce);
    if (seen.most >= atOnce) fill();
    // Delay responses until the maximum concurrency is reached, but for at most five seconds.
    await Promise.race([isFull, wait(5000)]);
    await wait(answersAfterMilliseconds);
    seen.atOnce -= 1;
    const [, folder, name] = path.split('/');
    if (!/^\d+$/.test(folder ?? '') || name === 'gone') return void response.writeHead(404).end();
    const links =
      name === '' ? [...pages, 'gone'].map((page) => `<a href="/${folder}/${page}">Page</a>`).join(' ') : '';
    response.setHeader('content-type', 'text/html').end(createHtml(`Page ${folder} ${name}`, links));
  });
  return { url, seen };
}

test('limits concurrent requests to one host across all imports', async () => {
  const { url, seen } = await serveSlowly();
  const server = platform();
  const states = await Promise.all(
    [1, 2, 3, 4].map(async (folder) => {
      const space = getClient(server, await server.makeSpace());
      return importAll(space, { url: `${url}/${folder}/` });
    }),
  );

  for (const state of states)
    expect(state).toMatchObject({ status: 'completed', importedResources: pages.length + 1, failedResources: 1 });
  expect(seen.most).toBe(atOnce);
  expect(seen.atOnce).toBe(0);
});
