import type { Database, Parameter } from '@octavo/db';
import {
  abortUnless,
  commit,
  foreverSeq,
  fromQuery,
  orderKeyAtEnd,
  prepareQuery,
  readRows,
  retryOnConflict,
  roleRank,
  runBatch,
  selection,
  spaceRank,
  splitIntoJson,
  versions,
} from '@octavo/db';
import { nextFreeSlug, uniqueSuffix } from '@octavo/markdown';
import type { Background } from '@octavo/runtime';
import { runMetered, sendEvents } from '@octavo/runtime';
import type { Metered, NewEvent, RevisionId } from '@octavo/schema';
import { isApiError, maxPagesPerEvent } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { readBranchState, requireOpenHead, requireStillOpen } from '../edit/edit-branch.ts';
import { findNodes, findSlugs, selectBranchLineage } from '../store/lineage.ts';
import { advanceLineage, writeRevision } from '../store/revisions.ts';
import { newAddress, writeAddresses } from './address-book.ts';
import type { ImportRecord } from './import-record.ts';
import { failed, findImport, writeStep } from './import-steps.ts';

/** Brings what an import has gathered into its branch, as one revision; where that is closed by now, the import fails. */
export const bringImport = (env: ContentEnvironment, background: Background, id: string): Promise<Metered<void>> =>
  runMetered(env, ({ db }) =>
    retryOnConflict(async () => {
      const record = await findImport(db, id);
      if (record?.status !== 'running' || record.phase !== 'arrive') return;
      const { statements, events } = await arrivalOf(db, record);
      const { waiting } = await commit(
        db,
        { actor: record.createdBy, requestId: record.requestId, depth: record.depth },
        statements,
        events,
      );
      sendEvents(env, background, waiting);
    }),
  );

async function arrivalOf(db: Database, record: ImportRecord): Promise<ReturnType<typeof writeStep>> {
  const {
    states: [state],
    rights: [rights],
    present,
    brought,
  } = await runBatch(db, {
    states: readBranchState(record),
    present: findNodes(selectBranchLineage(record.branch), sql`SELECT kind, id ${broughtVariables(record)}`),
    brought: valueRow.query(sql`SELECT ${valueRow} ${broughtVariables(record)}`),
    rights: rightsRow.query(sql`SELECT ${rightsRow.with({ mayEdit: mayEdit(record) })}`),
  });
  const head = state === undefined ? 'The space was deleted.' : headOrRefusal(state, rights?.mayEdit === true, record);
  if (typeof head === 'string') return writeStep(db, record, failed(record, head));
  const seq = head.seq + 1;
  const { space, branch, organization } = record;
  const revision = writeRevision(db, {
    space,
    organization,
    branch,
    seq,
    type: 'edits',
    parents: [head.revision],
    lineage: advanceLineage(head.lineage, branch, seq),
    author: record.createdBy,
    summary: `Import of ${record.url}`,
    writes: [],
  });
  const step = writeStep(db, record, {
    changes: { status: 'completed', phase: 'clean', revision: revision.id, finishedAt: Date.now() },
    statements: [
      requireStillOpen(db, record),
      abortUnless(db, mayEdit(record)),
      ...revision.statements,
      ...copyInto(db, record, { seq, kept: present.filter(({ deleted }) => !deleted).map(({ id }) => id) }),
      ...tellKept(db, record, present, brought),
      ...(await placeAtEnd(db, record, seq)),
    ],
  });
  const completed: NewEvent = {
    type: 'import.completed',
    organization,
    space,
    data: { import: record.id, revision: revision.id },
  };
  return { ...step, events: [...revision.events, completed, ...(await pageEvents(db, record, revision.id))] };
}

/** Whoever started an import edits the space at its end too: it may have taken half an hour. */
function mayEdit({ space, createdBy }: ImportRecord): SQL {
  const rank = spaceRank({ user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` });
  return sql`EXISTS (
    SELECT 1 FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = ${createdBy}
    WHERE s.id = ${space} AND ${rank} >= ${rankOfEdit})`;
}

const rankOfEdit = roleRank(sql`'edit'`);

const rightsRow = selection({ mayEdit: fromQuery(Boolean) });

/** The head that the import arrives on, or why it may not. */
function headOrRefusal(state: Parameters<typeof requireOpenHead>[0], may: boolean, record: ImportRecord) {
  if (!may) return 'The user who started the import can no longer edit the space.';
  try {
    return requireOpenHead(state, record);
  } catch (error) {
    if (isApiError(error)) return error.message;
    throw error;
  }
}

const gathered = (id: string | Parameter<string>) => sql`branch = ${id} AND until = ${foreverSeq} AND deleted = 0`;

const broughtVariables = ({ id }: ImportRecord) => sql`FROM versions WHERE ${gathered(id)} AND kind = 'variable'`;

/** The newest states that were gathered become states of the branch, but for variables that it has: those it keeps. */
const copyInto = (db: Database, record: ImportRecord, { seq, kept }: { seq: number; kept: string[] }) => {
  const isNew = sql`id NOT IN (SELECT value FROM json_each(${JSON.stringify(kept)}))`;
  return [
    db.run(sql`
      UPDATE versions SET until = ${seq}
      WHERE branch = ${record.branch} AND kind = 'variable' AND until = ${foreverSeq} AND id IN (
        SELECT id ${broughtVariables(record)} AND ${isNew})`),
    db.run(sql`
      INSERT INTO versions (branch, kind, id, since, until, parent, position, slug, deleted, data, document)
      SELECT ${record.branch}, kind, id, ${seq}, ${foreverSeq}, parent, position, slug, 0, data, document
      FROM versions WHERE ${gathered(record.id)}
        AND (kind IN ('page', 'file', 'reusable-content') OR kind = 'variable' AND ${isNew})`),
  ];
};

const valueRow = selection({ id: versions.id, data: versions.data });
type Valued = Pick<typeof versions.$inferSelect, 'id' | 'data'>;

/** A warning for each variable that has another value in the branch than in what is imported. */
function tellKept(db: Database, { id }: ImportRecord, present: (Valued & { deleted: boolean })[], brought: Valued[]) {
  const values = new Map(brought.map((each) => [each.id, storedValue(each)]));
  const rows = present
    .filter((each) => !each.deleted && storedValue(each) !== values.get(each.id))
    .map(({ id: name }) =>
      newAddress(id, {
        ...{ address: `problem variable ${name}`, url: `variable ${name}`, kind: 'problem', ordinal: -1 },
        ...{ status: 'done', title: 'warning', error: 'The space already has this variable. Its value was kept.' },
      }),
    );
  return writeAddresses(db, rows);
}

const storedValue = ({ data }: Valued): unknown => (JSON.parse(data) as { fields: { value: unknown } }).fields.value;

const topPages = prepareQuery(selection({ id: versions.id, slug: versions.slug }), (select, id: Parameter<string>) =>
  select
    .from(versions)
    .where(sql`${gathered(id)} AND kind = 'page' AND parent = ''`)
    .orderBy(versions.position, versions.id),
);

/** The pages at the top go behind what the branch has at its root, each with a slug that is free there. */
async function placeAtEnd(db: Database, record: ImportRecord, seq: number) {
  const tops = await readRows(db, topPages(record.id));
  const wanted = tops.map(({ slug }) => slug).filter((slug) => slug !== '');
  const found = await Promise.all(
    splitIntoJson([...new Set(wanted)]).map((json) =>
      readRows(db, findSlugs(selectBranchLineage(record.branch), sql`SELECT '', value FROM json_each(${json})`)),
    ),
  );
  const taken = new Set(found.flat().flatMap(({ id, slug }) => (id === '' ? [] : [slug])));
  const crowded = new Set(found.flat().flatMap(({ id, slug }) => (id === '' ? [slug] : [])));
  const now = Date.now();
  const places = tops.map(({ id, slug }) => {
    const free = slug === '' ? '' : nextFreeSlug(slug, taken, crowded.has(slug) ? uniqueSuffix(id) : undefined);
    taken.add(free);
    return { id, slug: free, position: orderKeyAtEnd(now) };
  });
  return splitIntoJson(places).map((json) =>
    db.run(sql`UPDATE versions SET slug = w.value->>'slug', position = w.value->>'position' FROM json_each(${json}) w
      WHERE versions.branch = ${record.branch} AND versions.kind = 'page' AND versions.id = w.value->>'id'
        AND versions.since = ${seq}`),
  );
}

const gatheredPages = prepareQuery(selection({ id: versions.id }), (select, id: Parameter<string>) =>
  select.from(versions).where(sql`${gathered(id)} AND kind = 'page'`),
);

/** What tells the search of the live content which pages are new. */
async function pageEvents(db: Database, record: ImportRecord, revision: RevisionId): Promise<NewEvent[]> {
  const { space, organization, branch } = record;
  if (branch !== space) return [];
  const rows = await readRows(db, gatheredPages(record.id));
  const pages = rows.map(({ id }) => id);
  const events: NewEvent[] = [];
  for (let start = 0; start < pages.length; start += maxPagesPerEvent) {
    const some = pages.slice(start, start + maxPagesPerEvent);
    events.push({ type: 'content.changed', organization, space, data: { revision, pages: some } });
  }
  return events;
}
