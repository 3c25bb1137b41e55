import type { Database, Parameter, Query, RecordOf, Statement } from '@octavo/db';
import {
  abortUnless,
  addSpaceGrants,
  commit,
  computed,
  connect,
  hasQueries,
  installations,
  integrations,
  nullable,
  prepareQuery,
  readRow,
  readRows,
  retryOnConflict,
  selection,
  siteInstallations,
  spaceInstallations,
  splitIntoJson,
} from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { describeError, log, sendEvents } from '@octavo/runtime';
import type { NewEvent } from '@octavo/schema';
import { createId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, eq, isNull, sql } from 'drizzle-orm';
import { getStatus, readConfiguration } from '../configuration/configuration.ts';
import { createChangeEvent } from '../content-installations/presenter.ts';
import type { ContentKind } from '../content-installations/queries.ts';
import { contentKinds, getSealOwner } from '../content-installations/queries.ts';
import type { IntegrationsEnvironment } from '../environment.ts';

const perPart = 100;
/** Maximum parts per run and integration, queries per part, and integrations per run. The next run continues. */
const maxParts = 20;
const maxQueriesPerPart = 40;
const maxIntegrations = 20;

const g = aliasedTable(integrations, 'g');
const settlingRow = selection({
  ...{ name: g.name, version: g.version, configurations: g.configurations },
  settlingFrom: nullable(g.settlingFrom),
});
type SettlingIntegration = RecordOf<typeof settlingRow>;

const selectSettling = prepareQuery(settlingRow, (select, name: Parameter<string>) =>
  select.from(g).where(and(eq(g.name, name), isNull(g.unpublishedAt))),
);

const nameRow = selection({ name: g.name });

/**
 * Continues with integrations whose pending installations were not all reviewed. A failed integration does not stop the
 * others.
 */
export async function settleAllPending(env: IntegrationsEnvironment, background: Background): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const settling = nameRow.query(sql`SELECT ${nameRow} FROM integrations g INDEXED BY integrations_settling
    WHERE g.settling_from IS NOT NULL ORDER BY g.updated_at LIMIT ${maxIntegrations}`);
  for (const { name } of await readRows(db, settling))
    await settlePending(env, background, name).catch((error: unknown) =>
      log('error', 'could not review pending installations', { integration: name, cause: describeError(error) }),
    );
}

/**
 * Reviews the pending installations of an integration after a new version was published, in bounded parts. Those that
 * are complete become active.
 */
export async function settlePending(env: IntegrationsEnvironment, background: Background, name: string): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  for (let part = 0; part < maxParts && hasQueries(env, maxQueriesPerPart); part += 1) {
    const hasMore = await retryOnConflict(() => settlePart({ env, db, background }, name));
    if (!hasMore) return;
  }
}

interface Context {
  env: IntegrationsEnvironment;
  db: Database;
  background: Background;
}

async function settlePart({ env, db, background }: Context, name: string): Promise<boolean> {
  const settling = await readRow(db, selectSettling(name));
  if (settling === undefined || settling.settlingFrom === null) return false;
  const cursor = parseCursor(settling.settlingFrom);
  const pending = await readRows(db, selectPendingRows(name, cursor, perPart));
  const isReady = await Promise.all(pending.map((each) => isComplete(env, settling, { kind: cursor.kind, ...each })));
  const ready = pending.filter((_, index) => isReady[index]);
  const next = getNextPosition(cursor, pending);
  const { version, settlingFrom } = settling;
  const asRead = sql`g.name = ${name} AND g.unpublished_at IS NULL AND g.version = ${version}
    AND g.settling_from = ${settlingFrom}`;
  const write = [
    abortUnless(db, sql`EXISTS (SELECT 1 FROM integrations g WHERE ${asRead})`),
    ...splitIntoJson(ready).flatMap((json) => activate(db, cursor.kind, json)),
    db.run(sql`UPDATE integrations SET settling_from = ${next} WHERE name = ${name}`),
  ];
  const caller = { actor: 'system', requestId: createId('request') };
  const events = ready.map((each) => createEvent(cursor.kind, name, each));
  const { messages } = await commit(db, caller, write, events);
  sendEvents(env, background, messages);
  return next !== null;
}

/** Returns the position after a part as text, or null at the end. */
function getNextPosition({ kind }: PendingCursor, pending: PendingRecord[]): string | null {
  const last = pending.at(-1);
  if (last !== undefined && pending.length === perPart) return [kind, last.installation, last.place].join(' ');
  return pendingKinds[pendingKinds.indexOf(kind) + 1] ?? null;
}

function parseCursor(text: string): PendingCursor {
  const [name, installation = '', targetId = ''] = text.split(' ');
  const kind = pendingKinds.find((each) => each === name);
  if (kind === undefined) throw new TypeError(`Unknown kind of pending installation: ${name}.`);
  return { kind, installation, targetId };
}

const getOwner = ({ installation, place }: PendingRecord): string =>
  place === '' ? installation : getSealOwner(installation, place);

/** A configuration that cannot be unsealed stays pending and does not stop the others. */
async function isComplete(
  env: IntegrationsEnvironment,
  { configurations }: SettlingIntegration,
  { kind, ...record }: PendingRecord & { kind: PendingKind },
): Promise<boolean> {
  const properties = configurations?.[kind === 'installation' ? 'account' : kind];
  try {
    return getStatus(properties, await readConfiguration(env, getOwner(record), record.configuration)) === 'active';
  } catch (error) {
    log('error', 'could not decrypt a configuration', { owner: getOwner(record), cause: describeError(error) });
    return false;
  }
}

/** Activates the rows of a JSON array of pending records. Fails if one of them was changed or deleted meanwhile. */
function activate(db: Database, kind: PendingKind, json: string): Statement[] {
  const [table, key, values] =
    kind === 'installation'
      ? [sql.raw('installations'), sql.raw('id'), sql.raw('listed')]
      : [contentKinds[kind].table, sql`(installation, ${contentKinds[kind].column})`, sql.raw('listed, at')];
  const records = sql`(SELECT value->>'installation' AS listed, value->>'place' AS at, value->>'configuration' AS read_configuration
    FROM json_each(${json}))`;
  const isUnchanged = sql`${key} = (${values}) AND status = 'pending' AND configuration = read_configuration`;
  return [
    abortUnless(
      db,
      sql`(SELECT COUNT(*) FROM ${records} CROSS JOIN ${table} ON ${isUnchanged}) = json_array_length(${json})`,
    ),
    ...activateInstallations(db, kind, { json, isListed: sql`${key} IN (SELECT ${values} FROM ${records})` }),
  ];
}

function activateInstallations(db: Database, kind: PendingKind, { json, isListed }: { json: string; isListed: SQL }) {
  const active = { status: 'active' as const, updatedAt: Date.now() };
  if (kind === 'installation') return [db.update(installations).set(active).where(isListed)];
  if (kind === 'site') return [db.update(siteInstallations).set(active).where(isListed)];
  return [db.update(spaceInstallations).set(active).where(isListed), addSpaceGrants(db, json)];
}

function createEvent(
  kind: PendingKind,
  integration: string,
  { installation, place, organization }: PendingRecord,
): NewEvent {
  const [status, previous] = ['active', 'pending'] as const;
  if (kind !== 'installation')
    return createChangeEvent(kind, { installation, integration, status, organization, place }, previous);
  return { type: 'installation.updated', organization, data: { installation, integration, status, previous } };
}

/**
 * The kinds of rows that can be pending: installations, and installations on spaces and on sites. They are reviewed in
 * this order.
 */
const pendingKinds = ['installation', 'space', 'site'] as const;
type PendingKind = (typeof pendingKinds)[number];

/** The cursor: the last reviewed row. Its strings are empty before the first row. */
interface PendingCursor {
  kind: PendingKind;
  installation: string;
  targetId: string;
}

const i = aliasedTable(installations, 'i');
const installationTables = { space: aliasedTable(spaceInstallations, 'x'), site: aliasedTable(siteInstallations, 'x') };

const accountColumns = { installation: i.id, account: i.account, organization: i.organization };
const wholeRow = selection({
  ...{ place: computed(String, sql`''`), ...accountColumns },
  configuration: computed(String, sql`i.configuration`),
});
const createPlacedRow = (kind: ContentKind) =>
  selection({
    ...{ place: computed(String, sql`x.${contentKinds[kind].column}`), ...accountColumns },
    configuration: computed(String, sql`${installationTables[kind].configuration}`),
  });

/** A pending row with its sealed configuration; `targetId` is empty for an installation itself. */
type PendingRecord = RecordOf<typeof wholeRow>;

/** Selects the next pending rows of an integration, including those of spaces in the trash. */
function selectPendingRows(
  integration: string,
  { kind, installation, targetId }: PendingCursor,
  limit: number,
): Query<PendingRecord> {
  if (kind === 'installation')
    return wholeRow.query(sql`SELECT ${wholeRow} FROM installations i INDEXED BY installations_pending
      WHERE i.integration = ${integration} AND i.status = 'pending' AND i.id > ${installation}
      ORDER BY i.id LIMIT ${limit}`);
  const { table, column } = contentKinds[kind];
  const row = createPlacedRow(kind);
  return row.query(sql`SELECT ${row} FROM ${table} x INDEXED BY ${table}_pending
    CROSS JOIN installations i ON i.id = x.installation
    WHERE x.integration = ${integration} AND x.status = 'pending'
      AND (x.installation, x.${column}) > (${installation}, ${targetId})
    ORDER BY x.installation, x.${column} LIMIT ${limit}`);
}
