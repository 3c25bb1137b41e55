import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { waitForSlice } from '@octavo/runtime';
import type { SiteSpace } from '@octavo/schema';
import * as z from 'zod';
import { isHomeName, readMarkdown } from './agents.ts';
import { loadShell, type SiteShell } from './load-view.ts';
import { getSiteSpaces, readPages } from './navigation.ts';
import { findPages } from './serve-page.ts';
import type { SiteVisit } from './site-visit.ts';

/** Maximum number of fields and items in the input of a tool. */
const maxInputElements = 20;

const createTextResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const createErrorResult = (text: string): CallToolResult => ({ ...createTextResult(text), isError: true });

const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** The input schemas of the tools. */
const inputs = {
  search: {
    query: z
      .string()
      .min(1)
      .max(256)
      .refine((text) => text.isWellFormed(), 'must be valid Unicode')
      .describe('Words to look for'),
  },
  readPage: { page: z.string().max(2048).describe('The address of a page, or its path in the site') },
  listPages: { cursor: z.string().max(64).optional().describe('`next` of the previous response') },
};

/** Creates the server of a site for one visitor. */
function createServer(visit: SiteVisit, shell: SiteShell): McpServer {
  const { title, url } = shell.view.site;
  const siteName = `"${title}" (${url})`;
  const server = new McpServer(
    { name: title, version: '1.0.0', websiteUrl: url },
    {
      instructions:
        `This server gives access to the documentation ${siteName}. Search it or list its pages, then ` +
        'read the relevant ones. Cite the URLs of the pages that your answer is based on.',
      maxToolInputElements: maxInputElements,
    },
  );
  server.registerTool(
    'search',
    { description: `Search the pages of ${siteName}.`, inputSchema: inputs.search, annotations: readOnly },
    async ({ query }) => createTextResult(await searchSite(visit, shell, query)),
  );
  server.registerTool(
    'read_page',
    { description: `Read a page of ${siteName} as Markdown.`, inputSchema: inputs.readPage, annotations: readOnly },
    async ({ page }) => {
      const text = await readPageText(visit, shell, page);
      return text === undefined
        ? createErrorResult('Page not found. Use search or list_pages to find a page.')
        : createTextResult(text);
    },
  );
  server.registerTool(
    'list_pages',
    {
      description: `List the pages of ${siteName} by section and variant. Pass the returned cursor to get the next part.`,
      ...{ inputSchema: inputs.listPages, annotations: readOnly },
    },
    async ({ cursor }) => {
      const text = await listSitePages(visit, shell, cursor);
      return text === undefined
        ? createErrorResult('The cursor is not valid. Use the cursor of a previous response.')
        : createTextResult(text);
    },
  );
  return server;
}

/**
 * Reads the message of a request; undefined if it is malformed or a batch. Batches are rejected, since rate limits
 * count requests.
 */
async function readMessage(request: Request): Promise<unknown> {
  try {
    const message: unknown = await request.json();
    return Array.isArray(message) || message === null ? undefined : message;
  } catch {
    return undefined;
  }
}

const rejectMessage = (): Response =>
  Response.json(
    { jsonrpc: '2.0', error: { code: -32600, message: 'Send exactly one JSON-RPC message per request.' }, id: null },
    { status: 400, headers: { 'cache-control': 'no-store' } },
  );

/** Handles one request with a separate server and transport, so that requests share no state. */
export async function respondMcp(visit: SiteVisit, shell: SiteShell): Promise<Response> {
  const parsedBody = await readMessage(visit.request);
  if (parsedBody === undefined) return rejectMessage();
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
  });
  const server = createServer(visit, shell);
  await server.connect(transport);
  await waitForSlice();
  const response = await transport.handleRequest(visit.request, { parsedBody });
  const headers = new Headers(response.headers);
  headers.set('cache-control', 'no-store');
  return new Response(response.body, { status: response.status, headers });
}

const maxResults = 15;
const maxSections = 3;
const maxExcerpt = 300;
const maxPageLength = 400_000;
/** Maximum number of site spaces in the list. */
const maxSpaces = 100;
/** Number of pages per part of the list. */
const pagesPerPart = 200;

const toSingleLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Lists search results with their URLs. */
async function searchSite(visit: SiteVisit, shell: SiteShell, query: string): Promise<string> {
  const { url } = shell.view.site;
  const pages = (await findPages(visit, shell, query)).pages.slice(0, maxResults);
  if (pages.length === 0) return `No results for "${query}".`;
  return pages
    .map(({ title, space, to, sections }) => {
      const parts = sections
        .slice(0, maxSections)
        .map(
          (section) =>
            `  - ${toSingleLine(section.title)}: ${toSingleLine(section.text).slice(0, maxExcerpt)} (${url}${section.to})`,
        );
      return [`- ${toSingleLine(title)} (${toSingleLine(space)}): ${url}${to}`, ...parts].join('\n');
    })
    .join('\n');
}

/** Converts a URL or path into a path in the site; undefined if it is outside of the site. */
function toSitePath({ url, content }: SiteVisit, siteUrl: string, page: string): string | undefined {
  const mount = new URL(content.siteBasePath, url).href;
  const [address = ''] = page.trim().split(/[?#]/, 1);
  const base = [siteUrl, mount].find((each) => address === each.replace(/\/$/, '') || address.startsWith(each));
  if (base !== undefined) return address.slice(base.length);
  return /^[a-z][a-z\d+.-]*:/i.test(address) ? undefined : address.replace(/^\/+/, '');
}

/** Reads a page of any space of the site as markdown; undefined if it does not exist or is hidden. */
async function readPageText(
  visit: SiteVisit,
  { view: { site } }: SiteShell,
  page: string,
): Promise<string | undefined> {
  const path = toSitePath(visit, site.url, page)?.replace(/\.md$/i, '');
  if (path === undefined) return undefined;
  const mount = new URL(visit.content.siteBasePath, visit.url).href;
  const pageVisit = await visit.lookUp(`${mount}${isHomeName(path) ? '' : path}`);
  const shell = pageVisit && (await loadShell(pageVisit));
  const isOfSite = pageVisit?.content.site === visit.content.site;
  if (pageVisit === undefined || shell === undefined || !isOfSite) return undefined;
  const markdown = await readMarkdown(pageVisit, shell, decodeURIComponent(pageVisit.content.pathname.slice(1)));
  if (markdown === undefined) return undefined;
  const text = `Source: ${site.url}${markdown.location}\n\n${markdown.text}`;
  if (text.length <= maxPageLength) return text;
  const remaining = text.length - maxPageLength;
  return `${text.slice(0, maxPageLength)}\n\n(The page was truncated. ${remaining} characters are missing.)`;
}

const getName = ({ title, urls }: SiteSpace): string => `${toSingleLine(title)}: ${urls.published ?? ''}`;

/** Lists pages of one site space from a cursor, with the next cursor; undefined for a malformed cursor. */
async function listSitePages(
  { api }: SiteVisit,
  { published }: SiteShell,
  cursor = '0-0',
): Promise<string | undefined> {
  const spaces = getSiteSpaces(published);
  const [index = -1, start = -1] = /^\d{1,4}-\d{1,6}$/.test(cursor) ? cursor.split('-').map(Number) : [];
  const space = spaces[index];
  if (space === undefined || start < 0) return undefined;
  const { pages, total } = await readPages(api, space, { start, end: start + pagesPerPart });
  const lines = pages.map(({ page, url }) => {
    const suffix = page.description === undefined ? '' : `: ${toSingleLine(page.description)}`;
    return `- [${toSingleLine(page.title)}](${url})${suffix}`;
  });
  const isWhole = start + pagesPerPart >= total;
  const next = isWhole ? `${index + 1}-0` : `${index}-${start + pagesPerPart}`;
  const isEnd = isWhole && index + 1 >= spaces.length;
  const parts = spaces.slice(0, maxSpaces).map((each) => `- ${getName(each)}`);
  return [
    ...(cursor === '0-0' && spaces.length > 1 ? ['Sections and variants of the site:', ...parts, ''] : []),
    `Pages of ${getName(space)}`,
    ...lines,
    '',
    isEnd ? 'End of the list.' : `next: ${next}`,
  ].join('\n');
}
