import type { Database, Statement } from '@octavo/db';
import {
  connect,
  fitRows,
  fromQuery,
  hasQueries,
  installations,
  integrations,
  readRows,
  runBatch,
  selection,
  siteInstallations,
  spaceInstallations,
  splitIntoJson,
  subscriptions,
} from '@octavo/db';
import { describeError, getSealPrefix, log, seal, unseal } from '@octavo/runtime';
import type { Column, SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';

const maxPerPart = 250;
/** Maximum number of queries of a part. Values are up to 64 KB, and are written in several statements. */
const maxQueriesPerPart = 60;

/** `place` is the primary key as a JSON array. */
const sealedRow = selection({
  place: fromQuery(String),
  owner: fromQuery(String),
  sealed: fromQuery(String),
  cut: fromQuery(Boolean),
});

/**
 * Reseals values that were sealed with the former secret, while both are configured. When the log reports `isDone`,
 * OCTAVO_SECRET_PREVIOUS can be removed.
 */
export async function resealSecrets(env: IntegrationsEnvironment): Promise<void> {
  if (env.OCTAVO_SECRET_PREVIOUS === undefined) return;
  const { db } = connect(env.DB, { intent: 'write' });
  const begin = await getSealPrefix(env);
  let [isDone, sealedCount] = [true, 0];
  for (const sealedColumn of sealedColumns) {
    let after: string | undefined = startCursor;
    while (after !== undefined && hasQueries(env, maxQueriesPerPart)) {
      const part: Sealing = await sealPart(env, db, { sealedColumn, begin, after });
      sealedCount += part.sealedCount;
      after = part.next;
    }
    isDone &&= after === undefined;
  }
  log('info', 'resealed values of the previous secret', { sealed: sealedCount, isDone });
}

interface Sealing {
  sealedCount: number;
  /** The key after which the next part begins; undefined at the end. */
  next: string | undefined;
}

interface SealedPart {
  sealedColumn: SealedColumn;
  /** The prefix of values that are sealed with the current secret. */
  begin: string;
  after: string;
}

/** A value that neither secret opens is logged and does not stop the others. */
async function sealRow(env: IntegrationsEnvironment, { owner, sealed }: { owner: string; sealed: string }) {
  try {
    return await seal(env, owner, await unseal(env, owner, sealed));
  } catch (error) {
    log('error', 'could not decrypt a sealed value', { owner, cause: describeError(error) });
    return undefined;
  }
}

/** A cursor that precedes every row. */
const startCursor = '["",""]';

/** The columns of the primary key, and its values from a JSON array. */
const getKey = ({ key }: SealedColumn): SQL =>
  sql.join(
    key.map(({ name }) => sql.identifier(name)),
    sql`, `,
  );
const getValues = ({ key }: SealedColumn, keyJson: SQL | string): SQL =>
  sql.join(
    key.map((_, index) => sql`${keyJson}->>${sql.raw(String(index))}`),
    sql`, `,
  );

/** Reseals a part. Values that changed meanwhile are left unchanged. */
async function sealPart(env: IntegrationsEnvironment, db: Database, part: SealedPart): Promise<Sealing> {
  const { sealedColumn, begin, after } = part;
  const column = sql.identifier(sealedColumn.column.name);
  const selectRows = sql`SELECT json_array(${getKey(sealedColumn)}) AS place, ROW_NUMBER() OVER (ORDER BY ${getKey(sealedColumn)}) AS ordinal,
    ${sealedColumn.owner} AS owner, octet_length(${column}) AS size FROM ${sealedColumn.column.table}
    WHERE (${getKey(sealedColumn)}) > (${getValues(sealedColumn, after)}) AND substr(${column}, 1, ${begin.length}) <> ${begin}
    ORDER BY ${getKey(sealedColumn)} LIMIT ${maxPerPart}`;
  const rows = await readRows(
    db,
    sealedRow.query(sql`
      SELECT l.place, l.owner, ${column} AS sealed, l.cut FROM (${fitRows({ match: selectRows, order: sql`f.ordinal` })}) l
      CROSS JOIN ${sealedColumn.column.table} ON (${getKey(sealedColumn)}) = (${getValues(sealedColumn, sql`l.place`)}) ORDER BY l.ordinal`),
  );
  const resealedRows: { place: string; sealed: string; text: string }[] = [];
  for (const { place, owner, sealed } of rows) {
    const text = await sealRow(env, { owner, sealed });
    if (text !== undefined) resealedRows.push({ place, sealed, text });
  }
  const writes = splitIntoJson(resealedRows).map((json) =>
    sealedColumn.write(db, createResealUpdate(sealedColumn, json)),
  );
  if (writes.length > 0) await runBatch(db, writes);
  const last = rows.at(-1);
  return { sealedCount: resealedRows.length, next: rows.length === maxPerPart || last?.cut ? last?.place : undefined };
}

/** The values of a JSON array that replace sealed values. Selects from a subquery `r`. */
interface Resealed {
  from: SQL;
  text: SQL;
  /** Whether the row has the value that was read. */
  isUnchanged: SQL;
}

const createResealUpdate = (sealedColumn: SealedColumn, json: string): Resealed => ({
  from: sql`(SELECT value->>'place' AS place, value->>'sealed' AS read_value, value->>'text' AS resealed
    FROM json_each(${json})) r`,
  text: sql`r.resealed`,
  isUnchanged: sql`(${getKey(sealedColumn)}) = (${getValues(sealedColumn, sql`r.place`)})
    AND ${sql.identifier(sealedColumn.column.name)} = r.read_value`,
});

/** A column that contains sealed values. */
interface SealedColumn {
  column: Column;
  /** The primary key of its table; text columns only. */
  key: Column[];
  /** The owner for which the values are sealed. */
  owner: SQL;
  write(db: Database, values: Resealed): Statement;
}

/** All columns that contain sealed values. */
const sealedColumns: SealedColumn[] = [
  {
    column: integrations.secrets,
    key: [integrations.name],
    owner: sql`name`,
    write: (db, { from, text, isUnchanged }) =>
      db.update(integrations).set({ secrets: text }).from(from).where(isUnchanged),
  },
  {
    column: integrations.signingSecret,
    key: [integrations.name],
    owner: sql`name`,
    write: (db, { from, text, isUnchanged }) =>
      db.update(integrations).set({ signingSecret: text }).from(from).where(isUnchanged),
  },
  {
    column: subscriptions.secret,
    key: [subscriptions.id],
    owner: sql`sealed_for`,
    write: (db, { from, text, isUnchanged }) =>
      db.update(subscriptions).set({ secret: text }).from(from).where(isUnchanged),
  },
  {
    column: subscriptions.previousSecret,
    key: [subscriptions.id],
    owner: sql`sealed_for`,
    write: (db, { from, text, isUnchanged }) =>
      db.update(subscriptions).set({ previousSecret: text }).from(from).where(isUnchanged),
  },
  {
    column: installations.configuration,
    key: [installations.id],
    owner: sql`id`,
    write: (db, { from, text, isUnchanged }) =>
      db.update(installations).set({ configuration: text }).from(from).where(isUnchanged),
  },
  {
    column: installations.signingSecret,
    key: [installations.id],
    owner: sql`id`,
    write: (db, { from, text, isUnchanged }) =>
      db.update(installations).set({ signingSecret: text }).from(from).where(isUnchanged),
  },
  {
    column: spaceInstallations.configuration,
    key: [spaceInstallations.installation, spaceInstallations.space],
    owner: sql`installation || '/' || space`,
    write: (db, { from, text, isUnchanged }) =>
      db.update(spaceInstallations).set({ configuration: text }).from(from).where(isUnchanged),
  },
  {
    column: siteInstallations.configuration,
    key: [siteInstallations.installation, siteInstallations.site],
    owner: sql`installation || '/' || site`,
    write: (db, { from, text, isUnchanged }) =>
      db.update(siteInstallations).set({ configuration: text }).from(from).where(isUnchanged),
  },
];
