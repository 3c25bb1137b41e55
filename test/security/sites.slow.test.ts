import { expect, test } from 'vitest';
import { signVisitorToken } from '../content/visitors/visitor-client.ts';
import { openSite } from '../publishing/audiences/open-site.ts';
import { isShown, makeRandomSite, nobody } from '../publishing/audiences/random-site.ts';
import { summarizeResponse } from '../publishing/audiences/reads.ts';
import { getStatus } from '../publishing/resolution/site-world.ts';
import { createTestSite } from '../publishing/sites/site-client.ts';
import { json } from '../support/content.ts';
import { query } from '../support/database.ts';
import { getAddress, operations } from '../support/endpoints.ts';
import { readLogOfRequest } from '../support/log.ts';
import { platform } from '../support/platform.ts';
import { seed } from '../support/random.ts';

test('sections and site spaces of one site are not found under another site', async () => {
  const [mine, theirs] = [await createTestSite(), await createTestSite()];
  const part = await theirs.addSpace('Theirs');
  const before = await theirs.structure();
  const options = { method: 'PATCH', body: { path: 'mine' } };

  expect((await mine.send(`/site-spaces/${part.id}`, options)).status).toBe(404);
  expect((await mine.send(`/site-spaces/${part.id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await mine.send('/site-spaces', { body: { spaceId: part.space.id } })).status).toBe(404);
  expect((await mine.send('', { method: 'PATCH', body: { defaultSiteSpace: part.id } })).ok).toBe(false);
  expect(await theirs.structure()).toEqual(before);
  expect(query('SELECT id FROM site_spaces WHERE site = ?', mine.id)).toEqual([]);
});

test.each(['read', 'comment', 'edit', 'review'])(
  'a member who can only %s cannot publish a site, old or new',
  async (role) => {
    const site = await createTestSite();
    await site.addSpace('Internal');
    const { organization } = site;
    const { token } = await platform().makeUser({ organization: organization.id, role });
    const sites = `/v1/orgs/${organization.id}/sites`;
    const open = { token, body: { visibility: 'public' } };

    expect((await platform().request(sites, open)).status).toBe(403);
    expect((await site.send('', { ...open, method: 'PATCH' })).status).toBe(403);
    expect((await site.send('/publish', { token, method: 'POST' })).status).toBe(403);
    expect(await site.get()).toMatchObject({ published: false });
    expect(query('SELECT id FROM sites WHERE organization = ?', organization.id)).toHaveLength(1);
  },
);

test('PATCH of a site only changes allowed fields', async () => {
  const site = await createTestSite();
  const before = await site.get();
  const foreign = {
    ...{ id: 'site_mine', object: 'space', organization: 'org_mine', published: true, createdBy: 'usr_mine' },
    ...{ stamp: 'mine', auth_key: 'mine', authKey: 'mine', siteSpaces: 7, type: 'ultimate', urls: {}, features: [] },
  };
  const [row] = query('SELECT * FROM sites WHERE id = ?', site.id);

  const response = await site.send('', { method: 'PATCH', body: { ...foreign, title: 'Refused' } });
  expect(response.status).toBe(400);
  const ignored = Object.fromEntries(Object.entries(foreign).filter(([name]) => name in before));
  expect(await site.patch('', { ...ignored, title: 'New' })).toEqual({ ...before, title: 'New' });
  expect(query('SELECT * FROM sites WHERE id = ?', site.id)).toEqual([
    { ...row, title: 'New', shown: expect.any(Number) },
  ]);
});

test('a URL does not match another site whose URL starts with the same characters', async () => {
  const open = await openSite('public');
  const { token } = open.organization;
  await json(open.path, { token, method: 'PATCH', body: { basename: 'docs' } });
  const body = { title: 'Secret', visibility: 'visitor-auth', spaces: [open.ids.spaceId] };
  const secret = await json<{ id: string }>(`/v1/orgs/${open.organization.id}/sites`, { token, body });
  const at = `/v1/orgs/${open.organization.id}/sites/${secret.id}`;
  await json(at, { token, method: 'PATCH', body: { basename: 'docs-secret' } });
  await json(`${at}/publish`, { token, method: 'POST' });
  const base = open.base.replace(/[^/]+$/, 'docs');

  expect(await getStatus(base)).toBe(200);
  for (const more of ['-secret', '-secret/start', '-', '%2Dsecret', '-secret%2Fstart', '/../docs-secret', '.', '%00'])
    expect([more, await getStatus(`${base}${more}`)]).toEqual([more, 404]);
  expect((await platform().request(at, { token: open.token })).status).toBe(404);
});

test('the page tree for a visitor contains exactly the pages that single reads return', async () => {
  const { site, spaces, things } = await makeRandomSite(seed);
  const token = signVisitorToken(site.organization.id, site.id);
  const get = (at: string) => platform().request(at, { token });
  for (const { ids, pages } of spaces) {
    const tree = await (await get(`/v1/spaces/${ids.spaceId}/content/pages`)).text();
    for (const { id, path: at } of pages) {
      const isVisible = things.some((thing) => thing.markers.includes(id) && isShown(thing, nobody));
      const responses = [`page/${id}`, `path/${at}`].map((each) => get(`/v1/spaces/${ids.spaceId}/content/${each}`));
      const statuses = (await Promise.all(responses)).map(({ status }) => status);

      expect([tree.includes(id), ...statuses]).toEqual(isVisible ? [true, 200, 200] : [false, 404, 404]);
    }
  }
});

test('no table and no log contains share link keys or visitor tokens', async () => {
  const shared = await openSite('share-link');
  const vouched = await openSite('visitor-auth');
  const { token } = shared.organization;
  const key = shared.shareLink?.key ?? '';
  await platform().request(`/v1/urls/published?url=${encodeURIComponent(`${shared.base}/${key}/start`)}`);
  await platform().request(`${shared.path}/published?shareKey=${key}`, { token: shared.token });
  await platform().request(`${shared.path}/site-spaces?shareKey=${key}x`, { token });
  const secrets = [key, shared.token, vouched.token, vouched.visitor.jwtToken ?? ''];
  const log = await readLogOfRequest(await platform().request('/v1/user', { token }));

  for (const secret of secrets) expect(log.includes(secret)).toBe(false);
  const tables = query<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'site%'");
  const databaseText = JSON.stringify(tables.map(({ name }) => query(`SELECT * FROM ${name}`)));
  expect(databaseText).toContain(shared.shareLink?.id);
  for (const secret of secrets) expect(databaseText.includes(secret)).toBe(false);
});

test('other organizations cannot find out whether a site exists', async () => {
  const { ids } = await openSite('public');
  const { token } = await platform().makeOrganization();
  const ofSites = operations.filter(({ endpoint }) => endpoint.path.includes(':siteId'));
  expect(ofSites.length).toBeGreaterThan(30);
  for (const { id, endpoint } of ofSites) {
    const options = { token, method: endpoint.method };
    const there = await summarizeResponse(await platform().request(getAddress(endpoint, ids), options), ids);
    const madeUp = await summarizeResponse(await platform().request(getAddress(endpoint), options), {});

    expect([id, there]).toEqual([id, expect.objectContaining({ status: 404 })]);
    expect([id, there]).toEqual([id, madeUp]);
  }
});

test('concurrent requests to create a site with the same idempotency key create a single site', async () => {
  const { id, token } = await platform().makeOrganization();
  const sites = `/v1/orgs/${id}/sites`;
  const options = { token, body: { title: 'Once' }, headers: { 'idempotency-key': crypto.randomUUID() } };
  const responses = await Promise.all(Array.from({ length: 25 }, () => platform().request(sites, options)));
  const bodies = new Set(await Promise.all(responses.map((response) => response.text())));
  const other = await platform().request(sites, { ...options, body: { title: 'Twice' } });

  expect([bodies.size, other.status]).toEqual([1, 409]);
  expect(query('SELECT id FROM sites WHERE organization = ?', id)).toHaveLength(1);
});
