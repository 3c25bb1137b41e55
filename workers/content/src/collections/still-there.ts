import type { CollectionRecord, Database, Statement } from '@octavo/db';
import { CommitConflict, must } from '@octavo/db';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';

/** Guards a batch: the collection is not deleted when it is written, and still of the organization it was read in. */
export const stillThere = (db: Database, { id, organization }: CollectionRecord): Statement =>
  must(
    db,
    sql`EXISTS (SELECT 1 FROM collections WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL)`,
  );

/** Tells a batch whose only guard is `stillThere`, and which it refused, as 404. */
export function goneIfRefused(error: unknown): never {
  throw error instanceof CommitConflict ? notFound('collection') : error;
}
