import type { Database } from '@octavo/db';
import { uploads } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { type ApiError, conflict, invalid, newId, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';

export type UploadRecord = typeof uploads.$inferSelect;

interface UploadName {
  id: string;
  organization: OrganizationId;
}

const named = ({ id, organization }: UploadName) => sql`id = ${id} AND organization = ${organization}`;

/** An upload that is not over its time. @throws ApiError not_found */
export async function findUpload(db: Database, name: UploadName): Promise<UploadRecord> {
  const [found] = await db
    .select()
    .from(uploads)
    .where(sql`${named(name)} AND expires_at > ${Date.now()}`);
  if (found === undefined) throw notFound('upload');
  return found;
}

/** The bytes that a request brings. */
interface BroughtBytes {
  offset: number;
  /** Whether they are all that there are. */
  isWhole: boolean;
  /** How many they are, where that is told. */
  length: number | undefined;
}

/**
 * Makes a request the one that writes the bytes of an upload from `offset` on; whichever wrote before it ends.
 * @throws ApiError not_found; invalid, where it brings other bytes than were announced; conflict, where the upload has
 *   all of its bytes or others than `offset` many
 */
export async function takeUpload(db: Database, name: UploadName, brought: BroughtBytes): Promise<UploadRecord> {
  const { offset, isWhole, length } = brought;
  const fits = length === undefined ? sql`1` : isWhole ? sql`size = ${length}` : sql`size >= ${offset + length}`;
  const isThere = isWhole ? sql`1` : sql`received = ${offset}`;
  const [taken] = await db
    .update(uploads)
    .set({
      writer: newId('request'),
      turn: sql`turn + 1`,
      ...(offset === 0 ? { received: 0, parts: [] } : {}),
    })
    .where(sql`${named(name)} AND expires_at > ${Date.now()} AND blob IS NULL AND ${isThere} AND ${fits}`)
    .returning();
  if (taken !== undefined) return taken;
  throw refusalOf(await findUpload(db, name), brought);
}

function refusalOf({ blob, size, received }: UploadRecord, { offset, isWhole, length = 0 }: BroughtBytes): ApiError {
  if (blob !== null) return conflict(`The upload has all of its ${size} bytes already.`);
  if (!isWhole && received !== offset) return conflict(`The upload has ${received} bytes so far: go on from there.`);
  return invalid([{ path: 'body', message: `ends at byte ${offset + length}, and ${size} were announced` }]);
}

/**
 * Notes what is stored of an upload. Each part is noted when it is there, so that a break costs no more than one.
 * @throws ApiError conflict, where another request writes meanwhile
 */
export async function noteStored(db: Database, upload: UploadRecord): Promise<void> {
  const { id, writer, received, multipart, parts } = upload;
  const [noted] = await db
    .update(uploads)
    .set({ received, multipart, parts })
    .where(sql`id = ${id} AND writer = ${writer}`)
    .returning({ id: uploads.id });
  if (noted === undefined) throw takenOver();
}

export const takenOver = () => conflict('Another request goes on with this upload, or its time is over.');
