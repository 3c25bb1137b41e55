import type { NodeKind, Statement } from '@octavo/db';
import { given, holds, maybe, must, readRows, releaseSources, runBatch, selection, selectSources } from '@octavo/db';
import { commitStep } from '@octavo/runtime';
import type { NewEvent, SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { copyNodes, findNextNodes } from './copy-nodes.ts';
import type { CutPosition } from './cut-revisions.ts';
import { cutRevisions, findNextRevisions, isHeadCut } from './cut-revisions.ts';
import type { Job, JobContext } from './job.ts';

/** The kinds of nodes, in the order in which they are copied. */
const kinds = Object.keys({ file: 1, page: 1, 'reusable-content': 1, variable: 1 } satisfies Record<NodeKind, 1>);

const nodesPerStep = 200;
const revisionsPerStep = 500;

/**
 * A space that was duplicated from duplicates reads through many branches. First all that it reads of others is copied
 * into its own branch, as if its first revision had written it, tombstones too: at every moment a reader finds the same
 * there or further down. Then the others are cut off the lineages, and their sources may be purged. A writer that read
 * an uncut lineage before may write one more: it reads the same as well, for its own branch covers all of the others.
 */
export const flattenSpace: Job<'flatten_space'> = async (taken, context) => {
  const { organization, space } = taken;
  if (organization === null || space === null) throw new Error('The job names no space.');
  const { after, cut } = taken.data;
  const isKept = sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND purging_at IS NULL)`;
  // What a purge has passed already would stay for good.
  if (!(await holds(context.db, isKept))) {
    await commitStep(context, taken, { statements: [] });
    return;
  }
  const part: Step =
    cut === undefined
      ? await copyStep(context, space, after ?? { kind: kinds[0] ?? '', id: '' })
      : await cutStep(context, space, cut);
  const next: NewEvent[] =
    part.next === undefined ? [] : [{ type: 'flatten_space', organization, space, data: part.next }];
  // What is purged because the copy holds it no longer is nobody's doing.
  const step = {
    statements: [must(context.db, isKept), ...part.statements],
    events: [...(part.events ?? []), ...next],
  };
  await commitStep(context, { ...taken, actor: 'system' }, step);
};

const headRow = selection({ isCut: maybe(given(Boolean)) });

interface Step {
  statements: Statement[];
  events?: NewEvent[];
  next: { after: { kind: string; id: string } } | { cut: CutPosition } | undefined;
}

async function copyStep({ db }: JobContext, space: SpaceId, after: { kind: string; id: string }): Promise<Step> {
  const { kind } = after;
  const ids = (await readRows(db, findNextNodes(space, after, nodesPerStep))).map(({ id }) => id);
  const last = ids.length < nodesPerStep ? undefined : ids.at(-1);
  const nextKind = kinds[kinds.indexOf(kind) + 1];
  const statements = ids.length === 0 ? [] : [db.run(copyNodes(space, kind, ids))];
  if (last !== undefined) return { statements, next: { after: { kind, id: last } } };
  if (nextKind !== undefined) return { statements, next: { after: { kind: nextKind, id: '' } } };
  return { statements, next: { cut: { number: 0, seq: 0 } } };
}

async function cutStep({ db }: JobContext, space: SpaceId, after: CutPosition): Promise<Step> {
  const found = await readRows(db, findNextRevisions(space, after, revisionsPerStep));
  const last = found.at(-1);
  const statements =
    last === undefined
      ? []
      : [
          db.run(
            cutRevisions(
              space,
              found.map(({ id }) => id),
            ),
          ),
        ];
  if (last !== undefined && found.length === revisionsPerStep) {
    return { statements, next: { cut: { number: last.number, seq: last.seq } } };
  }
  if (after.number === 0) return { statements, next: { cut: { number: 1, seq: 0 } } };
  const { heads, sources } = await runBatch(db, {
    heads: headRow.query(sql`SELECT ${headRow.with({ isCut: isHeadCut(space) })}`),
    sources: selectSources(space),
  });
  if (heads[0]?.isCut === false) return { statements, next: { cut: { number: 0, seq: 0 } } };
  const released = releaseSources(db, space, sources);
  return {
    statements: [...statements, must(db, isHeadCut(space)), ...released.statements],
    events: released.events,
    next: undefined,
  };
}
