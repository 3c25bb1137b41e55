import type { IncomingMessage, ServerResponse } from 'node:http';
import { callOperator } from '@octavo/platform';
import { beforeAll, expect, test, vi } from 'vitest';
import { createAuditLogClient } from '../../org-admin/audit-events/activity.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import { walkItems } from '../../support/paging.ts';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, type Spec, type SpecClient } from './spec-client.ts';

let organization: TestOrganization;
let specs: SpecClient;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  specs = getSpecs(platform(), organization);
});

const createSpecification = (title: string) => JSON.stringify(createPetstoreSpec({ info: { title, version: '1' } }));
const readTitle = async (slug: string) => {
  const [file] = (await specs.content(slug)).filesystem;
  return (file?.specification.info as { title: string } | undefined)?.title;
};

const serve = (respond: (request: IncomingMessage, response: ServerResponse) => void) => serveLocally(respond);

/**
 * Makes the specification due for its refresh every six hours, runs the cron and waits until the URL was read again.
 */
async function runCronSixHoursLater(slug: string): Promise<Spec> {
  const before = await specs.get(slug);
  await writeDatabase(platform(), 'UPDATE openapi_specs SET read_at = 0 WHERE id = ?', before.id);
  await callOperator(platform().dataDir, '/cron', { worker: 'publishing', cron: '* * * * *' });
  return vi.waitFor(
    async () => {
      const spec = await specs.get(slug);
      expect(spec.lastProcessedAt).not.toBe(before.lastProcessedAt);
      return spec;
    },
    { timeout: 30_000, interval: 50 },
  );
}

async function countProcessedEvents(): Promise<number> {
  const events = await walkItems(createAuditLogClient(organization).path, organization.token, { limit: 1000 });
  return events.filter((event) => JSON.stringify(event).includes('openapi_spec.processed')).length;
}

test('reads a URL, following redirects', async () => {
  const site = await serve((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/openapi.json' }).end();
    else response.end(createSpecification('From afar'));
  });

  const spec = await specs.publish('afar', { url: `${site}/moved` });

  expect(spec).toMatchObject({ sourceURL: `${site}/moved`, lastVersion: expect.any(String) });
  expect(await readTitle('afar')).toBe('From afar');
  expect((await specs.content('afar')).urls.source).toBe(`${site}/moved`);
});

test('fetches the URL again after six hours, with a conditional request', async () => {
  const requestedHosts: (string | undefined)[] = [];
  let title = 'Before';
  const site = await serve(({ headers }, response) => {
    requestedHosts.push(headers['if-none-match'], headers['if-modified-since']);
    response.setHeader('etag', `"${title}"`).setHeader('last-modified', 'Sun, 22 Nov 2026 10:00:00 GMT');
    if (headers['if-none-match'] === `"${title}"`) response.writeHead(304).end();
    else response.end(createSpecification(title));
  });
  const first = await specs.publish('again', { url: site });
  const [{ due = 0 } = {}] = query<{ due: number }>(
    'SELECT read_at - processed_at AS due FROM openapi_specs WHERE id = ?',
    first.id,
  );
  expect(due).toBe(6 * 3_600_000);
  const events = await countProcessedEvents();

  const same = await runCronSixHoursLater('again');
  expect(same.lastVersion).toBe(first.lastVersion);
  expect(await countProcessedEvents()).toBe(events);

  title = 'After';
  const changed = await runCronSixHoursLater('again');
  expect(changed.lastVersion).not.toBe(first.lastVersion);
  expect(await readTitle('again')).toBe('After');
  expect(await countProcessedEvents()).toBe(events + 1);
  const date = 'Sun, 22 Nov 2026 10:00:00 GMT';
  expect(requestedHosts).toEqual([undefined, undefined, '"Before"', date, '"Before"', date]);
});

test('an unchanged document creates no version, also without ETag and Last-Modified', async () => {
  const site = await serve((_, response) => response.end(createSpecification('Same')));
  const first = await specs.publish('same', { url: site });

  expect((await runCronSixHoursLater('same')).lastVersion).toBe(first.lastVersion);
  expect(await specs.versions('same')).toHaveLength(1);
});

test('reports once that a URL no longer responds, and keeps the last version available', async () => {
  let isUp = true;
  const site = await serve((_, response) =>
    isUp ? response.end(createSpecification('Up')) : response.writeHead(503).end(),
  );
  const first = await specs.publish('down', { url: site });
  isUp = false;
  const events = await countProcessedEvents();

  const down = await runCronSixHoursLater('down');
  await runCronSixHoursLater('down');

  expect(down).toMatchObject({
    processingState: 'complete',
    lastVersion: first.lastVersion,
    lastProcessErrorCode: 'FETCH_ERROR',
    lastProcessErrorMessage: `${site} returned 503.`,
  });
  expect(await readTitle('down')).toBe('Up');
  expect(await countProcessedEvents()).toBe(events + 1);
  isUp = true;
  expect(await runCronSixHoursLater('down')).not.toHaveProperty('lastProcessErrorCode');
});

test('a specification from a text is never fetched again', async () => {
  const site = await serve((_, response) => response.end(createSpecification('Address')));
  await specs.publish('turned', { url: site });

  const { id } = await specs.publish('turned', { text: createSpecification('Text') });

  expect(await specs.get('turned')).not.toHaveProperty('sourceURL');
  expect(query('SELECT read_at, etag, last_modified FROM openapi_specs WHERE id = ?', id)).toEqual([
    { read_at: null, etag: null, last_modified: null },
  ]);
});

test.each([
  ['answers 404', 404, 'text/plain', 'no', { lastProcessErrorCode: 'FETCH_ERROR', message: 'returned 404' }],
  [
    'returns an HTML page',
    200,
    'text/html',
    '<!doctype html><title>x</title>',
    { lastProcessErrorCode: 'PARSE_ERROR', message: 'an HTML or XML page' },
  ],
  ['returns an empty body', 200, 'text/plain', '', { lastProcessErrorCode: 'PARSE_ERROR', message: 'is empty' }],
])('reports a URL that %s', async (_, status, type, body, { message, ...code }) => {
  const site = await serve((_request, response) => response.writeHead(status, { 'content-type': type }).end(body));

  const spec = await specs.publish(`told-${status}-${body.length}`, { url: site });

  expect(spec).toMatchObject({ ...code, lastProcessErrorMessage: expect.stringContaining(message) });
  expect(spec).not.toHaveProperty('lastVersion');
});

test('reports a URL that returns no response', async () => {
  const spec = await specs.publish('nobody', { url: 'http://127.0.0.1:1/openapi.json' });

  expect(spec.lastProcessErrorMessage).toBe('http://127.0.0.1:1/openapi.json could not be reached.');
});

test('stops reading a response of 100 MB at the limit, and the platform keeps running', async () => {
  let sent = 0;
  const chunk = Buffer.alloc(256 * 1024, ' ');
  const sendEndlessly = (response: ServerResponse): void => {
    response.once('drain', () => sendEndlessly(response));
    while (!response.destroyed && sent < 100 * 1024 * 1024 && response.write(chunk)) sent += chunk.length;
  };
  const site = await serve((_, response) => sendEndlessly(response));

  const spec = await specs.publish('flood', { url: site });

  expect(spec).toMatchObject({
    lastProcessErrorCode: 'FETCH_ERROR',
    lastProcessErrorMessage: expect.stringContaining('is larger than 16777216 bytes'),
  });
  expect(sent).toBeLessThan(40 * 1024 * 1024);
});
