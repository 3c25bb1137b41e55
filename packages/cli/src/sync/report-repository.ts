import { GitRepository } from '@octavo/schema';
import type { Api } from '../api.ts';

/**
 * Returns the URL at which a browser opens a repository, without credentials; undefined if the repository is on this
 * machine.
 */
export function toWebAddress(address: string): string | undefined {
  const [, host, path] = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/.exec(address) ?? [];
  const url = URL.parse(host === undefined ? address : `https://${host}/${path}`);
  if (url === null || !/^(?:https?|ssh|git):$/.test(url.protocol) || url.host === '') return undefined;
  const isWeb = /^https?:$/.test(url.protocol);
  return `${isWeb ? url.origin : `https://${url.hostname}`}${url.pathname.replace(/\/+$/, '')}`;
}

interface SyncedFolder {
  space: string;
  repository: string;
  branch: string;
  root: string;
}

/**
 * Stores the repository, branch and folder in the space, so that sites can link to the sources of pages. Does nothing
 * if they are stored already, or if the user cannot change the settings of the space.
 */
export async function reportRepository(api: Api, { space: spaceId, ...synced }: SyncedFolder): Promise<void> {
  const gitSync = GitRepository.safeParse({ ...synced, root: synced.root.replace(/\/$/, '') }).data;
  if (gitSync === undefined) return;
  const { gitSync: stored, permissions } = await api.getSpaceById({ params: { spaceId } });
  const isStored = (['repository', 'branch', 'root'] as const).every((name) => stored?.[name] === gitSync[name]);
  if (!isStored && permissions.admin) await api.updateSpaceById({ params: { spaceId }, body: { gitSync } });
}
