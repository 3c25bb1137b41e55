import { commitChecked, handOverSpace, keepCreate, positionAtStart, spaceOfActor } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { mayCreateIn, stillThere } from './checks.ts';
import { presentChanged } from './present-changed.ts';

/**
 * The space comes first at the top level, where it gives what the organization gives; one that is hidden stays so, and
 * whoever brought it keeps it.
 */
export const transferSpace: Handler<typeof content.transferSpace, ContentEnvironment> = async (
  { body: { organization } },
  { db, space, actor, commit, urls },
) => {
  const { id, organization: from } = space;
  if (organization === from) throw conflict('The space is in this organization already.');
  const defaultLevel = sql`CASE WHEN default_level = 'none' THEN 'none' END`;
  const changes = { parent: null, position: positionAtStart(Date.now()), mergeRules: null, defaultLevel };
  const checks = [stillThere(space), mayCreateIn({ organization, parent: null }, actor)];
  const handedOver = handOverSpace(db, id, { from, to: organization }, changes);
  const { changed } = await commitChecked(db, checks, (guards) =>
    commit(
      {
        guards,
        write: handedOver.statements,
        kept: keepCreate(db, id, actor),
        changed: spaceOfActor(id, actor),
      },
      [
        ...handedOver.events,
        ...[from, organization].map((each) => ({
          type: 'space.transferred' as const,
          organization: each,
          space: id,
          data: { from },
        })),
        { type: 'index_computed', organization, space: id, data: {} },
      ],
    ),
  );
  return presentChanged(changed, urls);
};
