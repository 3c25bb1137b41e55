import { isSiteHost, log } from '@octavo/runtime';
import { createUnavailable } from './ask-cells.ts';
import { type Cell, type DirectoryEnvironment, listCells } from './environment.ts';
import { hasSmallBody } from './find-key.ts';

/** Forwards a request to a cell. Neither the request nor the response is changed. */
export async function forwardToCell(request: Request, cell: Cell): Promise<Response> {
  try {
    return await cell.fetch(request);
  } catch (error) {
    log('error', 'a cell did not respond', { cell: cell.name, cause: String(error) });
    throw createUnavailable(
      'A part of the server is temporarily unavailable. Check whether a change was saved before you repeat the request.',
    );
  }
}

/**
 * Whether a request asks for a sign-in mail. It goes to all cells, because no table shows which cells have an account
 * with the address.
 */
export function isMailRequest({ method, url, headers }: Request, env: DirectoryEnvironment): boolean {
  const parsed = method === 'POST' ? URL.parse(url) : null;
  if (parsed?.pathname !== '/login' || isSiteHost(env, parsed.hostname)) return false;
  return hasSmallBody(headers);
}

/** Forwards a request with a small body to all cells. Returns the first good response, in the order of the cells. */
export async function forwardToAll(request: Request, env: DirectoryEnvironment): Promise<Response> {
  const body = await request.clone().arrayBuffer();
  const responses = await Promise.allSettled(
    listCells(env).map((cell) => forwardToCell(new Request(request, { body }), cell)),
  );
  const received = responses.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const best = received.find(({ status }) => status < 500) ?? received[0];
  await Promise.all(received.map((each) => (each === best ? undefined : each.body?.cancel())));
  if (best === undefined) throw createUnavailable('The server is temporarily unavailable. Repeat the request.');
  return best;
}
