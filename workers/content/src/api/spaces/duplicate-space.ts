import type { Database, Lineage, Statement } from '@octavo/db';
import {
  commitChecked,
  given,
  must,
  onlyRow,
  positionAtStart,
  readRows,
  revisions,
  selection,
  spaceOfActor,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, NewEvent, SpaceId } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageOfBranch } from '../../engine/nodes/find-nodes.ts';
import { writeRevision } from '../../engine/nodes/write-revision.ts';
import type { ContentEnvironment } from '../../environment.ts';
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
  const id = newId('space');
  const of = { organization, space: id };
  let known: Lineage | undefined = source.head.lineage;
  const checks = [stillThere(source), mayCreateIn(source, actor)];
  const rows = await commitChecked(db, checks, async (guards) => {
    const read = known ?? (await findHeldLineage(db, source.id));
    known = undefined;
    const lineage: Lineage = [[id, 1], ...read];
    const revision = writeRevision(db, {
      ...{ ...of, branch: id, seq: 1, type: 'edits', parents: [], lineage },
      ...{ author: caller.actor, writes: [] },
    });
    const jobs: NewEvent[] = [{ type: 'index_space', ...of, data: {} }];
    if (lineage.length > maxLineage) jobs.push({ type: 'flatten_space', ...of, data: {} });
    const copy = [...copyRow(db, { id, source: source.id, read, actor: actor.id }), ...revision.statements];
    const { made } = await commit({ guards, copy, made: spaceOfActor(id, actor) }, [
      { type: 'space.duplicated', ...of, data: { source: source.id } },
      ...revision.events,
      ...jobs,
    ]);
    return made;
  });
  return presentChanged(rows, urls);
};

interface Copy {
  id: string;
  source: string;
  read: Lineage;
  actor: string;
}

function copyRow(db: Database, { id, source, read, actor }: Copy): Statement[] {
  const now = Date.now();
  const lineage = JSON.stringify(read);
  return [
    must(db, sql`NOT EXISTS (SELECT 1 FROM json_each(${lineage}) WHERE NOT ${isHeldFor(source)})`),
    db.run(sql`
      INSERT INTO spaces (id, organization, parent, title, emoji, edit_mode, merge_rules, default_level, created_by, created_at, updated_at, position)
      SELECT ${id}, organization, parent, title, emoji, edit_mode, merge_rules,
        CASE WHEN EXISTS (SELECT 1 FROM grants g WHERE g.object = spaces.id) THEN 'none' ELSE default_level END,
        ${actor}, ${now}, ${now}, ${positionAtStart(now)}
      FROM spaces WHERE id = ${source}`),
    db.run(
      sql`INSERT INTO lineage_sources (source, space, seq) SELECT value->>0, ${id}, value->>1 FROM json_each(${lineage})`,
    ),
  ];
}

/** An entry of the space's lineage that no purge takes: its own branch, or one that is held for it. */
const isHeldFor = (space: SpaceId): SQL => sql`(value->>0 = ${space} OR EXISTS (
  SELECT 1 FROM lineage_sources l WHERE l.source = value->>0 AND l.space = ${space} AND l.seq = value->>1))`;

const heldRow = selection({ lineage: given(revisions.lineage) });

/**
 * The lineage of the space's head without the branches that flattening has freed since: what it read of them is on its
 * own branch, even where a late writer has named them once more.
 */
async function findHeldLineage(db: Database, space: SpaceId): Promise<Lineage> {
  const held = heldRow.query(sql`SELECT json_group_array(json(value) ORDER BY key) AS ${heldRow.names.lineage}
    FROM json_each(${lineageOfBranch(space)}) WHERE ${isHeldFor(space)}`);
  return onlyRow(await readRows(db, held)).lineage;
}
