import { callOperator } from '@octavo/platform';
import { beforeAll, expect, test } from 'vitest';
import { createAuditLogClient } from '../../org-admin/audit-events/activity.ts';
import { waitUntilMidMinute } from '../../support/between-minutes.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { getPng } from '../../support/images.ts';
import { makeMember } from '../../support/people.ts';
import { platform, type TestOrganization } from '../../support/platform.ts';
import {
  createUniqueName,
  getIntegration,
  insertInstallation,
  listNames,
  publish,
  readIntegration,
  sendPublish,
} from './registry-client.ts';

let [owner, other] = [] as unknown as [TestOrganization, TestOrganization];
beforeAll(async () => {
  owner = await platform().makeOrganization();
  other = await platform().makeOrganization();
});

const unpublish = (name: string, token: string): Promise<Response> =>
  platform().request(`/v1/integrations/${name}`, { token, method: 'DELETE' });

test('an unpublished integration returns 404, and its name can be used again', async () => {
  const { name } = await publish(owner, { visibility: 'public' });

  const response = await unpublish(name, owner.token);

  expect(response.status).toBe(204);
  expect(await response.text()).toBe('');
  expect((await getIntegration(name, owner.token)).status).toBe(404);
  expect(await listNames(`/v1/integrations?search=${name}`, owner.token)).toEqual([]);
  expect((await unpublish(name, owner.token)).status).toBe(404);
  expect(await publish(other, { name })).toMatchObject({ name, version: 1, owner: { id: other.id } });
});

test('requires an admin of the owner', async () => {
  const { name } = await publish(owner);
  const open = await publish(owner, { visibility: 'public' });

  expect((await unpublish(name, other.token)).status).toBe(404);
  expect((await unpublish(open.name, other.token)).status).toBe(403);
  for (const role of ['create', 'read']) {
    expect((await unpublish(name, (await makeMember(owner, role)).token)).status).toBe(403);
  }
  expect((await getIntegration(name, owner.token)).status).toBe(200);
});

test('only one of many concurrent requests succeeds', async () => {
  const { name } = await publish(owner);

  const statuses = await Promise.all(
    Array.from({ length: 8 }, async () => (await unpublish(name, owner.token)).status),
  );

  expect(statuses.toSorted()).toEqual([204, ...Array.from({ length: 7 }, () => 404)]);
});

test('removes every installation, also in several batches', async () => {
  const { name } = await publish(owner, { visibility: 'public' });
  for (let times = 0; times < 25; times += 1) {
    const at = await platform().makeOrganization();
    const space = await platform().makeSpace({ organization: at });
    await insertInstallation(at, name, { space: space.id });
  }
  await unpublish(name, owner.token);

  for (const table of ['installations', 'space_installations']) {
    expect(query(`SELECT 1 FROM ${table} WHERE integration = ?`, name)).toEqual([]);
  }
  expect(query('SELECT 1 FROM integrations WHERE name = ?', name)).toEqual([]);
});

test('the timer completes an interrupted unpublication, and the name is unavailable until then', async () => {
  const { name } = await publish(owner);
  await waitUntilMidMinute();
  await writeDatabase(platform(), 'UPDATE integrations SET unpublished_at = 1 WHERE name = ?', name);

  expect((await sendPublish(owner, name)).status).toBe(409);
  expect((await sendPublish(other, name)).status).toBe(403);
  expect((await getIntegration(name, owner.token)).status).toBe(404);
  await callOperator(platform().dataDir, '/cron', { worker: 'integrations', cron: '* * * * *' });

  expect((await sendPublish(other, name)).status).toBe(200);
});

test('deletes unused scripts and images once no request can need them', async () => {
  const icon = getPng(8, 8).toString('base64');
  const first = await publish(owner, { icon, previewImages: [icon] });
  const images = [first.urls.icon, ...first.previewImages].map((address) => new URL(String(address)).pathname);
  const second = await publish(owner, { name: first.name, icon });
  const countDueRows = () =>
    query<{ key: string }>(
      `SELECT key FROM integration_objects WHERE sweep_at IS NOT NULL AND key IN (SELECT value FROM json_each(?))`,
      JSON.stringify(images.map((image) => image.replace('/integration-images/', 'integrations/'))),
    );
  expect(countDueRows()).toHaveLength(2);
  const runMinuteCron = () => callOperator(platform().dataDir, '/cron', { worker: 'integrations', cron: '17 3 * * *' });

  await runMinuteCron();
  for (const image of images) expect((await platform().request(image)).status).toBe(200);
  await writeDatabase(platform(), 'UPDATE integration_objects SET sweep_at = 1 WHERE sweep_at IS NOT NULL');
  await runMinuteCron();

  for (const image of images) expect((await platform().request(image)).status).toBe(404);
  const definition = new URL(String((await readIntegration(second.name, owner.token)).urls.icon)).pathname;
  expect((await platform().request(definition)).status).toBe(200);
});

test("the owner's audit log has publishing and unpublishing, with name and title", async () => {
  const organization = await platform().makeOrganization();
  const name = `usr_${createUniqueName()}`;
  await publish(organization, { name, title: 'Told of', secrets: { A: 'hush' } });
  const { page, details } = createAuditLogClient(organization);
  const [published] = (await page('?action=integration.published')).items;

  expect(published).toMatchObject({ target: { type: 'integration', id: name, label: 'Told of' } });
  expect(JSON.stringify(await details(String(published?.id)))).not.toContain('hush');
  await unpublish(name, organization.token);
  const [unpublished] = (await page('?action=integration.unpublished')).items;
  expect(unpublished?.target).toEqual({ type: 'integration', id: name });
});
