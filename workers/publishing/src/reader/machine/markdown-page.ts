import { findFrontmatterBlock } from '@octavo/markdown';
import type { DocumentPage } from '@octavo/schema';
import { loadView, type SiteShell } from '../load-view.ts';
import type { PageTree } from '../navigation.ts';
import { markdownOfPart } from '../parts/markdown-of-part.ts';
import { placeOfPart } from '../parts/place-of-part.ts';
import { assetAddresses } from '../reader-files.ts';
import { missingPage, servePage } from '../serve-page.ts';
import type { SiteVisit } from '../site-visit.ts';
import { answerText, shellOf } from './for-agents.ts';

/** A page as the visitor reads it, as markdown that begins with its title. */
async function markdownOf(
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
const pageAt = (tree: PageTree, name: string): DocumentPage | undefined =>
  tree.at(name) ?? (isHomeName(name) ? tree.home : undefined);

/** What is read at a path of the space, and its place in the site. */
export async function readMarkdown(
  visit: SiteVisit,
  shell: SiteShell,
  name: string,
): Promise<{ text: string; place: string } | undefined> {
  const page = pageAt(shell.tree, name);
  if (page === undefined) return readPart(visit, shell, name);
  return { text: await markdownOf(visit, shell, page), place: shell.tree.placeOf(page) };
}

/** The same of a part that has a page of its own; of one that a page shows itself, that page. */
async function readPart(visit: SiteVisit, shell: SiteShell, name: string) {
  const part = shell.tree.partAt(name);
  if (part === undefined) return undefined;
  const { url, env, content, api } = visit;
  const at = { ...content, pathname: `/${name.split('/').map(encodeURIComponent).join('/')}` };
  const view = await loadView({ url, content: at, api, assets: await assetAddresses(env) });
  if (view !== undefined) return { text: asPage(markdownOfPart(view), view.page.title), place: view.at };
  const place = await placeOfPart({ content: at, api }, shell);
  return place === undefined ? undefined : { text: await markdownOf(visit, shell, part.page), place };
}

async function answerMarkdown(visit: SiteVisit, name: string): Promise<Response | undefined> {
  const shell = await shellOf(visit);
  const read = shell?.view.site.isForAgents ? await readMarkdown(visit, shell, name) : undefined;
  if (shell === undefined || read === undefined) return undefined;
  const answer = answerText(read.text, 'text/markdown');
  answer.headers.set('link', `<${shell.view.site.url}${read.place}>; rel="canonical"`);
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
