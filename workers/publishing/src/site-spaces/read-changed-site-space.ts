import { readRow } from '@octavo/db';
import type { SiteSpace } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { StructureContext } from '../structure/write-structure.ts';
import { managersView } from '../structure/write-structure.ts';
import { presentSiteSpace } from './present-site-space.ts';
import { selectSiteSpaces } from './site-space-record.ts';

/** A site space after a change of it. */
export async function readChangedSiteSpace(context: StructureContext, id: string): Promise<SiteSpace> {
  const { db, site, actor } = context;
  const found = await readRow(db, selectSiteSpaces({ site, actor, only: sql`ss.id = ${id}` }));
  if (found?.role == null) throw notFound('site space');
  return presentSiteSpace(found, managersView(context));
}
