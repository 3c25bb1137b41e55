import * as z from 'zod';
import { SiteCustomization } from './customization.ts';
import { SiteExternalLink, SiteSection, SiteSectionGroup } from './sections.ts';
import { Site } from './site.ts';
import { SiteSpace } from './site-space.ts';

/** The structure of a site: sections and section groups, or only site spaces. */
export const SiteStructure = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('sections'),
      structure: z.array(z.discriminatedUnion('object', [SiteSection, SiteSectionGroup, SiteExternalLink])),
    }),
    z.object({ type: z.literal('siteSpaces'), structure: z.array(SiteSpace) }),
  ])
  .meta({ id: 'SiteStructure' });
export type SiteStructure = z.infer<typeof SiteStructure>;

/** A script that an integration adds to the pages of the site. */
export const SiteScript = z
  .object({ script: z.string(), contentSecurityPolicy: z.string().optional(), cookies: z.boolean() })
  .meta({ id: 'SiteScript' });

/** The data that a renderer needs to show a site. */
export const PublishedSite = z
  .object({
    object: z.literal('published-content-site'),
    site: Site,
    structure: SiteStructure,
    customizations: z.object({ site: SiteCustomization, siteSpaces: z.record(z.string(), SiteCustomization) }),
    scripts: z.array(SiteScript),
  })
  .meta({ id: 'PublishedSite' });
export type PublishedSite = z.infer<typeof PublishedSite>;
