import { adaptiveSchemaEndpoints } from './adaptive-schema.ts';
import { customizationEndpoints } from './customization.ts';
import { externalLinkEndpoints } from './external-links.ts';
import { feedbackEndpoints } from './feedback.ts';
import { openapiEndpoints, openapiVersionEndpoints } from './openapi.ts';
import { publishingAuthEndpoints } from './publishing-auth.ts';
import { redirectEndpoints, redirectLookupEndpoints } from './redirects.ts';
import { resolutionEndpoints } from './resolution.ts';
import { sectionEndpoints, sectionGroupEndpoints } from './sections.ts';
import { shareLinkEndpoints } from './share-links.ts';
import { siteSearchEndpoints } from './site-search.ts';
import { siteSpaceEndpoints } from './site-spaces.ts';
import { siteEndpoints } from './sites.ts';
import { structureEndpoints } from './structure.ts';

export * from './adaptive-schema.ts';
export * from './customization.ts';
export * from './external-links.ts';
export * from './feedback.ts';
export * from './full-customization.ts';
export * from './openapi.ts';
export * from './publishing-auth.ts';
export * from './redirects.ts';
export * from './resolution.ts';
export * from './sections.ts';
export * from './service.ts';
export * from './share-links.ts';
export * from './site-search.ts';
export * from './site-spaces.ts';
export * from './sites.ts';
export * from './structure.ts';
export * from './visitor.ts';

/** The endpoints of the publishing worker. */
export const publishing = {
  ...siteEndpoints,
  ...adaptiveSchemaEndpoints,
  ...customizationEndpoints,
  ...publishingAuthEndpoints,
  ...redirectEndpoints,
  ...sectionEndpoints,
  ...sectionGroupEndpoints,
  ...externalLinkEndpoints,
  ...structureEndpoints,
  ...siteSearchEndpoints,
  ...siteSpaceEndpoints,
  ...shareLinkEndpoints,
  ...feedbackEndpoints,
  ...openapiEndpoints,
  ...openapiVersionEndpoints,
  ...redirectLookupEndpoints,
  ...resolutionEndpoints,
};
