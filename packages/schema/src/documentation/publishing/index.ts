import type { ResourceDocumentation } from '../documentation.ts';
import { adaptive } from './adaptive.ts';
import { auth } from './auth.ts';
import { customizations } from './customization.ts';
import { externalLinks } from './external-links.ts';
import { feedback } from './feedback.ts';
import { openapiSpecs } from './openapi-specs.ts';
import { publishedSite } from './published-site.ts';
import { redirects } from './redirects.ts';
import { resolution } from './resolution.ts';
import { siteSearch } from './search.ts';
import { sections } from './sections.ts';
import { shareLinks } from './share-links.ts';
import { siteSpaces } from './site-spaces.ts';
import { sites } from './sites.ts';
import { structure } from './structure.ts';

export const publishingDocumentation: ResourceDocumentation[] = [
  adaptive,
  auth,
  customizations,
  externalLinks,
  feedback,
  openapiSpecs,
  publishedSite,
  redirects,
  resolution,
  siteSearch,
  sections,
  shareLinks,
  siteSpaces,
  sites,
  structure,
];
