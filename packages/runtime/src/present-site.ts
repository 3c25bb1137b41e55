import type { SiteRecord } from '@octavo/db';
import type { Site, SiteFeature } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { Urls } from './respond.ts';

/** Self-hosted has no plans: every site has all that the product has. */
const features: SiteFeature[] = (
  [
    'sites-adaptive-content',
    'sites-advanced-customization',
    'sites-api-playground',
    'sites-basic-customization',
    'sites-custom-domain',
    'sites-custom-subdirectory',
    'sites-full-text-search',
    'sites-multivariant-site',
    'sites-pdf-export',
    'sites-preview-deployments',
    'sites-public-visibility',
    'sites-redirects',
    'sites-sections',
    'sites-seo',
    'sites-share-links',
    'sites-unlisted-visibility',
    'sites-visitor-authentication',
    'sites-visitors',
  ] as const
).map((id) => ({ id, plan: 'ultimate', frozen: false }));

/** What is shown of a site to who does not see all of it. */
interface SiteView {
  /** How many site spaces are shown; left out: all. */
  siteSpaces?: number;
  /** Stands in addresses of a site that is open to those who hold one. */
  shareKey?: string | undefined;
}

export function presentSite(site: SiteRecord, urls: Urls, { siteSpaces, shareKey }: SiteView = {}): Site {
  const path = `/orgs/${site.organization}/sites/${site.id}`;
  const { hostname, proxy, favicon } = site;
  return {
    object: 'site',
    id: site.id,
    type: site.type,
    title: site.title,
    ...(favicon?.icon === undefined && favicon?.emoji === undefined ? {} : { icon: favicon }),
    ...(hostname === null ? {} : { hostname }),
    basename: site.basename,
    ...(proxy === null ? {} : { proxy: { origin: proxy, target: urls.ownSite(site) } }),
    visibility: site.visibility,
    published: site.published,
    siteSpaces: siteSpaces ?? site.siteSpaces,
    createdAt: timestamp(site.createdAt),
    adaptiveContent: { enabled: site.adaptive },
    agentsContext: site.agentsContext,
    features,
    urls: {
      location: urls.location(path),
      app: urls.app(path),
      ...(site.published ? { published: urls.published(site, { shareKey: keyIn(site, shareKey) }) } : {}),
    },
  };
}

/** The key that addresses of a site have, where it asks for one. */
export const keyIn = ({ visibility }: SiteRecord, shareKey: string | undefined): string | undefined =>
  visibility === 'share-link' ? shareKey : undefined;
