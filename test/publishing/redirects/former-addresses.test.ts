import type { SiteSection } from '@octavo/schema';
import { expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { edit, makePage } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getStatus, resolve } from '../resolution/site-world.ts';
import { makeSite } from '../sites/site-client.ts';
import { createContentRedirect, createVisitorBody, makeSectionedSite } from './sectioned-site.ts';

test('redirects pages of a renamed section, even if the pages are renamed later', async () => {
  const { patch, guides, space, install, base, token, lookUp } = await makeSectionedSite();
  await patch<SiteSection>(`/sections/${guides.id}`, { path: 'learn' });
  await edit({ id: space, token }, [{ operation: 'update_page', page: install, slug: 'set-up' }]);

  expect(await resolve(`${base}/guides/install`)).toEqual(createContentRedirect(`${base}/learn/set-up`));
  expect(await resolve(`${base}/learn/install`)).toEqual(createContentRedirect(`${base}/learn/set-up`));
  expect(await resolve(`${base}/guides`)).toEqual(createContentRedirect(`${base}/learn`));
  const siteSpaceId = guides.siteSpaces[0]?.id;
  expect(await lookUp('/guides/install')).toMatchObject({
    target: `${base}/learn/set-up`,
    redirect: { id: install, destination: { kind: 'site-page', siteSpaceId, pageId: install } },
  });
  expect(await lookUp('/guides')).toMatchObject({
    target: `${base}/learn`,
    redirect: { id: siteSpaceId, destination: { kind: 'site-space', siteSpaceId } },
  });
  expect(await resolve(`${base}/guides/set-up`)).toMatchObject({ complete: false });
});

test('current content overrides former paths, and explicit redirects override both', async () => {
  const { patch, callJson, guides, space, base, token, addSection, lookUp } = await makeSectionedSite();
  await patch(`/sections/${guides.id}`, { path: 'learn' });
  const other = await addSection('Guides');
  const owner = { id: other.siteSpaces[0]?.space.id ?? '', token };
  await makePage({ id: space, token }, 'Later');
  const page = await makePage(owner, 'Install');
  expect(await resolve(`${base}/guides/install`)).toMatchObject({ complete: true, siteSection: other.id });

  await edit(owner, [{ operation: 'delete_page', page }]);
  expect(await resolve(`${base}/guides/install`)).toEqual(createContentRedirect(`${base}/learn/install`));
  expect(await resolve(`${base}/guides/later`)).toMatchObject({ complete: false });
  const destination = { kind: 'external', url: 'https://example.com/' };
  await callJson('/redirects', { body: { source: '/guides/install', destination } });
  expect(await resolve(`${base}/guides/install`)).toEqual({ target: 'external', redirect: destination.url });
  expect((await lookUp('/guides/install')).target).toBe(destination.url);
});

test('redirects from the paths of a former default section and of a moved space', async () => {
  const { patch, send, callJson, guides, home, space, base, id } = await makeSectionedSite();
  await patch('', { defaultSiteSection: guides.id });
  // A URL that was valid for less than two milliseconds counts as an intermediate step, and two requests can be that
  // fast.
  await writeDatabase(platform(), 'UPDATE site_places SET since = since - 10 WHERE site = ?', id);
  await patch('', { defaultSiteSection: home.id });
  expect(await resolve(`${base}/install`)).toEqual(createContentRedirect(`${base}/guides/install`));

  expect((await send(`/sections/${guides.id}`, { method: 'DELETE' })).status).toBe(205);
  for (const path of ['/install', '/guides/install'])
    expect(await resolve(`${base}${path}`)).toMatchObject({ complete: false });
  const again = await callJson<SiteSection>('/sections', { body: { spaceId: space, title: 'Back' } });
  for (const path of ['/install', '/guides/install'])
    expect(await resolve(`${base}${path}`)).toEqual(createContentRedirect(`${base}/${again.path}/install`));
});

test('reveals nothing that is hidden from the visitor or member', async () => {
  const { patch, send, guides, space, base, organization, token, lookUp } = await makeSectionedSite();
  await patch(`/sections/${guides.id}`, { path: 'learn', condition: 'visitor.claims.unsigned.beta' });
  const { makeUser, request } = platform();

  expect(await resolve(`${base}/guides/install`)).toMatchObject({ complete: false });
  expect(await resolve(`${base}/guides/install`, createVisitorBody({ beta: true }))).toEqual(
    createContentRedirect(`${base}/learn/install`),
  );
  const { apiToken } = await resolve(base);
  expect((await lookUp('/guides/install', apiToken)).status).toBe(404);
  const member = await makeUser({ organization: organization.id, role: 'read' });
  const { url } = (await (await send('/publishing/preview', { token: member.token })).json()) as { url: string };
  const preview = { visitor: { jwtToken: new URL(url).searchParams.get('jwt_token'), unsignedClaims: { beta: true } } };
  expect((await lookUp('/guides/install', member.token)).status).toBe(200);
  expect(await resolve(`${base}/guides/install`, preview)).toEqual(createContentRedirect(`${base}/learn/install`));
  await request(`/v1/spaces/${space}`, { token, method: 'PATCH', body: { defaultLevel: 'none' } });
  expect((await lookUp('/guides/install', member.token)).status).toBe(404);
  expect(await resolve(`${base}/guides/install`, preview)).toMatchObject({ complete: false });
});

test('a former basename, hostname or proxy URL redirects until another site uses it', async () => {
  const { patch, base, organization } = await makeSectionedSite();
  const host = `docs.${organization.id.slice(4).toLowerCase()}.example`;
  await patch('', { hostname: host });
  await patch('', { proxy: `www.${host}/help`, hostname: null });
  await patch('', { basename: 'new', proxy: null });
  const now = base.replace(/[^/]*$/, 'new');

  for (const former of [base, `https://${host}`, `https://www.${host}/help`]) {
    expect(await resolve(`${former}/guides/install`)).toEqual(createContentRedirect(`${now}/guides/install`));
    expect(await resolve(former)).toEqual(createContentRedirect(`${now}/`));
  }
  const stranger = await makeSite(await platform().makeOrganization());
  await stranger.patch('', { proxy: `${host}/theirs` });
  await stranger.publish();
  expect(await getStatus(`https://${host}/guides/install`)).toBe(404);
  const second = await makeSite(organization, { title: base.replace(/^.*\//, '') });
  await second.publish();
  expect(await getStatus(`${base}/guides/install`)).toBe(404);
  expect(await getStatus(`https://www.${host}/help/guides/install`)).toBe(200);
});

test('an unpublished site does not redirect from its former URLs, and a deleted site leaves none', async () => {
  const { patch, send, base, id } = await makeSectionedSite();
  await patch('', { basename: 'new' });
  await send('/unpublish', { method: 'POST' });
  expect(await getStatus(`${base}/guides/install`)).toBe(404);
  await send('', { method: 'DELETE' });
  for (const table of ['site_places', 'site_former_addresses'])
    expect(query(`SELECT 1 FROM ${table} WHERE site = ?`, id)).toEqual([]);
});

test('stores the latest 2,000 path changes and 100 former URLs of a site', async () => {
  const { patch, guides, id, base } = await makeSectionedSite();
  const countRows = (table: string) =>
    query<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table} WHERE site = ?`, id)[0]?.count ?? 0;
  const createNumbersCte = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  await writeDatabase(
    platform(),
    `INSERT INTO site_places (site, path, rank, space, site_space, since, until, left_as)
      ${createNumbersCte(2005)} SELECT ?, 'past', 2, 'spc_past', 'ss_past', i, i + 1, i FROM n`,
    id,
  );
  await writeDatabase(
    platform(),
    `INSERT INTO site_former_addresses (site, organization, kind, value, until)
      ${createNumbersCte(105)} SELECT ?, 'org_past', 'basename', 'past-' || i, i FROM n`,
    id,
  );
  await patch(`/sections/${guides.id}`, { path: 'learn' });
  await patch('', { basename: 'new' });

  expect(query('SELECT MIN(left_as) AS least, MAX(left_as) AS most FROM site_places WHERE site = ?', id)).toEqual([
    { least: 7, most: 2006 },
  ]);
  expect(countRows('site_former_addresses')).toBe(100);
  expect(await resolve(`${base}/guides/install`)).toMatchObject({ target: 'content' });
});

test('resolving a former path costs as many round trips as resolving a page', async () => {
  const { patch, guides, space, install, base, token } = await makeSectionedSite();
  const requestRedirect = async (path: string) => {
    const body = { url: `${base}${path}` };
    const response = await platform({ countsRows: true }).request('/v1/urls/published', { body });
    return { ...getCost(response), ...((await response.json()) as object) };
  };
  await edit({ id: space, token }, [{ operation: 'update_page', page: install, slug: 'set-up' }]);
  const ofPage = await requestRedirect('/guides/install');
  await patch(`/sections/${guides.id}`, { path: 'learn' });
  const ofPlace = await requestRedirect('/guides/set-up');

  expect([ofPage, ofPlace]).toMatchObject([
    createContentRedirect(`${base}/guides/set-up`),
    createContentRedirect(`${base}/learn/set-up`),
  ]);
  expect(ofPlace.trips).toBe(ofPage.trips);
  expect((await requestRedirect('/learn/set-up')).trips).toBe(2);
});

test('a former anchor redirects to the current one, even if the page was moved', async () => {
  const { patch, guides, space, install, base, token } = await makeSectionedSite();
  const write = (markdown: string) =>
    edit({ id: space, token }, [{ operation: 'update_page', page: install, document: { markdown } }]);
  await write('# Install\n\n## First\n\na\n\n## Second\n\nb\n');
  await write('# Install\n\n## Prepare\n\na\n\n## Second\n\nb\n');

  expect(await resolve(`${base}/guides/install#first`)).toEqual(
    createContentRedirect(`${base}/guides/install#prepare`),
  );
  for (const anchor of ['prepare', 'second', 'none', '%'])
    expect(await resolve(`${base}/guides/install#${anchor}`)).toMatchObject({ complete: true });
  await patch<SiteSection>(`/sections/${guides.id}`, { path: 'learn' });
  expect(await resolve(`${base}/guides/install#first`)).toEqual(createContentRedirect(`${base}/learn/install#prepare`));
  expect(await resolve(`${base}/guides/install#second`)).toEqual(createContentRedirect(`${base}/learn/install`));
});
