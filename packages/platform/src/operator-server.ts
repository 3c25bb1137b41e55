import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { socketPath } from './data-folder.ts';

const BODY_LIMIT_BYTES = 16_000_000;

export interface OperatorAnswer {
  status: number;
  body: unknown;
}

export type OperatorHandler = (path: string, body: Record<string, unknown>) => Promise<OperatorAnswer>;

export const refusal = (status: number, message: string): OperatorAnswer => ({ status, body: { error: { message } } });

async function readBody(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > BODY_LIMIT_BYTES) return undefined;
  }
  try {
    const body: unknown = JSON.parse(text || '{}');
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : undefined;
  } catch {
    return undefined;
  }
}

async function answer(request: IncomingMessage, handle: OperatorHandler): Promise<OperatorAnswer> {
  if (request.method !== 'POST') return refusal(405, 'The operator channel takes POST only.');
  const body = await readBody(request);
  if (!body) return refusal(400, 'The body is not a JSON object.');
  try {
    return await handle(request.url ?? '/', body);
  } catch (error) {
    return refusal(500, error instanceof Error ? error.message : String(error));
  }
}

/** Listens on the data folder's socket, which only the owner of the folder may open. */
export async function serveOperator(dataDir: string, handle: OperatorHandler): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request, handle);
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
  });
  const path = socketPath(dataDir);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return server;
}
