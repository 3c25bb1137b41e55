import { commitChecked, endIntegrationAccount, integrations } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations as contract } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { and, isNull, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { endUnpublished } from './end-unpublished.ts';
import { dropObjectsOf } from './objects.ts';

/**
 * From then on it is there for nobody, and neither it nor an installation of it may do anything. The installations are
 * ended part by part: what this request does not get to is left for the timer.
 */
export const unpublishIntegration: Handler<typeof contract.unpublishIntegration, IntegrationsEnvironment> = async (
  _,
  { db, env, background, integration: { integration }, commit },
) => {
  const { name, organization, account } = integration;
  const own = sql`${integrations.name} = ${name} AND ${integrations.account} = ${account}`;
  const isPublished = {
    holds: sql`EXISTS (SELECT 1 FROM integrations WHERE ${own} AND unpublished_at IS NULL)`,
    otherwise: () => notFound('integration'),
  };
  await commitChecked(db, [isPublished], (guards) =>
    commit(
      [
        ...guards,
        dropObjectsOf(db, name),
        db
          .update(integrations)
          .set({ unpublishedAt: Date.now(), settlingFrom: null })
          .where(and(own, isNull(integrations.unpublishedAt))),
        endIntegrationAccount(db, account),
      ],
      [{ type: 'integration.unpublished', organization, data: { integration: name } }],
    ),
  );
  await endUnpublished(env, background, name);
  return undefined;
};
