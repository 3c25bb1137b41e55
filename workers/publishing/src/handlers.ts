import type { Handlers } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import * as adaptive from './adaptive/adaptive.ts';
import * as auth from './auth/auth.ts';
import * as customization from './customization/customization.ts';
import type { PublishingEnvironment } from './environment.ts';
import * as externalLinks from './external-links/external-links.ts';
import * as feedback from './feedback/feedback.ts';
import * as bulkRedirects from './redirects/bulk-upsert-site-redirects.ts';
import * as redirectBySource from './redirects/get-site-redirect-by-source.ts';
import * as redirects from './redirects/redirects.ts';
import * as resolution from './resolution/resolution.ts';
import * as search from './search/search.ts';
import * as sectionGroups from './section-groups/section-groups.ts';
import * as sections from './sections/sections.ts';
import * as shareLinks from './share-links/share-links.ts';
import * as siteSpaces from './site-spaces/site-spaces.ts';
import * as createSite from './sites/create-site.ts';
import * as publishedSite from './sites/published-site.ts';
import * as sites from './sites/sites.ts';
import * as specs from './specs/specs.ts';
import * as specVersions from './specs/versions.ts';
import * as structure from './structure/structure.ts';

/** The operations of this worker by their names in the contract. */
export const handlers: Handlers<typeof publishing, PublishingEnvironment> = {
  ...adaptive,
  ...auth,
  ...customization,
  ...externalLinks,
  ...redirects,
  ...bulkRedirects,
  ...redirectBySource,
  ...resolution,
  ...search,
  ...sectionGroups,
  ...sections,
  ...shareLinks,
  ...feedback,
  ...siteSpaces,
  ...sites,
  ...createSite,
  ...publishedSite,
  ...specs,
  ...specVersions,
  ...structure,
};
