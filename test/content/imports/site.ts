import { serveLocally } from '../../support/local-server.ts';
import { until } from '../../support/own-platform.ts';
import type { ApiFailure, Result, SpaceClient } from '../space-client.ts';

/** Response of a local site: HTML, or another body with its content type. */
export type Served =
  | string
  | { body?: string | Uint8Array; type?: string; status?: number; headers?: Record<string, string> };

/** Serves these paths on loopback and records the requested paths. */
export async function serveSite(paths: Record<string, Served>): Promise<{ url: string; requestedPaths: string[] }> {
  const requestedPaths: string[] = [];
  const url = await serveLocally((request, response) => {
    const path = request.url ?? '';
    requestedPaths.push(path);
    const served = paths[path];
    if (served === undefined) return void response.writeHead(404).end('There is nothing here.');
    const {
      body,
      type = 'text/html',
      status = 200,
      headers = {},
    } = typeof served === 'string' ? { body: served } : served;
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  });
  return { url, requestedPaths };
}

/** Lets requests for the first `most` distinct URLs pass. Requests for other URLs wait until the limit is raised. */
export function limitDistinctUrls(most: number) {
  const passed = new Set<string>();
  const waiting: (() => void)[] = [];
  const state = { most };
  return {
    async pass(address: string): Promise<void> {
      while (!passed.has(address)) {
        if (passed.size < state.most) passed.add(address);
        else await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    open(count: number): void {
      state.most = count;
      for (const wake of waiting.splice(0)) wake();
    },
  };
}

/** Returns an HTML page with `body` in its main element. */
export const createHtml = (title: string, body = '', head = ''): string =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1>${body}</main></body></html>`;

export interface Imported {
  id: string;
  revision: string;
  importedResources: number;
  totalResources: number;
}

export interface ImportState extends Imported {
  status: 'running' | 'completed' | 'failed' | 'cancelled';
  error?: string;
  skippedResources: number;
  failedResources: number;
  failures: { url: string; error: string }[];
  problems: { kind: string; url: string; message: string }[];
}

const getBranchPath = (branch: string | undefined) => (branch === undefined ? '' : `/change-requests/${branch}`);

export const startImport = (
  space: Pick<SpaceClient, 'call'>,
  body: { url: string; source?: string },
  branch?: string,
): Promise<Result<Imported & ApiFailure>> =>
  space.call(`${getBranchPath(branch)}/content/import`, { method: 'POST', body: { source: 'website', ...body } });

export const importState = (space: Pick<SpaceClient, 'callJson'>, id: string, branch?: string): Promise<ImportState> =>
  space.callJson<ImportState>(`${getBranchPath(branch)}/content/import/${id}`);

/** Waits until the import ends and returns its state. */
export const waitForImport = (
  space: Pick<SpaceClient, 'callJson'>,
  id: string,
  branch?: string,
  limit?: number,
): Promise<ImportState> =>
  until(async () => {
    const state = await importState(space, id, branch);
    return state.status === 'running' ? undefined : state;
  }, limit);

/** Runs an import to its end. Throws if it cannot be started. */
export async function importAll(
  space: Pick<SpaceClient, 'call' | 'callJson'>,
  body: { url: string; source?: string },
  branch?: string,
): Promise<ImportState> {
  const { status, body: started } = await startImport(space, body, branch);
  if (status !== 201) throw new Error(`The import answered ${status} ${JSON.stringify(started)}`);
  return waitForImport(space, started.id, branch);
}
