import { missingPage } from '../serve-page.ts';
import type { SiteVisit } from '../site-visit.ts';
import { answerText, shellOf } from './for-agents.ts';

/** What search engines may read. They ask for it at the root of a host, so that it counts for a site that has its own. */
export async function serveRobots(visit: SiteVisit): Promise<Response> {
  const shell = await shellOf(visit);
  if (shell === undefined) return missingPage();
  const { site } = shell.view;
  const path = new URL(site.url).pathname;
  return answerText(
    site.isIndexed
      ? `User-agent: *\nAllow: ${path}\nAllow: ${path}~/assets/\nDisallow: ${path}~/\nDisallow: ${path}*/~/\nSitemap: ${site.url}sitemap.xml\n`
      : `User-agent: *\nDisallow: ${path}\n`,
  );
}
