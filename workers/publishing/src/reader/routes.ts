import { serveFeed, serveUpdates } from './machine/feed.ts';
import { serveList, serveWhole } from './machine/llms.ts';
import { asksForMarkdown, serveAskedMarkdown, servePageAsMarkdown } from './machine/markdown-page.ts';
import { refuseMcpStream, serveMcp } from './machine/mcp.ts';
import { serveRobots } from './machine/robots.ts';
import { serveSitemap, serveSitemapPart } from './machine/sitemap.ts';
import { servePdf } from './serve-pdf.ts';
import { serveInstantResults, serveSearch } from './serve-search.ts';
import { serveTest } from './serve-test.ts';
import type { SiteRoute, SiteVisit } from './site-visit.ts';

/** What is no page. No path of a site or a page begins with a tilde, but for previews (`~/changes/`, `~/revisions/`). */
const routes: SiteRoute[] = [
  { method: 'GET', path: /^~\/search$/, answer: serveSearch },
  { method: 'GET', path: /^~\/search\.json$/, answer: serveInstantResults },
  { method: 'GET', path: /^~\/pdf$/, answer: servePdf },
  { method: 'POST', path: /^~\/mcp$/, answer: serveMcp },
  { method: 'GET', path: /^~\/mcp$/, answer: refuseMcpStream },
  { method: 'DELETE', path: /^~\/mcp$/, answer: refuseMcpStream },
  { method: 'GET', path: /^~\/test$/, answer: serveTest },
  { method: 'GET', path: /^llms\.txt$/, isKept: true, answer: serveList },
  { method: 'GET', path: /^llms-full(?:-(?<part>[1-9]\d{0,4}))?\.txt$/, isKept: true, answer: serveWhole },
  { method: 'GET', path: /^robots\.txt$/, isKept: true, answer: serveRobots },
  { method: 'GET', path: /^sitemap\.xml$/, isKept: true, answer: serveSitemap },
  { method: 'GET', path: /^sitemap-pages-(?<part>\d{1,4})\.xml$/, isKept: true, answer: serveSitemapPart },
  { method: 'GET', path: /^feed\.xml$/, isKept: true, answer: serveFeed },
  { method: 'GET', path: /^(?<path>.+)\.atom$/, isKept: true, answer: serveUpdates },
  { method: 'GET', path: /^(?<path>.+)\.md$/, isKept: true, answer: servePageAsMarkdown },
];

interface Found {
  isKept: boolean;
  answer: (visit: SiteVisit) => Promise<Response> | Response;
}

/** What answers a request; undefined where it asks for a page as HTML. */
export function routeOf({ request, content }: SiteVisit): Found | undefined {
  const path = content.pathname.slice(1);
  for (const { method, path: pattern, isKept = false, answer } of routes) {
    const found = method === request.method ? pattern.exec(path) : null;
    if (found !== null) return { isKept, answer: (visit) => answer(visit, { ...found.groups }) };
  }
  return asksForMarkdown(request) ? { isKept: true, answer: serveAskedMarkdown } : undefined;
}
