import type { Database } from '@octavo/db';
import { positionAtStart, spaces } from '@octavo/db';
import type { NewEvent, OrganizationId, Space, SpaceId, UserId } from '@octavo/schema';
import { writeRevision } from '../../engine/nodes/write-revision.ts';

interface NewSpace {
  id: SpaceId;
  organization: OrganizationId;
  parent: string | null;
  title: string;
  emoji: string;
  editMode: NonNullable<Space['editMode']>;
  createdBy: UserId;
}

/**
 * The row of a new space, and what writes it. It has one empty revision, so that its head is always there to move.
 */
export function newSpace(db: Database, space: NewSpace) {
  const { id, organization, createdBy } = space;
  const now = Date.now();
  const row = {
    ...space,
    visibility: 'private' as const,
    defaultLevel: null,
    createdAt: now,
    updatedAt: now,
    position: positionAtStart(now),
    deletedAt: null,
    mergeRules: null,
  };
  const lineage: [string, number][] = [[id, 1]];
  const of = { space: id, organization, branch: id, seq: 1, type: 'edits' } as const;
  const written = { parents: [], lineage, author: createdBy, createdAt: now, writes: [] };
  const revision = writeRevision(db, { ...of, ...written });
  const created: NewEvent = { type: 'space.created', organization, space: id, data: {} };
  return {
    row,
    head: { id: revision.id, branch: id, seq: 1, lineage },
    statements: [db.insert(spaces).values(row), ...revision.statements],
    events: [created, ...revision.events],
  };
}
