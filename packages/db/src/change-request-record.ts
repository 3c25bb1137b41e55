import { aliasedTable, sql } from 'drizzle-orm';
import { changeRequests } from './collaboration.ts';
import { revisions } from './content.ts';
import type { RecordOf } from './fields.ts';
import { computed, maybe } from './fields.ts';
import { userFields } from './member-record.ts';
import { users } from './org-admin.ts';
import { selection } from './selection.ts';
import { pointFields } from './space-record.ts';

const cr = aliasedTable(changeRequests, 'cr');
const base = aliasedTable(revisions, 'cr_base');
const merged = aliasedTable(revisions, 'cr_merged');

/**
 * A change request with what its branch says of it: the revision of main that it stands on, the one that it was merged
 * as, whose author merged it, and the newest of main. Of `change_requests cr` with `changeRequestJoins`.
 */
export const changeRequestRow = selection({
  id: cr.id,
  space: cr.space,
  number: cr.number,
  subject: cr.subject,
  description: cr.description,
  status: cr.status,
  createdBy: userFields(aliasedTable(users, 'cr_author')),
  createdAt: cr.createdAt,
  updatedAt: cr.updatedAt,
  comments: cr.comments,
  revisionInitial: cr.revisionInitial,
  base: { id: base.id, seq: base.seq },
  merged: maybe({ revision: merged.id, by: userFields(aliasedTable(users, 'cr_merger')), at: merged.createdAt }),
  head: pointFields(aliasedTable(revisions, 'cr_head')),
  mainSeq: computed(revisions.seq, sql`(SELECT MAX(seq) FROM revisions WHERE branch = cr.space)`),
});

export type ChangeRequestRecord = RecordOf<typeof changeRequestRow>;

/** A branch without a revision of its own is read through the revision that it was created from. */
export const changeRequestJoins = sql`
  LEFT JOIN users cr_author ON cr_author.id = cr.created_by
  LEFT JOIN revisions cr_head ON cr_head.id = COALESCE(
    (SELECT id FROM revisions WHERE branch = cr.id ORDER BY seq DESC LIMIT 1), cr.revision_initial)
  LEFT JOIN revisions cr_base ON cr_base.branch = cr.space AND cr_base.seq =
    CASE WHEN cr_head.branch = cr.id THEN cr_head.lineage->>'$[1][1]' ELSE cr_head.seq END
  LEFT JOIN revisions cr_merged ON cr_merged.change_request = cr.id
  LEFT JOIN users cr_merger ON cr_merger.id = cr_merged.author`;
