import type { SiteVisit } from '../site-visit.ts';
import { forAgents } from './for-agents.ts';

/** A server of the Model Context Protocol for the site: streamable HTTP without sessions, one request at a time. */
export const serveMcp = (visit: SiteVisit): Promise<Response> =>
  forAgents(visit, async (shell) => {
    const { answerMcp } = await import('./mcp-server.ts');
    return answerMcp(visit, shell);
  });

/** There is no stream to listen to and no session to end, which the protocol says by this status. */
export const refuseMcpStream = (): Response =>
  Response.json(
    {
      jsonrpc: '2.0',
      error: { code: -32000, message: 'This server has no streams and no sessions: use POST.' },
      id: null,
    },
    { status: 405, headers: { allow: 'POST' } },
  );
