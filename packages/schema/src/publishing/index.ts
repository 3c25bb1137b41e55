import { adaptiveSchemaEndpoints } from './adaptive-schema.ts';
import { customizationEndpoints } from './customization.ts';
import { openapiEndpoints } from './openapi.ts';
import { openapiVersionEndpoints } from './openapi-versions.ts';
import { resolutionEndpoints } from './resolution.ts';
import { sectionEndpoints } from './sections.ts';
import { shareLinkEndpoints } from './share-links.ts';
import { siteSpaceEndpoints } from './site-spaces.ts';
import { siteEndpoints } from './sites.ts';

export * from './adaptive-schema.ts';
export * from './customization.ts';
export * from './openapi.ts';
export * from './openapi-versions.ts';
export * from './redirect.ts';
export * from './resolution.ts';
export * from './sections.ts';
export * from './service.ts';
export * from './share-links.ts';
export * from './site-spaces.ts';
export * from './sites.ts';
export * from './visitor.ts';

/** What the publishing worker promises. */
export const publishing = {
  ...siteEndpoints,
  ...adaptiveSchemaEndpoints,
  ...customizationEndpoints,
  ...sectionEndpoints,
  ...siteSpaceEndpoints,
  ...shareLinkEndpoints,
  ...openapiEndpoints,
  ...openapiVersionEndpoints,
  ...resolutionEndpoints,
};
