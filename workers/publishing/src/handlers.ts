import type { Handlers } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { deleteSiteSpaceCustomizationById } from './customization/delete-site-space-customization-by-id.ts';
import { getSiteCustomizationById } from './customization/get-site-customization-by-id.ts';
import { getSiteSpaceCustomizationById } from './customization/get-site-space-customization-by-id.ts';
import { overrideSiteSpaceCustomizationById } from './customization/override-site-space-customization-by-id.ts';
import { updateSiteCustomizationById } from './customization/update-site-customization-by-id.ts';
import type { PublishingEnvironment } from './environment.ts';
import { getPublishedContentByUrl } from './resolution/get-published-content-by-url.ts';
import { getSitePublishingPreviewById } from './resolution/get-site-publishing-preview-by-id.ts';
import { resolvePublishedContentByUrl } from './resolution/resolve-published-content-by-url.ts';
import { addSpaceToSite } from './site-spaces/add-space-to-site.ts';
import { createSite } from './sites/create-site.ts';
import { getSiteById } from './sites/get-site-by-id.ts';
import { publishSite } from './sites/publish-site.ts';
import { unpublishSite } from './sites/unpublish-site.ts';
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

/** What keeps each promise of the contract. */
export const handlers: Handlers<typeof publishing, PublishingEnvironment> = {
  addSpaceToSite,
  deleteSiteSpaceCustomizationById,
  getSiteCustomizationById,
  getSiteSpaceCustomizationById,
  overrideSiteSpaceCustomizationById,
  updateSiteCustomizationById,
  createOpenAPISpec,
  createOrUpdateOpenAPISpecBySlug,
  createSite,
  deleteOpenAPISpecBySlug,
  getLatestOpenAPISpecVersion,
  getLatestOpenAPISpecVersionContent,
  getLatestOpenAPISpecVersionContentRaw,
  getOpenAPISpecBySlug,
  getOpenAPISpecVersionById,
  getOpenAPISpecVersionContentById,
  getPublishedContentByUrl,
  getSiteById,
  getSitePublishingPreviewById,
  listOpenAPISpecVersions,
  listOpenAPISpecs,
  publishSite,
  resolvePublishedContentByUrl,
  unpublishSite,
  updateOpenAPISpecBySlug,
};
