import { commitChecked, keepCreate, spaceOfActor } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { positionAtStart } from '../../engine/placing/position.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { mayCreateIn, stillThere } from './checks.ts';
import { presentChanged } from './present-changed.ts';

/**
 * The space comes first at the top level, where it gives what the organization gives; one that is hidden stays so, and
 * whoever brought it keeps it. Triggers take its grants and invites away and keep search true.
 */
export const transferSpace: Handler<typeof content.transferSpace, ContentEnvironment> = async (
  { body: { organization } },
  { db, space, actor, commit, urls },
) => {
  const { id, organization: from } = space;
  if (organization === from) throw conflict('The space is in this organization already.');
  const checks = [stillThere(space), mayCreateIn({ organization, parent: null }, actor)];
  const { changed } = await commitChecked(db, checks, (guards) =>
    commit(
      {
        guards,
        write: db.run(sql`
          UPDATE spaces SET organization = ${organization}, parent = NULL, position = ${positionAtStart(Date.now())}, merge_rules = NULL,
            default_level = CASE WHEN default_level = 'none' THEN 'none' END
          WHERE id = ${id}`),
        kept: keepCreate(db, id, actor),
        changed: db.all(spaceOfActor(id, actor)),
      },
      [from, organization].map((each) => ({
        type: 'space.transferred',
        organization: each,
        space: id,
        data: { from },
      })),
    ),
  );
  return presentChanged(changed, urls);
};
