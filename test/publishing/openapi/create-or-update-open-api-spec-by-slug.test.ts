import { beforeAll, expect, test, vi } from 'vitest';
import { query } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, getText, type SpecClient } from './spec-client.ts';

let specs: SpecClient;
beforeAll(async () => {
  specs = getSpecs(platform(), await platform().makeOrganization());
});

const createBody = (title: string) => ({ source: getText(createPetstoreSpec({ info: { title, version: '1' } })) });
/** Counts the unfinished jobs of a specification. */
const openJobs = (spec: string): number =>
  query(
    "SELECT 1 FROM outbox WHERE type = 'process_openapi' AND done_at IS NULL AND json_extract(data, '$.spec') = ?",
    spec,
  ).length;

const readTitle = async (slug: string) => (await specs.content(slug)).filesystem[0]?.specification.info;

test('creates a new specification and returns 200', async () => {
  expect((await specs.call('/new', { method: 'PUT', body: createBody('New') })).status).toBe(200);
  expect(await specs.read('new')).toHaveProperty('lastVersion');
});

test('creates a version for a changed source, but not for the same text', async () => {
  const first = await specs.publish('changed', createBody('One').source);
  const same = await specs.publish('changed', createBody('One').source);
  const second = await specs.publish('changed', createBody('Two').source);

  expect(same.lastVersion).toBe(first.lastVersion);
  expect(second).toMatchObject({ id: first.id, createdAt: first.createdAt });
  expect((await specs.versions('changed')).map(({ id }) => id)).toEqual([second.lastVersion, first.lastVersion]);
  expect(await readTitle('changed')).toEqual({ title: 'Two', version: '1' });
});

test('keeps the last version if the new source is invalid, and reports the error', async () => {
  const first = await specs.publish('kept', createBody('Kept').source);

  const broken = await specs.publish('kept', { text: '{"openapi": "3.1.0", "paths": [}' });

  expect(broken).toMatchObject({ lastProcessErrorCode: 'PARSE_ERROR', lastVersion: first.lastVersion });
  expect(await readTitle('kept')).toEqual({ title: 'Kept', version: '1' });
  expect(await specs.publish('kept', createBody('Kept').source)).not.toHaveProperty('lastProcessErrorCode');
});

test('the last of many concurrent sources becomes the current version', async () => {
  await specs.put('raced', createBody('Before').source);
  await Promise.all(
    Array.from({ length: 25 }, (_, index) => specs.put('raced', createBody(`At once ${index}`).source)),
  );
  await specs.put('raced', createBody('Last').source);
  await specs.read('raced');

  expect(await readTitle('raced')).toEqual({ title: 'Last', version: '1' });
});

test('discards the result of an earlier source', async () => {
  const reached = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  const site = await serveLocally(async (_, response) => {
    reached.resolve();
    await mayAnswer.promise;
    response.end(createBody('Too late').source.text);
  });
  await specs.put('late', { url: site });
  await reached.promise;
  const spec = await specs.publish('late', createBody('In time').source);

  mayAnswer.resolve();
  await vi.waitFor(() => expect(openJobs(spec.id)).toBe(0), { timeout: 20_000 });

  expect(await specs.get('late')).toEqual(spec);
  expect(await specs.versions('late')).toHaveLength(1);
  expect(await readTitle('late')).toEqual({ title: 'In time', version: '1' });
});

test('discards the result if the specification was deleted during processing', async () => {
  const reached = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  const site = await serveLocally(async (_, response) => {
    reached.resolve();
    await mayAnswer.promise;
    response.end(createBody('Deleted').source.text);
  });
  const { id } = await specs.put('deleted', { url: site });
  await reached.promise;
  await specs.callJson('/deleted', { method: 'DELETE' });

  mayAnswer.resolve();
  await vi.waitFor(() => expect(openJobs(id)).toBe(0), { timeout: 20_000 });

  expect((await specs.call('/deleted')).status).toBe(404);
  expect(query('SELECT 1 FROM openapi_versions WHERE spec = ?', id)).toEqual([]);
});

test('creates one specification for many concurrent requests', async () => {
  const all = await Promise.all(Array.from({ length: 25 }, () => specs.put('added', createBody('Added').source)));

  expect(new Set(all.map(({ id }) => id)).size).toBe(1);
});

test('rejects a text with too many bytes, even if its number of characters is allowed', async () => {
  const text = 'é'.repeat(9 * 1024 * 1024);

  const response = await specs.call<{ error: { message: string } }>('/large', {
    method: 'PUT',
    body: { source: { text } },
  });

  expect([response.status, response.body.error.message]).toEqual([400, expect.stringContaining('body.source.text')]);
});
