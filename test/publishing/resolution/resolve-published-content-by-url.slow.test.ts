import { expect, test } from 'vitest';
import { edit, json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { createPublishedSite, getStatus, makeSpaceWithPages, readStatus, resolve } from './site-world.ts';

async function createTwoSections() {
  const organization = await platform().makeOrganization();
  const [guides, reference, french] = await Promise.all(
    ['Guides', 'Reference', 'French'].map((title) => makeSpaceWithPages(organization, title, ['Start', 'Install'])),
  );
  if (!guides || !reference || !french) throw new Error('unreachable');
  const world = await createPublishedSite({ organization, title: 'Handbook' });
  const { token } = organization;
  const add = (title: string, spaceId: string) =>
    json<{ id: string; path: string; siteSpaces: { id: string }[] }>(`${world.path}/sections`, {
      token,
      body: { spaceId, title },
    });
  const first = await add('Guides', guides.id);
  const second = await add('Reference', reference.id);
  const variant = await json<{ id: string; path: string }>(`${world.path}/site-spaces`, {
    token,
    body: { spaceId: french.id, sectionId: second.id },
  });
  return { ...world, guides, reference, french, first, second, variant };
}

test('resolves a page by section and site space, without a path segment for default ones', async () => {
  const { base, site, guides, reference, french, first, second, variant, organization } = await createTwoSections();
  const path = new URL(base).pathname;

  expect(await resolve(`${base}/install`)).toMatchObject({
    ...{ site: site.id, siteSection: first.id, space: guides.id, organization: organization.id },
    ...{ pathname: '/install', basePath: `${path}/`, siteBasePath: `${path}/`, complete: true },
    canonicalUrl: `${base}/install`,
  });
  expect(await resolve(`${base}/${second.path}/install/`)).toMatchObject({
    ...{ siteSection: second.id, space: reference.id, pathname: '/install', complete: true },
    ...{ basePath: `${path}/${second.path}/`, siteBasePath: `${path}/` },
  });
  expect(await resolve(`${base}/${second.path}/${variant.path}/start?a=1#b`)).toMatchObject({
    ...{ siteSpace: variant.id, space: french.id, pathname: '/start', complete: true },
    canonicalUrl: `${base}/${second.path}/${variant.path}/start`,
  });
});

test('the root of a site space is a complete match only if no other path of the site extends it', async () => {
  const { base, second, variant } = await createTwoSections();

  expect(await resolve(base)).toMatchObject({ complete: false, pathname: '/', canonicalUrl: `${base}/` });
  expect(await resolve(`${base}/${second.path}`)).toMatchObject({ complete: false });
  expect(await resolve(`${base}/${second.path}/${variant.path}`)).toMatchObject({ complete: true });
});

test('returns the remaining path if it matches no page', async () => {
  const { base, guides } = await createTwoSections();

  expect(await resolve(`${base}/nothing/here`)).toMatchObject({
    ...{ space: guides.id, pathname: '/nothing/here', complete: false, canonicalUrl: `${base}/` },
  });
});

test('returns the same token for a day to all visitors with the same visible content', async () => {
  const { base } = await createTwoSections();
  const visitor = { unsignedClaims: { plan: 'free' } };
  const tokens = await Promise.all([
    ...[base, `${base}/install`].map(async (url) => (await resolve(url)).apiToken),
    ...[base, `${base}/install`].map(async (url) => (await resolve(url, { visitor })).apiToken),
  ]);
  const [, payload = ''] = tokens[0]?.split('.') ?? [];
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };

  expect(new Set(tokens).size).toBe(2);
  expect(tokens[0]).toBe(tokens[1]);
  expect(exp % 86_400).toBe(300);
  expect(exp * 1000).toBeGreaterThan(Date.now());
});

test('returns a token that can read only spaces of the site', async () => {
  const { base, guides, organization } = await createTwoSections();
  const other = await makeSpaceWithPages(organization, 'Secret', ['Plans']);
  const { apiToken } = await resolve(base);

  expect(await readStatus(`/v1/spaces/${guides.id}`, apiToken)).toBe(200);
  expect(await readStatus(`/v1/spaces/${other.id}`, apiToken)).toBe(404);
  expect(await readStatus(`/v1/orgs/${organization.id}/members`, apiToken)).toBe(404);
  expect(await readStatus(`/v1/spaces/${guides.id}`, `${apiToken}x`)).toBe(401);
});

test('revokes tokens as soon as the site is unpublished', async () => {
  const { base, guides, path, organization } = await createTwoSections();
  const { apiToken } = await resolve(base);

  await json(`${path}/unpublish`, { token: organization.token, method: 'POST' });

  expect(await readStatus(`/v1/spaces/${guides.id}`, apiToken)).toBe(404);
  expect(await getStatus(base)).toBe(404);
});

test.each(['public', 'unlisted'])('admits every visitor to a site that is %s', async (visibility) => {
  const organization = await platform().makeOrganization();
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start']);
  const { base } = await createPublishedSite({ organization, visibility, spaces: [space.id] });

  expect(await resolve(`${base}/start`)).toMatchObject({ space: space.id, complete: true });
});

test('admits visitors with an active key to a site with share links', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start']);
  const { base, path } = await createPublishedSite({ organization, visibility: 'share-link', spaces: [space.id] });
  const link = await json<{ id: string; urls: { published: string } }>(`${path}/share-links`, {
    token,
    body: { name: 'Partners' },
  });
  const key = link.urls.published.replace(/\/$/, '').split('/').at(-1) ?? '';

  expect(link.urls.published.startsWith(`${base}/`)).toBe(true);
  expect([await getStatus(base), await getStatus(`${base}/start`), await getStatus(`${base}/${key}x/start`)]).toEqual([
    404, 404, 404,
  ]);
  const resolved = await resolve(`${base}/${key}/start`);
  expect(resolved).toMatchObject({ shareKey: key, pathname: '/start', complete: true, space: space.id });
  expect(resolved.siteBasePath).toBe(`${new URL(base).pathname}/${key}/`);
  expect(await readStatus(`/v1/spaces/${space.id}`, resolved.apiToken)).toBe(200);

  await json(`${path}/share-links/${link.id}`, { token, method: 'PATCH', body: { active: false } });
  expect(await getStatus(`${base}/${key}/start`)).toBe(404);
  expect(await readStatus(`/v1/spaces/${space.id}`, resolved.apiToken)).toBe(404);
});

test('finds a site by its hostname and by its proxy', async () => {
  const organization = await platform().makeOrganization();
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start']);
  const { path, site } = await createPublishedSite({ organization, spaces: [space.id] });
  const change = (body: object) => json(path, { token: organization.token, method: 'PATCH', body });
  const name = site.id.toLowerCase().replace(/[^a-z0-9]/g, '');

  await change({ proxy: `acme-${name}.example/help/docs` });
  expect(await resolve(`https://acme-${name}.example/help/docs/start`)).toMatchObject({
    ...{ site: site.id, siteBasePath: '/help/docs/', basePath: '/help/docs/', pathname: '/start', complete: true },
    canonicalUrl: `https://acme-${name}.example/help/docs/start`,
  });
  await change({ hostname: `docs.${name}.example` });
  expect(await resolve(`https://docs.${name}.example/start`)).toMatchObject({
    ...{ site: site.id, siteBasePath: '/', basePath: '/', pathname: '/start', complete: true },
    canonicalUrl: `https://docs.${name}.example/start`,
  });
});

test('redirects from a former path of a page', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start', 'Install']);
  const { base } = await createPublishedSite({ organization, spaces: [space.id] });
  const [start] = space.pages;
  await json(`/v1/spaces/${space.id}/content`, {
    token,
    body: { changes: [{ operation: 'update_page', page: start, slug: 'begin' }] },
  });

  expect(await resolve(`${base}/start`)).toEqual({ target: 'content', redirect: `${base}/begin` });
});

test('an explicit redirect overrides a former path, but never a page', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start', 'Install']);
  const { base, path } = await createPublishedSite({ organization, spaces: [space.id] });
  const [start] = space.pages;
  const changes = [{ operation: 'update_page', page: start, slug: 'begin' }];
  await json(`/v1/spaces/${space.id}/content`, { token, body: { changes } });
  for (const source of ['/start', '/install', '/elsewhere/*']) {
    const destination = { kind: 'external', url: 'https://else.example/x' };
    await json(`${path}/redirects`, { token, body: { source, destination, captureWildcard: source.endsWith('*') } });
  }

  expect(await resolve(`${base}/start`)).toEqual({ target: 'external', redirect: 'https://else.example/x' });
  expect(await resolve(`${base}/install`)).toMatchObject({ complete: true });
  expect(await resolve(`${base}/elsewhere/a/b`)).toEqual({
    target: 'external',
    redirect: 'https://else.example/x/a/b',
  });
});

test('takes two round trips, whatever the size of the space', async () => {
  const { base } = await createTwoSections();
  const response = await platform().request('/v1/urls/published', { body: { url: `${base}/install` } });

  expect(response.headers.get('server-timing')).toContain('d1-trips;desc="2"');
});

test.each(['nonsense', 'https://nowhere.example/docs', 'http://127.0.0.1/sites/none/none'])(
  'returns the same error for %j',
  async (url) => {
    expect([400, 404]).toContain(await getStatus(url));
  },
);

test('resolves to the first visible section', async () => {
  const { base, path, first, second, organization } = await createTwoSections();
  const [siteSpace] = first.siteSpaces;
  const change = { token: organization.token, method: 'PATCH', body: { condition: 'false' } };
  await json(`${path}/site-spaces/${siteSpace?.id}`, change);

  expect(await resolve(base)).toMatchObject({ siteSection: second.id });
});

test('redirects from a group to its first visible page', async () => {
  const { base, guides, organization } = await createTwoSections();
  const space = { id: guides.id, token: organization.token };
  const createPage = (title: string) => ({
    operation: 'insert_page',
    title,
    into: 'group',
    document: { markdown: '' },
  });
  const [, hidden = '', visiblePage = ''] = await edit(space, [
    { operation: 'insert_group', title: 'Group', ref: 'group' },
    { ...createPage('Hidden'), condition: 'visitor.claims.staff' },
    createPage('Shown'),
  ]);
  expect(await resolve(`${base}/group`)).toMatchObject({ canonicalUrl: `${base}/group/shown`, complete: true });
  await edit(space, [{ operation: 'update_page', page: visiblePage, condition: 'visitor.claims.staff' }]);

  expect(await resolve(`${base}/group`)).toMatchObject({ canonicalUrl: `${base}/`, complete: false });
  await edit(space, [{ operation: 'update_page', page: hidden, condition: '' }]);
  expect(await resolve(`${base}/group`)).toMatchObject({ canonicalUrl: `${base}/group/hidden`, complete: true });
});
