import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite, makeSite } from './site-client.ts';

const { makeOrganization, makeSpace, makeUser, request, url } = platform();

test('creates a public, unpublished site with a default space', async () => {
  const organization = await makeOrganization('Acme');
  const { id: first } = await makeSpace({ organization, title: 'Guides' });
  const { id: second } = await makeSpace({ organization, title: 'Guides' });
  const { id, token } = organization;

  const response = await request(`/v1/orgs/${id}/sites`, {
    token,
    body: { title: 'Our docs', spaces: [first, second] },
  });
  const made = (await response.json()) as { id: string };

  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe(`${url}/v1/orgs/${id}/sites/${made.id}`);
  expect(made).toEqual({
    object: 'site',
    id: expect.stringMatching(/^site_\w{20}$/),
    type: 'basic',
    title: 'Our docs',
    basename: 'our-docs',
    visibility: 'public',
    published: false,
    siteSpaces: 2,
    createdAt: expect.any(String),
    adaptiveContent: { enabled: false },
    agentsContext: 'included',
    features: expect.arrayContaining([{ id: 'sites-sections', plan: 'ultimate', frozen: false }]),
    urls: { location: `${url}/v1/orgs/${id}/sites/${made.id}`, app: `${url}/app/orgs/${id}/sites/${made.id}` },
  });
  expect(query('SELECT space, path, is_default FROM site_spaces WHERE site = ? ORDER BY position', made.id)).toEqual([
    { space: first, path: 'guides', is_default: 1 },
    { space: second, path: 'guides-2', is_default: 0 },
  ]);
});

test("needs no body, and uses the organization's title", async () => {
  const { id, token } = await makeOrganization('Acme');

  const response = await request(`/v1/orgs/${id}/sites`, { token, method: 'POST' });

  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ title: 'Acme', basename: 'acme', siteSpaces: 0 });
});

test('25 concurrently created sites with the same title get unique basenames', async () => {
  const organization = await makeOrganization();
  const sites = await Promise.all(Array.from({ length: 25 }, () => makeSite(organization, { title: 'Docs' })));

  const names = sites.map(({ site }) => site.basename).toSorted();
  expect(names).toEqual(['docs', ...Array.from({ length: 24 }, (_, index) => `docs-${index + 2}`)].toSorted());
});

test('rejects spaces that the caller cannot view or that are in another organization', async () => {
  const organization = await makeOrganization();
  const { token } = await makeUser({ organization: organization.id, role: 'create' });
  const hidden = await makeSpace({ organization });
  await json(`/v1/spaces/${hidden.id}`, { token: hidden.token, method: 'PATCH', body: { defaultLevel: 'none' } });
  const foreign = await makeSpace();

  for (const space of [hidden.id, foreign.id, 'spc_nothing']) {
    const response = await request(`/v1/orgs/${organization.id}/sites`, { token, body: { spaces: [space] } });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('body.spaces.0');
  }
  expect(query('SELECT id FROM sites WHERE organization = ?', organization.id)).toEqual([]);
});

test('rejects internal fields in the body, such as stamp, key, creator and organization', async () => {
  const other = await makeOrganization();
  const body = {
    id: 'site_mine',
    organization: other.id,
    stamp: 'x',
    authKey: 'x',
    createdBy: other.user,
    published: true,
  };
  for (const [name, value] of Object.entries(body))
    await expect(createTestSite({ [name]: value })).rejects.toThrow(`\`body.${name}\` is not a known field`);
  const { id, site, organization } = await createTestSite();

  expect(site.published).toBe(false);
  expect(query('SELECT organization, created_by, stamp, auth_key FROM sites WHERE id = ?', id)).toEqual([
    {
      organization: organization.id,
      created_by: organization.user,
      stamp: expect.stringMatching(/^\w{24}$/),
      auth_key: expect.stringMatching(/^\w{24}$/),
    },
  ]);
});

test.each([
  ['sample', ['Welcome', 'Blocks']],
  ['empty', []],
])('creates a new space of the kind %s, titled like the site', async (spaces, pages) => {
  const organization = await makeOrganization();
  const title = 'A title that is longer than the title of a space may be';
  const { id } = await makeSite(organization, { title, spaces });
  const { token } = organization;

  const [{ space } = { space: '' }, ...others] = query<{ space: string }>(
    'SELECT space FROM site_spaces WHERE site = ?',
    id,
  );
  expect(others).toEqual([]);
  expect(await json(`/v1/spaces/${space}`, { token })).toMatchObject({ title: title.slice(0, 50).trim() });
  const content = await json<{ pages: { title: string }[] }>(`/v1/spaces/${space}/content`, { token });
  expect(content.pages.map((page) => page.title)).toEqual(pages);
});

test('a repeated request with the same idempotency key creates a single space and site', async () => {
  const { id, token } = await makeOrganization();
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const send = () => request(`/v1/orgs/${id}/sites`, { token, headers, body: { spaces: 'sample' } });
  const responses = [await send(), await send()];

  expect(responses.map(({ status }) => status)).toEqual([201, 201]);
  expect(query('SELECT id FROM sites WHERE organization = ?', id)).toHaveLength(1);
  expect(query('SELECT id FROM spaces WHERE organization = ?', id)).toHaveLength(1);
});

test('a token with only the scope to write sites cannot create a space', async () => {
  const { id, token } = await makeOrganization();
  const body = { label: 'Sites', scopes: ['site:write'] };
  const scoped = await json<{ token: string }>('/v1/user/tokens', { token, body });
  const create = (spaces: unknown) => request(`/v1/orgs/${id}/sites`, { token: scoped.token, body: { spaces } });

  expect((await create([])).status).toBe(201);
  expect((await create('empty')).status).toBe(403);
  expect(query('SELECT id FROM spaces WHERE organization = ?', id)).toEqual([]);
});
