import { aliasedTable, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { spaceCounters } from './collaboration.ts';
import { revisions, spaces } from './content.ts';
import type { RecordOf } from './fields.ts';
import { computed } from './fields.ts';
import { selection } from './selection.ts';

/** A revision as content is read through it. */
export const pointFields = (revision: typeof revisions) => ({
  id: revision.id,
  branch: revision.branch,
  seq: revision.seq,
  lineage: revision.lineage,
});

const [s, head] = [aliasedTable(spaces, 's'), aliasedTable(revisions, 'head')];
const counters = aliasedTable(spaceCounters, 'counters');
const counted = <Counter extends SQLiteColumn>(counter: Counter) => computed(counter, sql`COALESCE(${counter}, 0)`);

/** A space with the head of its live content and its counters. Of `spaces s` with `spaceJoins`. */
export const spaceRow = selection({
  id: s.id,
  organization: s.organization,
  parent: s.parent,
  title: s.title,
  emoji: s.emoji,
  editMode: s.editMode,
  visibility: s.visibility,
  defaultLevel: s.defaultLevel,
  createdBy: s.createdBy,
  createdAt: s.createdAt,
  updatedAt: computed(s.updatedAt, sql`MAX(${s.updatedAt}, ${head.createdAt})`),
  deletedAt: s.deletedAt,
  mergeRules: s.mergeRules,
  comments: counted(counters.comments),
  changeRequests: counted(counters.changeRequests),
  changeRequestsOpen: counted(counters.changeRequestsOpen),
  changeRequestsDraft: counted(counters.changeRequestsDraft),
  head: pointFields(head),
});

export type SpaceRecord = RecordOf<typeof spaceRow>;

/** The newest revision of the space's own branch is its head; there is no second copy of it to keep true. */
export const spaceJoins = sql`
  LEFT JOIN revisions head ON head.branch = s.id AND head.seq = (SELECT MAX(seq) FROM revisions WHERE branch = s.id)
  LEFT JOIN space_counters counters ON counters.space = s.id`;
