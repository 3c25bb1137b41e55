import type { ChangeRequestStatus } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Lineage, RevisionPoint } from './content.ts';
import type { UserRecord } from './member-record.ts';
import { readUser, userColumns } from './member-record.ts';
import type { Row } from './row.ts';
import { number, optionalText, text } from './row.ts';

/** A change request with what its branch says of it. Times are milliseconds. */
export interface ChangeRequestRecord {
  id: string;
  space: string;
  number: number;
  subject: string;
  description: string;
  status: ChangeRequestStatus;
  createdBy: UserRecord;
  createdAt: number;
  updatedAt: number;
  comments: number;
  revisionInitial: string;
  /** The main revision that the branch stands on now. */
  base: { id: string; seq: number };
  /** The revision of main that it was merged as, whose author merged it. */
  merged: { revision: string; by: UserRecord; at: number } | null;
  head: RevisionPoint;
  /** The newest seq of main. */
  mainSeq: number;
}

const ownColumns = [
  ...['id', 'space', 'number', 'subject', 'description', 'status', 'created_at', 'updated_at', 'comments'],
  'revision_initial',
];

/** Of `change_requests cr` with `changeRequestJoins`. */
export const changeRequestColumns = sql`${sql.raw(
  [
    ...ownColumns.map((column) => `cr.${column} AS cr_${column}`),
    'cr_head.id AS cr_head_id, cr_head.branch AS cr_head_branch, cr_head.seq AS cr_head_seq, cr_head.lineage AS cr_head_lineage',
    'cr_base.id AS cr_base_id, cr_base.seq AS cr_base_seq',
    'cr_merged.id AS cr_merged_id, cr_merged.created_at AS cr_merged_at',
    '(SELECT MAX(seq) FROM revisions WHERE branch = cr.space) AS cr_main_seq',
  ].join(', '),
)}, ${userColumns('cr_author', 'cr_author')}, ${userColumns('cr_merger', 'cr_merger')}`;

/** A branch without a revision of its own is read through the revision that it was created from. */
export const changeRequestJoins = sql`
  LEFT JOIN users cr_author ON cr_author.id = cr.created_by
  LEFT JOIN revisions cr_head ON cr_head.id = COALESCE(
    (SELECT id FROM revisions WHERE branch = cr.id ORDER BY seq DESC LIMIT 1), cr.revision_initial)
  LEFT JOIN revisions cr_base ON cr_base.branch = cr.space AND cr_base.seq =
    CASE WHEN cr_head.branch = cr.id THEN cr_head.lineage->>'$[1][1]' ELSE cr_head.seq END
  LEFT JOIN revisions cr_merged ON cr_merged.change_request = cr.id
  LEFT JOIN users cr_merger ON cr_merger.id = cr_merged.author`;

function readMerged(row: Row): ChangeRequestRecord['merged'] {
  const revision = optionalText(row, 'cr_merged_id');
  if (revision === null) return null;
  return { revision, by: readUser(row, 'cr_merger'), at: number(row, 'cr_merged_at') };
}

export function readChangeRequest(row: Row): ChangeRequestRecord | undefined {
  if (optionalText(row, 'cr_id') === null) return undefined;
  return {
    id: text(row, 'cr_id'),
    space: text(row, 'cr_space'),
    number: number(row, 'cr_number'),
    subject: text(row, 'cr_subject'),
    description: text(row, 'cr_description'),
    status: text(row, 'cr_status') as ChangeRequestStatus,
    createdBy: readUser(row, 'cr_author'),
    createdAt: number(row, 'cr_created_at'),
    updatedAt: number(row, 'cr_updated_at'),
    comments: number(row, 'cr_comments'),
    revisionInitial: text(row, 'cr_revision_initial'),
    base: { id: text(row, 'cr_base_id'), seq: number(row, 'cr_base_seq') },
    merged: readMerged(row),
    head: {
      id: text(row, 'cr_head_id'),
      branch: text(row, 'cr_head_branch'),
      seq: number(row, 'cr_head_seq'),
      lineage: JSON.parse(text(row, 'cr_head_lineage')) as Lineage,
    },
    mainSeq: number(row, 'cr_main_seq'),
  };
}
