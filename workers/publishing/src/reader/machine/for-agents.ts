import { loadShell, type SiteShell } from '../load-view.ts';
import { assetAddresses } from '../reader-files.ts';
import { missingPage } from '../serve-page.ts';
import type { SiteVisit } from '../site-visit.ts';

/** What stands around the pages of the space that is visited; undefined where the visitor is shown no such space. */
export const shellOf = async ({ url, content, api, env }: SiteVisit): Promise<SiteShell | undefined> =>
  loadShell({ url, content, api, assets: await assetAddresses(env) });

/** Answers with what a site has for agents, where its owners let them read it. */
export async function forAgents(
  visit: SiteVisit,
  answer: (shell: SiteShell) => Promise<Response> | Response,
): Promise<Response> {
  const shell = await shellOf(visit);
  return shell?.view.site.isForAgents ? answer(shell) : missingPage();
}

/** A text as an answer, which search engines leave to the page that it is of. */
export const answerText = (text: string, type = 'text/plain'): Response =>
  new Response(text, { headers: { 'content-type': `${type}; charset=utf-8`, 'x-robots-tag': 'noindex' } });
