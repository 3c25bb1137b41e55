import { roleOfRank } from '@octavo/schema';
import { aliasedTable } from 'drizzle-orm';
import { collections } from './content.ts';
import type { RecordOf } from './fields.ts';
import { given, maybe } from './fields.ts';
import { selection } from './selection.ts';

const c = aliasedTable(collections, 'c');

/** A collection as a member sees it, who may see it for what it holds, whatever the role on it. Of `collections c`. */
export const collectionRow = selection({
  id: c.id,
  organization: c.organization,
  parent: c.parent,
  title: c.title,
  description: c.description,
  defaultLevel: c.defaultLevel,
  createdBy: c.createdBy,
  createdAt: c.createdAt,
  position: c.position,
  role: maybe(given(roleOfRank)),
  onTheWay: given(Boolean),
});

export type CollectionRecord = RecordOf<typeof collectionRow>;
