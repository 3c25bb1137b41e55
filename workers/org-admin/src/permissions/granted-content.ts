import type { CollectionRecord, SpaceRecord } from '@octavo/db';
import type { OrganizationId, Role } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** A space or a collection whose permissions the caller manages, with the role that the caller holds there. */
export interface GrantedContent {
  kind: 'space' | 'collection';
  id: string;
  organization: OrganizationId;
  role: Role | null;
}

export const grantedSpace = ({ space, role }: { space: SpaceRecord; role: Role | null }): GrantedContent => ({
  kind: 'space',
  id: space.id,
  organization: space.organization,
  role,
});

export const grantedCollection = ({ collection }: { collection: CollectionRecord }): GrantedContent => ({
  kind: 'collection',
  id: collection.id,
  organization: collection.organization,
  role: collection.role,
});

const tables = { space: sql.raw('spaces'), collection: sql.raw('collections') };

/** True while the content is where authorization found it: not deleted, and of the same organization. */
export const isInPlace = ({ kind, id, organization }: GrantedContent): SQL => sql`EXISTS (
  SELECT 1 FROM ${tables[kind]} k WHERE k.id = ${id} AND k.organization = ${organization} AND k.deleted_at IS NULL)`;
