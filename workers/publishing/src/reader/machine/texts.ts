import type { DocumentPage, RevisionId } from '@octavo/schema';
import { loadShell, type SiteShell } from '../load-view.ts';
import { assetAddresses } from '../reader-files.ts';
import { missingPage } from '../serve-page.ts';
import type { SiteVisit } from '../site-visit.ts';
import { listedSpaces, pagesOf } from './site-pages.ts';

const answerText = (text: string, type = 'text/plain'): Response =>
  new Response(text, { headers: { 'content-type': `${type}; charset=utf-8` } });

const shellOf = async ({ content, api, env }: SiteVisit): Promise<SiteShell | undefined> =>
  loadShell({ content, api, assets: await assetAddresses(env) });

/** What a site has for agents, where its owners let them read it. */
async function forAgents(visit: SiteVisit, answer: (shell: SiteShell) => Promise<Response>): Promise<Response> {
  const shell = await shellOf(visit);
  return shell?.view.site.isForAgents ? answer(shell) : missingPage();
}

const maxTextPages = 200;
const maxTextLength = 4_000_000;

async function markdownOf({ api, content }: SiteVisit, revision: RevisionId, page: DocumentPage): Promise<string> {
  const path = `/v1/spaces/${content.space}/revisions/${revision}/page/${page.id}?format=markdown`;
  const read = await api.get<DocumentPage>(path);
  const text = read?.markdown ?? '';
  return /^#\s/.test(text) ? text : `# ${page.title}\n\n${text}`;
}

/** A page as markdown. */
export const servePageAsMarkdown = (visit: SiteVisit, { path = '' }: Record<string, string>): Promise<Response> =>
  forAgents(visit, async ({ tree, revision }) => {
    const name = decodeURIComponent(path);
    const page = tree.at(name) ?? (/^(?:index|readme)$/i.test(name) ? tree.home : undefined);
    return page === undefined ? missingPage() : answerText(await markdownOf(visit, revision.id, page), 'text/markdown');
  });

/** The pages of the site as a list of links for agents. */
export const serveList = (visit: SiteVisit): Promise<Response> =>
  forAgents(visit, async ({ published, view }) => {
    const parts: string[] = [`# ${view.site.title}`];
    for (const siteSpace of listedSpaces(published)) {
      const pages = await pagesOf(visit.api, siteSpace);
      const lines = pages.map(({ page, url }) => {
        const about = page.description === undefined ? '' : `: ${page.description}`;
        return `- [${page.title}](${url.endsWith('/') ? `${url}index` : url}.md)${about}`;
      });
      parts.push(`## ${siteSpace.title}`, lines.join('\n'));
    }
    return answerText(`${parts.join('\n\n')}\n`);
  });

/** All pages of the space as one text, as far as that is not too long. */
export const serveWhole = (visit: SiteVisit): Promise<Response> =>
  forAgents(visit, async ({ tree, revision, view }) => {
    const texts: string[] = [];
    let length = 0;
    for (const page of tree.order.slice(0, maxTextPages)) {
      const text = await markdownOf(visit, revision.id, page);
      length += text.length;
      if (length > maxTextLength) break;
      texts.push(`${text.trim()}\n\nSource: ${view.site.url}${tree.placeOf(page)}\n`);
    }
    return answerText(texts.join('\n---\n\n'));
  });

/** What search engines may read. */
export async function serveRobots(visit: SiteVisit): Promise<Response> {
  const shell = await shellOf(visit);
  if (shell === undefined) return missingPage();
  const { site } = shell.view;
  const path = new URL(site.url).pathname;
  return answerText(
    site.isIndexed
      ? `User-agent: *\nAllow: ${path}\nDisallow: ${path}~/\nSitemap: ${site.url}sitemap.xml\n`
      : `User-agent: *\nDisallow: ${path}\n`,
  );
}
