import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { guest } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import { createPublishedSite, getStatus, makeSpaceWithPages, readStatus, resolve } from './site-world.ts';

test('previews unpublished content and change requests for users who can view them', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start']);
  const { path, base } = await createPublishedSite({ organization, spaces: [space.id] });
  await json(`${path}/unpublish`, { token, method: 'POST' });
  const request = await json<{ id: string }>(`/v1/spaces/${space.id}/change-requests`, { token, body: {} });
  const { url } = await json<{ url: string }>(`${path}/publishing/preview`, { token });
  const { search } = new URL(url);
  const preview = await resolve(`${base}/~/changes/${request.id}/start${search}`);

  expect(await getStatus(base)).toBe(404);
  expect(await getStatus(`${base}/~/changes/${request.id}/start`)).toBe(404);
  expect(await resolve(`${base}/start${search}`)).toMatchObject({ complete: true, space: space.id });
  expect(preview).toMatchObject({ changeRequest: request.id, pathname: '/start', complete: true });
  expect(await readStatus(`/v1/spaces/${space.id}/change-requests/${request.id}`, preview.apiToken)).toBe(200);
  const changes = `/v1/spaces/${space.id}/change-requests/${request.id}/changes`;
  expect(await readStatus(changes, preview.apiToken)).toBe(200);
  await json(`${path}/publish`, { token, method: 'POST' });
  expect(await readStatus(changes, (await resolve(base)).apiToken)).toBe(404);
  await platform().request(`/v1/spaces/${space.id}`, { token, method: 'DELETE' });
  expect(await readStatus(`/v1/spaces/${space.id}/change-requests/${request.id}`, preview.apiToken)).toBe(404);
});

test('returns 403 for a scoped token', async () => {
  const organization = await platform().makeOrganization();
  const { path } = await createPublishedSite({ organization });
  const body = { label: 'A reader', scopes: ['site:read', 'space:read'] };
  const { token } = await json<{ token: string }>('/v1/user/tokens', { token: organization.token, body });

  expect(await readStatus(path, token)).toBe(200);
  expect(await readStatus(`${path}/publishing/preview`, token)).toBe(403);
});

test('a preview shows what the requesting member can view, as long as they can view it', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const seen = await makeSpaceWithPages(organization, 'Seen', ['Start']);
  const unseen = await makeSpaceWithPages(organization, 'Unseen', ['Start']);
  const { path, base } = await createPublishedSite({ organization, spaces: [seen.id, unseen.id] });
  const someone = await platform().makeUser({ organization: organization.id, role: guest });
  const granted = { token, body: { users: [someone.user], role: 'read' } };
  expect((await platform().request(`/v1/spaces/${seen.id}/permissions`, granted)).status).toBe(204);
  const { url } = await json<{ url: string }>(`${path}/publishing/preview`, { token: someone.token });
  const { apiToken } = await resolve(`${base}/${new URL(url).search}`);
  const readPublishedSite = async () => (await platform().request(`${path}/published`, { token: apiToken })).text();

  expect(await readPublishedSite()).toContain(seen.id);
  expect(await readPublishedSite()).not.toContain(unseen.id);
  await platform().request(`/v1/orgs/${organization.id}/members/${someone.user}`, { token, method: 'DELETE' });
  expect(await readStatus(`${path}/published`, apiToken)).toBe(404);
});
