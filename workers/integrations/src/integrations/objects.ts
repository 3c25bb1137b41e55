import type { Database, Parameter, Statement } from '@octavo/db';
import { connect, hasQueries, integrationObjects, prepareQuery, readRows, runBatch, selection } from '@octavo/db';
import type { PageContext, ServedPage, Urls } from '@octavo/runtime';
import { serveObject } from '@octavo/runtime';
import { createRandomString, notFound } from '@octavo/schema';
import { aliasedTable, and, isNotNull, lte, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';

const day = 24 * 3_600_000;
/**
 * Unreferenced objects are deleted after this time. It is longer than any request that uploads an object and then
 * references it, any script run that has read the object, and the time for which caches store an image.
 */
const graceMilliseconds = 2 * day;
const keyLength = 20;
const maxSweptAtOnce = 500;

/** The kind of an object. Its key ends with the kind. */
export type ObjectKind = 'js' | 'png' | 'jpeg' | 'gif' | 'webp';

/** A script or an image to upload. */
export interface NewObject {
  kind: ObjectKind;
  bytes: Uint8Array;
}

interface Storing {
  db: Database;
  env: Pick<IntegrationsEnvironment, 'RENDERED'>;
}

/**
 * Uploads objects and returns their keys, in order. They are deleted after two days unless a commit references them by
 * then.
 */
export async function uploadObjects({ db, env }: Storing, objects: NewObject[]): Promise<string[]> {
  const keyedObjects = objects.map((object) => ({
    ...object,
    key: `integrations/${createRandomString(keyLength)}-${object.kind}`,
  }));
  const sweepAt = Date.now() + graceMilliseconds;
  await runBatch(db, [db.insert(integrationObjects).values(keyedObjects.map(({ key }) => ({ key, sweepAt })))]);
  for (const { key, bytes } of keyedObjects) await env.RENDERED.put(key, bytes);
  return keyedObjects.map(({ key }) => key);
}

/** Returns the statement that marks objects as referenced. It must be part of the batch that references them. */
export const markReferenced = (db: Database, keys: string[]): Statement =>
  db.run(
    sql`UPDATE integration_objects SET sweep_at = NULL WHERE key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`,
  );

/** Schedules the deletion of an integration's objects. Must be part of the batch that removes the references. */
export const markAllUnreferenced = (db: Database, name: string): Statement =>
  db.run(sql`UPDATE integration_objects SET sweep_at = ${Date.now() + graceMilliseconds} WHERE key IN (
    SELECT i.script FROM integrations i WHERE i.name = ${name}
    UNION SELECT i.icon FROM integrations i WHERE i.name = ${name}
    UNION SELECT e.value FROM integrations i CROSS JOIN json_each(i.preview_images) e WHERE i.name = ${name})`);

const o = aliasedTable(integrationObjects, 'o');
const sweptBefore = prepareQuery(selection({ key: o.key }), (select, now: Parameter<number>) =>
  select
    .from(o)
    .where(and(isNotNull(o.sweepAt), lte(o.sweepAt, now)))
    .orderBy(o.sweepAt)
    .limit(maxSweptAtOnce),
);

/**
 * Deletes unreferenced objects before their rows. If a run is interrupted in between, the next run finds the objects
 * again.
 */
export async function sweepObjects(env: IntegrationsEnvironment): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const now = Date.now();
  for (let sweptCount = maxSweptAtOnce; sweptCount === maxSweptAtOnce && hasQueries(env, 2); ) {
    const keys = (await readRows(db, sweptBefore(now))).map(({ key }) => key);
    sweptCount = keys.length;
    if (sweptCount === 0) return;
    await env.RENDERED.delete(keys);
    await runBatch(db, [
      db.run(sql`DELETE FROM integration_objects WHERE key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`),
    ]);
  }
}

const folder = 'integrations/';
/** Duration for which caches keep an image. It is shorter than the grace period of the sweep. */
const keptSeconds = 24 * 3600;

/** Returns the public URL of an image. Its name is random and different for each version. */
export const getImageUrl = (key: string, urls: Urls): string =>
  urls.page(`/integration-images/${key.slice(folder.length)}`);

/** Serves icons and preview images, but not scripts. */
async function serveImage(request: Request, context: PageContext<IntegrationsEnvironment>): Promise<Response> {
  const name = context.params.name ?? '';
  const kind = /^\w{20}-(png|jpeg|gif|webp)$/.exec(name)?.[1];
  const response =
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
  if (response === undefined) throw notFound('image');
  return response;
}

export const imagePages: ServedPage<IntegrationsEnvironment>[] = [
  { method: 'GET', path: '/integration-images/:name', handler: serveImage },
];
