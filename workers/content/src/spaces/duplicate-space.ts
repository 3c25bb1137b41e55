import type { Lineage } from '@octavo/db';
import { commitChecked, spaceOfActor } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, NewEvent } from '@octavo/schema';
import { newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { positionAtStart } from '../siblings/position.ts';
import { writeRevision } from '../space-head/write-revision.ts';
import { mayCreateIn, stillThere } from './checks.ts';
import { presentChanged } from './present-changed.ts';

/** A revision that is read through more branches than this is flattened. */
const maxLineage = 8;

/**
 * The copy reads its source's content through its lineage, as it is now: nothing of it is written. What was given on
 * the source is not copied, and as it may have kept somebody out, the copy of such a one is hidden.
 */
export const duplicateSpace: Handler<typeof content.duplicateSpace, ContentEnvironment> = async (
  _,
  { db, space: source, actor, caller, commit, urls },
) => {
  const { organization } = source;
  const now = Date.now();
  const id = newId('space');
  const lineage: Lineage = [[id, 1], ...source.head.lineage];
  const revision = writeRevision(db, {
    ...{ space: id, organization, branch: id, seq: 1, type: 'edits', parents: [], lineage },
    ...{ author: caller.actor, writes: [] },
  });
  const read = JSON.stringify(source.head.lineage);
  const statements = [
    db.run(sql`
      INSERT INTO spaces (id, organization, parent, title, emoji, edit_mode, default_level, created_by, created_at, updated_at, position)
      SELECT ${id}, organization, parent, title, emoji, edit_mode,
        CASE WHEN EXISTS (SELECT 1 FROM grants g WHERE g.object = spaces.id) THEN 'none' ELSE default_level END,
        ${actor.id}, ${now}, ${now}, ${positionAtStart(now)}
      FROM spaces WHERE id = ${source.id}`),
    db.run(
      sql`INSERT INTO lineage_sources (source, space, seq) SELECT value->>0, ${id}, value->>1 FROM json_each(${read})`,
    ),
    ...revision.statements,
  ];
  const of = { organization, space: id };
  const jobs: NewEvent[] = [{ type: 'index_space', ...of, data: {} }];
  if (lineage.length > maxLineage) jobs.push({ type: 'flatten_space', ...of, data: {} });
  const checks = [stillThere(source), mayCreateIn(source, actor)];
  const results = await commitChecked(db, checks, (guards) =>
    commit(
      [...guards, ...statements, db.all(spaceOfActor(id, actor))],
      [{ type: 'space.duplicated', ...of, data: { source: source.id } }, ...revision.events, ...jobs],
    ),
  );
  return presentChanged(results[checks.length + statements.length], urls);
};
