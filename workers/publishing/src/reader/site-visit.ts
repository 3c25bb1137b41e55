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

/** What answers below the address of a site, or of a space in it, that is no page. */
export interface SiteRoute {
  method: 'GET' | 'POST' | 'DELETE';
  /** Tried on what is left of the path behind the space, without a slash at its beginning; its groups are the parameters. */
  path: RegExp;
  /** Whether the answer follows from what the site shows the visitor and from the address alone, so that it is kept. */
  isKept?: boolean;
  answer: (visit: SiteVisit, params: Record<string, string>) => Promise<Response> | Response;
}
