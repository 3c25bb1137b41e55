import { beforeAll, expect, test } from 'vitest';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, getText, type Spec, type SpecClient } from './spec-client.ts';

let organization: TestOrganization;
let specs: SpecClient;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  specs = getSpecs(platform(), organization);
});

test('adds a specification that waits for processing', async () => {
  const { status, body } = await specs.call<Spec>('', {
    body: { slug: 'pets', source: getText(createPetstoreSpec()) },
  });

  expect(status).toBe(201);
  expect(body).toMatchObject({
    object: 'openapi-spec',
    slug: 'pets',
    processingState: 'pending',
    visibility: 'private',
    lastProcessedErrorCount: 0,
    permissions: { view: true, edit: true },
    urls: {
      location: `${platform().url}${specs.base}/pets`,
      app: `${platform().url}/app/orgs/${organization.id}/openapi/pets`,
    },
  });
  expect(body).not.toHaveProperty('sourceURL');
  expect(body).not.toHaveProperty('lastVersion');
});

test('processes the specification soon', async () => {
  await specs.callJson('', { body: { slug: 'soon', source: getText(createPetstoreSpec()) } });

  const spec = await specs.read('soon');

  expect(spec.lastVersion).toMatch(/^oasv_/);
  expect(spec.lastProcessedAt).toBeDefined();
  expect(spec).not.toHaveProperty('lastProcessErrorCode');
});

test('rejects a slug in use: only one of 40 concurrent requests succeeds', async () => {
  const all = await Promise.all(
    Array.from({ length: 40 }, () =>
      specs.call('', { body: { slug: 'taken', source: getText(createPetstoreSpec()) } }),
    ),
  );

  expect(all.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 39 }, () => 409)]);
});

test('allows the same slug in another organization', async () => {
  const other = getSpecs(platform(), await platform().makeOrganization());
  await specs.callJson('', { body: { slug: 'same', source: getText(createPetstoreSpec()) } });

  expect((await other.call('', { body: { slug: 'same', source: getText(createPetstoreSpec()) } })).status).toBe(201);
  expect((await other.call('', { body: { slug: 'same', source: getText(createPetstoreSpec()) } })).status).toBe(409);
});

test('creates the specification once per Idempotency-Key', async () => {
  const options = {
    body: { slug: 'once', source: getText(createPetstoreSpec()) },
    headers: { 'idempotency-key': crypto.randomUUID() },
  };

  const [first, response] = [await specs.call<Spec>('', options), await specs.call<Spec>('', options)];

  expect([first.status, response.status]).toEqual([201, 201]);
  expect(response.body.id).toBe(first.body.id);
});

test.each([
  ['no slug', { source: { text: 'x' } }],
  ['a slug in capitals', { slug: 'Pets', source: { text: 'x' } }],
  ['a slug with a slash', { slug: 'a/b', source: { text: 'x' } }],
  ['a slug of 101 letters', { slug: 'a'.repeat(101), source: { text: 'x' } }],
  ['no source', { slug: 'bad' }],
  ['an empty text', { slug: 'bad', source: { text: '' } }],
  ['a file URL', { slug: 'bad', source: { url: 'file:///etc/passwd' } }],
  ['a text that is not a URL', { slug: 'bad', source: { url: 'pets' } }],
])('rejects %s', async (_, body) => {
  expect((await specs.call('', { body })).status).toBe(400);
  expect((await specs.call('/bad')).status).toBe(404);
});

test('requires the right to create content', async () => {
  const reader = await platform().makeUser({ organization: organization.id, role: 'read' });
  const editor = await platform().makeUser({ organization: organization.id, role: 'edit' });
  const stranger = await platform().makeUser();
  const body = { slug: 'not-mine', source: getText(createPetstoreSpec()) };

  const statuses = await Promise.all(
    [reader, editor, stranger].map(async ({ token }) => (await specs.call('', { token, body })).status),
  );

  expect(statuses).toEqual([403, 403, 404]);
});
