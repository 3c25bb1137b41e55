import { connect, imports } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { archiveFolder, archiveKey } from '../engine/imports/plan-archive.ts';
import type { ContentEnvironment } from '../environment.ts';

const day = 24 * 3_600_000;
const maxPerSweep = 1000;

/** Deletes archives of yesterday and before that no import reads: those whose call ended before the import was written. */
export async function sweepArchives(env: ContentEnvironment): Promise<void> {
  const { objects } = await env.FILES.list({ prefix: archiveFolder, limit: maxPerSweep });
  const old = objects.filter(({ uploaded }) => uploaded.getTime() < Date.now() - day).map(({ key }) => key);
  if (old.length === 0) return;
  const { db } = connect(env.DB, { intent: 'read' });
  const ids = JSON.stringify(old.map((key) => key.slice(archiveFolder.length)));
  const running = await db
    .select({ id: imports.id })
    .from(imports)
    .where(sql`id IN (SELECT value FROM json_each(${ids})) AND phase <> 'ended'`);
  const read = new Set(running.map(({ id }) => archiveKey(id)));
  await env.FILES.delete(old.filter((key) => !read.has(key)));
}
