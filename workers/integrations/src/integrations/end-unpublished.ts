import { connect, integrations, readRows, runBatch, selection } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { aliasedTable, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { endInstallations } from '../installations/end-installations.ts';

const maxAtOnce = 20;

const endingRow = selection({ name: aliasedTable(integrations, 'i').name });

/** Ends what is left of those that were unpublished. */
export async function endAllUnpublished(env: IntegrationsEnvironment, background: Background): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const ending = await readRows(
    db,
    endingRow.query(sql`SELECT ${endingRow} FROM integrations i WHERE i.unpublished_at IS NOT NULL
      ORDER BY i.unpublished_at LIMIT ${maxAtOnce}`),
  );
  for (const { name } of ending) await endUnpublished(env, background, name);
}

/** Deletes what was unpublished, once it is installed nowhere. */
export async function endUnpublished(
  env: IntegrationsEnvironment,
  background: Background,
  name: string,
): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  await endInstallations({ db, env, background }, name);
  await runBatch(db, [
    db.run(sql`DELETE FROM integrations WHERE name = ${name} AND unpublished_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM installations n WHERE n.integration = ${name})`),
  ]);
}
