import { expect, test } from 'vitest';
import { edit, json, makePage } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createPublishedSite, makeSpaceWithPages, resolve, type SiteWorld } from '../resolution/site-world.ts';

interface RedirectResponse {
  status: number;
  target?: string;
  redirect?: { id: string; source: string; destination: object };
}

async function lookUp({ path }: Pick<SiteWorld, 'path'>, token: string | undefined, source: string, more = '') {
  const query = `source=${encodeURIComponent(source)}${more}`;
  const response = await platform().request(`${path}/redirect?${query}`, { token });
  return { status: response.status, ...((await response.json()) as object) } as RedirectResponse;
}

async function createRedirectSite(visibility = 'public') {
  const organization = await platform().makeOrganization();
  const space = await makeSpaceWithPages(organization, 'Guide', ['Start', 'Install']);
  const site = await createPublishedSite({ organization, spaces: [space.id], visibility });
  const [start = '', install = ''] = space.pages;
  const rename = (page: string, slug: string, more: object = {}) =>
    edit(space, [{ operation: 'update_page', page, slug, ...more }]);
  return { ...site, space, start, install, rename, token: organization.token };
}

const getVisitor = async ({ base }: SiteWorld, unsignedClaims = {}) =>
  (await resolve(base, { visitor: { type: 'public', unsignedClaims } })).apiToken;

test('finds the current page of a former path, for visitors and members', async () => {
  const site = await createRedirectSite();
  await site.rename(site.install, 'set-up');
  await site.rename(site.install, 'set-up', { into: site.start });
  await site.rename(site.start, 'first');

  for (const token of [await getVisitor(site), site.token])
    for (const source of ['/install', '/set-up', '/start/set-up', 'start/set-up/'])
      expect(await lookUp(site, token, source), source).toMatchObject({
        status: 200,
        target: `${site.base}/first/set-up`,
        redirect: { id: site.install, source, destination: { kind: 'site-page', pageId: site.install } },
      });
  expect(await resolve(`${site.base}/install`)).toEqual({ target: 'content', redirect: `${site.base}/first/set-up` });
});

test('returns 404 for paths in use, of deleted pages, and unknown paths', async () => {
  const site = await createRedirectSite();
  const token = await getVisitor(site);
  await site.rename(site.install, 'set-up');
  await site.rename(site.start, 'install');
  expect((await lookUp(site, token, '/install')).status).toBe(404);

  await edit(site.space, [{ operation: 'delete_page', page: site.start }]);
  expect(await lookUp(site, token, '/install')).toMatchObject({ status: 200, target: `${site.base}/set-up` });

  await edit(site.space, [{ operation: 'delete_page', page: site.install }]);
  for (const source of ['/install', '/set-up', '/never', '/', '/%E0%A4%A', '/a'.repeat(600)])
    expect((await lookUp(site, token, source)).status, source).toBe(404);
});

test('ignores moves in a change request before it is merged', async () => {
  const site = await createRedirectSite();
  const token = await getVisitor(site);
  const request = (path: string, body = {}) =>
    platform().request(`/v1/spaces/${site.space.id}/change-requests${path}`, {
      token: site.token,
      method: 'POST',
      body,
    });
  const { id } = (await (await request('', { subject: 'Move' })).json()) as { id: string };
  for (const slug of ['draft', 'set-up'])
    await edit(site.space, [{ operation: 'update_page', page: site.install, slug }], id);
  expect((await lookUp(site, token, '/draft')).status).toBe(404);

  expect((await request(`/${id}/merge`)).status).toBe(200);
  expect((await lookUp(site, token, '/draft')).status).toBe(404);
  expect(await lookUp(site, token, '/install')).toMatchObject({ target: `${site.base}/set-up` });
});

test('finds only what the visitor can see', async () => {
  const site = await createRedirectSite();
  await site.rename(site.install, 'set-up');
  await edit(site.space, [{ operation: 'update_page', page: site.install, condition: 'visitor.claims.unsigned.beta' }]);

  expect((await lookUp(site, await getVisitor(site), '/install')).status).toBe(404);
  expect((await lookUp(site, await getVisitor(site, { beta: true }), '/install')).status).toBe(200);
  expect((await lookUp(site, site.token, '/install')).status).toBe(200);
});

test('an explicit redirect takes precedence', async () => {
  const site = await createRedirectSite();
  await site.rename(site.install, 'set-up');
  const token = await getVisitor(site);
  const { siteSpace } = await resolve(site.base);
  const make = async (source: string, destination: object, more: Record<string, number> = {}) => {
    const row = { wildcard: 0, draft: 0, capture_wildcard: 0, ...more };
    await writeDatabase(
      platform(),
      `INSERT INTO site_redirects (id, site, source, wildcard, destination, draft, capture_wildcard, created_at, updated_at)
       VALUES (?, ?, ?, ${row.wildcard}, ?, ${row.draft}, ${row.capture_wildcard}, 1, 1)`,
      `redirect_${source}_${site.site.id}`,
      site.site.id,
      source,
      JSON.stringify(destination),
    );
  };
  const external = { kind: 'external', url: 'https://elsewhere.example/x/' };
  await make('/install', { kind: 'site-page', siteSpaceId: siteSpace, pageId: site.start });
  await make('/first', { kind: 'site-page', siteSpaceId: siteSpace, pageId: site.start, anchor: 'a b' });
  await make('/old', external, { wildcard: 1, capture_wildcard: 1 });
  await make('/home', { kind: 'site-space', siteSpaceId: siteSpace });
  await make('/gone', { kind: 'site-page', siteSpaceId: siteSpace, pageId: 'page_gone' });
  await make('/draft', external, { draft: 1 });

  expect((await lookUp(site, token, '/install')).target).toBe(`${site.base}/start`);
  expect((await lookUp(site, token, '/first')).target).toBe(`${site.base}/start#a%20b`);
  expect(await lookUp(site, token, '/old/a/b')).toMatchObject({
    target: 'https://elsewhere.example/x/a/b',
    redirect: { source: '/old/*', destination: external },
  });
  expect((await lookUp(site, token, '/home')).target).toBe(`${site.base}/`);
  for (const source of ['/gone', '/draft', '/old'])
    expect((await lookUp(site, token, source)).status, source).toBe(404);
});

test('a wildcard cannot redirect outside of its target path, and is inserted before query and fragment', async () => {
  const site = await createCapturingRedirect();

  for (const dots of ['..', '.', '%2e%2e', '%2E%2E', '.%2e', '%252e%252e', 'a%5c..%5cb', 'a%2F..%2Fb', '..%2f'])
    for (const source of [`/old/${dots}/x`, `/old/a/${dots}`])
      expect((await lookUp(site, site.token, source)).status, source).toBe(404);
  for (const [source, target] of [
    ['/old/a', 'https://example.com/x/a?y=1#z'],
    ['/old/a%3Fb%23c', 'https://example.com/x/a%3Fb%23c?y=1#z'],
    ['/old/..a/.b./...', 'https://example.com/x/..a/.b./...?y=1#z'],
  ] as const)
    expect((await lookUp(site, site.token, source)).target).toBe(target);
});

test('a wildcard redirects to pages of a site, but not to its previews', async () => {
  const site = await createCapturingRedirect();
  const { siteSpace } = await resolve(site.base);
  await site.create({ source: '/former/*', destination: { kind: 'site-space', siteSpaceId: siteSpace } });

  for (const path of ['~/changes/x', '%7E/changes/x', '~', '~/revisions/x/a'])
    expect([path, (await lookUp(site, site.token, `/former/${path}`)).status]).toEqual([path, 404]);
  for (const path of ['start', '~start', 'a/~/b'])
    expect((await lookUp(site, site.token, `/former/${path}`)).target).toBe(`${site.base}/${path}`);
  expect((await lookUp(site, site.token, '/old/~/a')).target).toBe('https://example.com/x/~/a?y=1#z');
});

async function createCapturingRedirect() {
  const site = await createRedirectSite();
  const create = (body: object) =>
    json(`${site.path}/redirects`, { token: site.token, body: { captureWildcard: true, ...body } });
  await create({ source: '/old/*', destination: { kind: 'external', url: 'https://example.com/x?y=1#z' } });
  return { ...site, create };
}

test('a redirect to hidden content does not take precedence over another redirect', async () => {
  const site = await createCapturingRedirect();
  const { siteSpace } = await resolve(site.base);
  const destination = { kind: 'site-page', siteSpaceId: siteSpace, pageId: site.install };
  await site.create({ source: '/old/deep/*', destination });
  await edit(site.space, [{ operation: 'update_page', page: site.install, condition: 'visitor.claims.unsigned.beta' }]);

  const hidden = await lookUp(site, await getVisitor(site), '/old/deep/a');
  expect(hidden).toMatchObject({ status: 200, target: 'https://example.com/x/deep/a?y=1#z' });
  expect(await resolve(`${site.base}/old/deep/a`)).toEqual({ target: 'external', redirect: hidden.target });
  const redirect = await lookUp(site, await getVisitor(site, { beta: true }), '/old/deep/a');
  expect(redirect).toMatchObject({ status: 200, target: `${site.base}/install/a` });
});

test('returns nothing to users without access and for tokens of other sites', async () => {
  const [site, other] = [await createRedirectSite(), await createRedirectSite()];
  await site.rename(site.install, 'set-up');

  expect((await lookUp(site, await getVisitor(other), '/install')).status).toBe(404);
  expect((await lookUp(site, other.token, '/install')).status).toBe(404);
  expect((await lookUp(site, undefined, '/install')).status).toBe(401);
});

test('looking up a redirect costs the same among 300 pages as among few', async () => {
  const site = await createRedirectSite();
  const token = await getVisitor(site);
  await site.rename(site.install, 'set-up');
  const measureCost = async () => {
    const response = await platform().request(`${site.path}/redirect?source=/install`, { token });
    expect(response.status).toBe(200);
    return Number(/d1-rows-read;desc="(\d+)"/.exec(response.headers.get('server-timing') ?? '')?.[1]);
  };
  const before = await measureCost();
  for (let start = 0; start < 300; start += 50)
    await edit(
      site.space,
      Array.from({ length: 50 }, (_, index) => ({
        operation: 'insert_page',
        title: `Page ${start + index}`,
        document: { markdown: '' },
      })),
    );
  await makePage(site.space, 'Last');
  expect(await measureCost()).toBeLessThanOrEqual(before + 4);
});
