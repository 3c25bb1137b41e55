import type { NodeKind, Statement } from '@octavo/db';
import {
  abortUnless,
  changeRequests,
  checkCondition,
  deleteLineageSources,
  foreverSeq,
  fromQuery,
  nullable,
  readRows,
  revisions,
  runBatch,
  selection,
  selectLineageSources,
  versions,
} from '@octavo/db';
import { commitStep } from '@octavo/runtime';
import type { NewEvent, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { createLineageCte, selectIds, selectState } from '../engine/store/lineage.ts';
import type { Job, JobContext } from './job.ts';

/** The kinds of nodes, in the order in which they are copied. */
const kinds = Object.keys({ file: 1, page: 1, 'reusable-content': 1, variable: 1 } satisfies Record<NodeKind, 1>);

const nodesPerStep = 200;
const revisionsPerStep = 500;

/**
 * Copies everything that a space reads from other spaces into its own branch, because a space duplicated from
 * duplicates reads through many branches. The job first copies the states, including tombstones, as if the first
 * revision of the space had written them. At any time, readers find the same state in the copy or further down the
 * lineage. Then the job removes the other branches from the lineages, so that their spaces can be purged. A writer that
 * read an old lineage may still write one more revision with it. Readers of that revision find the same content,
 * because the space's own branch covers all others.
 */
export const flattenSpace: Job<'flatten_space'> = async (event, context) => {
  const { organization, space } = event;
  if (organization === null || space === null) throw new Error('The job has no space.');
  const { after, cut } = event.data;
  const isNotPurging = sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND purging_at IS NULL)`;
  // Rows that are written after a running purge has passed them would stay forever.
  if (!(await checkCondition(context.db, isNotPurging))) {
    await commitStep(context, event, { statements: [] });
    return;
  }
  const part: Step =
    cut === undefined
      ? await createCopyStep(context, space, after ?? { kind: kinds[0] ?? '', id: '' })
      : await createCutStep(context, space, cut);
  const next: NewEvent[] =
    part.next === undefined ? [] : [{ type: 'flatten_space', organization, space, data: part.next }];
  // If the copied space no longer reads another space, the purge of that space can become possible. Such a purge has no
  // actor.
  const step = {
    statements: [abortUnless(context.db, isNotPurging), ...part.statements],
    events: [...(part.events ?? []), ...next],
  };
  await commitStep(context, { ...event, actor: 'system' }, step);
};

const headRow = selection({ isCut: nullable(fromQuery(Boolean)) });

interface Step {
  statements: Statement[];
  events?: NewEvent[];
  next: { after: { kind: string; id: string } } | { cut: CutPosition } | undefined;
}

async function createCopyStep({ db }: JobContext, space: SpaceId, after: { kind: string; id: string }): Promise<Step> {
  const { kind } = after;
  const ids = (await readRows(db, findNextNodes(space, after, nodesPerStep))).map(({ id }) => id);
  const last = ids.length < nodesPerStep ? undefined : ids.at(-1);
  const nextKind = kinds[kinds.indexOf(kind) + 1];
  const statements = ids.length === 0 ? [] : [db.run(copyNodes(space, kind, ids))];
  if (last !== undefined) return { statements, next: { after: { kind, id: last } } };
  if (nextKind !== undefined) return { statements, next: { after: { kind: nextKind, id: '' } } };
  return { statements, next: { cut: { number: 0, seq: 0 } } };
}

async function createCutStep({ db }: JobContext, space: SpaceId, after: CutPosition): Promise<Step> {
  const revisions = await readRows(db, findNextRevisions(space, after, revisionsPerStep));
  const last = revisions.at(-1);
  const statements =
    last === undefined
      ? []
      : [
          db.run(
            cutRevisions(
              space,
              revisions.map(({ id }) => id),
            ),
          ),
        ];
  if (last !== undefined && revisions.length === revisionsPerStep) {
    return { statements, next: { cut: { number: last.number, seq: last.seq } } };
  }
  if (after.number === 0) return { statements, next: { cut: { number: 1, seq: 0 } } };
  const { heads, sources } = await runBatch(db, {
    heads: headRow.query(sql`SELECT ${headRow.with({ isCut: isHeadFlattened(space) })}`),
    sources: selectLineageSources(space),
  });
  if (heads[0]?.isCut === false) return { statements, next: { cut: { number: 0, seq: 0 } } };
  const released = deleteLineageSources(db, space, sources);
  return {
    statements: [...statements, abortUnless(db, isHeadFlattened(space)), ...released.statements],
    events: released.events,
    next: undefined,
  };
}

/** The seq of the first revision of a space. The content copied from other spaces precedes all its own writes. */
const firstSeq = sql.raw('1');

/** The branches of other spaces that a space reads: the lineage of its first revision without its own branch. */
const selectForeignLineage = (space: SpaceId): SQL =>
  sql`(SELECT json_remove(lineage, '$[0]') FROM revisions WHERE branch = ${space} AND seq = ${firstSeq})`;

const nextNodeRow = selection({ id: fromQuery(versions.id) });

/** Finds the next ids of a kind on the other branches, in order, by one seek per id. */
const findNextNodes = (space: SpaceId, after: { kind: string; id: string }, limit: number) =>
  nextNodeRow.query(sql`
  WITH RECURSIVE ${createLineageCte(selectForeignLineage(space))}, walk(step, id) AS (
    SELECT 0, ${after.id}
    UNION ALL
    SELECT step + 1, (SELECT MIN((SELECT MIN(v.id) FROM versions v WHERE v.branch = l.branch AND v.kind = ${after.kind} AND v.id > walk.id))
      FROM lineage l)
    FROM walk WHERE id IS NOT NULL AND step < ${limit}
  )
  SELECT id FROM walk WHERE step > 0 AND id IS NOT NULL`);

/**
 * Copies the states of nodes that the space reads from other branches into its own branch. Each copy is valid until the
 * space's own first state of the node.
 */
const copyNodes = (space: SpaceId, kind: string, ids: string[]): SQL => sql`
  INSERT INTO versions (branch, kind, id, since, until, parent, position, slug, deleted, data, document)
  WITH ${createLineageCte(selectForeignLineage(space))}, wanted(id) AS MATERIALIZED (${selectIds(ids)})
  SELECT ${space}, p.kind, p.id, ${firstSeq}, COALESCE(
      (SELECT MIN(o.since) FROM versions o WHERE o.branch = ${space} AND o.kind = p.kind AND o.id = p.id), ${foreverSeq}),
    p.parent, p.position, p.slug, p.deleted, p.data, p.document
  FROM (SELECT v.kind, v.id, v.parent, v.position, v.slug, v.deleted, v.data, v.document, MIN(l.depth)
    FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`${kind}`, sql`w.id`)} GROUP BY v.id) p
  WHERE 1 ON CONFLICT (branch, kind, id, since) DO NOTHING`;

/** The position of a revision in a space. `number` is 0 for main, otherwise the number of the change request. */
interface CutPosition {
  number: number;
  seq: number;
}

const nextRevisionRow = selection({
  id: fromQuery(revisions.id),
  number: fromQuery(changeRequests.number),
  seq: fromQuery(revisions.seq),
});

/** Finds the next revisions of main, or of this change request and later ones. */
const findNextRevisions = (space: SpaceId, { number, seq }: CutPosition, limit: number) =>
  nextRevisionRow.query(
    number === 0
      ? sql`SELECT id, 0 AS number, seq FROM revisions WHERE branch = ${space} AND seq > ${seq} ORDER BY seq LIMIT ${limit}`
      : sql`SELECT r.id, cr.number, r.seq FROM change_requests cr CROSS JOIN revisions r
          ON r.branch = cr.id AND r.seq > CASE WHEN cr.number = ${number} THEN ${seq} ELSE 0 END
        WHERE cr.space = ${space} AND cr.number >= ${number} ORDER BY cr.number, r.seq LIMIT ${limit}`,
  );

/**
 * Removes all branches from the lineages of revisions, except each revision's own branch and the branch of its space.
 * Finds the revisions by id, not by space.
 */
const cutRevisions = (space: SpaceId, ids: string[]): SQL => sql`
  UPDATE revisions SET lineage = (
    SELECT json_group_array(json(value) ORDER BY key) FROM json_each(lineage) WHERE value->>0 IN (revisions.branch, ${space}))
  WHERE id IN (${selectIds(ids)}) AND +space = ${space} AND json_array_length(lineage) > CASE WHEN branch = ${space} THEN 1 ELSE 2 END`;

/** Returns the SQL condition that the newest revision of main reads only its own branch. */
const isHeadFlattened = (space: SpaceId): SQL => sql`
  (SELECT json_array_length(lineage) FROM revisions WHERE branch = ${space} ORDER BY seq DESC LIMIT 1) = 1`;
