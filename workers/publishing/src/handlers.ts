import type { Handlers } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { getSiteAdaptiveSchema } from './adaptive/get-site-adaptive-schema.ts';
import { listSiteAdaptiveTemplateConditions } from './adaptive/list-site-adaptive-template-conditions.ts';
import { updateSiteAdaptiveSchema } from './adaptive/update-site-adaptive-schema.ts';
import { getSitePublishingAuthById } from './auth/get-site-publishing-auth-by-id.ts';
import { regenerateSitePublishingAuthById } from './auth/regenerate-site-publishing-auth-by-id.ts';
import { updateSitePublishingAuthById } from './auth/update-site-publishing-auth-by-id.ts';
import { deleteSiteSpaceCustomizationById } from './customization/delete-site-space-customization-by-id.ts';
import { getSiteCustomizationById } from './customization/get-site-customization-by-id.ts';
import { getSiteSpaceCustomizationById } from './customization/get-site-space-customization-by-id.ts';
import { overrideSiteSpaceCustomizationById } from './customization/override-site-space-customization-by-id.ts';
import { updateSiteCustomizationById } from './customization/update-site-customization-by-id.ts';
import type { PublishingEnvironment } from './environment.ts';
import { addExternalLinkToSite } from './external-links/add-external-link-to-site.ts';
import { deleteSiteExternalLinkById } from './external-links/delete-site-external-link-by-id.ts';
import { updateSiteExternalLinkById } from './external-links/update-site-external-link-by-id.ts';
import { bulkUpsertSiteRedirects } from './redirects/bulk-upsert-site-redirects.ts';
import { createSiteRedirect } from './redirects/create-site-redirect.ts';
import { deleteSiteRedirectById } from './redirects/delete-site-redirect-by-id.ts';
import { getSiteRedirectById } from './redirects/get-site-redirect-by-id.ts';
import { getSiteRedirectBySource } from './redirects/get-site-redirect-by-source.ts';
import { listSiteRedirects } from './redirects/list-site-redirects.ts';
import { updateSiteRedirectById } from './redirects/update-site-redirect-by-id.ts';
import { getPublishedContentByUrl } from './resolution/get-published-content-by-url.ts';
import { getSitePublishingPreviewById } from './resolution/get-site-publishing-preview-by-id.ts';
import { resolvePublishedContentByUrl } from './resolution/resolve-published-content-by-url.ts';
import { listSiteIntegrationScripts } from './scripts/list-site-integration-scripts.ts';
import { searchSiteContent } from './search/search-site-content.ts';
import { addSectionGroupToSite } from './section-groups/add-section-group-to-site.ts';
import { addSectionToGroup } from './section-groups/add-section-to-group.ts';
import { deleteSiteSectionGroupById } from './section-groups/delete-site-section-group-by-id.ts';
import { listSiteSectionGroups } from './section-groups/list-site-section-groups.ts';
import { moveSiteSectionGroup } from './section-groups/move-site-section-group.ts';
import { removeSectionFromGroup } from './section-groups/remove-section-from-group.ts';
import { updateSiteSectionGroupById } from './section-groups/update-site-section-group-by-id.ts';
import { addSectionToSite } from './sections/add-section-to-site.ts';
import { deleteSiteSectionById } from './sections/delete-site-section-by-id.ts';
import { listSiteSections } from './sections/list-site-sections.ts';
import { moveSiteSection } from './sections/move-site-section.ts';
import { updateSiteSectionById } from './sections/update-site-section-by-id.ts';
import { createSiteShareLink } from './share-links/create-site-share-link.ts';
import { deleteSiteShareLinkById } from './share-links/delete-site-share-link-by-id.ts';
import { listSiteShareLinks } from './share-links/list-site-share-links.ts';
import { updateSiteShareLinkById } from './share-links/update-site-share-link-by-id.ts';
import { addSpaceToSite } from './site-spaces/add-space-to-site.ts';
import { deleteSiteSpaceById } from './site-spaces/delete-site-space-by-id.ts';
import { listSiteSpaces } from './site-spaces/list-site-spaces.ts';
import { moveSiteSpace } from './site-spaces/move-site-space.ts';
import { updateSiteSpaceById } from './site-spaces/update-site-space-by-id.ts';
import { createSite } from './sites/create-site.ts';
import { deleteSiteById } from './sites/delete-site-by-id.ts';
import { getPublishedContentSite } from './sites/get-published-content-site.ts';
import { getSiteById } from './sites/get-site-by-id.ts';
import { listSites } from './sites/list-sites.ts';
import { publishSite } from './sites/publish-site.ts';
import { unpublishSite } from './sites/unpublish-site.ts';
import { updateSiteById } from './sites/update-site-by-id.ts';
import { createOpenAPISpec } from './specs/create-open-api-spec.ts';
import { createOrUpdateOpenAPISpecBySlug } from './specs/create-or-update-open-api-spec-by-slug.ts';
import { deleteOpenAPISpecBySlug } from './specs/delete-open-api-spec-by-slug.ts';
import { getLatestOpenAPISpecVersion } from './specs/get-latest-open-api-spec-version.ts';
import { getLatestOpenAPISpecVersionContent } from './specs/get-latest-open-api-spec-version-content.ts';
import { getLatestOpenAPISpecVersionContentRaw } from './specs/get-latest-open-api-spec-version-content-raw.ts';
import { getOpenAPISpecBySlug } from './specs/get-open-api-spec-by-slug.ts';
import { getOpenAPISpecVersionById } from './specs/get-open-api-spec-version-by-id.ts';
import { getOpenAPISpecVersionContentById } from './specs/get-open-api-spec-version-content-by-id.ts';
import { listOpenAPISpecVersions } from './specs/list-open-api-spec-versions.ts';
import { listOpenAPISpecs } from './specs/list-open-api-specs.ts';
import { updateOpenAPISpecBySlug } from './specs/update-open-api-spec-by-slug.ts';
import { getSiteStructure } from './structure/get-site-structure.ts';
import { sortSiteStructure } from './structure/sort-site-structure.ts';

/** What keeps each promise of the contract. */
export const handlers: Handlers<typeof publishing, PublishingEnvironment> = {
  getSitePublishingAuthById,
  regenerateSitePublishingAuthById,
  updateSitePublishingAuthById,
  getSiteAdaptiveSchema,
  listSiteAdaptiveTemplateConditions,
  updateSiteAdaptiveSchema,
  bulkUpsertSiteRedirects,
  createSiteRedirect,
  deleteSiteRedirectById,
  getSiteRedirectById,
  listSiteRedirects,
  updateSiteRedirectById,
  deleteSiteSpaceCustomizationById,
  getSiteCustomizationById,
  getSiteSpaceCustomizationById,
  overrideSiteSpaceCustomizationById,
  updateSiteCustomizationById,
  addExternalLinkToSite,
  deleteSiteExternalLinkById,
  updateSiteExternalLinkById,
  getPublishedContentByUrl,
  getSitePublishingPreviewById,
  resolvePublishedContentByUrl,
  addSectionGroupToSite,
  addSectionToGroup,
  deleteSiteSectionGroupById,
  listSiteSectionGroups,
  moveSiteSectionGroup,
  removeSectionFromGroup,
  updateSiteSectionGroupById,
  addSectionToSite,
  deleteSiteSectionById,
  listSiteSections,
  moveSiteSection,
  updateSiteSectionById,
  createSiteShareLink,
  deleteSiteShareLinkById,
  listSiteShareLinks,
  updateSiteShareLinkById,
  addSpaceToSite,
  deleteSiteSpaceById,
  listSiteSpaces,
  moveSiteSpace,
  updateSiteSpaceById,
  createSite,
  deleteSiteById,
  getPublishedContentSite,
  listSiteIntegrationScripts,
  getSiteById,
  listSites,
  publishSite,
  unpublishSite,
  updateSiteById,
  createOpenAPISpec,
  createOrUpdateOpenAPISpecBySlug,
  deleteOpenAPISpecBySlug,
  getLatestOpenAPISpecVersionContentRaw,
  getLatestOpenAPISpecVersionContent,
  getLatestOpenAPISpecVersion,
  getOpenAPISpecBySlug,
  getOpenAPISpecVersionById,
  getOpenAPISpecVersionContentById,
  listOpenAPISpecVersions,
  listOpenAPISpecs,
  getSiteRedirectBySource,
  searchSiteContent,
  updateOpenAPISpecBySlug,
  getSiteStructure,
  sortSiteStructure,
};
