import type { Check, Database, Statement } from '@octavo/db';
import { commitChecked, onlyRow } from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import type { NewEvent, OrganizationId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { WebhookRecord } from './webhook-record.ts';
import { isWebhookOf, selectWebhook } from './webhook-record.ts';

interface WebhookWrite {
  organization: OrganizationId;
  id: string;
  checks?: Check[];
  statements: Statement[];
  event: NewEvent;
}

/** Writes a webhook that is there, with its event, and gives it as it is then. */
export async function writeWebhook(
  { db, commit }: Pick<ActorContext, 'commit'> & { db: Database },
  { organization, id, checks = [], statements, event }: WebhookWrite,
): Promise<WebhookRecord> {
  const isThere = {
    holds: sql`EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = ${id} AND ${isWebhookOf(organization)})`,
    otherwise: () => notFound('webhook'),
  };
  const changed = selectWebhook(organization, id);
  const rows = await commitChecked(db, [isThere, ...checks], (guards) =>
    commit({ guards, statements, changed }, [event]),
  );
  return onlyRow(rows.changed);
}
