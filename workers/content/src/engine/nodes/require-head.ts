import { preconditionFailed } from '@octavo/schema';

/** Refuses to move a branch on whose head is none of the revisions that the client expects. */
export function requireHead(head: string, expected: string[] | undefined): void {
  if (expected === undefined || expected.includes(head)) return;
  throw preconditionFailed(`The content has moved on to revision ${head}: read it again.`);
}
