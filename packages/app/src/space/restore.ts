import type { ChangeRequest, Space } from '@octavo/schema';
import { api } from '../api.ts';
import { navigate } from '../router.ts';
import { notify } from '../ui/notice.tsx';

export interface RestoredItem {
  kind: 'page' | 'file';
  id: string;
  title: string;
  revision: string;
}

/**
 * Creates a change request that restores a page or file as it was at a revision, and opens it. Archives the change
 * request if the restore fails.
 */
export async function restoreItem(space: Space, { kind, id, title, revision }: RestoredItem): Promise<void> {
  const path = `/spaces/${space.id}/change-requests`;
  const subject = `Restore ${title}`.slice(0, 100);
  const created = await api<ChangeRequest>('POST', path, { body: { subject } });
  const change = { operation: `revert_${kind}`, [kind]: id, revision };
  try {
    await api('POST', `${path}/${created.id}/content`, { body: { changes: [change] } });
  } catch (error) {
    await api('PATCH', `${path}/${created.id}`, { body: { status: 'archived' } }).catch(() => undefined);
    throw error;
  }
  notify(`The change request “${subject}” was created. Merge it to restore the ${kind}.`);
  navigate(`${path}/${created.id}`);
}
