import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getClient, insertPage } from '../content/space-client.ts';
import { getSpecs } from '../publishing/openapi/spec-client.ts';
import { requestPdfUrl, waitForPdf } from '../publishing/pdf/pdf-client.ts';
import { json } from '../support/content.ts';
import { serveLocally } from '../support/local-server.ts';
import { type OwnPlatform, startOwnPlatform } from '../support/own-platform.ts';

const file = createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json');
const text = readFileSync(file, 'utf8');
const pagesOfSpace = 50;

/**
 * The limit of each isolate. Cloudflare's limit of 128 MB includes buffers outside of the heap, so the heap has less. A
 * heap that reaches the limit ends the whole runtime.
 */
const flags = '--max-old-space-size=96 --max-semi-space-size=8 --single-threaded-gc';

let own: OwnPlatform;
beforeAll(async () => {
  own = await startOwnPlatform({ shape: 'workers', allowsPrivate: true, env: { MINIFLARE_WORKERD_V8_FLAGS: flags } });
}, 300_000);
afterAll(() => own?.remove());

const paragraph = 'Walruses rest on the ice near the cold northern sea, and dive for clams. '.repeat(4);

/** Creates an organization with a site whose space has many pages. */
async function createSite() {
  const organization = await own.makeOrganization();
  const space = await own.makeSpace({ organization });
  const markdown = Array.from({ length: 20 }, (_, part) => `## Part ${part}\n\n${paragraph}\n`).join('\n');
  const titles = Array.from({ length: pagesOfSpace }, (_, index) => `Page ${index}`);
  await getClient(own, space).change(titles.map((title) => ({ ...insertPage(title), document: { markdown } })));
  const { token } = organization;
  const sites = `/v1/orgs/${organization.id}/sites`;
  const site = await json<{ id: string }>(sites, { token, body: { title: 'Docs', spaces: [space.id] } }, own);
  const { urls } = await json<{ urls: { published: string } }>(
    `${sites}/${site.id}/publish`,
    { token, method: 'POST' },
    own,
  );
  return { space, specs: getSpecs(own, organization), url: urls.published.replace(/\/$/, '') };
}

test('isolates of 128 MB serve pages while two PDFs and two specifications of 13 MB are processed', async () => {
  const source = await serveLocally((_, response) => response.end(text));
  const sites = [await createSite(), await createSite()];
  const runtime = await own.getWorkerdPid();
  const work = Promise.all(
    sites.flatMap(({ space, specs }) => [
      requestPdfUrl(own, space).then(waitForPdf),
      specs.publish('large', { url: source }),
    ]),
  );
  const state = { isOver: false, served: 0 };
  const end = () => {
    state.isOver = true;
  };
  work.then(end, end);
  for (let number = 0; !state.isOver; number = (number + 1) % pagesOfSpace)
    for (const { url } of sites) {
      const response = await fetch(`${url}/page-${number}`);
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Part 19')]);
      state.served += 1;
    }
  const results = await work;

  console.info(`${state.served} pages were served.`);
  expect(results.map((result) => (result instanceof Response ? result.headers.get('content-type') : 'spec'))).toEqual([
    'application/pdf',
    'spec',
    'application/pdf',
    'spec',
  ]);
  for (const { specs } of sites) expect(await specs.get('large')).not.toHaveProperty('lastProcessErrorCode');
  expect(state.served).toBeGreaterThan(3);
  expect(await own.getWorkerdPid()).toBe(runtime);
}, 300_000);
