import { retryOnConflict } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { requireImport, writeStep } from '../../engine/imports/import-steps.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { nextJob } from '../../jobs/import-job.ts';

/** Ends an import that runs; what it gathered is cleared away by its job. */
export const cancelImport: Handler<Served<typeof content, 'cancelImport'>, ContentEnvironment> = (
  { params: { importId: id } },
  { db, space, changeRequest, commit },
) =>
  retryOnConflict(async () => {
    const place = { space: space.id, branch: changeRequest?.id ?? space.id };
    const record = await requireImport(db, place, id);
    if (record.status !== 'running') throw conflict(`The import is ${record.status} already.`);
    const { statements, events } = writeStep(db, record, {
      changes: { status: 'cancelled', phase: 'clean', revision: record.base, finishedAt: Date.now() },
      events: [
        {
          type: 'import.cancelled',
          organization: record.organization,
          space: record.space,
          data: { import: id },
        },
      ],
    });
    await commit(statements, [...events, nextJob(record)]);
    return undefined;
  });
