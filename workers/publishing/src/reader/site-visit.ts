import type { Background } from '@octavo/runtime';
import type { PublishedContent } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { SiteApi } from './site-api.ts';

/** A request for something of a site, by a visitor who is let in. */
export interface SiteVisit {
  request: Request;
  /** The address that was asked for, at the server's own where the site has no host. */
  url: URL;
  env: PublishingEnvironment;
  background: Background;
  /** What the address leads to: `pathname` is what is left of it behind the space, `complete` whether that is a page. */
  content: PublishedContent;
  api: SiteApi;
  /** Counts what the site and its organization show. */
  shown: string;
  /** The same visitor at another address of the site; undefined where there is nothing for this visitor. */
  lookUp: (address: string) => Promise<SiteVisit | undefined>;
}
