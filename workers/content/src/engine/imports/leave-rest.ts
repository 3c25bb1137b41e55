import type { Database, imports, Statement } from '@octavo/db';
import { foreverSeq, importAddresses } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { importLimits } from './import-limits.ts';

type Left = Pick<typeof imports.$inferSelect, 'id' | 'source' | 'skipped'>;
type Tallied = Pick<typeof imports.$inferSelect, 'source' | 'createdAt' | 'bytes' | 'pages' | 'files'>;

/** Of an archive only the time: its plan holds the others, and what it plans is read, up to the last of them. */
export function limitReached({ source, createdAt, bytes, pages, files }: Tallied): string | undefined {
  if (Date.now() - createdAt > importLimits.milliseconds) return 'is beyond the time of one import';
  if (source === 'zip') return undefined;
  if (bytes >= importLimits.totalBytes) return `is beyond the ${importLimits.totalBytes} bytes of one import`;
  if (pages >= importLimits.pages) return `is beyond the ${importLimits.pages} pages of one import`;
  return files >= importLimits.files ? `is beyond the ${importLimits.files} files of one import` : undefined;
}

/** What is left when a limit is reached is not read any more. */
export async function leaveRest(db: Database, record: Left, error: string) {
  const pending = sql`import = ${record.id} AND status = 'pending'`;
  const skipped = await db.$count(importAddresses, sql`${pending} AND kind IN ('page', 'file', 'content')`);
  return {
    changes: {
      phase: record.source === 'website' ? ('place' as const) : ('link' as const),
      skipped: record.skipped + skipped,
    },
    statements: [
      ...(record.source === 'zip' ? [dropUnread(db, record)] : []),
      db.run(sql`UPDATE import_addresses SET status = 'skipped', error = ${error} WHERE ${pending}`),
    ],
  };
}

/** The pages and texts of an archive that were planned and never read do not come in empty, nor does what is below them. */
const dropUnread = (db: Database, { id }: Pick<Left, 'id'>): Statement =>
  db.run(sql`
    WITH RECURSIVE unread (kind, id) AS (
      SELECT iif(kind = 'content', 'reusable-content', 'page'), node FROM import_addresses
      WHERE import = ${id} AND status = 'pending' AND node IS NOT NULL
      UNION
      SELECT v.kind, v.id FROM unread u CROSS JOIN versions v
        ON v.branch = ${id} AND v.kind = 'page' AND v.parent = u.id AND v.until = ${foreverSeq}
      WHERE u.kind = 'page')
    DELETE FROM versions WHERE branch = ${id} AND (kind, id) IN (SELECT kind, id FROM unread)`);
