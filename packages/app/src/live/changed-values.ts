import type { LiveEvent } from '@octavo/schema';

const ownRevisions = new Set<string>();
const maxOwnRevisions = 100;

/** Remembers a revision that this page has written, so that it is not read again. */
export function rememberRevision(revision: string): void {
  ownRevisions.add(revision);
  const [oldest] = ownRevisions;
  if (ownRevisions.size > maxOwnRevisions && oldest !== undefined) ownRevisions.delete(oldest);
}

/** Whether this page has written the revision of an event. */
export const isOwnRevision = (event: LiveEvent | undefined): boolean =>
  event?.type === 'revision.created' && ownRevisions.has(event.revision ?? '');

/**
 * Returns whether an event may have changed the value at a path of the API. An undefined event means that any value of
 * the space may have changed.
 */
export function isChanged(space: string, path: string, event: LiveEvent | undefined): boolean {
  const base = `/spaces/${space}`;
  const isOfList = path === `${base}/change-requests` || path === `drafts ${space}`;
  if (event === undefined) return isOfList || path.startsWith(base);
  const { type, changeRequest } = event;
  if (changeRequest !== undefined) {
    const own = `${base}/change-requests/${changeRequest}`;
    if (/^comment/.test(type)) return path === own || path.startsWith(`${own}/comments`);
    return isOfList || path === own || path.startsWith(`${own}/`);
  }
  if (/^comment/.test(type)) return path === base || path.startsWith(`${base}/comments`);
  // The event does not change the content of change requests, but they can be behind the live content now.
  const [, inside] = path.split(`${base}/change-requests/`);
  return path === base || (path.startsWith(`${base}/`) && (inside === undefined || !inside.includes('/')));
}
