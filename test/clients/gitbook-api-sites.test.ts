import type { PublishedSiteContent } from '@gitbook/api';
import { CustomizationCorners, GitBookAPI, SiteVisibility } from '@gitbook/api';
import { beforeAll, expect, test, vi } from 'vitest';
import { edit, makePage } from '../support/content.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

const getClient = (authToken?: string) =>
  new GitBookAPI({ endpoint: platform().url, ...(authToken === undefined ? {} : { authToken }) });
const getStatus = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: { code?: number }) => error.code,
  );

let organization: TestOrganization;
let owner: GitBookAPI;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  owner = getClient(organization.token);
});

async function getSpace(title: string, page: string): Promise<{ id: string; token: string; page: string }> {
  const space = { ...(await platform().makeSpace({ organization, title })), token: organization.token };
  return { ...space, page: await makePage(space, page, `All about the ${page.toLowerCase()}.\n`) };
}

async function createSiteOfTwoSections() {
  const [guides, reference, french] = await Promise.all([
    getSpace('Guides', 'Telescope'),
    getSpace('Reference', 'Eyepiece'),
    getSpace('Français', 'Lunette'),
  ]);
  const { data: site } = await owner.orgs.createSite(organization.id, {
    title: 'Handbook',
    visibility: SiteVisibility.ShareLink,
  });
  const at = [organization.id, site.id] as const;
  const { data: first } = await owner.orgs.addSectionToSite(...at, { spaceId: guides.id, title: 'Guides' });
  const { data: second } = await owner.orgs.addSectionToSite(...at, { spaceId: reference.id, title: 'Reference' });
  const { data: variant } = await owner.orgs.addSpaceToSite(...at, { spaceId: french.id, sectionId: second.id });
  expect([first.default, second.default, variant.section]).toEqual([true, false, second.id]);
  return { at, guides, reference, french, first, second, variant };
}

async function publish(at: readonly [string, string]) {
  const { data } = await owner.orgs.publishSite(...at);
  if (!('urls' in data)) throw new Error('The site was not published.');
  return data;
}

async function resolve(url: string, more: object = {}): Promise<PublishedSiteContent> {
  const { data } = await getClient().urls.resolvePublishedContentByUrl({ url, ...more });
  if ('target' in data) throw new Error(`${url} leads to ${data.redirect}.`);
  return data;
}

test('builds, publishes, reads and unpublishes a site with the unmodified client', async () => {
  const { at, reference, second, first, variant } = await createSiteOfTwoSections();
  const { data: link } = await owner.orgs.createSiteShareLink(...at, { name: 'Partners' });
  const { data: look } = await owner.orgs.getSiteCustomizationById(...at);
  const styling = { ...look.styling, corners: CustomizationCorners.Straight };
  await owner.orgs.updateSiteCustomizationById(...at, { ...look, styling, title: 'The handbook' });
  const published = await publish(at);
  expect(published).toMatchObject({ object: 'site', published: true, visibility: 'share-link', siteSpaces: 3 });

  const address = `${(link.urls.published ?? '').replace(/\/$/, '')}/${second.path}/eyepiece`;
  expect(await getStatus(resolve(`${published.urls.published}${second.path}/eyepiece`))).toBe(404);
  const content = await resolve(address);
  expect(content).toMatchObject({
    ...{ organization: organization.id, site: at[1], siteSection: second.id, space: reference.id },
    ...{ pathname: '/eyepiece', complete: true },
  });

  const visitor = getClient(content.apiToken);
  const { shareKey = '' } = content;
  const { data: shown } = await visitor.orgs.getPublishedContentSite(...at, { shareKey });
  expect(shown.structure).toMatchObject({ type: 'sections', structure: [{ id: first.id }, { id: second.id }] });
  expect(shown.customizations.site).toMatchObject({ title: 'The handbook', styling: { corners: 'straight' } });
  expect(shown.site.urls.published).toContain(shareKey);
  expect(JSON.stringify(shown.structure)).toContain(variant.id);

  const { data: space } = await visitor.spaces.getSpaceById(content.space);
  const inRevision = [space.id, space.revision] as const;
  const { data: revision } = await visitor.spaces.getRevisionById(...inRevision, { metadata: true });
  expect(revision.pages).toMatchObject([{ id: reference.page, type: 'document', path: 'eyepiece', tags: [] }]);
  const { data: page } = await visitor.spaces.getPageInRevisionById(...inRevision, reference.page, {
    format: 'document',
  });
  expect(JSON.stringify(page)).toContain('All about the eyepiece.');

  const search = { query: 'lunette', mode: 'all' } as const;
  await vi.waitFor(
    async () => {
      const { data: hits } = await visitor.orgs.searchSiteContent(...at, search);
      expect(hits.items).toMatchObject([{ title: 'Français', pages: [{ title: 'Lunette' }] }]);
    },
    { timeout: 20_000 },
  );
  await edit(reference, [{ operation: 'update_page', page: reference.page, slug: 'ocular' }]);
  const { data: moved } = await visitor.orgs.getSiteRedirectBySource(...at, {
    shareKey,
    source: `/${second.path}/eyepiece`,
  });
  expect(moved.target).toBe(address.replace(/eyepiece$/, 'ocular'));

  await owner.orgs.unpublishSite(...at);
  expect(await getStatus(resolve(address))).toBe(404);
  expect(await getStatus(visitor.spaces.getSpaceById(content.space))).toBe(404);
  expect(await getStatus(visitor.orgs.getPublishedContentSite(...at, { shareKey }))).toBe(404);
});

test('an anonymous visitor only reaches what the site shows', async () => {
  const { at, guides } = await createSiteOfTwoSections();
  await owner.orgs.updateSiteById(...at, { visibility: SiteVisibility.Public });
  const site = await publish(at);
  const beside = await getSpace('Internal', 'Plans');
  const { apiToken, space } = await resolve(site.urls.published ?? '');
  const visitor = getClient(apiToken);

  expect(space).toBe(guides.id);
  expect(await getStatus(visitor.spaces.getSpaceById(guides.id))).toBe(200);
  expect(await getStatus(visitor.spaces.getSpaceById(beside.id))).toBe(404);
  expect(await getStatus(visitor.orgs.listMembersInOrganizationById(organization.id))).toBe(404);
  expect(await getStatus(visitor.orgs.updateSiteById(...at, { title: 'Mine now' }))).toBe(404);
});

const specification = {
  openapi: '3.1.0',
  info: { title: 'Stars', version: '1.0.0' },
  paths: { '/stars': { get: { summary: 'List the stars', responses: { 200: { description: 'All of them' } } } } },
};

test('publishes a specification and reads its content', async () => {
  const body = { source: { text: JSON.stringify(specification) } };
  const { data: made } = await owner.orgs.createOrUpdateOpenApiSpecBySlug(organization.id, 'stars', body);
  expect(made).toMatchObject({ object: 'openapi-spec', slug: 'stars', urls: { app: expect.any(String) } });
  await vi.waitFor(
    async () => {
      const { data } = await owner.orgs.getOpenApiSpecBySlug(organization.id, 'stars');
      expect(data.processingState).toBe('complete');
    },
    { timeout: 20_000 },
  );

  const { data: content } = await owner.orgs.getLatestOpenApiSpecVersionContent(organization.id, 'stars');
  expect(content.filesystem).toMatchObject([{ isEntrypoint: true, specification: { info: { title: 'Stars' } } }]);
});
