import type { ChangeRequestId, RevisionId } from '@octavo/schema';

/** What is not live: a change request, or a revision. */
export type Version = { changeRequest: ChangeRequestId } | { revision: RevisionId };

/** The version that a path in a space begins with, as `~/changes/<id>` or `~/revisions/<id>`, and the path behind it. */
export function readVersion(path: string[]): { version: Version | undefined; path: string[] } {
  const [mark, kind, id, ...rest] = path;
  if (mark !== '~' || id === undefined) return { version: undefined, path };
  if (kind === 'changes') return { version: { changeRequest: id }, path: rest };
  return kind === 'revisions' ? { version: { revision: id }, path: rest } : { version: undefined, path };
}
