import type { DefaultLevel, Role } from '@octavo/schema';
import { roleOfRank } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Row } from './row.ts';
import { number, optionalNumber, optionalText, text } from './row.ts';

/** A collection as a member sees it. Times are milliseconds. */
export interface CollectionRecord {
  id: string;
  organization: string;
  parent: string | null;
  title: string;
  description: string | null;
  defaultLevel: DefaultLevel;
  createdBy: string;
  createdAt: number;
  /** A fractional index key among its siblings, spaces and collections. */
  position: string;
  /** The member's effective role on it. */
  role: Role | null;
  /** True where the member sees it for what it holds, whatever the role on it. */
  onTheWay: boolean;
}

/** Of `collections c`; the query adds `collection_rank` and `collection_on_the_way`. */
export const collectionColumns = sql.raw(
  ['id', 'organization', 'parent', 'title', 'description', 'default_level', 'created_by', 'created_at', 'position']
    .map((column) => `c.${column} AS collection_${column}`)
    .join(', '),
);

export function readCollection(row: Row): CollectionRecord | undefined {
  if (optionalText(row, 'collection_id') === null) return undefined;
  return {
    id: text(row, 'collection_id'),
    organization: text(row, 'collection_organization'),
    parent: optionalText(row, 'collection_parent'),
    title: text(row, 'collection_title'),
    description: optionalText(row, 'collection_description'),
    defaultLevel: optionalText(row, 'collection_default_level') as DefaultLevel,
    createdBy: text(row, 'collection_created_by'),
    createdAt: number(row, 'collection_created_at'),
    position: text(row, 'collection_position'),
    role: roleOfRank(optionalNumber(row, 'collection_rank')),
    onTheWay: row.collection_on_the_way === 1,
  };
}
