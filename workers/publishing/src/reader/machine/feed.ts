import { loadShell } from '../load-view.ts';
import { assetAddresses } from '../reader-files.ts';
import { missingPage } from '../serve-page.ts';
import type { SiteVisit } from '../site-visit.ts';
import { listedSpaces, pagesOf } from './site-pages.ts';
import { answerXml, xmlText } from './xml.ts';

const maxEntries = 50;

/** What has changed last, as an Atom feed: the pages of the site by the time of their last change. */
export async function serveFeed({ content, api, env }: SiteVisit): Promise<Response> {
  const shell = await loadShell({ content, api, assets: await assetAddresses(env) });
  if (shell === undefined) return missingPage();
  const { title, url } = shell.view.site;
  const pages = (await Promise.all(listedSpaces(shell.published).map((each) => pagesOf(api, each)))).flat();
  const dated = pages.flatMap(({ page, url: at }) => {
    const time = page.updatedAt ?? page.createdAt;
    return time === undefined ? [] : [{ page, at, time }];
  });
  const newest = dated.toSorted((a, b) => (a.time < b.time ? 1 : -1)).slice(0, maxEntries);
  const entries = newest.map(({ page, at, time }) => {
    const summary = page.description === undefined ? '' : `<summary>${xmlText(page.description)}</summary>`;
    return `<entry><title>${xmlText(page.title)}</title><link href="${xmlText(at)}"/><id>${xmlText(at)}</id><updated>${time}</updated>${summary}</entry>`;
  });
  const updated = newest[0]?.time ?? shell.revision.createdAt;
  return answerXml(
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>${xmlText(title)}</title><id>${xmlText(url)}</id><link href="${xmlText(url)}"/><link rel="self" href="${xmlText(`${url}feed.xml`)}"/><updated>${updated}</updated><author><name>${xmlText(title)}</name></author>${entries.join('')}</feed>`,
    'application/atom+xml',
  );
}
