import { RouteMatcher } from '@octavo/runtime';
import {
  refuseMcpStream,
  serveFullText,
  serveLlmsTxt,
  serveMcp,
  serveNegotiatedMarkdown,
  servePageAsMarkdown,
} from './agents.ts';
import { asksForMarkdown } from './cached-responses.ts';
import { serveFeed, serveRobots, serveSitemap, serveSitemapPart, serveUpdates } from './crawlers.ts';
import { serveInstantResults, serveSearch } from './serve-page.ts';
import { servePdf } from './serve-pdf.ts';
import { serveTest } from './serve-test.ts';
import type { SiteVisit } from './site-visit.ts';

/** A route below a site, or a space in it, that is not a page. */
interface SiteRoute {
  method: 'GET' | 'POST' | 'DELETE';
  /** Matched against the rest of the path behind the space. */
  path: `/${string}`;
  /** Whether the response depends only on the address and on what the site shows the visitor, so that it can be cached. */
  isKept?: boolean;
  answer: (visit: SiteVisit, params: Record<string, string>) => Promise<Response> | Response;
}

/** Paths of sites and pages never start with a tilde, except for previews (`~/changes/`, `~/revisions/`). */
const routes: SiteRoute[] = [
  { method: 'GET', path: '/~/search', answer: serveSearch },
  { method: 'GET', path: '/~/search.json', answer: serveInstantResults },
  { method: 'GET', path: '/~/pdf', answer: servePdf },
  { method: 'POST', path: '/~/mcp', answer: serveMcp },
  { method: 'GET', path: '/~/mcp', answer: refuseMcpStream },
  { method: 'DELETE', path: '/~/mcp', answer: refuseMcpStream },
  { method: 'GET', path: '/~/test', answer: serveTest },
  { method: 'GET', path: '/llms.txt', isKept: true, answer: serveLlmsTxt },
  { method: 'GET', path: '/llms-full(-(?<part>[1-9]\\d{0,4}))?.txt', isKept: true, answer: serveFullText },
  { method: 'GET', path: '/robots.txt', isKept: true, answer: serveRobots },
  { method: 'GET', path: '/sitemap.xml', isKept: true, answer: serveSitemap },
  { method: 'GET', path: '/sitemap-pages-(?<part>\\d{1,4}).xml', isKept: true, answer: serveSitemapPart },
  { method: 'GET', path: '/feed.xml', isKept: true, answer: serveFeed },
  { method: 'GET', path: '/:path+.atom', isKept: true, answer: serveUpdates },
  { method: 'GET', path: '/:path+.md', isKept: true, answer: servePageAsMarkdown },
];

const matcher = new RouteMatcher(
  routes.map((route) => ({ method: route.method, path: route.path, target: route })),
  { trailingSlash: 'refused' },
);

/** Returns the route of a request, or undefined if it is for a page as HTML. */
export function findRoute({
  request,
  content,
}: SiteVisit): { isKept: boolean; answer: (visit: SiteVisit) => Promise<Response> | Response } | undefined {
  const found = matcher.match(request.method, content.pathname);
  if (found === undefined)
    return asksForMarkdown(request) ? { isKept: true, answer: serveNegotiatedMarkdown } : undefined;
  const { isKept = false, answer } = found.target;
  return { isKept, answer: (visit) => answer(visit, found.params) };
}
