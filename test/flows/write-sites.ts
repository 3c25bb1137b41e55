import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import type { Ids } from './walk.ts';
import type { Writer } from './walk-beyond.ts';

/** Calls all write operations of a site and its parts. */
export async function writeSites(writer: Writer, organization: TestOrganization): Promise<void> {
  const owner = { organizationId: organization.id };
  const { id: siteId } = await writer.send('createSite', owner, { body: { title: 'Docs' } });
  const ids = { ...owner, siteId };
  const { id: spaceId } = await platform().makeSpace({ organization });
  await writer.send('updateSiteById', ids, { body: { title: 'Guides' } });
  await writer.send('publishSite', ids);
  await writer.send('unpublishSite', ids);
  await writeSiteSpaces(writer, ids, spaceId);
  await writeSections(writer, ids, spaceId);
  await writeAudience(writer, ids);
  const { id: shareLinkId } = await writer.send('createSiteShareLink', ids, { body: { name: 'Key' } });
  await writer.send('updateSiteShareLinkById', { ...ids, shareLinkId }, { body: { active: false } });
  await writer.send('deleteSiteShareLinkById', { ...ids, shareLinkId });
  await writer.send('deleteSiteById', ids);
}

async function writeSiteSpaces(writer: Writer, site: Ids, spaceId: string): Promise<void> {
  const { id: siteSpaceId } = await writer.send('addSpaceToSite', site, { body: { spaceId } });
  const ids = { ...site, siteSpaceId };
  await writer.send('updateSiteSpaceById', ids, { body: { path: 'here' } });
  await writer.send('moveSiteSpace', ids, { body: {} });
  const look = { body: { title: 'Shown', pdf: { enabled: true }, pageActions: { items: ['pdf'] } } };
  await writer.send('updateSiteCustomizationById', ids, look);
  await writer.send('overrideSiteSpaceCustomizationById', ids, look);
  await writer.send('deleteSiteSpaceCustomizationById', ids);
  await writer.send('deleteSiteSpaceById', ids);
}

async function writeSections(writer: Writer, site: Ids, spaceId: string): Promise<void> {
  const { id: siteSectionId } = await writer.send('addSectionToSite', site, { body: { spaceId } });
  const section = { ...site, siteSectionId };
  await writer.send('updateSiteSectionById', section, { body: { path: 'here' } });
  await writer.send('moveSiteSection', section, { body: {} });
  const { id: siteSectionGroupId } = await writer.send('addSectionGroupToSite', site, { body: { title: 'Group' } });
  const group = { ...section, siteSectionGroupId };
  await writer.send('updateSiteSectionGroupById', group, { body: { title: 'More' } });
  await writer.send('addSectionToGroup', group, { body: { sectionId: siteSectionId } });
  await writer.send('removeSectionFromGroup', group);
  await writer.send('moveSiteSectionGroup', group, { body: {} });
  const item = { type: 'site-section', id: siteSectionId };
  await writer.send('sortSiteStructure', site, { body: { item, position: {} } });
  const link = { title: 'Link', url: 'https://a.test' };
  const { id: siteExternalLinkId } = await writer.send('addExternalLinkToSite', site, { body: link });
  const linked = { ...site, siteExternalLinkId };
  await writer.send('updateSiteExternalLinkById', linked, { body: { title: 'Other' } });
  await writer.send('deleteSiteExternalLinkById', linked);
  await writer.send('deleteSiteSectionGroupById', group);
  await writer.send('deleteSiteSectionById', section);
}

async function writeAudience(writer: Writer, site: Ids): Promise<void> {
  const jsonSchema = { type: 'object', properties: { beta: { type: 'boolean' } }, additionalProperties: false };
  await writer.send('updateSiteAdaptiveSchema', site, { body: { jsonSchema } });
  await writer.send('updateSitePublishingAuthById', site, { body: { fallbackURL: 'https://a.test/login' } });
  await writer.send('regenerateSitePublishingAuthById', site);
  const body = { source: '/old', destination: { kind: 'external', url: 'https://a.test' } };
  const { id: siteRedirectId } = await writer.send('createSiteRedirect', site, { body });
  const redirect = { ...site, siteRedirectId };
  await writer.send('updateSiteRedirectById', redirect, { body: { draft: true } });
  await writer.send('bulkUpsertSiteRedirects', site, { body: { redirects: [{ source: '/old', intent: 'publish' }] } });
  await writer.send('deleteSiteRedirectById', redirect);
}
