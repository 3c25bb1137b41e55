import type { PageMetaLinks, SiteSection, SiteSpace, Space } from '@octavo/schema';
import { expect, test } from 'vitest';
import { makeSite } from '../../publishing/sites/site-client.ts';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';
import { signVisitorToken } from './visitor-client.ts';

const server = platform({ countsRows: true });

/**
 * Makes a section with a space, a copy of it and a space with a page at the same path, and a section with another
 * space.
 */
async function makeVariants() {
  const organization = await server.makeOrganization();
  const { token } = organization;
  const space = await server.makeSpace({ organization });
  const member = getClient(server, space);
  const [above = ''] = await member.change([insertPage('Guides')]);
  const [page = ''] = await member.change([insertPage('Install', { into: above })]);
  const copy = await json<Space>(`/v1/spaces/${space.id}/duplicate`, { token, method: 'POST' });
  await getClient(server, { id: copy.id, token }).change([{ operation: 'update_page', page, slug: 'installer' }]);
  const [same, elsewhere] = [await server.makeSpace({ organization }), await server.makeSpace({ organization })];
  const pages = new Map<string, string>();
  for (const each of [same, elsewhere]) {
    const [parent = ''] = await getClient(server, each).change([insertPage('Guides')]);
    pages.set(each.id, (await getClient(server, each).change([insertPage('Install', { into: parent })]))[0] ?? '');
  }
  const site = await makeSite(organization, { title: 'Docs' });
  const section = await site.callJson<SiteSection>('/sections', { body: { spaceId: space.id, title: 'Manual' } });
  const addSpace = (spaceId: string, path: string) =>
    site
      .callJson<SiteSpace>('/site-spaces', { body: { spaceId, sectionId: section.id } })
      .then(({ id }) => site.patch<SiteSpace>(`/site-spaces/${id}`, { path }));
  const second = await addSpace(copy.id, 'v2');
  const third = await addSpace(same.id, 'fr');
  const other = await site.callJson<SiteSection>('/sections', { body: { spaceId: elsewhere.id, title: 'Other' } });
  const base = (await site.publish()).urls.published?.replace(/\/$/, '') ?? '';
  const visit = (claims = {}) => ({
    ...getClient(server, { id: space.id, token: signVisitorToken(organization.id, site.id, { claims }) }),
  });
  const inCopy = { kind: 'page', page, space: copy.id, href: `${base}/v2/guides/installer` };
  const inSame = { kind: 'page', page: pages.get(same.id), space: same.id, href: `${base}/fr/guides/install` };
  return {
    site,
    organization,
    section,
    second,
    third,
    other,
    member,
    visit,
    above,
    page,
    same,
    copy,
    elsewhere,
    inCopy,
    inSame,
  };
}

type Reader = Awaited<ReturnType<typeof makeVariants>>['member'];

/** Reads the alternates of a page from both endpoints and checks that they match. */
async function getAlternates(reader: Reader, page: string): Promise<PageMetaLinks['alternates']> {
  const { revision } = await reader.callJson<{ revision: string }>('');
  const paths = [`/content/page/${page}/meta-links`, `/revisions/${revision}/page/${page}/meta-links`];
  const [one, other] = await Promise.all(paths.map((path) => reader.callJson<PageMetaLinks>(path)));
  expect([one, 'canonical' in (one ?? {})]).toEqual([other, false]);
  return one?.alternates ?? [];
}

test('alternates are the same page in variant spaces: by ID in copies, otherwise by path', async () => {
  const { visit, page, above, inCopy, inSame, member } = await makeVariants();

  expect(await getAlternates(visit(), page)).toEqual([inCopy, inSame]);
  expect((await getAlternates(visit(), above)).map((each) => 'page' in each && each.page === above)).toEqual([
    true,
    false,
  ]);
  expect(await getAlternates(member, page)).toEqual([]);
  const branch = await member.open();
  expect(await member.callJson(`/change-requests/${branch}/content/page/${page}/meta-links`)).toEqual({
    alternates: [],
  });
});

test('a page that exists in no other space has no alternates', async () => {
  const { visit, member } = await makeVariants();
  const [alone = ''] = await member.change([insertPage('Alone')]);

  expect(await getAlternates(visit(), alone)).toEqual([]);
});

const condition = 'visitor.claims.staff';

test('omits an alternate that the visitor cannot see, whatever hides it', async () => {
  const { site, visit, page, second, same, inCopy, inSame } = await makeVariants();
  await site.patch(`/site-spaces/${second.id}`, { condition });
  expect(await getAlternates(visit(), page)).toEqual([inSame]);
  expect(await getAlternates(visit({ staff: true }), page)).toEqual([inCopy, inSame]);

  const inside = getClient(server, same);
  const [guides] = await inside.pages();
  await inside.change([{ operation: 'update_page', page: guides?.id, condition }]);

  expect(await getAlternates(visit(), page)).toEqual([]);
  expect(await getAlternates(visit({ staff: true }), page)).toEqual([inCopy, inSame]);
});

test('does not reveal the variants of a hidden section', async () => {
  const { site, visit, page, section, other, same, elsewhere, copy, inSame, organization } = await makeVariants();
  const space = visit().space;
  const beside = { sectionId: other.id };
  for (const spaceId of [space, same.id]) {
    const apart = spaceId === space ? {} : beside;
    if (spaceId === space) await site.callJson('/sections', { body: { spaceId, title: 'Again' } });
    else await site.callJson('/site-spaces', { body: { spaceId, ...apart } });
  }
  await site.patch('', { defaultSiteSection: other.id });
  await site.patch(`/sections/${section.id}`, { condition });

  expect(await getAlternates(visit(), page)).toEqual([]);
  const languages = (await getAlternates(visit({ staff: true }), page)).map((each) => 'space' in each && each.space);
  expect(languages).toEqual([copy.id, inSame.space]);
  const token = signVisitorToken(organization.id, site.id);
  const [shared] = await getAlternates(getClient(server, { id: elsewhere.id, token }), await getInstall(elsewhere));
  expect(shared).toMatchObject({ space: same.id, page: inSame.page });
});

const getInstall = async (space: { id: string; token: string }) =>
  (await getClient(server, space).pages())[0]?.pages?.[0]?.id ?? '';

test('the rows read depend on the number of variants, not on the size of the site or its spaces', async () => {
  const { site, organization, visit, page, same } = await makeVariants();
  const measureCost = async () => (await visit().call(`/content/page/${page}/meta-links`)).cost;
  const before = await measureCost();
  for (let nth = 0; nth < 100; nth += 50)
    await getClient(server, same).change(Array.from({ length: 50 }, (_, index) => insertPage(`Page ${nth + index}`)));
  for (let count = 0; count < 10; count += 1) {
    const { id } = await server.makeSpace({ organization });
    await site.callJson('/sections', { body: { spaceId: id, title: `Section ${count}` } });
  }
  const after = await measureCost();

  expect([before.trips, after.trips, after.read - before.read]).toEqual([1, 1, 0]);
  expect(before.read).toBeLessThan(350);
});
