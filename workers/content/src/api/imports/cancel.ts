import type { Database, Statement } from '@octavo/db';
import { retryOnConflict } from '@octavo/db';
import type { NewEvent } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { writeStep } from '../../engine/imports/import-steps.ts';
import { nextJob } from '../../jobs/import-job.ts';
import type { ImportPlace } from './present-import.ts';
import { requireImport } from './present-import.ts';

interface Cancelling {
  db: Database;
  commit(statements: Statement[], events: NewEvent[]): Promise<unknown>;
}

/** Ends an import that runs; what it gathered is cleared away by its job. @throws ApiError not_found or conflict */
export const cancel = ({ db, commit }: Cancelling, place: ImportPlace, id: string): Promise<undefined> =>
  retryOnConflict(async () => {
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
