import * as z from 'zod';
import { createLineSchema } from '../text.ts';
import { Timestamp } from '../time.ts';

export const SiteType = z
  .enum(['basic', 'premium', 'ultimate', 'sponsored', 'legacy-basic', 'legacy-premium'])
  .meta({ id: 'SiteType' });
export type SiteType = z.infer<typeof SiteType>;

/**
 * The visibility of a site. Search engines index `public` sites but not `unlisted` ones. The other two require a secret
 * from the visitor.
 */
export const SiteVisibility = z
  .enum(['public', 'unlisted', 'share-link', 'visitor-auth'])
  .meta({ id: 'SiteVisibility' });
export type SiteVisibility = z.infer<typeof SiteVisibility>;

/** The availability of the site to AI agents. */
export const AgentsContext = z.enum(['excluded', 'included']).meta({ id: 'AgentsContext' });
export type AgentsContext = z.infer<typeof AgentsContext>;

export const SiteTitle = createLineSchema(2, 128);

/** A segment of a published path: 1 to 100 characters. */
export const PathSegment = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\s/?#\p{Cc}]+$/u, 'must not contain slashes, spaces, question marks or hash signs')
  .regex(/^(?!\.{1,2}$|~)/, 'must not start with ~ or be . or ..')
  .refine((text) => text.isWellFormed(), 'must be valid Unicode');

/** The name of an icon in the icon set. */
export const IconName = z.string().max(50);

/** An expression over the visitor's claims. The object is visible only if it evaluates to true. */
export const Condition = z.string().min(1).max(1024);

/** A host name and path at which a proxy serves the site. */
export const ProxyOrigin = z
  .string()
  .max(512)
  .regex(/^(?:[a-zA-Z0-9_-]+\.)+[a-zA-Z]{2,}(?:\/[a-zA-Z0-9_-]+)+$/, 'must be a hostname and a path');

/** A host name of at least three labels, in lower case. */
export const SiteHostname = z
  .string()
  .max(512)
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.]){2,}[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/, 'must be a hostname');

const SiteAdsTopic = z.enum(['webdev', 'crypto']);

export const SiteAds = z
  .union([
    z.object({ status: z.literal('pending'), submittable: z.boolean() }),
    z.object({ status: z.literal('in-review'), topic: SiteAdsTopic }),
    z.object({ status: z.literal('rejected'), reason: z.string().optional() }),
    z.object({ status: z.enum(['live', 'disabled']), topic: SiteAdsTopic, zoneId: z.string() }),
  ])
  .meta({ id: 'SiteAds' });

export const SiteFeature = z
  .object({
    id: z.enum([
      'sites-adaptive-content',
      'sites-advanced-customization',
      'sites-advanced-insights',
      'sites-ads',
      'sites-ai-assistant',
      'sites-ai-search',
      'sites-api-playground',
      'sites-basic-customization',
      'sites-custom-domain',
      'sites-custom-fonts',
      'sites-custom-subdirectory',
      'sites-full-text-search',
      'sites-multivariant-site',
      'sites-no-custom-domain',
      'sites-page-feedback',
      'sites-page-traffic-insights',
      'sites-pdf-export',
      'sites-preview-deployments',
      'sites-public-visibility',
      'sites-redirects',
      'sites-search-insights',
      'sites-sections',
      'sites-seo',
      'sites-share-links',
      'sites-unlisted-visibility',
      'sites-user-contribution',
      'sites-visitor-authentication',
      'sites-visitors',
    ]),
    plan: SiteType,
    frozen: z.boolean(),
    customizations: z
      .array(
        z.enum([
          'header-logo',
          'theme-preset',
          'premium-fonts',
          'custom-icons',
          'footer-logo',
          'footer-links',
          'footer-copyright',
          'semantic-colors',
        ]),
      )
      .optional(),
  })
  .meta({ id: 'SiteFeature' });
export type SiteFeature = z.infer<typeof SiteFeature>;

/** An icon with a light and a dark image, an emoji, or neither. */
export const SiteIcon = z
  .object({
    icon: z.object({ light: z.string(), dark: z.string() }).optional(),
    emoji: z.string().max(50).optional(),
  })
  .meta({ id: 'SiteIcon' });
export type SiteIcon = z.infer<typeof SiteIcon>;

export const Site = z
  .object({
    object: z.literal('site'),
    id: z.string(),
    type: SiteType,
    title: SiteTitle,
    icon: SiteIcon.nullable().optional(),
    hostname: SiteHostname.optional(),
    basename: z.string().min(1).max(100).optional(),
    proxy: z.object({ origin: z.string(), target: z.string() }).optional(),
    visibility: SiteVisibility,
    published: z.boolean(),
    siteSpaces: z.number().int(),
    createdAt: Timestamp,
    adaptiveContent: z.object({ enabled: z.boolean() }),
    ads: SiteAds.optional(),
    agentsContext: AgentsContext,
    features: z.array(SiteFeature),
    urls: z.object({ location: z.string(), app: z.string(), published: z.string().optional() }),
  })
  .meta({ id: 'Site' });
export type Site = z.infer<typeof Site>;

/** The secret of a share link. */
export const ShareKeyQuery = z.object({ shareKey: z.string().max(256).optional() });
