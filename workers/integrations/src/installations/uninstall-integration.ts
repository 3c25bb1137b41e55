import { readRow, retryOnConflict } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { endingRow, eventsOfEnd, removeInstallation } from './remove-installation.ts';

export const uninstallIntegration: Handler<typeof integrations.uninstallIntegration, IntegrationsEnvironment> = async (
  _,
  { db, commit, installation: { id } },
) => {
  await retryOnConflict(async () => {
    const ending = await readRow(db, endingRow.query(sql`SELECT ${endingRow} FROM installations i WHERE i.id = ${id}`));
    if (ending === undefined) throw notFound('installation');
    await commit(removeInstallation(db, ending), eventsOfEnd(ending));
  });
  return undefined;
};
