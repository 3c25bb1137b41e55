import type { DefaultLevel, MergeRules } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Lineage, RevisionPoint } from './content.ts';
import type { Row } from './row.ts';
import { number, optionalJson, optionalNumber, optionalText, text } from './row.ts';

/** A space with the head of its live content and its counters. Times are milliseconds. */
export interface SpaceRecord {
  id: string;
  organization: string;
  parent: string | null;
  title: string;
  emoji: string;
  editMode: 'live' | 'locked';
  visibility: 'private';
  defaultLevel: DefaultLevel;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
  deletedAt: number | null;
  /** Null where it has the rules of its organization. */
  mergeRules: MergeRules | null;
  comments: number;
  changeRequests: number;
  changeRequestsOpen: number;
  changeRequestsDraft: number;
  head: RevisionPoint;
}

/** Of `spaces s` with `spaceJoins`. */
export const spaceColumns = sql.raw(
  [
    ...[
      'id',
      'organization',
      'parent',
      'title',
      'emoji',
      'edit_mode',
      'visibility',
      'default_level',
      'created_by',
      'created_at',
      'deleted_at',
      'merge_rules',
    ].map((column) => `s.${column} AS space_${column}`),
    'MAX(s.updated_at, head.created_at) AS space_updated_at',
    'head.id AS head_id, head.seq AS head_seq, head.lineage AS head_lineage',
    ...['comments', 'change_requests', 'change_requests_open', 'change_requests_draft'].map(
      (column) => `COALESCE(counters.${column}, 0) AS space_${column}`,
    ),
  ].join(', '),
);

/** The newest revision of the space's own branch is its head; there is no second copy of it to keep true. */
export const spaceJoins = sql`
  LEFT JOIN revisions head ON head.branch = s.id AND head.seq = (SELECT MAX(seq) FROM revisions WHERE branch = s.id)
  LEFT JOIN space_counters counters ON counters.space = s.id`;

export function readSpace(row: Row): SpaceRecord | undefined {
  if (optionalText(row, 'space_id') === null) return undefined;
  const id = text(row, 'space_id');
  return {
    id,
    organization: text(row, 'space_organization'),
    parent: optionalText(row, 'space_parent'),
    title: text(row, 'space_title'),
    emoji: text(row, 'space_emoji'),
    editMode: text(row, 'space_edit_mode') as SpaceRecord['editMode'],
    visibility: text(row, 'space_visibility') as SpaceRecord['visibility'],
    defaultLevel: optionalText(row, 'space_default_level') as DefaultLevel,
    createdBy: text(row, 'space_created_by'),
    createdAt: number(row, 'space_created_at'),
    updatedAt: number(row, 'space_updated_at'),
    deletedAt: optionalNumber(row, 'space_deleted_at'),
    mergeRules: optionalJson<MergeRules>(row, 'space_merge_rules'),
    comments: number(row, 'space_comments'),
    changeRequests: number(row, 'space_change_requests'),
    changeRequestsOpen: number(row, 'space_change_requests_open'),
    changeRequestsDraft: number(row, 'space_change_requests_draft'),
    head: {
      id: text(row, 'head_id'),
      branch: id,
      seq: number(row, 'head_seq'),
      lineage: JSON.parse(text(row, 'head_lineage')) as Lineage,
    },
  };
}
