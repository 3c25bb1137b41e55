import { log } from '@octavo/runtime';
import { ApiError, type DirectoryKey, type DirectoryResponse, directoryPath } from '@octavo/schema';
import { type Cell, type DirectoryEnvironment, listCells } from './environment.ts';
import type { StoredCell } from './table.ts';

const patienceMilliseconds = 5000;
const retrySeconds = 5;

/** The response of each cell; `undefined` for a cell that did not respond. */
type CellResponses = Map<string, DirectoryResponse | undefined>;

/** Kinds whose values users choose, so that two cells can have the same. All others are random. */
export const chosenByUsers: ReadonlySet<string> = new Set(['site', 'organization', 'integration']);

export function createUnavailable(message: string): ApiError {
  const error = new ApiError('unavailable', message);
  error.retryAfter = retrySeconds;
  return error;
}

/** Checks that a cell claims only the address that the request named. */
function checkResponse(response: DirectoryResponse, value: string): DirectoryResponse {
  if (`${value}/`.startsWith(`${response.address ?? value}/`)) return response;
  throw new Error('The response claims another address than the requested one.');
}

async function askCell(
  cell: Cell,
  { kind, value }: DirectoryKey,
  env: DirectoryEnvironment,
): Promise<DirectoryResponse> {
  const url = new URL(`${directoryPath}/${kind}/${encodeURIComponent(value)}`, env.OCTAVO_PUBLIC_URL);
  const headers = { authorization: `Bearer ${env.OCTAVO_DIRECTORY_KEY}` };
  const response = await cell.fetch(new Request(url, { headers, signal: AbortSignal.timeout(patienceMilliseconds) }));
  if (response.status === 200) return checkResponse((await response.json()) as DirectoryResponse, value);
  await response.body?.cancel();
  throw new Error(`The status is ${response.status}.`);
}

async function collectResponses(key: DirectoryKey, env: DirectoryEnvironment): Promise<CellResponses> {
  const responses = listCells(env).map(async (cell): Promise<[string, DirectoryResponse | undefined]> => {
    try {
      return [cell.name, await askCell(cell, key, env)];
    } catch (error) {
      log('error', 'a cell did not respond', { cell: cell.name, kind: key.kind, cause: String(error) });
      return [cell.name, undefined];
    }
  });
  return new Map(await Promise.all(responses));
}

/** The cell that contains the object of a key, and the key of its entry in the table. */
export interface Owner extends Pick<StoredCell, 'key' | 'cell'> {
  /** Whether the cell responded. */
  isConfirmed: boolean;
}

/**
 * Asks all cells which of them contains the object of a key; undefined if none does. The former cell keeps the key if
 * it still claims the key or does not respond. A claim to a current name takes precedence over one to a former name.
 * @throws ApiError if several cells claim the key, or if a cell that did not respond could claim it
 */
export async function askCells(
  key: DirectoryKey,
  env: DirectoryEnvironment,
  former: StoredCell | undefined,
): Promise<Owner | undefined> {
  const responses = await collectResponses(key, env);
  if (former !== undefined && responses.has(former.cell) && responses.get(former.cell) === undefined)
    return { ...former, isConfirmed: false };
  const isComplete = ![...responses.values()].includes(undefined);
  for (const strength of ['current', 'former'] as const) {
    const owners = [...responses].flatMap(([cell, response]) =>
      response?.claim === strength
        ? [{ cell, key: `${key.kind}/${response.address ?? key.value}`, isConfirmed: true }]
        : [],
    );
    if (owners.length > 1)
      log('error', 'several cells claim the same name', { ...key, cells: owners.map(({ cell }) => cell) });
    const kept = owners.find(({ cell }) => cell === former?.cell);
    if (kept !== undefined) return kept;
    if (owners.length > 1)
      throw createUnavailable('Several installations use this name. Ask the operator of the server to rename one.');
    const [owner] = owners;
    if (owner !== undefined && (isComplete || !chosenByUsers.has(key.kind))) return owner;
  }
  if (isComplete) return undefined;
  throw createUnavailable('A part of the server is temporarily unavailable. Repeat the request.');
}
