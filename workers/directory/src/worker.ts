import { buildHeader, createErrorResponse, isSiteHost, readClientAddress } from '@octavo/runtime';
import { cellHeader, createId, directoryPath, notFound } from '@octavo/schema';
import { CellFinder } from './cell-finder.ts';
import { type Cell, type DirectoryEnvironment, listCells } from './environment.ts';
import { findKey } from './find-key.ts';
import { forwardToAll, forwardToCell, isMailRequest } from './forward-to-cells.ts';
import { canChooseCell } from './operator-paths.ts';

const finder = new CellFinder();

type Background = Pick<ExecutionContext, 'waitUntil'>;

/** Returns the name of the cell that a request needs; undefined if any cell can respond. @throws ApiError */
async function findCellName(request: Request, env: DirectoryEnvironment, background: Background) {
  const { headers, method } = request;
  const url = URL.parse(request.url);
  if (url === null || method === 'OPTIONS') return undefined;
  if (!isSiteHost(env, url.hostname)) {
    if (url.pathname.startsWith(`${directoryPath}/`)) throw notFound('path');
    const chosen = headers.get(cellHeader);
    if (chosen !== null && canChooseCell(url.pathname)) return chosen;
  }
  const key = await findKey(request, url, env);
  return key && finder.find(key, { env, background, address: readClientAddress(headers, env) });
}

async function findCell(request: Request, env: DirectoryEnvironment, background: Background): Promise<Cell> {
  const name = await findCellName(request, env, background);
  const cells = listCells(env);
  // The first cell responds to unknown tokens and addresses, as an installation without a directory would.
  const cell = name === undefined ? cells[0] : cells.find((each) => each.name === name);
  if (cell === undefined) throw notFound('cell');
  return cell;
}

export default {
  async fetch(request, env, background) {
    try {
      if (isMailRequest(request, env)) return await forwardToAll(request, env);
      return await forwardToCell(request, await findCell(request, env, background));
    } catch (error) {
      const response = createErrorResponse(error, createId('request'));
      if (env.OCTAVO_BUILD !== undefined) response.headers.set(buildHeader, env.OCTAVO_BUILD);
      return response;
    }
  },
} satisfies ExportedHandler<DirectoryEnvironment>;
