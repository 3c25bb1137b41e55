import type { Database, Parameter } from '@octavo/db';
import {
  abortUnless,
  commit,
  createOrderKeyAtEnd,
  foreverSeq,
  fromQuery,
  prepareQuery,
  readRows,
  retryOnConflict,
  runBatch,
  selectBranchLineage,
  selection,
  selectRoleRank,
  selectSpaceRank,
  splitIntoJson,
  versions,
} from '@octavo/db';
import { findFreeSlug, getUniqueSuffix } from '@octavo/markdown';
import type { Background } from '@octavo/runtime';
import { runMeteredWork, sendEvents } from '@octavo/runtime';
import type { Metered, NewEvent, RevisionId } from '@octavo/schema';
import { isApiError, maxPagesPerEvent } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { queryBranchState, requireOpenHead, requireStillOpen } from '../edit/edit-branch.ts';
import { queryNodes, querySlugs } from '../store/lineage.ts';
import { advanceLineage, createIncludeJobs, unknownContent, writeRevision } from '../store/revisions.ts';
import { createAddress, writeAddresses } from './address-book.ts';
import type { ImportRecord } from './import-record.ts';
import { describeImport } from './import-record.ts';
import { findImport, toFailedStep, writeStep } from './import-steps.ts';

/**
 * Moves the pages and files that an import has collected into its branch, as one revision. The import fails if the
 * branch can no longer be edited.
 */
export const finishImport = (env: ContentEnvironment, background: Background, id: string): Promise<Metered<void>> =>
  runMeteredWork(env, ({ db }) =>
    retryOnConflict(async () => {
      const record = await findImport(db, id);
      if (record?.status !== 'running' || record.phase !== 'arrive') return;
      const { statements, events } = await createFinalStep(db, record);
      const { messages } = await commit(
        db,
        { actor: record.createdBy, requestId: record.requestId, depth: record.depth },
        statements,
        events,
      );
      sendEvents(env, background, messages);
    }),
  );

async function createFinalStep(db: Database, record: ImportRecord): Promise<ReturnType<typeof writeStep>> {
  const {
    states: [state],
    rights: [rights],
    present,
    brought,
  } = await runBatch(db, {
    states: queryBranchState(record),
    present: queryNodes(selectBranchLineage(record.branch), sql`SELECT kind, id ${selectImportedVariables(record)}`),
    brought: valueRow.query(sql`SELECT ${valueRow} ${selectImportedVariables(record)}`),
    rights: rightsRow.query(sql`SELECT ${rightsRow.with({ mayEdit: mayEdit(record) })}`),
  });
  const head = state === undefined ? 'The space was deleted.' : getHeadOrError(state, rights?.mayEdit === true, record);
  if (typeof head === 'string') return writeStep(db, record, toFailedStep(record, head));
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
    summary: describeImport(record),
    writes: [],
  });
  const step = writeStep(db, record, {
    changes: { status: 'completed', phase: 'clean', revision: revision.id, finishedAt: Date.now() },
    statements: [
      requireStillOpen(db, record),
      abortUnless(db, mayEdit(record)),
      ...revision.statements,
      ...copyToBranch(db, record, { seq, kept: present.filter(({ deleted }) => !deleted).map(({ id }) => id) }),
      ...createKeptVariablesWarning(db, record, present, brought),
      ...(await appendTopPages(db, record, seq)),
    ],
  });
  const completed: NewEvent = {
    type: 'import.completed',
    organization,
    space,
    data: { import: record.id, revision: revision.id },
  };
  return { ...step, events: [...revision.events, completed, ...(await createPageEvents(db, record, revision.id))] };
}

/**
 * Returns the SQL condition that the user who started the import may still edit the space. An import can take half an
 * hour.
 */
function mayEdit({ space, createdBy }: ImportRecord): SQL {
  const rank = selectSpaceRank({ user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` });
  return sql`EXISTS (
    SELECT 1 FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = ${createdBy}
    WHERE s.id = ${space} AND ${rank} >= ${editRank})`;
}

const editRank = selectRoleRank(sql`'edit'`);

const rightsRow = selection({ mayEdit: fromQuery(Boolean) });

/** Returns the head that the import is based on, or an error message. */
function getHeadOrError(state: Parameters<typeof requireOpenHead>[0], may: boolean, record: ImportRecord) {
  if (!may) return 'The user who started the import can no longer edit the space.';
  try {
    return requireOpenHead(state, record);
  } catch (error) {
    if (isApiError(error)) return error.message;
    throw error;
  }
}

const isInImportBranch = (id: string | Parameter<string>) =>
  sql`branch = ${id} AND until = ${foreverSeq} AND deleted = 0`;

const selectImportedVariables = ({ id }: ImportRecord) =>
  sql`FROM versions WHERE ${isInImportBranch(id)} AND kind = 'variable'`;

/** Copies the newest states that the import gathered to the branch, except variables that the branch already has. */
const copyToBranch = (db: Database, record: ImportRecord, { seq, kept }: { seq: number; kept: string[] }) => {
  const isNew = sql`id NOT IN (SELECT value FROM json_each(${JSON.stringify(kept)}))`;
  return [
    db.run(sql`
      UPDATE versions SET until = ${seq}
      WHERE branch = ${record.branch} AND kind = 'variable' AND until = ${foreverSeq} AND id IN (
        SELECT id ${selectImportedVariables(record)} AND ${isNew})`),
    db.run(sql`
      INSERT INTO versions (branch, kind, id, since, until, parent, position, slug, deleted, data, document)
      SELECT ${record.branch}, kind, id, ${seq}, ${foreverSeq}, parent, position, slug, 0, data, document
      FROM versions WHERE ${isInImportBranch(record.id)}
        AND (kind IN ('page', 'file', 'reusable-content') OR kind = 'variable' AND ${isNew})`),
  ];
};

const valueRow = selection({ id: versions.id, data: versions.data });
type VariableRow = Pick<typeof versions.$inferSelect, 'id' | 'data'>;

/** Adds a warning for each variable whose value in the branch differs from its value in the import. */
function createKeptVariablesWarning(
  db: Database,
  { id }: ImportRecord,
  present: (VariableRow & { deleted: boolean })[],
  variables: VariableRow[],
) {
  const values = new Map(variables.map((each) => [each.id, getStoredValue(each)]));
  const rows = present
    .filter((each) => !each.deleted && getStoredValue(each) !== values.get(each.id))
    .map(({ id: name }) =>
      createAddress(id, {
        ...{ address: `problem variable ${name}`, url: `variable ${name}`, kind: 'problem', ordinal: -1 },
        ...{ status: 'done', title: 'warning', error: 'The space already has this variable. Its value was kept.' },
      }),
    );
  return writeAddresses(db, rows);
}

const getStoredValue = ({ data }: VariableRow): unknown =>
  (JSON.parse(data) as { fields: { value: unknown } }).fields.value;

const readTopPages = prepareQuery(
  selection({ id: versions.id, slug: versions.slug }),
  (select, id: Parameter<string>) =>
    select
      .from(versions)
      .where(sql`${isInImportBranch(id)} AND kind = 'page' AND parent = ''`)
      .orderBy(versions.position, versions.id),
);

/** Appends the imported top-level pages to the root of the branch, each with a free slug. */
async function appendTopPages(db: Database, record: ImportRecord, seq: number) {
  const tops = await readRows(db, readTopPages(record.id));
  const slugs = tops.map(({ slug }) => slug).filter((slug) => slug !== '');
  const siblings = await Promise.all(
    splitIntoJson([...new Set(slugs)]).map((json) =>
      readRows(db, querySlugs(selectBranchLineage(record.branch), sql`SELECT '', value FROM json_each(${json})`)),
    ),
  );
  const takenSlugs = new Set(siblings.flat().flatMap(({ id, slug }) => (id === '' ? [] : [slug])));
  const crowded = new Set(siblings.flat().flatMap(({ id, slug }) => (id === '' ? [slug] : [])));
  const now = Date.now();
  const placements = tops.map(({ id, slug }) => {
    const freeSlug =
      slug === '' ? '' : findFreeSlug(slug, takenSlugs, crowded.has(slug) ? getUniqueSuffix(id) : undefined);
    takenSlugs.add(freeSlug);
    return { id, slug: freeSlug, position: createOrderKeyAtEnd(now) };
  });
  return splitIntoJson(placements).map((json) =>
    db.run(sql`UPDATE versions SET slug = w.value->>'slug', position = w.value->>'position' FROM json_each(${json}) w
      WHERE versions.branch = ${record.branch} AND versions.kind = 'page' AND versions.id = w.value->>'id'
        AND versions.since = ${seq}`),
  );
}

const readGatheredTexts = prepareQuery(
  selection({ kind: versions.kind, id: versions.id }),
  (select, id: Parameter<string>) =>
    select.from(versions).where(sql`${isInImportBranch(id)} AND kind IN ('page', 'reusable-content')`),
);

/** Creates the events that make search index the new live pages, and the pages that include the new contents. */
async function createPageEvents(db: Database, record: ImportRecord, revision: RevisionId): Promise<NewEvent[]> {
  const { space, organization, branch } = record;
  if (branch !== space) return [];
  const rows = await readRows(db, readGatheredTexts(record.id));
  const pages = rows.flatMap(({ kind, id }) => (kind === 'page' ? [id] : []));
  const events: NewEvent[] = [];
  for (let start = 0; start < pages.length; start += maxPagesPerEvent) {
    const batch = pages.slice(start, start + maxPagesPerEvent);
    events.push({ type: 'content.changed', organization, space, data: { revision, pages: batch } });
  }
  // The contents are new, so only includes whose content was not found before can refer to them.
  const hasContents = rows.length > pages.length;
  events.push(...createIncludeJobs({ organization, space }, hasContents ? [unknownContent] : []));
  return events;
}
