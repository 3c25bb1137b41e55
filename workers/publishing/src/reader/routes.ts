import type { SiteRoute, SiteVisit } from './site-visit.ts';

/** What is no page. No path of a site or a page begins with a tilde, but for previews (`~/changes/`, `~/revisions/`). */
const routes: SiteRoute[] = [];

/** What answers a request; undefined where it asks for a page. */
export function routeOf({
  request,
  content,
}: SiteVisit): ((visit: SiteVisit) => Promise<Response> | Response) | undefined {
  const path = content.pathname.slice(1);
  for (const { method, path: pattern, answer } of routes) {
    const found = method === request.method ? pattern.exec(path) : null;
    if (found !== null) return (visit) => answer(visit, { ...found.groups });
  }
  return undefined;
}
