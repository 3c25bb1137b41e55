import type { PublishedSite, ShareLink, Site, Space } from '@octavo/schema';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite, makeSite, type SiteClient } from './site-client.ts';

/** Returns the token for a visitor with these unsigned claims. */
const visit = async (url: string, unsignedClaims: object = {}) =>
  (await json<{ apiToken: string }>('/v1/urls/published', { body: { url, visitor: { unsignedClaims } } })).apiToken;

async function createSite() {
  const site = await createTestSite({ title: 'Docs' });
  const base = (await site.publish()).urls.published ?? '';
  const first = await site.addSection('Guides');
  const hidden = await site.addSection('Hiddensection');
  const version = await site.addSpace('Hiddenversion', { sectionId: first.id });
  const condition = 'visitor.claims.unsigned.isBeta';
  await site.patch(`/sections/${hidden.id}`, { condition });
  await site.patch(`/site-spaces/${version.id}`, { condition });
  await site.callJson('/section-groups', { body: { title: 'Hiddengroup', sections: [hidden.id] } });
  const link = { title: 'Hiddenlink', url: 'https://hidden.test', condition };
  await site.callJson('/external-links', { body: link });
  return { ...site, base, first, version };
}

const read = (site: SiteClient, path: string, token?: string) => site.send(path, { token });

test('returns everything that a renderer needs for the visitor, and no hidden content', async () => {
  const site = await createSite();
  const token = await visit(site.base);

  const response = await read(site, '/published', token);
  const found = (await response.json()) as PublishedSite;

  expect(response.status).toBe(200);
  expect(found).toMatchObject({
    object: 'published-content-site',
    site: { id: site.id, siteSpaces: 1, urls: { published: site.base } },
    structure: {
      type: 'sections',
      structure: [
        { id: site.first.id, siteSpaces: [{ space: { urls: { published: site.base }, comments: 0 }, default: true }] },
      ],
    },
    scripts: [],
  });
  expect(found.structure.structure).toHaveLength(1);
  expect(found.customizations.site.styling.primaryColor).toEqual({
    light: expect.any(String),
    dark: expect.any(String),
  });
  expect(Object.keys(found.customizations.siteSpaces)).toEqual([site.first.siteSpaces[0]?.id]);
});

test('a visitor gets the URL of a space only on the visited site', async () => {
  const site = await createTestSite({ title: 'Docs' });
  const section = await site.addSection('Hiddensection');
  const visibleSection = await site.addSection('Shown');
  const own = section.siteSpaces[0]?.space.id ?? '';
  const condition = 'visitor.claims.unsigned.isBeta';
  const other = await makeSite(site.organization, { title: 'Another', visibility: 'unlisted' });
  await other.callJson('/site-spaces', { body: { spaceId: own } });
  const { published = '' } = (await other.publish()).urls;
  const base = (await site.publish()).urls.published ?? '';
  await site.patch(`/sections/${section.id}`, { condition });
  await site.patch('', { defaultSiteSection: visibleSection.id });
  const readVisited = async (url: string, claims?: object) =>
    json<Space>(`/v1/spaces/${own}`, { token: await visit(url, claims) });
  const createLinkWithVisibility = (at: string, visibility: string) => ({
    visibility,
    urls: { published: at, ...(visibility === 'public' ? { public: at } : {}) },
  });

  const elsewhere = await readVisited(published);
  expect(elsewhere).toMatchObject(createLinkWithVisibility(published, 'unlisted'));
  expect([elsewhere.urls.public, JSON.stringify(elsewhere).includes('hiddensection')]).toEqual([undefined, false]);
  expect(await readVisited(base, { isBeta: true })).toMatchObject(
    createLinkWithVisibility(`${base}hiddensection`, 'public'),
  );
  const { structure } = await other.callJson<PublishedSite>('/published', { token: await visit(published) });
  expect(structure.structure).toMatchObject([{ space: createLinkWithVisibility(published, 'unlisted') }]);
  const { token } = site.organization;
  expect(await json(`/v1/spaces/${own}`, { token })).toMatchObject(
    createLinkWithVisibility(`${base}hiddensection`, 'public'),
  );
});

test('a visitor with a share link gets URLs that contain its key', async () => {
  const site = await createTestSite({ title: 'Docs', visibility: 'share-link' });
  await site.addSpace('First');
  const { space } = await site.addSpace('Second');
  await site.publish();
  const { urls } = await site.callJson<{ urls: { published: string } }>('/share-links', { body: { name: 'Partners' } });

  const visited = await json<Space>(`/v1/spaces/${space.id}`, { token: await visit(urls.published) });

  expect(visited.urls.published).toBe(`${urls.published}/second`);
});

test('no list contains hidden content', async () => {
  const site = await createSite();
  const token = await visit(site.base);

  for (const path of ['', '/published', '/structure', '/sections', '/site-spaces']) {
    const response = await read(site, path, token);
    const text = await response.text();
    expect([path, response.status]).toEqual([path, 200]);
    expect([path, /hidden|isBeta|condition/i.exec(text)]).toEqual([path, null]);
  }
  expect((await read(site, '/share-links', token)).status).toBe(404);
  expect((await read(site, '/section-groups', token)).status).toBe(404);
});

test('a visitor who meets the conditions gets the content, but not the conditions themselves', async () => {
  const site = await createSite();
  const found = (await (
    await read(site, '/published', await visit(site.base, { isBeta: true }))
  ).json()) as PublishedSite;

  expect(found.site.siteSpaces).toBe(3);
  expect(found.structure.structure.map(({ title }) => title)).toEqual(['Guides', 'Hiddengroup', 'Hiddenlink']);
  expect(JSON.stringify(found)).not.toContain('"condition"');
});

test('a site without sections is a list of site spaces', async () => {
  const { addSpace, publish, ...site } = await createTestSite();
  const { id } = await addSpace('Guides');
  const { urls } = await publish();
  const token = await visit(urls.published ?? '');

  expect(await (await read({ ...site, addSpace, publish }, '/published', token)).json()).toMatchObject({
    structure: { type: 'siteSpaces', structure: [{ id, urls: { published: urls.published } }] },
  });
});

test('any user with an active share key can read a published site like a visitor', async () => {
  const site = await createTestSite({ title: 'Docs', visibility: 'share-link' });
  await site.addSpace('Guides');
  const link = await site.callJson<ShareLink>('/share-links', { body: { name: 'Partners' } });
  const key = link.urls.published?.split('/').at(-1) ?? '';
  const { token } = await platform().makeUser();
  const readStatus = async (path: string, shareKey = key) =>
    (await read(site, `${path}?shareKey=${shareKey}`, token)).status;
  expect(await readStatus('/published')).toBe(404);
  await site.publish();

  for (const path of ['/published', '/structure', '/sections', '/site-spaces'])
    expect([path, await readStatus(path)]).toEqual([path, 200]);
  expect(await (await read(site, `/published?shareKey=${key}`, token)).json()).toMatchObject({
    site: { urls: { published: link.urls.published } },
  });
  expect(await readStatus('/published', `${key.slice(1)}x`)).toBe(404);
  expect(await readStatus('/share-links')).toBe(404);
  const other = await createTestSite({ visibility: 'share-link' });
  expect((await other.send(`/published?shareKey=${key}`, { token })).status).toBe(404);
  await site.patch(`/share-links/${link.id}`, { active: false });
  expect(await readStatus('/published')).toBe(404);
});

test('unpublishing a site or changing its audience immediately revokes visitor tokens', async () => {
  for (const end of [{ published: false }, { visibility: 'visitor-auth' }]) {
    const site = await createTestSite();
    await site.addSpace('Guides');
    const token = await visit((await site.publish()).urls.published ?? '');
    expect((await read(site, '', token)).status).toBe(200);
    await ('published' in end ? site.callJson<Site>('/unpublish', { method: 'POST' }) : site.patch('', end));

    expect((await read(site, '', token)).status).toBe(404);
  }
});

test('a visitor gets only the header links whose conditions are met, without these conditions', async () => {
  const site = await createSite();
  const settings = (await (await site.send('/customization')).json()) as { header: { links: object[] } };
  const to = { kind: 'url', url: 'https://else.test' };
  const links = [
    { title: 'Hiddenheader', to, links: [], condition: 'visitor.claims.unsigned.isBeta' },
    { title: 'Shownheader', to, links: [] },
  ];
  const body = { ...settings, header: { ...settings.header, links } };
  expect((await site.send('/customization', { method: 'PUT', body })).status).toBe(200);
  const readVisibleTitles = async (claims: object) =>
    (await read(site, '/published', await visit(site.base, claims))).text();

  expect(await readVisibleTitles({})).toContain('Shownheader');
  expect(await readVisibleTitles({})).not.toContain('Hiddenheader');
  expect(await readVisibleTitles({ isBeta: true })).toContain('Hiddenheader');
  expect(await readVisibleTitles({ isBeta: true })).not.toContain('isBeta');
});
