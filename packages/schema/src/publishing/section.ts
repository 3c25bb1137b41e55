import * as z from 'zod';
import { lineOfText } from '../text.ts';
import { Condition, IconName, SiteTitle } from './site.ts';
import { SiteSpace } from './site-space.ts';

export const SectionDescription = lineOfText(0, 256);

export const SiteSection = z
  .object({
    object: z.literal('site-section'),
    id: z.string(),
    title: SiteTitle,
    description: SectionDescription.optional(),
    default: z.boolean().optional(),
    path: z.string().min(1).max(100),
    condition: Condition.optional(),
    sectionGroup: z.string().optional(),
    icon: IconName.optional(),
    siteSpaces: z.array(SiteSpace),
    urls: z.object({ published: z.string().optional() }),
  })
  .meta({ id: 'SiteSection' });
export type SiteSection = z.infer<typeof SiteSection>;

/** A link beside the sections of a site to a place outside of it. */
export const SiteExternalLink = z
  .object({
    object: z.literal('site-external-link'),
    id: z.string(),
    title: SiteTitle,
    description: SectionDescription.optional(),
    icon: IconName.optional(),
    url: z.string(),
    sectionGroup: z.string().optional(),
    /** There are no drafts: clients of newer versions of the API family require it. */
    draft: z.literal(false),
    condition: Condition.optional(),
  })
  .meta({ id: 'SiteExternalLink' });
export type SiteExternalLink = z.infer<typeof SiteExternalLink>;

export const SectionGroupTitle = lineOfText(1, 100);

export const SiteSectionGroup = z
  .object({
    object: z.literal('site-section-group'),
    id: z.string(),
    title: SectionGroupTitle,
    icon: IconName.optional(),
    sections: z.array(SiteSection),
    /** Sections and external links, in their order. */
    children: z.array(z.discriminatedUnion('object', [SiteSection, SiteExternalLink])),
  })
  .meta({ id: 'SiteSectionGroup' });
export type SiteSectionGroup = z.infer<typeof SiteSectionGroup>;
