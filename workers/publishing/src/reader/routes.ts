import { RouteMatcher } from '@octavo/runtime';
import {
  rejectMcpStream,
  serveFullText,
  serveLlmsTxt,
  serveMcp,
  serveNegotiatedMarkdown,
  servePageAsMarkdown,
} from './agents.ts';
import { prefersMarkdown } from './cached-responses.ts';
import { serveFeed, serveRobots, serveSitemap, serveSitemapPart, serveUpdates } from './crawlers.ts';
import { serveFeedback } from './serve-feedback.ts';
import { serveInstantResults, serveSearch } from './serve-page.ts';
import { servePdf } from './serve-pdf.ts';
import { serveTest } from './serve-test.ts';
import type { SiteVisit } from './site-visit.ts';

/** A route of a site, or of a space in it, other than its pages. */
interface SiteRoute {
  method: 'GET' | 'POST' | 'DELETE';
  /** Matches the path after the path of the space. */
  path: `/${string}`;
  /** Whether the response depends only on the URL and the visitor's view of the site. */
  isCacheable?: boolean;
  handler: (visit: SiteVisit, params: Record<string, string>) => Promise<Response> | Response;
}

/** Paths of sites and pages never start with a tilde, except for previews (`~/changes/`, `~/revisions/`). */
const routes: SiteRoute[] = [
  { method: 'GET', path: '/~/search', handler: serveSearch },
  { method: 'GET', path: '/~/search.json', handler: serveInstantResults },
  { method: 'GET', path: '/~/pdf', handler: servePdf },
  { method: 'POST', path: '/~/mcp', handler: serveMcp },
  { method: 'GET', path: '/~/mcp', handler: rejectMcpStream },
  { method: 'DELETE', path: '/~/mcp', handler: rejectMcpStream },
  { method: 'POST', path: '/~/feedback', handler: serveFeedback },
  { method: 'GET', path: '/~/test', handler: serveTest },
  { method: 'GET', path: '/llms.txt', isCacheable: true, handler: serveLlmsTxt },
  { method: 'GET', path: '/llms-full(-(?<part>[1-9]\\d{0,4}))?.txt', isCacheable: true, handler: serveFullText },
  { method: 'GET', path: '/robots.txt', isCacheable: true, handler: serveRobots },
  { method: 'GET', path: '/sitemap.xml', isCacheable: true, handler: serveSitemap },
  { method: 'GET', path: '/sitemap-pages-(?<part>\\d{1,4}).xml', isCacheable: true, handler: serveSitemapPart },
  { method: 'GET', path: '/feed.xml', isCacheable: true, handler: serveFeed },
  { method: 'GET', path: '/:path+.atom', isCacheable: true, handler: serveUpdates },
  { method: 'GET', path: '/:path+.md', isCacheable: true, handler: servePageAsMarkdown },
];

const matcher = new RouteMatcher(
  routes.map((route) => ({ method: route.method, path: route.path, target: route })),
  { trailingSlash: 'refused' },
);

/** Returns the route of a request; undefined for a page as HTML. */
export function findRoute({
  request,
  content,
}: SiteVisit): { isCacheable: boolean; handler: (visit: SiteVisit) => Promise<Response> | Response } | undefined {
  const match = matcher.match(request.method, content.pathname);
  if (match === undefined)
    return prefersMarkdown(request) ? { isCacheable: true, handler: serveNegotiatedMarkdown } : undefined;
  const { isCacheable = false, handler } = match.target;
  return { isCacheable, handler: (visit) => handler(visit, match.params) };
}
