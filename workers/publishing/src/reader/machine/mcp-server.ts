import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { SiteShell } from '../load-view.ts';
import type { SiteVisit } from '../site-visit.ts';
import { listSitePages, readSitePage, searchSite } from './mcp-tools.ts';

/** Elements of the input of a tool; none of ours takes more than a few. */
const maxInputElements = 20;

const says = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const refuses = (text: string): CallToolResult => ({ ...says(text), isError: true });

const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** What the tools take. */
const inputs = {
  search: {
    query: z
      .string()
      .min(1)
      .max(256)
      .refine((text) => text.isWellFormed(), 'is no well-formed text')
      .describe('Words to look for'),
  },
  readPage: { page: z.string().max(2048).describe('The address of a page, or its path in the site') },
  listPages: { cursor: z.string().max(64).optional().describe('`next` of the answer before') },
};

/** The tools of a site, as one visitor may use them. */
function serverOf(visit: SiteVisit, shell: SiteShell): McpServer {
  const { title, url } = shell.view.site;
  const about = `"${title}" (${url})`;
  const server = new McpServer(
    { name: title, version: '1.0.0', websiteUrl: url },
    {
      instructions: `This server reads the documentation ${about}. Search it, or list its pages, then read those that matter; name the addresses of the pages that an answer draws on.`,
      maxToolInputElements: maxInputElements,
    },
  );
  server.registerTool(
    'search',
    { description: `Finds pages of ${about} by words.`, inputSchema: inputs.search, annotations: readOnly },
    async ({ query }) => says(await searchSite(visit, shell, query)),
  );
  server.registerTool(
    'read_page',
    { description: `Gives a page of ${about} as Markdown.`, inputSchema: inputs.readPage, annotations: readOnly },
    async ({ page }) => {
      const text = await readSitePage(visit, shell, page);
      return text === undefined
        ? refuses('There is no such page. Search, or list the pages, to find one.')
        : says(text);
    },
  );
  server.registerTool(
    'list_pages',
    {
      description: `Lists the pages of ${about}, by its sections and variants, part by part.`,
      ...{ inputSchema: inputs.listPages, annotations: readOnly },
    },
    async ({ cursor }) => {
      const text = await listSitePages(visit, shell, cursor);
      return text === undefined ? refuses('There is no such cursor.') : says(text);
    },
  );
  return server;
}

/** The one message of a request, which the gateway bounds; undefined for several, each of which would have to be counted. */
async function messageIn(request: Request): Promise<unknown> {
  try {
    const message: unknown = await request.json();
    return Array.isArray(message) || message === null ? undefined : message;
  } catch {
    return undefined;
  }
}

const refusedMessage = (): Response =>
  Response.json(
    { jsonrpc: '2.0', error: { code: -32600, message: 'Send one message of JSON-RPC in each request.' }, id: null },
    { status: 400, headers: { 'cache-control': 'no-store' } },
  );

/** Answers what a client of the protocol sends. A server and a transport serve one request, so that none meets another's. */
export async function answerMcp(visit: SiteVisit, shell: SiteShell): Promise<Response> {
  const parsedBody = await messageIn(visit.request);
  if (parsedBody === undefined) return refusedMessage();
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
  });
  const server = serverOf(visit, shell);
  await server.connect(transport);
  const answer = await transport.handleRequest(visit.request, { parsedBody });
  const headers = new Headers(answer.headers);
  headers.set('cache-control', 'no-store');
  return new Response(answer.body, { status: answer.status, headers });
}
