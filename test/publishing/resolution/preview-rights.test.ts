import { beforeAll, beforeEach, expect, test } from 'vitest';
import { json, makeChangeRequest } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { guest } from '../../support/people.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { SiteWorld } from './site-world.ts';
import { createPublishedSite, getStatus, makeSpaceWithPages, readStatus, resolve } from './site-world.ts';

type Space = Awaited<ReturnType<typeof makeSpaceWithPages>>;

let organization: TestOrganization;
let open: Space;
let other: Space;
let world: SiteWorld;
let someone: TestUser;
let changeRequest: string;

const requestAsAdmin = (path: string, options: object) =>
  platform().request(path, { token: organization.token, ...options });
const grant = (space: Space) =>
  requestAsAdmin(`/v1/spaces/${space.id}/permissions`, { body: { users: [someone.user], role: 'read' } });
const revokeGrant = (space: Space) =>
  requestAsAdmin(`/v1/spaces/${space.id}/permissions/users/${someone.user}`, { method: 'DELETE' });
const getSpacePath = ({ id }: Space) => `/v1/spaces/${id}`;

beforeAll(async () => {
  organization = await platform().makeOrganization();
  open = await makeSpaceWithPages(organization, 'Open', ['Start']);
  other = await makeSpaceWithPages(organization, 'Other', ['Start']);
  world = await createPublishedSite({ organization, spaces: [open.id, other.id] });
  changeRequest = (await makeChangeRequest(open)).id;
});

/** A guest who can read both spaces and preview the site. */
beforeEach(async () => {
  someone = await platform().makeUser({ organization: organization.id, role: guest });
  for (const each of [open, other]) expect((await grant(each)).status).toBe(204);
});

const createPreviewToken = async () =>
  new URL((await json<{ url: string }>(`${world.path}/publishing/preview`, { token: someone.token })).url).search;

/** Returns the API paths that a preview reads. */
const listPreviewPaths = () =>
  ['', '/content', '/content/pages', `/change-requests/${changeRequest}`].map((at) => `${getSpacePath(open)}${at}`);
const readStatuses = (paths: string[], token: string) => Promise.all(paths.map((path) => readStatus(path, token)));

test('a preview can read what its member can read, and nothing after they lose access', async () => {
  const [search, all] = [await createPreviewToken(), listPreviewPaths()];
  const { apiToken } = await resolve(`${world.base}/~/changes/${changeRequest}/start${search}`);
  expect(await readStatuses(all, apiToken)).toEqual(all.map(() => 200));
  const readStructure = async () => (await platform().request(`${world.path}/structure`, { token: apiToken })).text();
  expect(await readStructure()).toContain(open.id);

  expect((await revokeGrant(open)).ok).toBe(true);
  expect(await readStatuses(all, apiToken)).toEqual(all.map(() => 404));
  expect(await readStructure()).not.toContain(open.id);
  expect(await getStatus(`${world.base}/start${search}`)).toBe(404);
  expect(await getStatus(`${world.base}/~/changes/${changeRequest}/start${search}`)).toBe(404);
  expect((await revokeGrant(other)).ok).toBe(true);
  expect(await readStatus(`${world.path}/published`, apiToken)).toBe(404);
});

test('a preview expires with its token, and when all visitor tokens are revoked', async () => {
  const search = await createPreviewToken();
  const { apiToken } = await resolve(`${world.base}/start${search}`);
  const readExpiry = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).exp;
  expect(readExpiry(apiToken)).toBe(readExpiry(search.split('=')[1] ?? ''));
  const all = [`${world.path}/published`, world.path, getSpacePath(open)];
  expect(await readStatuses(all, apiToken)).toEqual([200, 200, 200]);
  await requestAsAdmin(`${world.path}/publishing/auth/regenerate`, { method: 'POST' });

  expect(await readStatuses(all, apiToken)).toEqual([404, 404, 404]);
});

test('a preview applies the conditions of the site, and hides spaces in the trash', async () => {
  const { apiToken, siteSpace } = await resolve(`${world.base}/start${await createPreviewToken()}`);
  const setCondition = async (value: string | null) =>
    json(`${world.path}/site-spaces/${siteSpace}`, {
      ...{ token: organization.token, method: 'PATCH', body: { condition: value } },
    });
  await setCondition('visitor.claims.staff');
  expect(await readStatus(getSpacePath(open), apiToken)).toBe(404);
  await setCondition(null);
  expect(await readStatus(getSpacePath(open), apiToken)).toBe(200);
  await writeDatabase(platform(), 'UPDATE spaces SET deleted_at = 1 WHERE id = ?', open.id);
  expect(await readStatus(getSpacePath(open), apiToken)).toBe(404);
  await writeDatabase(platform(), 'UPDATE spaces SET deleted_at = NULL WHERE id = ?', open.id);
});

test('change requests and revisions have no public URL outside a preview', async () => {
  const { id } = await json<{ id: string }>(`${getSpacePath(open)}/content`, organization);

  for (const version of [`changes/${changeRequest}`, `revisions/${id}`]) {
    expect(await getStatus(`${world.base}/~/${version}/start${await createPreviewToken()}`)).toBe(200);
    for (const path of ['', '/start', '/nothing'])
      expect([path, await getStatus(`${world.base}/~/${version}${path}`)]).toEqual([path, 404]);
  }
});

test('a preview token of one site is invalid for another of the organization', async () => {
  const beside = await createPublishedSite({ organization, title: 'Beside', spaces: [other.id] });
  await requestAsAdmin(`${beside.path}/unpublish`, { method: 'POST' });

  expect(await getStatus(`${beside.base}/start${await createPreviewToken()}`)).toBe(404);
});
