import { connect } from '@octavo/db';
import { toHref } from '@octavo/reader';
import { deriveText, readGatewayContext, readVisitorToken } from '@octavo/runtime';
import { PageRating } from '@octavo/schema';
import { storeVote } from '../feedback/queries.ts';
import { loadShell } from './load-view.ts';
import { createNotFoundPage } from './serve-page.ts';
import type { SiteVisit } from './site-visit.ts';

/** The anchor of the text that thanks a reader. */
const thanksAnchor = '~rated';

/** Stores the rating of a page from its form, and redirects back to the page. Pages of previews have no form. */
export async function serveFeedback(visit: SiteVisit): Promise<Response> {
  const { request, env, url, content } = visit;
  // A form on another site must not be able to rate pages in the name of its readers.
  const origin = request.headers.get('sec-fetch-site');
  if (origin !== null && origin !== 'same-origin') return new Response(null, { status: 403 });
  const form = new URLSearchParams(await request.text());
  const rating = PageRating.safeParse(form.get('rating'));
  const shell = await loadShell(visit);
  const page = shell?.tree.find(form.get('page') ?? '');
  if (shell === undefined || page === undefined || !rating.success || !shell.view.site.isRatable)
    return createNotFoundPage();
  const token = await readVisitorToken(env, `Bearer ${content.apiToken}`);
  if (token !== undefined) {
    const rated = { site: content.site, space: content.space, page: page.id };
    // Unsigned claims are left out, because readers choose them themselves.
    const { unsigned: _, ...claims } = token.claims;
    const voter = await deriveVoter(visit, [...Object.values(rated), JSON.stringify(claims)]);
    await storeVote(connect(env.DB, { intent: 'write' }).db, { ...rated, voter, rating: rating.data });
  }
  const root = { relativeRoot: new URL(content.siteBasePath, url).pathname };
  const location = `${toHref(root, shell.tree.getPath(page)) || root.relativeRoot}#${thanksAnchor}`;
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}

/**
 * Returns a keyed hash of the reader's network, browser and claims for one page. It cannot be traced back to the reader
 * without the server's secret. If the address is not known, the result is random, so one reader can vote several times.
 */
async function deriveVoter({ request, env }: SiteVisit, rated: string[]): Promise<string> {
  const { address } = readGatewayContext(request);
  if (address === undefined) return crypto.randomUUID();
  const browser = request.headers.get('user-agent') ?? '';
  // An IPv6 network has many addresses.
  const network = address.includes(':') ? address.split(':').slice(0, 4).join(':') : address;
  return (await deriveText(env, ['voter', ...rated, network, browser].join('\n'))).slice(0, voterLength);
}

const voterLength = 22;
