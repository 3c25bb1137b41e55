import {
  commitChecked,
  connect,
  deleteAccountTokens,
  integrations,
  prepareQuery,
  readRows,
  runBatch,
  selection,
} from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { describeError, log } from '@octavo/runtime';
import { notFound } from '@octavo/schema';
import { aliasedTable, and, isNotNull, isNull, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { endInstallations } from '../installations/end-installations.ts';
import { markAllUnreferenced } from './objects.ts';

/**
 * The integration and its installations lose all access at once. The installations are deleted in parts: the cron
 * continues with those that this request does not reach.
 */
export const unpublishIntegration = handler(
  'unpublishIntegration',
  async (_, { db, env, background, integration: { integration }, commit }) => {
    const { name, organization, account } = integration;
    const isOwnIntegration = sql`${integrations.name} = ${name} AND ${integrations.account} = ${account}`;
    const isPublished = {
      condition: sql`EXISTS (SELECT 1 FROM integrations WHERE ${isOwnIntegration} AND unpublished_at IS NULL)`,
      createError: () => notFound('integration'),
    };
    await commitChecked(db, [isPublished], (guards) =>
      commit(
        [
          ...guards,
          markAllUnreferenced(db, name),
          db
            .update(integrations)
            .set({ unpublishedAt: Date.now(), settlingFrom: null })
            .where(and(isOwnIntegration, isNull(integrations.unpublishedAt))),
          deleteAccountTokens(db, account),
        ],
        [{ type: 'integration.unpublished', organization, data: { integration: name } }],
      ),
    );
    await endUnpublishedInstallations(env, background, name);
    return undefined;
  },
);

const maxAtOnce = 20;

const i = aliasedTable(integrations, 'i');
const unpublished = prepareQuery(selection({ name: i.name }), (select) =>
  select.from(i).where(isNotNull(i.unpublishedAt)).orderBy(i.unpublishedAt).limit(maxAtOnce),
);

/**
 * Continues to delete the installations of unpublished integrations, and deletes integrations that have none left. A
 * failed integration does not stop the others.
 */
export async function endAllUnpublished(env: IntegrationsEnvironment, background: Background): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  for (const { name } of await readRows(db, unpublished()))
    await endUnpublishedInstallations(env, background, name).catch((error: unknown) =>
      log('error', 'could not end installations', { integration: name, cause: describeError(error) }),
    );
}

/** Deletes an unpublished integration once it has no installations left. */
async function endUnpublishedInstallations(
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
