import * as z from 'zod';
import { Condition, IconName, SiteTitle } from './site.ts';
import { SiteSpace } from './site-space.ts';

export const SectionDescription = z.string().max(256);

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

export const SiteSectionGroup = z
  .object({
    object: z.literal('site-section-group'),
    id: z.string(),
    title: z.string().min(1).max(100),
    icon: IconName.optional(),
    sections: z.array(SiteSection),
  })
  .meta({ id: 'SiteSectionGroup' });
export type SiteSectionGroup = z.infer<typeof SiteSectionGroup>;
