import type { Row } from '@octavo/db';
import { optionalNumber, spaceRank, spaces } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { forbidden, givesAtMost, roleOfRank } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';

export const updateSpaceById: Handler<typeof content.updateSpaceById, ContentEnvironment> = async (
  { body },
  { db, space, role, actor, commit, urls },
) => {
  if (!givesAtMost(body.defaultLevel ?? null, role)) throw forbidden('A default level above the role held here.');
  // Only what was given is written, so that two callers who change different fields both have their way.
  const given = { ...body, emoji: body.emoji === null ? '' : body.emoji, updatedAt: Date.now() };
  const rank = spaceRank({ user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` });
  const [, rows = []] = await commit(
    [
      db.update(spaces).set(given).where(eq(spaces.id, space.id)),
      db.all<Row>(sql`
        SELECT ${rank} AS role_rank FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = ${actor.id}
        WHERE s.id = ${space.id}`),
    ],
    [{ type: 'space.updated', organization: space.organization, space: space.id, data: {} }],
  );
  const [row = {}] = rows as Row[];
  const { title = space.title, emoji = space.emoji, editMode = space.editMode, updatedAt } = given;
  const { defaultLevel = space.defaultLevel } = given;
  const changed = { ...space, title, emoji, editMode, defaultLevel, updatedAt };
  return presentSpace(changed, roleOfRank(optionalNumber(row, 'role_rank')), urls);
};
