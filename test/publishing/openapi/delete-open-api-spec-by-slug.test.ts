import { beforeAll, expect, test } from 'vitest';
import { queryDatabase } from '../../support/database.ts';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, getText, type SpecClient } from './spec-client.ts';

let organization: TestOrganization;
let specs: SpecClient;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  specs = getSpecs(platform(), organization);
});

test('deletes the specification with its versions, and frees its slug', async () => {
  const spec = await specs.publish('gone', getText(createPetstoreSpec()));

  const { status } = await specs.call('/gone', { method: 'DELETE' });

  expect(status).toBe(205);
  const paths = ['/gone', '/gone/versions', '/gone/versions/latest', `/gone/versions/${spec.lastVersion}`];
  expect(await Promise.all(paths.map(async (path) => (await specs.call(path)).status))).toEqual([404, 404, 404, 404]);
  const left = queryDatabase(
    platform().dataDir,
    'SELECT 1 FROM openapi_entries WHERE version = ?',
    spec.lastVersion ?? '',
  );
  expect(left).toEqual([]);
  const again = await specs.publish('gone', getText(createPetstoreSpec()));
  expect(again.id).not.toBe(spec.id);
  expect(await specs.versions('gone')).toHaveLength(1);
});

test('returns 404 the second time', async () => {
  await specs.put('once', getText(createPetstoreSpec()));
  const statuses = await Promise.all(
    Array.from({ length: 25 }, async () => (await specs.call('/once', { method: 'DELETE' })).status),
  );

  expect(statuses.toSorted()).toEqual([205, ...Array.from({ length: 24 }, () => 404)]);
});

test("requires more than read access to the organization's content", async () => {
  await specs.put('stays', getText(createPetstoreSpec()));
  const { token } = await platform().makeUser({ organization: organization.id, role: 'read' });

  expect((await specs.call('/stays', { method: 'DELETE', token })).status).toBe(403);
  expect((await specs.call('/stays')).status).toBe(200);
});
