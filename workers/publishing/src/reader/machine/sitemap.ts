import { partsOfPages } from '../parts/parts-of-pages.ts';
import { missingPage } from '../serve-page.ts';
import { siteSpacesOf } from '../site-spaces.ts';
import type { SiteVisit } from '../site-visit.ts';
import { shellOf } from './for-agents.ts';
import { pagesOf } from './site-pages.ts';
import { answerXml, xmlText } from './xml.ts';

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';
/** A sitemap has no more, by its protocol. */
const maxUrls = 50_000;

/** The parts of the sitemap: one for each site space. Only sites that search engines may read have one. */
export async function serveSitemap(visit: SiteVisit): Promise<Response> {
  const shell = await shellOf(visit);
  if (shell === undefined || !shell.view.site.isIndexed) return missingPage();
  const { url } = shell.view.site;
  const parts = siteSpacesOf(shell.published).map(
    (_, index) => `<sitemap><loc>${xmlText(`${url}sitemap-pages-${index + 1}.xml`)}</loc></sitemap>`,
  );
  return answerXml(`<sitemapindex xmlns="${namespace}">${parts.join('')}</sitemapindex>`, 'application/xml');
}

/** The pages of a site space, and the parts of pages that have some of their own. */
export async function serveSitemapPart(visit: SiteVisit, { part = '' }: Record<string, string>): Promise<Response> {
  const shell = await shellOf(visit);
  const siteSpace = shell === undefined ? undefined : siteSpacesOf(shell.published)[Number(part) - 1];
  if (siteSpace === undefined || !shell?.view.site.isIndexed) return missingPage();
  const pages = await pagesOf(visit.api, siteSpace);
  const indexed = pages.filter(({ page }) => page.noIndex !== true && page.noRobotsIndex !== true);
  const listed = await partsOfPages(
    visit,
    siteSpace.space.id,
    indexed.map(({ page }) => page),
  );
  const urls = indexed.flatMap(({ page, url, urlOfPart }) => {
    const changed = page.updatedAt === undefined ? '' : `<lastmod>${page.updatedAt}</lastmod>`;
    const all = [url, ...(listed.get(page.id) ?? []).map(urlOfPart)];
    return all.map((each) => `<url><loc>${xmlText(each)}</loc>${changed}</url>`);
  });
  return answerXml(`<urlset xmlns="${namespace}">${urls.slice(0, maxUrls).join('')}</urlset>`, 'application/xml');
}
