import * as z from 'zod';
import { Space } from '../content/spaces.ts';
import { Condition } from './site.ts';

/** A space in a site. */
export const SiteSpace = z
  .object({
    object: z.literal('site-space'),
    id: z.string(),
    path: z.string().min(1).max(100),
    section: z.string().optional(),
    space: Space,
    title: z.string(),
    default: z.boolean().optional(),
    condition: Condition.optional(),
    hasAdvancedCustomizationFeature: z.boolean().optional(),
    urls: z.object({ published: z.string().optional() }),
  })
  .meta({ id: 'SiteSpace' });
export type SiteSpace = z.infer<typeof SiteSpace>;
