import { hrefOf, renderMissing, renderPage } from '@octavo/reader';
import { html, htmlPage } from '@octavo/runtime';
import { findPages, wholeText } from './find-pages.ts';
import { htmlAnswer } from './html-answer.ts';
import { loadShell, loadView, viewWithout } from './load-view.ts';
import { placeOfPart } from './parts/place-of-part.ts';
import { assetAddresses } from './reader-files.ts';
import type { SiteVisit } from './site-visit.ts';

/** Where there is no site for the visitor, or none that is known. */
export const missingPage = (): Response =>
  htmlPage({ title: 'There is no such page', body: html`<p>Nothing is at this address.</p>`, status: 404 });

const maxNear = 5;
const maxWordsLength = 100;

/** What of a path says the most: its last segment, as words. */
const wordsOf = (path: string): string => wholeText(lastOf(path), maxWordsLength);

const lastOf = (path: string): string =>
  decodeURIComponent(path)
    .split('/')
    .slice(-1)
    .join(' ')
    .replace(/\.\w{1,5}$/, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const leadTo = (location: string): Response =>
  new Response(null, { status: 302, headers: { location, 'cache-control': 'private, no-store' } });

/** A page of the site that tells what is near to an address at which nothing is. */
async function serveMissing(visit: SiteVisit): Promise<Response> {
  const { url, env, content, api } = visit;
  const shell = await loadShell({ url, content, api, assets: await assetAddresses(env) });
  if (shell === undefined) return missingPage();
  const place = await placeOfPart(visit, shell);
  if (place !== undefined) return leadTo(hrefOf(shell.view, place) ?? '');
  const words = wordsOf(content.pathname);
  const near = words === '' ? [] : (await findPages(visit, shell, words)).slice(0, maxNear);
  const view = viewWithout(shell, `${shell.view.base}${content.pathname.slice(1)}`, '');
  return htmlAnswer(
    env,
    renderMissing(
      view,
      near.map((page) => ({ ...page, sections: [] })),
    ),
    { status: 404, isIndexed: false },
  );
}

/** Answers with a page as HTML. */
export async function servePage(visit: SiteVisit): Promise<Response> {
  const { url, env, content, api } = visit;
  const view = await loadView({ url, content, api, assets: await assetAddresses(env) });
  if (view === undefined) return serveMissing(visit);
  const page = await renderPage(view, () => scheduler.wait(0));
  return htmlAnswer(env, page, { isIndexed: view.site.isIndexed && view.page.isIndexed });
}
