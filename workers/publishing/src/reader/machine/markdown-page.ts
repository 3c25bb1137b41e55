import { findFrontmatterBlock } from '@octavo/markdown';
import type { DocumentPage } from '@octavo/schema';
import type { SiteShell } from '../load-view.ts';
import type { PageTree } from '../navigation.ts';
import { missingPage, servePage } from '../serve-page.ts';
import type { SiteVisit } from '../site-visit.ts';
import { answerText, shellOf } from './for-agents.ts';

/** A page as the visitor reads it, as markdown that begins with its title. */
export async function markdownOf(
  { api, content }: Pick<SiteVisit, 'api' | 'content'>,
  { revision }: Pick<SiteShell, 'revision'>,
  { id, title }: DocumentPage,
): Promise<string> {
  const path = `/v1/spaces/${content.space}/revisions/${revision.id}/page/${id}`;
  const read = await api.get<DocumentPage>(`${path}?format=markdown&evaluated=deterministic-only&depth=0`);
  return asPage(read?.markdown ?? '', title);
}

/** A text as the page of a title, without what only programs of its space read. */
export function asPage(written: string, title: string): string {
  const text = written.slice(findFrontmatterBlock(written)?.bodyOffset ?? 0).trim();
  return /^#\s/.test(text) ? `${text}\n` : `# ${title}\n\n${text}\n`;
}

/** The names of the first page of a space as a file. */
export const isHomeName = (name: string): boolean => /^(?:index|readme)$/i.test(name);

/** The page at a path of the space, to which its home page has two more. */
export const pageAt = (tree: PageTree, name: string): DocumentPage | undefined =>
  tree.at(name) ?? (isHomeName(name) ? tree.home : undefined);

async function answerMarkdown(visit: SiteVisit, name: string): Promise<Response | undefined> {
  const shell = await shellOf(visit);
  const page = shell?.view.site.isForAgents ? pageAt(shell.tree, name) : undefined;
  if (shell === undefined || page === undefined) return undefined;
  const answer = answerText(await markdownOf(visit, shell, page), 'text/markdown');
  answer.headers.set('link', `<${shell.view.site.url}${shell.tree.placeOf(page)}>; rel="canonical"`);
  return answer;
}

/** A page at its address with `.md` at the end. */
export const servePageAsMarkdown = async (visit: SiteVisit, { path = '' }: Record<string, string>): Promise<Response> =>
  (await answerMarkdown(visit, decodeURIComponent(path))) ?? missingPage();

/** A page at its own address, for who wants markdown there; as HTML where the site has none for agents. */
export const serveAskedMarkdown = async (visit: SiteVisit): Promise<Response> =>
  (await answerMarkdown(visit, decodeURIComponent(visit.content.pathname.slice(1)))) ?? servePage(visit);

const markdown = /^text\/(?:x-)?markdown$/i;

/** How much a client wants a type, from 0 to 1. */
function wantedOf(accept: string, type: RegExp): number {
  const qualities = accept.split(',').flatMap((each) => {
    const [name = '', ...params] = each.split(';').map((part) => part.trim());
    const q = params.map((param) => /^q=([\d.]+)$/i.exec(param)?.[1]).find((value) => value !== undefined);
    return type.test(name) ? [Number(q ?? '1')] : [];
  });
  return Math.max(0, ...qualities.filter((quality) => quality <= 1));
}

/** Whether a client asks for markdown by name, and for HTML no more than for that. */
export function asksForMarkdown(request: Request): boolean {
  const accept = (request.headers.get('accept') ?? '').slice(0, 1000);
  const wanted = wantedOf(accept, markdown);
  return wanted > 0 && wanted >= wantedOf(accept, /^text\/html$/i);
}
