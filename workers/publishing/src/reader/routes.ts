import type { SiteRoute, SiteVisit } from './site-visit.ts';

/** What is no page. No path of a site or a page begins with a tilde, but for previews (`~/changes/`, `~/revisions/`). */
const routes: SiteRoute[] = [];

interface Found {
  isKept: boolean;
  answer: (visit: SiteVisit) => Promise<Response> | Response;
}

/** What answers a request; undefined where it asks for a page. */
export function routeOf({ request, content }: SiteVisit): Found | undefined {
  const path = content.pathname.slice(1);
  for (const { method, path: pattern, isKept = false, answer } of routes) {
    const found = method === request.method ? pattern.exec(path) : null;
    if (found !== null) return { isKept, answer: (visit) => answer(visit, { ...found.groups }) };
  }
  return undefined;
}
