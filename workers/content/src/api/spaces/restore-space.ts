import {
  commitChecked,
  keepRoleOfGuest,
  keepRoles,
  must,
  positionAtStart,
  spaceOfActor,
  untrashSpace,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { conflict, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { endOfTrash } from '../../engine/retention/time-in-trash.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { presentChanged } from './present-changed.ts';
import { findWayBack } from './way-back.ts';

/** Where the collection that the space was in is deleted, it comes back to the next one above, open to nobody more. */
export const restoreSpace: Handler<typeof content.restoreSpace, ContentEnvironment> = async (
  _,
  { db, space, actor, commit, urls },
) => {
  const { id, organization } = space;
  const now = Date.now();
  const row = sql`SELECT 1 FROM spaces WHERE id = ${id} AND organization = ${organization}`;
  const checks = [
    {
      holds: sql`EXISTS (${row} AND COALESCE(deleted_at >= ${endOfTrash(now)}, 1) AND purging_at IS NULL)`,
      otherwise: () => notFound('space'),
    },
    {
      holds: sql`EXISTS (${row} AND deleted_at IS NOT NULL)`,
      otherwise: () => conflict('The space is not deleted.'),
    },
  ];
  const rows = await commitChecked(db, checks, async (guards) => {
    const { isMoved, parent, level, hides, losesGuests, unchanged } = await findWayBack(db, space);
    const statements = [
      must(db, unchanged),
      ...(hides ? [keepRoles(db, id, actor.id)] : []),
      ...(losesGuests ? [keepRoleOfGuest(db, id, actor.id)] : []),
      ...untrashSpace(db, id, isMoved ? { parent, defaultLevel: level, position: positionAtStart(now) } : {}),
    ];
    const { changed } = await commit({ guards, statements, changed: spaceOfActor(id, actor) }, [
      { type: 'space.restored', organization, space: id, data: {} },
    ]);
    return changed;
  });
  return presentChanged(rows, urls);
};
