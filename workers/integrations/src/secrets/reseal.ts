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
/** Per run; the next run continues. */
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
  let [left, sealed] = [maxParts, 0];
  for (const of of sealedColumns) {
    for (let after: string | undefined = noPlace; after !== undefined && left > 0; left -= 1) {
      const part: Sealing = await sealPart(env, db, { of, begin, after });
      sealed += part.sealed;
      after = part.next;
    }
  }
  log('info', 'resealed values of the previous secret', { sealed, isDone: left > 0 });
}

interface Sealing {
  sealed: number;
  /** The key after which the next part begins; undefined at the end. */
  next: string | undefined;
}

interface SealedPart {
  of: SealedColumn;
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
const noPlace = '["",""]';

/** The columns of the primary key, and its values from a JSON array. */
const getKey = ({ key }: SealedColumn): SQL =>
  sql.join(
    key.map(({ name }) => sql.identifier(name)),
    sql`, `,
  );
const getValues = ({ key }: SealedColumn, place: SQL | string): SQL =>
  sql.join(
    key.map((_, index) => sql`${place}->>${sql.raw(String(index))}`),
    sql`, `,
  );

/** Reseals a part. Values that changed meanwhile are left unchanged. */
async function sealPart(env: IntegrationsEnvironment, db: Database, part: SealedPart): Promise<Sealing> {
  const { of, begin, after } = part;
  const column = sql.identifier(of.column.name);
  const found = sql`SELECT json_array(${getKey(of)}) AS place, ROW_NUMBER() OVER (ORDER BY ${getKey(of)}) AS ordinal,
    ${of.owner} AS owner, octet_length(${column}) AS size FROM ${of.column.table}
    WHERE (${getKey(of)}) > (${getValues(of, after)}) AND substr(${column}, 1, ${begin.length}) <> ${begin}
    ORDER BY ${getKey(of)} LIMIT ${maxPerPart}`;
  const rows = await readRows(
    db,
    sealedRow.query(sql`
      SELECT l.place, l.owner, ${column} AS sealed, l.cut FROM (${fitRows({ found, order: sql`f.ordinal` })}) l
      CROSS JOIN ${of.column.table} ON (${getKey(of)}) = (${getValues(of, sql`l.place`)}) ORDER BY l.ordinal`),
  );
  const anew: Statement[] = [];
  for (const row of rows) {
    const text = await sealRow(env, row);
    const isSame = sql`(${getKey(of)}) = (${getValues(of, row.place)}) AND ${column} = ${row.sealed}`;
    if (text !== undefined) anew.push(of.write(db, text, isSame));
  }
  if (anew.length > 0) await runBatch(db, anew);
  const last = rows.at(-1);
  return { sealed: anew.length, next: rows.length === maxPerPart || last?.cut ? last?.place : undefined };
}

/** A column of sealed values. */
interface SealedColumn {
  column: Column;
  /** The primary key of its table; text columns only. */
  key: Column[];
  /** The owner that values are sealed for. */
  owner: SQL;
  write(db: Database, sealed: string, where: SQL): Statement;
}

/** All columns of sealed values. */
const sealedColumns: SealedColumn[] = [
  {
    column: integrations.secrets,
    key: [integrations.name],
    owner: sql`name`,
    write: (db, secrets, where) => db.update(integrations).set({ secrets }).where(where),
  },
  {
    column: integrations.signingSecret,
    key: [integrations.name],
    owner: sql`name`,
    write: (db, signingSecret, where) => db.update(integrations).set({ signingSecret }).where(where),
  },
  {
    column: subscriptions.secret,
    key: [subscriptions.id],
    owner: sql`sealed_for`,
    write: (db, secret, where) => db.update(subscriptions).set({ secret }).where(where),
  },
  {
    column: subscriptions.previousSecret,
    key: [subscriptions.id],
    owner: sql`sealed_for`,
    write: (db, previousSecret, where) => db.update(subscriptions).set({ previousSecret }).where(where),
  },
  {
    column: installations.configuration,
    key: [installations.id],
    owner: sql`id`,
    write: (db, configuration, where) => db.update(installations).set({ configuration }).where(where),
  },
  {
    column: installations.signingSecret,
    key: [installations.id],
    owner: sql`id`,
    write: (db, signingSecret, where) => db.update(installations).set({ signingSecret }).where(where),
  },
  {
    column: spaceInstallations.configuration,
    key: [spaceInstallations.installation, spaceInstallations.space],
    owner: sql`installation || '/' || space`,
    write: (db, configuration, where) => db.update(spaceInstallations).set({ configuration }).where(where),
  },
  {
    column: siteInstallations.configuration,
    key: [siteInstallations.installation, siteInstallations.site],
    owner: sql`installation || '/' || site`,
    write: (db, configuration, where) => db.update(siteInstallations).set({ configuration }).where(where),
  },
];
