import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { mapConcurrently, paginate } from '@octavo/client';
import type { ChangeRequest } from '@octavo/schema';
import type { Api } from '../api.ts';
import { collect } from '../spaces.ts';
import type { ImportProblem } from './problem.ts';

const limit = '1000';
const concurrency = 4;
const said = '`octavo import` merges this when all of the folder is in it.';
const mark = new RegExp(`^${said}\n\nOctavo-Import: ([\\da-f]{16}) (\\d{1,10})$`);

/** Names a machine to itself, and to nobody else. */
const machine = createHash('sha256').update(`octavo import ${hostname()}`).digest('hex').slice(0, 16);

/** What an import describes its change request by, so that another tells whether it still runs. */
export const markOfImport = (): string => `${said}\n\nOctavo-Import: ${machine} ${process.pid}`;

/**
 * Archives the drafts that imports of the same name have left which were ended on their way. One that somebody has opened,
 * renamed, edited or commented is that person's; one that may still be written to is only told.
 */
export async function archiveUnfinished(api: Api, own: ChangeRequest): Promise<ImportProblem[]> {
  const params = { spaceId: own.space };
  const query = { status: 'draft' as const, creator: own.createdBy.id, limit };
  const drafts = await collect(
    paginate((page) => api.listChangeRequestsForSpace({ params, query: { ...query, page } })),
  );
  const alike = drafts.filter(
    ({ id, subject, description = '' }) => id !== own.id && subject === own.subject && mark.test(description),
  );
  const told = await mapConcurrently(alike, concurrency, async (draft): Promise<ImportProblem[]> => {
    if (!(await isOnlyOf(api, draft))) return [];
    const path = `change request ${draft.number}`;
    if (!isEnded(draft))
      return [{ path, kind: 'warning', message: 'Another import writes to it; where that was ended, archive it.' }];
    const at = { ...params, changeRequestId: draft.id };
    await api.updateChangeRequestById({ params: at, body: { status: 'archived' } });
    return [{ path, kind: 'warning', message: 'An import that was ended on its way had left it: it is archived.' }];
  });
  return told.flat();
}

/** Whether nobody but who began it has edited it or said anything of it. */
async function isOnlyOf(api: Api, { id, space, createdBy, comments }: ChangeRequest): Promise<boolean> {
  const params = { spaceId: space, changeRequestId: id };
  const { items } = await api.getContributorsByChangeRequestId({ params, query: { limit } });
  return comments === 0 && items.every(({ user }) => user.id === createdBy.id);
}

/** Whether the process that wrote to a draft is none of this machine any more. That of another machine cannot be known. */
function isEnded({ description = '' }: ChangeRequest): boolean {
  const [, at, pid = ''] = mark.exec(description) ?? [];
  if (at !== machine) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
