import type { Query, RecordOf } from '@octavo/db';
import { computed, installations, selection, siteInstallations, spaceInstallations } from '@octavo/db';
import { aliasedTable, sql } from 'drizzle-orm';
import type { PlaceKind } from '../content-installations/content-installation.ts';
import { placeKinds } from '../content-installations/content-installation.ts';

/** What may be pending: an installation as a whole, or on a space or a site. They are looked at in this order. */
export const pendingKinds = ['installation', 'space', 'site'] as const;
export type PendingKind = (typeof pendingKinds)[number];

/** The last one that was looked at; empty texts before the first. */
export interface Reached {
  kind: PendingKind;
  installation: string;
  place: string;
}

const i = aliasedTable(installations, 'i');
const placed = { space: aliasedTable(spaceInstallations, 'x'), site: aliasedTable(siteInstallations, 'x') };

const ofAccount = { installation: i.id, account: i.account, organization: i.organization };
const wholeRow = selection({
  ...{ place: computed(String, sql`''`), ...ofAccount },
  configuration: computed(String, sql`i.configuration`),
});
const placedRow = (kind: PlaceKind) =>
  selection({
    ...{ place: computed(String, sql`x.${placeKinds[kind].column}`), ...ofAccount },
    configuration: computed(String, sql`${placed[kind].configuration}`),
  });

/** One that is pending, with its sealed configuration; `place` is empty for an installation as a whole. */
export type PendingRecord = RecordOf<typeof wholeRow>;

/** The next ones of an integration, also on spaces in the trash. */
export function selectPending(
  integration: string,
  { kind, installation, place }: Reached,
  limit: number,
): Query<PendingRecord> {
  if (kind === 'installation')
    return wholeRow.query(sql`SELECT ${wholeRow} FROM installations i INDEXED BY installations_pending
      WHERE i.integration = ${integration} AND i.status = 'pending' AND i.id > ${installation}
      ORDER BY i.id LIMIT ${limit}`);
  const { table, column } = placeKinds[kind];
  const row = placedRow(kind);
  return row.query(sql`SELECT ${row} FROM ${table} x INDEXED BY ${table}_pending
    CROSS JOIN installations i ON i.id = x.installation
    WHERE x.integration = ${integration} AND x.status = 'pending'
      AND (x.installation, x.${column}) > (${installation}, ${place})
    ORDER BY x.installation, x.${column} LIMIT ${limit}`);
}
