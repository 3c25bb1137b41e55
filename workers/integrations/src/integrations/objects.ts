import type { Database, Statement } from '@octavo/db';
import { connect, integrationObjects, readRows, runBatch, selection } from '@octavo/db';
import type { PageContext, ServedPage, Urls } from '@octavo/runtime';
import { serveObject } from '@octavo/runtime';
import { notFound, randomString } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';

const day = 24 * 3_600_000;
/**
 * Longer than any request that refers to an object at its end, than any run of a script that was read before, and than an
 * image is kept by who was shown its address.
 */
const graceMilliseconds = 2 * day;
const keyLength = 20;
const maxSweptAtOnce = 500;
const maxSweeps = 20;

/** What an object is, as the end of its key tells. */
export type ObjectKind = 'js' | 'png' | 'jpeg' | 'gif' | 'webp';

/** What is to be stored: a script, or an image. */
export interface NewObject {
  kind: ObjectKind;
  bytes: Uint8Array;
}

interface Storing {
  db: Database;
  env: Pick<IntegrationsEnvironment, 'RENDERED'>;
}

/** Uploads objects under new keys, which it gives in their order. They go after two days, unless `keepObjects` is written by then. */
export async function uploadObjects({ db, env }: Storing, objects: NewObject[]): Promise<string[]> {
  const keyed = objects.map((object) => ({
    ...object,
    key: `integrations/${randomString(keyLength)}-${object.kind}`,
  }));
  const sweepAt = Date.now() + graceMilliseconds;
  await runBatch(db, [db.insert(integrationObjects).values(keyed.map(({ key }) => ({ key, sweepAt })))]);
  for (const { key, bytes } of keyed) await env.RENDERED.put(key, bytes);
  return keyed.map(({ key }) => key);
}

/** Written in the batch of what refers to them. */
export const keepObjects = (db: Database, keys: string[]): Statement =>
  db.run(
    sql`UPDATE integration_objects SET sweep_at = NULL WHERE key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`,
  );

/** Those that an integration refers to. Written in the batch after which it does so no more. */
export const dropObjectsOf = (db: Database, name: string): Statement =>
  db.run(sql`UPDATE integration_objects SET sweep_at = ${Date.now() + graceMilliseconds} WHERE key IN (
    SELECT i.script FROM integrations i WHERE i.name = ${name}
    UNION SELECT i.icon FROM integrations i WHERE i.name = ${name}
    UNION SELECT e.value FROM integrations i CROSS JOIN json_each(i.preview_images) e WHERE i.name = ${name})`);

const sweptRow = selection({ key: aliasedTable(integrationObjects, 'o').key });

const sweptBefore = (now: SQL | number) => sql`
  SELECT ${sweptRow} FROM integration_objects o WHERE o.sweep_at IS NOT NULL AND o.sweep_at <= ${now}
  ORDER BY o.sweep_at LIMIT ${maxSweptAtOnce}`;

/** Deletes objects that nothing refers to any more, before their rows: a run that is ended in between finds them again. */
export async function sweepObjects(env: IntegrationsEnvironment): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const now = Date.now();
  for (let sweeps = 0, swept = maxSweptAtOnce; sweeps < maxSweeps && swept === maxSweptAtOnce; sweeps += 1) {
    const keys = (await readRows(db, sweptRow.query(sweptBefore(now)))).map(({ key }) => key);
    swept = keys.length;
    if (swept === 0) return;
    await env.RENDERED.delete(keys);
    await runBatch(db, [
      db.run(sql`DELETE FROM integration_objects WHERE key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`),
    ]);
  }
}

const folder = 'integrations/';
/** An image stays at its address for as long; the sweep waits longer. */
const keptSeconds = 24 * 3600;

/** Where anybody may have an image: its name is random, and no other version's. */
export const imageAddress = (key: string, urls: Urls): string =>
  urls.page(`/integration-images/${key.slice(folder.length)}`);

/** Gives an icon or a preview image; a script is none. */
async function serveImage(request: Request, context: PageContext<IntegrationsEnvironment>): Promise<Response> {
  const name = context.params.name ?? '';
  const kind = /^\w{20}-(png|jpeg|gif|webp)$/.exec(name)?.[1];
  const served =
    kind === undefined
      ? undefined
      : await serveObject(request, context.env.RENDERED, {
          key: `${folder}${name}`,
          etag: `"${name}"`,
          name: `${name.slice(0, name.indexOf('-'))}.${kind}`,
          contentType: `image/${kind}`,
          expires: Math.ceil(Date.now() / 1000) + keptSeconds,
          isOpen: true,
        });
  if (served === undefined) throw notFound('image');
  return served;
}

export const imagePages: ServedPage<IntegrationsEnvironment>[] = [
  { method: 'GET', path: '/integration-images/:name', handler: serveImage },
];
