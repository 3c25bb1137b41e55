import type { CollectionRecord, Database, Row, SpaceRecord } from '@octavo/db';
import {
  CommitConflict,
  collectionColumns,
  number,
  optionalText,
  readCollection,
  readSpace,
  spaceColumns,
  spaceJoins,
  text,
} from '@octavo/db';
import type { Role } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** What a link leads onto, as an admin of its organization sees it; neither of the two for the organization itself. */
export interface InviteContent {
  space?: SpaceRecord;
  collection?: CollectionRecord;
}

export interface InviteRecord extends InviteContent {
  id: string;
  role: Role | null;
  createdAt: number;
}

/** `s` and `c` of a space or collection by its id, where it is of the organization and not deleted. */
export const contentJoins = (object: SQL, organization: SQL): SQL => sql`
  LEFT JOIN spaces s ON s.id = ${object} AND s.organization = ${organization} AND s.deleted_at IS NULL
  LEFT JOIN collections c ON c.id = ${object} AND c.organization = ${organization} AND c.deleted_at IS NULL`;

/** Of `contentJoins` with `spaceJoins`, ranked for an admin. */
export const contentColumns: SQL = sql`${spaceColumns}, ${collectionColumns}, 6 AS collection_rank, 0 AS collection_on_the_way`;

export function readContent(row: Row): InviteContent {
  const space = readSpace(row);
  const collection = readCollection(row);
  return { ...(space === undefined ? {} : { space }), ...(collection === undefined ? {} : { collection }) };
}

/** The links `i` of an organization, but those whose space or collection is deleted. */
const liveInvites = sql`FROM invites i ${contentJoins(sql`i.object`, sql`i.organization`)} ${spaceJoins}
  WHERE (i.object IS NULL OR s.id IS NOT NULL OR c.id IS NOT NULL)`;

/** The links for which `condition` holds on `invites i`, in one query. */
export async function findInvites(db: Database, condition: SQL): Promise<InviteRecord[]> {
  const rows = await db.all<Row>(sql`
    SELECT i.id AS invite_id, i.role AS invite_role, i.created_at AS invite_created_at, ${contentColumns}
    ${liveInvites} AND ${condition}`);
  return rows.map((row) => ({
    id: text(row, 'invite_id'),
    role: optionalText(row, 'invite_role') as Role | null,
    createdAt: number(row, 'invite_created_at'),
    ...readContent(row),
  }));
}

interface InviteKey {
  organization: string;
  id: string;
}

const isOne = ({ organization, id }: InviteKey): SQL => sql`i.id = ${id} AND i.organization = ${organization}`;

/** @throws ApiError not_found */
export async function getInvite(db: Database, key: InviteKey): Promise<InviteRecord> {
  const [invite] = await findInvites(db, isOne(key));
  if (invite === undefined) throw notFound('invite');
  return invite;
}

export const inviteExists = (key: InviteKey): SQL => sql`EXISTS (SELECT 1 ${liveInvites} AND ${isOne(key)})`;

/** Waits for a commit whose `must` is `inviteExists`. @throws ApiError not_found */
export async function unlessGone(commit: Promise<unknown>): Promise<void> {
  try {
    await commit;
  } catch (error) {
    throw error instanceof CommitConflict ? notFound('invite') : error;
  }
}
