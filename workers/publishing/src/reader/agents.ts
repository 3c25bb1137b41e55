import { findFrontmatterBlock } from '@octavo/markdown';
import { mapInSlices } from '@octavo/runtime';
import type { DocumentPage, SiteSpace } from '@octavo/schema';
import type { SiteShell } from './load-view.ts';
import { loadShell, loadView } from './load-view.ts';
import { encodePath, getSiteSpaces, type PageTree } from './navigation.ts';
import { createNotFoundPage, findPartPath, respondRedirect, servePage } from './serve-page.ts';
import type { SiteVisit } from './site-visit.ts';
import { renderPartMarkdown } from './specifications.ts';

/** Reads a page as markdown that begins with its title. */
async function readPageMarkdown(
  { api, content }: Pick<SiteVisit, 'api' | 'content'>,
  { revision }: Pick<SiteShell, 'revision'>,
  { id, title }: DocumentPage,
): Promise<string> {
  const path = `/v1/spaces/${content.space}/revisions/${revision.id}/page/${id}`;
  const page = await api.get<DocumentPage>(`${path}?format=markdown&evaluated=deterministic-only&depth=0`);
  return replaceFrontmatter(page?.markdown ?? '', title);
}

/** Removes the frontmatter from a page's markdown, and adds the title if there is none. */
function replaceFrontmatter(source: string, title: string): string {
  const text = source.slice(findFrontmatterBlock(source)?.bodyOffset ?? 0).trim();
  return /^#\s/.test(text) ? `${text}\n` : `# ${title}\n\n${text}\n`;
}

/** Whether a file name is a name of the home page of a space. */
export const isHomeName = (name: string): boolean => /^(?:index|readme)$/i.test(name);

const findPage = (tree: PageTree, name: string): DocumentPage | undefined =>
  tree.findPage(name) ?? (isHomeName(name) ? tree.home : undefined);

/** Reads the markdown at a path of the space, and returns it with its path in the site. */
export async function readMarkdown(
  visit: SiteVisit,
  shell: SiteShell,
  name: string,
): Promise<{ text: string; location: string } | undefined> {
  const page = findPage(shell.tree, name);
  if (page === undefined) return readPart(visit, shell, name);
  return { text: await readPageMarkdown(visit, shell, page), location: shell.tree.getPath(page) };
}

/**
 * Reads a specification part that has a separate page. If the part is only on its generated page, returns that page.
 */
async function readPart(visit: SiteVisit, shell: SiteShell, name: string) {
  const part = shell.tree.findPart(name);
  if (part === undefined) return undefined;
  const { content, api } = visit;
  const location = { ...content, pathname: `/${encodePath(name)}` };
  const view = await loadView({ ...visit, content: location });
  if (view !== undefined)
    return { text: replaceFrontmatter(renderPartMarkdown(view), view.page.title), location: view.address };
  const partPath = await findPartPath({ content: location, api }, shell);
  return partPath === undefined
    ? undefined
    : { text: await readPageMarkdown(visit, shell, part.page), location: partPath };
}

async function respondMarkdown(visit: SiteVisit, name: string): Promise<Response | undefined> {
  const shell = await loadShell(visit);
  const markdown = shell?.view.site.isForAgents ? await readMarkdown(visit, shell, name) : undefined;
  if (shell === undefined || markdown === undefined) return undefined;
  const response = respondText(markdown.text, 'text/markdown');
  response.headers.set('link', `<${shell.view.site.url}${markdown.location}>; rel="canonical"`);
  return response;
}

/** Serves a page at its address with `.md` appended. */
export const servePageAsMarkdown = async (visit: SiteVisit, { path = '' }: Record<string, string>): Promise<Response> =>
  (await respondMarkdown(visit, decodeURIComponent(path))) ?? (await redirectMarkdown(visit)) ?? createNotFoundPage();

/** Redirects the markdown of a page from a former address. */
async function redirectMarkdown(visit: SiteVisit): Promise<Response | undefined> {
  const address = new URL(visit.url);
  address.pathname = address.pathname.replace(/\.md$/, '');
  const found = await visit.findRedirect(address.href);
  if (found?.target !== 'content') return undefined;
  const redirect = new URL(found.redirect);
  redirect.pathname = `${redirect.pathname}${redirect.pathname.endsWith('/') ? 'index' : ''}.md`;
  return respondRedirect(visit, { ...found, redirect: redirect.href });
}

/** Serves a page as markdown at its own address, or as HTML if the site excludes agents. */
export const serveNegotiatedMarkdown = async (visit: SiteVisit): Promise<Response> =>
  (await respondMarkdown(visit, decodeURIComponent(visit.content.pathname.slice(1)))) ??
  (await servePage(visit)).response;

/** Maximum number of other site spaces in a list, and maximum number of links. */
const maxSpaces = 200;
const maxLinks = 5000;

const getFolder = (address: string): string => (address.endsWith('/') ? address : `${address}/`);

/** Escapes a text for a markdown link. */
const escapeText = (text: string): string => text.replace(/\s+/g, ' ').replace(/[[\]\\]/g, '\\$&');

/** Links to a file such as llms.txt of each other site space. */
function listOtherSpaces({ published }: SiteShell, { content }: SiteVisit, file: string): string[] {
  const others = getSiteSpaces(published).filter(({ id, urls }) => id !== content.siteSpace && urls.published);
  if (others.length === 0) return [];
  const formatSiteSpace = ({ title, urls }: SiteSpace) =>
    `- [${escapeText(title)}](${getFolder(urls.published ?? '')}${file})`;
  return ['## More from this site', others.slice(0, maxSpaces).map(formatSiteSpace).join('\n')];
}

/** Serves llms.txt: links to the pages of the space, and to the llms.txt of the other spaces. */
export const serveLlmsTxt = (visit: SiteVisit): Promise<Response> =>
  serveToAgents(visit, async (shell) => {
    const { published, tree, view } = shell;
    const { url, title } = view.site;
    const space = getSiteSpaces(published).find(({ id }) => id === visit.content.siteSpace);
    const lines = await mapInSlices(tree.order.slice(0, maxLinks), (page) => {
      const suffix = page.description === undefined ? '' : `: ${escapeText(page.description)}`;
      return `- [${escapeText(page.title)}](${url}${getMarkdownPath(shell, page.path)})${suffix}`;
    });
    const remaining = tree.order.length - lines.length;
    if (remaining > 0) lines.push(`- ${remaining} more pages are listed in the [sitemap](${url}sitemap.xml).`);
    const parts = [
      ...[`# ${escapeText(title)}`, `> Full text of all pages: ${url}${view.base}llms-full.txt`],
      ...[`## ${escapeText(space?.title ?? title)}`, lines.join('\n')],
      ...listOtherSpaces(shell, visit, 'llms.txt'),
    ];
    return respondText(`${parts.join('\n\n')}\n`);
  });

/** Returns the path of a page's markdown in the site. */
const getMarkdownPath = ({ view, tree }: SiteShell, path: string): string =>
  `${view.base}${tree.findPage(path) === tree.home ? 'index' : encodePath(path)}.md`;

/** Number of pages per part of llms-full.txt. */
const pagesPerPart = 20;

/** Serves llms-full.txt: the text of the pages in parts. Each part links to the next. */
export const serveFullText = (visit: SiteVisit, { part = '1' }: Record<string, string>): Promise<Response> =>
  serveToAgents(visit, async (shell) => {
    const { tree, view } = shell;
    const start = (Number(part) - 1) * pagesPerPart;
    const pages = tree.order.slice(start, start + pagesPerPart);
    if (start < 0 || (pages.length === 0 && start > 0)) return createNotFoundPage();
    const pageTexts = await visit.api.texts({
      ...{ space: visit.content.space, revision: shell.revision.id, references: 'relative' },
      pages: pages.map(({ id }) => id),
    });
    const texts = pages.map((page, index) => {
      const text = replaceFrontmatter(pageTexts[index] ?? '', page.title);
      return `${text.trim()}\n\nSource: ${view.site.url}${tree.getPath(page)}`;
    });
    const end = start + pages.length;
    const next = `${view.site.url}${view.base}llms-full-${Number(part) + 1}.txt`;
    const total = tree.order.length;
    const rest =
      end < total
        ? [`Pages ${start + 1} to ${end} of ${total}. Continued at ${next}`]
        : listOtherSpaces(shell, visit, 'llms-full.txt');
    return respondText(`${[...texts, rest.join('\n\n')].filter((text) => text !== '').join('\n\n---\n\n')}\n`);
  });

/** Serves the Model Context Protocol: streamable HTTP without sessions. */
export const serveMcp = (visit: SiteVisit): Promise<Response> =>
  serveToAgents(visit, async (shell) => {
    const { respondMcp } = await import('./mcp-server.ts');
    return respondMcp(visit, shell);
  });

/** The protocol requires this status of a server without streams and sessions. */
export const rejectMcpStream = (): Response =>
  Response.json(
    {
      jsonrpc: '2.0',
      error: { code: -32000, message: 'This server does not support streams or sessions. Use POST.' },
      id: null,
    },
    { status: 405, headers: { allow: 'POST' } },
  );

/** Responds with 404 if the site excludes agents. */
async function serveToAgents(
  visit: SiteVisit,
  createResponse: (shell: SiteShell) => Promise<Response> | Response,
): Promise<Response> {
  const shell = await loadShell(visit);
  return shell?.view.site.isForAgents ? createResponse(shell) : createNotFoundPage();
}

/** Creates a text response. `noindex` makes search engines index the page instead. */
export const respondText = (text: string, type = 'text/plain'): Response =>
  new Response(text, { headers: { 'content-type': `${type}; charset=utf-8`, 'x-robots-tag': 'noindex' } });
