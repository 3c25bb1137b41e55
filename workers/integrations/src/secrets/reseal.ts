import type { Database, Statement } from '@octavo/db';
import {
  connect,
  fitRows,
  fromQuery,
  installations,
  integrations,
  readRows,
  runBatch,
  selection,
  siteInstallations,
  spaceInstallations,
  subscriptions,
} from '@octavo/db';
import { describeError, getSealPrefix, log, seal, unseal } from '@octavo/runtime';
import type { Column, SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';

const maxPerPart = 100;
/** Maximum number of parts per run. The next run continues. */
const maxParts = 100;

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
  let [remainingParts, sealedCount] = [maxParts, 0];
  for (const sealedColumn of sealedColumns) {
    for (let after: string | undefined = startCursor; after !== undefined && remainingParts > 0; remainingParts -= 1) {
      const part: Sealing = await sealPart(env, db, { sealedColumn, begin, after });
      sealedCount += part.sealedCount;
      after = part.next;
    }
  }
  log('info', 'resealed values of the previous secret', { sealed: sealedCount, isDone: remainingParts > 0 });
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

/** Sorts before every row. */
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
  const resealedRows: Statement[] = [];
  for (const row of rows) {
    const text = await sealRow(env, row);
    const isSameRow = sql`(${getKey(sealedColumn)}) = (${getValues(sealedColumn, row.place)}) AND ${column} = ${row.sealed}`;
    if (text !== undefined) resealedRows.push(sealedColumn.write(db, text, isSameRow));
  }
  if (resealedRows.length > 0) await runBatch(db, resealedRows);
  const last = rows.at(-1);
  return { sealedCount: resealedRows.length, next: rows.length === maxPerPart || last?.cut ? last?.place : undefined };
}

/** A column that contains sealed values. */
interface SealedColumn {
  column: Column;
  /** The primary key of its table; text columns only. */
  key: Column[];
  /** The owner for which the values are sealed. */
  owner: SQL;
  write(db: Database, sealedText: string, condition: SQL): Statement;
}

/** All columns that contain sealed values. */
const sealedColumns: SealedColumn[] = [
  {
    column: integrations.secrets,
    key: [integrations.name],
    owner: sql`name`,
    write: (db, secrets, condition) => db.update(integrations).set({ secrets }).where(condition),
  },
  {
    column: integrations.signingSecret,
    key: [integrations.name],
    owner: sql`name`,
    write: (db, signingSecret, condition) => db.update(integrations).set({ signingSecret }).where(condition),
  },
  {
    column: subscriptions.secret,
    key: [subscriptions.id],
    owner: sql`sealed_for`,
    write: (db, secret, condition) => db.update(subscriptions).set({ secret }).where(condition),
  },
  {
    column: subscriptions.previousSecret,
    key: [subscriptions.id],
    owner: sql`sealed_for`,
    write: (db, previousSecret, condition) => db.update(subscriptions).set({ previousSecret }).where(condition),
  },
  {
    column: installations.configuration,
    key: [installations.id],
    owner: sql`id`,
    write: (db, configuration, condition) => db.update(installations).set({ configuration }).where(condition),
  },
  {
    column: installations.signingSecret,
    key: [installations.id],
    owner: sql`id`,
    write: (db, signingSecret, condition) => db.update(installations).set({ signingSecret }).where(condition),
  },
  {
    column: spaceInstallations.configuration,
    key: [spaceInstallations.installation, spaceInstallations.space],
    owner: sql`installation || '/' || space`,
    write: (db, configuration, condition) => db.update(spaceInstallations).set({ configuration }).where(condition),
  },
  {
    column: siteInstallations.configuration,
    key: [siteInstallations.installation, siteInstallations.site],
    owner: sql`installation || '/' || site`,
    write: (db, configuration, condition) => db.update(siteInstallations).set({ configuration }).where(condition),
  },
];
